"""Agreement of annotators: matrices, Krippendorff's alpha, differences."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from difflib import SequenceMatcher
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run, conll
from coreflens.corpora.naming import named
from coreflens.metrics import METRICS
from places import DATA

Clusters: TypeAlias = dict[str, int]  # mention → entity


# ---------------------------------------------------------------------------------------------------- alpha, set by set


def distance(a: frozenset[str], b: frozenset[str]) -> Fraction:
    if a == b:
        return Fraction(0)
    if a <= b or b <= a:
        return Fraction(1, 3)
    return Fraction(2, 3) if a & b else Fraction(1)


def values(annotators: list[Clusters], drop: bool) -> list[list[frozenset[str]]]:
    """A list a mention: the set that each annotator has it in."""

    @cache
    def members(person: int, entity: int) -> frozenset[str]:
        return frozenset(m for m, e in annotators[person].items() if e == entity)

    def entity(person: int, mention: str) -> frozenset[str]:
        found = annotators[person].get(mention)
        return frozenset([mention]) if found is None else members(person, found)

    mentions = sorted({m for annotator in annotators for m in annotator})
    table = [[entity(person, m) for person in range(len(annotators))] for m in mentions]
    return [row for row in table if not drop or any(len(value) > 1 for value in row)]


def alpha(documents: list[list[Clusters]], drop: bool = False) -> Fraction | None:
    """Krippendorff's alpha as it is defined, over every pair of values; documents are added up before the division."""
    observed = expected = Fraction(0)
    for annotators in documents:
        table = values(annotators, drop)
        every = [value for row in table for value in row]
        for row in table:
            observed += Fraction(sum(distance(a, b) for a, b in permutations(row, 2))) / (len(row) - 1)
        if every:
            counted = Counter(every)
            apart: Counter[Fraction] = Counter()
            for a, b in combinations(counted, 2):
                apart[distance(a, b)] += 2 * counted[a] * counted[b]
            expected += Fraction(sum(d * n for d, n in apart.items())) / (len(every) - 1)
    return 1 - observed / expected if expected else None


def test_reference_on_an_example_worked_by_hand() -> None:
    """{abc} against {ab}{c}: every mention 1/3 apart. Expected: abc–ab 12 × 1/3, abc–c 6 × 1/3, ab–c 4 × 1, of 30."""
    assert alpha([[{"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2}]]) == 1 - Fraction(1, 3) / Fraction(10, 30) == 0


def test_another_worked_by_hand() -> None:
    """{ab}{cd} against {ab}{c}{d}: 0 0 ⅓ ⅓, mean 1/6.

    Values: ab ×4, cd ×2, c, d. Ordered pairs apart: ab–cd 16, ab–c 8, ab–d 8, c–d 2 by 1; cd–c 4, cd–d 4 by 1/3;
    34 + 8/3 = 110/3 of 8 · 7 = 56. α = 1 − (1/6)/(110/168) = 1 − 28/110 = 41/55.
    """
    found = cl.agree([["a", "b"], ["c", "d"]], [["a", "b"], ["c"], ["d"]])
    assert found.alpha == pytest.approx(41 / 55)
    assert found.mentions == 4


def test_overlap_and_a_missing_mention_by_hand() -> None:
    """{abc}{d} against {ab}{cd}, and then with d missing instead of being a singleton: the same by definition."""
    one, two = [["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]]
    # a, b: subset 1/3; c: {abc} and {cd} overlap, 2/3; d: {d} in {cd}, 1/3. D_o = (1/3 + 1/3 + 2/3 + 1/3)/4 = 5/12.
    # abc ×3, d ×1, ab ×2, cd ×2. abc–d 6·1, abc–ab 12·⅓, abc–cd 12·⅔, d–ab 4·1, d–cd 4·⅓, ab–cd 8·1: 94/3 of 56.
    assert cl.agree(one, two).alpha == pytest.approx(1 - (5 / 12) / (94 / 3 / 56))
    assert cl.agree([["a", "b", "c"]], two).alpha == pytest.approx(cl.agree(one, two).alpha)


annotation = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3))
studies = st.integers(2, 4).flatmap(
    lambda people: st.lists(st.lists(annotation, min_size=people, max_size=people), min_size=1, max_size=3)
)


@examples(150)
@given(studies, st.booleans())
def test_alpha_is_that_of_the_definition(documents: list[list[Clusters]], drop: bool) -> None:
    people = len(documents[0])
    annotators = [{f"d{k}": clusters(doc[p]) for k, doc in enumerate(documents)} for p in range(people)]
    found = cl.agree(*annotators, singletons="drop" if drop else "keep")
    expected = alpha(documents, drop)
    assert found.alpha == pytest.approx(float("nan") if expected is None else float(expected), nan_ok=True)
    for a, b in permutations(range(people), 2):
        of_two = alpha([[doc[a], doc[b]] for doc in documents], drop)
        matrix = found.matrices["alpha"]
        assert matrix[a, b] == pytest.approx(float("nan") if of_two is None else float(of_two), nan_ok=True)
    assert found.mentions == sum(len(values(doc, drop)) for doc in documents)


def clusters(annotation: Clusters) -> list[list[str]]:
    entities: dict[int, list[str]] = {}
    for mention, entity in annotation.items():
        entities.setdefault(entity, []).append(mention)
    return list(entities.values())


def test_alpha_does_not_depend_on_the_tokens(tmp_path: Path) -> None:
    """Three annotators of "don't go, Bo": one counts characters of words split in pieces, one has fewer tokens."""
    whole = tmp_path / "whole.conll", ["don't", "go", ",", "Bo"], ["(0)", "-", "-", "(0)"]
    split = tmp_path / "split.conll", ["do", "n't", "go", ",", "Bo"], ["(0", "0)", "(1)", "-", "(0)"]
    joined = tmp_path / "joined.conll", ["don't", "go,", "B", "o"], ["(0)", "-", "(2", "2)"]
    for path, words, cells in (whole, split, joined):
        rows = "".join(f"d 0 {n} {word} {cell}\n" for n, (word, cell) in enumerate(zip(words, cells, strict=True)))
        path.write_text(f"#begin document (d); part 000\n{rows}\n#end document\n")
    paths = [path for path, _, _ in (whole, split, joined)]
    found = cl.agree(*paths, align="characters")
    expected = alpha([[{"don't": 0, "Bo": 0}, {"don't": 0, "go": 1, "Bo": 0}, {"don't": 0, "Bo": 2}]])
    assert expected is not None and found.alpha == pytest.approx(float(expected))
    assert found.mentions == 3


def test_perfect_agreement() -> None:
    one = [["a", "b"], ["c"]]
    assert cl.agree(one, one, one).alpha == 1
    assert cl.agree([["a", "b"]], [["b", "a"]]).to_dict()["alpha"] is None  # there is nothing to disagree about


def test_repeated_mentions_count_once_whatever_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "ann.conll").write_text(conll("(1)|(2)", "(1)", "(2)", "(3)"))
    (tmp_path / "bob.conll").write_text(conll("(1)", "(1)", "(2)", "(2)"))
    expected = alpha([[{"a": 1, "b": 1, "c": 2, "d": 3}, {"a": 1, "b": 1, "c": 2, "d": 2}]])
    assert expected is not None
    for protocol in ("default", "conll-2012"):
        found = cl.agree(tmp_path / "ann.conll", tmp_path / "bob.conll", protocol=protocol)
        assert found.alpha == pytest.approx(float(expected))
        assert found.mentions == 4
        assert "duplicates-key" in [issue.code for issue in found.issues]


def test_entities_across_documents() -> None:
    one = {"d1": {"a": "x", "b": "y"}, "d2": {"c": "x", "e": "z"}}
    two = {"d1": {"a": "x", "b": "x"}, "d2": {"c": "x", "e": "z"}}
    pooled = [{m: e for document in side.values() for m, e in document.items()} for side in (one, two)]
    numbers = {"x": 1, "y": 2, "z": 3}
    expected = alpha([[{m: numbers[e] for m, e in side.items()} for side in pooled]])
    assert expected is not None
    assert cl.agree(one, two, scope="corpus").alpha == pytest.approx(float(expected))
    assert cl.agree(one, two).alpha != pytest.approx(float(expected))


# ------------------------------------------------------------------------------------------------------------- matrices

ANN = {"news/1": [["a", "b", "c"], ["d"]], "talk/1": [["e", "f"], ["g"]]}
BOB = {"news/1": [["a", "b"], ["c", "d"]], "talk/1": [["e", "f", "g"]]}
CID = {"news/1": [["a", "b", "d"]], "talk/1": [["e"], ["f"]]}


def main(score: cl.Score) -> float:
    return float("nan") if {"f1", "value"} & score.undefined else float(score.main)


def test_what_comes_from_nothing_is_undefined(run: Run) -> None:
    found = cl.agree([["a"], ["b"]], [["a"], ["b"]], metrics="muc,bcub")
    assert np.isnan(found.matrices["muc"][0, 1]) and found.matrices["bcub"][0, 1] == 1


def test_matrix_is_that_of_score() -> None:
    found = cl.agree({"ann": ANN, "bob": BOB}, adjudicated=CID, metrics="all", by="genre")
    people = {"ann": ANN, "bob": BOB, "adjudicated": CID}
    assert found.names == tuple(people)
    for (a, key), (b, response) in permutations(enumerate(people.values()), 2):
        result = cl.score(key, response, metrics="all")
        groups = result.group_by("genre")
        for metric in METRICS:
            assert found.matrices[metric][a, b] == pytest.approx(main(result[metric]), nan_ok=True), metric
            for label, scores in groups.items():
                by_group = found.by[label].matrices[metric][a, b]
                assert by_group == pytest.approx(main(scores[metric]), nan_ok=True), metric


def test_alpha_leaves_the_adjudicated_version_out() -> None:
    with_, without = cl.agree(ANN, BOB, adjudicated=CID, by="genre"), cl.agree(ANN, BOB, by="genre")
    assert with_.alpha == without.alpha
    assert with_.by["news"].alpha == without.by["news"].alpha == cl.agree(ANN["news/1"], BOB["news/1"]).alpha
    assert with_.matrices["alpha"][0, 2] == pytest.approx(cl.agree(ANN, CID).alpha)


def test_documents_that_someone_lacks_are_left_out_and_reported() -> None:
    found = cl.agree(ANN, {"talk/1": BOB["talk/1"], "web/1": [["x"]]}, CID)
    assert found.alpha == cl.agree(*({"talk/1": x["talk/1"]} for x in (ANN, BOB, CID))).alpha
    assert [issue.code for issue in found.issues] == ["missing-documents"]
    assert found.issues[0].count == 3
    with pytest.raises(cl.InputError, match="no document in common"):
        cl.agree(ANN, {"web/1": [["x"]]})
    with pytest.raises(cl.InputError, match="no document in common"):
        cl.agree(ANN, {"news/1": BOB["news/1"]}, {"talk/1": CID["talk/1"]})


def test_issues_say_between_whom() -> None:
    found = cl.agree({"ann": [["a", "b"]], "bob": [["c", "d"]], "cid": [], "dot": [["a", "a", "b"]]})
    assert [issue.message.split(":")[0] for issue in found.issues] == [
        "ann (as key) and bob (as response)", "cid (as response)", "dot (as response)",
        "bob (as key) and dot (as response)"]  # fmt: skip


def test_printed_and_by_document_without_names() -> None:
    found = cl.agree([["a", "b"], ["c"]], [["a"], ["b", "c"]], by="document")
    assert list(found.by) == ["1"]
    assert found.by["1"].alpha == found.alpha
    assert str(found).startswith("α")


def test_order_of_documents_does_not_matter() -> None:
    turned = dict(reversed(BOB.items()))
    assert cl.agree(ANN, turned).to_dict() == cl.agree(ANN, BOB).to_dict()


# ---------------------------------------------------------------------------------------------------------- differences


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {
        "ann": conll("(1)", "(2)", "(1)", "(3", "3)|(2)"),
        "bob": conll("(1)", "(2)", "(2)", "-", "(2)"),
        "gold": conll("(1)", "(2)", "(1)", "-", "(2)"),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_text(text)
    return {name: tmp_path / f"{name}.conll" for name in texts}


def test_differences_have_their_places(files: dict[str, Path]) -> None:
    found = cl.agree(files["ann"], files["bob"]).differences
    plain = [(d.kind, d.has, d.lacks, d.mention.place, d.antecedent and d.antecedent.place) for d in found]
    ann, bob = files["ann"], files["bob"]
    assert plain == [
        ("mention", "ann", "bob", f"{ann}:5", None),
        ("link", "ann", "bob", f"{ann}:4", f"{ann}:2"),
        ("link", "bob", "ann", f"{bob}:4", f"{bob}:3"),
        ("link", "bob", "ann", f"{bob}:6", f"{bob}:4"),
    ]


def test_with_an_adjudicated_version_differences_are_those_from_it(files: dict[str, Path]) -> None:
    found = cl.agree(files["ann"], files["bob"], adjudicated=files["gold"]).differences
    assert {(d.has, d.lacks) for d in found if d.kind == "mention"} == {("ann", "adjudicated")}
    assert {(d.has, d.lacks) for d in found if d.kind == "link"} == {("bob", "adjudicated"), ("adjudicated", "bob")}


# -------------------------------------------------------------------------------------------------------------- command


def test_command(run: Run, files: dict[str, Path]) -> None:
    ran = run("agree", *files.values(), "--by", "genre")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["α", "ann", "bob", "gold"]
    assert any(line.split()[:2] == ["nw", "all"] for line in lines)
    listed = run("agree", files["ann"], f"B={files['bob']}", "--differences")
    counts, listing = listed.out.split("\n\n")[:2]
    assert [line.split() for line in counts.splitlines() if line[:1] != "─"] == [
        ["in", "not", "in", "mentions", "links"], ["ann", "B", "1", "1"], ["B", "ann", "0", "2"], ["all", "1", "3"],
    ]  # fmt: skip
    assert f"{files['ann']}:5" in listing and listing.count("  link  ") == 3
    assert "w0 w1 w2 [w0 w1]" in listing  # the words, with those around them
    assert "w0 (line 2)" in listing  # what a mention is linked to
    assert "  a_0  " in listing and "nw/" not in listing


def test_without_differences_that_is_what_is_reported(run: Run, files: dict[str, Path]) -> None:
    ran = run("agree", files["ann"], f"B={files['ann']}", "--differences")
    assert ran.code == 0
    assert "no differences" in ran.err
    assert "place" not in ran.out
    plain = run("agree", files["ann"], f"B={files['ann']}", "--differences", "--format", "json")
    assert plain.json["differences"] == []
    assert "no differences" in plain.err


def test_long_names_of_documents_are_shortened(run: Run, tmp_path: Path) -> None:
    name = "nw/a-very-long-directory/with-another-one/and-the-name-of-the-document"
    for person, cell in (("ann", "(1)"), ("bob", "-")):
        text = "".join(conll("(1)", "(1)", cell, name=f"{name}-{n}") for n in range(2))
        (tmp_path / f"{person}.conll").write_text(text)
    ran = run("agree", tmp_path / "ann.conll", tmp_path / "bob.conll", "--differences")
    assert "  …he-name-of-the-document-0_0  " in ran.out
    assert "directory" not in ran.out
    plain = run("agree", tmp_path / "ann.conll", tmp_path / "bob.conll", "--differences", "--format", "json").json
    assert plain["differences"][0]["document"] == f"{name}-0_0"
    assert plain["differences"][0]["words"] == "w2"
    assert plain["differences"][0]["context"] == "w0 w1 [w2]"


def test_csv_and_json(run: Run, files: dict[str, Path]) -> None:
    command = ("agree", files["ann"], files["bob"], "--adjudicated", files["gold"], "-m", "muc,lea")
    rows = list(csv.DictReader(io.StringIO(run(*command, "--format", "csv").out)))
    plain = run(*command, "--format", "json", "--differences").json
    assert plain["names"] == ["ann", "bob", "adjudicated"]
    assert [r["value"] for r in rows if r["key"] == "*"] == [repr(plain["alpha"])]
    assert len(rows) == 1 + 3 * 6
    assert plain["differences"][0]["kind"] == "mention"
    assert plain["matrices"]["muc"][0][0] is None


@pytest.mark.parametrize("format_", ["markdown", "latex"])
def test_other_formats(run: Run, files: dict[str, Path], format_: str) -> None:
    assert run("agree", *files.values(), "--format", format_).code == 0


def test_html_is_a_page_with_one_line_above_the_sum(run: Run, files: dict[str, Path]) -> None:
    page = run("agree", files["ann"], files["bob"], "--by", "document", "--format", "html").out
    assert page.startswith("<!doctype html>") and '<meta charset="utf-8">' in page
    assert len(re.findall(r"<tr[^>]*><td[^>]*border-top", page)) == 1


def test_plot(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    assert run("agree", *files.values(), "--plot", tmp_path / "a.svg").code == 2
    assert run("agree", *files.values(), "--plot", tmp_path / "a.svg", "--by", "document").code == 0
    assert "nw/a_0" in (tmp_path / "a.svg").read_text("utf-8")


def test_usage(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    assert run("agree", files["ann"]).code == 2
    assert run("agree", files["ann"], tmp_path / "none.conll").code == 3
    assert run("agree", files["ann"], files["bob"], "--singletons", "drop-response").code == 2


def test_names() -> None:
    def names(*sources: Any) -> list[str]:
        return list(named(sources))

    assert names("x/ann.conll", "y/bob.conll.gz") == ["ann", "bob"]
    assert names("out/lee/wiki.conll", "out/clark/wiki.conll") == ["lee", "clark"]
    assert names("out/lee/1/wiki.conll", "out/clark/1/web.conll", "A=out/lee/1/web.conll") == ["wiki", "web", "A"]
    assert names("x/base.conll", "lee/out.conll", "clark/out.conll") == ["base", "lee", "clark"]
    assert names([["a"]], [["b"]]) == ["1", "2"]
    with pytest.raises(cl.UsageError, match="NAME=PATH"):
        names("A=x", "A=y")
    assert named(["A=x/y.conll"]) == {"A": "x/y.conll"}


# ------------------------------------------------------------------------------------------------------ real annotators


def test_two_annotators_of_a_drama() -> None:
    folder = DATA / "gerdracor_parallel"
    if not folder.is_dir():
        pytest.skip("no ../shared/data/gerdracor_parallel: real annotators not compared")
    iv, lf = (cl.read(next(folder.glob(f"Emilia-{who}*"))) for who in ("IV", "LF"))
    found = cl.agree(iv, lf)
    plain = [{str(m.identity): hash(m.entity) for m in corpus} for corpus in (iv, lf)]
    assert all(len(p) == len(c) for p, c in zip(plain, (iv, lf), strict=True))  # no mention twice
    expected = alpha([plain])
    assert expected is not None and found.alpha == pytest.approx(float(expected))


@pytest.mark.slow
def test_three_annotators_of_a_drama_with_other_tokens() -> None:
    """SE's file has other tokens and some other words. Here difflib says which piece of a word is which."""
    folder = DATA / "gerdracor_parallel"
    if not folder.is_dir():
        pytest.skip("no ../shared/data/gerdracor_parallel: real annotators not compared")
    corpora = [cl.read(next(folder.glob(f"Emilia-{who}*"))) for who in ("IV", "LF", "SE")]
    texts = [[p for word in corpus.text.words for p in re.findall(r"\w+|\W", word)] for corpus in corpora]
    plain = []
    for corpus, text in zip(corpora, texts, strict=True):
        same: dict[int, int] = {}
        for a, b, n in SequenceMatcher(None, texts[0], text).get_matching_blocks():
            same |= {b + k: a + k for k in range(n)}
        first = np.cumsum([0, *(len(re.findall(r"\w+|\W", word)) for word in corpus.text.words)])
        spans = [(int(first[m.start]), int(first[m.end + 1]) - 1) for m in corpus]
        plain.append({str([same.get(c, f"{corpus.source}:{c}") for c in s]): hash(m.entity)
                      for s, m in zip(spans, corpus, strict=True)})  # fmt: skip
    found = cl.agree(*corpora, align="characters")
    expected = alpha([plain])
    assert expected is not None and found.alpha == pytest.approx(float(expected))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert found.matrices["alpha"][a, b] == pytest.approx(float(alpha([[plain[a], plain[b]]]) or 0))


def test_four_views_of_a_novel() -> None:
    folder = DATA / "koconovel" / "conll"
    if not folder.is_dir():
        pytest.skip("no ../shared/data/koconovel: real annotations not compared")
    found = cl.agree(*sorted(folder.iterdir()), by="part")
    assert len(found.by) == 6
    assert (found.matrices["mentions"][~np.eye(4, dtype=bool)] == 1).all()
