"""CEAF's assignment: exact on every kind of graph and number."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chance import examples
from coreflens.metrics.assignment import assign

Graph = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[Any], int, int]


def graph(cells: dict[tuple[int, int], Any], keys: int, responses: int) -> Graph:
    pairs = sorted(cells)
    i, j = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    weights = [cells[pair] for pair in pairs]
    exact = any(isinstance(w, Fraction) for w in weights)
    return i, j, np.array(weights, dtype=object) if exact else np.array(weights), keys, responses


def total(g: Graph) -> Any:
    """The sum of the alignment found, after checking that it is one."""
    i, j, weight, keys, responses = g
    chosen = assign(*g)
    assert chosen.dtype == bool
    assert np.bincount(i[chosen], minlength=max(keys, 1)).max(initial=0) <= 1
    assert np.bincount(j[chosen], minlength=max(responses, 1)).max(initial=0) <= 1
    return sum(weight[chosen].tolist())


def brute_force(cells: dict[tuple[int, int], Any], keys: int, responses: int) -> Any:
    few, many = sorted((keys, responses))
    turned = cells if keys == few else {(j, i): w for (i, j), w in cells.items()}
    return max(
        sum((turned.get((r, c), 0) for r, c in zip(range(few), order, strict=True)), Fraction(0))
        for order in permutations(range(many), few)
    )


def tables(weights: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[dict[tuple[int, int], Any], int, int]]:
    sizes = st.tuples(st.integers(1, 5), st.integers(1, 5))
    return sizes.flatmap(
        lambda size: st.tuples(
            st.dictionaries(st.tuples(st.integers(0, size[0] - 1), st.integers(0, size[1] - 1)), weights, min_size=1),
            st.just(size[0]),
            st.just(size[1]),
        )
    )


@examples(300)
@given(tables(st.integers(1, 4)))
def test_small_integers_with_many_ties(table: tuple[dict[tuple[int, int], int], int, int]) -> None:
    assert total(graph(*table)) == brute_force(*table)


@examples(300)
@given(tables(st.fractions(Fraction(1, 9), 1, max_denominator=9)))
def test_fractions_exactly(table: tuple[dict[tuple[int, int], Fraction], int, int]) -> None:
    best = brute_force(*table)
    assert total(graph(*table)) == best
    cells, keys, responses = table
    floats = {pair: float(weight) for pair, weight in cells.items()}
    assert total(graph(floats, keys, responses)) == pytest.approx(float(best), rel=1e-12)


def similarities(mentions: int, keys: int, responses: int, seed: int, phi: str) -> Graph:
    """Mentions thrown at random into entities of both sides."""
    random = np.random.default_rng(seed)
    k, r = random.integers(0, keys, mentions), random.integers(0, responses, mentions)
    packed, n = np.unique(k * responses + r, return_counts=True)
    i, j = np.divmod(packed, responses)
    a, b = np.bincount(k, minlength=keys), np.bincount(r, minlength=responses)
    weight = {"φ3": n, "φ4": 2 * n / (a[i] + b[j]), "one": np.ones_like(n)}[phi]
    return i, j, weight, keys, responses


@pytest.mark.parametrize("phi", ["φ3", "φ4", "one"])
@pytest.mark.parametrize("shape", [(30, 20, 20), (300, 60, 90), (900, 300, 300), (4000, 300, 200), (30000, 250, 300)])
def test_against_the_hungarian_method(shape: tuple[int, int, int], phi: str) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is the outside check")
    for seed in range(3):
        g = i, j, weight, keys, responses = similarities(*shape, seed, phi)
        dense = np.zeros((keys, responses))
        dense[i, j] = weight
        expected = dense[optimize.linear_sum_assignment(dense, maximize=True)].sum()
        assert total(g) == pytest.approx(expected, rel=1e-12)


def chain(cells: int, weight: npt.NDArray[Any]) -> Graph:
    x = np.arange(cells)
    return x // 2, (x + 1) // 2, weight, cells // 2 + 1, cells // 2 + 1


@pytest.mark.slow
@pytest.mark.parametrize("slope", [1, 0, -1])
def test_long_chains(slope: int) -> None:
    """A path whose cells weigh ever more (or less) is decided at one end only; the best sum is a simple recurrence."""
    weight = 1_000_000 + slope * np.arange(20_001)
    without, with_last = 0, 0
    for w in weight.tolist():
        without, with_last = max(without, with_last), without + w
    assert total(chain(20_001, weight)) == max(without, with_last)


@pytest.mark.slow
@pytest.mark.parametrize("phi", ["φ3", "φ4", "one"])
def test_a_large_core_is_proved_best_by_linear_programming(phi: str) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is the outside check")
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is the outside check")
    g = i, j, weight, keys, responses = similarities(9000, 3000, 3000, 7, phi)
    cells = np.arange(len(i))
    rows = np.concatenate((i, keys + j))
    incidence = sparse.csr_matrix(
        (np.ones(2 * len(i)), (rows, np.concatenate((cells, cells)))), (keys + responses, len(i))
    )
    bound = optimize.linprog(-weight.astype(float), A_ub=incidence, b_ub=np.ones(keys + responses), method="highs")
    assert total(g) == pytest.approx(-bound.fun, rel=1e-9)


def test_a_book_with_giant_entities() -> None:
    """Three response entities swallow half of 30,000 mentions; the rest is aligned as it should be."""
    random = np.random.default_rng(3)
    k = np.minimum(random.geometric(0.002, 30_000) - 1, 2999)
    r = np.where(random.random(30_000) < 0.5, random.integers(0, 3, 30_000), k + 3)
    packed, n = np.unique(k * 3003 + r, return_counts=True)
    i, j = np.divmod(packed, 3003)
    found = total((i, j, n, 3000, 3003))
    own = int(n[j >= 3].sum())
    best_swaps = 0  # a giant may be given to one key entity in place of its own counterpart
    gains = {(x, y): int(w) for x, y, w in zip(i.tolist(), j.tolist(), n.tolist(), strict=True)}
    heavy = np.argsort(-np.bincount(k, minlength=3000))[:20].tolist()
    for chosen in combinations(heavy, 3):
        for order in permutations(chosen):
            swaps = sum(max(0, gains.get((x, y), 0) - gains.get((x, x + 3), 0)) for y, x in enumerate(order))
            best_swaps = max(best_swaps, swaps)
    assert found >= own + best_swaps


def test_nothing_to_align() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert assign(none, none, none, 0, 0).tolist() == []
    assert assign(none, none, none.astype(float), 3, 2).tolist() == []


def test_the_order_of_cells_and_entities_changes_no_sum() -> None:
    random = np.random.default_rng(11)
    g = i, j, weight, keys, responses = similarities(2000, 400, 500, 5, "φ3")
    for _ in range(5):
        order = random.permutation(len(i))
        new_i, new_j = random.permutation(keys), random.permutation(responses)
        assert total((new_i[i[order]], new_j[j[order]], weight[order], keys, responses)) == total(g)


def test_the_same_input_gives_the_same_alignment() -> None:
    g = similarities(5000, 900, 900, 1, "one")
    assert (assign(*g) == assign(*g)).all()


def test_integers_floats_and_fractions_agree() -> None:
    i, j, weight, keys, responses = similarities(600, 150, 150, 2, "φ3")
    exact = np.array([Fraction(w) for w in weight.tolist()], dtype=object)
    sums = {total((i, j, w, keys, responses)) for w in (weight, weight.astype(float), exact)}
    assert len(sums) == 1


def test_fractions_beyond_machine_integers() -> None:
    """Denominators whose common multiple has hundreds of bits, in a core that only the exact method can decide."""
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is the outside check")
    random = np.random.default_rng(13)
    numbers = {(x, y): Fraction(int(random.integers(1, 400)), int(random.integers(400, 800)))
               for x in range(40) for y in range(40) if random.random() < 0.4}  # fmt: skip
    found = total(graph(numbers, 40, 40))
    dense = np.zeros((40, 40))
    for pair, number in numbers.items():
        dense[pair] = number
    chosen = zip(*optimize.linear_sum_assignment(dense, maximize=True), strict=True)
    assert found >= sum(numbers.get((int(x), int(y)), Fraction(0)) for x, y in chosen)
    assert float(found) == pytest.approx(dense[optimize.linear_sum_assignment(dense, maximize=True)].sum(), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(12_000, 180, 300), (12_000, 300, 180), (6_000, 700, 700)])
def test_uneven_sides_and_sizes(shape: tuple[int, int, int]) -> None:
    """Entities of very different sizes, more on one side: many compete for few, and prices creep."""
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is the outside check")
    mentions, keys, responses = shape
    random = np.random.default_rng(17)
    k, r = (random.choice(n, mentions, p=(p := np.arange(1, n + 1) ** -0.4) / p.sum()) for n in (keys, responses))
    packed, n = np.unique(k * responses + r, return_counts=True)
    i, j = np.divmod(packed, responses)
    weight = 2 * n / (np.bincount(k, minlength=keys)[i] + np.bincount(r, minlength=responses)[j])
    dense = np.zeros((keys, responses))
    dense[i, j] = weight
    expected = dense[optimize.linear_sum_assignment(dense, maximize=True)].sum()
    assert total((i, j, weight, keys, responses)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ["product", "equal rows", "ones"])
def test_tables_on_which_augmenting_paths_are_longest(kind: str) -> None:
    """Machol and Wien's table i·j, and tables whose rows are all alike: 1 + 2 + … is the answer to two of them."""
    n = 60
    x = np.arange(1, n + 1)
    table = {"product": np.outer(x, x), "equal rows": np.tile(x, (n, 1)), "ones": np.ones((n, n), np.int64)}[kind]
    i, j = np.divmod(np.arange(n * n), n)
    expected = {"product": (x * x).sum(), "equal rows": x.sum(), "ones": n}[kind]
    assert total((i, j, table.ravel(), n, n)) == expected
