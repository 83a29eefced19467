"""Results of systems: scored against their keys, or from counts saved before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from ..conditions import is_attribute
from ..corpus.model import Corpus, IntArray
from ..errors import CoreflensError, InputError, Issue, UsageError
from ..files.opening import bytes_of
from ..formats import concatenate, read
from ..formats.reading import Circumstances
from ..matching.labels import By
from ..matching.matched import Matched
from ..options import Match
from ..scoring.counts_file import are_counts
from ..scoring.loading import load_counts
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.settings import ComparisonSettings, Metrics, Settings
from ..scoring.strata import strata
from .systems import Key, System

_Name = TypeVar("_Name")
_MANY = 30_000_000  # bytes that make other processes worth their start
Place: TypeAlias = tuple[str, str, int]  # system, dataset, number of the run
Partition: TypeAlias = Callable[[], bytes]


class Scored:
    """Results of systems; a key is read once per matching. `partitions` shows which systems have the same entities.

    The mentions of a system stay in memory only if the results must keep them.
    """

    def __init__(
        self,
        key: Key | None,
        metrics: Metrics | None,
        settings: ComparisonSettings,
        by: By | None = None,
        keep: bool = False,
    ) -> None:
        self._key, self._metrics, self._settings, self._keep = key, metrics, settings, keep
        self._by = by if isinstance(by, str) and is_attribute(by) else None
        self._scorers: dict[tuple[str, str | None], Scorer] = {}
        # by section, name and dataset, of each run; not of counts that were saved
        self.partitions: dict[tuple[str, ...], list[Partition]] = {}

    def is_of_files(self, system: System) -> bool:
        """Whether a system and its key can be read by another process."""
        key = self._key if system.key is None else system.key
        return _is_of_files(system.source) and _is_of_files(key)

    def __call__(self, system: System, match: Match | None) -> list[Result]:
        """The result of each run of a system; most have one."""
        saved = _counts(system.source)
        if saved is not None:
            _check_match(saved, match)
            return saved
        scorer = self._scorer(self._key_of(system), match)
        source: Any = {} if system.source is None else system.source  # a dataset that a system lacks
        runs = [scorer.match(run) for run in _runs(source, self._settings)]
        self.partitions.setdefault((*system.section, system.name, system.dataset), [partition(run) for run in runs])
        results = [scorer.result(matched) for matched in runs]
        for matched, result in zip(runs, results, strict=True):
            if self._by is not None:
                result.strata[self._by] = strata(matched, self._by, result, of_key=True)
            if not self._keep:
                result.matched = None
        return results

    def _key_of(self, system: System) -> Key:
        key = self._key if system.key is None else system.key
        if key is None and system.source is None:
            raise UsageError("it is missing, and without a key it can't be scored as empty")
        if key is None:
            raise UsageError("no key for this system")
        return key

    def prepare(self, systems: Sequence[System], matches: Sequence[Match | None]) -> None:
        """Read the key if all systems have the same, so that copies of this process need not read it again.

        An error waits for the systems, which all meet it.
        """
        keys = [self._key if system.key is None else system.key for system in systems]
        if keys[0] is not None and all(key == keys[0] for key in keys):
            with suppress(CoreflensError):
                for match in matches:
                    self._scorer(keys[0], match)

    def _scorer(self, key: Key, match: Match | None) -> Scorer:
        which = (repr(key) if isinstance(key, (str, list, PathLike)) else str(id(key))), match
        if which not in self._scorers:
            settings: Settings = {**self._settings, "metrics": self._metrics, "match": match}
            self._scorers[which] = Scorer(_joined(key, "key", self._settings), **settings)
        return self._scorers[which]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The results of a system, by matching and run, or the error instead; and its entities: see `Scored.partitions`."""

    results: list[list[Result]]
    error: CoreflensError | None
    partitions: dict[tuple[str, ...], list[Partition]]


def outcomes(
    scored: Scored, systems: Sequence[System], matches: Sequence[Match | None], jobs: int | None
) -> Iterator[Outcome]:
    """The results of each system. Several processes share the work if all are files.

    Copies of this process have the key; others read it again.
    """
    work = partial(_outcome, scored, matches)
    if jobs == 1 or len(systems) < 2 or not all(map(scored.is_of_files, systems)):
        return map(work, systems)
    from ..processes import can_copy, chosen, each

    size = bytes_of(path for system in systems for path in _paths(system.source))
    number = chosen(jobs, size >= _MANY)
    if number == 1:
        return map(work, systems)
    if can_copy():
        scored.prepare(systems, matches)
    return iter([*each(partial(_elsewhere, Circumstances.here(), work), systems, number)])


def _elsewhere(here: Circumstances, work: Callable[[System], Outcome], system: System) -> Outcome:
    with here.hold():
        return work(system)


def _outcome(scored: Scored, matches: Sequence[Match | None], system: System) -> Outcome:
    scored.partitions.clear()
    results, error = [], None
    try:
        results = [scored(system, match) for match in matches]
    except CoreflensError as found:
        error = found
    return Outcome(results, error, dict(scored.partitions))


def partition(matched: Matched) -> Partition:
    """What gives, when called, bytes that are the same for responses with the same entities, in any order and with any
    labels."""
    corpus = matched.response
    rows, entity = matched.alignment.origins[1], matched.alignment.response
    rows, entity = rows[entity >= 0], entity[entity >= 0]
    columns = [matched.pairing.response_row[corpus.doc[rows]], corpus.start[rows], corpus.end[rows], entity]
    if all(column.max(initial=0) < 1 << 31 for column in columns):
        columns = [column.astype(np.int32) for column in columns]  # other processes send them
    asked = rows if corpus.names is not None or corpus.parts else rows[:0]
    return partial(_partition, columns, asked, corpus.names, corpus.parts)


def _partition(
    columns: list[IntArray], rows: IntArray, named: Sequence[Hashable] | None, parts: Mapping[int, object] | None
) -> bytes:
    *spans, entity = columns
    words: list[str] = []
    if named is not None:
        names, number = np.unique([str(named[row]) for row in rows.tolist()], return_inverse=True)
        spans = [*spans, number.reshape(-1)]
        words = names.tolist()
    order = np.lexsort(spans[::-1])
    _, first, number = np.unique(entity[order], return_index=True, return_inverse=True)
    by_mention = np.argsort(np.argsort(first))[number]  # entities by their first mention
    pieces = [parts[row] for row in rows[order].tolist() if row in parts] if parts else []
    table = np.stack([*(column[order] for column in spans), by_mention.reshape(-1)]).astype(np.int64)
    return table.tobytes() + repr((words, pieces)).encode()


def _counts(source: object) -> list[Result] | None:
    """The results in saved counts: from a file, a list of files, or a directory of shards; one result per run."""
    if isinstance(source, Result):
        return [source]
    if isinstance(source, (list, tuple)) and source and all(isinstance(run, Result) for run in source):
        return list(source)
    files = _inside(source) if isinstance(source, (str, PathLike)) and Path(source).is_dir() else _paths(source)
    if not files or not all(map(are_counts, files)):
        return None
    if len(files) > 1:
        counts = {path: load_counts(path) for path in files}
        if _are_runs({path: result.counts.labels for path, result in counts.items()}):
            return [counts[path] for path in files]
    return [load_counts(*files)]


def _check_match(counts: Sequence[Result], match: str | None) -> None:
    """Saved counts have their match rule; another one can't be asked for."""
    for result in counts:
        if match is not None and result.options.match != match:
            raise UsageError(f"these counts were made with --match {result.options.match}, not {match}")


def _inside(directory: str | PathLike[str]) -> list[str]:
    """The files of a directory, without hidden ones."""
    return sorted(str(path) for path in Path(directory).iterdir() if not path.name.startswith("."))


def _is_of_files(given: object) -> bool:
    """Whether an input is nothing, a path, or a list of paths; stdin can be read only once."""
    if isinstance(given, (list, tuple)):
        return all(_is_file(path) for path in given)
    return _is_file(given)


def _is_file(given: object) -> bool:
    if given is None:
        return True
    return isinstance(given, (str, PathLike)) and fspath(given) != "-"


def _paths(source: object) -> list[str]:
    """The files of a list or of a pattern, or the one file; empty if the source is no path."""
    if isinstance(source, (str, PathLike)):
        text = fspath(source)
        return sorted(glob(text)) if has_magic(text) and not Path(text).exists() else [text]
    if isinstance(source, list) and source and all(isinstance(s, (str, PathLike)) for s in source):
        return [fspath(path) for path in source]
    return []


def _runs(source: Any, settings: ComparisonSettings) -> list[Any]:
    """What to score, by run. Several files are runs if they repeat documents, and parts of one corpus otherwise."""
    paths = _paths(source)
    if len(paths) < 2:
        return [_joined(source, "response", settings)]
    corpora = {path: _read(path, "response", settings) for path in paths}
    if _are_runs({path: [d.label for d in corpus.documents] for path, corpus in corpora.items()}):
        return list(corpora.values())
    return [source if isinstance(source, (str, PathLike)) else concatenate(list(corpora.values()))]


def _are_runs(files: Mapping[str, Sequence[str]]) -> bool:
    """Whether files repeat documents. Runs have most documents in common; files that are neither runs nor parts are an
    error."""
    times = Counter(label for labels in files.values() for label in set(labels))
    if not times or max(times.values()) == 1:
        return False
    if small := [path for path, labels in files.items() if 2 * len(set(labels)) < len(times)]:
        label, _ = times.most_common(1)[0]
        raise InputError(
            f"neither a run nor a part: document '{label}' is in several of these files, but this one has "
            f"{len(set(files[small[0]]))} of {len(times)} documents",
            file=small[0],
            hint="files of one run have no document in common, and several runs have all of them; join the parts first",
        )
    return True


def _joined(source: Any, role: Literal["key", "response"], settings: ComparisonSettings) -> Any:
    """A list of paths as one corpus; anything else is returned as it is."""
    if isinstance(source, list) and source and all(isinstance(s, (str, PathLike)) for s in source):
        return concatenate([_read(path, role, settings) for path in source])
    return source


def _read(path: str | PathLike[str], role: Literal["key", "response"], settings: ComparisonSettings) -> Corpus:
    """One of several files of a key or of a response."""
    form = settings.get("key_format") if role == "key" else settings.get("response_format")
    return read(path, role=role, format=form, encoding=settings.get("encoding"))


def same_metrics(
    results: Mapping[_Name, Result], metrics: Sequence[str] | None
) -> tuple[dict[_Name, Result], list[Issue]]:
    """Results with the requested metrics, or with those that all of them have, and a note on those that some lack."""
    wanted = metrics or list(dict.fromkeys(metric for result in results.values() for metric in result))
    common = [metric for metric in wanted if all(metric in result for result in results.values())]
    if not common:
        raise UsageError("the systems have no metric in common")
    issues = []
    if len(common) < len(wanted):
        lacking = ", ".join(metric for metric in wanted if metric not in common)
        issues.append(Issue("metrics", f"not all systems have {lacking}: left out"))
    return {name: _narrowed(result, common) for name, result in results.items()}, issues


def _narrowed(result: Result, metrics: Sequence[str]) -> Result:
    return result if list(result) == metrics else result.narrowed(metrics)
