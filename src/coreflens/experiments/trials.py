"""The log of an experiment: one line for each setting that was run, written when it is done.

    {"coreflens-trials": 1, "about": {...}, "columns": ["muc.recall_num", ...], "documents": ["nw/a", ...]}
    {"setting": {"decay": "0.3"}, "seconds": 1.25, "values": [[12, 17, ...], ...]}
    {"setting": {"decay": "0.4"}, "seconds": 600.0, "failed": "took longer than 600 seconds, and was ended"}

Each line is on the disk before the next run starts. So if the process is killed, only the current runs are lost.
An incomplete last line is dropped when the log is read. The counts of every document are kept, and with them every
score, interval and fold. Only the same experiment can resume a log. Failed runs are tried again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus.model import Corpus
from ..errors import InputError
from ..files.encoding import text as decoded
from ..files.notation import json_value
from ..files.opening import load
from ..files.writing import OpenLog, log_of
from ..metrics.contingency import Array

VERSION = 1


@dataclass(frozen=True, eq=False)
class Trial:
    """One run: the counts of every document, or why there are none."""

    setting: Mapping[str, str]
    values: Array | None = None
    failed: str = ""
    seconds: float = 0.0
    resumed: bool = False
    notes: tuple[str, ...] = ()  # messages about a response that was scored


class Log:
    """The trials so far. Without a path, they are only kept in memory."""

    def __init__(
        self, path: str | Path | None, about: Mapping[str, object], columns: Sequence[str], documents: Sequence[str]
    ) -> None:
        self.path = path
        self.dropped = False  # whether the end of the file was an unfinished line
        self._head: dict[str, Any] = {
            "coreflens-trials": VERSION,
            "about": dict(about),
            "columns": list(columns),
            "documents": list(documents),
        }
        self._known: dict[tuple[tuple[str, str], ...], Trial] = {}
        if path is not None:
            with log_of(path) as log:
                self._read(path, log)

    def __len__(self) -> int:
        return len(self._known)

    def find(self, setting: Mapping[str, str]) -> Trial | None:
        """The trial of a setting that was run before, unless it failed."""
        return self._known.get(_identity(setting))

    def add(self, trial: Trial) -> None:
        """Record a trial. It is on the disk when this returns."""
        line: dict[str, object] = {"setting": dict(trial.setting), "seconds": round(trial.seconds, 3)}
        if trial.values is None:
            line["failed"] = trial.failed
        else:
            line["values"] = [[_written(x) for x in row] for row in trial.values.tolist()]
        if trial.notes:
            line["notes"] = list(trial.notes)
        if self.path is not None:
            with log_of(self.path) as log:
                log.add(json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")))

    def _read(self, path: str | Path, log: OpenLog) -> None:
        """The trials of a log, which gets its first line if it is new."""
        name = str(path)
        whole = load(path)
        kept = whole[: whole.rfind(b"\n") + 1]
        self.dropped = len(kept) < len(whole)
        lines = decoded(kept, name).splitlines()
        if not lines:
            if whole and not whole.startswith(b'{"coreflens-trials"'[: len(whole)]):
                raise _foreign(name)
            log.add(json.dumps(self._head, ensure_ascii=False))
            return
        self._check(json_value(lines[0], name), name)
        for number, line in enumerate(lines[1:], start=2):
            trial = self._trial(json_value(line, name, first=number), name, number)
            if trial.values is not None:
                self._known[_identity(trial.setting)] = trial

    def _check(self, head: Any, name: str) -> None:
        if not isinstance(head, dict) or "coreflens-trials" not in head:
            raise _foreign(name)
        if head["coreflens-trials"] != VERSION:
            message = (
                f"the log has version {head['coreflens-trials']!r}, but this coreflens reads only version {VERSION}"
            )
            raise InputError(message, file=name, line=1)
        for field in ("about", "columns", "documents"):
            if head.get(field) != self._head[field]:
                detail = field
                if field == "about" and isinstance(head.get("about"), dict):
                    detail = next((k for k, v in self._head["about"].items() if head["about"].get(k) != v), "about")
                hint = "give another file for the trials of this experiment"
                raise InputError(
                    f"this is the log of another experiment: its {detail} differs", file=name, line=1, hint=hint
                )

    def _trial(self, found: Any, name: str, line: int) -> Trial:
        try:
            setting = {str(k): v for k, v in found["setting"].items()}
            if not all(isinstance(v, str) for v in setting.values()):
                raise ValueError
            if "values" not in found:
                return Trial(setting, None, str(found["failed"]), float(found["seconds"]))
            values = np.array([[np.nan if x is None else float(x) for x in row] for row in found["values"]])
            if values.shape != (len(self._head["documents"]), len(self._head["columns"])):
                raise ValueError
            notes = tuple(str(note) for note in found.get("notes", ()))
            return Trial(setting, values, "", float(found["seconds"]), True, notes)
        except (KeyError, TypeError, ValueError, AttributeError):
            hint = "give another file, or remove the damaged line"
            raise InputError("this line is not a trial", file=name, line=line, hint=hint) from None


def _foreign(name: str) -> InputError:
    return InputError("this is not a log of trials", file=name, hint="give a file that does not exist yet")


def _identity(setting: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(setting.items()))


def _written(x: float) -> float | int | None:
    if math.isnan(x):
        return None
    return int(x) if x == int(x) else x


def fingerprint(corpus: Corpus) -> str:
    """A fingerprint of a key: of its documents, mentions and entities."""
    digest = sha256()
    for document in corpus.documents:
        digest.update(f"{document.label}\n".encode())
    for column in (corpus.doc, corpus.start, corpus.end, corpus.entity):
        digest.update(np.ascontiguousarray(column, dtype=np.int64).tobytes())
    digest.update(repr(corpus.names).encode())
    return digest.hexdigest()[:16]
