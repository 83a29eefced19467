"""Tune a system by its scores, and report its score on texts that were not used for tuning (Popescu-Belis & Robba
1998).

The documents are divided into folds. For each fold the best setting is searched on the other folds, and its counts on
this fold are kept. All of them together give the figure to report. So no document helps to choose the setting with
which it is scored. Documents that are held out by name are one such fold. In the end, use the setting that is best on
all documents used for tuning. Its score there is too high, because it was chosen there. It is shown beside the honest
figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..errors import InputError, Issue, UsageError, choose, counted
from ..exporting import Exported
from ..formats import Input
from ..keywords import known_keywords
from ..metrics import METRICS
from ..metrics.contingency import Array
from ..presentation import Presented, writer_of
from ..resolvers import SYSTEMS, Mentions, SystemName
from ..resolvers.model import Model
from ..resolvers.parameters import parameters as parameters_of
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.settings import StudySettings
from ..stats import Interval
from .running import Bench, bench, objective_of
from .search import SEARCHES, SearchName, ascent, grid, random
from .space import Setting, Space, space_of
from .trials import Trial

if TYPE_CHECKING:
    from ..paper.plot import Plot

RESAMPLES = 2000


@dataclass(frozen=True, eq=False)
class Fold:
    """Documents held out, the setting chosen without them, and its scores on the other documents and on these."""

    documents: tuple[str, ...]
    setting: Mapping[str, str]
    tuned: float
    held_out: float


@dataclass(frozen=True, eq=False)
class Tuning(Presented, Exported):
    """The trials, the best settings, and the figure to report."""

    objective: str
    search: SearchName
    space: Space
    trials: Sequence[Trial]  # of this search over all documents tuned on, in the order of their settings
    scores: Sequence[float]  # of the trials, on the documents tuned on
    best: Mapping[str, str]
    folds: Sequence[Fold]
    result: Result | None  # over all documents that were held out; None if there was only one document
    ranked: Sequence[tuple[Mapping[str, str], Result]]  # the best settings on the documents tuned on
    failures: Sequence[Trial]
    issues: Sequence[Issue]
    seed: int = 0

    def score(self, result: Result) -> float:
        """The objective of a result."""
        return value(result, self.objective)

    @cached_property
    def interval(self) -> Interval | None:
        """The reported figure with its interval."""
        return None if self.result is None else interval(self.result, self.objective, self.seed)

    @property
    def signature(self) -> str:
        """The signature: how the scores were computed, in one line."""
        return str((self.result or self.ranked[0][1]).signature)

    def records(self) -> list[dict[str, Any]]:
        """One row per setting, the best first: its parameters, its score, and the interval."""
        rows: list[dict[str, Any]] = []
        for rank, (setting, result) in enumerate(self.ranked, start=1):
            around = interval(result, self.objective, self.seed)
            limits = {"low": None if around is None else around.low, "high": None if around is None else around.high}
            rows.append({"rank": rank, **setting, "score": self.score(result), **limits})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "objective": self.objective,
            "search": self.search,
            "best": dict(self.best),
            "held_out": None if self.interval is None else _plain(self.interval),
            "folds": [
                {"documents": list(f.documents), "setting": dict(f.setting), "tuned": f.tuned, "held_out": f.held_out}
                for f in self.folds
            ],
            "ranked": [
                {"setting": dict(setting), "score": self.score(result), "interval": _plain(bounds)}
                for setting, result in self.ranked
                for bounds in [interval(result, self.objective, self.seed)]
            ],
            "trials": [
                {"setting": dict(t.setting), "score": None if math.isinf(s) else s, "failed": t.failed or None}
                for t, s in zip(self.trials, self.scores, strict=True)
            ],
            "signature": self.signature,
            "issues": [issue.to_dict() for issue in self.issues],
        }

    def plots(self) -> dict[str, Plot]:
        """`trace`: the score of each trial and the best so far; `surface`: the objective over the parameters."""
        drawn: dict[str, Plot] = writer_of(self).plots(self)
        return drawn


def _plain(found: Interval | None) -> dict[str, float | None] | None:
    if found is None:
        return None
    numbers = {"score": found.score, "low": found.low, "high": found.high}
    return {name: x if x == x else None for name, x in numbers.items()}


def value(result: Result, objective: str) -> float:
    """The score of a result by an objective. It is −∞ if it is undefined, so it is never chosen."""
    metric, part = objective_of(objective)
    number = getattr(result[metric], part)
    return -math.inf if number is None or number != number else float(number)


def interval(result: Result, objective: str, seed: int) -> Interval:
    """The objective with its bootstrap interval. With one document there is no interval."""
    metric, part = objective_of(objective)
    if len({document.name for document in result.counts.documents}) < 2:
        return Interval(value(result, objective), math.nan, math.nan, math.nan)
    found = result.bootstrap(RESAMPLES, seed=seed)
    return found.main(metric) if part == "main" else found[metric][part]


@known_keywords
def tune(
    key: Input,
    *,
    system: SystemName | None = None,
    run: str | None = None,
    parameters: Sequence[str] | Mapping[str, str | Sequence[object]],
    objective: str = "conll",
    search: SearchName = "grid",
    folds: int | None = None,
    held_out: Sequence[str] = (),
    tries: int = 50,
    seed: int = 0,
    mentions: Mentions = "given",
    fixed: Mapping[str, str] | None = None,
    model: Model | None = None,
    limit: float = 600.0,
    jobs: int = 1,
    trials: str | Path | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    **settings: Unpack[StudySettings],
) -> Tuning:
    """Search the parameters that score best on a key, and report their scores on documents that were not used to choose
    them.

    system      one of coreflens, or `run`: a command line with {input}, {output} and a place for each parameter
    parameters  what to vary: `["decay=0:1:.1", "window=1..8"]`, or a mapping from names to values
    objective   the metric whose F1 or value is to be raised; `bcub.recall` for another part
    search      grid, ascent or random (`tries` settings, from a `seed`)
    folds       into how many parts the documents are divided; by default 5, or as many as there are documents
    held_out    names or patterns of documents to report on, in place of folds
    mentions    as for `resolve`; a program gets the spans of the key with "given", else no spans
    fixed       parameters of the system that are set and not varied
    limit       seconds that a run of a program may take
    trials      a log of all runs, which a later call can resume
    settings    as for `score`
    """
    choose(search, SEARCHES, "search")
    space = space_of(parameters)
    metric, _ = objective_of(objective)
    if tries < 1:
        raise UsageError("at least one try is needed")
    if tries != 50 and search != "random":
        raise UsageError("tries: only the search `random` has a number of tries")
    scorer = Scorer(key, metrics=[metric], **settings)
    names = [axis.name for axis in space.axes]
    with bench(
        scorer,
        names,
        system=system,
        run=run,
        mentions=mentions,
        fixed=fixed or {},
        model=model,
        limit=limit,
        jobs=jobs,
        trials=trials,
        progress=progress,
    ) as at:
        if system is not None:
            _check_values(system, space)
        parts, issues = _parts(at, folds, held_out)
        hunt = _Hunt(at, space, search, objective, _start(system, space), tries, seed)
        rows = list(range(len(at.blank)))
        if held_out:
            rows = sorted(set(rows) - set(parts[0]))
        best = hunt.best(rows)
        asked = list(hunt.asked)
        counted_folds = [_fold(hunt, part, best if held_out else None) for part in parts]
        return _tuned(hunt, asked, rows, best, counted_folds, issues)


@dataclass(frozen=True, eq=False)
class _Hunt:
    """A search, to be repeated on other documents with the same trials."""

    at: Bench
    space: Space
    search: SearchName
    objective: str
    start: Setting
    tries: int
    seed: int

    @cached_property
    def asked(self) -> dict[Setting, None]:
        """The settings that were asked for, in their order."""
        return {}

    def best(self, rows: Sequence[int]) -> Setting:
        """The best setting on some documents."""

        def scored(wanted: Sequence[Setting]) -> list[float]:
            self.asked.update(dict.fromkeys(wanted))
            trials = self.at.run([self.space.named(setting) for setting in wanted])
            return [self.score(trial, rows) for trial in trials]

        if self.search == "grid":
            best = grid(self.space, scored)
        elif self.search == "random":
            best = random(self.space, scored, self.tries, self.seed)
        else:
            best = ascent(self.space, scored, self.start)
        if self.trial(best).values is None:
            first = next(iter(self.asked))
            why = self.trial(first).failed
            raise InputError(f"no run produced anything to score; the first one ({self.space.text(first)}): {why}")
        return best

    def trial(self, setting: Setting) -> Trial:
        """The trial of a setting."""
        return self.at.run([self.space.named(setting)])[0]

    def score(self, trial: Trial, rows: Sequence[int]) -> float:
        return -math.inf if trial.values is None else value(self.at.result(trial, rows), self.objective)


def _fold(hunt: _Hunt, part: Sequence[int], known: Setting | None) -> tuple[Fold, Array]:
    """A fold, and the counts of its documents by the setting chosen on the others."""
    rest = [row for row in range(len(hunt.at.blank)) if row not in set(part)]
    setting = known if known is not None else hunt.best(rest)
    trial = hunt.trial(setting)
    assert trial.values is not None
    documents = tuple(hunt.at.blank.labels[row] for row in part)
    found = Fold(documents, hunt.space.named(setting), hunt.score(trial, rest), hunt.score(trial, part))
    return found, trial.values[list(part)]


def _tuned(
    hunt: _Hunt,
    asked: Sequence[Setting],
    rows: Sequence[int],
    best: Setting,
    counted_folds: Sequence[tuple[Fold, Array]],
    issues: list[Issue],
) -> Tuning:
    at, space = hunt.at, hunt.space
    trials = at.run([space.named(setting) for setting in asked])
    scores = [hunt.score(trial, rows) for trial in trials]
    order = sorted(range(len(trials)), key=lambda k: (asked[k] != best, -scores[k], k))
    ranked = [(trials[k].setting, at.result(trials[k], rows)) for k in order[:10] if trials[k].values is not None]
    failures = [trial for trial in at.trials.values() if trial.failed]
    return Tuning(
        hunt.objective,
        hunt.search,
        space,
        trials,
        scores,
        space.named(best),
        [fold for fold, _ in counted_folds],
        _held_out_result(at, counted_folds) if counted_folds else None,
        ranked,
        failures,
        [*issues, *_notes_on_runs(space, trials, failures)],
        hunt.seed,
    )


def _notes_on_runs(space: Space, trials: Sequence[Trial], failures: Sequence[Trial]) -> Iterator[Issue]:
    """Notes on runs that failed, and what runs had to say."""
    if failures:
        settings = [tuple(trial.setting[axis.name] for axis in space.axes) for trial in failures[:3]]
        message = f"{counted(failures, 'run')} failed and had no score; the first: {failures[0].failed}"
        yield Issue("failed-runs", message, len(failures), tuple(map(space.text, settings)))
    notes = list(dict.fromkeys(note for trial in trials for note in trial.notes))
    if notes:
        yield Issue("odd-runs", f"notes about the runs: {'; '.join(notes[:3])}", len(notes))


def _held_out_result(at: Bench, counted_folds: Sequence[tuple[Fold, Array]]) -> Result:
    """The scores of all documents that were held out, each counted with the setting of its fold."""
    labels = list(at.blank.labels)
    values = np.full((len(labels), len(at.blank.columns)), np.nan)
    rows = set()
    for fold, counts in counted_folds:
        for label, row_of_counts in zip(fold.documents, counts, strict=True):
            row = labels.index(label)
            values[row] = row_of_counts
            rows.add(row)
    return at.scored(values, sorted(rows))


def _parts(at: Bench, folds: int | None, held_out: Sequence[str]) -> tuple[list[list[int]], list[Issue]]:
    """The documents held out, one list for each fold; parts of one document stay together."""
    names = [document.name for document in at.blank.documents]
    distinct = list(dict.fromkeys(names))
    if held_out:
        if folds is not None:
            raise UsageError("give either folds or documents held out")
        return [_named_rows(names, held_out)], []
    if len(distinct) == 1:
        message = "the key has one document: the score was tuned on it, and there is no honest figure to report"
        return [], [Issue("one-document", message)]
    if folds is not None and folds < 2:
        raise UsageError("at least two folds are needed")
    number = min(folds or 5, len(distinct))
    fold_of = {name: place % number for place, name in enumerate(distinct)}
    parts: list[list[int]] = [[] for _ in range(number)]
    for row, name in enumerate(names):
        parts[fold_of[name]].append(row)
    if folds is None or number == folds:
        return parts, []
    return parts, [Issue("folds", f"there are {len(distinct)} documents, so there are {number} folds")]


def _named_rows(names: Sequence[str], patterns: Sequence[str]) -> list[int]:
    """The documents with names that match; not all of them."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UsageError(f"the key has no document '{pattern}'")
    rows = [row for row, name in enumerate(names) if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if len(rows) == len(names):
        raise UsageError("all documents are held out: there is none left to tune on")
    return rows


def _start(system: SystemName | None, space: Space) -> Setting:
    """Where an ascent begins: at the defaults of the system, or else in the middle of each axis."""
    defaults = {} if system is None else {p.name: p.default for p in parameters_of(SYSTEMS[system].settings)}
    found = []
    for axis in space.axes:
        default = defaults.get(axis.name, "")
        place = axis.values.index(default) if default in axis.values else len(axis.values) // 2
        found.append(axis.values[place])
    return tuple(found)


def _check_values(system: SystemName, space: Space) -> None:
    """Report values that the system does not accept before the search begins, not in the middle of it."""
    from ..resolvers.parameters import settings_of

    for axis in space.axes:
        for each_value in axis.values:
            settings_of(SYSTEMS[system].settings, {axis.name: each_value}, system)


def title(objective: str) -> str:
    """The name of an objective in tables and plots."""
    metric, part = objective_of(objective)
    return METRICS[metric].title + ("" if part == "main" else f" {part}")
