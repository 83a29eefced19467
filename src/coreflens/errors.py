"""What can go wrong, as types.

    CoreflensError            any error that a user can cause; `exit_code` is the exit code of the command line
    ├── UsageError            an option, metric or argument that does not exist or does not fit   (2)
    └── InputError            input that can't be read or paired: file, line, column, remedy      (3)
        └── MissingFile       a path that leads to nothing; also a FileNotFoundError

`Issue` is not an exception. It is something unusual that a named policy scored, and it is reported with the result.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sized
from dataclasses import asdict, dataclass
from errno import ENOENT
from typing import Any

from .wording import on_the_command_line, worded

PLACES = 3  # how many places a message names


class CoreflensError(Exception):
    """Base of every error that coreflens raises on purpose."""

    exit_code = 2

    def __str__(self) -> str:
        return worded(super().__str__())


class UsageError(CoreflensError, ValueError):
    """A name, option or argument that does not exist or does not fit."""


class InputError(CoreflensError, ValueError):
    """Input that can't be read, paired or scored, with its place and a remedy."""

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str = "",
        code: str = "input",
    ) -> None:
        self.message, self.file, self.line, self.column, self.hint, self.code = message, file, line, column, hint, code
        super().__init__(str(self))

    def __str__(self) -> str:
        place = ":".join(str(x) for x in (self.file, self.line, self.column) if x is not None)
        text = visible(f"{place}: {self.message}" if place else self.message)
        return worded(f"{text}\n  hint: {visible(self.hint)}" if self.hint else text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_input_error, (self.message, self.file, self.line, self.column, self.hint, self.code)


def _restore_input_error(
    message: str, file: str | None, line: int | None, column: int | None, hint: str, code: str
) -> InputError:
    return InputError(message, file=file, line=line, column=column, hint=hint, code=code)


class MissingFile(InputError, FileNotFoundError):
    """A path that leads to nothing, which Python's own functions report as a FileNotFoundError."""

    def __init__(self, file: str, message: str = "no such file or directory", hint: str = "") -> None:
        super().__init__(message, file=file[:200], hint=hint)
        self.errno, self.strerror, self.filename = ENOENT, message, file

    def __reduce__(self) -> tuple[Any, ...]:
        return MissingFile, (self.filename, self.message, self.hint)


class Suspicion(UserWarning):
    """What Python warns of when a result was probably made from a mistake, such as spans with exclusive ends.

    `warnings.simplefilter("ignore", coreflens.Suspicion)` silences it, and "error" makes it an error.
    """


SUSPICIONS = frozenset(
    {"swapped", "same-file", "shifted", "blanks", "no-singletons", "sides-exchanged", "clusters-like-spans"}
)
"""The codes of issues that are likely mistakes."""


def warn_of(issues: Iterable[Issue]) -> None:
    """Raise the suspicions among the issues as warnings at the caller's line, which Python shows once per place.

    The command line prints its notes instead.
    """
    suspected = [issue for issue in issues if issue.code in SUSPICIONS]
    if not suspected or on_the_command_line():
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    for issue in suspected:
        warnings.warn(str(issue), Suspicion, stacklevel=level)


@dataclass(frozen=True, slots=True)
class Issue:
    """Something unusual that was scored: what it is, how often it occurs, and its first places (`file:line`)."""

    code: str
    message: str
    count: int = 1
    places: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = self.places[:PLACES]  # JSON has all places of repairs
        where = f" ({', '.join(shown)}{', ...' if self.count > len(shown) else ''})" if shown else ""
        return worded(visible(f"{self.message}{where} [{self.code}]"))

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return asdict(self) | {"places": list(self.places)}


_SHOWN = "[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069]"


def visible(text: str, keep: str = "") -> str:
    """Text with its control and escape characters shown as `\\u001b`, so that a file can't control a terminal.

    These are the C0 and C1 controls, line and paragraph separators, and the embeddings, overrides and isolates of
    bidirectional text. Characters in `keep` stay, such as the line breaks of a message. JSON keeps its meaning.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_SHOWN, lambda match: match[0] if match[0] in keep else _escape(match[0]), text)


def _escape(character: str) -> str:
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character) or f"\\u{ord(character):04x}"


def notes_of(issues: Iterable[Issue]) -> list[str]:
    """The issues as notes, one note per code."""
    messages_by_code: dict[str, list[str]] = {}
    for issue in issues:
        messages = messages_by_code.setdefault(issue.code, [])
        if (message := str(issue).removesuffix(f" [{issue.code}]")) not in messages:
            messages.append(message)
    return [f"{'; '.join(messages)} [{code}]" for code, messages in messages_by_code.items()]


def counted(things: Sized, what: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{len(things)} {what}{'' if len(things) == 1 else 's'}"


def choose(name: str, known: Iterable[str], what: str) -> str:
    """`name` if it is known; otherwise a UsageError that says what was probably meant."""
    known = list(known)
    if name in known:
        return name
    if not isinstance(name, str):
        raise UsageError(f"{what} is a name, not {name!r} (known: {', '.join(known)})")
    raise UsageError(f"unknown {what} '{name}'{did_you_mean(name, known)} (known: {', '.join(known)})")


def did_you_mean(name: str, known: Iterable[str], names: Mapping[str, str] | None = None) -> str:
    """`; did you mean 'muc'?`, to follow an unknown name. Empty if no known name is close.

    `names` maps a known spelling to the name to suggest instead.
    """
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean '{(names or {}).get(close[0], close[0])}'?" if close else ""
