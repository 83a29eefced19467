"""Systems side by side: ranked, tested, by track, language, condition and group."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CoreflensError, InputError, Issue, UsageError, choose
from ..formats import concatenate, read
from ..grouping import By
from ..metrics import METRICS, select
from ..protocols import CHOICES
from ..results import Result
from ..saved import add_up, are_counts, load_counts
from ..scores import Scores
from ..scoring import Scorer, merge_issues
from ..stats import PairedTest, aligned, doubts, letters, paired_tests
from ..stats.multiple import CORRECTIONS
from ..stats.paired import Pair, Progress
from .ranks import Dispute, disputes, merit, ranks
from .systems import System, check_names, read_manifest

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Section:
    """Systems that compete: of one track, language and condition, best first by the official score."""

    track: str
    language: str
    condition: str
    systems: Sequence[System]
    scores: Mapping[str, Mapping[str, Scores]]  # by matching, then system
    official: str
    signature: str = ""
    tests: Mapping[Pair, Mapping[str, PairedTest]] = field(default_factory=dict)
    adjusted: Mapping[tuple[Pair, str], float] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Scores]] = field(default_factory=dict)  # by system, then group
    disputes: Sequence[Dispute] = ()
    flags: Mapping[str, str] = field(default_factory=dict)
    ranked: bool = True  # False: in the order in which the numbers were published

    @property
    def title(self) -> str:
        return " · ".join(filter(None, (self.track, self.language, self.condition)))

    @property
    def names(self) -> list[str]:
        return [system.name for system in self.systems]

    @property
    def main(self) -> Mapping[str, Scores]:
        """Scores of each system by the first matching."""
        return next(iter(self.scores.values()))

    @property
    def metrics(self) -> list[str]:
        return list(next(iter(self.main.values())))

    def letters(self, level: float) -> dict[str, str]:
        """Letters shared by systems that do not differ significantly in the official score; none if not all pairs."""
        tested = [test[self.official].p == test[self.official].p for test in self.tests.values()]
        if sum(tested) < len(self.names) * (len(self.names) - 1) / 2 or not tested:
            return {}
        different = {pair: self.adjusted[pair, self.official] <= level for pair in self.tests}
        return letters(self.names, different)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` found. `str()` is the tables; `to_dict()`, `to_frame()` hold every number."""

    sections: Sequence[Section]
    failures: Mapping[str, str]
    issues: Sequence[Issue]
    baseline: str | None = None
    by: str = ""
    how: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.render()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.render("html")

    def render(self, format: str = "table", *, digits: int = 2, rpf: bool = False) -> str:
        """The tables in one of `report.FORMATS`; `rpf` shows recall and precision beside F1."""
        from ..report.comparison import render

        return render(self, format, digits=digits, rpf=rpf)

    def save_counts(self, directory: str | Path) -> list[Path]:
        """Write the counts of every system into a directory, `NAME.counts` each; see `load_counts`."""
        written = []
        for section in self.sections:
            folder = Path(directory).joinpath(*(_file_name(word) for word in filter(None, section.title.split(" · "))))
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"can't be written: {error.strerror}", file=str(folder)) from None
            for name, scores in section.main.items():
                if isinstance(scores, Result):
                    written.append(folder / f"{_file_name(name)}.counts")
                    scores.save_counts(written[-1])
        return written

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        from ..report.comparison import plain

        return plain(self)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame: one row a section, system, matching, group and metric."""
        from ..report.comparison import records

        try:
            import pandas
        except ImportError:
            raise UsageError("to_frame needs pandas: pip install 'coreflens[pandas]'") from None
        return pandas.DataFrame(records(self))


def compare(
    key: Any,
    systems: Mapping[str, Any] | Iterable[System] | str | Path | None = None,
    *,
    baseline: str | None = None,
    by: By | None = None,
    match: str | Sequence[str] | None = None,
    metrics: str | Iterable[str] | None = None,
    test: str = "randomisation",
    resamples: int = 10_000,
    seed: int = 0,
    interval: str = "percentile",
    confidence: float = 0.95,
    correction: str = "holm",
    unit: str = "document",
    progress: Progress = iter,
    **settings: Any,
) -> Comparison:
    """Score several systems against a key, rank them, and test which differences are more than chance.

    `systems` maps names to what `score` takes as a response, to files of saved counts, or to Results; or it is a list
    of `System`, or a manifest (`.toml`). `key` may be None where systems bring their own. With a `baseline` every
    system is tested against it, otherwise all pairs are; `resamples=0` leaves the tests out. Other settings are those
    of `score`.

        compare("key.conll", {"base": "base.conll", "new": "new.conll"}, baseline="base")
    """
    choose(correction, CORRECTIONS, "correction")
    listed = _listed(systems if systems is not None else key)
    if baseline is not None:
        choose(baseline, [system.name for system in listed], "system")
    matches = _matches(match)
    failures: dict[str, str] = {}
    errors: list[CoreflensError] = []
    issues: list[Issue] = []
    chosen = None if metrics is None else ",".join(select(metrics)[0])
    scored = _Scored(key if systems is not None else None, metrics, settings)
    sections = []
    how = {"test": test, "resamples": resamples, "seed": seed, "correction": correction, "confidence": confidence}
    for where in dict.fromkeys(system.section for system in listed):
        members = [system for system in listed if system.section == where]
        found: dict[str, dict[str, Result]] = {}
        for system in members:
            try:
                results = [scored(system, m) for m in matches]
            except CoreflensError as error:
                failures[_full_name(system)] = str(error)
                errors.append(error)
                continue
            for m, result in zip(matches, results, strict=True):
                found.setdefault(m or result.options.match, {})[system.name] = result
        if not found:
            continue
        found = {m: _same_metrics(results, chosen, issues) for m, results in found.items()}
        sections.append(
            _section(members, found, baseline, by, issues, progress, how | {"interval": interval, "unit": unit})
        )
    if not sections and len(set(failures.values())) == 1:
        raise errors[0]  # the key's fault, or there is but one system
    label = "" if by is None else by if isinstance(by, str) else "group"
    return Comparison(sections, failures, merge_issues(issues), baseline, label, how if resamples else {})


def _section(
    members: Sequence[System],
    found: Mapping[str, Mapping[str, Result]],
    baseline: str | None,
    by: By | None,
    issues: list[Issue],
    progress: Progress,
    how: Mapping[str, Any],
) -> Section:
    results = next(iter(found.values()))
    metrics = list(next(iter(results.values())))
    official = official_of(metrics)
    order = sorted(results, key=lambda name: -merit(results[name], official))
    ranked = [next(s for s in members if s.name == name) for name in order]
    shared = [i for i in next(iter(results.values())).issues if all(i in r.issues for r in results.values())]
    issues += shared  # about the key, for instance
    for name, result in results.items():
        issues += [replace(i, message=f"{name}: {i.message}") for i in result.issues if i not in shared]
    tests: dict[Pair, dict[str, PairedTest]] = {}
    samples = None
    signature = str(next(iter(results.values())).signature)
    if len(order) > 1:
        try:
            samples = aligned(results, how["unit"])
        except InputError as error:
            if all(result.options.extra != "count" for result in results.values()):
                raise  # scores on other documents, or against another key, can't be compared at all
            issues.append(Issue("no-test", f"no significance test: {error.message}"))
    if samples is not None and how["resamples"]:
        pairs = list(combinations(order, 2))
        if baseline is not None and baseline in results:
            pairs = [(baseline, name) for name in order if name != baseline]
        tests = paired_tests(
            samples,
            pairs,
            test=how["test"],
            resamples=how["resamples"],
            seed=how["seed"],
            interval=how["interval"],
            confidence=how["confidence"],
            intervals=baseline is not None,
            progress=progress,
        )
        if len(samples[order[0]]) < 2:
            issues.append(Issue("no-test", "no significance test: there is only one document, or one block of them"))
            tests = {}
        else:
            issues += doubts(samples[order[0]], "paired test")
            shown = {k: v for k, v in how.items() if baseline is not None or k not in ("interval", "confidence")}
            told = {**shown, "units": len(samples[order[0]])}
            signature = "|".join([signature, *(f"{k}:{v}" for k, v in told.items())])
    adjusted = {
        (pair, metric): float(p)
        for metric in metrics
        for pair, p in zip(tests, CORRECTIONS[how["correction"]]([t[metric].p for t in tests.values()]), strict=True)
    }
    groups = {} if by is None else {name: results[name].group_by(by) for name in order}
    return Section(
        *members[0].section,
        ranked,
        found,
        official,
        signature,
        tests,
        adjusted,
        groups,
        disputes(results, metrics, official, samples) if len(order) > 1 else (),
    )


class _Scored:
    """Results of systems; a key is read once a matching."""

    def __init__(self, key: Any, metrics: Any, settings: dict[str, Any]) -> None:
        self._key, self._metrics, self._settings = key, metrics, settings
        self._scorers: dict[tuple[str, str | None], Scorer] = {}

    def __call__(self, system: System, match: str | None) -> Result:
        counts = _counts(system.source)
        if counts is not None:
            if match is not None and counts.options.match != match:
                raise UsageError(f"these counts were made with --match {counts.options.match}, not {match}")
            return counts
        key = self._key if system.key is None else system.key
        if key is None:
            raise UsageError("no key for this system")
        which = (repr(key) if isinstance(key, (str, list, Path)) else str(id(key))), match
        if which not in self._scorers:
            self._scorers[which] = Scorer(
                _joined(key, "key", self._settings.get("encoding")),
                metrics=self._metrics,
                **self._settings | {"match": match},
            )
        return self._scorers[which](_joined(system.source, "response", self._settings.get("encoding")))


def _counts(source: Any) -> Result | None:
    """The result behind saved counts: a file of them, a list, or a directory of shards."""
    if isinstance(source, Result):
        return source
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        inside = sorted(str(p) for p in Path(source).iterdir() if not p.name.startswith("."))
        return load_counts(*inside) if inside and all(map(are_counts, inside)) else None
    paths = source if isinstance(source, list) else [source]
    if paths and all(isinstance(p, (str, Path)) and are_counts(p) for p in paths):
        return load_counts(*paths)
    return None


def _joined(source: Any, role: str, encoding: str | None) -> Any:
    """A list of paths as one corpus; anything else as it is."""
    if isinstance(source, list) and source and all(isinstance(s, (str, Path)) for s in source):
        return concatenate([read(path, role=role, encoding=encoding) for path in source])
    return source


def _listed(systems: Any) -> list[System]:
    if isinstance(systems, (str, Path)):
        return read_manifest(systems)
    if isinstance(systems, Mapping):
        listed = [System(str(name), source) for name, source in systems.items()]
    else:
        listed = list(systems)
    if not listed:
        raise UsageError("no system to compare")
    if not all(isinstance(system, System) for system in listed):
        raise UsageError("systems are a mapping of names to responses, a list of System, or a manifest")
    check_names(listed)
    return listed


def _matches(match: str | Sequence[str] | None) -> list[str | None]:
    if match is None:
        return [None]
    asked = match.split(",") if isinstance(match, str) else list(match)
    return [choose(m.strip(), CHOICES["match"], "value of --match") for m in asked]


def _same_metrics(results: Mapping[str, Result], chosen: str | None, issues: list[Issue]) -> dict[str, Result]:
    """Results restricted to the metrics asked for, or to those that all of them have."""
    wanted = chosen.split(",") if chosen else list(dict.fromkeys(m for r in results.values() for m in r))
    common = [m for m in wanted if all(m in r for r in results.values())]
    if not common:
        raise UsageError("the systems have no metric in common")
    if len(common) < len(wanted):
        lacking = ", ".join(m for m in wanted if m not in common)
        issues.append(Issue("metrics", f"not all systems have {lacking}: left out"))
    return {
        name: result
        if list(result) == common
        else Result(result.counts, common, result.options, result.signature.protocol, result.issues)
        for name, result in results.items()
    }


def official_of(metrics: Sequence[str]) -> str:
    """The metric to rank by: the CoNLL average, else another average, else the first that is not mention detection."""
    if "conll" in metrics:
        return "conll"
    averages = [m for m in metrics if METRICS[m].values == ("f1",)]
    rest = [m for m in metrics if not getattr(METRICS[m], "mention_detection", False)]
    return (averages or rest or list(metrics))[0]


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name)


def _full_name(system: System) -> str:
    where = ", ".join(filter(None, system.section))
    return f"{system.name} ({where})" if where else system.name


__all__ = ["Comparison", "Section", "System", "add_up", "compare", "ranks"]
