"""Key, response and settings as every mode of `score` passes them on."""

from __future__ import annotations

from typing import Any

from ...protocols import metrics_of
from ...scoring.scorer import headed
from ...scoring.settings import StudySettings
from ..modes import Asked

_SETTINGS = frozenset(StudySettings.__annotations__) - {"match", "window"}


def settings_of(asked: Asked) -> dict[str, Any]:
    """The settings of a scorer that were asked for: policies, how files are read, and the protocol's name."""
    return {name: value for name, value in asked.items() if name in _SETTINGS}


def matches_of(asked: Asked) -> list[str | None]:
    """The values of --match; None is that of the protocol. With --heads, the match by head words has no direction."""
    several = [None] if asked["match"] is None else [name.strip() for name in asked["match"].split(",")]
    return [headed(name) for name in several] if asked["heads"] else several


def metrics_asked(asked: Asked, *more: str) -> str:
    """The metrics to score: those of -m or of the protocol, and those that another option needs."""
    shown = ",".join(asked["metrics"] or metrics_of(asked["protocol"]) or ["default"])
    if not shown.strip(" ,"):
        return shown  # the scorer says what is wrong with it
    weighed = ["mela"] if asked["weights"] else []
    return ",".join([shown, *more, *weighed])
