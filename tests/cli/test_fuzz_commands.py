"""All commands on random input, a deterministic slice of `bench/fuzz.py`; and what was found, as fixed cases."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from command import Run, conll
from fuzz_commands import LEFT_OUT
from places import ROOT
from registry import commands


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [3, pytest.param(10, marks=pytest.mark.endurance)])
def test_commands_end_as_documented(rounds: int) -> None:
    """Each command so many times. In a process of its own: it limits time and memory."""
    count = str(rounds * len(commands()))
    command = [sys.executable, str(ROOT / "bench" / "fuzz.py"), "--count", count, "--seed", "7"]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert " 0 failures" in ran.stdout


def test_every_command_is_covered() -> None:
    found = commands()
    assert {"score", "convert", "task split", "conll-scorer", "view"} <= set(found)
    options = {option.name for command in found.values() for option in command.params}
    assert options >= LEFT_OUT  # what is left out is there


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    key = conll("(1)", "(1)", "(2)")
    packed = bytearray(gzip.compress(key.encode()))
    packed[20] ^= 0x55
    Path("damaged.gz").write_bytes(packed)
    for name, text in {
        "k.conll": key,
        "long.csv": "doc,mention,entity\na,m,e,extra,more\n",
        "parts.csv": "system,blanc.recall,blanc.precision\nx,10,20\n",
        "wide.csv": "system,MUC\nx,10,20,30\n",
        "none.csv": "system,nonsense\nx,10\n",
        "empty.json": '[{"system": "x", "MUC": []}]',
        "two.json": '[{"system": "x", "MUC": [1, 2]}]',
        "object.json": '[{"system": "x", "MUC": {"a": 1}}]',
        "nan.csv": "system,MUC\nx,nan\n",
        "ids.txt": f"bc/cctv/00/cctv_{'9' * 5000}\n",
        "sections.txt": f"nw/wsj/{'9' * 5000}/wsj_1\n",
        "name.conll": conll("(1)", name="nw/" + "n" * 300),
        "deep.json": '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "deep.jsonl": '{"doc_key": "a", "clusters": ' + "[" * 100_000 + "]" * 100_000 + "}\n",
        "array.json": "[" * 100_000 + "]" * 100_000,
        "labels.csv": "document,topic\nnw/a,x,y,z\n",
        "twice.json": json.dumps({"e1": ["a", "b"]})[:-1] + ', "e1": ["c"]}',
        "type.json": '{"type": "graph", "type": "clusters", "clusters": {"e1": ["a", "b"]}}',
        "inner.json": '{"e1": {"signature_ids": ["a"], "signature_ids": ["b"]}}',
        "twice.jsonl": '{"doc_key": "a", "doc_key": "b", "sentences": [["a"]], "clusters": [[[0, 0]]]}\n',
    }.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("compare k.conll damaged.gz k.conll", "damaged"),
        ("compare damaged.gz k.conll", "damaged"),
        ("score k.conll k.conll --against damaged.gz", "damaged"),
        ("score long.csv long.csv", "5 columns, but the header has 3"),
        ("compare --from-table parts.csv", "BLANC has recall and precision, and no f1"),
        ("compare --from-table wide.csv", "more cells than the header"),
        ("compare --from-table none.csv", "no number of a metric"),
        ("compare --from-table empty.json", "is not a number"),
        ("compare --from-table two.json", "2 numbers"),
        ("compare --from-table object.json", "is not a number"),
        ("compare --from-table nan.csv", "is not a number"),
        ("compare --from-table array.json", "--max-nesting"),
        ("correlate --tables array.json", "--max-nesting"),
        ("task split ids.txt", "--max-digits"),
        ("task split sections.txt", "no section of the treebank"),
        ("task layers name.conll out", "name"),
        ("score deep.json deep.json", "deep.json"),
        ("score deep.jsonl deep.jsonl", "--max-nesting"),
        ("score k.conll k.conll --by labels.csv", "4 cells where the header has 2"),
        ("score twice.jsonl twice.jsonl", "'doc_key' occurs twice"),
        ("score twice.json twice.json", "'e1' occurs twice"),
        ("score type.json type.json", "'type' occurs twice"),
        (
            "score inner.json inner.json --key-format clusters --response-format clusters",
            "'signature_ids' occurs twice",
        ),
        ("view k.conll k.conll k.conll/x.html", "can't be written"),
        ("task layers k.conll k.conll/x", "can't be made"),
    ],
)
def test_what_was_a_bug_once(run: Run, here: Path, command: str, message: str) -> None:
    ran = run(*command.split())
    assert ran.code in (1, 3) and message in ran.err


def test_a_long_id_is_split_if_asked(run: Run, here: Path) -> None:
    assert run("task", "split", "ids.txt", "--max-digits", "9000").code == 0
