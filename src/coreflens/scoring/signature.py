"""The signature: how a result came about, in one line."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..errors import UsageError
from ..protocols import Options, resolve

# How options that came later were settled before there was a choice.
_BEFORE = {"min_share": "0.5", "ties": "definition", "zeros": "linear", "mean": "harmonic"}
_BEFORE |= {
    "split_antecedents": "drop",
    "layer": "identity",
    "multi": "first",
    "only": "all",
    "without": "none",
    "on": "both",
}
_UNTOLD = {"ids": "check", "only": "all", "on": "both", "window": "all"}  # what goes without saying


@dataclass(frozen=True, slots=True)
class Signature:
    """How a result came about, in one line; `Signature.parse(str(s)) == s`."""

    protocol: str
    options: Options
    metrics: tuple[str, ...]
    documents: int
    version: str

    def __str__(self) -> str:
        standard = resolve(self.protocol)[1]
        named = [f.name for f in fields(Options) if f.compare and getattr(self.options, f.name) != _UNTOLD.get(f.name)]
        changed = [f"+{n}:{_spell(self.options, n)}" for n in named if getattr(self.options, n) != getattr(standard, n)]
        policies = [f"{n}:{_spell(self.options, n)}" for n in named]
        parts = [
            f"coreflens:{self.version}",
            f"protocol:{self.protocol}{''.join(changed)}",
            *policies,
            f"documents:{self.documents}",
            f"metrics:{','.join(self.metrics)}",
        ]
        return "|".join(_escape(part) for part in parts)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature line back."""
        try:
            parts = dict(_unescape(part).split(":", 1) for part in text.strip().split("|"))
            before = _BEFORE | parts
            given: dict[str, Any] = {f.name: before[f.name] for f in fields(Options) if f.compare and f.name in before}
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


def _spell(options: Options, name: str) -> str:
    value = getattr(options, name)
    return ",".join(f"{m}={w!r}".removesuffix(".0") for m, w in value) if name == "weights" else str(value)


def _escape(part: str) -> str:
    return part.replace("%", "%25").replace("|", "%7C").replace("\n", "%0A")


def _unescape(part: str) -> str:
    return part.replace("%0A", "\n").replace("%7C", "|").replace("%25", "%")
