"""Key, response and settings as every mode of `score` passes them on."""

from __future__ import annotations

from typing import Any

from ...errors import UsageError
from ...protocols import metrics_of
from ...scoring.scorer import Scorer
from ...scoring.settings import Reading, StudySettings
from ..modes import Asked

HEADED = ("head-either", "head")  # matches by heads that have no direction
_SETTINGS = frozenset(StudySettings.__annotations__) - {"match", "window", "excerpt", "heads"}


def settings_of(asked: Asked) -> dict[str, Any]:
    """The settings of a scorer that were asked for: policies, how files are read, and the protocol's name."""
    return {name: value for name, value in asked.items() if name in _SETTINGS}


def matches_of(asked: Asked) -> list[str | None]:
    """The values of --match; None is that of the protocol. With --heads, the match by head words has no direction."""
    several = [None] if asked["match"] is None else [name.strip() for name in asked["match"].split(",")]
    return [_headed(name) for name in several] if asked["heads"] else several


def _headed(match: str | None) -> str:
    symmetric = {None: "head-either", "head-word": "head-either"}.get(match, match)
    if symmetric not in HEADED:
        raise UsageError(f"--heads needs a match by heads ({', '.join(HEADED)}), not {symmetric}")
    return symmetric


def metrics_asked(asked: Asked, *more: str) -> str:
    """The metrics to score: those of -m or of the protocol, and those that another option needs."""
    shown = ",".join(asked["metrics"] or metrics_of(asked["protocol"]) or ["default"])
    if not shown.strip(" ,"):
        return shown  # the scorer says what is wrong with it
    weighed = ["mela"] if asked["weights"] else []
    return ",".join([shown, *more, *weighed])


def sides_of(asked: Asked) -> tuple[Any, Any]:
    """Key and response: as they were given, or with heads from other files and cut to an excerpt."""
    if not asked["excerpt"] and not asked["heads"]:
        return asked["key"], asked["response"]
    return _prepared(asked)


def _prepared(asked: Asked) -> tuple[Any, Any]:
    from ...corpora.excerpt import excerpt, gold_heads, stretch
    from ...formats import read

    part = stretch(asked["excerpt"]) if asked["excerpt"] else None
    reader = Scorer(asked["key"], **{name: asked[name] for name in Reading.__annotations__})
    sides = [reader.key, reader.read(asked["response"])]
    if asked["heads"]:
        gold = read(asked["heads"])
        sides = [gold_heads(corpus, gold) for corpus in sides]
    if part is not None:
        sides = [excerpt(corpus, *part) for corpus in sides]
    return sides[0], sides[1]
