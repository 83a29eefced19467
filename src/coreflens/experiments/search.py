"""Ways to search a space: every point, some points at random, or uphill one parameter at a time.

A search asks for the scores of settings, several at once if they do not depend on each other. A setting that failed
scores −∞, so it is never the best one if another setting worked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Literal, TypeAlias

from ..errors import UsageError
from .space import MOST, Setting, Space

SearchName: TypeAlias = Literal["grid", "ascent", "random"]
SEARCHES: dict[SearchName, str] = {
    "grid": "every combination",
    "ascent": "uphill, one parameter at a time, in steps that are halved (Popescu-Belis & Robba 1998)",
    "random": "combinations drawn at random (--tries)",
}
Scored: TypeAlias = Callable[[Sequence[Setting]], Sequence[float]]


def grid(space: Space, scored: Scored) -> Setting:
    """The best of all points. The first one wins a tie."""
    if len(space) > MOST:
        raise UsageError(f"the grid has {len(space):,} points; --search random or ascent tries fewer")
    return _best(list(space), scored)


def random(space: Space, scored: Scored, tries: int, seed: int) -> Setting:
    """The best of `tries` points, drawn without repetition."""
    if tries >= len(space):
        return grid(space, scored)
    chance, drawn = Random(seed), dict[Setting, None]()
    while len(drawn) < tries:
        drawn[tuple(chance.choice(axis.values) for axis in space.axes)] = None
    return _best(list(drawn), scored)


def ascent(space: Space, scored: Scored, start: Setting) -> Setting:
    """Uphill from a point: each parameter in turn goes a step up or down, where the score rises most.

    Steps are counted in values of the axis and begin with a quarter of it. When no parameter gains anything, they are
    halved. When steps of one value gain nothing, this is the top. If a parameter's values are words, all are tried.
    """
    at = start
    (best,) = scored([at])
    steps = {k: max(len(axis.values) // 4, 1) for k, axis in enumerate(space.axes)}
    while True:
        before = best
        for k, axis in enumerate(space.axes):
            place = axis.values.index(at[k])
            others = [place - steps[k], place + steps[k]] if axis.numbers is not None else range(len(axis.values))
            near = [
                (*at[:k], axis.values[other], *at[k + 1 :])
                for other in others
                if 0 <= other < len(axis.values) and other != place
            ]
            scores = scored(near)
            if scores and max(scores) > best:
                best = max(scores)
                at = near[list(scores).index(best)]
        if best > before:
            continue
        if all(step == 1 for step in steps.values()):
            return at
        steps = {k: max(step // 2, 1) for k, step in steps.items()}


def _best(settings: Sequence[Setting], scored: Scored) -> Setting:
    scores = scored(settings)
    return settings[max(range(len(settings)), key=lambda k: scores[k])]
