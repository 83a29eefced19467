"""The counts of matched mentions: of whole documents or, if the options ask for windows, of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import Issue
from ..matching.matched import Matched
from .counts import Counts
from .counts import count as count_blocks


def count(
    matched: Matched,
    metrics: Sequence[str],
    *,
    exact: bool = False,
    insist: Iterable[str] = (),
) -> tuple[Counts, list[Issue]]:
    """The counts of matched mentions, of each window of a document if the options ask for windows.

    `insist`: metrics that must apply.
    """
    if matched.options.window == "all":
        return count_blocks(matched, metrics, exact=exact, insist=insist)
    from .windows import count_windows  # few scores need it, and loading it takes time

    return count_windows(matched, metrics, exact=exact, insist=insist)
