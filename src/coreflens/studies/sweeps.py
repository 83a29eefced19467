"""Controlled damage to a response, step by step, and the scores of each step.

This is the artificial setting of Cai & Strube 2010 (Figures 1, 2): twinless system mentions are removed in steps of
10 %, and the others stay. Each step keeps the damage of the step before and adds to it, in a random order drawn from a
seed. Several orders give a band. Other kinds of damage do the same to mentions, links and spans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, cast

import numpy as np
import numpy.typing as npt

from ..conditions import ALL, NOTHING, names
from ..corpora.conversion import write as write_corpus
from ..corpus.model import Corpus, file_stem
from ..errors import InputError, Issue, UsageError, choose
from ..files.writing import make_directory
from ..formats import FORMATS, Input, writer
from ..formats.shared.features import DIFFERS, held
from ..keywords import known_keywords
from ..matching.matched import Matched, match
from ..metrics import select
from ..options import CHOICES
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
class Sweep(Presented):
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
        numbers = ((getattr(r[metric], part) for r in row) for row in self.results)
        return np.array([[np.nan if x is None else float(x) for x in row] for row in numbers])

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON: metric → recall, precision, main → repeats × shares."""
        parts = ("recall", "precision", "main")
        scores = {m: {p: [[or_none(x) for x in r] for r in self.values(m, p)] for p in parts} for m in self.metrics}
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
    figures = FIGURES
    if metrics is None:
        metrics = list(dict.fromkeys(m for names in FIGURES.values() for m in names))
    else:
        figures = {"": tuple(select(metrics)[0])}
    scorer = Scorer(key, metrics=metrics, **settings)
    if (
        isinstance(response, (list, tuple))
        and len(response) > 1
        and all(isinstance(r, (str, PathLike)) for r in response)
    ):
        shares = tuple(step / (len(response) - 1) for step in range(len(response)))
        if retrain is not None:
            raise UsageError("responses that are given step by step are not damaged, so nothing can be retrained")
        if write is not None or (damage, steps, repeats, seed) != ("twinless", 10, 5, 0):
            raise UsageError(
                "responses that are given step by step are not damaged: give no damage, steps, repeats, seed or write"
            )
        return Sweep("given", shares, 0, seed, [[*map(scorer, response)]], dict(figures))
    if retrain is not None:
        check_retraining(retrain, damage, scorer.key)
    matched = scorer.match(cast(Input, response))
    corpus, case = matched.response, Case.of(matched)
    if write is not None and case.response.names is None and scorer.options.scope != "document":
        raise UsageError("the written files have no entities across documents: use --scope document")
    again = _Again(scorer, matched)
    shares = tuple(step / steps for step in range(steps + 1))
    rows: list[list[Result]] = [[] for _ in range(repeats)]
    prepared, lost = [], Counter[str]()
    if write is not None:  # damaged mentions have no heads and no attributes
        kept = held(case.response)
        gone = (feature for feature in held(corpus) if feature not in kept and not feature.endswith(DIFFERS))
        lost.update({feature: held(corpus)[feature] for feature in gone})
    for repeat in range(repeats):
        units, damaged = DAMAGES[damage].prepare(case, np.random.default_rng([seed, repeat]))
        if not units:
            raise InputError(
                f"nothing to damage: the response has no {DAMAGES[damage].needs}", file=corpus.source or None
            )
        prepared.append(damaged)
    for repeat, share in progress([(repeat, share) for repeat in range(repeats) for share in shares]):
        step = prepared[repeat](round(share * units))
        if retrain is not None:
            step = retrained(again(step), retrain)
        rows[repeat].append(scorer.result(matched if share == 0 and retrain is None else again(step)))
        if write is not None and repeat == 0:
            lost += _write(step, Path(write), f"{damage}-{100 * share:03.0f}")
    message = "the files written lack " + ", ".join(f"{what} ({n})" for what, n in lost.items())
    left_out = [Issue("no-room", message, lost.total())] if lost else []
    if retrain is None:
        left_out += _lost_at_once(again, prepared[0](0), rows[0][0])
    return Sweep(damage, shares, units, seed, rows, dict(figures), retrain or "", tuple(left_out))


def _lost_at_once(again: _Again, undamaged: Corpus, result: Result) -> Iterable[Issue]:
    """A note if a response scores differently as soon as it is damaged, because of what damaged mentions lack."""
    counts = again.scorer.result(again(undamaged)).counts.values
    if not np.array_equal(counts, result.counts.values, equal_nan=counts.dtype != object):
        lacking = "given heads and split antecedents"
        yield Issue("damage", f"damaged mentions have no {lacking}, so the first step of damage loses these as well")


class _Again:
    """Matches damaged responses. The key and what is damaged have already been read, selected and cut."""

    def __init__(self, scorer: Scorer, matched: Matched) -> None:
        self.scorer, self._matched = scorer, matched
        filters = [name for name in names(matched.options.without) if name in CHOICES["without"]]
        self._options = replace(
            matched.options, layer="identity", only=ALL, without=",".join(filters) or NOTHING, on="both", excerpt="all"
        )

    def __call__(self, response: Corpus) -> Matched:
        met = match(self._matched.key, self.scorer.read(response), self._options)
        return replace(met, options=self._matched.options)


def _write(corpus: Corpus, directory: Path, stem: str) -> Counter[str]:
    """Write the response of one step in its own format if possible, else as jsonlines or a table of named mentions.

    A format with one document per file gets one directory per step, whose files keep their names. Returns what was left
    out, feature → how many.
    """
    own = FORMATS.get(corpus.format)
    if own is None or not own.writes or not (corpus.has_text or corpus.names is not None):
        own = FORMATS["jsonlines" if corpus.names is None else "table"]
    several = len(corpus.documents) > 1 and "documents" not in writer(own.name).HOLDS
    try:
        make_directory(directory / stem if several else directory)
    except OSError as error:
        raise InputError(f"can't be written: {error.strerror}", file=str(directory)) from None
    suffix = own.suffixes[0]
    if not several:
        return Counter(write_corpus(corpus, directory / f"{stem}{suffix}", format=own.name))
    lost = Counter[str]()
    for d, document in enumerate(corpus.documents):
        name = file_stem(document.file) or f"document_{d}"
        lost += Counter(write_corpus(corpus.only(d), directory / stem / f"{name}{suffix}", format=own.name))
    return lost
