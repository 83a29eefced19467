"""The signature: how a result was computed, in one line.

The full signature names every option. The short one, below tables, names the protocol and the options that differ from
it. It means the same, because a protocol sets all options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any

from ..errors import UsageError
from ..metrics import SETS, select
from ..options import Options
from ..order import CHANGE_NUMBERS
from ..protocols import resolve

# The values that newer options had, in effect, before they existed.
_BEFORE = {"min_share": "0.5", "ties": "definition", "zeros": "linear", "mean": "harmonic"}
_BEFORE |= {
    "split_antecedents": "drop",
    "layer": "identity",
    "multi": "first",
    "only": "all",
    "without": "none",
    "on": "both",
}
# The options that change a number, by the order of operations.
_SIGNED = [f.name for f in fields(Options) if f.compare and f.name in CHANGE_NUMBERS]
# Values that are left out of the signature.
_UNTOLD = {"ids": "check", "only": "all", "on": "both", "window": "all", "excerpt": "all", "heads": "own"}


@dataclass(frozen=True, slots=True)
class Signature:
    """How a result was computed, in one line. `Signature.parse(str(s)) == s`, and `Signature.parse(s.short) == s`."""

    protocol: str
    options: Options
    metrics: tuple[str, ...]
    documents: int
    version: str

    def __str__(self) -> str:
        standard = resolve(self.protocol)[1]
        differ = [n for n in _SIGNED if getattr(self.options, n) != getattr(standard, n)]
        named = [n for n in _SIGNED if n in differ or getattr(self.options, n) != _UNTOLD.get(n)]
        changed = [f"+{n}:{_spell(self.options, n)}" for n in differ]
        policies = [f"{n}:{_spell(self.options, n)}" for n in named]
        parts = [
            f"coreflens:{self.version}",
            f"protocol:{self.protocol}{''.join(changed)}",
            *policies,
            f"documents:{self.documents}",
            f"metrics:{','.join(self.metrics)}",
        ]
        return "|".join(_escape(part) for part in parts)

    @property
    def short(self) -> str:
        """The protocol and the options that differ from it, the documents, and the metrics (or the name of their
        set)."""
        return shortened(str(self))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature line back, whether it is full or short."""
        try:
            parts = dict(_unescape(part).split(":", 1) for part in text.strip().split("|"))
            if "match" not in parts:
                parts = _lengthened(parts)
            before = _BEFORE | parts
            given: dict[str, Any] = {name: before[name] for name in _SIGNED if name in before}
            given["min_share"] = float(given["min_share"])
            given["weights"] = tuple(
                (name, float(weight)) for name, weight in (pair.split("=") for pair in given["weights"].split(","))
            )
            return cls(
                protocol=parts["protocol"].split("+", 1)[0],
                options=Options(**given),
                metrics=tuple(parts["metrics"].split(",")),
                documents=int(parts["documents"]),
                version=parts["coreflens"],
            )
        except (KeyError, ValueError) as error:
            raise UsageError(f"not a coreflens signature ({error})") from None


def shortened(text: str) -> str:
    """The short form of a full signature line. Additions, such as how intervals were drawn, are kept."""
    kept = []
    for part in text.split("|"):
        name, _, value = part.partition(":")
        if name == "metrics":
            value = next((known for known, names in SETS.items() if ",".join(names) == value), value)
        if name not in _OPTIONS or (name == "match" and "," in value):  # several matchings have no protocol
            kept.append(f"{name}:{value}")
    return "|".join(kept)


_full: ContextVar[bool] = ContextVar("full", default=False)


@contextmanager
def full_signatures(full: bool = True) -> Iterator[None]:
    """Within this context, tables are written with the full signature below them."""
    token = _full.set(full)
    try:
        yield
    finally:
        _full.reset(token)


def shown(line: str) -> str:
    """A line below a table. A signature is shortened, unless the full one is wanted."""
    return shortened(line) if line.startswith("coreflens:") and not _full.get() else line


_OPTIONS = frozenset(f.name for f in fields(Options))


def _lengthened(parts: dict[str, str]) -> dict[str, str]:
    """The parts of a full signature from those of a short one."""
    protocol, *changed = re.split(r"\+(?=[a-z_]+:)", parts["protocol"])
    standard = resolve(protocol)[1]
    options = {name: _spell(standard, name) for name in _OPTIONS}
    options |= dict(change.split(":", 1) for change in changed)
    return parts | options | {"metrics": ",".join(select(parts["metrics"])[0])}


def _spell(options: Options, name: str) -> str:
    value = getattr(options, name)
    return ",".join(f"{m}={w!r}".removesuffix(".0") for m, w in value) if name == "weights" else str(value)


def _escape(part: str) -> str:
    return part.replace("%", "%25").replace("|", "%7C").replace("\n", "%0A")


def _unescape(part: str) -> str:
    return part.replace("%0A", "\n").replace("%7C", "|").replace("%25", "%")
