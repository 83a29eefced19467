"""Codes of mentions: where one occurs first, whether one occurs twice, and entities numbered without gaps."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coreflens.matching.mentions import first_places, number_entities, repeated

# small codes go through a table; large and negative ones are sorted
CODES = st.lists(st.integers(0, 8) | st.sampled_from([-1, 2**40]), max_size=12)


def array(codes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(codes, dtype=np.int64)


@given(CODES, CODES)
def test_the_first_place_of_each_code_is_found(codes: list[int], wanted: list[int]) -> None:
    expected = [codes.index(code) if code in codes else -1 for code in wanted]
    assert first_places(array(codes), array(wanted)).tolist() == expected


@given(CODES)
def test_repeated_codes_are_noticed(codes: list[int]) -> None:
    assert repeated(array(codes)) is any(times > 1 for times in Counter(codes).values())


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5) | st.just(100_000)), max_size=12))
def test_entities_are_numbered_in_the_order_of_blocks_and_labels(mentions: list[tuple[int, int]]) -> None:
    block, label = array([b for b, _ in mentions]), array([e for _, e in mentions])
    numbers, blocks = number_entities(block, label)
    distinct = sorted(set(mentions))
    assert numbers.tolist() == [distinct.index(mention) for mention in mentions]
    assert blocks.tolist() == [b for b, _ in distinct]
