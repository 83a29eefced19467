"""Conditions that select mentions, such as `kind=event` or `type=PER,LOC`.

A condition is an attribute with values, of which one must hold. Semicolons join conditions, and each attribute occurs
once. `kind?=event` applies only to sides that have the attribute.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from .errors import UsageError

ALL, NOTHING = "all", "none"  # values of `only` and `without` that select nothing
NONE = "(none)"  # stands for a missing value
_ESCAPES = {
    "%": "%25",
    ",": "%2C",
    ";": "%3B",
    "=": "%3D",
    "+": "%2B",
}  # `+` begins a change of protocol in a signature


class Condition(NamedTuple):
    """An attribute and its values, of which one must hold. Without values, any value will do."""

    attribute: str
    values: tuple[str, ...] = ()
    optional: bool = False  # a side without the attribute is not changed

    def __str__(self) -> str:
        if not self.values:
            return self.attribute
        equals = "?=" if self.optional else "="
        return f"{self.attribute}{equals}{','.join(map(_escaped, self.values))}"


def conditions(text: str, apart: Collection[str] = (ALL, NOTHING)) -> list[Condition]:
    """The conditions in an option's value. The names in `apart` are not attributes."""
    found: dict[str, Condition] = {}
    for segment in filter(None, text.split(";")):
        current = ""
        for token in segment.split(","):
            name, equals, value = token.partition("=")
            if equals:
                optional = name.rstrip().endswith("?")
                current, first = name.strip().removesuffix("?").strip(), value.strip()
                if not current or not first:
                    missing = "an attribute before" if not current else "a value after"
                    raise UsageError(f"'{token.strip()}' lacks {missing} '=': write ATTRIBUTE=VALUE, as in kind=event")
                before = found.get(current, Condition(current))
                found[current] = Condition(current, _with(before, first), optional)
            elif not (plain := token.strip()):
                raise UsageError(f"'{text}' has nothing between two commas")
            elif current:
                found[current] = Condition(current, _with(found[current], plain), found[current].optional)
            elif plain not in apart:
                found.setdefault(plain, Condition(plain))
    return list(found.values())


def only(given: Any) -> str:
    """`only` as an option keeps it: conditions in a fixed order, or `all`."""
    texts = _texts(given)
    found = conditions(";".join(texts))
    if bare := next((c for c in found if not c.values), None):
        raise UsageError(f"--only {bare.attribute}: write ATTRIBUTE=VALUE[,VALUE], as in --only kind=event")
    if found and any(text.strip() == ALL for text in texts):
        raise UsageError("--only all selects every mention, so it can't be combined with other conditions")
    return _joined(found) or ALL


def without(given: Any, known: Collection[str]) -> str:
    """`without` as an option keeps it: the known names in their order, then conditions, or `none`."""
    texts = _texts(given)
    names = {name.strip() for text in texts for segment in text.split(";") for name in _leading(segment)}
    found = conditions(";".join(texts), known)
    chosen = [name for name in known if name in names]
    if NOTHING in chosen and (len(chosen) > 1 or found):
        raise UsageError("--without none leaves nothing out, so it can't be combined with other values")
    bare = sorted(c.attribute for c in found if not c.values)
    first = ",".join([*chosen, *bare])
    return ";".join(filter(None, [first, _joined(c for c in found if c.values)])) or NOTHING


def names(text: str) -> list[str]:
    """The names without values in an option's value."""
    return [name.strip() for segment in text.split(";") for name in _leading(segment)]


def _leading(segment: str) -> list[str]:
    """The names before the first condition of a segment."""
    found = []
    for token in segment.split(","):
        if "=" in token:
            break
        found.append(token)
    return found


def _with(condition: Condition, value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*condition.values, _plain(value))))


def _texts(given: Any) -> list[str]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [
            f"{name}={','.join(_escaped(str(v)) for v in ([values] if isinstance(values, str) else values))}"
            for name, values in given.items()
        ]
    return [str(text) for text in given] if isinstance(given, Iterable) else [str(given)]


def _joined(found: Iterable[Condition]) -> str:
    ordered = (Condition(c.attribute, tuple(sorted(c.values)), c.optional) for c in found)
    return ";".join(map(str, sorted(ordered, key=lambda c: c.attribute)))


def _escaped(value: str) -> str:
    return "".join(_ESCAPES.get(c, c) for c in value)


def _plain(value: str) -> str:
    for c, escape in reversed(_ESCAPES.items()):
        value = value.replace(escape, c)
    return value


def is_attribute(by: object) -> bool:
    """Whether groups consist of mentions, not of documents."""
    return isinstance(by, str) and (by.startswith(("entity.", "mention.")) or by == "distance")
