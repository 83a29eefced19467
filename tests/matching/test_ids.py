"""Ids that start again in every document, where entities may extend over documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.scoring.signature import Signature
from places import DATA

LOCAL = conll("(0)", "(1)", "(0)", name="a") + conll("(0)", "(1)", "(2)", name="b") + conll("(0)", "-", "-", name="c")
APART = conll("(0)", "(1)", "(0)", name="a") + conll("(2)", "(3)", "(4)", name="b") + conll("(5)", "-", "-", name="c")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = tmp_path / "key.conll", tmp_path / "local.conll", tmp_path / "apart.conll"
    key = conll("(x)", "(y)", "(x)", name="a") + conll("(x)", "(z)", "(y)", name="b") + conll("(z)", "-", "-", name="c")
    for path, text in zip(paths, (key, LOCAL, APART), strict=True):
        path.write_text(text, "utf-8")
    return paths


def test_refused_with_the_remedy(files: tuple[Path, Path, Path], run: Run) -> None:
    key, local, apart = files
    ran = run("score", key, local, "--scope", "corpus")
    assert ran.code == 3 and "--ids local" in ran.err and str(local) in ran.err
    ran = run("score", local, key, "--scope", "corpus")
    assert ran.code == 3 and "the ids of the key start again" in ran.err
    as_they_are = run("score", key, local, "--scope", "corpus", "--ids", "global", "--format", "json").json
    right = run("score", key, apart, "--scope", "corpus", "--format", "json").json
    assert as_they_are["scores"] != right["scores"]
    assert run("score", key, local).code == 0  # within documents ids are what they are


def test_local_is_an_order(files: tuple[Path, Path, Path], run: Run) -> None:
    """It holds for both sides, whatever their ids look like: the same as a document's name before each id."""
    key, local, apart = files
    for side in (key, local, apart):
        lines = side.read_text("utf-8").splitlines()
        named = [re.sub(r"\((\w+)\)$", rf"({line.split()[0]}-\1)", line) if line.strip() else line for line in lines]
        side.with_suffix(".named").write_text("\n".join(named) + "\n", "utf-8")
    for response in (local, apart):
        files_of = [path.with_suffix(".named") for path in (key, response)]
        by_hand = run("score", *files_of, "--scope", "corpus", "--format", "json").json
        ordered = run("score", key, response, "--scope", "corpus", "--ids", "local", "--format", "json").json
        assert ordered["scores"] == by_hand["scores"]


@pytest.mark.parametrize("ids", ["local", "global"])
def test_ids_need_a_wider_scope(files: tuple[Path, Path, Path], run: Run, ids: str) -> None:
    ran = run("score", *files[:2], "--ids", ids)
    assert ran.code == 2 and f"--ids {ids} has no effect here" in ran.err and "--scope corpus" in ran.err
    assert run("score", *files[:2], "--ids", "check").out == run("score", *files[:2]).out


def test_the_signature_says_so(files: tuple[Path, Path, Path]) -> None:
    key, local, apart = files
    signature = cl.score(key, local, scope="corpus", ids="local").signature
    assert "|ids:local|" in str(signature) and Signature.parse(str(signature)) == signature
    plain = cl.score(key, apart, scope="corpus").signature
    assert "ids:" not in str(plain) and Signature.parse(str(plain)) == plain


@pytest.mark.parametrize(
    "response",
    [
        conll("(0)", "(1)", "(2)", name="a") + conll("(1)", "(2)", "-", name="b") + conll("(0)", "-", "-", name="c"),
        conll("(0)", "-", "-", name="a") + conll("(0)", "-", "-", name="b") + conll("(0)", "-", "-", name="c"),
        LOCAL.replace("(0)", "(A)"),
    ],
)
def test_ids_that_may_well_be_global(files: tuple[Path, Path, Path], run: Run, response: str) -> None:
    files[1].write_text(response, "utf-8")
    assert run("score", files[0], files[1], "--scope", "corpus").code == 0


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}")
def test_a_baseline_of_ecb_plus(tmp_path: Path, run: Run) -> None:
    key, out = DATA / "ecbplus_xml", tmp_path / "out.conll"
    assert run("resolve", key, out, "--system", "exact-match").code == 0
    ran = run("score", key, out, "--scope", "corpus", "--format", "json")
    assert round(100 * ran.json["scores"]["conll"]["f1"], 2) == 61.97
    corpus = cl.read(out)
    pairs = {(int(e), int(d)) for e, d in zip(corpus.entity, corpus.doc, strict=True)}
    assert len(pairs) == len({e for e, _ in pairs})  # no id in two documents
