"""CONLL-UA: dialects, mistakes with their places, policies, round trips, real files; and KorKor's pointers."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given

import coreflens as cl
from chance import examples
from coreflens.corpus.model import Corpus
from coreflens.errors import InputError
from coreflens.formats import conllu, conllua, korkor, read, recognise
from coreflens.formats.shared.source import Source
from corefud_corpora import content, corpora
from places import DATA
from texts.conllua import COLUMNS, FULL, POINTERS


def parse(text: str) -> Corpus:
    return conllua.read(Source(text.encode(), "a/file.CONLLUA"))


def identity(*cells: str, head: str = COLUMNS + "# newdoc id = d\n") -> str:
    return head + "".join(f"{i}  w{i}  _  {cell}  _\n" for i, cell in enumerate(cells, start=1)) + "\n"


def spans(corpus: Corpus) -> list[tuple[object, ...]]:
    return [(corpus.pieces(r), corpus.labels[corpus.entity[r]]) for r in range(len(corpus))]


def test_all_there_is() -> None:
    corpus = parse(FULL)
    assert [(d.name, d.tokens) for d in corpus.documents] == [("x/1", 6)]
    assert spans(corpus) == [
        (((0, 1),), "1"),
        (((2, 2),), "2"),
        (((3, 5),), "5"),  # its parts, 3–4 and 5, have nothing between them
        (((3, 4),), "6"),
        (((4, 4),), "3-Pseudo"),
    ]
    assert {k: list(v) for k, v in corpus.attributes.items()} == {
        "id": ["m1", "m2", "m3", "m4", "m5"],
        "min": ["2", "", "", "", ""],
        "SemType": ["dn", "", "", "", ""],
        "Entity_Type": ["person", "", "", "", ""],
        "referring": ["", "", "", "", "no"],
    }
    label = corpus.labels
    assert {(r.kind, label[r.source], r.target, r.mention, r.anchor, r.label) for r in corpus.relations} == {
        ("bridging", "2", label.index("1"), 1, 0, "poss"),
        ("split-antecedent", "5", label.index("1"), -1, 0, ""),
        ("split-antecedent", "6", label.index("1"), -1, 0, ""),
        ("deixis", "6", -1, 3, -1, "1-DD"),
    }
    text = corpus.text
    assert list(text.words) == ["a", "b", "", "c", "d", "e"]
    assert text.empty is not None
    assert text.empty.tolist() == [False, False, True, False, False, False]
    assert text.sentences.tolist() == [0, 4]
    assert text.layers["misc"][4] == "Q=1"
    assert text.layers["comments"][0] == "# speaker = A"
    assert text.layers["discourse_deixis"][2:4] == [")", "(EntityID=1-DD|MarkableID=m4)"]
    assert "nom_sem" not in text.layers
    assert [i.code for i in corpus.issues] == ["non-referring"]
    again = parse("".join(conllua.write(corpus)))
    assert content(again) == content(corpus)
    assert {k: list(v) for k, v in again.attributes.items()} == {k: list(v) for k, v in corpus.attributes.items()}


def test_discontinuous_and_crossing() -> None:
    one = "(EntityID=1|MarkableID=m1)"
    assert spans(parse(identity(one, "_", one))) == [(((0, 0), (2, 2)), "1")]
    crossing = identity("(EntityID=1|MarkableID=a", "(EntityID=2|MarkableID=b", "a)", "b)")
    corpus = parse(crossing)
    assert spans(corpus) == [(((0, 2),), "1"), (((1, 3),), "2")]
    written = "".join(conllua.write(corpus))
    assert "\ta)\t" in written
    assert spans(parse(written)) == spans(corpus)


def test_version_1_1() -> None:
    """Tabs, SPLIT, `@` between pieces, entries without brackets, other spellings of the keys, missing columns."""
    text = "# global.columns = ID FORM IDENTITY SPLIT BRIDGING\n"
    text += "1\tHe\t(EntityID=1|MarkableID=m1)\tEntityID=1|ElementOf=4\n"
    text += "2\this\t(EntityId=3|MarkableId=m3@(EntityId=1|MentionID=m4)\tEntityID=3|ElementOf=4\t"
    text += "MarkableID=m3|EntityAnchor=1\n"
    text += "3\tfather\t)\n4\tthey\t(EntityID=4)\n"
    corpus = parse(text)
    assert spans(corpus) == [(((0, 0),), "1"), (((1, 2),), "3"), (((1, 1),), "1"), (((3, 3),), "4")]
    label = corpus.labels
    relations = {(r.kind, label[r.source], label[r.target], r.mention, r.anchor) for r in corpus.relations}
    assert relations == {
        ("split-antecedent", "4", "1", -1, 0),
        ("split-antecedent", "4", "3", -1, 1),
        ("bridging", "3", "1", 1, -1),
    }


MISTAKES = [
    (identity("(EntityID=1|MarkableID=m"), "unclosed", 3),
    (identity("_", ")"), "unopened", 4),
    (identity("m9)"), "unopened", 3),
    (identity("(MarkableID=m)"), "syntax", 3),
    (identity("(EntityID=1|x)"), "syntax", 3),
    (identity("1"), "syntax", 3),
    (identity("(EntityID=1|MarkableID=m)", "(EntityID=2|MarkableID=m)"), "duplicate-id", 4),
    (identity("(EntityID=1|MarkableID=m", "(EntityID=1|MarkableID=m", "))"), "duplicate-id", 4),
    (COLUMNS + "x  w  _  _\n", "syntax", 2),
    (COLUMNS + "1\n", "syntax", 2),
    (COLUMNS + "1" + "  a" * 20 + "\n", "syntax", 2),
    ("1  w  _  _\n" + COLUMNS, "syntax", 1),
    ("# global.columns = FORM IDENTITY\n", "syntax", 1),
    (identity("_") + "# newdoc id = d\n1  w  _  _\n", "duplicate-document", 5),
    (COLUMNS, "input", None),
]


@pytest.mark.parametrize(("text", "code", "line"), MISTAKES)
def test_mistakes(text: str, code: str, line: int | None) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert (error.value.code, error.value.line) == (code, line), error.value


def test_all_mistakes_at_once() -> None:
    source = Source(identity(")", "(x)", "(EntityID=1|MarkableID=m1)", "(EntityID=2").encode(), "f", lenient=True)
    assert spans(conllua.read(source)) == [(((2, 2),), "1")]
    assert [(p.code, p.line) for p in source.problems] == [
        ("unopened", 3),
        ("syntax", 4),
        ("syntax", 4),
        ("unclosed", 6),
    ]


def test_relations_to_nothing_are_left_out_and_counted() -> None:
    text = COLUMNS + "1  a  _  (EntityID=1|MarkableID=m1|ElementOf=9)  (MarkableID=m1|Rel=x|MentionAnchor=m7)\n"
    corpus = parse(text)
    assert not corpus.relations
    assert corpus.issues[0].code == "left-out"


@examples(150)
@given(corpora(heads=False))
def test_round_trip(corpus: Corpus) -> None:
    if corpus.has_text:
        assert content(parse("".join(conllua.write(corpus)))) == content(corpus)


@examples(60)
@given(corpora(crossing=False, heads=False))
def test_to_corefud_and_back(corpus: Corpus) -> None:
    if corpus.has_text:
        there = conllu.read(Source("".join(conllu.write(corpus)).encode(), "x"))
        assert content(parse("".join(conllua.write(there)))) == content(corpus)


@pytest.mark.slow
def test_fuzz() -> None:
    chance = random.Random(7)
    for _ in range(1000):
        broken = bytearray(FULL.encode())
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(broken))
            if chance.random() < 0.5:
                broken[place] = chance.choice(b"()|=@,\t\n\r# 01_\xc3\0")
            else:
                del broken[place : place + chance.randint(1, 30)]
        for lenient in (False, True):
            try:
                corpus = conllua.read(Source(bytes(broken), "x", lenient=lenient))
                list(conllua.write(corpus))
            except InputError:
                pass


REAL = list((DATA / "codi_crac").glob("*.CONLLUA"))
TESTS = [
    p
    for folder in ("scorer_tests_corefud/tests-ua", "scorer_tests_ua_plural")
    for p in (DATA / folder).rglob("*")
    if p.suffix in (".key", ".response", ".sys")
]


@pytest.mark.skipif(not REAL, reason="no CONLL-UA files in ../shared/data")
def test_real_files() -> None:
    """Mentions, entities and relations against a count with regular expressions."""
    for path in (*REAL, *TESTS):
        mentions = entities = bridges = elements = 0
        for part in re.split(r"(?m)^# newdoc", path.read_text("utf-8")):
            rows = [line.split() for line in part.split("\n") if re.match(r"\d", line)]
            opened = re.findall(r"EntityID=([^|()\s]*)\|MarkableID=([^|()\s]*)", "\n".join(row[10] for row in rows))
            mentions += len({name for _, name in opened})
            entities += len({label for label, _ in opened})
            bridges += sum(row[11].count("MentionAnchor=") for row in rows)
            elements += sum(len(x.split(",")) for row in rows for x in re.findall(r"ElementOf=([^|()]*)", row[10]))
        corpus = read(path)
        assert corpus.format == "conllua"
        kinds = [r.kind for r in corpus.relations]
        left_out = sum("bridging" in i.message for i in corpus.issues if i.code == "left-out")
        assert len(corpus) == mentions
        assert len({*zip(corpus.doc.tolist(), corpus.entity.tolist(), strict=True)}) == entities
        assert (kinds.count("bridging") + left_out, kinds.count("split-antecedent")) == (bridges, elements)
        assert content(parse("".join(conllua.write(corpus)))) == content(corpus)
        assert cl.score(path, path, metrics=["bcub"])["bcub"].f1 == 1


@pytest.mark.skipif(not TESTS, reason="no scorer_tests_corefud in ../shared/data")
def test_the_same_cases_in_three_formats_score_the_same() -> None:
    """The CorefUD scorer has its cases as CoNLL, CorefUD and CONLL-UA."""
    root = DATA / "scorer_tests_corefud"
    folders = [root / "tests-conll", root / "tests-corefud" / "exact-match", root / "tests-ua" / "original-conll"]
    cases = [p.name for p in folders[0].glob("*.response") if all((f / p.name).exists() for f in folders)]
    assert len(cases) > 15
    for case in cases:
        key = re.sub(r"-\d+\.response", ".key", case)
        conll, corefud, ua = (cl.score(f / key, f / case).to_dict()["scores"] for f in folders)
        assert conll == corefud, case
        if case not in ("TC-A-8.response", "TC-A-9.response"):  # spans in two entities, opened in another order
            assert conll == ua, case


# ------------------------------------------------------------------------------------------------------------- KorKor


def test_pointers() -> None:
    corpus = korkor.read(Source(POINTERS.encode(), "a/k.conllup"))
    assert [d.label for d in corpus.documents] == ["k"]
    assert spans(corpus) == [
        (((0, 0),), "1:1"),
        (((1, 1),), "1:2"),
        (((2, 2),), "1:1"),
        (((3, 3),), "2:4"),
        (((4, 4),), "1:1"),
    ]
    assert list(corpus.attributes["type"]) == ["", "", "prs", "", "coref"]
    (relation,) = corpus.relations
    assert (relation.kind, relation.mention, relation.anchor, relation.label) == ("bridging", 3, 1, "holo")
    assert corpus.text.layers["zero_subj"][1] == "YES"
    assert [i.code for i in corpus.issues] == ["left-out"]
    assert recognise(Source(POINTERS.encode(), "x")).name == "korkor"


@pytest.mark.parametrize(("pointer", "code"), [("9:9", "dangling"), ("x", "syntax"), ("???", ""), ("1:1", "")])
def test_pointers_to_nothing(pointer: str, code: str) -> None:
    text = POINTERS.replace("Anna\t_\t_", f"Anna\t{pointer}\tcoref")
    if not code:
        assert "malformed" in [i.code for i in korkor.read(Source(text.encode(), "x")).issues]
        return
    with pytest.raises(InputError) as error:
        korkor.read(Source(text.encode(), "x"))
    assert (error.value.code, error.value.line, error.value.column) == (code, 3, 13)


@pytest.mark.skipif(not (DATA / "korkor").is_dir(), reason="no korkor in ../shared/data")
def test_real_pointers() -> None:
    for path in (DATA / "korkor").rglob("*.conllup"):
        linked: set[tuple[str, str]] = set()
        for sentence, block in enumerate(path.read_text("utf-8").split("\n\n"), start=1):
            for line in block.split("\n"):
                cells = line.split("\t")
                if len(cells) > 9 and re.fullmatch(r"\d+:\d+", cells[8]) and cells[8] != f"{sentence}:{cells[0]}":
                    linked |= {(str(sentence), cells[0]), (cells[8].split(":")[0], cells[8].split(":")[1])}
        corpus = read(path)
        assert len(corpus) == len(linked)
        assert cl.score(path, path).conll == 1
