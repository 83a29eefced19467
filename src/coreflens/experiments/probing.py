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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from ..corpora.conversion import write
from ..corpus.model import Corpus
from ..errors import InputError, Issue, UsageError, counted
from ..exporting import Exported
from ..files.writing import make_directory
from ..formats import FORMATS, Input, read
from ..keywords import known_keywords, refuse_idle_keywords
from ..options import Policies
from ..presentation import Presented, writer_of
from ..scoring.settings import Metrics, ReadSettings, StudySettings
from .lattice import Response, canonical, entities
from .response_scores import Floats, ResponseScores, defined_mean
from .responses import RepairStep, probed_responses

if TYPE_CHECKING:
    from ..paper.plot import Plot

# Policies about what responses never have here, since they are made from the entities of the key.
IDLE: tuple[str, ...] = (
    "match", "min_share", "ties", "zeros", "duplicates", "multi", "split_antecedents", "layer", "only", "without", "on",
    "pair", "align", "extra", "ids", "no_common", "response_format", "window", "exact",
)  # fmt: skip
MOST_MENTIONS = 200  # of a key that is probed by default
_RAISE = "--max-mentions N (max_mentions=N) allows more"
_POINTS = 11  # points of a mean chain
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
class Probe(Presented, Exported):
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
        examples = [
            " | ".join(" ".join(map(str, entity)) for entity in inside if whole or entity not in there[document])
            for document, inside in here.items()
            if whole or inside != there[document]
        ]
        return "; ".join(text or "nothing" for text in examples)

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
                    "mean": plain(float(defined_mean(self.scores[m]))),
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

    def _plain(self, found: Counterexample) -> dict[str, object]:
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
        files = {"key": self.key}
        for metric, steps in self.steps.items():
            if steps.worst is not None:
                files[f"{metric}-before"], files[f"{metric}-after"] = steps.worst.before, steps.worst.after
        paths = []
        for name, response in files.items():
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
    max_mentions: int = MOST_MENTIONS,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    **settings: Unpack[StudySettings],
) -> Probe:
    """Score all responses to a small key, or some at random, to see how the metrics behave.

    samples   how many responses are drawn if there are more than 20,000
    chains    how many chains of repairs are followed
    missing   responses may lack mentions of the key
    max_mentions  the largest key, in mentions: the time grows with their square
    progress  goes over the responses and chains, and may show how far it is
    settings  as for `score`; of a key in a file only the entities are used, with numbers for mentions
    """
    if samples < 1 or chains < 1:
        raise UsageError("samples and chains must be at least 1")
    refuse_idle_keywords(settings, IDLE, "responses are made from the entities of the key, mention by mention")
    corpus = read(key, format=settings.get("key_format"), encoding=settings.get("encoding"), role="key")
    documents, names, labels = _documents(corpus)
    mentions = sum(map(len, labels))
    if mentions > max_mentions:
        raise InputError(
            f"the key has {mentions} mentions, and a probe takes {max_mentions:,} at most",
            file=corpus.source or None,
            hint=f"a probe of some documents says the same; {_RAISE} if you have the time, which grows with the square",
        )
    policies = {name: value for name, value in settings.items() if name not in ReadSettings.__annotations__}
    scores = ResponseScores(labels, names, metrics, cast(Policies, policies))
    probed = probed_responses(labels, samples, chains, missing, Random(seed), progress)
    scores.add(probed.all())
    issues = []
    if not probed.is_complete:
        drawn = counted(probed.responses, "response")
        issues.append(Issue("sampled", f"{drawn} were drawn at random, each with equal chance"))
    straightness, along = {}, {}
    for metric in scores.metrics:
        straightness[metric], along[metric] = _straightness([scores.of(metric, chain) for chain in probed.chains])
    return Probe(
        names,
        documents,
        labels,
        probed.is_complete,
        len(probed.responses),
        scores.metrics,
        {metric: scores.of(metric, probed.responses) for metric in scores.metrics},
        _degenerate_scores(scores, probed.degenerate),
        {metric: _judged(scores, metric, probed.repairs) for metric in scores.metrics},
        along,
        straightness,
        _losses(scores, probed.nearly_perfect),
        scores.signature,
        [*issues, *scores.issues],
    )


def _documents(corpus: Corpus) -> tuple[list[str], list[list[object]], Response]:
    """The documents that have mentions, the names of these, and their entities."""
    documents, names, labels = [], [], []
    for d, document in enumerate(corpus.documents):
        rows = range(*corpus.bounds[d : d + 2])
        if not len(rows):
            continue
        documents.append(document.label or f"document {d + 1}")
        names.append(_names(corpus, rows))
        labels.append(canonical(corpus.entity[rows.start : rows.stop].tolist()))
    if not documents:
        raise InputError("there is no mention in the key", file=corpus.source or None)
    return documents, names, tuple(labels)


def _names(corpus: Corpus, rows: range) -> list[object]:
    """The names of some mentions, or numbers."""
    if corpus.names is None:
        return [str(number) for number in range(1, len(rows) + 1)]
    return [str(corpus.names[row]) for row in rows]


def _degenerate_scores(scores: ResponseScores, degenerate: Mapping[str, Response]) -> dict[str, dict[str, float]]:
    """Response → metric → score."""
    return {
        name: {metric: float(scores.of(metric, [response])[0]) for metric in scores.metrics}
        for name, response in degenerate.items()
    }


def _losses(scores: ResponseScores, nearly_perfect: Mapping[int, list[Response]]) -> dict[int, dict[str, float]]:
    """Size of an entity → metric → what is lost on average when one of its mentions is alone."""
    perfect = {metric: scores.of(metric, [scores.key])[0] for metric in scores.metrics}
    return {
        size: {metric: float(np.mean(perfect[metric] - scores.of(metric, responses))) for metric in scores.metrics}
        for size, responses in nearly_perfect.items()
    }


def _judged(scores: ResponseScores, metric: str, repairs: Sequence[RepairStep]) -> Steps:
    before = scores.of(metric, [repair.before for repair in repairs])
    after = scores.of(metric, [repair.after for repair in repairs])
    gain = after - before
    if scores.of(metric, [scores.key])[0] == 0:  # the metric is an error rate, so repairs lower it
        gain = -gain
    worst = None
    if len(gain) and np.nanmin(gain, initial=0.0) < -_NOISE:
        place = int(np.nanargmin(gain))
        kind, response, repaired = repairs[place]
        worst = Counterexample(metric, kind, response, repaired, float(after[place]), float(before[place]))
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
