"""The two formats of the CRAC tasks for language models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples, seeds
from command import Run
from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS, FormatName, read
from coreflens.formats.shared.repairs import repair
from coreflens.formats.shared.source import Source
from places import DATA
from records import made, problems, survives

TEXT = "Los|[e1 jugadores de el Espanyol|[e2],e1] aseguraron que ##|[e1] prefieren la|[e3 Copa de el Rey|[e4],e3] ##x\n"
FORMS: tuple[FormatName, ...] = ("crac-text", "crac-json")


def clusters(corpus: Corpus) -> list[list[list[tuple[int, int]]]]:
    """The entities of each document as spans, in any order; of discontinuous mentions what the formats keep."""
    found = []
    for d in range(len(corpus.documents)):
        entities: dict[int, list[tuple[int, int]]] = {}
        for row in range(*corpus.bounds[d : d + 2].tolist()):
            pieces = corpus.pieces(row)
            head = -1 if corpus.head is None else int(corpus.head[row])
            span = next((p for p in pieces if p[0] <= head <= p[1]), pieces[0])
            entities.setdefault(int(corpus.entity[row]), []).append(span)
        found.append(sorted(sorted(entity) for entity in entities.values()))
    return found


def test_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT + "\n" + "Fin|[e1]\n\n", "utf-8")
    corpus = read(tmp_path / "a.txt")
    assert corpus.format == "crac-text" and [d.name for d in corpus.documents] == ["a 1", "a 2", "a 3"]
    assert clusters(corpus) == [[[(0, 4), (7, 7)], [(4, 4)], [(9, 13)], [(13, 13)]], [], [[(0, 0)]]]
    assert [d.tokens for d in corpus.documents] == [15, 0, 1]
    empty = corpus.text.empty
    assert empty is not None and empty.tolist() == [n in (7, 14) for n in range(16)]
    assert corpus.text.words[7] == "_" and corpus.text.words[14] == "x"
    cl.write(corpus, tmp_path / "b.crac.txt")
    assert (tmp_path / "b.crac.txt").read_text("utf-8") == TEXT + "\nFin|[e1]\n"


def test_json(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    cl.convert(tmp_path / "a.txt", tmp_path / "a.json", to="crac-json")
    (record,) = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert record["doc_id"] == "a" and record["tokens"][6:8] == ["que", "##"]
    assert record["clusters_token_offsets"] == [[[0, 4], [7, 7]], [[4, 4]], [[9, 13]], [[13, 13]]]
    assert record["clusters_text_mentions"][0] == ["Los jugadores de el Espanyol", "##"]
    back = read(tmp_path / "a.json")
    assert back.format == "crac-json" and clusters(back) == clusters(read(tmp_path / "a.txt"))


@pytest.mark.parametrize("form", FORMS)
def test_blind(form: FormatName, tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    assert run("convert", tmp_path / "a.txt", tmp_path / "blind", "--to", form, "--blind").code == 0
    corpus = read(tmp_path / "blind", format=form)
    assert not len(corpus) and corpus.text.words == read(tmp_path / "a.txt").text.words
    content = (tmp_path / "blind").read_text("utf-8")
    assert "|" not in content and "Espanyol" in content and "[e1" not in content


def test_a_skeleton_of_another_format(tmp_path: Path, run: Run) -> None:
    """What a task gives to its teams; a response made from it is checked against it."""
    assert run("demo", "--write", tmp_path).code == 0
    assert run("convert", tmp_path / "key.conll", tmp_path / "skeleton.conll", "--blind").code == 0
    skeleton = read(tmp_path / "skeleton.conll")
    assert not len(skeleton) and skeleton.text.words == read(tmp_path / "key.conll").text.words
    assert run("check-submission", tmp_path / "skeleton.conll", tmp_path / "response.conll").code == 0


BAD: dict[str, tuple[str, list[tuple[str, int | None, int | None]]]] = {
    "never closed": ("a|[e1 b c|[e2]\nd|[e1 e\n", [("unclosed", 1, 1), ("unclosed", 2, 1)]),
    "never opened": ("a|[e1] b|e1]\n", [("unopened", 1, 8)]),
    "neither": ("a|[e1],e2 b\n", [("syntax", 1, 1)]),
    "no word": ("a|[e1] |[e2] b\n", [("syntax", 1, 8)]),
    "other bars": ("a|[e1] b|c | || d|e|[e1]\n", []),
}


@pytest.mark.parametrize("case", BAD)
def test_mistakes(case: str) -> None:
    content, expected = BAD[case]
    assert problems(content, "crac-text") == expected
    if expected:
        with repair():
            corpus = FORMATS["crac-text"].module.read(Source(content.encode(), "a.txt"))
        (issue,) = corpus.issues
        assert issue.code == "repaired" and issue.count == len(expected)


@pytest.mark.parametrize(
    ("clusters", "code"),
    [("[[[0, 2]]]", "span-range"), ("[[[1, 0]]]", "span-order"), ("[[[0]]]", "syntax"), ("[[3]]", "syntax")],
)
def test_mistakes_in_json(clusters: str, code: str) -> None:
    content = f'[{{"doc_id": "d", "tokens": ["a", "b"], "clusters_token_offsets": {clusters}}}]'
    assert [found[0] for found in problems(content, "crac-json")] == [code]


def test_json_that_is_cut_off() -> None:
    whole = '[{"doc_id": "d", "tokens": ["a", "b"], "clusters_token_offsets": [[[0, 0], [1, 1]], [[0, 1], [1, 9]]]}]'
    cut = whole[: whole.index(", [1, 9]")]
    with pytest.raises(cl.InputError, match=r"coreflens\.repair\(\)"):
        FORMATS["crac-json"].module.read(Source(cut.encode(), "a.json"))
    for text in (cut, whole):
        with repair():
            corpus = FORMATS["crac-json"].module.read(Source(text.encode(), "a.json"))
        assert corpus.clusters() == {"e1": [(0, 0), (1, 1)], "e2": [(0, 1)]}
        (issue,) = corpus.issues
        assert issue.code == "repaired" and issue.count == len(issue.places) == (4 if text == cut else 1)


@pytest.mark.parametrize(
    "content", ['{"doc_id": "d"}', '[{"doc_id": "d", "tokens": 3}]', '[{"doc_id": "d", "tokens": [""]}]', "[1]"]
)
def test_other_json(content: str) -> None:
    with pytest.raises(cl.InputError):
        FORMATS["crac-json"].module.read(Source(content.encode(), "a.json"))


@pytest.mark.parametrize("word", ["##x", "a|[b]", ""])
def test_words_that_can_not_be_written(word: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"doc_key": "a", "tokens": [word], "clusters": []}))
    with pytest.raises(cl.InputError, match="would be read as something else"):
        cl.convert(tmp_path / "a.jsonl", tmp_path / "a.txt", to="crac-text")


def test_mentions_of_one_entity_that_cross(tmp_path: Path) -> None:
    record = {"doc_key": "a", "tokens": ["x", "y", "z", "w"], "clusters": [[[0, 2], [1, 3]]]}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    with pytest.raises(cl.InputError, match="cross"):
        cl.convert(tmp_path / "a.jsonl", tmp_path / "a.txt", to="crac-text")
    cl.convert(tmp_path / "a.jsonl", tmp_path / "a.json", to="crac-json")
    assert clusters(read(tmp_path / "a.json")) == [[[(0, 2), (1, 3)]]]


@examples(60)
@given(seed=st.integers(0, 10**6), form=st.sampled_from(FORMS))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, seed: int, form: FormatName) -> None:
    corpus = made(seed, crossing=False)
    assume(corpus.has_text)
    assume(form == "crac-json" or corpus.documents[-1].tokens)
    path = tmp_path_factory.mktemp("a") / "a"
    cl.write(corpus, path, format=form)
    back = read(path, format=form)
    assert clusters(back) == clusters(corpus) and back.text.words == corpus.text.words


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("folder", ["gum", "gentle", "korkor"])
def test_real_files_keep_every_entity(folder: str, form: FormatName, tmp_path: Path) -> None:
    if not (DATA / folder).is_dir():
        pytest.skip(f"no real data at {DATA / folder}")
    read_so_far = 0
    for path in sorted((DATA / folder).rglob("*.conll*")):
        corpus = read(path)
        cl.write(corpus, tmp_path / "a", format=form)
        back = read(tmp_path / "a", format=form)
        assert clusters(back) == clusters(corpus), path
        read_so_far += len(corpus)
    assert read_so_far > 100


@pytest.mark.parametrize("seed", seeds(3))
def test_fuzz(seed: int) -> None:
    survives(TEXT.encode(), "crac-text", seed)
    survives(
        b'[{"doc_id": "d", "tokens": ["a", "##"], "clusters_token_offsets": [[[0, 0], [1, 1]]]}]', "crac-json", seed
    )
