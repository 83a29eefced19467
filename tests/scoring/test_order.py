"""The order of operations: `score()` against a plain reference of it, and every path to a score against `score()`.

The cases are random, and so are their options, among which every pair of values occurs in the end. `python
tests/support/order_flood.py SEED COUNT` tries more of them and makes what it finds small.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chance import SEED, seeds
from order_corpora import CHOICES, FILES, ROUTES, Case, all_pairs, possible, random_case, shown, side_of
from order_flood import cases, check_of, shrunk
from order_paths import GROUPS, PATHS, SLOW, against_reference, compare_once, on_paths
from order_reference import Options, Outcome, Refused, evaluate

CHUNKS, CHUNK = 8, 30  # cases against the reference
PATH_CASES = 10  # cases through all paths
MANY = 3000  # cases with --explore


def case_of(key: str, response: str, route: str = "spans", **options: str) -> Case:
    return Case(side_of(key), side_of(response), route, options)


def scores_of(case: Case) -> dict[str, Outcome]:
    """The scores of the reference."""
    return evaluate(*case.sides(), case.settled()).scores


def f1(case: Case, metric: str) -> Fraction | None:
    return scores_of(case)[metric].numbers["f1"]


def fail(case: Case, folder: Path, found: Any) -> None:
    """Fail with a case that is as small as possible."""
    small, difference = shrunk(case, found, check_of(found.kind), folder)
    pytest.fail(f"{difference.kind}\n{small}\n{difference.detail}", pytrace=False)


# ---- the reference itself, by hand


def test_repetitions_go_before_singletons_do() -> None:
    """§3: the response {a b} {b c}, where b occurs twice."""
    key, response = "d[4] 0-0:1 1-1:1 2-2:2 3-3:2", "d[4] 0-0:1 1-1:1 1-1:2 2-2:2"
    kept = scores_of(case_of(key, response))
    assert kept["mentions"].numbers == {"recall": Fraction(3, 4), "precision": 1, "f1": Fraction(6, 7)}
    before = scores_of(case_of(key, response, singletons="drop-before"))
    assert before["mentions"].numbers["precision"] == 1 and before["mentions"].numbers["recall"] == Fraction(1, 2)
    dropped = scores_of(case_of(key, response, singletons="drop"))
    assert dropped["mentions"] == kept["mentions"]
    assert dropped["bcub"].numbers == before["bcub"].numbers
    issue = case_of("d[4] 0-0:1 1-1:1 2-2:2 3-3:2", "d[5] 0-0:1 2-2:1 2-2:2 4-4:2", singletons="drop-before")
    assert f1(issue, "mentions") == Fraction(2, 3)


def test_ids_are_orders() -> None:
    """§2: local ids do not join documents, global ones do; without a wider scope there is nothing to decide."""
    key = "a[1] 0-0:1 | b[1] 0-0:1"
    assert scores_of(case_of(key, key, scope="corpus", ids="local"))["pairs"].undefined == {"recall", "precision", "f1"}
    assert f1(case_of(key, key, scope="corpus", ids="global"), "pairs") == 1
    with pytest.raises(Refused):
        scores_of(case_of(key, key, ids="local"))


def test_one_row_is_the_same_by_either_average() -> None:
    """§4: macro equals micro where there is one row, for every way to treat 0/0."""
    for undefined in CHOICES["undefined"]:
        for mean in CHOICES["mean"]:
            options = {"undefined": undefined, "mean": mean}
            alone = [case_of("d[2] 0-0:1", "d[2] 0-0:1", average=a, **options) for a in CHOICES["average"]]
            assert scores_of(alone[0]) == scores_of(alone[1])
    assert scores_of(alone[0])["core"].numbers["precision"] == 1


def test_selection_looks_at_whole_entities_and_then_excerpts_cut() -> None:
    """Steps 3 and 5: an entity is an event by its three mentions, although the excerpt has only one of them."""
    side = "d[6] 0-0:1/entity 2-2:1/event 4-4:1/event"
    found = scores_of(case_of(side, side, only="kind=event", excerpt="1:1"))
    assert found["mentions"].numbers["f1"] == 1 and not found["mentions"].undefined
    with pytest.raises(Refused):
        scores_of(case_of(side, side, only="kind=entity", excerpt="1:1"))


def test_windows_make_singletons() -> None:
    side = "d[2,2] 0-0:1 2-2:1 3-3:1"
    for policy in ("drop", "drop-before"):
        found = scores_of(case_of(side, side, "conll", window="2", singletons=policy))
        assert found["muc"].numbers["f1"] == 1
        assert found["mentions"].numbers["f1"] == 1
    assert scores_of(case_of(side, side, "conll", window="1", singletons="drop"))["bcub"].undefined == set()


# ---- the random cases


def test_a_case_is_read_as_it_is_shown() -> None:
    for case in cases(SEED, 40):
        assert shown(side_of(shown(case.key))) == shown(case.key)
        assert possible(case, case.route)


def test_the_cases_have_everything() -> None:
    """Every way into coreflens, every value of every option, and what tends to break an order."""
    seen: set[str] = set()
    for case in cases(0, 1500):
        seen.add(case.route)
        seen |= {f"{name} {value}" for name, value in case.options.items()}
        documents = [*case.key, *case.response]
        for document in documents:
            places = [m.place for m in document.mentions]
            seen |= {"repeated"} if len({*places}) < len(places) else set()
            seen |= {"empty document"} if not places else set()
            seen |= {"part"} if document.part else set()
        seen |= {"empty key"} if not any(d.mentions for d in case.key) else set()
        seen |= {"empty response"} if not any(d.mentions for d in case.response) else set()
        names = [{d.identity for d in side} for side in (case.key, case.response)]
        seen |= {"missing"} if names[0] - names[1] else set()
        seen |= {"extra"} if names[1] - names[0] else set()
    values = {f"{name} {value}" for name, values in CHOICES.items() for value in values}
    wanted = {*ROUTES, *values, "repeated", "empty document", "part", "empty key", "empty response", "missing", "extra"}
    assert wanted <= seen, wanted - seen
    known = {name for name in Options.__dataclass_fields__ if name not in ("pair", "match")}
    assert known == {*CHOICES}


@pytest.mark.parametrize("chunk", range(max(1, len(seeds(CHUNKS)))))
def test_the_score_is_that_of_the_reference(chunk: int, tmp_path: Path) -> None:
    for case in cases(SEED + chunk, CHUNK):
        if found := against_reference(case, tmp_path):
            fail(case, tmp_path, found)


@pytest.mark.slow
@pytest.mark.parametrize("by", GROUPS)
def test_groups_are_those_of_the_reference(by: str, tmp_path: Path) -> None:
    for case in cases(SEED + 100, CHUNK):
        for found in compare_once(case, tmp_path, by=(by,)):
            fail(case, tmp_path, found)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_a_path_gives_the_score_of_score(path: str, tmp_path: Path) -> None:
    number = 3 if path in SLOW else PATH_CASES
    for case in cases(SEED + 200, number):
        for found in on_paths(case, tmp_path, (path,)):
            fail(case, tmp_path, found)


@pytest.mark.endurance
def test_every_pair_of_options(tmp_path: Path) -> None:
    """All pairs of values of two options, each on a random case; some of them on all paths."""
    random = Random(SEED)
    for pair in all_pairs():
        case = random_case(random, pair)
        for found in compare_once(case, tmp_path):
            fail(case, tmp_path, found)
    for number, case in enumerate(cases(SEED + 300, MANY)):
        paths = [name for name in PATHS if name not in SLOW] if number % 20 == 0 and case.route in FILES else []
        for found in compare_once(case, tmp_path, paths, by=(GROUPS[number % len(GROUPS)],)):
            fail(case, tmp_path, found)
