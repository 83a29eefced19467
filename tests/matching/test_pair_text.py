"""`--pair text`: documents paired by their words, and the hints about ways of pairing, each of them followed."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run
from coreflens.corpus.model import Corpus
from coreflens.matching.documents import gold_documents
from corpora import characters, tokens
from places import DATA

ENTITIES: dict[Any, Any] = {1: [(0, 0), (2, 2)], 2: [(1, 1), (4, 4)]}
TEXTS = {"a": "Ann met Bob and she smiled", "b": "Cid saw Dee yet he left", "c": "Eve lost Fay so they cried"}


def side(*names: str, **given: str) -> Corpus:
    """Documents of these names, with the texts of a, b, c; `x="a"` is a document x with the text of a."""
    documents = {name: name for name in names} | given
    return tokens(*((name, TEXTS[text], ENTITIES) for name, text in documents.items()))


def notes(result: cl.Result) -> dict[str, cl.Issue]:
    return {issue.code: issue for issue in result.issues}


# ------------------------------------------------------------------------------------------------------------- the rule


def test_documents_of_other_names() -> None:
    key, response = side("a", "b", "c"), side(x="c", y="a", z="b")
    result = cl.score(key, response, pair="text")
    assert result.conll == 1
    assert [document.name for document in result.counts.documents] == ["a", "b", "c"]
    note = notes(result)["paired-by-text"]
    assert note.count == 3
    assert "3 documents paired by text although their names differ: 'x' with 'c', 'y' with 'a'" in note.message
    assert note.places
    assert "pair:text" in str(result.signature)
    assert cl.Signature.parse(str(result.signature)) == result.signature


def test_names_that_agree_are_not_reported() -> None:
    key = tokens(("a_0", TEXTS["a"], ENTITIES), ("b", TEXTS["b"], ENTITIES))
    response = replace(key, documents=[key.documents[0]._replace(name="a", part=0), key.documents[1]])
    assert not cl.score(key, response, pair="text").issues


def test_the_words_decide_and_not_the_names() -> None:
    result = cl.score(side("a", "b"), side(a="b", b="a"), pair="text")
    assert result.conll == 1
    assert notes(result)["paired-by-text"].count == 2


def test_blanks_tokens_and_spellings_do_not_matter() -> None:
    key = tokens(("a", "He did n't say `` no ''", {1: [(0, 0), (1, 2)]}), ("b", "-LRB- x -RRB-", {}))
    response = tokens(("y", "(x )", {}), ("x", 'He didn\'t say "no"', {1: [(0, 0), (1, 1)]}))
    assert cl.score(key, response, pair="text", align="characters", metrics="muc")["muc"].f1 == 1
    raw = characters(("z", "He didn't say “no”", {1: [(0, 1), (3, 8)]}), ("y", "( x)", {}))
    assert cl.score(key, raw, pair="text", align="characters", metrics="muc")["muc"].f1 == 1


def test_empty_nodes_are_not_words() -> None:
    key, response = tokens(("a", "x *1 y", {1: [(0, 0)]})), tokens(("b", "x y", {1: [(0, 0)]}))
    assert cl.score(key, response, pair="text", metrics="mentions")["mentions"].f1 == 1


def test_missing_and_extra_documents() -> None:
    key, response = side("a", "b"), side(x="b", y="c")
    with pytest.raises(cl.InputError, match="1 document only in the response, such as 'y'"):
        cl.score(key, response, pair="text")
    ignored = cl.score(key, response, pair="text", extra="ignore", metrics="mentions")
    assert {"missing-documents", "extra-documents", "paired-by-text"} <= notes(ignored).keys()
    assert (ignored["mentions"].recall, ignored["mentions"].precision) == (0.5, 1)
    counted = cl.score(key, response, pair="text", extra="count", metrics="mentions")
    assert (counted["mentions"].recall, counted["mentions"].precision) == (0.5, 0.5)
    assert [document.name for document in counted.counts.documents] == ["a", "b", "y"]


# ---------------------------------------------------------------------------------------------------------- equal texts


@pytest.mark.parametrize(
    ("key", "response", "pairs"),
    [
        ({"a": "a", "b": "a"}, {"b": "a", "a": "a"}, {"a": "a", "b": "b"}),
        ({"a": "a", "b": "a"}, {"a": "a"}, {"a": "a"}),
        ({"a": "a"}, {"b": "a", "a": "a"}, {"a": "a"}),
        ({"a": "a", "b": "a"}, {"x": "a", "a": "a"}, {"a": "a", "b": "x"}),
    ],
    ids=["by name", "one is missing", "one is extra", "one is left on each side"],
)
def test_equal_texts_are_told_apart_by_name(
    key: dict[str, str], response: dict[str, str], pairs: dict[str, str]
) -> None:
    found = cl.pair(side(**key), side(**response), pair="text")
    assert {p.key.name: p.response.name for p in found.documents if p.key and p.response} == pairs


@pytest.mark.parametrize(
    ("key", "response", "which"),
    [
        ({"a": "a", "b": "a"}, {"x": "a", "y": "a"}, "'a' (side:1) and 'b' of the key"),
        ({"a": "a", "b": "a"}, {"x": "a"}, "'a' (side:1) and 'b' of the key"),
        ({"a": "a"}, {"x": "a", "y": "a"}, "'x' (side:1) and 'y' of the response"),
        ({"a": "a", "b": "a", "c": "a"}, {"a": "a", "x": "a"}, "'b' (side:8) and 'c' of the key"),
    ],
)
def test_equal_texts_are_never_guessed(key: dict[str, str], response: dict[str, str], which: str) -> None:
    with pytest.raises(cl.InputError) as raised:
        cl.score(side(**key), side(**response), pair="text", extra="ignore")
    assert f"documents {which} have the same text, so --pair text can't decide which" in raised.value.message
    assert "give documents with the same text the same names on both sides" in raised.value.hint
    same = dict.fromkeys({*key, *response}, "a")
    assert cl.score(side(**same), side(**same), pair="text").conll == 1


def test_one_name_and_one_text_twice() -> None:
    one, other = side("a", "b"), side(x="a", y="b")
    twice = replace(other, documents=[one.documents[0]] * 2)
    assert cl.score(one, twice, pair="text").conll == 1, "equal names do not matter, since the texts differ"
    same = side(x="a", y="a")
    same = replace(same, documents=[one.documents[0]] * 2)
    with pytest.raises(cl.InputError, match="document 'a' occurs twice"):
        cl.score(one, same, pair="text", extra="ignore")


def test_empty_documents() -> None:
    """A document without words has the text of another one without words. Several are told apart by name."""
    one = cl.score(_with_empty("e"), _with_empty("x"), pair="text")
    assert notes(one)["paired-by-text"].count == 1
    assert cl.score(_with_empty("e", "f"), _with_empty("f", "e"), pair="text").conll == 1
    with pytest.raises(cl.InputError, match="and 'f' of the key have the same text"):
        cl.score(_with_empty("e", "f"), _with_empty("x", "y"), pair="text")


def _with_empty(*names: str) -> Corpus:
    return tokens(("a", TEXTS["a"], ENTITIES), *((name, "", {}) for name in names))


@given(st.permutations(range(6)), st.permutations(range(6)), st.integers(1, 6))
def test_any_order(names: list[int], order: list[int], size: int) -> None:
    """Renamed and in another order, a response scores as it did."""
    texts = [f"w{d} he saw her and left" for d in range(size)]
    found = [{1: [(0, 0), (1, 1)], 2: [(d % 5, d % 5 + 1)]} for d in range(size)]
    guessed = [{1: [(0, 0), (d % 4 + 1, d % 4 + 1)]} for d in range(size)]
    key = tokens(*((f"d{d}", texts[d], found[d]) for d in range(size)))
    named = tokens(*((f"d{d}", texts[d], guessed[d]) for d in range(size)))
    renamed = tokens(*((f"r{names[d]}", texts[d], guessed[d]) for d in order if d < size))
    by_name, by_text = cl.score(key, named), cl.score(key, renamed, pair="text")
    assert by_text.to_dict()["scores"] == by_name.to_dict()["scores"]
    assert (by_text.counts.values == by_name.counts.values).all()


# -------------------------------------------------------------------------------------------------------- what it needs


def test_both_sides_need_words(tmp_path: Path, run: Run) -> None:
    table = tmp_path / "table.csv"
    table.write_text("doc,mention,entity\na,m,1\na,n,1\n", "utf-8")
    ran = run("score", table, table, "--pair", "text")
    assert ran.code == 3
    assert "--pair text compares the words of the documents, but the key has no words, only mentions" in ran.err
    assert "--pair name pairs 1 of 1 response document by name" in ran.err
    with pytest.raises(cl.InputError, match="but the response has no words") as raised:
        cl.score(side("a"), {"a": [[(0, 0), (2, 2)]]}, pair="text")
    assert "give a response with its text; --pair name" in raised.value.hint


def test_an_empty_response_in_python() -> None:
    for key in (side("a"), side("a", "b")):
        assert cl.score(key, {}, pair="text", metrics="mentions")["mentions"].recall == 0


def test_no_text_in_common() -> None:
    with pytest.raises(cl.InputError, match="no text in common") as raised:
        cl.score(side("a", "b"), side(a="c"), pair="text")
    assert "--pair name pairs 1 of 1 response document by name" in raised.value.hint


@pytest.mark.parametrize("engine", ["duckdb"])
def test_engines_refuse_it(engine: str, tmp_path: Path, run: Run) -> None:
    table = tmp_path / "table.csv"
    table.write_text("doc,mention,entity\na,m,1\na,n,1\n", "utf-8")
    ran = run("score", table, table, "--engine", engine, "--pair", "text")
    assert ran.code == 2
    assert "--pair needs --engine memory" in ran.err


def test_heads_are_found_in_the_same_way() -> None:
    gold, response = side("a", "b"), side(x="b", y="a")
    assert gold_documents(gold, response, "name") is None
    assert gold_documents(gold, response, "text") == [1, 0]
    assert gold_documents(gold, response, "file") == [0, 1]
    assert gold_documents(gold, side("b", "a"), "file") is None, "the names find them"
    assert gold_documents(gold, side("a", "c"), "text") == [0, -1]


def test_heads_with_other_names(renamed: tuple[Path, Path, Path], run: Run) -> None:
    key, response, other = renamed
    how = ("--match", "head-either", "-m", "mentions", "--format", "json")
    assert run("score", key, other, "--heads", key, *how).code == 3
    by_name = run("score", key, response, "--heads", key, *how).json["scores"]
    by_text = run("score", key, other, "--heads", key, *how, "--pair", "text").json["scores"]
    assert by_text == by_name


# ---------------------------------------------------------------------------------------------- hints that are followed


def conll(*documents: tuple[str, str]) -> str:
    """A CoNLL file of documents (name, text), in which the first and the third word are one entity."""
    lines = []
    for name, text in documents:
        lines.append(f"#begin document ({name}); part 000")
        lines += [f"{name} 0 {n} {w} {'(1)' if n in (0, 2) else '-'}" for n, w in enumerate(text.split())]
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(path: str, *documents: tuple[str, str]) -> Path:
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(conll(*documents), "utf-8")
        return tmp_path / path.partition("/")[0]

    return written


A, B, C = TEXTS.values()
TWICE = {"k/1": [("a", A)], "k/2": [("a", B)]}
EXTRA = ["--extra ignore", "--extra count"]


@pytest.mark.parametrize(
    ("key", "response", "given", "hints"),
    [
        ({"k": [("a", A), ("b", B)]}, {"r": [("x", A), ("y", B)]}, [], ["--pair file", "--pair text"]),
        ({"k": [("a", A), ("b", B)]}, {"r": [("x", B)]}, [], ["--pair text"]),
        ({"k": [("a", A), ("b", B)]}, {"r": [("x", B), ("y", A), ("z", C)]}, [], ["--pair text --extra ignore"]),
        ({"k": [("a", A), ("b", B)]}, {"r": [("x", C)]}, [], []),
        ({"k": [("a", A), ("b", A)]}, {"r": [("x", A)]}, [], []),
        ({"k": [("a", A), ("b", B)]}, {"r": [("a", A), ("x", B)]}, [], [*EXTRA, "--pair file", "--pair text"]),
        ({"k": [("a", A)]}, {"r": [("a", A), ("x", C)]}, [], EXTRA),
        (TWICE, {"r/1": [("x", A)], "r/2": [("y", B)]}, [], ["--pair file", "--pair text"]),
        (TWICE, {"r": [("a", B)]}, [], ["--pair text"]),
        ({"d/1": [("a", A)], "d/2": [("b", B)]}, {"r": [("a", A), ("b", B)]}, ["file"], ["--pair name", "--pair text"]),
        ({"k": [("a", A), ("b", B)]}, {"r": [("b", B)]}, ["file"], ["--pair name", "--pair text"]),
        ({"k": [("a", A), ("b", A)]}, {"r": [("x", A), ("y", A)]}, ["text"], ["--pair file"]),
        ({"k": [("a", A)]}, {"r": [("a", A.replace("Ann", "Amy"))]}, ["text"], ["--pair name", "--pair file"]),
    ],
    ids=[
        *("other names", "fewer documents", "more documents", "nothing helps", "equal texts", "one other name"),
        *("one more", "a name twice", "a name twice, the other once", "no file in common"),
        *("other numbers in a file", "texts not told apart", "no text in common"),
    ],
)
def test_every_hint_works(
    key: dict[str, list[Any]],
    response: dict[str, list[Any]],
    given: list[str],
    hints: list[str],
    write: Any,
    run: Run,
) -> None:
    """What a message recommends is exactly what works."""
    sides = [{write(name, *documents) for name, documents in files.items()}.pop() for files in (key, response)]
    ran = run("score", *sides, *(["--pair", *given] if given else []))
    assert (ran.code, ran.out) == (3, "")
    assert "hint: " in ran.err
    offered = re.findall(r"(--(?:pair|extra) \w+(?: --extra \w+)?)(?= (?:pairs|leaves|scores))", ran.err)
    assert offered == hints, ran.err
    for hint in offered:
        followed = run("score", *sides, *shlex.split(hint))
        assert followed.code == 0, (hint, followed.err)


# -------------------------------------------------------------------------------------------------------- every command


@pytest.fixture
def renamed(write: Any) -> tuple[Path, Path, Path]:
    """A key, a response with its names, and the same response with other names in another order."""
    key = write("key", ("a", A), ("b", B), ("c", C))
    response = write("response", ("a", A), ("b", B), ("c", C))
    other = write("renamed", ("z", C), ("y", B), ("x", A))
    for file in (response, other):
        file.write_text(file.read_text("utf-8").replace("2 Bob (1)", "2 Bob -"), "utf-8")
    return key, response, other


@pytest.mark.parametrize(
    "command",
    [
        "score {0} {1} --format json",
        "score {0} {1} --by document --format json",
        "score {0} {1} --match exact,head-word --format json",
        "score {0} {1} --only mention.length=1 --on key --format json",
        "score {0} {1} --scope corpus --ids local --format json",
        "explain {0} {1} -m bcub --document a",
        "diagnose {0} {1} --format csv",
        "compare {0} one={1} two={1}",
        "agree {0} {1} --format json",
        "describe {1} --against {0} --format json",
        "describe one={1} --against {0} --format json",
        "sweep {0} {1} --damage drop --steps 1 --format json",
        "pair {0} {1} --format json",
        "check-submission {0} {1}",
    ],
)
def test_commands(command: str, renamed: tuple[Path, Path, Path], run: Run) -> None:
    """A command on the renamed response shows what it shows for the response with the names of the key."""
    key, response, other = renamed
    arguments = shlex.split(command.format(key, other))
    by_name = run(*shlex.split(command.format(key, response)))
    by_text = run(*arguments, "--pair", "text")
    assert by_text.code == by_name.code == 0, (by_name.err, by_text.err)
    if arguments[0] != "check-submission":
        assert "although their names differ" in by_text.err + by_text.out
    assert numbers(by_text.out, other) == numbers(by_name.out, response)


def numbers(text: str, path: Path) -> list[str]:
    """The numbers of an output, without those that a path, a place or a note has."""
    text = re.sub(r'"(issues|notes|documents)": \[.*?\n ?\]', "", text, flags=re.DOTALL)
    text = text.replace(str(path), "").replace(str(path.parent), "")
    return sorted(re.findall(r"\d+\.\d+|\d+/\d+", re.sub(r"coreflens:[^|]*\|", "", text)))


def test_view(renamed: tuple[Path, Path, Path], run: Run, tmp_path: Path) -> None:
    key, _, other = renamed
    ran = run("view", key, other, tmp_path / "page.html", "--pair", "text")
    assert ran.code == 0, ran.err
    assert "[paired-by-text]" in ran.err


def test_agreement_names_the_way_of_pairing() -> None:
    found = cl.agree({"one": side("a", "b"), "two": side(x="b", y="a")}, pair="text")
    assert found.alpha == 1
    assert "pair:text" in found.signature
    assert [issue.code for issue in found.issues] == ["paired-by-text"]


# ----------------------------------------------------------------------------------------------------------- real files


def real(path: str) -> Path:
    if not (DATA / path).exists():
        pytest.skip(f"needs ../shared/data/{path}, which is not here")
    return DATA / path


def test_renamed_gum(tmp_path: Path, run: Run) -> None:
    """GUM, with documents that have other names, in one file and in another order."""
    folder = real("gum/conll")
    texts = [file.read_text("utf-8") for file in sorted(folder.glob("*.conll"))]
    renamed = [text.replace("begin document GUM", f"begin document other{n}") for n, text in enumerate(texts)]
    (tmp_path / "renamed.conll").write_text("".join(reversed(renamed)), "utf-8")
    ran = run("score", folder, tmp_path / "renamed.conll")
    assert ran.code == 3
    assert f"--pair text pairs {len(texts)} of {len(texts)} response documents by their words" in ran.err
    assert "--pair file" not in ran.err
    ran = run("score", folder, tmp_path / "renamed.conll", "--pair", "text", "--format", "json")
    assert ran.json["documents"] == len(texts)
    assert ran.json["scores"]["conll"]["f1"] == 1
    assert f"{len(texts)} documents paired by text although their names differ" in ran.err


def test_litbank_by_its_text() -> None:
    """Published with tokens and with characters, under the same names: these are replaced here."""
    folder = real("litbank")
    key, response = cl.read(folder / "conll"), cl.read(folder / "brat")
    numbered = [document._replace(name=str(n)) for n, document in enumerate(response.documents)]
    result = cl.score(key, replace(response, documents=numbered), align="characters", pair="text")
    assert result.conll == 1
    assert notes(result)["paired-by-text"].count == len(key.documents)
