"""What is the same mention: pieces, units, empty nodes; and what is reported of two sides that do not fit."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run, conll
from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS
from coreflens.matching.mentions import Side, identify
from corpora import characters, tokens
from places import DATA

Pieces = tuple[tuple[int, int], ...]


def mentions(key: Corpus, response: Corpus, **settings: Any) -> tuple[int, int, int]:
    """Mentions in common, of the key, of the response."""
    counts = cl.score(key, response, metrics="mentions", **settings)["mentions"].counts
    return int(counts["recall_num"]), int(counts["recall_den"]), int(counts["precision_den"])


# ----------------------------------------------------------------------------------------------- discontinuous mentions

TEXT = "a b c d e f g h"


def test_pieces_make_the_mention() -> None:
    key = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (0, 5), (7, 7)], 2: [((0, 0), (3, 5))]}))
    response = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (7, 7)], 2: [((0, 0), (4, 5)), (0, 5)]}))
    assert mentions(key, key) == (4, 4, 4)
    assert mentions(key, response) == (3, 4, 4)
    alignment = cl.Scorer(key).align(response)
    identities = alignment.identities()
    assert len(set(identities)) == 5
    assert ((0, 1), (4, 5)) in identities
    assert (0, 5) in identities
    by_rank = [identities[i] for i in np.argsort(alignment.rank)]
    assert by_rank == [(0, 5), ((0, 0), (3, 5)), ((0, 0), (4, 5)), ((0, 1), (4, 5)), (7, 7)]
    assert key.clusters()[2] == [((0, 0), (3, 5))]


def test_pieces_that_touch_are_one() -> None:
    assert mentions(tokens(("a", TEXT, {1: [((0, 1), (2, 5))]})), tokens(("a", TEXT, {1: [(0, 5)]}))) == (1, 1, 1)


def test_a_discontinuous_mention_twice() -> None:
    key = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (7, 7)]}))
    response = tokens(("a", TEXT, {1: [((0, 1), (4, 5)), (7, 7)], 2: [((0, 1), (4, 5))]}))
    result = cl.score(key, response, metrics="mentions")
    assert [i.code for i in result.issues] == ["duplicates-response"]
    with pytest.raises(cl.InputError, match=r"mention \(\(0, 1\), \(4, 5\)\) occurs twice"):
        cl.score(key, response, duplicates="error")


pieces = st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True).map(
    lambda places: tuple((p, p) for p in sorted(places))
)
side = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), pieces), max_size=12)


@given(side, side, st.sets(st.sampled_from("abc")))
def test_codes_are_equal_for_the_same_tokens(key: Any, response: Any, left_out: set[str]) -> None:
    """Of the same document and the same set of tokens, whatever pieces they are given in; with documents left out."""
    corpora = []
    for mentions_ in (key, response):
        chosen = {name: [p for n, p in mentions_ if n == name] for name in "abc"}
        corpora.append(tokens(*((name, "x " * 10, {1: spans}) for name, spans in chosen.items())))
    rows = np.array([-1 if name in left_out else d for d, name in enumerate("abc")])
    sides = [Side.of(corpus, rows) for corpus in corpora]
    codes = np.concatenate(identify(*sides)).tolist()
    meant = [
        (int(s.row[p]), frozenset(t for a, b in corpus.pieces(int(s.origin[p])) for t in range(a, b + 1)))
        for s, corpus in zip(sides, corpora, strict=True)
        for p in range(len(s.row))
    ]
    assert len(set(zip(codes, meant, strict=True))) == len(set(codes)) == len(set(meant))


# --------------------------------------------------------------------------------------------------------------- units


def test_units() -> None:
    by_token, by_character = tokens(("a", "x y", {1: [(0, 0)]})), characters(("a", "x y", {1: [(0, 0)]}))
    for key, response, message in (
        (by_token, by_character, "the key counts tokens and the response characters"),
        (by_character, by_token, "the key counts characters and the response tokens"),
    ):
        with pytest.raises(cl.InputError, match=message) as raised:
            cl.score(key, response)
        assert "--align characters" in raised.value.hint
        assert mentions(key, response, align="characters") == (1, 1, 1)
    assert mentions(by_character, by_character) == (1, 1, 1)
    with pytest.raises(cl.InputError, match="3 characters in the key and 4 in the response"):
        cl.score(by_character, characters(("a", "x yz", {1: [(0, 0)]})))


# --------------------------------------------------------------------------------------------------------- empty nodes


def test_other_empty_nodes() -> None:
    key = tokens(
        (
            "a",
            "*0 came *1 *2 and went",
            {1: [(0, 0), (2, 2)], 2: [(3, 3)], 3: [(4, 5)], 4: [(0, 5)], 5: [((1, 1), (5, 5))]},
        ),
        ("b", "he *1 came", {1: [(1, 1), (0, 2)]}),
    )
    response = tokens(
        ("a", "came *1 and *2 went", {1: [(1, 1), (3, 3)], 3: [(2, 4)], 4: [(0, 4)], 5: [((0, 0), (4, 4))]}),
        ("b", "he *1 came", {1: [(1, 1), (0, 2)]}),
    )
    result = cl.score(key, response, metrics="mentions")
    common = int(result["mentions"].counts["recall_num"])
    assert common == 2 + 2, "the first node after `came`, `came ... went`; all of document b; `and * went` is another"
    assert [(i.code, i.count) for i in result.issues] == [("empty-nodes", 1)]
    assert "(2) and the key (3)" in result.issues[0].message
    assert mentions(key, key) == (8, 8, 8)


def test_as_many_tokens_but_other_empty_nodes() -> None:
    key = tokens(("a", "x *1 y z", {1: [(1, 1), (3, 3)], 2: [(2, 2)]}))
    response = tokens(("a", "x y *1 z", {1: [(2, 2), (3, 3)], 2: [(1, 1)]}))
    assert mentions(key, response) == (2, 3, 3), "y and z"


def test_written_tokens_differ() -> None:
    key, response = tokens(("a", "x *1 y z", {1: [(1, 1)]})), tokens(("a", "x *1 y", {1: [(1, 1)]}))
    with pytest.raises(cl.InputError, match="4 tokens in the key and 3 in the response") as raised:
        cl.score(key, response)
    assert "token 3 is 'z' (side:5) in the key and missing (side) in the response" in str(raised.value)


@given(st.lists(st.sampled_from(["w", "*"]), min_size=1, max_size=12), st.data())
def test_empty_nodes_taken_out(kinds: list[str], data: st.DataObject) -> None:
    """A response without empty nodes has the mentions of written tokens, and no other, in common with the key.

    An empty node between the ends of a mention is one of its words.
    """
    place = {t: i for i, t in enumerate(t for t, kind in enumerate(kinds) if kind == "w")}
    number = st.integers(0, len(kinds) - 1)
    spans = data.draw(st.sets(st.tuples(number, number).map(lambda s: (min(s), max(s))), min_size=1))
    kept = {(place[a], place[b]) for a, b in spans if a in place and b in place}
    if not place or not kept:
        return
    key = tokens(("a", " ".join(kinds), {1: sorted(spans)}))
    response = tokens(("a", "w " * len(place), {1: sorted(kept)}))
    same = [(a, b) for a, b in spans if "*" not in kinds[a : b + 1]]
    assert mentions(key, response) == (len(same), len(spans), len(kept))


def test_text_is_read_only_if_needed() -> None:
    """Where the tokens agree in number, text that is yet to be read stays unread."""

    def never() -> Any:
        raise AssertionError("text was asked for")

    corpus = replace(tokens(("a", "x y", {1: [(0, 0), (1, 1)]})), texts=never)
    assert mentions(corpus, corpus) == (2, 2, 2)


# ---------------------------------------------------------------------------------------------------------- suspicions

SPANS = [(i, i + i % 3) for i in range(0, 60, 2)]
WORDS = "w " * 70


def entities(spans: list[tuple[int, int]], size: int = 3) -> dict[int, list[tuple[int, int]]]:
    return {e: spans[e * size : (e + 1) * size] for e in range(-(-len(spans) // size))}


@pytest.mark.parametrize(
    ("start", "end", "question"),
    [
        (0, 1, "would match if ends were one less (.*): are the response's ends exclusive?"),
        (1, 1, "would match if starts and ends were one less (.*): does the response count from 1?"),
        (1, 2, "starts were one and ends two less (.*): does the response count from 1, with exclusive ends?"),
    ],
)
def test_counted_otherwise(start: int, end: int, question: str) -> None:
    key = tokens(("a", WORDS, entities(SPANS)))
    response = tokens(("a", WORDS, entities([(a + start, b + end) for a, b in SPANS])))
    backwards = question.replace("response", "key").replace("less", "more")
    for one, other, said in ((key, response, question), (response, key, backwards)):
        found = [i for i in cl.pair(one, other).problems if i.code == "shifted"]
        assert len(found) == 1
        assert said.split("(.*)")[0] in found[0].message
        assert said.split("(.*)")[1] in found[0].message
        assert found[0].count == len(SPANS)
        try:
            issues = cl.score(one, other).issues
            assert found[0].message in [i.message for i in issues], "scorable, so it is reported"
        except cl.InputError as error:
            assert "no mention in common" in error.message
            assert found[0].message in error.hint


def test_nothing_is_suspected_of_a_poor_system() -> None:
    """Wrong mentions are no other way of counting, and neither is a right response."""
    key = tokens(("a", WORDS, entities(SPANS)))
    poor = tokens(("a", WORDS, entities([(a, b + (a % 3)) for a, b in SPANS])))
    assert cl.pair(key, poor).ok
    assert not cl.score(key, poor).issues
    assert cl.pair(key, tokens(("a", WORDS, entities(SPANS, 2)))).ok


def test_no_singletons() -> None:
    key = tokens(("a", WORDS, entities(SPANS[:12], 1) | {99: SPANS[12:]}))
    response = tokens(("a", WORDS, {1: SPANS[:25]}))
    for one, other, side in ((key, response, "key"), (response, key, "response")):
        (issue,) = cl.score(one, other).issues
        assert issue.code == "no-singletons"
        assert issue.message.startswith(f"12 entities of the {side} are singletons (40 % of its mentions), and none")
        pairs = cl.pair(one, other)
        assert pairs.ok
        assert [i.code for i in pairs.notes] == ["no-singletons"]


# ------------------------------------------------------------------------------------------------------ coreflens pair


def codes(pairs: cl.Pairs) -> list[str]:
    return [issue.code for issue in pairs.problems]


def test_first_difference() -> None:
    key = tokens(("a", "x y z", {1: [(0, 0)]}), ("b", "-LRB- he came .\nShe left .", {1: [(1, 1)]}), source="key")
    response = tokens(("a", "x y z", {1: [(0, 0)]}), ("b", "( he went .\nShe left .", {1: [(1, 1)]}), source="response")
    pairs = cl.pair(key, response)
    assert codes(pairs) == ["other-text"]
    text = pairs.documents[1].text
    assert text is not None
    assert tuple(text) == ("token", 2, "came", "went", "key:8", "response:8"), "-LRB- is a spelling of the bracket"
    assert "first 'b': token 2 is 'came' (key:8) in the key and 'went' (response:8) in the response" in str(pairs)
    assert pairs.to_dict()["documents"][1]["text"] == text._asdict()
    assert pairs.documents[0].text is None


def test_unequal_tokens() -> None:
    key = tokens(("a", "x y", {1: [(0, 0)]}), ("b", "do n't go", {1: [(0, 1)]}), ("c", "a b", {}))
    response = tokens(("a", "x y", {1: [(0, 0)]}), ("b", "don't go", {1: [(0, 0)]}), ("c", "ab", {}))
    pairs = cl.pair(key, response)
    assert codes(pairs) == ["unequal-tokens"]
    assert pairs.problems[0].count == 2
    assert "first 'b' (3 and 2): token 0 is 'do'" in pairs.problems[0].message
    assert "--align characters" in pairs.problems[0].message
    assert cl.pair(key, response, align="characters").ok


def test_empty_nodes_are_no_problem() -> None:
    pairs = cl.pair(tokens(("a", "x *1 y", {1: [(0, 0)]})), tokens(("a", "x y", {1: [(0, 0)]})))
    assert pairs.ok
    assert [i.code for i in pairs.notes] == ["empty-nodes"]


def test_sentences() -> None:
    pairs = cl.pair(tokens(("a", "x y\nz", {1: [(0, 0)]})), tokens(("a", "x\ny z", {1: [(0, 0)]})))
    assert pairs.ok
    (note,) = pairs.notes
    assert note.code == "other-sentences"
    assert "in 'a' token 1, 'y', begins a sentence on one side only" in note.message
    assert note.places == ("side:3", "side:3")


def test_exchanged_texts() -> None:
    key = tokens(("a", "x y", {1: [(0, 0)]}), ("b", "v w", {1: [(0, 0)]}), ("c", "c c", {}))
    response = tokens(("b", "x y", {1: [(0, 0)]}), ("a", "v w", {1: [(0, 0)]}), ("c", "c c", {}))
    pairs = cl.pair(key, response)
    assert codes(pairs) == ["other-text", "exchanged"]
    assert "2 response documents with the text of another key document, 'b' with that of 'a'" in str(pairs)
    assert 'pair="text" pairs 3 of 3 response documents by their words' in str(pairs)
    followed = cl.pair(key, response, pair="text")
    assert followed.ok
    assert [issue.code for issue in followed.notes] == ["paired-by-text"]


def test_other_names_for_the_same_texts() -> None:
    key = tokens(("a", "do n't", {1: [(0, 0)]}), ("b", "v w", {}))
    response = tokens(("c", "don't", {1: [(0, 0)]}), ("d", "x", {}), ("e", "v w", {}))
    with pytest.raises(cl.InputError, match="no document in common") as raised:
        cl.pair(key, response)
    assert "--pair file" not in raised.value.hint, "the numbers of documents differ"
    assert "--pair text pairs 2 of 3 response documents by their words" in raised.value.hint
    assert cl.pair(key, response, pair="text", align="characters").count("paired") == 2


def test_other_texts_explain_an_error() -> None:
    key, response = tokens(("a", "x y", {1: [(0, 0)]})), tokens(("a", "v w", {1: [(1, 1)]}))
    with pytest.raises(cl.InputError, match="no mention in common") as raised:
        cl.score(key, response)
    assert "the texts of document 'a' differ: token 0 is 'x'" in raised.value.hint


def test_characters_differ() -> None:
    key, response = characters(("a", "x y z", {1: [(0, 0)]})), characters(("a", "x v z", {1: [(0, 0)]}))
    (problem,) = cl.pair(key, response).problems
    assert "character 2 is 'y z' (side) in the key and 'v z' (side) in the response" in problem.message


def test_command(run: Run, tmp_path: Path) -> None:
    def write(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    key = write("a", conll("(1)", "(1)", "(2)"))
    same = write("b", conll("(1)", "(2)", "(1)"))
    ran = run("pair", key, same)
    assert (ran.code, ran.err) == (0, "")
    assert "1 paired, 0 missing, 0 extra" in ran.out
    assert "3 in common (100 % of the key's, 100 % of the response's)" in ran.out
    plain = run("pair", key, same, "--format", "json").json
    assert (plain["ok"], plain["common"], plain["paired"], plain["problems"]) == (True, 3, 1, [])
    assert plain["documents"][0]["key"] == {"label": "nw/a_0", "tokens": 3, "place": f"{key}:1"}

    two = write("c", conll("(1)", "(1)", "(2)") + conll("(1)", name="nw/b"))
    ran = run("pair", key, two)
    assert ran.code == 1
    assert "0 missing, 1 extra" in ran.out
    assert "swapped" in ran.out
    ran = run("pair", two, key, "--format", "json")
    assert ran.code == 1
    assert json.loads(ran.out)["missing"] == 1
    assert [i["code"] for i in json.loads(ran.out)["problems"]] == ["missing-documents"]

    ran = run("pair", key, key)
    assert ran.code == 1
    assert "[same-file]" in ran.out
    ran = run("pair", key, write("e", conll("(1)", "(1)")))
    assert ran.code == 1
    assert "(3 and 2)" in ran.out
    ran = run("pair", key, write("f", conll("-", "(1", "1)")))
    assert ran.code == 1
    assert "[twinless]" in ran.out
    for wrong in (write("g", conll("(1)", name="x")), write("h", "prose"), tmp_path / "absent"):
        ran = run("pair", key, wrong)
        assert (ran.code, ran.out) == (3, "")
    assert run("pair", key, tmp_path / "g", "--pair", "file").code == 1
    assert run("pair", "-", "-").code == 2


def lines(text: str) -> str:
    """A CoNLL file of `word cell` pairs."""
    rows = "".join(f"a\t0\t{i}\t{row.replace(' ', chr(9))}\n" for i, row in enumerate(text.split(", ")))
    return f"#begin document (a); part 000\n{rows}\n#end document\n"


def test_other_tokens_in_files(run: Run, tmp_path: Path) -> None:
    key, response = tmp_path / "a.conll", tmp_path / "b.conll"
    key.write_text(lines("Ann (1), did (2, n't 2), see -, -LRB- -, Bob (3), -RRB- -, . -, She (1), left -"), "utf-8")
    response.write_text(lines("Ann (1), didn't (2), see -, ( -, Bob (1), ) -, . -, She (1), left -"), "utf-8")
    ran = run("score", key, response)
    assert (ran.code, ran.out) == (3, "")
    assert (
        f"{response}:1: document 'a_0' has 10 tokens in the key and 9 in the response; token 1 is 'did' ({key}:3)"
        in ran.err
    )
    assert f'"didn\'t" ({response}:3)' in ran.err
    assert "--align characters" in ran.err
    plain = run("score", key, response, "--align", "characters", "-m", "mentions,bcub", "--format", "json").json
    assert plain["scores"]["mentions"]["f1"] == 1
    assert plain["issues"] == []
    assert "align:characters" in plain["signature"]
    ran = run("pair", key, response)
    assert ran.code == 1
    assert f"(10 and 9): token 1 is 'did' ({key}:3)" in ran.out
    assert run("pair", key, response, "--align", "characters").code == 0


def test_swapped_names(run: Run, tmp_path: Path) -> None:
    for name in ("gold.conll", "system.conll"):
        (tmp_path / name).write_text(conll("(1)", "(1)"), encoding="utf-8")
    assert run("pair", tmp_path / "gold.conll", tmp_path / "system.conll").code == 0
    ran = run("pair", tmp_path / "system.conll", tmp_path / "gold.conll")
    assert ran.code == 1
    assert "[swapped]" in ran.out


# ---------------------------------------------------------------------------------------------------------- real files


def real(path: str, *formats: str) -> Path:
    if not (DATA / path).exists():
        pytest.skip(f"needs ../shared/data/{path}, which is not here")
    if missing := set(formats) - set(FORMATS):
        pytest.skip(f"needs the reader of {', '.join(sorted(missing))}")
    return DATA / path


def test_zeros_of_the_corefud_scorer() -> None:
    """Its test cases of exact match with zeros, and the fractions that their README derives by hand."""
    folder = real("scorer_tests_corefud/tests-corefud/zeros", "conllu")
    readme = (folder / "ZeroTestCases.README").read_text(encoding="utf-8")
    checked = 0
    for case in re.finditer(r"^(TC-Z([A-C])-\d)\b(.*?)(?=^TC-|^In |\Z)", readme, re.MULTILINE | re.DOTALL):
        key, response = folder / f"TC-Z{case[2]}.key", folder / f"{case[1]}.response"
        if not response.exists():
            continue
        result = cl.score(key, response, exact=True)
        for name, metric in (("BCUB", "bcub"), ("MUC", "muc"), ("CEAFm", "ceafm")):
            recall = re.search(rf"{name}=.*?recall=(\d+/\d+)", case[3])
            precision = re.search(rf"{name}=.*?prec=(\d+/\d+)", case[3], re.IGNORECASE)
            assert recall
            assert precision
            got = (result[metric].recall, result[metric].precision)
            assert got == (Fraction(recall[1]), Fraction(precision[1])), f"{case[1]}: {name}"
            checked += 1
    assert checked >= 12


def test_litbank_in_tokens_and_in_characters() -> None:
    """The same annotation, published with token offsets and with character offsets: every mention meets its twin."""
    folder = real("litbank", "conll", "brat")
    key = cl.read(folder / "conll")
    if not key.has_text:
        pytest.skip("needs the words of CoNLL files")
    response = cl.read(folder / "brat")
    assert key.unit != response.unit
    for one, other in ((key, response), (response, key)):
        result = cl.score(one, other, align="characters", pair="file")
        assert (result.conll, result["lea"].f1) == (1, 1)
    assert cl.pair(key, response, align="characters", pair="file").common == len(key) == len(response) > 1000


def test_pair_file_does_not_recommend_itself(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "key").mkdir(exist_ok=True)
        (tmp_path / "key" / f"{name}.conll").write_text(conll("(1)", name=name))
    (tmp_path / "r.conll").write_text(conll("(1)", name="b") + conll("(1)", name="a"))
    ran = run("pair", tmp_path / "key", tmp_path / "r.conll", "--pair", "file")
    assert ran.code == 3
    assert "no file in common: the key has 'a', the response 'r' (of 2 and 1" in ran.err
    assert "--pair name pairs 2 of 2 response documents by name" in ran.err
    assert "--pair file pairs" not in ran.err
    assert run("pair", tmp_path / "key", tmp_path / "r.conll", "--pair", "name").code == 0
