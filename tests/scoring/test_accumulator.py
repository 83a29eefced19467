"""Accumulators in threads and processes: no document is lost, and none is made up."""

from __future__ import annotations

import json
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import coreflens as cl
from chance import seeds

KEY, RESPONSE = [["a", "b"], ["c", "d"]], [["a", "b", "c"], ["d"]]


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*work: Callable[[], None]) -> None:
    failed: list[BaseException] = []

    def run(one: Callable[[], None]) -> None:
        try:
            one()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert failed == []


@pytest.mark.usefixtures("hurried")
def test_compute_while_others_update() -> None:
    acc = cl.Accumulator(metrics="muc")
    acc.update(KEY, RESPONSE)
    done = threading.Event()
    seen: list[int] = []

    def update() -> None:
        for _ in range(60):
            acc.update(KEY, RESPONSE)

    def compute() -> None:
        while not done.is_set():
            seen.append(len(acc.compute().counts))

    computing = [threading.Thread(target=compute) for _ in range(2)]
    for thread in computing:
        thread.start()
    together(*[update] * 4)
    done.set()
    for thread in computing:
        thread.join(60)
    assert len(acc) == len(acc.compute().counts) == 241
    assert acc.compute()["muc"].counts["recall_den"] == 2 * 241
    assert max(seen) <= 241 and min(seen) >= 1


@pytest.mark.usefixtures("hurried")
def test_merged_into_each_other() -> None:
    one, other = (cl.Accumulator(metrics="muc") for _ in range(2))
    for acc in (one, other):
        acc.update(KEY, RESPONSE)
    together(*[lambda: one.merge(other), lambda: other.merge(one)] * 3)
    assert len(one) >= 4 and len(other) >= 4
    before = len(one)
    one.merge(one)
    assert len(one) == 2 * before


@pytest.mark.parametrize("exact", [False, True])
def test_passed_on_as_json(exact: bool) -> None:
    acc = cl.Accumulator(metrics="conll,bcub-sys", exact=exact, protocol="conll-2012")
    for name in ("x", "y", "x"):  # the same name twice is no mistake here
        acc.update(KEY, RESPONSE, name=name)
    acc.update([["a", "b"], ["a", "c"]], KEY)
    plain = json.loads(json.dumps(acc.to_dict()))
    again = cl.Accumulator.from_dict(plain)
    assert again.compute().to_dict() == acc.compute().to_dict()
    assert again.to_dict() == acc.to_dict()
    if exact:
        assert isinstance(again.compute()["bcub"].f1, Fraction)
    again.merge(acc)
    again.update(KEY, RESPONSE)
    assert len(again) == 2 * len(acc) + 1


def test_an_empty_one_too() -> None:
    acc = cl.Accumulator(metrics="lea", singletons="drop")
    again = cl.Accumulator.from_dict(acc.to_dict())
    again.update(KEY, RESPONSE)
    acc.merge(again)
    assert len(acc) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"coreflens-accumulator": 2},
        {"signature": "x"},
        {"columns": ["muc.recall_num"]},
        {"values": [[float("nan")] * 4]},
        {"values": [[5, 1, 1, 1]]},
        {"values": "x"},
        {"documents": [["a"]]},
        {"issues": [{"code": 1}]},
        {"named": 5},
    ],
)
def test_what_to_dict_did_not_give_is_refused(change: dict[str, Any]) -> None:
    acc = cl.Accumulator(metrics="muc")
    acc.update(KEY, RESPONSE)
    assert len(cl.Accumulator.from_dict(acc.to_dict())) == 1
    with pytest.raises(cl.InputError, match=r"not from Accumulator\.to_dict"):
        cl.Accumulator.from_dict(acc.to_dict() | change)
    with pytest.raises(cl.InputError):
        cl.Accumulator.from_dict({})


def test_it_can_still_be_pickled() -> None:
    acc = cl.Accumulator(metrics="muc")
    acc.update(KEY, RESPONSE)
    again = pickle.loads(pickle.dumps(acc))
    again.update(KEY, RESPONSE)
    assert len(again) == 2 and len(acc) == 1


# ---------------------------------------------------------------------------------- documents that are counted together


def _one(rng: Random) -> list[list[Any]]:
    """Clusters of a few mentions: some are singletons, some mentions occur twice, some sides are empty."""
    names = [*"abcdefgh", (0, 1), (2, 2)][: rng.randrange(11)]
    clusters: dict[int, list[Any]] = {}
    for name in names + names[: rng.random() < 0.2]:
        clusters.setdefault(rng.randrange(5), []).append(name)
    return [*clusters.values()]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"metrics": "default,bcub-sys,mela", "singletons": "drop"},
        {"singletons": "drop-response", "protocol": "conll-2012"},
        {"metrics": "conll,lea", "singletons": "drop-before", "average": "macro"},
        {"metrics": "conll,labels", "singletons": "e2e", "duplicates": "last"},
    ],
)
@pytest.mark.parametrize("seed", seeds(4))
def test_counted_together_or_one_by_one(settings: dict[str, Any], seed: int) -> None:
    rng = Random(seed)
    together, alone = (cl.Accumulator(exact=True, **settings) for _ in range(2))
    for number in range(25):
        key, response = _one(rng), _one(rng)
        name = f"document {number % 7}" if rng.random() < 0.5 else None
        together.update(key, response, name)
        alone.update(key, response, name)
        assert alone.to_dict()["values"], "what waits is counted by whoever looks"
        if rng.random() < 0.1:
            assert together.compute().to_dict() == alone.compute().to_dict()
    assert len(together) == len(alone) == 25
    assert together.to_dict() == alone.to_dict()
    assert together.issues == alone.issues


def test_what_waits_is_no_longer_the_caller_s() -> None:
    acc = cl.Accumulator(metrics="muc")
    key = [["a", "b"], ["c", "d"]]
    acc.update(key, KEY)
    assert acc._mentions == 8
    key.pop()
    key[0].append("e")
    assert acc.compute()["muc"].f1 == 1.0


@pytest.mark.parametrize(
    ("key", "response", "settings"),
    [
        (5, KEY, {}),
        ([["a", "b"], ("c", 1, {})], KEY, {}),
        ({"a": None}, KEY, {}),
        ({"x": KEY}, {"y": KEY}, {}),
        ([["a", "a"]], KEY, {"duplicates": "error"}),
        ([["x", "y"]], KEY, {"no_common": "refuse"}),
        (KEY, [["a", "b"]], {"metrics": "rand"}),
    ],
)
def test_what_is_refused_is_refused_at_once(key: Any, response: Any, settings: dict[str, Any]) -> None:
    acc = cl.Accumulator(**settings)
    acc.update(KEY, KEY)
    with pytest.raises((cl.InputError, cl.UsageError)):
        acc.update(key, response)
    assert len(acc) == len(acc.compute().counts) == 1


def test_not_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coreflens.scoring.batching.MOST", 20)
    acc, whole = cl.Accumulator(), cl.Accumulator()
    for number in range(10):
        acc.update(KEY, RESPONSE, str(number))
        assert acc._mentions <= 20
    monkeypatch.undo()
    for number in range(10):
        whole.update(KEY, RESPONSE, str(number))
    assert acc.to_dict() == whole.to_dict()
