"""The price of every error: found locally, it equals a count of the whole response with the error corrected."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples, seeds
from coreflens.corpus.model import IntArray
from coreflens.diagnosis import augmenting_paths, gains
from coreflens.diagnosis.ceafe_rematching import UNIT, Matching, Offers, similarity
from coreflens.diagnosis.changed_entities import ChangedEntities
from coreflens.diagnosis.classes import CLASSES
from coreflens.diagnosis.recount import recounted
from coreflens.diagnosis.repairs import Correction, repaired
from coreflens.formats import concatenate
from coreflens.metrics import METRICS, Metric
from coreflens.metrics.assignment import assign
from coreflens.options import Average, Singletons
from diagnosing import Doc, diagnosed, docs, spanned
from places import DATA

COUNTED = [name for name, metric in METRICS.items() if isinstance(metric, Metric)]
OPTIONS = st.fixed_dictionaries(
    {
        "singletons": st.sampled_from(["keep", "drop", "drop-response", "drop-before", "e2e"]),
        "undefined": st.sampled_from(["zero", "nan", "popescu-belis"]),
        "average": st.sampled_from(["micro", "macro"]),
        "scope": st.sampled_from(["document", "corpus"]),
    }
)


def gain(d: cl.Diagnosis, number: int, block: bool = False) -> float:
    """The change of the CoNLL average by scoring the corrected response, or at least its document, again."""
    column = repaired(d.evidence, d.found, np.arange(len(d.found)) == number)
    only = d.evidence.only_block(d.found.of(number)) if block else None
    return d.prices.changes([Correction(column, only)])[0]["conll"]


def same(d: cl.Diagnosis) -> None:
    assert d.gains.tolist() == pytest.approx([gain(d, n) for n in range(len(d.found))], abs=1e-12)


# ------------------------------------------------------------------------------------------------------------- corpora


@examples(300)
@given(docs, st.booleans(), OPTIONS)
def test_prices_are_those_of_recounting(documents: list[Doc], tags: bool, options: dict[str, Any]) -> None:
    same(diagnosed(documents, tags=tags, metrics="conll", **options))


@examples(100)
@given(
    st.lists(st.lists(st.tuples(*[st.none() | st.integers(0, 9)] * 2, st.booleans()), max_size=40), max_size=2),
    OPTIONS,
)
def test_prices_of_entities_that_share_much(documents: list[Doc], options: dict[str, Any]) -> None:
    same(diagnosed([*documents, []], metrics="conll", **options))


@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 9), OPTIONS)
def test_prices_among_ties(rows: int, columns: int, seed: int, options: dict[str, Any]) -> None:
    """Key entities are the rows of a grid and response entities its columns, but for a few mentions."""
    rng = np.random.default_rng(seed)
    grid: Doc = [(i, j, bool(rng.random() < 0.2)) for i in range(rows) for j in range(columns)]
    for place in rng.choice(len(grid), seed % 3, replace=False).tolist():
        grid[place] = (grid[place][0], None if rng.random() < 0.5 else 0, False)
    same(diagnosed([grid], metrics="conll", **options))


spans = st.lists(
    st.tuples(st.integers(0, 13), st.integers(0, 2)).map(lambda x: (x[0], sum(x))), min_size=1, unique=True
)


@examples(200)
@given(spans, spans, OPTIONS)
def test_prices_among_wrong_spans(ours: list[tuple[int, int]], theirs: list[tuple[int, int]], options: Any) -> None:
    rng = np.random.default_rng(len(ours))
    sides = []
    for given_ in (ours, theirs):
        side = spanned(*given_)
        sides.append(replace(side, entity=rng.integers(0, 4, len(side)), labels=range(4)))
    same(cl.diagnose(*sides, metrics="conll", **options))


mentions = st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=5), min_size=1, max_size=4)


@examples(200)
@given(mentions, mentions, OPTIONS)
def test_prices_among_repetitions(ours: list[list[int]], theirs: list[list[int]], options: dict[str, Any]) -> None:
    """Mentions that are in several entities, or twice in one, as scorer.pl counts them."""
    same(cl.diagnose(ours, theirs, metrics="conll", duplicates="perl", **options))


@given(docs)
def test_prices_in_parts(documents: list[Doc]) -> None:
    """If there are many cells, not all errors are priced at once."""
    d = diagnosed(documents, metrics="conll")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gains, "AT_ONCE", 3)
        assert diagnosed(documents, metrics="conll").gains.tolist() == d.gains.tolist()


@examples(100)
@given(docs, st.sampled_from(["keep", "drop", "drop-response", "drop-before", "e2e"]), st.sampled_from(COUNTED))
def test_many_responses_are_counted_as_each_alone(documents: list[Doc], singletons: Singletons, metric: str) -> None:
    """Every sum is the same to the last bit, in whole corpora and in single blocks."""
    d = diagnosed(documents, metrics=metric, singletons=singletons)
    corrections = [Correction(d.evidence.alignment.response)]
    for number in range(len(d.found)):
        column = repaired(d.evidence, d.found, np.arange(len(d.found)) == number)
        block = d.evidence.only_block(d.found.of(number))
        corrections += [Correction(column), Correction(column, block)]
    together = recounted(d.evidence, d.metrics, corrections)
    alone = [recounted(d.evidence, d.metrics, [correction])[0] for correction in corrections]
    assert [x.tobytes() for x in together] == [x.tobytes() for x in alone]


def test_all_classes_of_errors_are_met() -> None:
    """What the tests above rest on."""
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(20):
        sides = [[x if x < 4 else None for x in rng.integers(0, 6, 14).tolist()] for _ in range(2)]
        doc: Doc = list(zip(*sides, (rng.random(14) < 0.4).tolist(), strict=True))
        d = diagnosed([doc], metrics="conll")
        seen |= {CLASSES[kind] for kind in d.found.kind.tolist()}
        same(d)
    d = cl.diagnose(spanned((0, 4), (7, 7), (11, 15)), spanned((1, 4), (7, 7), (11, 15)), metrics="conll")
    same(d)
    assert seen | {CLASSES[kind] for kind in d.found.kind.tolist()} == set(CLASSES)


@given(docs, st.booleans())
def test_moves_are_those_of_repairs(documents: list[Doc], tags: bool) -> None:
    d = diagnosed(documents, tags=tags)
    response = d.evidence.alignment.response

    def entities(column: Any) -> list[list[int]]:
        return sorted(np.flatnonzero(column == j).tolist() for j in np.unique(column[column >= 0]))

    moves = ChangedEntities.of(d.evidence, d.found)
    assert (np.diff(moves.error) >= 0).all() and (np.diff(moves.row_of) >= 0).all()
    for number in range(len(d.found)):
        after = {int(j): set(np.flatnonzero(response == j).tolist()) for j in np.unique(response[response >= 0])}
        made: list[set[int]] = []
        for new in np.flatnonzero(moves.error == number).tolist():
            made.append(set().union(*(after.pop(j) for j in moves.source[moves.source_of == new].tolist())))
            for row, sign in zip(moves.row[moves.row_of == new].tolist(), moves.sign[moves.row_of == new], strict=True):
                assert (row in made[-1]) == (sign < 0)
                made[-1] ^= {row}
        column = repaired(d.evidence, d.found, np.arange(len(d.found)) == number)
        assert sorted(sorted(rows) for rows in (*after.values(), *made) if rows) == entities(column)


# ----------------------------------------------------------------------------------------------------------- alignment


@examples(300)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 9), st.integers(1, 3))
def test_a_matching_after_a_change_is_the_best(seed: int, keys: int, responses: int, most: int) -> None:
    """Any response entities replaced by any others, few sizes so that there are many ties."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, most + 1, (responses, keys)) * (rng.random((responses, keys)) < 0.5)
    a, b = table.sum(axis=0) + rng.integers(0, 2, keys), table.sum(axis=1) + rng.integers(0, 2, responses)
    a += 4  # room for what is added below

    def total(table: Any, b: Any) -> float:
        j, i = np.nonzero(table)
        weight = similarity(table[j, i], a[i], b[j])
        return int(weight[assign(i, j, weight, keys, len(table))].sum()) / UNIT

    j, i = np.nonzero(table)
    matching = Matching(i, j, table[j, i], a, b)
    gone_by, gone, made_by, sizes, expected = [], [], [], [], []
    rows: list[IntArray] = []
    for change in range(4):
        left = rng.choice(responses, rng.integers(0, min(responses, 3) + 1), replace=False).tolist()
        first = len(rows)
        for _ in range(rng.integers(0, len(left) + 2)):
            new = rng.integers(0, most + 1, keys) * (rng.random(keys) < 0.6)
            if among := int(new.sum() + rng.integers(0, 2)):
                rows.append(new)
                sizes.append(among)
                made_by.append(change)
        gone += left
        gone_by += [change] * len(left)
        kept = np.setdiff1d(np.arange(responses), left)
        changed = np.array([*table[kept], *rows[first:]]).reshape(-1, keys)
        after = total(changed, np.array([*b[kept], *sizes[first:]], dtype=np.int64))
        expected.append(after - total(table, b))
    added, size = np.array(rows, dtype=np.int64).reshape(-1, keys), np.array(sizes, dtype=np.int64)
    new, i = np.nonzero(added)
    weight = similarity(added[new, i], a[i], size[new])
    by, removed, made = (np.array(x, dtype=np.int64) for x in (gone_by, gone, made_by))
    found = matching.changes(4, by, removed, Offers(made, new, i, weight))
    assert found.tolist() == pytest.approx(expected, abs=1e-13)


# ----------------------------------------------------------------------------------------------------------- real files


def checked(d: cl.Diagnosis, count: int) -> None:
    for number in np.random.default_rng(0).permutation(len(d.found))[:count].tolist():
        assert d.gains[number] == pytest.approx(gain(d, number, block=True), abs=1e-12), d.error(number)
    assert [r.alone["conll"] for r in d.repairs(5)] == pytest.approx(sorted(d.gains, reverse=True)[:5])


@pytest.mark.slow
@pytest.mark.parametrize("singletons", ["keep", "drop", "drop-response", "drop-before"])
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_prices_of_a_real_system(singletons: Singletons, average: Average) -> None:
    folder = DATA / "berkeley_ontonotes_sample"
    if not folder.is_dir():
        pytest.skip("no ../shared/data/berkeley_ontonotes_sample: prices of a real system not checked")
    key = concatenate([cl.read(str(f)) for f in sorted((folder / "gold").rglob("*gold_conll"))])
    response = str(folder / "homogenised/stanford.homogenised.out")
    d = cl.diagnose(key, response, metrics="conll", singletons=singletons, average=average)
    assert len(d.found) > 100
    checked(d, 150)


@pytest.mark.slow
def test_prices_of_a_real_corpus() -> None:
    file = DATA / "rucor_systems" / "coref_chains_default.txt"
    if not file.is_file():
        pytest.skip("no ../shared/data/rucor_systems: prices of a real corpus not checked")
    d = cl.diagnose(str(file), str(file), metrics="conll")  # both sides are in it
    assert len(d.found) > 1000
    checked(d, 200)


@pytest.mark.parametrize("seed", seeds(6))
def test_prices_of_many_ties_are_those_of_the_whole_search(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entities of equal sizes make large neighbourhoods; the ways of the alignment say the same as a search."""
    random = Random(seed)
    for _ in range(12):
        entities, size = random.randrange(2, 40), random.choice((1, 2, 2, 3, 4))
        mentions = [f"m{n}" for n in range(entities * size)]
        key = [mentions[n * size : (n + 1) * size] for n in range(entities)]
        if random.random() < 0.5:  # every entity shares a half with the next one
            mentions = mentions[size // 2 :] + mentions[: size // 2]
        elif random.random() < 0.5:
            random.shuffle(mentions)
        for _ in range(random.choice((0, 1, 4))):
            mentions[random.randrange(len(mentions))] = f"spurious {random.random()}"
        sizes = [size] * entities if random.random() < 0.7 else random.choices((1, size, 2 * size), k=entities)
        response = [x for n in range(entities) if (x := mentions[sum(sizes[:n]) : sum(sizes[: n + 1])])]
        found = []
        for few in (1, 10**9):
            monkeypatch.setattr(augmenting_paths, "FEW", few)
            found.append(cl.diagnose(key, response).gains.tolist())
        assert found[0] == found[1]
