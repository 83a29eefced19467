"""Parts of documents, and heads from elsewhere: `score --excerpt` and `score --heads`."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.corpus.given_heads import gold_heads
from places import SHARED

TREE = """\
#begin document (nw/x); part 000
nw/x 0 0 the DT (TOP(S(NP(NP* - - - - * {0}
nw/x 0 1 old JJ * - - - - * {1}
nw/x 0 2 man NN *) - - - - * {2}
nw/x 0 3 here RB (ADVP*)) - - - - * {3}
nw/x 0 4 saw VBD (VP* - - - - * {4}
nw/x 0 5 him PRP (NP*)))) - - - - * {5}

#end document
"""


def text(*cells: str) -> str:
    return TREE.format(*cells)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold").write_text(text("(0", "-", "-", "0)", "-", "(0)"))
    (tmp_path / "long").write_text(text("(0", "-", "-", "0)", "-", "(0)"))  # the old man here
    (tmp_path / "short").write_text(text("-", "(0", "0)", "-", "-", "(0)"))  # old man: has the head of the long one
    (tmp_path / "wrong").write_text(text("(0", "0)", "-", "-", "-", "(0)"))  # the old: has not
    return tmp_path


def test_outputs_compared_apart_from_boundaries(folder: Path, run: Run) -> None:
    """Either mention may be the longer one, so that exchanging the two outputs changes nothing."""
    heads = ["--heads", folder / "gold", "-m", "mentions,muc", "--format", "json"]
    for pair, found in ((("long", "short"), 1.0), (("short", "long"), 1.0), (("long", "wrong"), 0.5)):
        for match in ([], ["--match", "head-word"]):
            ran = run("score", *(folder / name for name in pair), *heads, *match)
            assert ran.json["scores"]["mentions"]["f1"] == found
            assert "heads come from the trees" in ran.err
    alone = run(
        "score", folder / "short", folder / "long", "--match", "head-word", "-m", "mentions", "--format", "json"
    )
    assert alone.json["scores"]["mentions"]["f1"] == 0.5  # the match of CoNLL-2011 goes one way


def test_what_heads_need(folder: Path, run: Run) -> None:
    (folder / "other").write_text(text("(0", "-", "-", "0)", "-", "(0)").replace("nw/x", "nw/y"))
    ran = run("score", folder / "long", folder / "short", "--heads", folder / "other")
    assert ran.code == 3 and "document 'nw/x" in ran.err and "is not in this file" in ran.err
    ran = run("score", folder / "long", folder / "short", "--heads", folder / "gold", "--match", "exact")
    assert ran.code == 2 and "needs a match by heads" in ran.err


def test_head_either_is_symmetric_on_real_outputs() -> None:
    folder = SHARED / "data" / "berkeley_ontonotes_sample"
    if not folder.is_dir():
        pytest.skip(f"no third-party data at {folder}")
    gold = cl.read(str(folder / "gold/nw/wsj/00/*gold_conll"))
    sides = [folder / "homogenised/stanford.homogenised.out", folder / "classified/stanford.gold"]
    a, b = (gold_heads(cl.read(side), gold) for side in sides)
    there, back = (cl.score(*pair, match="head-either", metrics="mentions,muc,bcub") for pair in ((a, b), (b, a)))
    exact = cl.score(a, b, metrics="mentions")
    for metric in ("mentions", "muc", "bcub"):
        assert there[metric].recall == pytest.approx(back[metric].precision)
        assert there[metric].precision == pytest.approx(back[metric].recall)
    assert float(there["mentions"].main) > float(exact["mentions"].main)


def test_an_excerpt(folder: Path, run: Run) -> None:
    ran = run("score", folder / "gold", folder / "short", "--excerpt", "2:6", "-m", "mentions", "--format", "json")
    assert ran.json["scores"]["mentions"]["counts"]["recall_den"] == 1  # the first mention of the key starts before
    assert ran.json["scores"]["mentions"]["counts"]["precision_den"] == 2
    assert "tokens 2 to 6 of each document: 1 of 2 mentions take part" in ran.err
    assert "excerpt:2:6" in ran.json["signature"]
    for part, mentions in (("1:6", 2), ("1:5", 1), (":6", 2)):
        found = cl.score(folder / "gold", folder / "short", metrics="mentions", excerpt=part)
        assert found["mentions"].counts["recall_den"] == mentions
    for bad in ("5", "6:2", "0:3", "a:b"):
        assert run("score", folder / "gold", folder / "short", "--excerpt", bad).code == 2
    with pytest.raises(cl.InputError, match="mentions here are names"):
        cl.score([["a", "b"]], [["a", "b"]], excerpt="1:2")


def test_rates_as_a_plot(folder: Path, run: Run, tmp_path: Path) -> None:
    ran = run("score", folder / "gold", folder / "short", "--rate-plot", tmp_path / "r.svg")
    assert ran.code == 0 and (tmp_path / "r.svg").read_text().startswith("<svg")
