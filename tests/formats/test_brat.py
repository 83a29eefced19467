"""brat stand-off: links and equivalences, pieces, LitBank's double lines, what is wrong, and back again."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import coreflens as cl
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import brat, read
from places import DATA
from standoff import content, corpora, entities, problems, real, source, squeezed, written
from texts.brat import MENTIONS, TEXT, ann


def read_ann(*lines: str, text: str | None = TEXT) -> Corpus:
    return brat.read(source(ann(*lines), "a.ann") if text is None else source(ann(*lines), "a.ann", a_txt=text))


def test_links_are_closed_and_the_rest_are_singletons() -> None:
    corpus = read_ann(*MENTIONS, "R1 | Coref Arg1:T4 Arg2:T2", "R2 | Coref Arg1:T2 Arg2:T1", "* | Coref T5 T3")
    assert corpus.unit == "character"
    assert entities(corpus) == {"T1": ["Alice", "her", "She"], "T3": ["her keys", "them"], "T6": ["Bob ... Bell"]}
    assert corpus.attributes == {
        "type": ["PER", "OBJ", "PER", "PER", "OBJ", "PER"],
        "id": ["T1", "T3", "T2", "T4", "T5", "T6"],
    }
    assert corpus.parts == {5: ((37, 39), (51, 54))}
    assert corpus.issues == ()


@pytest.mark.parametrize(
    "name", ["Coref", "Coreference", "co-reference", "COREFERS_WITH", "Ident", "identity", "same_as"]
)
def test_names_of_identity(name: str) -> None:
    corpus = read_ann(*MENTIONS, f"R1 | {name} Anaphora:T2 Antecedent:T1")
    assert entities(corpus)["T1"] == ["Alice", "her"]


def test_other_lines_are_kept_or_reported() -> None:
    corpus = read_ann(
        *MENTIONS,
        "R1 | Bridging Arg1:T3 Arg2:T1",
        "R2 | Appos Arg1:T6 Arg2:T1",
        "R3 | cop Arg1:T6 Arg2:T1",
        "R4 | cop Arg1:T6 Arg2:T2",
        "A1 | Number T1 Singular",
        "A2 | Generic T2",
        "E1 | Loss:T3 Theme:T2",
        "A3 | Negation E1",
        "#1 | AnnotatorNotes T1 | who?",
    )
    assert [(r.kind, r.label) for r in corpus.relations] == [("bridging", ""), ("apposition", "")]
    assert [corpus.words(r.mention) for r in corpus.relations] == ["her keys", "Bob ... Bell"]
    assert corpus.attributes["Number"] == ["Singular", "", "", "", "", ""]
    assert corpus.attributes["Generic"] == ["", "", "true", "", "", ""]
    (issue,) = corpus.issues
    assert issue.code == "left-out"
    assert issue.count == 4  # cop, events, links of events, notes


def test_litbank_has_a_line_for_the_category_and_one_for_the_entity() -> None:
    corpus = read_ann(
        "T1 | PROP_PER 0 5 | Alice",
        "T2 | Alice-0 0 5 | Alice",
        "T3 | PRON_PER 11 14 | her",
        "T9 | Alice-0 11 14 | her",
        "T4 | NOM_FAC 11 19 | her keys",
        "R1 | appos Arg1:T4 Arg2:T9",
    )
    assert entities(corpus) == {"Alice-0": ["Alice", "her"], "T4": ["her keys"]}
    assert corpus.attributes["type"] == ["PROP_PER", "NOM_FAC", "PRON_PER"]
    assert [(corpus.words(r.mention), corpus.words(r.anchor)) for r in corpus.relations] == [("her keys", "her")]


def test_types_with_numbers_alone_are_types() -> None:
    corpus = read_ann("T1 | Type-1 0 5 | Alice", "T2 | Type-1 11 14 | her")
    assert entities(corpus) == {"T1": ["Alice"], "T2": ["her"]}


def test_without_the_text_it_can_be_scored_with_a_warning() -> None:
    corpus = read_ann(*MENTIONS, text=None)
    assert len(corpus) == 6
    assert not corpus.has_text
    assert [i.code for i in corpus.issues] == ["left-out"]
    assert "a.txt" in corpus.issues[0].message


def test_windows_line_ends() -> None:
    lines = ("T1 | PER 0 5 | Alice", "T2 | PER 22 25 | She")
    assert entities(read_ann(*lines, text=TEXT.replace("\n", "\r\n"))) == {"T1": ["Alice"], "T2": ["She"]}
    lines = ("T1 | PER 0 5 | Alice", "T2 | PER 21 24 | She")
    assert entities(read_ann(*lines, text=TEXT.replace("\n", "\r\n"))) == {"T1": ["Alice"], "T2": ["She"]}


WRONG = [
    ("syntax", 1, 1, ["what is this"]),
    ("syntax", 1, 4, ["T1 | PER 0 | Alice"]),
    ("span-order", 1, 8, ["T1 | PER 5 0 | Alice"]),
    ("span-order", 1, 8, ["T1 | PER 5 5 | "]),
    ("syntax", 1, 8, ["T1 | PER 0 5;3 9 | x"]),
    ("span-range", 2, 8, ["T2 | PER 0 5 | Alice", "T1 | PER 0 999 | Alice"]),
    ("duplicate-id", 2, 1, ["T1 | PER 0 5 | Alice", "T1 | PER 0 5 | Alice"]),
    ("text-mismatch", 1, None, ["T1 | PER 1 6 | Alice"]),
    ("dangling", 2, None, ["T1 | PER 0 5 | Alice", "R1 | Coref Arg1:T1 Arg2:T7"]),
    ("syntax", 2, 4, ["T1 | PER 0 5 | Alice", "R1 | Coref Arg1:T1"]),
    ("syntax", 2, 4, ["T1 | PER 0 5 | Alice", "A1 | Number"]),
]


@pytest.mark.parametrize(("code", "line", "column", "lines"), WRONG)
def test_mistakes_have_their_place(code: str, line: int, column: int | None, lines: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_ann(*lines)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)
    assert problems("brat", ann(*lines), a_txt=TEXT) == [(code, line, column)]


def test_all_mistakes_are_listed() -> None:
    lines = ("T1 | PER 5 0 | x", "T2 | PER 0 9 | Bob", "R1 | Coref Arg1:T1 Arg2:T2", "R2 | Coref Arg1:T2 Arg2:T8")
    assert [code for code, _, _ in problems("brat", ann(*lines), a_txt=TEXT)] == [
        "span-order",
        "text-mismatch",
        "dangling",
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(corpora().filter(len))
def test_round_trip(tmp_path: Path, corpus: Corpus) -> None:
    assert content(written(corpus, tmp_path, "a.ann")) == content(corpus)


def test_tokens_become_running_text(tmp_path: Path) -> None:
    path = tmp_path / "x.sgml"
    path.write_text(
        '<referent id="a" group="1">\nAlice\nBell\n</referent>\nis\n<referent id="b" group="1">\nhere\n</referent>\n'
    )
    corpus = written(read(path), tmp_path, "b.ann")
    assert (tmp_path / "b.txt").read_text() == "Alice Bell is here"
    assert entities(corpus) == {"1": ["Alice Bell", "here"]}
    assert corpus.attributes["id"] == ["a", "b"]


def test_rows_in_another_order_keep_their_labels(tmp_path: Path) -> None:
    """CoNLL may open the shorter of two mentions first; written by hand here, without the builder's order."""
    corpus = read_ann(
        "T1 | A 0 10 | Alice lost", "T2 | A 0 5 | Alice", "T3 | A 21 24 | She", "R1 | Coref Arg1:T3 Arg2:T2"
    )
    turned = replace(corpus, **{name: getattr(corpus, name)[[1, 0, 2]] for name in ("start", "end", "entity", "line")})
    assert content(written(turned, tmp_path, "a.ann")) == content(turned) == content(corpus)


def test_what_has_no_room_is_refused(tmp_path: Path) -> None:
    from coreflens import write

    with pytest.raises(InputError, match="no text"):
        write(_named(), tmp_path / "a.ann", lossy=True)
    two = tmp_path / "two.sgml"
    two.write_text("<DOC><DOCNO>a</DOCNO>x</DOC><DOC><DOCNO>b</DOCNO>x</DOC>")
    with pytest.raises(InputError, match="one document per file"):
        write(read(two), tmp_path / "a.ann", lossy=True)
    assert not (tmp_path / "a.ann").exists()


def _named() -> Corpus:
    return read([["a", "b"], ["c"]])


def test_an_empty_file_is_a_document_without_mentions(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("")
    (tmp_path / "a.txt").write_text("Nobody.")
    with pytest.raises(InputError, match="empty"):
        read(tmp_path / "a.ann")
    assert len(read(tmp_path / "a.ann", format="brat").documents) == 1


# ---- real files

BOOKS = sorted((DATA / "litbank" / "brat").glob("*.ann"))
FRENCH = DATA / "fr_litbank" / "brat" / "coref" / "Jean-Christophe-2.ann"


@real
@pytest.mark.parametrize("path", BOOKS, ids=lambda p: p.stem[:20])
def test_litbank_is_the_same_as_its_conll(path: Path) -> None:
    """Entities by their characters: the text is the words of the CoNLL file, one line per sentence."""
    text, opened, expected = "", {}, {}  # type: ignore[var-annotated]
    for line in (path.parents[1] / "conll" / f"{path.stem}.conll").read_text().split("\n"):
        cells = line.split("\t")
        if len(cells) < 5:
            text = text.rstrip(" ") + "\n" if not line else text
            continue
        start, text = len(text), text + cells[3] + " "
        for opens, label, closes in re.findall(r"(\(?)(\d+)(\)?)", cells[-1]):
            if opens:
                opened.setdefault(label, []).append(start)
            if closes:
                expected.setdefault(label, set()).add((opened[label].pop(), start + len(cells[3]) - 1))
    corpus = read(path)
    found: dict[object, set[tuple[int, int]]] = {}
    for mention in corpus:
        found.setdefault(mention.entity, set()).add((mention.start, mention.end))
    assert corpus.text.raw is not None
    assert corpus.text.raw[0].rstrip() == text.rstrip()
    assert {frozenset(e) for e in found.values()} == {frozenset(e) for e in expected.values()}
    assert cl.score(path, path).conll == 1


@real
def test_fr_litbank() -> None:
    lines = FRENCH.read_text().split("\n")
    links = [re.findall(r":(T\d+)", line) for line in lines if line.startswith("R")]
    parent = {line.split("\t")[0]: line.split("\t")[0] for line in lines if line.startswith("T")}
    for a, b in links:  # naive: rename a whole set at every link
        one, other = parent[a], parent[b]
        parent = {k: one if v == other else v for k, v in parent.items()}
    corpus = read(FRENCH)
    assert len(corpus) == len(parent) == 1035
    sizes = Counter(Counter(corpus.entity.tolist()).values())
    assert sizes == Counter(Counter(parent.values()).values())
    assert cl.score(FRENCH, FRENCH).conll == 1


@real
def test_fr_litbank_in_brat_and_sacr() -> None:
    """Two stages of one annotation: the same text, but SACR's has more mentions; most of what both mark is alike."""
    brat_, sacr = read(FRENCH), read(DATA / "fr_litbank" / "sacr" / "Jean-Christophe-2.sacr")
    texts = ["".join((corpus.text.raw or [""])[0].split()) for corpus in (brat_, sacr)]
    assert texts[0].startswith(texts[1])
    ours, theirs = squeezed(brat_), squeezed(sacr)
    common = set().union(*ours.values()) & set().union(*theirs.values())
    assert len(common) == 963
    alike = {frozenset(e & common) for e in ours.values()} & {frozenset(e & common) for e in theirs.values()}
    assert len(alike - {frozenset()}) == 186


@real
@pytest.mark.parametrize("path", [*BOOKS[:2], FRENCH], ids=lambda p: p.stem[:20])
def test_real_files_round_trip(path: Path, tmp_path: Path) -> None:
    corpus = read(path)
    name = f"{path.stem}.ann"
    assert content(written(corpus, tmp_path, name)) == content(corpus)
