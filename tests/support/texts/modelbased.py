"""Two documents with the antecedents of two annotators."""

from __future__ import annotations

import json

TEXT = "Ann Bell met Bo. She, who smiled, saw him; Bo saw it."
ENTRIES = {
    "x1": {
        "title": "Ann",
        "paragraph": TEXT,
        "entities": [{"ent_name": "Ann Bell", "ent_id": "Q1"}],
        "qas": {},
        "a1": {
            "para_ann": [
                ["38", "him", "bo"],
                ["17", "She", "ann bell"],
                ["22", "who", "ann bell"],
                ["22", "who", "she"],
                ["50", "it", "$no_ref$"],
            ],
            "q_ann": {},
        },
        "a2": {
            "para_ann": [
                ["17", "She", "ann bell"],
                ["22", "who", "she"],
                ["38", "him", "bo"],
                ["50", "it", "ann of x"],
            ],
            "q_ann": {},
        },
    },
    "x2": {
        "title": "B",
        "paragraph": "It is.",
        "entities": [],
        "qas": {},
        "a1": {"para_ann": [], "q_ann": {}},
        "a2": {},
    },
}
JSON = json.dumps(ENTRIES, indent=1)
