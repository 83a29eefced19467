"""Programs to evaluate: a command line with places for the input, the output and parameters.

    ./mine --w {w} {input} {output}

Each run has a directory of its own for its output. It is started without a shell and has a time limit. When it ends,
the processes that it started are also ended. If a run fails, the log says why, and the other runs continue.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TypeVar

import numpy as np

from ..corpora.conversion import write
from ..corpus.candidates import apart
from ..corpus.model import Corpus
from ..errors import CoreflensError, UsageError, visible
from ..formats import FORMATS, FormatName, writer
from ..processes import awaited

T = TypeVar("T")
R = TypeVar("R")
_PLACE = re.compile(r"\{([A-Za-z_][\w-]*)\}")
_SHOWN = 300  # characters of a program's last message


class RunError(Exception):
    """Why a run of a program produced nothing to score."""


@dataclass(frozen=True)
class Program:
    """A command line to run again and again, with its time limit in seconds."""

    template: str
    limit: float = 600.0

    def check(self, names: Mapping[str, object] | list[str]) -> None:
        """Raise a UsageError if the command line and the parameters do not fit."""
        try:
            words = shlex.split(self.template)
        except ValueError as error:
            raise UsageError(f"--run: the command line can't be split into words: {error}") from None
        if not words:
            raise UsageError("--run: the command line is empty")
        there = set(_PLACE.findall(self.template))
        for name in ("input", "output"):
            if name not in there:
                raise UsageError(f"--run: the command line needs {{{name}}}")
        for name in names:
            if name not in there:
                raise UsageError(f"--run: the command line has no {{{name}}}, so this parameter would change nothing")
        unknown = sorted(there - {"input", "output", *names})
        if unknown:
            raise UsageError(f"--run: {{{unknown[0]}}} is not a parameter; give --param {unknown[0]}=VALUES")

    def words(self, values: Mapping[str, str], source: Path, target: Path) -> list[str]:
        """The command line of one run."""
        known = {**values, "input": str(source), "output": str(target)}
        return [_PLACE.sub(lambda m: known[m[1]], word) for word in shlex.split(self.template)]

    def respond(self, values: Mapping[str, str], source: Path) -> Path:
        """Run it and return the file or directory that it wrote, in a new directory. A failure is a RunError."""
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=source.parent))
        target = folder / f"output{source.suffix}"
        with tempfile.TemporaryFile() as said:
            try:
                process = subprocess.Popen(
                    self.words(values, source, target),
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    start_new_session=os.name == "posix",
                )
            except (OSError, ValueError) as error:
                raise RunError(f"can't be started: {getattr(error, 'strerror', None) or error}") from None
            _running.add(process)
            try:
                code = process.wait(self.limit)
            except subprocess.TimeoutExpired:
                raise RunError(f"took longer than {self.limit:g} seconds, and was ended") from None
            finally:
                _end(process)
            if code:
                how = f"exit code {code}" if code > 0 else f"signal {-code}"
                raise RunError(f"{how}{_last_words(said)}")
        if not target.exists():
            raise RunError("ended without an error, but did not write {output}")
        return target


_running: set[subprocess.Popen[bytes]] = set()


def end_all() -> None:
    """End all running programs, after an interruption while threads wait for them."""
    for process in list(_running):
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process and all processes that it has started."""
    _running.discard(process)
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _last_words(said: IO[bytes]) -> str:
    said.seek(0, os.SEEK_END)
    said.seek(max(said.tell() - 4 * _SHOWN, 0))
    text = said.read().decode(errors="replace").strip()
    return f": {visible(text[-_SHOWN:])}" if text else ""


def at_once(work: Callable[[T], R], items: Sequence[T], jobs: int) -> Generator[R, None, None]:
    """The results of `work` for each item, in order, several at once. When this ends, their programs also end."""
    pool = ThreadPoolExecutor(jobs)
    futures: list[Future[R]] = []
    try:
        futures.extend(pool.submit(work, item) for item in items)
        for future in futures:
            yield awaited(future)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        end_all()
        while not all(future.done() for future in futures):  # a program may have been about to start
            time.sleep(0.05)
            end_all()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def blanked(key: Corpus, given: bool) -> Iterator[Path]:
    """The key as input for a program: its text without its chains, in a directory that is removed at the end.

    given   its mentions stay, each an entity of its own
    """
    if not given and not key.has_text:
        raise UsageError("this key has no text, only mentions: use --mentions given")
    bare = apart(key) if given else replace(key, attributes={}, relations=()).take(np.zeros(0, dtype=np.int64))
    with tempfile.TemporaryDirectory(prefix="coreflens-", ignore_cleanup_errors=True) as folder:
        form = _format(key)
        path = Path(folder) / f"input{FORMATS[form].suffixes[0]}"
        try:
            write(bare, path, format=form)
        except CoreflensError as error:
            raise UsageError(f"the key can't be written as input for the program: {error}") from None
        yield path


def _format(key: Corpus) -> FormatName:
    """The key's own format if several documents can be written to one file in it, else CoNLL, or a table of names."""
    own = FORMATS.get(key.format)
    if own is not None and own.writes and "documents" in writer(own.name).HOLDS:
        return own.name
    return "conll" if key.names is None and key.has_text else "jsonlines" if key.names is None else "table"
