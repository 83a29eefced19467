"""Tables, links, clusters, labels, neleval and RuCor: each dialect, each mistake, and the way back."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples, seeds
from coreflens import write
from coreflens.corpus.model import Corpus
from coreflens.formats import read
from coreflens.formats.links import components
from coreflens.formats.reading import Role
from places import DATA
from records import again, kept, made, problems, survives, view


def corpus_of(tmp_path: Path, content: str, format: str, role: Role = "") -> Corpus:
    """Recognised by its content."""
    (tmp_path / "a").write_text(content, encoding="utf-8", newline="")
    corpus = read(tmp_path / "a", role=role)
    assert corpus.format == format
    return corpus


def real(name: str) -> Path:
    if not (DATA / name).exists():
        pytest.skip(f"no {name} here")
    return DATA / name


# -------------------------------------------------------------------------------------------------------------- tables


def test_spans(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "doc,end,start,mention,cluster\na,3,2,her,e\na,3,0,x,f\na,0,0,Ann,e\n", "table")
    assert [(m.start, m.end, m.name, m.entity) for m in corpus] == [
        (0, 3, None, "f"),
        (0, 0, None, "e"),
        (2, 3, None, "e"),
    ]
    assert (corpus.unit, corpus.attributes) == ("token", {"mention": ["x", "Ann", "her"]})
    assert [m.line for m in corpus] == [3, 4, 2]


def test_spans_of_characters(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "doc\tstart_char\tend_char\tentity\na\t0\t3\te\na\t5\t6\te\n", "table")
    assert (corpus.unit, corpus.clusters(0)) == ("character", {"e": [(0, 2), (5, 5)]})


def test_spans_meet_spans_of_other_formats(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("doc,start,end,entity\nx,0,0,e\nx,2,3,e\n")
    (tmp_path / "a.jsonl").write_text('{"doc_key": "x", "clusters": [[[0, 0], [2, 3]]]}')
    assert cl.score(tmp_path / "a.csv", tmp_path / "a.jsonl").conll == 1


def test_other_columns_are_attributes(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "mention,entity,type,,empty\nm1,e,PER,7,\nm2,e,,8,\n", "table")
    assert corpus.attributes == {"type": ["PER", ""], "column 4": ["7", "8"]}


def test_parts(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "doc,part,mention,entity\na,1,m,e\na,0,m,e\na,,m,f\n", "table")
    assert [(d.name, d.part) for d in corpus.documents] == [("a", 1), ("a", 0), ("a", None)]


def test_json_records(tmp_path: Path) -> None:
    rows = [{"doc_id": "a", "mention_id": n, "coref_chain": "e", "tokens_number": [n], "topic": None} for n in (1, 2)]
    corpus = corpus_of(tmp_path, json.dumps(rows, indent=1), "table")
    assert (corpus.clusters(0), corpus.attributes) == ({"e": ["1", "2"]}, {"tokens_number": ["[1]", "[2]"]})


TABLE = "doc,mention,entity\na,m1,e1\n"
BAD_TABLES = {
    "a cell too many": (TABLE + "a,x,y,e1\n", [("syntax", 3, None)]),
    "cut off": (TABLE + "a,m2\na,m3,e1\n", [("syntax", 3, None)]),
    "blank": (TABLE + "a, ,e1\na,m3,\n", [("syntax", 3, None), ("syntax", 4, None)]),
    "after a cell of two lines": (TABLE + '"a\nb",m,e\na,,e\n', [("syntax", 5, None)]),
    "part": ("doc,part,mention,entity\na,x,m,e\na,1,m,e\n", [("syntax", 2, None)]),
    "no number": ("start,end,entity\n0,x,e\n-1,0,e\n0,0,e\n", [("span-range", 2, None), ("span-range", 3, None)]),
    "the end first": ("start,end,entity\n2,1,e\n0,0,e\n", [("span-order", 2, None)]),
    "an empty span": ("start_char,end_char,entity\n2,2,e\n0,1,e\n", [("span-order", 2, None)]),
    "beyond reason": ("start,end,entity\n0,99999999999999999999,e\n0,0,e\n", [("span-range", 2, None)]),
    "JSON, cut": ('[{"mention": 1, "entity": 1},\n{"mention"', [("syntax", 2, 11)]),
    "JSON, numbers": ('[{"mention": 1, "entity": 1}, 2]', [("syntax", None, None)]),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_mistakes_in_tables(case: str) -> None:
    content, expected = BAD_TABLES[case]
    assert sorted(problems(content, "table"), key=str) == expected


@examples(60)
@given(seed=st.integers(0, 10**6), names=st.booleans(), characters=st.booleans())
def test_tables_come_back(tmp_path_factory: pytest.TempPathFactory, seed: int, names: bool, characters: bool) -> None:
    corpus = made(seed, names=names, characters=characters and not names, blank=False)
    back = again(corpus, tmp_path_factory.mktemp("a") / "a.csv", "table")
    what = ("labels", "attributes", "across")
    assert view(back, *what) == view(corpus, *what)
    assert kept(corpus, back, "table")


def test_what_a_table_does_not_write(tmp_path: Path) -> None:
    for clusters, what in (
        ({(0, 1): "e"}, r"\(0, 1\)"),
        ({" ": "e"}, "' '"),
        ({"m": ""}, "''"),
        ({"m": 1, "n": "1"}, "the same way"),
    ):
        with pytest.raises(cl.InputError, match=what):
            write(read(clusters), tmp_path / "a.csv", lossy=True)
    assert not (tmp_path / "a.csv").exists()
    (tmp_path / "a.csv").write_text("mention,entity,column 4,start\nm,e,x,y\n")
    with pytest.raises(cl.InputError, match="start"):
        write(read(tmp_path / "a.csv"), tmp_path / "b.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mentions"),
    [("er_other/israeli-inventors-benchmark.csv", 9156), ("er_other/beard_wang_clusters.json", 15424)],
)
def test_records_of_people(tmp_path: Path, name: str, mentions: int) -> None:
    corpus = read(real(name))
    content = real(name).read_text()
    members = (
        json.loads(content).values() if name.endswith("json") else Counter(re.findall(r"(?m)^[^,\n]+,(\d+),", content))
    )
    assert (len(corpus), len(set(corpus.entity.tolist()))) == (mentions, len(members))
    assert cl.score(real(name), again(corpus, tmp_path / "a.csv", "table")).conll == 1


def test_mentions_of_cross_document_corpora() -> None:
    path = real("diverse_cdcr/MEANTIME-prep/output_data/en/event_mentions.json")
    rows = json.loads(path.read_text(encoding="utf-8"))
    corpus = read(path)
    assert len(corpus) == len(rows)
    assert set(corpus.labels) == {row["coref_chain"] for row in rows}
    assert cl.score(path, path, scope="corpus").conll == 1


# --------------------------------------------------------------------------------------------------------------- links


def test_links_are_closed(tmp_path: Path) -> None:
    content = "doc,anaphor,antecedent\na,c,b\na,b,a\na,x,\nb,c,a\na,e,d\na,a,\n"
    corpus = corpus_of(tmp_path, content, "links")
    assert view(corpus)["entities"] == sorted(
        [[("a", "a"), ("a", "b"), ("a", "c")], [("a", "x")], [("a", "d"), ("a", "e")], [("b", "a"), ("b", "c")]]
    )
    assert [m.line for m in corpus if m.document.name == "a"] == [2, 2, 3, 4, 6, 6], "where each is first mentioned"


@pytest.mark.parametrize(("suffix", "unit", "last"), [("", "token", 3), ("_char", "character", 2)])
def test_links_of_spans(tmp_path: Path, suffix: str, unit: str, last: int) -> None:
    titles = ",".join(f"{side}{suffix}{n}" for n in (1, 2) for side in ("start", "end"))
    corpus = corpus_of(tmp_path, f"doc,{titles},kind\na,5,6,2,3,ident\na,7,8,,,\n", "links")
    assert [(m.start, m.end) for m in corpus] == [(2, last), (5, last + 3), (7, last + 5)]
    assert (corpus.unit, corpus.entity.tolist()) == (unit, [0, 0, 1])
    assert [(i.code, "kind" in i.message) for i in corpus.issues] == [("left-out", True)]


def test_components_are_those_of_a_search() -> None:
    chance = np.random.default_rng(3)
    for size in (1, 2, 7, 60, 400):
        for links in (0, size // 2, size, 3 * size):
            one, other = chance.integers(0, size, (2, links))
            neighbours: dict[int, set[int]] = {n: {n} for n in range(size)}
            for a, b in zip(one.tolist(), other.tolist(), strict=True):
                neighbours[a].add(b)
                neighbours[b].add(a)
            expected = []
            for n in range(size):
                seen, front = {n}, [n]
                while front:
                    front = [m for f in front for m in neighbours[f] if m not in seen and not seen.add(m)]  # type: ignore[func-returns-value]
                expected.append(min(seen))
            assert components(size, one, other).tolist() == expected


def test_a_chain_of_any_length() -> None:
    size = 200_000
    order = np.random.default_rng(1).permutation(size)
    assert not components(size, order[1:], order[:-1]).any()


BAD_LINKS = {
    "no anaphor": ("anaphor,antecedent\n,a\nb,a\n", [("syntax", 2, None)]),
    "half a span": ("start1,end1,start2,end2\n1,1,0,\n1,1,0,0\n", [("syntax", 2, None)]),
    "the end first": ("start1,end1,start2,end2\n1,0,0,0\n1,1,0,0\n", [("span-order", 2, None)]),
    "nothing": ("anaphor,antecedent\n,a\n", [("syntax", 2, None), ("syntax", 1, None)]),
    "other columns": ("a,b\n1,2\n", [("syntax", 1, None)]),
}


@pytest.mark.parametrize("case", BAD_LINKS)
def test_mistakes_in_links(case: str) -> None:
    content, expected = BAD_LINKS[case]
    assert problems(content, "links") == expected


@examples(60)
@given(seed=st.integers(0, 10**6), names=st.booleans(), characters=st.booleans())
def test_links_come_back(tmp_path_factory: pytest.TempPathFactory, seed: int, names: bool, characters: bool) -> None:
    corpus = made(seed, names=names, characters=characters and not names, blank=False)
    back, seen = again(corpus, tmp_path_factory.mktemp("a") / "a.links.csv", "links"), set()
    expected: dict[Any, list[Any]] = {}
    for m in corpus:  # of what stands twice, the first
        if (mention := (m.document.label, m.identity)) not in seen:
            seen.add(mention)
            expected.setdefault((m.document, m.entity), []).append(mention)
    assert view(back)["entities"] == sorted(map(sorted, expected.values()))
    assert set(back.documents) or not len(corpus)


# ------------------------------------------------------------------------------------------------- clusters and labels


@pytest.mark.parametrize(
    "content",
    [
        '{"e": ["a", "b"], "f": ["3"]}',
        '{"e": {"cluster_id": "e", "signature_ids": ["a", "b"]}, "f": {"signature_ids": [3]}}',
        '{"type": "clusters", "clusters": {"e": ["a", "b"], "f": [3]}}',
        '{"clusters": [["a", "b"], [3]], "type": "clusters"}',
        '{"type": "graph", "mentions": ["a", "b", 3], "links": [["b", "a"]]}',
        "a,b\n3\n",
        "3\r\na,  b\r\n",
    ],
)
def test_clusters(tmp_path: Path, content: str) -> None:
    corpus = corpus_of(tmp_path, content, "clusters")
    assert view(corpus)["entities"] == [[("", "3")], [("", "a"), ("", "b")]]
    assert cl.score(tmp_path / "a", [{"a", "b"}, {"3"}]).conll == 1


BAD_CLUSTERS = {
    "an entity twice": ('{"e": ["a"], "e": ["b"]}', [("duplicate-id", None, None)]),
    "no list": ('{"e": ["a"], "f": 3}', [("syntax", None, None)]),
    "cut": ('{"e": ["a"],\n "f"', [("syntax", 2, 5)]),
    "dangling": (
        '{"type": "graph", "mentions": ["a"], "links": [["a", "b"], [1]]}',
        [("dangling", None, None), ("syntax", None, None)],
    ),
    "graph without links": ('{"type": "graph", "mentions": ["a"]}', [("syntax", None, None)]),
    "an empty name": ("a,b\nc,,d\n", [("syntax", 2, None)]),
}


@pytest.mark.parametrize("case", BAD_CLUSTERS)
def test_mistakes_in_clusters(case: str) -> None:
    content, expected = BAD_CLUSTERS[case]
    assert problems(content, "clusters") == expected


def test_clusters_come_back(tmp_path: Path) -> None:
    corpus = read({'m"1': "e", "é": "type", "3": "e"})
    assert (
        view(again(corpus, tmp_path / "a.json", "clusters"), "labels", "across")["entities"]
        == view(corpus, "across")["entities"]
    )
    assert read(tmp_path / "a.json").format == "clusters"
    with pytest.raises(cl.InputError, match="spans"):
        again(made(3), tmp_path / "a.json", "clusters")


def test_labels(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "335\n248\n335\n", "labels")
    assert corpus.clusters(0) == {"335": ["1", "3"], "248": ["2"]}
    corpus = corpus_of(tmp_path, "identity\n7\n7\n", "labels")
    assert corpus.clusters(0) == {"7": ["1", "2"]}
    assert problems("1\n\n2 3\n4\n", "labels") == [("syntax", 2, None), ("syntax", 3, None)]
    assert problems("\n", "labels") == [("syntax", 1, None)]


def test_published_scores_of_record_linkage() -> None:
    key = real("er_rldata_dblink/identity.RLdata10000.tsv")
    folder = key.parent / "RLdata10000_2partitions_PCG-I"
    published = dict(re.findall(r"(\w[\w. -]*): +([\d.]+)", (folder / "evaluation-results.txt").read_text()))
    result = cl.score(key, folder / "shared-most-probable-clusters.csv", metrics=["pairs", "ari"])
    assert result["pairs"].precision == pytest.approx(float(published["Precision"]), abs=1e-15)
    assert result["pairs"].recall == pytest.approx(float(published["Recall"]), abs=1e-15)
    assert result["pairs"].f1 == pytest.approx(float(published["F1-score"]), abs=1e-15)
    assert result["ari"].value == pytest.approx(float(published["Adj. Rand index"]), abs=1e-12)


def test_entities_of_semeval_2018() -> None:
    path = real("semeval2018_task4/dat/ref.out")
    corpus = read(path)
    assert len(corpus) == len(path.read_text().split())
    assert cl.score(path, path).conll == 1
    assert 0.5 < cl.score(path, path.parent.parent / "sys" / "AMORE_UPF.out").conll < 1


def test_scorch() -> None:
    path = real("scorer_tests_scorch/clusters.json")
    clusters = json.loads(path.read_text())["clusters"]
    corpus = read(path)
    assert (len(corpus), len(corpus.labels)) == (sum(map(len, clusters.values())), len(clusters))
    assert cl.score(path, path).conll == 1


# --------------------------------------------------------------------------------------------------- neleval and RuCor


def test_neleval(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a b\t2\t3\tJapan\t0.5\na b\t16\t19\tU A E\t0.4\tLOC\na b\t20\t21\t\t\n", "neleval")
    assert [(m.start, m.end, m.entity) for m in corpus] == [(2, 2, "Japan"), (16, 18, "U A E")]
    assert corpus.attributes == {"score": ["0.5", "0.4"], "type": ["", "LOC"]}
    assert [(i.code, i.places) for i in corpus.issues] == [("left-out", (f"{tmp_path / 'a'}:3",))]
    bad = "a\t1\t1\tx\na\t1\nb\tx\t2\ty\nb\t1\t2\ty\n"
    assert problems(bad, "neleval") == [("span-order", 1, None), ("syntax", 2, None), ("span-range", 3, None)]


def test_links_to_wikipedia() -> None:
    path = real("nel_conll03/schwa-unsup-unmapped.testb.txt")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    corpus = read(path)
    assert len(corpus) == sum(row[3] != "" for row in rows)
    assert set(corpus.labels) == {row[3] for row in rows} - {""}
    assert len(corpus.documents) == len({row[0] for row in rows})
    assert cl.score(path, path, scope="corpus").conll == 1


def test_rucor(tmp_path: Path) -> None:
    content = "3\tSYS\t1\t0\t52\tдом\tдомом\n\n3\tGS \t7\t0\t52\tдом\tдомом\n3\tGS \t7\t1\t60\tон\tон\n"
    key, response = (corpus_of(tmp_path, content, "rucor", role) for role in ("key", "response"))
    assert (key.clusters(0), response.clusters(0)) == ({"7": ["0", "1"]}, {"1": ["0"]})
    assert key.attributes == {"offset": ["52", "60"], "lemma": ["дом", "он"], "form": ["домом", "он"]}
    assert problems("3\tSYS\t1\t0\tx\ta\tb\n3\tX\n3\tSYS\t1\t0\t2\ta\tb\n", "rucor") == [
        ("span-range", 1, None),
        ("syntax", 2, None),
    ]


@pytest.mark.slow
def test_rucor_systems() -> None:
    path = real("rucor_systems/coref_chains_default.txt")
    content = path.read_text(encoding="utf-8")
    key, response = read(path, role="key"), read(path, role="response")
    for corpus, side in ((key, "GS "), (response, "SYS")):
        chains = re.findall(rf"(?m)^(\d+)\t{side}\t(\d+)\t", content)
        assert (len(corpus), len({(m.document.name, m.entity) for m in corpus})) == (len(chains), len(set(chains)))
    result = cl.score(path, path)
    assert result["mentions"].f1 == 1
    assert {issue.code for issue in result.issues} == {"left-out"}


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("table", 'doc,part,mention,entity,x\na,1,"m,\n1",e,y\nb,2,m2,f,\n'),
        ("table", "doc\tstart\tend\tentity\na\t1\t2\te\nb\t2\t2\tf\n"),
        ("table", '[{"mention": "a", "entity": 1}, {"mention": "b", "entity": [2]}]'),
        ("links", "doc,anaphor,antecedent\na,m1,m2\nb,m2,\n"),
        ("links", "doc,start_char1,end_char1,start_char2,end_char2\na,1,2,3,4\nb,2,3,,\n"),
        ("clusters", '{"type": "graph", "mentions": ["a", "b"], "links": [["a", "b"]], "clusters": {"1": ["a"]}}'),
        ("clusters", '{"a": ["b", 1], "c": {"signature_ids": ["x"]}}'),
        ("clusters", "a, b\nc\n"),
        ("labels", "1\n2\n1\n"),
        ("neleval", "a\t1\t2\tx\t0.5\nb\t1\t2\t\t\n"),
        ("rucor", "3\tSYS\t1\t0\t52\tx\ty\n\n3\tGS \t7\t0\t52\tx\ty\n"),
    ],
)
def test_fuzz(format: str, content: str, seed: int) -> None:
    survives(content.encode(), format, seed)
