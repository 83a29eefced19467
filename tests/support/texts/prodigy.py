"""Tasks of Prodigy: one accepted with links, one rejected."""

from __future__ import annotations

import json

TASKS = [
    {
        "text": "Ann left. She slept.",
        "_task_hash": -12,
        "meta": {"title": "one"},
        "answer": "accept",
        "tokens": [{"text": "Ann", "start": 0, "end": 3, "id": 0}],
        "spans": [{"start": 0, "end": 3, "label": "NP"}, {"start": 4, "end": 8, "label": "V"}],
        "relations": [
            {
                "head": 3,
                "child": 0,
                "label": "COREF",
                "head_span": {"start": 10, "end": 13},
                "child_span": {"start": 0, "end": 3},
            },
            {"label": "SUBJ", "head_span": {"start": 0, "end": 3}, "child_span": {"start": 4, "end": 8}},
        ],
    },
    {"text": "Bo.", "_task_hash": 7, "answer": "reject", "spans": [], "relations": []},
    {"text": "He.", "_task_hash": 8, "answer": "accept", "spans": [{"start": 0, "end": 2}], "relations": []},
]
JSONL = "".join(json.dumps(task) + "\n" for task in TASKS)
