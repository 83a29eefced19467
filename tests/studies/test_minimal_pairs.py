"""Minimal pairs: right or wrong by document, paired within templates."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import coreflens as cl
from command import Run

Document = list[list[str]]
RIGHT: Document = [["clerk", "she"], ["guest"]]
OTHER: Document = [["guest", "she"], ["clerk"]]
MERGED: Document = [["guest", "she", "clerk"]]
MISSING: Document = [["clerk"]]
SPURIOUS: Document = [["clerk", "she", "x"], ["guest"], ["y", "z"]]


def items(templates: int, seed: int = 1) -> tuple[dict[str, Any], dict[str, Any], dict[str, dict[str, str]]]:
    """Key, response, and template, pronoun and case of each document; some templates lack a variant."""
    random = Random(seed)
    key, response = {}, {}
    labels: dict[str, dict[str, str]] = {"id": {}, "pronoun": {}, "case": {}}
    for t, pronoun, case in product(range(templates), ("she", "he", "they"), ("nominative", "accusative")):
        if random.random() < 0.1:
            continue
        name = f"t{t}-{pronoun}-{case}"
        key[name] = RIGHT
        response[name] = random.choice((RIGHT, RIGHT, SPURIOUS, OTHER, MERGED, MISSING))
        for label, value in zip(labels, (str(t), pronoun, case), strict=True):
            labels[label][name] = value
    return key, response, labels


def run_study(templates: int = 30, **more: Any) -> tuple[cl.MinimalPairs, dict[str, Any], dict[str, dict[str, str]]]:
    key, response, labels = items(templates)
    factors = {"pronoun": labels["pronoun"], "case": labels["case"]}
    return cl.minimal_pairs(key, response, template=labels["id"], factors=factors, **more), response, labels


@pytest.mark.parametrize(
    ("response", "right"), [(RIGHT, True), (SPURIOUS, True), (OTHER, False), (MERGED, False), (MISSING, False)]
)
def test_what_is_right(response: Document, right: bool) -> None:
    both = {"a": RIGHT, "b": RIGHT}
    labels = {"a": "1", "b": "1"}
    found = cl.minimal_pairs(both, {"a": RIGHT, "b": response}, template=labels, factors={"x": {"a": "u", "b": "v"}})
    assert found.right == {"a": True, "b": right}
    assert found.consistency.right == right
    (difference,) = found.differences
    assert (difference.first, difference.second, difference.difference) == ("u", "v", right - 1)
    assert difference.low != difference.low  # one template has no interval


def test_against_a_plain_count() -> None:
    found, response, labels = run_study()
    right = {name: document in (RIGHT, SPURIOUS) for name, document in response.items()}
    assert found.right == right
    for share in found.cells:
        members = [d for d in right if (labels["pronoun"][d], labels["case"][d]) == share.values]
        assert (share.items, share.right) == (len(members), sum(right[d] for d in members))
    assert [share.values for share in found.levels["case"]] == [("nominative",), ("accusative",)]
    expected = {}
    for factor in ("pronoun", "case"):
        values = list(dict.fromkeys(labels[factor].values()))
        for first, second in ((a, b) for n, a in enumerate(values) for b in values[n + 1 :]):
            moved = []
            for template in dict.fromkeys(labels["id"].values()):
                ours, theirs = (
                    [right[d] for d in right if labels["id"][d] == template and labels[factor][d] == value]
                    for value in (first, second)
                )
                if ours and theirs:
                    moved.append(sum(theirs) / len(theirs) - sum(ours) / len(ours))
            expected[factor, first, second] = (len(moved), sum(moved) / len(moved))
    assert len(expected) == 4
    for d in found.differences:
        templates, difference = expected[d.factor, d.first, d.second]
        assert d.templates == templates
        assert d.difference == pytest.approx(difference)
        assert d.low <= d.difference <= d.high
    whole = [all(right[d] for d in right if labels["id"][d] == t) for t in dict.fromkeys(labels["id"].values())]
    assert (found.consistency.items, found.consistency.right) == (len(whole), sum(whole))


@pytest.mark.slow
def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    """The true difference is 0 here, since variants do not differ in how they are drawn."""
    covered = 0
    for seed in range(60):
        key, response, labels = items(25, seed)
        found = cl.minimal_pairs(
            key, response, template=labels["id"], factors={"case": labels["case"]}, resamples=400, confidence=0.9
        )
        covered += found.differences[0].low <= 0 <= found.differences[0].high
    assert 48 <= covered <= 59


def test_the_same_seed_gives_the_same_intervals() -> None:
    one, two, other = (run_study(seed=seed)[0].to_dict() for seed in (7, 7, 8))
    assert one == two != other
    assert {**one, "signature": ""}["cells"][0]["items"] == other["cells"][0]["items"]


def write(tmp_path: Path) -> tuple[Path, Path, Path]:
    key, response, labels = items(25)
    paths = tmp_path / "key.jsonl", tmp_path / "response.jsonl", tmp_path / "items.csv"
    place = {name: n for n, name in enumerate(("clerk", "guest", "she", "x", "y", "z"))}
    for path, side in zip(paths, (key, response), strict=False):
        lines = [
            {"doc_key": d, "sentences": [list(place)], "clusters": [[[place[m]] * 2 for m in c] for c in clusters]}
            for d, clusters in side.items()
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rows = [",".join([d, *(labels[name][d] for name in labels)]) for d in key]
    paths[2].write_text("\n".join(["document,id,pronoun,case", *rows, ""]), encoding="utf-8")
    return paths


def test_the_command(run: Run, tmp_path: Path) -> None:
    key, response, table = write(tmp_path)
    arguments = ("minimal-pairs", key, response, "--labels", table, "--template", "id", "--factor", "pronoun,case")
    found = cl.minimal_pairs(key, response, labels=table, template="id", factors="pronoun,case")
    shown = run(*arguments)
    assert shown.code == 0, shown.err
    assert "consistency" in shown.out
    assert "he − she" in shown.out
    assert json.loads(run(*arguments, "--format", "json").out) == found.to_dict()
    lines = run(*arguments, "--format", "csv").out.splitlines()
    assert len(lines) == 1 + len(found.cells) + 5 + 2 + len(found.differences)
    for format in ("markdown", "latex", "html"):
        assert run(*arguments, "--format", format).code == 0


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (("--template", "document", "--factor", "case"), 2, "no column 'document'"),
        (("--template", "id", "--factor", "number"), 2, "no column 'number' (it has document, id, pronoun, case)"),
        (("--template", "id", "--factor", "id"), 2, "none that is the template"),
        (("--template", "id", "--factor", "case,case"), 2, "each once"),
        (("--template", "id", "--factor", ","), 2, "one or more labels"),
    ],
)
def test_wrong_labels(run: Run, tmp_path: Path, given: tuple[str, ...], code: int, message: str) -> None:
    key, response, table = write(tmp_path)
    ran = run("minimal-pairs", key, response, "--labels", table, *given)
    if given[1] == "document":  # the first column is the document itself: no two share a template
        message = "a template of its own"
    assert (ran.code, message in ran.err) == (code, True), ran.err


def test_no_table(run: Run, tmp_path: Path) -> None:
    key, response, _ = write(tmp_path)
    ran = run("minimal-pairs", key, response, "--template", "id", "--factor", "case")
    assert (ran.code, "'id' is neither" in ran.err) == (2, True), ran.err
