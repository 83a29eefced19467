"""Lines of the benchmark's table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A line of the table: a measurement, or one held against its target."""

    what: str
    value: float | None
    unit: str = "s"
    target: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        if not self.target or self.value is None:
            return ""
        limit = float(self.target[1:])
        return "ok" if (self.value <= limit if self.target[0] == "≤" else self.value >= limit) else "falls short"

    def cells(self) -> tuple[str, str, str, str]:
        digits = 0 if self.unit == "numbers" or (self.value or 0) >= 100 else 2
        value = "" if self.value is None else f"{self.value:.{digits}f} {self.unit}"
        target = f"{self.target[0]} {self.target[1:]} {self.unit}" if self.target else ""
        return self.what, value, target, " ".join(filter(None, (self.verdict, self.note)))

    def __str__(self) -> str:
        what, value, target, verdict = self.cells()
        return f"{what:<75} {value:>14}  {target:<14} {verdict}".rstrip()
