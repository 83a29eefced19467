"""What is not read, and what the message says: nothing is guessed."""

from typing import Any

import numpy as np

import coreflens as cl

mistakes: list[Any] = [
    [[("a", "b")]],
    {"e1": ["a", "b"], "e2": ["c"]},
    [np.array([1, 1, 2])],
    [[[0, 1, 2], [3]], [[4]]],
    "no-such-file.conll",
]
for mistake in mistakes:
    try:
        cl.score(mistake, mistake)
    except FileNotFoundError as error:
        print(error.filename, "is missing")
    except cl.InputError as error:
        print(error)
