"""One content, many formats, the same scores: CoNLL, jsonlines, tables, plain Python, packed files, directories."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Callable, Hashable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import pytest

import coreflens as cl
from coreflens.formats import FormatName

Span: TypeAlias = tuple[int, int]
Clusters: TypeAlias = list[list[Span]]


class Doc:
    """A document to be written in every format: name, part, number of tokens, clusters of spans."""

    def __init__(self, name: str, part: int, tokens: int, clusters: Clusters) -> None:
        self.name, self.part, self.tokens, self.clusters = name, part, tokens, clusters

    @property
    def key(self) -> str:
        return f"{self.name}_{self.part}"


def random_clusters(chance: random.Random, tokens: int) -> Clusters:
    """Nested and crossing spans, each once; those of one entity do not cross, which CoNLL can't express."""
    clusters: Clusters = [[] for _ in range(chance.randint(1, 5))]
    seen: set[Span] = set()
    for _ in range(chance.randint(0, 14)):
        start = chance.randrange(tokens)
        span = start, min(tokens - 1, start + chance.choice((0, 0, 1, 2, 5)))
        cluster = chance.choice(clusters)
        if span not in seen and not any(a < span[0] <= b < span[1] or span[0] < a <= span[1] < b for a, b in cluster):
            seen.add(span)
            cluster.append(span)
    return [sorted(cluster) for cluster in clusters if cluster]


def corpora(seed: int) -> tuple[list[Doc], list[Doc]]:
    """A key and a response of the same few documents, with some mentions in common."""
    chance = random.Random(seed)
    key, response = [], []
    for name, part in (("nw/a", 0), ("nw/a", 1), ("bc/x y", 0), ("plain", 12)):
        tokens = chance.randint(8, 20)
        clusters = [[(0, 0), (1, 2)], *random_clusters(chance, tokens)]
        other = random_clusters(chance, tokens)
        if chance.random() < 0.7:
            other = [[*cluster] for cluster in clusters]
            chance.choice(other).pop()
        sides = [_once(clusters), _once([[(0, 0)], *other])]
        key.append(Doc(name, part, tokens, sides[0]))
        response.append(Doc(name, part, tokens, sides[1]))
    return key, response


def _once(clusters: Clusters) -> Clusters:
    seen: set[Span] = set()
    kept = []
    for cluster in clusters:
        kept.append([span for span in cluster if span not in seen])
        seen.update(cluster)
    return [cluster for cluster in kept if cluster]


# ------------------------------------------------------------------------------------------------------------ writers


def to_conll(docs: list[Doc], columns: int = 5, separator: str = "\t", empty: str = "-") -> str:
    lines = []
    for doc in docs:
        lines.append(f"#begin document ({doc.name}); part {doc.part:03}")
        mentions = sorted(((m, c) for c, cluster in enumerate(doc.clusters) for m in cluster), key=lambda x: x[0][1])
        for token in range(doc.tokens):
            closing = [f"{c})" for (a, b), c in reversed(mentions) if a < b == token]
            opening = [f"({c}" for (a, b), c in reversed(mentions) if a == token < b]
            single = [f"({c})" for (a, b), c in mentions if a == b == token]
            cell = "|".join((*closing, *opening, *single)) or empty
            words = [doc.name.replace(" ", "_"), str(doc.part), str(token), f"w{token % 5}", "x"][: columns - 1]
            lines.append(separator.join((*words, cell)))
            if token % 6 == 5:
                lines.append("")
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


def to_jsonlines(docs: list[Doc]) -> str:
    records = []
    for doc in docs:
        words = [f"w{token % 5}" for token in range(doc.tokens)]
        cuts = sorted({0, 3, doc.tokens})
        sentences = [words[a:b] for a, b in pairwise(cuts)]
        records.append(json.dumps({"doc_key": doc.key, "sentences": sentences, "clusters": doc.clusters}))
    return "\n".join(records) + "\n"


def to_table(docs: list[Doc], delimiter: str = ",", header: tuple[str, str, str] = ("doc", "mention", "entity")) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    for doc in docs:
        rows = [(doc.key, f"{a:03}-{b:03}", f"e{c}") for c, cluster in enumerate(doc.clusters) for a, b in cluster]
        writer.writerows(sorted(rows))
    return buffer.getvalue()


def to_spans(docs: list[Doc]) -> dict[str, Any]:
    return {doc.key: doc.clusters for doc in docs}


def to_lists(docs: list[Doc]) -> dict[str, Any]:
    return {doc.key: tuple([list(m) for m in cluster] for cluster in reversed(doc.clusters)) for doc in docs}


def to_sets(docs: list[Doc]) -> dict[str, Any]:
    return {doc.key: [frozenset(cluster) for cluster in doc.clusters] for doc in docs}


def to_maps(docs: list[Doc]) -> dict[str, Any]:
    return {doc.key: {m: f"e{c}" for c, cluster in enumerate(doc.clusters) for m in cluster} for doc in docs}


FILES: dict[str, Callable[[list[Doc]], str]] = {
    "conll": to_conll,
    "conll, blanks and stars": lambda docs: to_conll(docs, separator="   ", empty="*"),
    "conll, two columns": lambda docs: to_conll(docs, columns=2, empty="_"),
    "conll, windows": lambda docs: to_conll(docs).replace("\n", "\r\n"),
    "conll, part 0": lambda docs: to_conll(docs).replace("part 00", "part "),
    "jsonlines": to_jsonlines,
    "jsonlines, other order": lambda docs: to_jsonlines(docs[::-1]),
}
TABLES: dict[str, Callable[[list[Doc]], str]] = {
    "csv": to_table,
    "tsv": lambda docs: to_table(docs, "\t"),
    "windows": lambda docs: "\ufeff" + to_table(docs).replace("\n", "\r\n"),
    "other names": lambda docs: to_table(docs, header=("Document_ID", " Mention ", "CLUSTER")),
}
PYTHON: dict[str, Callable[[list[Doc]], dict[str, Any]]] = {
    "spans": to_spans,
    "lists": to_lists,
    "sets": to_sets,
    "maps": to_maps,
}


def numbers(result: cl.Result) -> dict[str, Any]:
    """Everything a result says, by corpus and by document, in no order."""
    groups = {label: scores.to_dict() for label, scores in result.by_document().items()}
    return {"corpus": result.to_dict()["scores"], "by": groups}


@pytest.fixture(params=range(4))
def sides(request: pytest.FixtureRequest) -> tuple[list[Doc], list[Doc]]:
    return corpora(request.param)


def score(key: Any, response: Any) -> dict[str, Any]:
    return numbers(cl.score(key, response, metrics="all", exact=True))


@pytest.mark.slow
def test_same_content_same_scores(sides: tuple[list[Doc], list[Doc]], tmp_path: Path) -> None:
    key, response = sides
    expected = score(to_spans(key), to_spans(response))
    assert list(expected["by"]) == ["nw/a_0", "nw/a_1", "bc/x y_0", "plain_12"]
    sources: dict[str, tuple[Any, Any]] = {what: (write(key), write(response)) for what, write in PYTHON.items()}
    for what, write_file in FILES.items():
        paths = tmp_path / f"{what}.key", tmp_path / f"{what}.response"
        for path, docs in zip(paths, sides, strict=True):
            path.write_text(write_file(docs), encoding="utf-8", newline="")
        sources[what] = paths
    for what, (one, other) in sources.items():
        by = score(one, other)
        assert by["corpus"] == expected["corpus"], what
        assert by["by"] == expected["by"], what
    names = [*sources]
    for one, other in zip(names, names[3:] + names[:3], strict=True):  # key in one format, response in another
        assert score(sources[one][0], sources[other][1]) == expected, (one, other)


def test_tables(sides: tuple[list[Doc], list[Doc]], tmp_path: Path) -> None:
    expected = score(*map(to_spans, sides))
    for what, write in TABLES.items():
        for name, docs in zip(("key", "response"), sides, strict=True):
            (tmp_path / name).write_text(write(docs), encoding="utf-8", newline="")
        found = score(tmp_path / "key", str(tmp_path / "response"))
        assert _without_words(found) == _without_words(expected), what


def _without_words(scores: dict[str, Any]) -> dict[str, Any]:
    """Without the overlap of words: a table of names has none, and each mention counts as one."""
    groups = {"corpus": scores["corpus"], **scores["by"]}
    return {group: {name: score for name, score in found.items() if name != "mor"} for group, found in groups.items()}


def test_corpora_are_sources_too(sides: tuple[list[Doc], list[Doc]]) -> None:
    key, response = (cl.read(to_spans(docs)) for docs in sides)
    assert score(key, response) == score(*map(to_spans, sides))
    assert cl.read(key) is key


@pytest.mark.parametrize("packed", [False, True])
def test_directories(packed: bool, tmp_path: Path) -> None:
    sides = corpora(7)
    for name, docs in zip(("key", "response"), sides, strict=True):
        for number, doc in enumerate(docs):
            path = tmp_path / name / f"part{number % 2}" / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            data = (to_conll if number % 3 else to_jsonlines)([doc]).encode()
            path.write_bytes(gzip.compress(data) if packed else data)
    found = score(tmp_path / "key", tmp_path / "response")
    assert found == score(*map(to_spans, sides))
    assert score(tmp_path / "key", to_spans(sides[1])) == found


def test_directory_paired_by_file(tmp_path: Path) -> None:
    """Documents with names of their own on each side meet by the names of their files."""
    key, response = corpora(8)
    for name, docs in (("key", key), ("response", response)):
        (tmp_path / name).mkdir()
        for number, doc in enumerate(docs):
            renamed = Doc(f"{name}{number}", 0, doc.tokens, doc.clusters)
            suffix = "conll" if name == "key" else "jsonl.gz"
            data = (to_conll if name == "key" else to_jsonlines)([renamed]).encode()
            (tmp_path / name / f"{number}.{suffix}").write_bytes(gzip.compress(data) if name == "response" else data)
    with pytest.raises(cl.InputError, match="no document in common"):
        cl.score(tmp_path / "key", tmp_path / "response")
    paired = cl.score(tmp_path / "key", tmp_path / "response", pair="file", exact=True)
    assert paired.conll == cl.score(to_spans(key), to_spans(response), exact=True).conll


def test_recognised_by_content_not_by_name(tmp_path: Path) -> None:
    docs = corpora(3)[0]
    cases: list[tuple[Callable[..., str], str, FormatName]] = [
        (to_conll, "a.csv", "conll"),
        (to_jsonlines, "a.conll", "jsonlines"),
    ]
    for write, wrong, format_ in cases:
        (tmp_path / wrong).write_text(write(docs), encoding="utf-8")
        assert cl.read(tmp_path / wrong).format == format_
        assert cl.read(tmp_path / wrong, format=format_).format == format_
    (tmp_path / "a.jsonl").write_text(to_table(docs), encoding="utf-8")
    assert cl.read(tmp_path / "a.jsonl").format == "table"


# ---------------------------------------------------------------------------------------------------------- jsonlines


def lines(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


TWO: Clusters = [[(0, 0), (2, 3)], [(1, 1)]]


@pytest.mark.parametrize(
    ("doc_key", "begin"),
    [
        ("bc/cctv_0000_0", "#begin document (bc/cctv_0000); part 000"),
        ("bc/cctv_0000_11", "#begin document (bc/cctv_0000); part 011"),
        ("bc/cctv_0000", "#begin document (bc/cctv_0000); part 0"),
        ("bc/cctv_0000", "#begin document (bc/cctv_0000);"),
        ("bc/cctv_0000_0", "#begin document (bc/cctv_0000);"),
    ],
)
def test_parts(tmp_path: Path, doc_key: str, begin: str) -> None:
    (tmp_path / "a.conll").write_text(f"{begin}\nx\ty\t(0)\nx\ty\t(1)\nx\ty\t(0\nx\ty\t0)\n#end document\n")
    other = lines(tmp_path / "b.jsonl", {"doc_key": doc_key, "clusters": TWO})
    for pair in ((tmp_path / "a.conll", other), (other, tmp_path / "a.conll")):
        assert cl.score(*pair).conll == 1


def test_part_0_is_not_part_1(tmp_path: Path) -> None:
    one = lines(tmp_path / "a.jsonl", {"doc_key": "a_0", "clusters": TWO}, {"doc_key": "a_1", "clusters": []})
    other = lines(tmp_path / "b.jsonl", {"doc_key": "a_1", "clusters": []}, {"doc_key": "a_0", "clusters": TWO})
    assert cl.score(one, other).by_document()["a_0"]["bcub"].f1 == 1


def test_predicted_clusters(tmp_path: Path) -> None:
    record = {"doc_key": "a", "clusters": TWO, "predicted_clusters": [[[0, 0], [1, 1]]]}
    path = lines(tmp_path / "a.jsonl", record, {**record, "doc_key": "b"})
    result = cl.score(path, path)
    assert result["bcub"].recall == pytest.approx(1 / 2)
    assert [(issue.code, issue.count) for issue in result.issues] == [("predicted-clusters", 2)]
    assert "a.jsonl" in str(result.issues[0])
    only = lines(tmp_path / "b.jsonl", {"doc_key": "a", "predicted_clusters": TWO})
    key = lines(tmp_path / "c.jsonl", {"doc_key": "a", "clusters": TWO})
    assert (cl.score(key, only).conll, cl.score(key, only).issues) == (1, [])
    assert cl.score(only, key).conll == 1


def test_without_doc_key(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [{"clusters": TWO}, {"clusters": [[[0, 1], [5, 5]]]}]
    one, other = lines(tmp_path / "one.jsonl", *records), lines(tmp_path / "other.jsonl", *records)
    (tmp_path / "elsewhere").mkdir()
    same = lines(tmp_path / "elsewhere" / "one.jsonl", *records)
    assert len(cl.score(one, same).by_document()) == 2
    assert cl.score(one, same).conll == 1
    with pytest.raises(cl.InputError, match='pair="file"'):
        cl.score(one, other)
    assert cl.score(one, other, pair="file").conll == 1


@pytest.mark.parametrize("keys", [[0, 1, 2], ["0", "1", "2"], [7, "x", 1.5]])
def test_doc_keys_of_any_kind(tmp_path: Path, keys: list[Any]) -> None:
    records = [{"doc_key": key, "clusters": TWO} for key in keys]
    one, other = lines(tmp_path / "one.jsonl", *records), lines(tmp_path / "other.jsonl", *records[::-1])
    assert list(cl.score(one, other).by_document()) == [str(key) for key in keys]


def test_jsonlines_corpus(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('\n{"doc_key": "a", "sentences": [["x"], [], ["y", "z", "v"]], "clusters": [[[2, 3], [0, 0]]]}\n\n')
    corpus = cl.read(path)
    assert [(d.name, d.tokens, d.line) for d in corpus.documents] == [("a", 4, 2)]
    assert [(m.start, m.end, m.place) for m in corpus] == [(0, 0, f"{path}:2"), (2, 3, f"{path}:2")]
    assert list(corpus.clusters(0).values()) == [[(0, 0), (2, 3)]]


def test_more_fields_and_longer_spans_are_left_alone(tmp_path: Path) -> None:
    """Some programs add a score or a type to a span, and fields to a record."""
    plain = lines(tmp_path / "a.jsonl", {"doc_key": "a", "clusters": TWO})
    rich = lines(
        tmp_path / "b.jsonl",
        {"doc_key": "a", "clusters": [[[0, 0, "PER"], [2, 3, 0.5]], [[1, 1]]], "speakers": [["-"]], "pronouns": None},
    )
    assert cl.score(plain, rich).conll == 1


# ------------------------------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize("document", ["doc", "document", "doc_id", "DocID", "doc_key", "document_id"])
@pytest.mark.parametrize("mention", ["mention", "mention_id", "record_id", "rec_id", "Record"])
@pytest.mark.parametrize("entity", ["entity", "entity_id", "cluster", "Cluster_ID", "chain"])
def test_headers(tmp_path: Path, document: str, mention: str, entity: str) -> None:
    path = tmp_path / "a"
    path.write_text(f"{entity},{document},text,{mention}\ne1,d,some,m1\ne2,d,thing,m2\ne1,d,else,m3\n")
    corpus = cl.read(path)
    assert corpus.clusters(0) == {"e1": ["m1", "m3"], "e2": ["m2"]}
    assert [d.name for d in corpus.documents] == ["d"]


def test_table_without_documents(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("mention,entity\nm1,e1\nm2,e1\nm3,e2\n")
    (tmp_path / "b.tsv").write_text("entity\tmention\nx\tm3\ny\tm1\ny\tm2\n")
    result = cl.score(tmp_path / "a.csv", tmp_path / "b.tsv")
    assert (result.conll, result.signature.documents, result.issues) == (1, 1, [])
    assert cl.score(tmp_path / "a.csv", [{"m1", "m2"}, {"m3"}]).conll == 1
    assert cl.score({"m1": 1, "m2": 1, "m3": 0}, tmp_path / "b.tsv").conll == 1


def test_quoted_cells(tmp_path: Path) -> None:
    text = 'doc,mention,entity\n"a,b","the ""old""\nfox",e1\n"a,b",she,"e1"\n'
    (tmp_path / "a.csv").write_text(text, encoding="utf-8", newline="")
    corpus = cl.read(tmp_path / "a.csv")
    assert corpus.clusters(0) == {"e1": ['the "old"\nfox', "she"]}
    assert [m.line for m in corpus][1] == 4, "lines are those of the file, not rows"


def test_rows_of_a_document_may_stand_apart(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("doc,mention,entity\na,1,x\nb,1,x\na,2,x\n\nb,2,y\n")
    corpus = cl.read(tmp_path / "a.csv")
    assert [d.name for d in corpus.documents] == ["a", "b"]
    assert [corpus.clusters(d) for d in (0, 1)] == [{"x": ["1", "2"]}, {"x": ["1"], "y": ["2"]}]
    assert cl.score(tmp_path / "a.csv", tmp_path / "a.csv", scope="corpus")["muc"].counts["recall_den"] == 2


# -------------------------------------------------------------------------------------------------------- plain Python

KEY: list[set[str]] = [{"a", "b"}, {"c"}]
RESPONSE: list[set[str]] = [{"a"}, {"b", "c"}]


@pytest.mark.parametrize(
    "key",
    [
        KEY,
        [["a", "b"], ["c"]],
        (("b", "a"), ("c",)),
        {frozenset("ab"), frozenset("c")},
        [{"a": 0, "b": 0}.keys(), ["c"]],
        {"a": 1, "b": 1, "c": 2},
        {"": KEY},
        [[], {"a", "b"}, set(), ["c"]],
    ],
)
def test_shapes_of_clusters(key: Any) -> None:
    expected = cl.score(KEY, RESPONSE, metrics="all").to_dict()
    assert cl.score(key, RESPONSE, metrics="all").to_dict() == expected
    exchanged = cl.score(RESPONSE, key, metrics="all").to_dict()
    assert exchanged["scores"] == cl.score(RESPONSE, KEY, metrics="all").to_dict()["scores"]


def test_generators() -> None:
    assert cl.score((c for c in KEY), iter(RESPONSE)).conll == cl.score(KEY, RESPONSE).conll


def test_mentions_of_any_kind() -> None:
    for mentions in ((1, 2, 3), (1.5, "b", None), ((0, 1), (2, 3), (2, 2)), ("a", ("a",), b"a"), (True, 2, 0)):
        a, b, c = cast(tuple[Any, ...], mentions)
        result = cl.score([[a, b], [c]], [[a], [b, c]], metrics="all")
        assert result.conll == cl.score(KEY, RESPONSE).conll, mentions


def test_spans_as_lists() -> None:
    clusters = [[[0, 1], [5, 5]], [[3, 3]]]
    assert cl.score(clusters, [[(0, 1), (5, 5)], [(3, 3)]]).conll == 1
    assert cl.score([np.array([[0, 1], [5, 5]]).tolist(), [(3, 3)]], clusters).conll == 1


LABELS = np.array([1, 1, 2, 0])
POSITIONS: list[list[int]] = [[0, 1], [2], [3]]


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        LABELS.astype(np.uint8),
        LABELS - 7,
        LABELS * 10**12,
        LABELS + 0.5,
        np.array(["x", "x", "y", "z"]),
        np.array(["x", "x", "y", 7], dtype=object),
        LABELS == 5,
    ],
)
def test_label_arrays(labels: Any) -> None:
    other = np.array([3, 4, 4, 4])
    clusters: dict[Hashable, list[int]] = {}
    for place, label in enumerate(labels.tolist()):
        clusters.setdefault(label, []).append(place)
    expected = cl.score(list(clusters.values()), [[0], [1, 2, 3]], metrics="all").to_dict()["scores"]
    assert cl.score(labels, other, metrics="all").to_dict()["scores"] == expected
    assert cl.score({"d": labels}, {"d": other}, metrics="all").to_dict()["scores"] == expected


def test_label_array_against_clusters_of_positions() -> None:
    """Mention p of an array is position p, on whichever side."""
    for positions in (POSITIONS, {0: "x", 1: "x", 2: "y", 3: "z"}):
        assert cl.score(LABELS, positions).conll == cl.score(positions, LABELS).conll == 1
        assert cl.score({"d": LABELS}, {"d": positions}).conll == 1


def test_label_arrays_of_unequal_length() -> None:
    with pytest.raises(cl.InputError, match="the key has 3 labels, and the response 2"):
        cl.score(np.array([0, 0, 1]), np.array([0, 0]))


def test_python_against_files(tmp_path: Path) -> None:
    key, response = corpora(5)
    (tmp_path / "key.conll").write_text(to_conll(key), encoding="utf-8")
    expected = score(to_spans(key), to_spans(response))
    assert score(tmp_path / "key.conll", to_spans(response)) == expected
    assert score(str(tmp_path / "key.conll"), to_lists(response)) == expected
    with pytest.raises(cl.InputError, match=r"(?i)span"):
        cl.score(tmp_path / "key.conll", {"nw/a_0": [["the fox"]]})


def test_two_columns_of_distinct_words(tmp_path: Path) -> None:
    """Words that happen to be all different, all mentions one token long: spans of the other side still fit."""
    (tmp_path / "key").write_text("#begin document (a);\nIda\t(1)\nsees\t-\nher\t(1)\ndog\t(2)\n#end document\n")
    (tmp_path / "response").write_text("#begin document (a);\nIda\t(1)\nsees\t-\nher\t(1\ndog\t1)\n#end document\n")
    result = cl.score(tmp_path / "key", tmp_path / "response")
    assert (result["mentions"].recall, result["mentions"].precision) == (1 / 3, 1 / 2)
    assert cl.score(tmp_path / "key", {"a": [[(0, 0), (2, 2)], [(3, 3)]]}).conll == 1
    record = {"doc_key": "a", "clusters": [[[0, 0], [2, 2]], [[3, 3]]]}
    assert cl.score(lines(tmp_path / "a.jsonl", record), tmp_path / "key").conll == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "NoneType"),
        (3, "int"),
        (b"abc", "bytes"),
        ([1, 2], "cluster"),
        (["ab", "c"], "cluster"),
        ([(0, 1), (2, 3)], "span"),
        ([[{"x": 1}]], "hashable"),
        ([{"a", "b"}, None], "cluster"),
        ({"e1": ["a", "b"], "e2": ["c"]}, r"list\(d\.values\(\)\)|entity"),
        ({"doc": {"e1": ["a", "b"]}}, r"list\(d\.values\(\)\)"),
        ({"doc": [["a"]], "other": 3}, "other"),
        (np.zeros((2, 2)), "dimension"),
        (np.array(3), "dimension"),
        ({"d": np.zeros((2, 2))}, "dimension|document"),
    ],
)
@pytest.mark.parametrize("role", ["key", "response"])
def test_what_is_not_a_corpus(source: Any, message: str, role: str) -> None:
    with pytest.raises(cl.InputError, match=message) as caught:
        cl.score(*((source, KEY) if role == "key" else (KEY, source)))
    assert role in str(caught.value)
    assert len(str(caught.value)) < 300


def test_content_is_no_path() -> None:
    text = to_conll(corpora(1)[0])
    for content in (text, text * 50, "a\0b"):
        with pytest.raises(cl.CoreflensError):
            cl.read(content)
