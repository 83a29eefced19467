"""The front door: what `coreflens --help`, `coreflens list` and `coreflens show` say to somebody who comes in."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields

import pytest

from command import Run
from coreflens.options import CHOICES, HANDLING, Options
from coreflens.order import STEPS

GROUPS = {
    "Score and understand": "score explain diagnose view pair",
    "Compare and publish": "compare correlate counts history check-submission bundle",
    "Files": "validate convert describe db task",
    "Samples": "sample estimate plan",
    "People": "agree quiz",
    "Systems and experiments": "resolve tune ablate curve minimal-pairs sweep probe",
    "Reference": "list show demo conll-scorer corefud-scorer",
}


def test_commands_are_shown_in_groups(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in one line of 80 columns, those of every day first, before the options."""
    monkeypatch.setenv("COLUMNS", "80")
    text = run("--help").out
    sections = re.findall(r"^(\w[\w ]*):\n((?:  .+\n)+)", text, re.M)
    assert [title for title, _ in sections] == [*GROUPS, "Options"]
    found = {title: [line.split(maxsplit=1) for line in lines.splitlines()] for title, lines in sections}
    for title, names in GROUPS.items():
        assert [name for name, _ in found[title]] == names.split()
        assert all(about[0].isupper() and about.endswith(".") for _, about in found[title])
    commands = [line for title, lines in sections if title != "Options" for line in lines.splitlines()]
    assert len({len(line) - len(line.split(maxsplit=1)[1]) for line in commands}) == 1, "one column for all sentences"


def test_no_arguments_show_the_same(run: Run) -> None:
    program = [sys.executable, "-m", "coreflens"]
    alone, asked = (subprocess.run([*program, *flags], capture_output=True, text=True) for flags in ([], ["--help"]))
    assert (alone.returncode, asked.returncode) == (2, 0)
    assert alone.stdout == asked.stdout


def test_list_alone_lists_what_can_be_listed(run: Run) -> None:
    ran = run("list")
    assert (ran.code, ran.err) == (0, "")
    rows = [line.split(maxsplit=2) for line in ran.out.partition("\n\n")[0].splitlines()]
    assert {row[0] for row in rows} == {*["metrics", "sets", "formats", "protocols", "options", "systems", "tables"]}
    for name, number, about in rows:
        assert len(run("list", name).out.splitlines()) == int(number)
        assert about


def test_show_alone_says_what_can_be_shown(run: Run) -> None:
    ran = run("show")
    assert (ran.code, ran.err) == (0, "")
    examples = re.findall(r"^coreflens show (\S+)  +\w", ran.out, re.M)
    assert len(examples) == 8
    for name in examples:
        assert run("show", name).code == 0


def test_every_option_that_changes_a_number_is_listed_and_shown(run: Run) -> None:
    """With its values or what it takes, and with the steps at which it acts."""
    policies = {field.name for field in fields(Options)}
    listed = dict(line.split(maxsplit=1) for line in run("list", "options").out.splitlines())
    names = policies | {"excerpt", "heads"}
    assert {f"--{name.replace('_', '-')}" for name in names} == listed.keys()
    for name in names:
        shown = run("show", name)
        assert (shown.code, shown.err) == (0, ""), name
        assert shown.out.count(f"Option --{name.replace('_', '-')}") == 1
        steps = [step for step in STEPS if name in step.options]
        assert steps, name
        for step in steps:
            assert f"Step {step.number}, {step.name}: " in shown.out
            assert re.search(rf"\(steps? .*\b{step.number}, {step.name}", listed[f"--{name.replace('_', '-')}"])
        for value in (CHOICES | HANDLING).get(name, {}):
            assert re.search(rf"^  {value}( \(default\))?: \S", shown.out, re.M)


def test_other_options_of_score_are_shown(run: Run) -> None:
    assert "Option --fail-under METRIC=POINTS\n  Exit with code 1" in run("show", "fail_under").out
    assert run("show", "fail-unde").err.count("did you mean 'fail-under'") == 1


def test_show_order(run: Run) -> None:
    ran = run("show", "order")
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 100
    heads = [(int(number), name) for number, name in re.findall(r"^ ?(\d+)  (\S+)$", ran.out, re.M)]
    assert heads == [(step.number, step.name) for step in STEPS]
    text = " ".join(ran.out.split())
    for step in STEPS:
        assert step.about in text
        assert " ".join(f"--{option.replace('_', '-')}" for option in step.options) in text
        assert " ".join(f"[{code}]" for code in step.reports) in text
