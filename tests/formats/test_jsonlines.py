"""jsonlines: what its spans count, its text and layers, and the way back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples, seeds
from coreflens import write
from coreflens.corpus.model import Corpus
from coreflens.formats import read
from coreflens.formats.reading import Role
from places import DATA
from records import again, kept, made, problems, survives, view


def corpus_of(tmp_path: Path, *records: dict[str, Any], role: Role = "") -> Corpus:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return read(path, role=role)


def test_words_sentences_and_layers(tmp_path: Path) -> None:
    corpus = corpus_of(
        tmp_path,
        {
            "doc_key": "a",
            "sentences": [["She", "ran"], [], ["He"]],
            "speakers": [["S", "S"], [], ["T"]],
            "pos": ["P", None, 3],
            "clusters": [[[0, 0], [2, 2]]],
        },
        {"doc_key": "b", "tokens": ["x", "y"], "clusters": []},
    )
    text = corpus.text
    assert (text.words, text.first.tolist(), text.sentences.tolist()) == (
        ["She", "ran", "He", "x", "y"],
        [0, 3, 5],
        [0, 2, 3],
    )
    assert text.layers == {"speaker": ["S", "S", "T", "", ""], "pos": ["P", "", "3", "", ""]}
    assert text.line is not None
    assert text.line.tolist() == [1, 1, 1, 2, 2]
    assert (corpus.words(1), corpus.issues) == ("He", ())


def test_what_is_not_a_value_a_token_is_named(tmp_path: Path) -> None:
    record = {
        "doc_key": "a",
        "sentences": [["x", "y"]],
        "clusters": [],
        "ner": [[[0, 1, "PER"]]],
        "genre": "nw",
        "no": [],
    }
    issues = corpus_of(tmp_path, record, {**record, "doc_key": "b"}).issues
    assert [(i.code, i.count) for i in issues] == [("left-out", 2)]
    assert "genre" in str(issues[0])


def test_characters(tmp_path: Path) -> None:
    record = {"doc_key": "a", "text": "Ann saw her.", "clusters": [[[0, 3], [8, 11]]]}
    corpus = corpus_of(tmp_path, record)
    assert (corpus.unit, corpus.words(0), corpus.words(1)) == ("character", "Ann", "her")
    assert [(m.start, m.end) for m in corpus] == [(0, 2), (8, 10)]
    assert corpus.documents[0].tokens == 12
    path = tmp_path / "a.jsonl"
    assert cl.score(path, path).conll == 1


def test_tokens_win_over_text(tmp_path: Path) -> None:
    record = {"doc_key": "a", "text": "Ann ran", "tokens": ["Ann", "ran"], "clusters": [[[0, 0], [1, 1]]]}
    corpus = corpus_of(tmp_path, record)
    assert (corpus.unit, corpus.words(1)) == ("token", "ran")


def test_allennlp(tmp_path: Path) -> None:
    record = {"document": ["Ann", "ran"], "clusters": [[[0, 0], [1, 1]]], "top_spans": [[0, 0]]}
    corpus = corpus_of(tmp_path, record)
    assert (corpus.words(1), corpus.documents[0].tokens) == ("ran", 2)


def test_doc_keys_like_begin_lines_of_conll(tmp_path: Path) -> None:
    (document,) = corpus_of(tmp_path, {"doc_key": "(a/b); part 003", "clusters": []}).documents
    assert document[:2] == ("a/b", 3)


@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_of_records(tmp_path: Path, indent: int | None) -> None:
    records = [{"clusters": [[[0, 0]]], "tokens": ["x"]}, {"doc_key": "b", "clusters": [], "tokens": ["y", "z"]}]
    content = json.dumps(records, indent=indent)
    (tmp_path / "a.json").write_text(content)
    corpus = read(tmp_path / "a.json")
    assert ([d.name for d in corpus.documents], corpus.text.words) == (["a", "b"], ["x", "y", "z"])
    assert [d.line for d in corpus.documents] == (
        [1, 1] if indent is None else [n for n, line in enumerate(content.split("\n"), start=1) if line == " {"]
    )
    assert problems(json.dumps([records[1], records[1], 3]), "jsonlines") == [
        ("duplicate-document", 1, None),
        ("syntax", 1, None),
    ]
    assert problems('[\n{"clusters": []},\n{"clu', "jsonlines") == [("syntax", 3, 2)]
    for tail in ("", "{}]", "] x"):
        assert problems('[\n{"clusters": []}' + tail, "jsonlines") == [("syntax", 2, None)]


def test_subtokens_are_mapped_to_words(tmp_path: Path) -> None:
    record: dict[str, Any] = {
        "doc_key": "a",
        "sentences": [["[CLS]", "Jo", "##hn", "left", "[SEP]"], ["[CLS]", "He", "slept", "[SEP]"]],
        "subtoken_map": [0, 0, 0, 1, 1, 2, 2, 3, 3],
        "sentence_map": [0, 0, 0, 0, 0, 1, 1, 1, 1],
        "speakers": [["[SPL]", "A", "A", "A", "[SPL]"], ["[SPL]", "B", "B", "[SPL]"]],
        "clusters": [[[1, 2], [6, 6]]],
    }
    corpus = corpus_of(tmp_path, record)
    assert [(m.start, m.end) for m in corpus] == [(0, 0), (2, 2)]
    assert (corpus.text.words, corpus.text.sentences.tolist()) == (["John", "left", "He", "slept"], [0, 2])
    assert corpus.text.layers["speaker"] == ["A", "A", "B", "B"]
    assert corpus.documents[0].tokens == 4
    words = corpus_of(tmp_path, {**record, "tokens": ["JOHN", "left", "He", "slept"]})
    assert words.words(0) == "JOHN"
    for wrong in ([0, 0], [0, 0, 0, 1, 1, 2, 2, 3, "x"], [3, 0, 0, 1, 1, 2, 2, 3, 3]):
        with pytest.raises(cl.InputError, match="subtoken_map"):
            corpus_of(tmp_path, {**record, "subtoken_map": wrong})


def test_wl_coref_counts_with_exclusive_ends(tmp_path: Path) -> None:
    record = {
        "document_id": "bc/a",
        "part_id": 2,
        "cased_words": ["Jo", "left", "He"],
        "sent_id": [0, 0, 1],
        "speaker": ["A", "A", "B"],
        "head": [1, None, 0],
        "span_clusters": [[[0, 1], [2, 3]]],
        "word_clusters": [[0, 2]],
    }
    corpus = corpus_of(tmp_path, record)
    assert corpus.documents[0].label == "bc/a_2"
    assert [corpus.words(row) for row in (0, 1)] == ["Jo", "He"]
    assert (corpus.text.sentences.tolist(), list(corpus.text.layers)) == ([0, 2], ["speaker"])
    assert [i.code for i in corpus.issues] == ["left-out"], "the heads"


def test_third_elements(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"doc_key": "a", "clusters": [[[0, 0, "PER"], [2, 2, 0.5]], [[1, 1]]]})
    assert corpus.attributes == {"type": ["PER", "", ""], "score": ["", "", "0.5"]}


@pytest.mark.parametrize("field", ["cased_words", "tokens", "sentences", "text", "document", "subtoken_map", "part"])
def test_fields_that_are_null_are_not_there(tmp_path: Path, field: str) -> None:
    corpus = corpus_of(tmp_path, {"doc_key": "a", "clusters": [[[0, 0]]], field: None})
    assert (len(corpus), corpus.has_text) == (1, False)


BAD = {
    "strings": ('{"text": "a b", "clusters": [["a", "b"]]}', [("syntax", 1, None)] * 2),
    "empty span": ('{"text": "a b", "clusters": [[[1, 1]]]}', [("span-order", 1, None)]),
    "behind the text": ('{"text": "a b", "clusters": [[[0, 4]]]}', [("span-range", 1, None)]),
    "several": (
        '{"doc_key": "a", "clusters": [[[1, 0], [-1, 0], 3], 4]}\n{"doc_key": "b"}\n[]\n'
        '{"doc_key": "a", "clusters": []}',
        [
            *(("span-order", 1, None), ("span-range", 1, None), ("syntax", 1, None), ("syntax", 1, None)),
            *(("syntax", 2, None), ("syntax", 3, None), ("duplicate-document", 4, None)),
        ],
    ),
    "both units": ('{"text": "a", "clusters": []}\n{"tokens": ["a"], "clusters": []}', [("syntax", 2, None)]),
    "tokens are sentences": ('{"tokens": [["a"]], "clusters": []}', [("syntax", 1, None), ("input", None, None)]),
}


@pytest.mark.parametrize("case", BAD)
def test_mistakes(case: str) -> None:
    content, expected = BAD[case]
    assert problems(content, "jsonlines") == expected


def test_strings_are_explained(tmp_path: Path) -> None:
    with pytest.raises(cl.InputError, match="as_strings=False"):
        corpus_of(tmp_path, {"text": "Ann saw her.", "clusters": [["Ann", "her"]]})


@examples(60)
@given(seed=st.integers(0, 10**6), characters=st.booleans())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, seed: int, characters: bool) -> None:
    corpus = made(seed, characters=characters)
    back = again(corpus, tmp_path_factory.mktemp("a") / "a.jsonlines", "jsonlines")
    if not corpus.has_text:
        assert view(back, "documents") == view(corpus, "documents")
    else:
        what = ("documents", "text", "layers")
        assert view(back, *what) == view(corpus, *what)
    assert kept(corpus, back, "jsonlines")


def test_lone_halves_of_characters(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"tokens": ["\\ud800"], "clusters": [[[0, 0]]]}')
    back = again(cl.read(tmp_path / "a.jsonl"), tmp_path / "b.jsonl", "jsonlines")
    assert back.text.words == ["\ud800"]


def test_what_it_does_not_write(tmp_path: Path) -> None:
    with pytest.raises(cl.InputError, match="names"):
        again(cl.read([{"a", "b"}]), tmp_path / "a.jsonl", "jsonlines")
    (tmp_path / "a.csv").write_text("doc,start_char,end_char,entity\na,0,2,e\n")
    with pytest.raises(cl.InputError, match="text"):
        again(cl.read(tmp_path / "a.csv"), tmp_path / "a.jsonl", "jsonlines")
    assert cl.read(tmp_path / "a.csv").unit == "character"


@pytest.mark.parametrize("name", ["corefconversion/singe.jsonlines", "democrat_ancor/ancor*.jsonlines"])
def test_real_files(tmp_path: Path, name: str) -> None:
    paths = sorted(DATA.glob(name))
    if not paths:
        pytest.skip(f"no {name} here")
    records = [json.loads(line) for line in paths[0].read_text(encoding="utf-8").splitlines()]
    corpus = cl.read(paths[0])
    assert len(corpus.documents) == len(records)
    assert len(corpus) == sum(len(c) for r in records for c in r["clusters"])
    assert len(corpus.labels) == sum(len(r["clusters"]) for r in records)
    assert corpus.text.words == [w for r in records for s in r["sentences"] for w in s]
    assert corpus.text.layers["speaker"] == [w for r in records for s in r["speakers"] for w in s]
    assert cl.score(paths[0], paths[0]).conll == 1
    what = ("documents", "text", "layers")
    assert view(again(corpus, tmp_path / "a.jsonl", "jsonlines"), *what) == view(corpus, *what)


def test_the_same_text_in_conll_and_jsonlines(tmp_path: Path) -> None:
    demo = Path(cl.__file__).parent / "demo" / "key.conll"
    corpus = cl.read(demo)
    if not corpus.has_text:
        pytest.skip("the CoNLL reader keeps no text here")
    write(corpus, tmp_path / "a.jsonl", lossy=True)
    assert cl.score(demo, tmp_path / "a.jsonl").conll == 1


@pytest.mark.parametrize("seed", seeds(4))
def test_fuzz(seed: int) -> None:
    record = {
        "doc_key": "a",
        "sentences": [["x", "y"], ["z"]],
        "speakers": [["x", "y"], ["z"]],
        "clusters": [[[0, 1, "P"], [2, 2]]],
    }
    other = {
        "doc_key": "b",
        "sentences": [["x", "##y", "z"]],
        "subtoken_map": [0, 0, 1],
        "sentence_map": [0, 0, 1],
        "clusters": [[[0, 1]]],
    }
    wl = {"document_id": "c", "part_id": 1, "cased_words": ["x", "y"], "sent_id": [0, 1], "span_clusters": [[[0, 1]]]}
    text = {"doc_key": "b", "text": "abc", "clusters": [[[0, 1]]]}
    for content in ("\n".join(map(json.dumps, (record, other, wl))), json.dumps(text), json.dumps([record, other])):
        survives(content.encode(), "jsonlines", seed)
