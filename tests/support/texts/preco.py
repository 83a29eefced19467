"""Two documents of PreCo."""

from __future__ import annotations

JSONL = (
    '{"id": "d-1", "sentences": [["Ann", "é", "slept", "."], [" "], ["She", "snored", "in", "the", "old", "bed", "."]]'
    ', "mention_clusters": [[[0, 0, 1], [2, 0, 1]], [[2, 3, 6]]]}\n'
    '{"id": "d-2", "sentences": [["It", "rained", "."]], "mention_clusters": []}\n'
)
