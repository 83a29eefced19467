"""What a comparison found: sections of systems that compete, with their scores and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import Issue, UsageError
from ..exporting import Exported
from ..files.writing import file_name, make_directory
from ..presentation import InNotebooks, writer_of
from ..scoring.result import Result
from ..scoring.scores import Scores
from ..stats import PairedTest, Spread, letters
from ..stats.swapping import Pair
from .datasets import Macro
from .group_tests import GroupTests
from .numbers import comparison_json, records
from .ranks import Dispute, rank_intervals
from .systems import System
from .verdict import Verdict
from .with_published import PublishedRows

if TYPE_CHECKING:
    pass


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
    smallest: Mapping[tuple[Pair, str], float] = field(default_factory=dict)  # the smallest possible `adjusted`
    groups: Mapping[str, Mapping[str, Scores]] = field(default_factory=dict)  # by system, then group
    disputes: Sequence[Dispute] = ()
    flags: Mapping[str, str] = field(default_factory=dict)
    ranked: bool = True  # False: systems are in the order in which their numbers were published
    macro: Macro | None = None  # the datasets, where scores are means over these
    verdict: Verdict | None = None  # None for a single system, or for published numbers
    within: GroupTests = field(default_factory=GroupTests)  # tests in each group, or in each dataset
    spreads: Mapping[str, Mapping[str, Spread]] = field(default_factory=dict)  # of runs: by system, then metric
    runs: Mapping[str, Sequence[Result]] = field(default_factory=dict)  # by system, where some have several
    beside: PublishedRows | None = None  # published numbers beside these

    @property
    def title(self) -> str:
        """Track, language and condition, as far as they are given."""
        return " · ".join(filter(None, (self.track, self.language, self.condition)))

    @property
    def names(self) -> list[str]:
        """The names of the systems, in their order."""
        return [system.name for system in self.systems]

    @property
    def main(self) -> Mapping[str, Scores]:
        """Scores of each system by the first matching."""
        return next(iter(self.scores.values()))

    @property
    def metrics(self) -> list[str]:
        """The metrics that any system has; published tables may have gaps."""
        return list(dict.fromkeys(metric for scores in self.main.values() for metric in scores))

    def letters(self, level: float) -> dict[str, str]:
        """Letters shared by systems that do not differ significantly in the official score.

        Empty if not all pairs were tested, or if no p could be small enough: then sharing a letter would mean nothing.
        """
        different = self._different(level)
        return letters(self.names, different) if different else {}

    def rank_intervals(self, level: float) -> dict[str, tuple[int, int]]:
        """The lowest and highest rank that each system may have by the official score; empty if not all pairs were
        tested or none could differ."""
        different = self._different(level)
        return rank_intervals(self.names, different, self.main, self.official) if different else {}

    def _different(self, level: float) -> dict[Pair, bool]:
        """Which pairs differ significantly, if all were tested and some could."""
        if self.smallest_of([self.official]) > level:
            return {}
        tested = [test[self.official].p == test[self.official].p for test in self.tests.values()]
        if sum(tested) < len(self.names) * (len(self.names) - 1) / 2 or not tested:
            return {}
        return {pair: self.adjusted[pair, self.official] <= level for pair in self.tests}

    def test_of(self, first: str, second: str) -> Mapping[str, PairedTest]:
        """The tests of second − first by every metric, in either order of the pair; empty if it was not tested."""
        if (first, second) in self.tests:
            return self.tests[first, second]
        return {metric: test.reversed() for metric, test in self.tests.get((second, first), {}).items()}

    def corrected(self, first: str, second: str, metric: str) -> float:
        """The corrected p of a pair, in either order; nan if it was not tested."""
        pair = (first, second) if (first, second) in self.tests else (second, first)
        return self.adjusted.get((pair, metric), nan)

    def smallest_of(self, metrics: Sequence[str]) -> float:
        """The smallest corrected p that any pair could have by one of the metrics."""
        return min((p for (_, metric), p in self.smallest.items() if metric in metrics and p == p), default=0.0)


@dataclass(frozen=True, eq=False)
class Comparison(InNotebooks, Exported):
    """What `compare` found. `str()` is the tables; `to_dict()`, `to_frame()` hold every number.

    sections   the systems of each track, language and condition, ranked
    failures   what could not be scored: system → why
    issues     notes on unusual input that was scored
    baseline   the system that all others are tested against, if there is one
    by         the label of the groups
    how        test, resamples, seed, correction and the like, by name
    data       the name of the data, for captions and plots
    notes      remarks on published numbers
    """

    sections: Sequence[Section]
    failures: Mapping[str, str]
    issues: Sequence[Issue]
    baseline: str | None = None
    by: str = ""
    how: Mapping[str, Any] = field(default_factory=dict)
    data: str = ""
    notes: Sequence[str] = ()

    @property
    def verdict(self) -> str:
        """The answer: a sentence for each section."""
        return self.told()

    def told(self, digits: int = 2) -> str:
        """The verdict, with so many decimals; a line for each section."""
        lines = []
        for section in self.sections:
            if section.verdict is not None:
                titled = len(self.sections) > 1 and section.title
                where = f"{section.title}: " if titled else ""
                lines.append(f"{where}{section.verdict.sentence(digits)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def render(
        self,
        format: str = "table",
        *,
        digits: int | None = None,
        rpf: bool = False,
        width: str = "",
        show: str = "official",
        paper_rounding: bool = False,
    ) -> str:
        """The tables in one of `paper.writers.FORMATS`; `rpf` shows recall and precision beside F1.

        `digits` is the number of decimals of the points, by default 2. `width` is what LaTeX tables have to fit into,
        "column" or "page"; by default each takes the width it needs. `show="all"` shows every metric by group and by
        tagger, not only the official score. `paper_rounding` prints shares with three decimals, and F computed from the
        rounded P and R.
        """
        text: str = writer_of(self).render(
            self,
            format,
            digits=digits,
            rpf=rpf,
            width=width,
            show=show,
            paper_rounding=paper_rounding,
        )
        return text

    def plot(self, path: str | Path, kind: str = "") -> list[Path]:
        """Draw it into an .svg, .png or .pdf file: `forest`, `ranks`, `metrics` or `groups`; by default the most
        informative."""
        drawn: list[Path] = writer_of(self).plot(self, path, kind)
        return drawn

    def save_counts(self, directory: str | Path) -> list[Path]:
        """Write the counts of every system into a directory, `NAME.counts` each; see `load_counts`."""
        by_place: dict[str, _Saved] = {}
        for section in self.sections:
            for saved in _saved(section, Path(directory)):
                other = by_place.setdefault(str(saved.place).casefold(), saved)
                if other.result is not saved.result:
                    message = f"systems '{other.name}' and '{saved.name}' would both be written to {saved.place}"
                    raise UsageError(f"{message}; NAME=PATH gives one of them another name")
        for saved in by_place.values():
            make_directory(saved.place.parent)
            saved.result.save_counts(saved.place)
        return [saved.place for saved in by_place.values()]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return comparison_json(self)

    def records(self) -> list[dict[str, Any]]:
        """One row per section, system, matching, group and metric."""
        return records(self)


class _Saved(NamedTuple):
    """A result to save: whose it is, and where."""

    name: str
    place: Path
    result: Result


def _saved(section: Section, directory: Path) -> Iterator[_Saved]:
    """The results of a section: a file per system, or a directory of its datasets or runs."""
    folder = directory.joinpath(*(_file_name(word) for word in section.title.split(" · ") if word))
    if section.macro is not None:  # a directory per system, as `compare --macro` takes it
        for name, results in section.macro.results.items():
            for dataset, result in results.items():
                yield _Saved(name, folder / _file_name(name) / _file_name(dataset, ".counts"), result)
    else:
        for name, scores in section.main.items():
            if isinstance(scores, Result):  # and no mean over runs
                yield _Saved(name, folder / _file_name(name, ".counts"), scores)
    for name, runs in section.runs.items():
        if len(runs) > 1:
            for number, run in enumerate(runs, 1):
                yield _Saved(name, folder / _file_name(name) / f"run-{number}.counts", run)


def _file_name(name: str, suffix: str = "") -> str:
    return file_name(re.sub(r"[^\w.+-]+", "_", name), suffix)
