"""CoNLL-U with CorefUD's coreference: dialects, mistakes with their places, round trips, real files."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import coreflens as cl
from chance import examples
from command import Run
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import FORMATS, conllu, read, recognise
from coreflens.formats.conllu import lines as conllu_lines
from coreflens.formats.conllu.one_by_one import one_by_one
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source
from corefud_corpora import content, corpora
from places import DATA
from texts.conllu import FULL


def table(*misc: str, start: int = 1) -> str:
    return "".join(f"{i}\tw{i}\t_\t_\t_\t_\t_\t_\t_\t{m}\n" for i, m in enumerate(misc, start=start)) + "\n"


def parse(text: str, lenient: bool = False) -> Corpus:
    return conllu.read(Source(text.encode(), "a/file.conllu", lenient=lenient))


def found(corpus: Corpus) -> list[tuple[int, tuple[Any, ...], Any]]:
    return [(int(corpus.doc[r]), corpus.pieces(r), corpus.labels[corpus.entity[r]]) for r in range(len(corpus))]


def test_all_there_is() -> None:
    corpus = parse(FULL)
    assert [(d.name, d.part, d.tokens, d.line) for d in corpus.documents] == [
        ("first", None, 7, 1),
        ("second", None, 1, 16),
    ]
    spans = [(0, ((0, 1),), "e1"), (0, ((0, 1),), "e2"), (0, ((3, 3),), "e3"), (0, ((4, 4), (6, 6)), "e4")]
    assert found(corpus) == [*spans, (1, ((0, 0),), "e1")]
    assert corpus.head is not None
    assert corpus.head.tolist() == [1, 0, 3, 6, 0]
    assert {k: list(v) for k, v in corpus.attributes.items()} == {
        "etype": ["animal", "person", "", "person", "animal"],
        "minspan": ["2", "", "", "", ""],
        "link": ["x:y", "", "", "", ""],
    }
    assert corpus.line is not None
    assert corpus.line.tolist() == [5, 5, 9, 12, 18]
    kinds = [(r.kind, corpus.labels[r.source], corpus.labels[r.target], r.mention, r.label) for r in corpus.relations]
    assert kinds[:2] == [("bridging", "e3", "e1", 2, "part"), ("bridging", "e3", "e2", 2, "")]
    assert kinds[2:] == [("split-antecedent", "e4", "e1", 3, ""), ("split-antecedent", "e4", "e2", 3, "")]
    text = corpus.text
    assert list(text.words) == ["The", "cat", "'s", "", "They", "both", "own", "He"]
    assert text.empty is not None
    assert text.empty.tolist() == [False, False, False, True, *[False] * 4]
    assert text.sentences.tolist() == [0, 4, 7]
    assert text.layers["misc"][1] == "Align=1|Gloss=c"
    assert text.layers["pos"][0] == "DT"
    assert text.layers["multiword"][1].startswith("2-3\tcat's")
    assert text.layers["comments"][7] == "# meta = x"
    assert corpus.words(3) == "They ... own"
    assert "".join(conllu.write(corpus)) == FULL


def test_crlf_no_final_newline_and_whitespace_lines() -> None:
    text = FULL.replace("\n", "\r\n").rstrip().replace("\r\n\r\n", "\r\n \t\r\n")
    assert content(parse(text)) == content(parse(FULL))


def test_same_label_is_closed_last_in_first_out_and_others_may_cross() -> None:
    head = "# global.Entity = eid-head\n"
    corpus = parse(head + table("Entity=(a-3(a-1", "Entity=a)(b-1", "Entity=a)", "Entity=b)"))
    assert found(corpus) == [(0, ((0, 2),), "a"), (0, ((0, 1),), "a"), (0, ((1, 3),), "b")]
    assert corpus.head is not None
    assert corpus.head.tolist() == [2, 0, 1]


def test_mentions_may_cross_sentences_but_not_documents() -> None:
    head = "# newdoc id = a\n# global.Entity = eid\n"
    assert found(parse(head + table("Entity=(e1") + table("Entity=e1)"))) == [(0, ((0, 1),), "e1")]
    with pytest.raises(InputError, match="never closed"):
        parse(head + table("Entity=(e1") + "# newdoc id = b\n" + table("Entity=e1)"))


def test_documents_without_name() -> None:
    assert [d.label for d in parse(table("_")).documents] == ["file"]
    assert [d.label for d in parse("# newdoc\n" + table("_")).documents] == ["file"]
    two = "# newdoc\n" + table("_") + "# newdoc\n" + table("_", "_")
    assert [(d.label, d.tokens) for d in parse(two).documents] == [("file_1", 1), ("file_2", 2)]
    late = table("_") + "# newdoc id = x\n" + table("_", "_")
    assert [(d.label, d.tokens) for d in parse(late).documents] == [("file", 1), ("x", 2)]
    empty = "# newdoc id = x\n\n# newdoc id = y\n" + table("_")
    assert [(d.label, d.tokens) for d in parse(empty).documents] == [("x", 0), ("y", 1)]


def test_gum_counts_within_documents_and_has_no_heads() -> None:
    head = "# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity\n"
    corpus = parse(head + table("Entity=(1-event-new-sn-cf1-1,3-coref-COVID%2D19", "Entity=1)"))
    assert corpus.head is None
    assert list(corpus.attributes["identity"]) == ["COVID-19"]
    assert "Entity=(1-event-new-sn-cf1-1,3-coref-COVID%2D19\n" in "".join(conllu.write(corpus))


def test_fields_may_change_within_a_file() -> None:
    text = "# newdoc id = a\n# global.Entity = eid-head\n" + table("Entity=(x-1)")
    text += "# newdoc id = b\n# global.Entity = etype-eid\n" + table("Entity=(person-x)")
    corpus = parse(text)
    assert found(corpus) == [(0, ((0, 0),), "x"), (1, ((0, 0),), "x")]
    assert list(corpus.attributes["etype"]) == ["", "person"]
    assert content(parse("".join(conllu.write(corpus)))) == content(corpus)


@pytest.mark.parametrize(
    ("misc", "label", "etype"),
    [(["Entity=(place-1", "Entity=place-1)"], "1", "place"), (["Entity=(e1", "Entity=e1)"], "e1", None)],
)
def test_without_global_entity(misc: list[str], label: str, etype: str | None) -> None:
    corpus = parse(table(*misc))
    assert found(corpus) == [(0, ((0, 1),), label)]
    assert [i.code for i in corpus.issues] == ["malformed"]
    assert "no `# global.Entity` line" in corpus.issues[0].message
    assert (list(corpus.attributes["etype"]) if "etype" in corpus.attributes else None) == (etype and [etype])


HEAD = "# newdoc id = d\n# global.Entity = eid-head\n"
MISTAKES = [
    (HEAD + table("Entity=(e1-1"), "unclosed", 3, 27),
    (HEAD + table("_", "Entity=e1)"), "unopened", 4, 27),
    (HEAD + table("Entity=(e1-1)e2)"), "unopened", 3, 33),
    (HEAD + table("A=ä|Entity=(e1-3", "Entity=e1)"), "bad-head", 3, 31),
    (HEAD + table("Entity=(e1-x)"), "bad-head", 3, 27),
    (HEAD + table("Entity=(e1-0)"), "bad-head", 3, 27),
    (HEAD + table("Entity=e1"), "syntax", 3, 27),
    (HEAD + table("Entity=(e1-1)x"), "syntax", 3, 33),
    (HEAD + table("Entity=()"), "syntax", 3, 28),
    (HEAD + table("Entity=(e1-1))"), "syntax", 3, 33),
    (HEAD + table("Entity=(e1[1/2]-1)"), "unclosed", 3, 27),
    (HEAD + table("Entity=(e1[2/2]-1)"), "unopened", 3, 28),
    (HEAD + table("Entity=(e1[3/2]-1)"), "syntax", 3, 28),
    (HEAD + table("Entity=(e1[1]-1)"), "syntax", 3, 28),
    (HEAD + table("Entity=(e1[1/2]-1", "Entity=e1[1/2])(e1[2/2]-1)"), "syntax", 3, 27),
    (HEAD + table("Bridge=e2|Entity=(e1-1)"), "syntax", 3, 27),
    (HEAD + table("Bridge=e1<e1|Entity=(e1-1)"), "syntax", 3, 27),
    (HEAD + table("Bridge=e2<e1|Entity=(e1-1)"), "dangling", 3, 27),
    (HEAD + table("Bridge=e1<e2|Entity=(e1-1)"), "dangling", 3, 27),
    (HEAD + table("Entity=(e1-1)|SplitAnte=e3<e1,e4<e1"), "dangling", 3, 44),
    (HEAD + "1\tw\t_\n\n", "syntax", 3, 1),
    (HEAD + table("_") + "x\tw\t_\t_\t_\t_\t_\t_\t_\t_\n", "syntax", 5, 1),
    (HEAD + "4-3\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" + table("_"), "syntax", 3, 1),
    (HEAD + table("_") + "2\tw\t_\t_", "truncated", 5, None),
    (HEAD + "1-2\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-1)\n" + table("_", "_"), "syntax", 3, 28),
    (HEAD + table("_") + "# newdoc id = d\n" + table("_"), "duplicate-document", 5, None),
    ("# global.Entity = etype-head\n" + table("Entity=(e1-1)"), "syntax", 1, None),
    ("# global.Entity = eid-x-x\n" + table("Entity=(e1-1)"), "syntax", 1, None),
    (table("Entity=(e1-person-1)"), "syntax", 1, 27),
    (HEAD + table("_").replace("\t", "  "), "syntax", 3, 1),
]


@pytest.mark.parametrize(("text", "code", "line", "column"), MISTAKES)
def test_mistakes(text: str, code: str, line: int, column: int | None) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert (error.value.code, error.value.line, error.value.column) == (code, line, column), error.value


def test_all_mistakes_at_once() -> None:
    source = Source(
        (HEAD + table("Entity=e9)", "Entity=(e1-7)", "Entity=(e2-1", "Entity=x")).encode(), "f", lenient=True
    )
    corpus = conllu.read(source)
    assert [(p.code, p.line) for p in source.problems] == [
        ("unopened", 3),
        ("syntax", 6),
        ("bad-head", 4),
        ("unclosed", 5),
    ]
    assert found(corpus) == [(0, ((1, 1),), "e1")]


def test_oddities_that_are_scored() -> None:
    corpus = parse(HEAD + table("Entity=(e1[1/2]-2)", "Entity=(e1[2/2]-2)"))
    assert found(corpus) == [(0, ((0, 1),), "e1")]
    assert [i.code for i in corpus.issues] == ["malformed"]
    corpus = parse(HEAD + table("_", "Entity=(e1-1)", start=5))
    assert "numbered" in corpus.issues[0].message
    assert found(corpus) == [(0, ((1, 1),), "e1")]


def test_entity_elsewhere_is_no_coreference() -> None:
    text = (
        HEAD
        + "# text = x|Entity=(e1-1)\n1\tEntity=(e1-1\t_\t_\t_\tEntity=(e1-1\t_\t_\t_\tNamedEntity=(e1-1|X=Entity=(\n\n"
    )
    corpus = parse(text)
    assert len(corpus) == 0
    assert "".join(conllu.write(corpus)).splitlines()[-2] == text.splitlines()[-2]


@examples(150)
@given(corpora(crossing=False))
def test_round_trip(corpus: Corpus) -> None:
    if not corpus.has_text:
        return
    assert content(parse("".join(conllu.write(corpus)))) == content(corpus)


@examples(150)
@given(corpora())
def test_writes_what_reads_back_or_refuses(corpus: Corpus) -> None:
    if not corpus.has_text:
        return
    try:
        text = "".join(conllu.write(corpus))
    except InputError as error:
        assert "cross" in str(error) or "starts with another" in str(error)
        return
    assert content(parse(text)) == content(corpus)


@examples(100)
@given(corpora(crossing=False))
def test_all_at_once_and_cell_by_cell_agree(corpus: Corpus) -> None:
    if corpus.has_text:
        assert_same_ways("".join(conllu.write(corpus)).encode())


def assert_same_ways(data: bytes) -> None:
    source = Source(data, "x")
    lines = conllu_lines.index(source)
    headers = lines.headers()
    fields = conllu._fields(source, lines, [h for h in headers if h.name == "global.Entity"])
    slow = one_by_one(source, lines, lines.begins(headers, "x"), fields, Builder(source, "conllu"))
    fast = conllu.read(Source(data, "x"))
    assert found(fast) == found(slow)
    heads = [None if c.head is None else c.head.tolist() for c in (fast, slow)]
    assert heads[0] == heads[1]
    assert {k: list(v) for k, v in fast.attributes.items()} == {k: list(v) for k, v in slow.attributes.items()}
    named = [[(r.kind, c.labels[r.source], c.labels[r.target], *r[3:]) for r in c.relations] for c in (fast, slow)]
    assert named[0] == named[1]


def test_what_can_not_be_written() -> None:
    with pytest.raises(InputError, match="no text"):
        list(conllu.write(cl.read([{(0, 1)}])))
    builder = Builder(Source(b"", "x"), "x")
    builder.document("d")
    builder.token("a\tb")
    with pytest.raises(InputError, match="tab"):
        list(conllu.write(builder.build()))


@pytest.mark.slow
@pytest.mark.parametrize("depth", [20_000])
def test_deep_nesting_and_long_lines_are_no_problem(depth: int) -> None:
    many = "".join(f"(e{i}-1" for i in range(depth))
    corpus = parse(HEAD + table("Entity=" + many, "Entity=" + "".join(f"e{i})" for i in range(depth))))
    assert len(corpus) == depth
    assert content(parse("".join(conllu.write(corpus)))) == content(corpus)
    with pytest.raises(InputError, match="never closed"):
        parse(HEAD + table("Entity=" + "(e1-1" * depth))
    with pytest.raises(InputError, match="neither"):
        parse(HEAD + table("Entity=" + "a" * 10_000_000))


def test_recognised_by_content() -> None:
    assert recognise(Source(FULL.encode(), "x")).name == "conllu"
    assert recognise(Source((table("Entity=(e1") + table("Entity=e1)")).encode(), "x")).name == "conllu"
    with pytest.raises(InputError, match="CoNLL-U without coreference"):
        recognise(Source(table("_").encode(), "x"))


@pytest.mark.slow
def test_fuzz() -> None:
    """Whatever happens to a file: a corpus, or an InputError."""
    chance = random.Random(7)
    data = FULL.encode()
    for _ in range(500):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(broken))
            kind = chance.randrange(4)
            if kind == 0:
                broken[place] = chance.choice(b"()[]/-|=<,\t\n\r#0193e\xc3\0")
            elif kind == 1:
                del broken[place : place + chance.randint(1, 30)]
            elif kind == 2:
                broken[place:place] = chance.choice(
                    [b"(e1", b"e1)", b"\n", b"\t", b"Entity=(", b"# newdoc id = first\n"]
                )
            else:
                del broken[place:]
            broken = broken or bytearray(b"x")
        for lenient in (False, True):
            try:
                corpus = conllu.read(Source(bytes(broken), "x", lenient=lenient))
                list(corpus.text.words)
                list(conllu.write(corpus))
            except InputError:
                pass


# --------------------------------------------------------------------------------------------------------- real files

REAL = [
    p
    for pattern in ("gum", "ontogum", "amalgum_auto", "gentle", "ud_gum_multidoc")
    for p in (DATA / pattern).rglob("*.conllu")
]
SCORER = [p for p in (DATA / "scorer_tests_corefud" / "tests-corefud").rglob("*") if p.suffix in (".key", ".response")]


@pytest.mark.skipif(not REAL, reason="no CorefUD files in ../shared/data")
def test_real_files() -> None:
    """Mentions and entities against a count with regular expressions; the file again, but for what is documented."""
    for path in (*REAL, *SCORER):
        text = path.read_text("utf-8")
        corpus = read(path)
        assert corpus.format == "conllu"
        opened = expected = 0
        for part in re.split(r"(?m)^# newdoc", text):
            cells = re.findall(r"[\t|]Entity=([^|\n]*)", part)
            opened += sum(len(re.findall(r"\((?![^-()\[]*\[(?!1/))", c)) for c in cells)
            at = 1 if path.name.startswith("AMALGUM") else 0
            expected += len({re.split(r"[-\[]", piece)[at] for c in cells for piece in re.findall(r"\(([^()]+)", c)})
        assert (len(corpus), len({(d, e) for d, e in zip(corpus.doc, corpus.entity, strict=True)})) == (
            opened,
            expected,
        )
        assert len(corpus.text.words) == len(re.findall(r"(?m)^\d+(?:\.\d+)?\t", text))
        again = "".join(conllu.write(corpus))
        assert content(parse(again)) == content(corpus)
        if not path.name.startswith(("AMALGUM", "GENTLE_poetry", "en_gum", "TC-O")) and "ontogum" not in path.parts:
            assert again == text, path
        assert_same_ways(text.encode())


@pytest.mark.skipif(not REAL, reason="no CorefUD files in ../shared/data")
def test_real_files_are_perfect_against_themselves(run: Run) -> None:
    for path in REAL:
        assert cl.score(path, path).conll == 1
    ran = run("score", REAL[0], REAL[0])
    assert ran.code == 0


def test_written_by_its_suffix(tmp_path: Path) -> None:
    from coreflens import write

    (tmp_path / "a.conllu").write_text(FULL, "utf-8")
    corpus = read(tmp_path / "a.conllu")
    assert not write(corpus, tmp_path / "b.conllu")
    assert (tmp_path / "b.conllu").read_text("utf-8") == FULL
    assert FORMATS["conllu"].writes
