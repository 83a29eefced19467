"""docs/disagreements.md and its data: every number, ours and, where they are available, those of other tools.

COREFLENS_PEERS names a directory with checkouts of the reference scorer (`perl`) and of coval (`coval`).
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
import disagreements_page as pages
from command import Run
from coreflens.references import REFERENCES
from places import ROOT

PEERS = Path(os.environ.get("COREFLENS_PEERS") or os.devnull)


DATA: dict[str, Any] = pages.load()
EXAMPLES: list[dict[str, Any]] = DATA["examples"]
WAYS = [(example, way) for example in EXAMPLES for way in example["coreflens"]]
IDS = [f"{example['id']}-{place}" for example in EXAMPLES for place, _ in enumerate(example["coreflens"])]
SCORE_WAYS = [(example, way) for example, way in WAYS if way["way"] == "score"]


PAGE = ROOT / "docs" / "disagreements.md"


@pytest.mark.slow
def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == pages.page(DATA), "python docs/pages.py"


def test_the_page_has_every_row() -> None:
    rows = [row for example in EXAMPLES for row in example["rows"]]
    assert {*map(str, range(1, 18)), "2'", "ERE", "ERE'", "rounding"} <= set(rows)
    assert len(rows) == len(set(rows)) and len({example["id"] for example in EXAMPLES}) == len(EXAMPLES)
    page = PAGE.read_text("utf-8")
    for place, example in enumerate(EXAMPLES, start=1):
        assert f"\n## {place}. {example['title']}\n" in page
    assert EXAMPLES[15]["id"] == "averaging"  # the page refers to it as example 16


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_every_number_is_explained(example: dict[str, Any]) -> None:
    """A paper says who is right; every recorded number can be had, or a sentence says why not."""
    assert example["right"]["cite"] in REFERENCES and "{cite}" in example["right"]["why"]
    assert set(example["recorded"]) <= set(DATA["tools"]) and set(example["not_offered"]) <= set(example["recorded"])
    computed = [(pages.metrics_of(example, way), pages.compute(example, way)) for way in example["coreflens"]]
    for tool, recorded in example["recorded"].items():
        missing = [
            metric
            for metric, value in recorded.items()
            if not isinstance(value, str)
            and not any(metric in metrics and pages.same(value, found, metric, tool) for metrics, found in computed)
        ]
        assert bool(missing) == (tool in example["not_offered"]), (tool, missing)


def check(found: Any, expected: dict[str, Any]) -> None:
    if "error" in expected:
        assert found == expected["error"]
        return
    assert found.keys() == expected.keys()
    for metric, values in expected.items():
        for number, value in zip(found[metric], values, strict=True):
            if value == "n/a":
                assert number is None
            elif isinstance(value, str):
                exact = isinstance(number, Fraction)
                assert number == Fraction(value) if exact else math.isclose(number, Fraction(value), abs_tol=1e-12)
            else:  # points, as scorer.pl prints them
                assert float(100 * number) == value


@pytest.mark.parametrize(("example", "way"), WAYS, ids=IDS)
def test_coreflens_gives_the_number(example: dict[str, Any], way: dict[str, Any]) -> None:
    check(pages.compute(example, way), way["expect"])


@pytest.mark.parametrize(("example", "way"), SCORE_WAYS, ids=[e["id"] for e, _ in SCORE_WAYS])
def test_what_to_type_gives_the_number(run: Run, example: dict[str, Any], way: dict[str, Any], tmp_path: Path) -> None:
    """The command on the page, run; and the same clusters through the library, without files."""
    metrics = pages.metrics_of(example, way)
    command = shlex.split(pages.command(way, metrics))
    paths = dict(zip(("KEY", "RESPONSE"), map(str, pages.write_files(example, tmp_path)), strict=True))
    typed = [paths.get(word, word) for word in command[1:]]
    ran = run(*typed, "--exact", "--format", "json")
    if "error" in way["expect"]:
        assert ran.code == 3
    else:
        scores = json.loads(ran.out)["scores"]
        for metric, values in way["expect"].items():
            plain = scores[metric]
            for part, value in zip(("recall", "precision", "f1"), values, strict=True):
                if value == "n/a":
                    assert part in plain["undefined"]
                else:
                    assert math.isclose(plain[part], Fraction(value), abs_tol=1e-15)
    if not isinstance(example["key"], str) and "error" not in way["expect"]:
        options = way.get("options", {})
        result = cl.score(example["key"], example["response"], metrics=metrics, exact=True, **options)
        check(pages.numbers(result, metrics), way["expect"])


# The other tools, today


def recorded(*tools: str) -> list[tuple[str, str, str, Any, Any]]:
    """(tool, example, metric, the example, the recorded value) of these tools."""
    return [
        (tool, example["id"], metric, example, value)
        for example in EXAMPLES
        for tool in tools
        for metric, value in example["recorded"].get(tool, {}).items()
    ]


def agree(found: Any, value: Any) -> bool:
    """Whether a tool says what was recorded: an error's name, or numbers in points to two decimals."""
    shown = found if isinstance(found, str) else [round(x, 2) for x in found]
    return bool(shown == value)


def child(code: str, jobs: Any, directory: Path) -> Any:
    """Run code that reads jobs from stdin and answers on stdout, both JSON, in another Python."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    run = subprocess.run(command, input=json.dumps(jobs), cwd=directory, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.skipif(
    not (PEERS / "perl" / "scorer.pl").exists() or not shutil.which("perl"),
    reason="needs perl, and the reference scorer in $COREFLENS_PEERS/perl",
)
def test_scorer_pl_says_so_today(tmp_path: Path) -> None:
    scorer = PEERS / "perl" / "scorer.pl"
    for tool, name, metric, example, value in recorded("perl", "perl-all"):
        paths = pages.write_files(example, tmp_path)
        asked = "all" if tool == "perl-all" else metric
        run = subprocess.run(
            ["perl", str(scorer), asked, *map(str, paths), "none"], cwd=scorer.parent, capture_output=True, text=True
        )
        if run.returncode:
            assert value == f"refuses (exit code {run.returncode})", (name, metric)
        else:
            found = [float(x) for x in pages.perl_numbers(metric, run.stdout)]
            assert agree(found, value), (name, metric, found)


COVAL = """
import contextlib, io, json, sys
from coval.conll.reader import get_coref_infos
from coval.eval import evaluator
FUNCTIONS = {"bcub": "b_cubed"}
answers = []
for key, response, metric, tool in json.load(sys.stdin):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            infos = get_coref_infos(key, response, False, tool == "coval-nested", True, tool == "coval-min")
            function = getattr(evaluator, FUNCTIONS.get(metric, metric))
            answers.append([100 * x for x in evaluator.evaluate_documents(infos, function)])
    except Exception as error:
        answers.append(type(error).__name__)
print(json.dumps(answers))
"""


@pytest.mark.skipif(not (PEERS / "coval" / "coval").exists(), reason="needs coval in $COREFLENS_PEERS/coval")
def test_coval_says_so_today(tmp_path: Path) -> None:
    cases = recorded("coval", "coval-nested", "coval-min")
    jobs = []
    for place, (tool, _, metric, example, _) in enumerate(cases):
        directory = tmp_path / str(place)
        directory.mkdir()
        jobs.append([*map(str, pages.write_files(example, directory)), metric, tool])
    answers = child(COVAL, jobs, PEERS / "coval")
    for (_, name, metric, _, value), found in zip(cases, answers, strict=True):
        assert agree(found, value), (name, metric, found)


SCORCH = """
import contextlib, io, json, os, pathlib, sys, tempfile
from scorch import conll, main, scores
LIBRARY = {"muc": "muc", "bcub": "b_cubed", "ceafm": "ceaf_m", "ceafe": "ceaf_e", "blanc": "blanc"}
COMMAND = {"muc": "MUC", "bcub": "B³", "ceafm": "CEAF_m", "ceafe": "CEAF_e", "blanc": "BLANC"}

def clusters(path):
    with open(path) as lines:
        return {name: [set(c) for c in found.values()] for name, found in conll.parse_file(map(str.strip, lines))}

def command(key, response, metric):
    with tempfile.TemporaryDirectory() as directory:
        sides = []
        for name, side in (("key", key), ("response", response)):
            folder = pathlib.Path(directory, name)
            folder.mkdir()
            for document, found in side.items():
                plain = {"type": "clusters", "clusters": {str(e): list(map(str, c)) for e, c in enumerate(found)}}
                (folder / f"{document}.json").write_text(json.dumps(plain))
            sides.append(folder)
        if len(key) == len(response) == 1:
            sides = [next(folder.iterdir()) for folder in sides]
        out = pathlib.Path(directory, "out")
        with contextlib.redirect_stderr(io.StringIO()):
            main.main_entry_point([*map(str, sides), str(out)])
        line = next(x for x in out.read_text().splitlines() if x.startswith(COMMAND[metric] + ":"))
        return [float(x.split("=")[1]) for x in line.split("\\t")[1:]]

answers = []
for key, response, metric, tool in json.load(sys.stdin):
    try:
        sides = clusters(key), clusters(response)
        if tool == "scorch-cli":
            found = command(*sides, metric)
        else:
            found = getattr(scores, LIBRARY[metric])(*(next(iter(side.values())) for side in sides))
        answers.append([100 * float(x) for x in found])
    except Exception as error:
        answers.append(type(error).__name__)
print(json.dumps(answers))
"""


@pytest.mark.skipif(not importlib.util.find_spec("scorch"), reason="needs scorch (pip install scorch)")
def test_scorch_says_so_today(tmp_path: Path) -> None:
    cases = recorded("scorch", "scorch-cli")
    jobs = []
    for place, (tool, _, metric, example, _) in enumerate(cases):
        directory = tmp_path / str(place)
        directory.mkdir()
        jobs.append([*map(str, pages.write_files(example, directory)), metric, tool])
    answers = child(SCORCH, jobs, tmp_path)
    for (tool, name, metric, _, value), found in zip(cases, answers, strict=True):
        assert agree(found, value), (tool, name, metric, found)
