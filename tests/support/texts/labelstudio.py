"""Tasks of Label Studio: regions, a link, a relation of another kind, a second annotator."""

from __future__ import annotations

import json


def region(id: str, start: int, end: int, text: str, label: str = "Person") -> dict[str, object]:
    value = {"start": start, "end": end, "text": text, "labels": [label]}
    return {"id": id, "from_name": "label", "to_name": "story", "type": "labels", "value": value}


RESULT = [
    region("a", 0, 3, "Ann"),
    region("b", 10, 13, "She"),
    region("c", 14, 19, "slept", "Event"),
    {"from_id": "b", "to_id": "a", "type": "relation", "direction": "right", "labels": ["coref"]},
    {"from_id": "b", "to_id": "c", "type": "relation", "direction": "right", "labels": ["agent"]},
    {"id": "d", "from_name": "mood", "to_name": "story", "type": "choices", "value": {"choices": ["calm"]}},
]
TASKS = [
    {
        "id": 7,
        "data": {"title": "x", "story": "Ann left. She slept."},
        "annotations": [
            {"id": 1, "was_cancelled": True, "result": []},
            {"id": 2, "was_cancelled": False, "result": RESULT},
        ],
        "predictions": [{"result": []}],
    },
    {"id": 8, "data": {"story": "Bo."}, "annotations": [{"result": [region("z", 0, 2, "Bo")]}]},
]
JSON = json.dumps(TASKS, indent=1)
