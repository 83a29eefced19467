"""Records of a database, with columns of other names, and labels that are missing."""

import coreflens as cl

truth = [
    {"customer": "c1", "person": "p1"},
    {"customer": "c2", "person": "p1"},
    {"customer": "c3", "person": "p2"},
    {"customer": "c4", "person": None},
]
found = {"customer": ["c1", "c2", "c3", "c4"], "person": [7, 7, 7, 8]}

columns = {"mention": "customer", "entity": "person"}
result = cl.score(truth, found, columns=columns, metrics="bcub,pairs", unlabelled="absent")
print(result)
