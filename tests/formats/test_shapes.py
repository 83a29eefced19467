"""Python data of any shape: read as its dict form is, or refused; nothing is scored that could mean two things."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples

FIRST = [[(0, 1), (2, 3)], [(5, 6), (7, 8)]]
SECOND = [[(0, 1), (4, 5)], [(8, 9), (10, 11)]]
WRONG = [[(0, 1)], [(4, 5), (8, 9), (10, 11)]]

Plain = dict[str, list[list[Any]]]


def meaning(source: Any) -> Plain:
    """Document → the mentions of its entities, as they are compared."""
    corpus = cl.read(source)
    return {
        document.name: sorted(sorted(map(repr, mentions)) for mentions in corpus.clusters(d).values())
        for d, document in enumerate(corpus.documents)
    }


# --------------------------------------------------------------------------------------------------------- documents


def test_a_list_of_documents_is_a_dict_of_documents() -> None:
    listed = cl.score([FIRST, SECOND], [FIRST, WRONG])
    named = cl.score({"0": FIRST, "1": SECOND}, {"0": FIRST, "1": WRONG})
    assert listed.to_dict("document") == named.to_dict("document")
    assert len(listed.counts) == 2


names = st.sampled_from("abcdefgh")
spans = st.tuples(st.integers(0, 9), st.integers(0, 9))


def clusters_of(mentions: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[Any]]]:
    return st.lists(st.lists(mentions, min_size=1, max_size=4), min_size=1, max_size=3)


OUTER = {"list": list, "tuple": tuple}
INNER = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


@examples(150)
@given(
    documents=st.one_of(*(st.lists(clusters_of(m), min_size=1, max_size=3) for m in (names, spans))),
    outer=st.sampled_from([*OUTER]),
    inner=st.sampled_from([*INNER]),
)
def test_documents_in_any_containers(documents: list[Any], outer: str, inner: str) -> None:
    """A list of documents gives what the dict gives, or is refused."""
    shaped = [OUTER[outer](INNER[inner](cluster) for cluster in document) for document in documents]
    by_name = {str(place): document for place, document in enumerate(shaped)}
    try:
        listed = meaning(shaped)
    except cl.InputError as error:
        assert error.code == "shape"
        assert inner == "tuple" or isinstance(documents[0][0][0], str), "only tuples leave a doubt"
    else:
        assert listed == meaning(by_name)


leaves: st.SearchStrategy[Any] = st.one_of(st.integers(0, 5), st.sampled_from("xyz"), spans, spans.map(list))
nestings = st.recursive(
    leaves,
    lambda inside: st.one_of(
        st.lists(inside, max_size=3),
        st.lists(inside, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from(["a", "b", "mention", "entity", "clusters"]), inside, max_size=3),
    ),
    max_leaves=12,
)


def grammar(source: Any) -> list[Plain]:
    """All readings that a nesting has, by a plain program: what can be read in two ways has two."""
    readings = [{"": one} for one in clusterings(source)]
    if isinstance(source, (list, tuple)):
        parts = [clusterings(document) for document in source]
        if parts and all(parts):
            readings.append({str(place): options[0] for place, options in enumerate(parts)})
    return readings


def clusterings(source: Any) -> list[list[list[Any]]]:
    """The clusters in a list of lists of mentions: none or one."""
    if not isinstance(source, (list, tuple)) or not all(isinstance(cluster, (list, tuple)) for cluster in source):
        return []
    if any(len(cluster) == 2 and type(cluster) is tuple and all(type(x) is int for x in cluster) for cluster in source):
        return []  # a span
    mentions = [[mention_of(member) for member in cluster] for cluster in source]
    if any(mention is None for cluster in mentions for mention in cluster):
        return []
    return [sorted(sorted(repr(m[0]) for m in cluster if m) for cluster in mentions if cluster)]


def mention_of(member: Any) -> tuple[Any] | None:
    if not isinstance(member, (list, tuple, dict)):
        return (member,)
    if isinstance(member, dict):
        return None
    if len(member) == 2 and all(type(x) is int for x in member):
        return (tuple(member),)
    if len(member) > 1 and all(isinstance(x, (list, tuple)) and len(x) == 2 for x in member):
        return (tuple(map(tuple, member)),) if all(type(n) is int for x in member for n in x) else None
    if any(type(x) is int for x in member) and any(type(x) is str for x in member):
        return (tuple(member),) if all(x is None or type(x) in (int, str) for x in member) else None
    return (
        (member,) if isinstance(member, tuple) and not any(isinstance(x, (list, tuple, dict)) for x in member) else None
    )


@examples(400)
@given(nestings)
def test_nestings_of_every_depth(source: Any) -> None:
    """What is read has a reading of the grammar; everything else is refused, with words and not with a traceback."""
    try:
        read = meaning(source)
    except cl.InputError as error:
        assert str(error)
        return
    if isinstance(source, dict) or any(isinstance(item, dict) for item in source):
        return  # maps and records are tested below, one by one
    assert read in grammar(source)


@pytest.mark.parametrize("depth", range(4, 9))
@pytest.mark.parametrize("leaf", ["x", 3, None, 2.5, ("a", "b")])
def test_what_is_too_deep_is_refused(depth: int, leaf: Any) -> None:
    source = leaf
    for _ in range(depth + (leaf == 3)):  # at the first depth, two numbers are a span
        source = [source, source]
    with pytest.raises(cl.InputError) as caught:
        cl.score(source, source)
    assert caught.value.code == "shape"


class Place(NamedTuple):
    start: int
    end: int


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ([("a", "b"), ("c",)], [["a", "b"], ["c"]]),
        ({frozenset("ab"), frozenset("c")}, [["a", "b"], ["c"]]),
        ((cluster for cluster in (["a", "b"], ["c"])), [["a", "b"], ["c"]]),
        ({"e": ["a", "b"], "f": ["c"]}.values(), [["a", "b"], ["c"]]),
        ([[[0, 1], [5, 5]], [[3, 3]]], [[(0, 1), (5, 5)], [(3, 3)]]),
        ([np.array([[0, 1], [5, 5]]), np.array([[3, 3]])], [[(0, 1), (5, 5)], [(3, 3)]]),
        ([[Place(0, 1), Place(5, 5)]], [[(0, 1), (5, 5)]]),
        ([[np.int64(3), np.int64(4)]], [[3, 4]]),
        ([[((0, 1), (3, 4)), (5, 6)]], {"": [[((0, 1), (3, 4)), (5, 6)]]}),
        ([{((0, 1), (3, 4)), ((5, 6), (8, 8))}], {"": [[((0, 1), (3, 4)), ((5, 6), (8, 8))]]}),
        ([[("d", 3, 5), ("d", 7, 7)]], {"": [[("d", 3, 5), ("d", 7, 7)]]}),
        ([{("a", "b"), ("c", "d")}], {"": [[("a", "b"), ("c", "d")]]}),
        ([[{0, 1}, {2}], [{3}]], {"0": [[0, 1], [2]], "1": [[3]]}),
        ([[["a", "b"], ["c"]], [["d"]]], {"0": [["a", "b"], ["c"]], "1": [["d"]]}),
        ([[], [["a", "b"]]], {"0": [], "1": [["a", "b"]]}),
        ([{"a": 1, "b": 1}, {"c": 2}], {"0": {"a": 1, "b": 1}, "1": {"c": 2}}),
        (pd.Series([1, 1, 2]), np.array([1, 1, 2])),
        (pl.Series([1, 1, 2]), np.array([1, 1, 2])),
    ],
)
def test_shapes_with_the_same_meaning(source: Any, same: Any) -> None:
    assert meaning(source) == meaning(same)


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [
        ([[("a", "b"), ("c", "d")]], "list of documents", "one document"),
        ([[(0, 1, 2), (3, 4, 5)]], "list of documents", "one document"),
        ([[((0, 1), (3, 4))]], "list of documents", "one document"),
        ([[[0, 1, 2], [3]], [[4]]], "several documents", "one document"),
        ([np.array([1, 1, 2])], "documents with their labels", "clusters of numbers"),
        ({"mention": "x", "entity": "y"}, "map of 2 mentions", "record of a table"),
        ({"clusters": [["a"]], "sentences": [["The"]]}, "fields of a document", "documents by their names"),
        (pd.Series([1, 1, 2], index=[4, 5, 6]), "its places", "its index"),
    ],
)
def test_two_readings_are_an_error_that_names_both(source: Any, one: str, other: str) -> None:
    with pytest.raises(cl.InputError) as caught:
        cl.read(source)
    assert one in caught.value.message and other in caught.value.message
    assert caught.value.hint, "it says how to write either"


def test_the_hints_work() -> None:
    """What the messages above propose is read, and as they say."""
    assert meaning({"one": [("a", "b"), ("c", "d")]}) == meaning({"one": [["a", "b"], ["c", "d"]]})
    assert meaning([{((0, 1), (3, 4))}]) == {"": [[repr(((0, 1), (3, 4)))]]}
    assert meaning({"0": np.array([1, 1, 2])})["0"] == [["0", "1"], ["2"]]
    assert meaning([set(np.array([1, 1, 2]).tolist())]) == {"": [["1", "2"]]}
    assert meaning([{"mention": "x", "entity": "y"}]) == {"": [["'x'"]]}
    records = [{"doc_key": "d", "clusters": [[[0, 1]]]}]
    with pytest.raises(cl.InputError, match="records of documents"):
        cl.read(records)
    assert meaning({d["doc_key"]: d["clusters"] for d in records}) == {"d": [["(0, 1)"]]}


def test_a_document_of_two_numbers_has_a_note() -> None:
    issues = cl.read({"e1": [[0, 1], [5, 5]]}).issues
    assert [issue.code for issue in issues] == ["clusters-like-spans"]
    assert not cl.read({"e1": [[0, 1], [5]]}).issues


# ------------------------------------------------------------------------------------------------------------ tables

FRAME = pd.DataFrame({"doc": ["a", "a", "b"], "mention": ["x", "y", "z"], "entity": [1, 1, 2]})
TABLES: dict[str, Any] = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "lazy": pl.from_pandas(FRAME).lazy(),
    "arrow": pl.from_pandas(FRAME).to_arrow(),
    "records": FRAME.to_dict("records"),
    "lists": FRAME.to_dict("list"),
    "arrays": {name: column.to_numpy() for name, column in FRAME.items()},
    "series": pl.from_pandas(FRAME).to_dict(),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_in_memory(kind: str) -> None:
    assert meaning(TABLES[kind]) == {"a": [["'x'", "'y'"]], "b": [["'z'"]]}
    for engine in ("auto", "memory"):
        result = cl.score(TABLES[kind], FRAME, engine=engine)
        assert result.conll == pytest.approx(cl.score(FRAME, FRAME).conll)
        assert len(result.counts) == 2


def test_the_engine_asked_for_scores_a_frame() -> None:
    pytest.importorskip("duckdb")
    ours, theirs = (cl.score(FRAME, FRAME, engine=engine, metrics="muc,bcub") for engine in ("memory", "duckdb"))
    assert ours["bcub"].f1 == theirs["bcub"].f1 == 1


def test_spans_in_a_frame() -> None:
    frame = pd.DataFrame({"start": [0, 5, 3], "end": [1, 5, 3], "entity": [1, 1, 2]})
    assert cl.score(frame, [[(0, 1), (5, 5)], [(3, 3)]])["mentions"].f1 == 1


def test_named_columns_of_a_frame() -> None:
    frame = FRAME.rename(columns={"mention": "who", "entity": "is"})
    with pytest.raises(cl.InputError, match="not the columns of a table"):
        cl.score(frame, frame)
    for side in (frame, frame.to_dict("records")):
        result = cl.score(side, side, columns={"mention": "who", "entity": "is"})
        assert len(result.counts) == 2 and result["bcub"].f1 == 1


def test_missing_values_of_a_frame() -> None:
    frame = pd.DataFrame({"mention": ["x", "y", "z"], "entity": [1, None, 1]})
    with pytest.raises(cl.InputError, match="empty mention or entity"):
        cl.score(frame, frame)
    result = cl.score(frame, frame, unlabelled="absent")
    assert result["mentions"].counts["recall_den"] == 2
    assert [(i.code, i.count) for i in result.issues][:1] == [("unlabelled", 1)]
    assert meaning(frame.dropna()) == meaning(pd.DataFrame({"mention": ["x", "z"], "entity": ["1", "1"]}))
    with pytest.raises(cl.InputError, match="can't identify anything"):
        cl.read(pd.DataFrame({"mention": ["x"], "entity": [1.5]}))
    with pytest.raises(cl.InputError, match="no rows"):
        cl.read(FRAME.head(0))
    with pytest.raises(cl.InputError, match="different lengths"):
        cl.read({"mention": ["x", "y"], "entity": [1]})


# -------------------------------------------------------------------------------------------- the other ways to score


@pytest.mark.parametrize(
    "source", [[[("a", "b")]], [[["a"], 3]], [{"a": ["b"]}], [[[[["a"]]]]], [{"doc_key": "x", "clusters": [["a"]]}]]
)
def test_every_entry_refuses_the_same(source: Any) -> None:
    from coreflens.compat import CorefEvaluator
    from coreflens.integrations import CorefMetric

    good = [["a", "b"]]
    wrong: Any = [["a"], 3]
    entries: list[Callable[[], Any]] = [
        lambda: cl.score(good, source),
        lambda: cl.Scorer(good)(source),
        lambda: cl.Scorer(source),
        lambda: cl.Accumulator().update(good, source),
        lambda: cl.compare(source, {"one": good}),
        lambda: CorefMetric().update([source], [good]),
        lambda: CorefEvaluator().update(source[0] if source == [[("a", "b")]] else source, wrong),
    ]
    for entry in entries:
        with pytest.raises(cl.InputError) as caught:
            entry()
        assert caught.value.code == "shape"


def test_a_batch_is_a_list_of_documents() -> None:
    from coreflens.integrations import CorefMetric

    metric = CorefMetric(metrics="conll")
    for batch in ([[[0, 1], [2, 3]]], FIRST):
        with pytest.raises(cl.InputError, match="one document with spans, or a list of documents"):
            metric.update(batch, batch)
    metric.update([FIRST, WRONG], [FIRST, SECOND])
    assert metric.compute()["conll"] == cl.score([FIRST, SECOND], [FIRST, WRONG]).conll
