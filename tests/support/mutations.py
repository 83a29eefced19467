"""Files damaged at random: whatever is in them, a reader gives a corpus or an InputError."""

from __future__ import annotations

import random
from collections.abc import Iterator

from coreflens.errors import InputError
from coreflens.formats import FORMATS
from coreflens.formats.shared.source import Source


def mutated(data: bytes, seed: int) -> bytes:
    """A piece cut out, doubled, replaced by noise or by another piece of the same file."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        b = min(b, a + chance.choice((1, 3, 40, len(data))))
        c = chance.randrange(len(data) + 1)
        noise = bytes(chance.choice(b'<>&;"|[]_-0123456789\\\t\n{}:,\xff\xc3 ') for _ in range(chance.randint(0, 4)))
        data = chance.choice((data[:a] + data[b:], data[:a] + noise + data[b:], data[:c] + data[a:b] + data[c:]))
        data = data or b" "
    return data


def outcomes(format: str, data: bytes, times: int, **source: object) -> Iterator[str]:
    """`read` or the message for each of many damaged copies, read strictly and leniently."""
    module = FORMATS[format].module
    for seed in range(times):
        for lenient in (False, True):
            try:
                module.read(Source(mutated(data, seed), "fuzz", lenient=lenient, **source))  # type: ignore[arg-type]
                yield "read"
            except InputError as error:
                assert error.file
                yield error.message
