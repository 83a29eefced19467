"""Runs a command with and without an option, and compares what it prints and writes."""

from __future__ import annotations

import gzip
import re
import shutil
import zipfile
from pathlib import Path
from typing import NamedTuple

import click

from coreflens.cli.modes import HELP, option_name
from fuzz_commands import run as call
from option_cases import MESSAGES, ROWS, Case, Try, side_path
from registry import commands

COMMANDS = commands()
_SIGNATURE = re.compile(rb"coreflens:\d[^\s\"<\\]*\|[^\s\"<\\]*")


class Seen(NamedTuple):
    """What a run printed and wrote, without signatures."""

    code: object
    out: str
    err: str
    files: dict[str, bytes]


class Outcome(NamedTuple):
    """`refused`, `acts` or `ignored`, and the run that shows it."""

    verdict: str
    words: tuple[str, ...]
    err: str


def options_of(command: str) -> list[str]:
    """The names of a command's options, without those that end it before it runs."""
    parameters = COMMANDS[command].params
    names = [option_name(p) for p in parameters if isinstance(p, click.Option)]
    return [name for name in names if name not in HELP]


def tries_of(command: str, option: str) -> tuple[Try, ...]:
    """The row of an option: that of the command, or else that of all commands."""
    return ROWS[f"{command} {option}"] if f"{command} {option}" in ROWS else ROWS[option]


class Workshop:
    """A directory with the inputs, in which commands run. Equal runs are made once."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._seen: dict[tuple[bool, tuple[str, ...]], Seen] = {}

    def outcome(self, case: Case, option: str) -> Outcome:
        """What an option does in a mode: the first try with which it acts, or else the last one."""
        last = Outcome("no try", (), "")
        for attempt in tries_of(case.command, option):
            last = self._tried(case, option, attempt)
            if last.verdict == "acts":
                return last
        return last

    def refused(self, case: Case, attempt: Try) -> Seen:
        """The run of a mode with an option alone, without what the option needs."""
        words = [*case.command.split(), *case.arguments.split(), *case.options.split(), *attempt.given.split()]
        return self.seen(self._filled(words, self._files(case, attempt)))

    def _tried(self, case: Case, option: str, attempt: Try) -> Outcome:
        files = self._files(case, attempt)
        command, arguments = case.command.split(), case.arguments.split()
        asked = [*case.options.split(), *attempt.base.split()]
        words = self._filled([*command, *arguments, *asked, *attempt.given.split()], files)
        signed = option == "signature"
        seen = self.seen(words, signed)
        if seen.code == 2:
            return Outcome("refused", words, seen.err)
        without = self.seen(self._filled([*command, *arguments, *asked], files), signed)
        if without.code == 2:
            return Outcome("no base", words, without.err)
        told = f"{case.command} {option}" in MESSAGES and seen.err != without.err
        acts = told or seen._replace(err="") != without._replace(err="")  # a note alone does not count
        return Outcome("acts" if acts else "ignored", words, seen.err)

    def _files(self, case: Case, attempt: Try) -> str:
        """The input of a try. A mode with its own inputs has some of them by the names of the others."""
        if not case.files:
            return attempt.files
        names = (f"{case.files}-{attempt.files}", case.files, attempt.files)
        return next(name for name in names if (self.home / "in" / name).is_dir())

    def _filled(self, words: list[str], files: str) -> tuple[str, ...]:
        return tuple(
            re.sub(r"\{(key|response|other)\}", lambda side: side_path(self.home, files, side[1]), word)
            for word in words
        )

    def seen(self, words: tuple[str, ...], signed: bool = False) -> Seen:
        """Run a command in the directory. `signed`: keep the signatures."""
        if (signed, words) not in self._seen:
            out = self.home / "out"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            ran = call(words)
            strip = (lambda data: data) if signed else unsigned
            written = {str(path.relative_to(out)): strip(content(path)) for path in out.rglob("*") if path.is_file()}
            printed, noted = (strip(text.encode()).decode() for text in (ran.out, ran.err))
            self._seen[signed, words] = Seen(ran.code, printed, noted, written)
        return self._seen[signed, words]


def unsigned(data: bytes) -> bytes:
    """Text without its signatures."""
    return _SIGNATURE.sub(b"", data)


def content(path: Path) -> bytes:
    """The bytes of a file, unpacked."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:2] == b"PK":
        with zipfile.ZipFile(path) as archive:
            return b"\0".join(name.encode() + b"\0" + archive.read(name) for name in sorted(archive.namelist()))
    return data
