"""How a command walks through the code: `python bench/walk.py COMMAND ...`, such as `score KEY RESPONSE`.

Without files, the command runs on the example of `coreflens demo`. `--write` writes docs/walks.md, with the walks of
six commands; `--check` exits with 1 if that page is not what would be written.

A stage is a row of files of one room, in the order in which the command first enters them. Its objects are what
functions of these files return to another room for the first time. Calls while a module is loaded do not count, and
neither do lambdas, comprehensions and generator expressions.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from coreflens import cli

PACKAGE = Path(cli.__file__).parents[1]
PAGE = Path(__file__).parents[1] / "docs" / "walks.md"
COMMANDS = ("score", "compare", "explain", "diagnose", "view", "agree")
# What a command is given after the key and the response.
MORE = {"compare": ["other.conll"], "view": ["view.html"]}
# Rooms that every other room may use: they are no stages.
SHARED = ("errors", "conditions", "keywords", "options", "order", "protocols", "references", "processes", "extras")


@dataclass
class Stage:
    """Files of one room that are entered one after the other, and the objects that they are the first to hand on."""

    room: str
    files: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)


@dataclass
class Walk:
    """What a run of a command did: `changes` of file between calls, and the `depth` of the deepest call."""

    stages: list[Stage] = field(default_factory=list)
    changes: int = 0
    depth: int = 0


class Tracer:
    """Follows the calls of a command. It is the function that `sys.setprofile` takes."""

    def __init__(self) -> None:
        self.walk = Walk()
        self._stage_of: dict[str, Stage] = {}
        self._handed_on: set[str] = set()
        self._last = ""
        self._loading = 0
        self._depth = 0

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        file = _file(frame.f_code.co_filename)
        if event not in ("call", "return") or not file:
            return
        entered = event == "call"
        name = frame.f_code.co_name
        if name == "<module>":
            self._loading += 1 if entered else -1
        elif not self._loading and not name.startswith("<"):
            if entered:
                self._enter(file)
            else:
                self._leave(file, frame, value)

    def _enter(self, file: str) -> None:
        self._depth += 1
        self.walk.depth = max(self.walk.depth, self._depth)
        if file != self._last:
            self.walk.changes += 1
            self._last = file
        if file not in self._stage_of:
            self._stage_of[file] = self._stage(_room(file))
            self._stage_of[file].files.append(file)

    def _stage(self, room: str) -> Stage:
        """The last stage, if it is of this room; otherwise a new one."""
        if not self.walk.stages or self.walk.stages[-1].room != room:
            self.walk.stages.append(Stage(room))
        return self.walk.stages[-1]

    def _leave(self, file: str, frame: FrameType, value: Any) -> None:
        self._depth -= 1
        caller = "" if frame.f_back is None else _file(frame.f_back.f_code.co_filename)
        if not caller or _room(caller) == _room(file):
            return
        for name in _objects(value):
            if name not in self._handed_on:
                self._handed_on.add(name)
                self._stage_of[file].objects.append(name)


@cache
def _file(name: str) -> str:
    """A file of the package, such as `scoring/counts`; "" for any other file."""
    path = Path(name)
    if not path.is_relative_to(PACKAGE):
        return ""
    inside = path.relative_to(PACKAGE).with_suffix("")
    return str(inside.parent if inside.name == "__init__" else inside)


def _room(file: str) -> str:
    return file.partition("/")[0]


def _objects(value: Any) -> Iterator[str]:
    """The names of the classes of the package of which something is returned, alone or in a list or tuple."""
    several = value[:3] if type(value) in (list, tuple) else [value]
    for one in several:
        name = type(one).__name__
        if type(one).__module__.startswith("coreflens.") and not name.startswith("_") and name != "Issue":
            yield name


def walk(arguments: Sequence[str]) -> Walk:
    """Run a command, with its output thrown away."""
    tracer = Tracer()
    silence = contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO()))
    with silence, contextlib.redirect_stderr(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(SystemExit):
        sys.argv = ["coreflens", *arguments]
        sys.setprofile(tracer)
        try:
            cli.main()
        finally:
            sys.setprofile(None)
    return tracer.walk


def with_files(command: str) -> list[str]:
    """A command on the example, which is in the working directory."""
    return [command, "key.conll", "response.conll", *MORE.get(command, [])]


def walks(commands: Iterable[Sequence[str]]) -> list[Walk]:
    """Each command in a process of its own, in which nothing is loaded or remembered yet."""
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return pool.map(walk, commands, chunksize=1)


@contextlib.contextmanager
def example() -> Iterator[None]:
    """A directory with the example, and a second response."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name in ("key.conll", "response.conll"):
                Path(name).write_bytes((PACKAGE / "demo" / name).read_bytes())
            Path("other.conll").write_bytes(Path("key.conll").read_bytes())
            yield
        finally:
            os.chdir(before)


def page() -> str:
    """docs/walks.md."""
    with example():
        commands = [with_files(command) for command in COMMANDS]
        found = walks(commands)
    parts = [_HEAD]
    for command, walked in zip(commands, found, strict=True):
        parts.append(f"\n## {command[0]}\n\n    coreflens {' '.join(command)}\n\n{_table(walked)}")
    return "".join(parts)


_HEAD = """# Walks

How six commands go through the code, on the example of `coreflens demo`. `python bench/walk.py --write` makes this page
by following the calls. `python bench/walk.py diagnose KEY RESPONSE` shows the walk of any command. A row is a stage:
files of one room, in the order in which the command first enters them, and the objects that they hand on to other
rooms. The rooms are drawn in CONTRIBUTING.md.
"""


def _table(walked: Walk) -> str:
    rows = ["| room | files, in the order of the first call | objects |", "|---|---|---|"]
    for stage in _stages(walked):
        files = ", ".join(_short(file, stage.room) for file in stage.files)
        objects = ", ".join(f"`{name}`" for name in stage.objects)
        rows.append(f"| {stage.room} | {files} | {objects} |")
    return "\n".join(rows) + "\n"


def _stages(walked: Walk) -> Iterator[Stage]:
    """The stages without what every room uses; neighbours of one room are joined."""
    joined: list[Stage] = []
    for stage in walked.stages:
        if stage.room in SHARED:
            continue
        if joined and joined[-1].room == stage.room:
            joined[-1].files += stage.files
            joined[-1].objects += stage.objects
        else:
            joined.append(Stage(stage.room, [*stage.files], [*stage.objects]))
    yield from joined


def _short(file: str, room: str) -> str:
    return file.removeprefix(f"{room}/") if file != room else "`__init__`"


def main(arguments: Sequence[str]) -> int:
    if arguments in (["--write"], ["--check"]):
        text = page()
        if arguments == ["--write"]:
            PAGE.write_text(text, "utf-8")
        elif not PAGE.exists() or PAGE.read_text("utf-8") != text:
            sys.stderr.write("docs/walks.md is out of date: python bench/walk.py --write\n")
            return 1
        return 0
    if not arguments:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    if len(arguments) > 1:
        walked = walk(arguments)
    else:
        with example():
            walked = walk(with_files(arguments[0]))
    for stage in walked.stages:
        sys.stdout.write(f"{stage.room:14} {', '.join(_short(file, stage.room) for file in stage.files)}\n")
        if stage.objects:
            sys.stdout.write(f"{'':14} → {', '.join(stage.objects)}\n")
    sys.stdout.write(f"{walked.changes:,} changes of file, {walked.depth} calls deep\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
