"""How metrics score all responses to a key (Popescu-Belis & Robba 1998, "evaluating evaluation").

All responses with the mentions of the key are scored if there are not too many. Otherwise some are drawn at random,
each with equal chance. For each metric there are:

    distribution   the lowest and highest score, deciles, and how far the scores are from being equally frequent
    degenerate     the scores of the key itself, of singletons, of one entity, and of nothing
    repairs        whether every single repair raises the score, and so every damage lowers it; counterexamples
    chains         how straight the score rises along chains of repairs from a random response to the key
    sizes          how much is lost when one mention leaves a perfect entity, by the size of the entity
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from ..corpora.conversion import write
from ..errors import InputError, Issue, UsageError, counted
from ..files.writing import make_directory
from ..formats import FORMATS, Input, read
from ..keywords import known_keywords, refuse_idle_keywords
from ..metrics import METRICS, Average
from ..presentation import Presented, writer_of
from ..scoring.counts import Counts
from ..scoring.finalize import finalize_values
from ..scoring.scorer import Scorer
from ..scoring.settings import Metrics, StudySettings
from ..scoring.windows import count
from .lattice import Labels, bell, canonical, chain, drawn, entities, partitions, repairs

if TYPE_CHECKING:
    from ..paper.plot import Plot

Floats: TypeAlias = npt.NDArray[np.float64]
Response: TypeAlias = tuple[Labels, ...]  # one for each document
# Policies about what responses never have here, since they are made from the entities of the key.
IDLE: tuple[str, ...] = (
    "match", "min_share", "ties", "zeros", "duplicates", "multi", "split_antecedents", "layer", "only", "without", "on",
    "pair", "align", "extra", "ids", "no_common", "response_format", "window", "exact",
)  # fmt: skip
MOST = 20_000  # responses that are enumerated
_STEPS = 20  # repairs of one response that are tried, if responses are drawn
_POINTS = 11  # points of a mean chain
_LONGEST = 51  # steps of a chain that are scored, at even distances
_NOISE = 1e-12
_SHOWN = 12  # mentions of a key whose responses are shown whole


@dataclass(frozen=True, eq=False)
class Counterexample:
    """A repair after which a metric is lower: the response before and after it, and both scores."""

    metric: str
    kind: str
    before: Response
    after: Response
    low: float  # after the repair
    high: float  # before it


@dataclass(frozen=True, eq=False)
class Steps:
    """How many single repairs raise a metric, leave it unchanged, and lower it; and the repair that lowers it most."""

    raises: int
    leaves: int
    lowers: int
    worst: Counterexample | None


@dataclass(frozen=True, eq=False)
class Probe(Presented):
    """The results for each metric."""

    names: Sequence[Sequence[object]]  # of the mentions, by document
    documents: Sequence[str]
    key: Response
    enumerated: bool
    responses: int
    metrics: Sequence[str]
    scores: dict[str, Floats]  # of every response
    degenerate: dict[str, dict[str, float]]  # response → metric → score
    steps: dict[str, Steps]
    chains: dict[str, Floats]  # chains × points along them
    straightness: dict[str, float]  # mean r² of the chains
    sizes: dict[int, dict[str, float]]  # size of the entity → metric → points lost, in 0–1
    signature: str
    issues: Sequence[Issue]

    def deciles(self, metric: str) -> list[float]:
        """Lowest score, the nine deciles, and the highest score."""
        scores = self.scores[metric]
        scores = scores[scores == scores]
        return [float("nan")] * 11 if not len(scores) else np.quantile(scores, np.linspace(0, 1, 11)).tolist()

    def unevenness(self, metric: str) -> float:
        """The largest distance from a distribution in which all scores in 0–1 are equally frequent (0 is even)."""
        scores = np.sort(self.scores[metric][self.scores[metric] == self.scores[metric]])
        if not len(scores):
            return float("nan")
        places = np.arange(len(scores))
        return float(
            max((np.abs((places + 1) / len(scores) - scores)).max(), np.abs(places / len(scores) - scores).max())
        )

    def clusters(self, response: Response) -> dict[str, list[list[object]]]:
        """A response as `score` takes it: document → entities."""
        pairs = zip(self.documents, response, self.names, strict=True)
        return {document: entities(labels, names) for document, labels, names in pairs}

    def shown(self, response: Response, other: Response) -> str:
        """A response in a line: `1 2 | 3`, documents separated by semicolons. For a large one, only what another
        lacks."""
        here, there = self.clusters(response), self.clusters(other)
        whole = sum(map(len, self.key)) <= _SHOWN
        found = [
            " | ".join(" ".join(map(str, entity)) for entity in inside if whole or entity not in there[document])
            for document, inside in here.items()
            if whole or inside != there[document]
        ]
        return "; ".join(text or "nothing" for text in found)

    def to_dict(self) -> dict[str, Any]:
        """Everything except the scores of every single response, for JSON."""

        def plain(x: float) -> float | None:
            return x if x == x else None

        return {
            "responses": self.responses,
            "enumerated": self.enumerated,
            "signature": self.signature,
            "degenerate": {n: {m: plain(x) for m, x in row.items()} for n, row in self.degenerate.items()},
            "sizes": {str(n): {m: plain(x) for m, x in row.items()} for n, row in self.sizes.items()},
            "metrics": {
                m: {
                    "deciles": [plain(x) for x in self.deciles(m)],
                    "mean": plain(float(_mean(self.scores[m]))),
                    "unevenness": plain(self.unevenness(m)),
                    "raises": s.raises,
                    "leaves": s.leaves,
                    "lowers": s.lowers,
                    "straightness": plain(self.straightness[m]),
                    "counterexample": None if s.worst is None else self._plain(s.worst),
                }
                for m, s in self.steps.items()
            },
            "issues": [issue.to_dict() for issue in self.issues],
        }

    def _plain(self, found: Counterexample) -> dict[str, Any]:
        return {
            "kind": found.kind,
            "before": self.clusters(found.before),
            "after": self.clusters(found.after),
            "score_before": found.high,
            "score_after": found.low,
        }

    def plots(self) -> dict[str, Plot]:
        """`distribution`, `chains` and `sizes`."""
        drawn: dict[str, Plot] = writer_of(self).plots(self)
        return drawn

    def write(self, directory: str | Path) -> list[Path]:
        """The key and each counterexample as tables for `coreflens score`: key, METRIC-before, METRIC-after."""
        make_directory(directory)
        found = {"key": self.key}
        for metric, steps in self.steps.items():
            if steps.worst is not None:
                found[f"{metric}-before"], found[f"{metric}-after"] = steps.worst.before, steps.worst.after
        paths = []
        for name, response in found.items():
            paths.append(Path(directory) / f"{name}{FORMATS['table'].suffixes[0]}")
            write(read(self.clusters(response)), paths[-1], format="table")
        return paths


@known_keywords
def probe(
    key: Input,
    *,
    metrics: Metrics | None = None,
    samples: int = 1000,
    chains: int = 100,
    missing: bool = False,
    seed: int = 0,
    **settings: Unpack[StudySettings],
) -> Probe:
    """Score all responses to a small key, or some at random, to see how the metrics behave.

    samples   how many responses are drawn if there are more than 20,000
    chains    how many chains of repairs are followed
    missing   responses may lack mentions of the key
    settings  as for `score`; of a key in a file only the entities are used, with numbers for mentions
    """
    if samples < 1 or chains < 1:
        raise UsageError("samples and chains must be at least 1")
    refuse_idle_keywords(settings, IDLE, "responses are made from the entities of the key, mention by mention")
    reading = {name: settings.get(name) for name in ("encoding", "key_format")}
    corpus = read(key, format=reading["key_format"], encoding=reading["encoding"], role="key")  # type: ignore[arg-type]
    for name in ("encoding", "key_format", "response_format"):
        settings.pop(name, None)  # type: ignore[misc]
    labels, names, documents = [], [], []
    for d, document in enumerate(corpus.documents):
        rows = range(*corpus.bounds[d : d + 2])
        if not len(rows):
            continue
        labels.append(canonical(corpus.entity[rows.start : rows.stop].tolist()))
        names.append([str(corpus.names[r]) if corpus.names is not None else str(n) for n, r in enumerate(rows, 1)])
        documents.append(document.label or f"document {d + 1}")
    if not labels:
        raise InputError("there is no mention in the key", file=corpus.source or None)
    scale = _Scale(tuple(labels), names, documents, metrics, settings)
    chance = Random(seed)
    responses, enumerated = _responses(scale.key, samples, missing, chance)
    issues = []
    if not enumerated:
        issues.append(
            Issue("sampled", f"{counted(responses, 'response')} were drawn at random, each with equal chance")
        )
    followed = [_chain(scale.key, missing, chance) for _ in range(chains)]
    stepped = _steps(responses, scale.key, enumerated, chance)
    sizes = _sizes(scale.key)
    degenerate = _degenerate(scale.key)
    everything = [*responses, *(r for c in followed for r in c), *(r for _, a, b in stepped for r in (a, b))]
    scale.score([*everything, *(r for found in sizes.values() for r in found), *degenerate.values()])
    straight, along = {}, {}
    for metric in scale.metrics:
        straight[metric], along[metric] = _straightness([scale.of(metric, c) for c in followed])
    return Probe(
        names,
        documents,
        scale.key,
        enumerated,
        len(responses),
        scale.metrics,
        {metric: scale.of(metric, responses) for metric in scale.metrics},
        {name: {m: float(scale.of(m, [r])[0]) for m in scale.metrics} for name, r in degenerate.items()},
        {metric: _judged(scale, metric, stepped) for metric in scale.metrics},
        along,
        straight,
        {
            size: {m: float(np.mean(scale.of(m, [scale.key])[0] - scale.of(m, found))) for m in scale.metrics}
            for size, found in sizes.items()
        },
        scale.signature,
        [*issues, *scale.issues],
    )


class _Scale:
    """Scores responses, all at once: each distinct response to a document is a document of one large corpus."""

    def __init__(
        self,
        key: Response,
        names: Sequence[Sequence[object]],
        documents: Sequence[str],
        metrics: Metrics | None,
        settings: Any,
    ) -> None:
        self.key, self._names, self._settings = key, names, settings
        small = {str(d): entities(labels, names[d]) for d, labels in enumerate(key)}
        scorer = Scorer(small, metrics=metrics, **settings)
        if scorer.options.scope != "document":
            raise UsageError("responses are made document by document: use --scope document")
        perfect = scorer(small)
        self._asked = metrics
        self.metrics, self.signature = list(scorer.metrics), str(perfect.signature)
        self.issues: list[Issue] = []
        self._known: dict[Response, dict[str, float]] = {}

    def score(self, responses: Sequence[Response]) -> None:
        wanted = [r for r in dict.fromkeys(responses) if r not in self._known]
        places: dict[tuple[int, Labels], int] = {}
        for response in wanted:
            for d, labels in enumerate(response):
                places.setdefault((d, labels), len(places))
        key, answer = {}, {}
        for (d, labels), place in places.items():
            key[str(place)] = entities(self.key[d], self._names[d])
            answer[str(place)] = entities(labels, self._names[d])
        scorer = Scorer(key, metrics=self.metrics, **{**self._settings, "no_common": "score"})
        counts, _ = count(scorer.match(answer), scorer.metrics)  # n/a for metrics that need equal mentions
        order = {label: row for row, label in enumerate(counts.labels)}
        rows = np.array([[order[str(places[d, labels])] for d, labels in enumerate(r)] for r in wanted], dtype=np.int64)
        values = self._values(counts, rows, scorer)
        for place, response in enumerate(wanted):
            self._known[response] = {m: float(x[place]) for m, x in values.items()}

    def _values(self, counts: Counts, rows: npt.NDArray[np.int64], scorer: Scorer) -> dict[str, Floats]:
        """F1 or the value of every response, from the sums over its documents or as the mean of their scores."""
        sums = counts.values[rows].sum(axis=1)
        found = finalize_values(counts, sums, scorer.metrics, scorer.options)
        values = {m: _main(found[m][0]) for m in scorer.metrics}
        means = [
            m
            for m in scorer.metrics
            if scorer.options.average == "macro" or getattr(METRICS[m], "aggregation", "") == "macro"
        ]
        means = [m for m in means if not isinstance(METRICS[m], Average)]
        if means and rows.shape[1] > 1:
            alone = finalize_values(counts, counts.values, scorer.metrics, scorer.options)
            values |= {m: _mean(_main(alone[m][0])[rows]) for m in means}
        return values

    def of(self, metric: str, responses: Sequence[Response]) -> Floats:
        return np.array([self._known[response][metric] for response in responses])


def _mean(x: Floats) -> Floats:
    """The mean along the last axis without undefined numbers; nan if all are undefined."""
    there = x == x
    number = there.sum(axis=-1)
    return np.where(number, np.where(there, x, 0).sum(axis=-1) / np.maximum(number, 1), np.nan)


def _main(values: Any) -> Floats:
    found = values["f1"] if "f1" in values else values["value"]
    return np.asarray(found, dtype=np.float64)


def _responses(key: Response, samples: int, missing: bool, chance: Random) -> tuple[list[Response], bool]:
    sizes = [len(labels) + missing for labels in key]
    if sum(sizes) < 60 and prod(bell(n) for n in sizes) <= MOST:
        return list(product(*(list(partitions(len(labels), missing)) for labels in key))), True
    return [tuple(drawn(len(labels), chance, missing) for labels in key) for _ in range(samples)], False


def _chain(key: Response, missing: bool, chance: Random) -> list[Response]:
    """Repairs from a random response to the key, in random order over the documents."""
    now = [drawn(len(labels), chance, missing) for labels in key]
    left = [chain(labels, key[d], chance)[1:] for d, labels in enumerate(now)]
    found: list[Response] = [tuple(now)]
    while any(left):
        d = chance.choices(range(len(left)), [len(steps) for steps in left])[0]
        now[d] = left[d].pop(0)
        found.append(tuple(now))
    if len(found) <= _LONGEST:
        return found
    return [found[place] for place in np.linspace(0, len(found) - 1, _LONGEST).round().astype(int).tolist()]


def _steps(
    responses: Sequence[Response], key: Response, every: bool, chance: Random
) -> list[tuple[str, Response, Response]]:
    """Single repairs of the responses: all of them, or some of each."""
    found = []
    for response in responses:
        here = [
            (kind, response, (*response[:d], after, *response[d + 1 :]))
            for d, labels in enumerate(response)
            for kind, after in repairs(labels, key[d])
        ]
        found += here if every or len(here) <= _STEPS else chance.sample(here, _STEPS)
    return found


def _judged(scale: _Scale, metric: str, stepped: Sequence[tuple[str, Response, Response]]) -> Steps:
    before = scale.of(metric, [a for _, a, _ in stepped])
    after = scale.of(metric, [b for _, _, b in stepped])
    gain = after - before
    if scale.of(metric, [scale.key])[0] == 0:  # the metric is an error rate, so repairs lower it
        gain = -gain
    worst = None
    if len(gain) and np.nanmin(gain, initial=0.0) < -_NOISE:
        place = int(np.nanargmin(gain))
        kind, a, b = stepped[place]
        worst = Counterexample(metric, kind, a, b, float(after[place]), float(before[place]))
    raises, lowers = int((gain > _NOISE).sum()), int((gain < -_NOISE).sum())
    return Steps(raises, int((np.abs(gain) <= _NOISE).sum()), lowers, worst)


def _straightness(scores: Sequence[Floats]) -> tuple[float, Floats]:
    """The mean r² of score and position along chains that rise, and the chains at evenly spaced positions."""
    squares, along = [], []
    for chain_scores in scores:
        places = np.linspace(0, 1, len(chain_scores))
        along.append(np.interp(np.linspace(0, 1, _POINTS), places, chain_scores))
        if len(chain_scores) > 2 and np.ptp(chain_scores) > _NOISE:
            squares.append(float(np.corrcoef(places, chain_scores)[0, 1] ** 2))
    return (float(np.mean(squares)) if squares else float("nan")), np.array(along)


def _sizes(key: Response) -> dict[int, list[Response]]:
    """Size of a key entity → responses that are perfect, except that one mention of such an entity is alone."""
    found: dict[int, list[Response]] = {}
    for d, labels in enumerate(key):
        for entity in set(labels):
            inside = [m for m, label in enumerate(labels) if label == entity]
            if len(inside) > 1:
                cut = canonical([len(labels) if m == inside[-1] else label for m, label in enumerate(labels)])
                found.setdefault(len(inside), []).append((*key[:d], cut, *key[d + 1 :]))
    return dict(sorted(found.items()))


def _degenerate(key: Response) -> dict[str, Response]:
    return {
        "the key": key,
        "singletons": tuple(tuple(range(len(labels))) for labels in key),
        "one entity": tuple((0,) * len(labels) for labels in key),
        "nothing": tuple((-1,) * len(labels) for labels in key),
    }
