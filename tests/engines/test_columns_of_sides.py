"""Names of columns for each side, ids of several columns, and labelled pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run

KEY = "src,no,label\na,1,x\na,2,x\nb,1,y\n"
RESPONSE = "id,pred\na+1,p\na+2,p\nb+1,q\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A key whose ids have two columns, and a response whose ids have one."""
    texts = {"key": KEY, "response": KEY.replace("label", "pred").replace(",x", ",p").replace(",y", ",p")}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
    return [str(tmp_path / f"{name}.csv") for name in texts]


def test_each_side_has_its_columns(files: list[str], run: Run) -> None:
    both = ("--columns", "mention=src+no", "--key-columns", "entity=label", "--response-columns", "entity=pred")
    alone = ("--key-columns", "mention=src+no,entity=label", "--response-columns", "mention=src+no,entity=pred")
    for options in (both, alone):
        ran = run("score", *files, *options, "-m", "bcub", "--format", "json")
        assert ran.json["scores"]["bcub"]["recall"] == 1


def test_different_ids_stay_different(tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text("s,n,e\na+,b,x\na,+b,y\n", "utf-8")
    result = cl.score(path, path, key_columns="mention=s+n,entity=e", response_columns="mention=s+n,entity=e")
    assert result["mentions"].f1 == 1 and not any(issue.code.startswith("duplicates") for issue in result.issues)


def test_other_engines_take_sides_but_no_joint_ids(files: list[str], run: Run) -> None:
    pytest.importorskip("duckdb")
    options = ("--columns", "mention=no,doc=src", "--key-columns", "entity=label", "--response-columns", "entity=pred")
    counts = [
        run("score", *files, *options, "--engine", engine, "-m", "bcub", "--format", "json").json["scores"]
        for engine in ("memory", "duckdb")
    ]
    assert counts[0] == counts[1]
    joint = ("--columns", "mention=src+no", "--key-columns", "entity=label", "--response-columns", "entity=pred")
    ran = run("score", *files, *joint, "--engine", "duckdb")
    assert ran.code == 2 and "needs --engine memory" in ran.err


def test_labelled_pairs_are_refused_by_name(tmp_path: Path, run: Run) -> None:
    (tmp_path / "pairs.csv").write_text("unique_id_l,unique_id_r,clerical_match_score\n1,2,1\n2,3,0\n", "utf-8")
    (tmp_path / "found.csv").write_text("record,cluster\n1,a\n2,a\n3,b\n", "utf-8")
    ran = run("score", str(tmp_path / "pairs.csv"), str(tmp_path / "found.csv"))
    assert ran.code == 3 and "labelled pairs" in ran.err and "coreflens sample" in ran.err
