"""Runs of a system or a program on a key: the counts of each setting, in every document.

A setting is run once on all documents, and its counts are kept by document. Scores on any selection of documents, to
choose a setting or to report on it, are then computed from these counts.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from time import monotonic

import numpy as np

from ..corpus.model import Corpus
from ..errors import CoreflensError, InputError, UsageError, choose
from ..formats import Input
from ..metrics import METRICS, select
from ..metrics.contingency import Array
from ..processes import each
from ..resolvers import SYSTEMS, Mentions, SystemName, resolve
from ..resolvers.model import Model
from ..resolvers.parameters import parameters as parameters_of
from ..scoring.counts import Counts
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from .programs import Program, RunError, at_once, blanked
from .trials import Log, Trial, fingerprint


@dataclass(frozen=True, eq=False)
class Respond:
    """A built-in system: makes the response of a setting, in this process or another."""

    key: Corpus
    system: SystemName
    mentions: Mentions
    fixed: Mapping[str, str]
    model: Model | None

    def __call__(self, setting: Mapping[str, str]) -> Corpus:
        return resolve(self.key, self.system, self.mentions, parameters={**self.fixed, **setting}, model=self.model)


@dataclass(frozen=True, eq=False)
class Counted:
    """The trial of a setting: it is run, read and scored. A failure is also recorded."""

    respond: Callable[[Mapping[str, str]], Input]
    scorer: Scorer
    labels: Sequence[str]
    known: frozenset[str]  # messages about the key, which every run has

    def __call__(self, setting: Mapping[str, str]) -> Trial:
        start = monotonic()
        try:
            result = self.scorer(self.respond(setting))
            counts = result.counts
            if list(counts.labels) != list(self.labels):
                raise RunError("the response does not have the documents of the key")
        except (CoreflensError, RunError) as error:
            return Trial(setting, None, " ".join(str(error).split()), monotonic() - start)
        notes = tuple(str(issue) for issue in result.issues if str(issue) not in self.known)
        return Trial(setting, counts.values.astype(np.float64), "", monotonic() - start, notes=notes)


@dataclass(frozen=True, eq=False)
class Bench:
    """A key, how it is scored, and what has been run on it so far."""

    scorer: Scorer
    blank: Counts  # of the key against itself: labels, columns and documents
    log: Log
    trial: Counted
    jobs: int
    processes: bool  # whether parallel runs need processes of their own; programs always have them
    trials: dict[tuple[tuple[str, str], ...], Trial]
    progress: Callable[[int, int], None]

    def run(self, settings: Sequence[Mapping[str, str]]) -> list[Trial]:
        """The trials of some settings; each setting is run only once."""
        wanted = {_identity(setting): dict(setting) for setting in settings}
        for identity, setting in wanted.items():
            if identity not in self.trials and (known := self.log.find(setting)) is not None:
                self.trials[identity] = known
        missing = {identity: s for identity, s in wanted.items() if identity not in self.trials}
        with closing(self._each(list(missing.values()))) as outcomes:
            for done, trial in enumerate(outcomes, start=1):
                self.log.add(trial)
                self.trials[_identity(trial.setting)] = trial
                self.progress(done, len(missing))
        return [self.trials[_identity(setting)] for setting in settings]

    def _each(self, settings: list[dict[str, str]]) -> Generator[Trial, None, None]:
        if self.jobs == 1 or len(settings) < 2:
            yield from map(self.trial, settings)
        elif self.processes:
            yield from each(self.trial, settings, self.jobs)
        else:
            yield from at_once(self.trial, settings, self.jobs)

    def result(self, trial: Trial, rows: Sequence[int] | None = None) -> Result:
        """The scores of a trial, over all documents or some."""
        assert trial.values is not None
        return self.scored(trial.values, rows)

    def scored(self, values: Array, rows: Sequence[int] | None = None) -> Result:
        """The scores of counts of the key's documents, over all of them or some."""
        counts = Counts(self.blank.labels, self.blank.columns, values, self.blank.documents)
        if rows is not None:
            counts = counts.take(np.array(rows, dtype=np.int64))
        return Result(counts, self.scorer.metrics, self.scorer.options, self.scorer.protocol)


def _identity(setting: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(setting.items()))


@contextmanager
def responder(
    scorer: Scorer,
    names: Sequence[str],
    *,
    system: SystemName | None,
    run: str | None,
    mentions: Mentions,
    fixed: Mapping[str, str],
    model: Model | None,
    limit: float,
    jobs: int,
) -> Iterator[Callable[[Mapping[str, str]], Input]]:
    """The function that makes the response of a setting, with a built-in system or a program."""
    if (system is None) == (run is None):
        raise UsageError("give either a system of coreflens (--system) or a program (--run)")
    if scorer.options.scope != "document":
        raise UsageError("settings are compared by document: use --scope document")
    if jobs < 1:
        raise UsageError("jobs must be a number of processes, at least 1")
    if system is not None:
        check_system(system, names, fixed, model)
        if jobs > 1 and scorer.key.has_text:  # a text that is read lazily can't be sent to another process
            scorer.key = replace(scorer.key, texts=scorer.key.text)
        yield Respond(scorer.key, system, mentions, dict(fixed), model)
        return
    assert run is not None
    if fixed or model is not None:
        raise UsageError("--set and --model are for systems of coreflens; write them into the command line of --run")
    if mentions not in ("given", "detected"):
        raise UsageError("--run takes --mentions given, or --mentions detected if the program finds its own")
    program = Program(run, limit)
    program.check(list(names))
    with blanked(scorer.key, mentions == "given") as source:

        def respond(setting: Mapping[str, str]) -> Corpus:
            target = program.respond(setting, source)
            try:
                response = scorer.read(target)
                if response.has_text:
                    response = replace(response, texts=response.text)  # read before its file is gone
                return response
            finally:
                shutil.rmtree(target.parent, ignore_errors=True)

        yield respond


@contextmanager
def bench(
    scorer: Scorer,
    names: Sequence[str],
    *,
    system: SystemName | None,
    run: str | None,
    mentions: Mentions,
    fixed: Mapping[str, str],
    model: Model | None,
    limit: float,
    jobs: int,
    trials: str | Path | None,
    progress: Callable[[int, int], None],
) -> Iterator[Bench]:
    """A bench for a built-in system or a program, with its log."""
    with responder(
        scorer,
        names,
        system=system,
        run=run,
        mentions=mentions,
        fixed=fixed,
        model=model,
        limit=limit,
        jobs=jobs,
    ) as respond:
        perfect = scorer(scorer.key)
        blank = perfect.counts
        if not len(blank):
            raise InputError("there is no document in the key", file=scorer.key.source or None)
        about: dict[str, object] = {
            "key": fingerprint(scorer.key),
            "system": system,
            "run": run,
            "mentions": mentions,
            "fixed": dict(sorted(fixed.items())),
            "model": None if model is None else sha256(repr(model).encode()).hexdigest()[:16],
            "options": str(scorer.options),
            "metrics": list(scorer.metrics),
        }
        log = Log(trials, about, blank.columns, list(blank.labels))
        counted = Counted(respond, scorer, list(blank.labels), frozenset(map(str, perfect.issues)))
        yield Bench(scorer, blank, log, counted, jobs, run is None, {}, progress)


def check_system(system: SystemName, names: Sequence[str], fixed: Mapping[str, str], model: Model | None) -> None:
    """Raise a UsageError if a system has no such parameters, or lacks its model."""
    choose(system, SYSTEMS, "system")
    if system == "oracle":
        raise UsageError("the oracle knows the key, so there is nothing to tune")
    known = {p.name for p in parameters_of(SYSTEMS[system].settings)}
    for name in (*names, *fixed):
        if not known:
            raise UsageError(f"{system} has no parameters")
        choose(name.replace("-", "_"), known, f"parameter of {system}")
    if both := set(names) & set(fixed):
        raise UsageError(f"{min(both)} can't be both varied and set")
    if SYSTEMS[system].training is not None and model is None:
        raise UsageError(f"{system} needs a model: --model FILE")


def objective_of(text: str) -> tuple[str, str]:
    """The metric and part that an objective names: `conll`, `lea`, `bcub.recall`."""
    name, _, part = text.partition(".")
    metrics, _ = select(name)
    if len(metrics) != 1 and name not in METRICS:
        raise UsageError(f"an objective must be one metric, but '{name}' stands for several")
    metric = name if name in METRICS else metrics[0]
    if part not in ("", "recall", "precision", "f1"):
        raise UsageError(f"'{part}' is not a part of a score; use recall, precision or f1")
    return metric, part or "main"
