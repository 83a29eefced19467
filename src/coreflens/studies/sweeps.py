"""Controlled damage to a response, step by step, and the scores of each step.

This is the artificial setting of Cai & Strube 2010 (Figures 1, 2): twinless system mentions are removed in steps of
10 %, and the others stay. Each step keeps the damage of the step before and adds to it, in a random order drawn from a
seed. Several orders give a band. Other kinds of damage do the same to mentions, links and spans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, Unpack, cast

import numpy as np
import numpy.typing as npt

from ..conditions import ALL, NOTHING, names
from ..corpora.conversion import write as write_corpus
from ..corpus.model import Corpus, file_stem
from ..errors import InputError, Issue, UsageError, choose
from ..exporting import Exported
from ..files.writing import file_name, make_directory
from ..formats import FORMATS, Input, writer
from ..formats.shared.features import DIFFERS, held
from ..keywords import known_keywords
from ..matching.matched import Matched, match
from ..metrics import select
from ..options import CHOICES, Options
from ..presentation import Presented, writer_of
from ..resolvers import SystemName
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.scores import or_none
from ..scoring.settings import Metrics, StudySettings
from .damage import DAMAGES, Case, DamageName
from .retraining import check_retraining, retrained

if TYPE_CHECKING:
    from ..paper.plot import Plot

Floats: TypeAlias = npt.NDArray[np.float64]

# The lines of the paper's two figures; MUC is in both.
FIGURES: dict[str, tuple[str, ...]] = {
    "B³ variants": ("muc", "bcub", "bcub-0", "bcub-all", "bcub-rn", "bcub-sys"),
    "CEAF variants": ("muc", "ceafm", "ceafm-rn", "ceafm-sys", "ceafe", "ceafe-sys"),
}


@dataclass(frozen=True, eq=False)
class Sweep(Presented, Exported):
    """Scores by metric, repetition and share damaged: `sweep["bcub-sys"]` is an array repeats × shares of F1."""

    damage: str
    shares: tuple[float, ...]
    units: int
    seed: int
    results: Sequence[Sequence[Result]]
    figures: dict[str, tuple[str, ...]]
    retrain: str = ""  # the system that was retrained at each step
    left_out: tuple[Issue, ...] = ()  # data that the written files can't hold

    @property
    def signature(self) -> str:
        """The signature: how the scores were computed, in one line."""
        return str(self.results[0][0].signature)

    @property
    def issues(self) -> list[Issue]:
        """Notes on the response as it was given, and what was left out where responses were written."""
        return [*self.results[0][0].issues, *self.left_out]

    @property
    def metrics(self) -> list[str]:
        """The metrics that were scored."""
        return list(self.results[0][0])

    def __getitem__(self, metric: str) -> Floats:
        return self.values(metric)

    def values(self, metric: str, part: str = "main") -> Floats:
        """F1 (or the value; `part`: recall, precision) in 0–1, repeats × shares; nan where the metric has none."""
        rows = []
        for results in self.results:
            numbers = [getattr(result[metric], part) for result in results]
            rows.append([np.nan if number is None else float(number) for number in numbers])
        return np.array(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON: metric → recall, precision, main → repeats × shares."""
        parts = ("recall", "precision", "main")
        scores: dict[str, dict[str, list[list[float | None]]]] = {}
        for metric in self.metrics:
            scores[metric] = {part: [[*map(or_none, row)] for row in self.values(metric, part)] for part in parts}
        about = {"damage": self.damage, "units": self.units, "seed": self.seed, "shares": list(self.shares)}
        if self.retrain:
            about["retrain"] = self.retrain
        return about | {"signature": self.signature, "scores": scores}

    def plots(self) -> dict[str, Plot]:
        """One plot per figure: mean F1 in points over the repetitions against the share damaged, lowest to highest."""
        drawn: dict[str, Plot] = writer_of(self).plots(self)
        return drawn


@known_keywords
def sweep(
    key: Input,
    response: Input | Sequence[str | Path],
    *,
    damage: DamageName = "twinless",
    steps: int = 10,
    repeats: int = 5,
    seed: int = 0,
    metrics: Metrics | None = None,
    write: str | Path | None = None,
    retrain: SystemName | None = None,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    **settings: Unpack[StudySettings],
) -> Sweep:
    """Score a response as it is damaged more and more.

    response  what to damage; or several paths, one per step, which are scored as they are
    damage    twinless (Cai & Strube 2010), drop, add, split, merge, move, shift, pronouns-alone or pronouns-together;
              see `coreflens.studies.damage`
    steps     the number of steps from no damage to full damage
    repeats   random orders, each from its own seed; each step of an order includes the steps before it
    write     a directory for the damaged responses of the first order, to look at or to retrain with
    retrain   a system that learns, `mention-pair`: at each step it is trained on the damaged mentions, and its response
              is scored; see `coreflens.studies.retraining`
    progress  goes over the steps, and may show how far it is
    settings  as for `score`
    """
    choose(damage, DAMAGES, "damage")
    if steps < 1 or repeats < 1:
        raise UsageError("steps and repeats must be at least 1")
    figures, metrics = _figures_of(metrics)
    scorer = Scorer(key, metrics=metrics, **settings)
    if _is_step_by_step(response):
        if retrain is not None:
            raise UsageError("responses that are given step by step are not damaged, so nothing can be retrained")
        if write is not None or (damage, steps, repeats, seed) != ("twinless", 10, 5, 0):
            raise UsageError(
                "responses that are given step by step are not damaged: give no damage, steps, repeats, seed or write"
            )
        return _given_sweep(scorer, response, figures, seed)
    if retrain is not None:
        check_retraining(retrain, damage, scorer.key)

    matched = scorer.match(cast(Input, response))
    case = Case.of(matched)
    files = None if write is None else _StepFiles(Path(write), damage, matched.response, case, scorer.options)
    units, responses_by_repeat = _prepared(damage, case, matched.response, repeats, seed)
    rescoring = _Rescoring(scorer, matched, retrain)
    shares = _even_shares(steps)
    results_by_repeat: list[list[Result]] = [[] for _ in range(repeats)]
    for repeat, share in progress([*product(range(repeats), shares)]):
        damaged = rescoring.response(responses_by_repeat[repeat](round(share * units)))
        results_by_repeat[repeat].append(rescoring.result(damaged, share))
        if files is not None and repeat == 0:
            files.write(damaged, share)

    left_out = [] if files is None else files.issues()
    left_out += rescoring.lost_at_once(responses_by_repeat[0](0), results_by_repeat[0][0])
    return Sweep(damage, shares, units, seed, results_by_repeat, dict(figures), retrain or "", tuple(left_out))


def _figures_of(metrics: Metrics | None) -> tuple[dict[str, tuple[str, ...]], Metrics]:
    """The figures to plot, and the metrics to score: those of the paper's figures, or one figure of these metrics."""
    if metrics is not None:
        return {"": tuple(select(metrics)[0])}, metrics
    return FIGURES, list(dict.fromkeys(metric for shown in FIGURES.values() for metric in shown))


def _is_step_by_step(response: Input | Sequence[str | Path]) -> TypeGuard[Sequence[str | Path]]:
    """Whether several paths are given, one per step."""
    if not isinstance(response, (list, tuple)) or len(response) < 2:
        return False
    return all(isinstance(path, (str, PathLike)) for path in response)


def _given_sweep(
    scorer: Scorer, responses: Sequence[str | Path], figures: Mapping[str, tuple[str, ...]], seed: int
) -> Sweep:
    """The scores of responses that are given step by step."""
    results = [scorer(path) for path in responses]
    return Sweep("given", _even_shares(len(responses) - 1), 0, seed, [results], dict(figures))


def _even_shares(steps: int) -> tuple[float, ...]:
    """The share of the damage after each of these steps, from 0 to 1."""
    return tuple(step / steps for step in range(steps + 1))


def _prepared(
    damage: DamageName, case: Case, response: Corpus, repeats: int, seed: int
) -> tuple[int, list[Callable[[int], Corpus]]]:
    """How many units can be damaged; and for each repeat, the function that damages this many of them."""
    responses_by_repeat = []
    for repeat in range(repeats):
        units, damaged = DAMAGES[damage].prepare(case, np.random.default_rng([seed, repeat]))
        if not units:
            message = f"nothing to damage: the response has no {DAMAGES[damage].needs}"
            raise InputError(message, file=response.source or None)
        responses_by_repeat.append(damaged)
    return units, responses_by_repeat


class _Rescoring:
    """Scores damaged responses. The key and what is damaged have already been read, selected and cut."""

    def __init__(self, scorer: Scorer, matched: Matched, retrain: SystemName | None) -> None:
        self._scorer, self._matched, self._retrain = scorer, matched, retrain
        filters = [name for name in names(matched.options.without) if name in CHOICES["without"]]
        self._options = replace(
            matched.options, layer="identity", only=ALL, without=",".join(filters) or NOTHING, on="both", excerpt="all"
        )

    def response(self, damaged: Corpus) -> Corpus:
        """What is scored: the damaged response, or that of the system that is retrained on it."""
        if self._retrain is None:
            return damaged
        return retrained(self._match(damaged), self._retrain)

    def result(self, response: Corpus, share: float) -> Result:
        """The scores of a step. The first one has the response as it was given."""
        is_as_given = share == 0 and self._retrain is None
        return self._scorer.result(self._matched if is_as_given else self._match(response))

    def lost_at_once(self, undamaged: Corpus, first: Result) -> Iterable[Issue]:
        """A note if a response scores differently as soon as it is damaged, because of what damaged mentions lack."""
        if self._retrain is not None:
            return
        counts = self._scorer.result(self._match(undamaged)).counts.values
        if not np.array_equal(counts, first.counts.values, equal_nan=counts.dtype != object):
            lacking = "given heads and split antecedents"
            message = f"damaged mentions have no {lacking}, so the first step of damage loses these as well"
            yield Issue("damage", message)

    def _match(self, response: Corpus) -> Matched:
        matched = match(self._matched.key, self._scorer.read(response), self._options)
        return replace(matched, options=self._matched.options)


class _StepFiles:
    """Writes the responses of the first order, one per step, and counts the data that the files can't hold."""

    def __init__(self, directory: Path, damage: DamageName, given: Corpus, case: Case, options: Options) -> None:
        if case.response.names is None and options.scope != "document":
            raise UsageError("the written files have no entities across documents: use --scope document")
        self._directory, self._damage = directory, damage
        given_features, kept_features = held(given), held(case.response)
        self._lost = Counter[str]()  # feature → how many
        for feature, number in given_features.items():  # damaged mentions have no heads and no attributes
            if feature not in kept_features and not feature.endswith(DIFFERS):
                self._lost[feature] = number

    def write(self, damaged: Corpus, share: float) -> None:
        """Write the response of a step."""
        self._lost += _write(damaged, self._directory, f"{self._damage}-{100 * share:03.0f}")

    def issues(self) -> list[Issue]:
        """A note on what all files together lack."""
        if not self._lost:
            return []
        message = "the files written lack " + ", ".join(f"{feature} ({n})" for feature, n in self._lost.items())
        return [Issue("no-room", message, self._lost.total())]


def _write(corpus: Corpus, directory: Path, stem: str) -> Counter[str]:
    """Write the response of one step in its own format if possible, else as jsonlines or a table of named mentions.

    A format with one document per file gets one directory per step, whose files keep their names. Returns what was left
    out, feature → how many.
    """
    own = FORMATS.get(corpus.format)
    has_room = corpus.has_text or corpus.names is not None
    if own is None or not own.writes or not has_room:
        own = FORMATS["jsonlines" if corpus.names is None else "table"]
    is_per_document = len(corpus.documents) > 1 and "documents" not in writer(own.name).HOLDS
    try:
        make_directory(directory / stem if is_per_document else directory)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(directory)) from None
    suffix = own.suffixes[0]
    if not is_per_document:
        return Counter(write_corpus(corpus, directory / f"{stem}{suffix}", format=own.name))
    lost = Counter[str]()
    for d, document in enumerate(corpus.documents):
        name = file_stem(document.file) or f"document_{d}"
        lost += Counter(write_corpus(corpus.only(d), directory / stem / file_name(name, suffix), format=own.name))
    return lost
