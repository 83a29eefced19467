"""Every command and mode × every option: the option acts, or it is refused with exit code 2 and its name.

It acts if its exit code, what it prints or what it writes changes on an input that is made for it. A changed signature
or another note does not count. The rows are in tests/support/option_cases.py: a new option needs one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from coreflens.cli.headings import Command
from coreflens.cli.modes import Mode
from option_cases import ASKING, BY_VALUE, CASES, EXEMPT, LEFT_OUT, ROWS, Case, write_inputs
from option_matrix import COMMANDS, Workshop, options_of, tries_of


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    home = tmp_path_factory.mktemp("matrix")
    write_inputs(home)
    before = Path.cwd()
    os.chdir(home)
    yield Workshop(home)
    os.chdir(before)


def modes_of(command: str) -> dict[str, Mode]:
    known = COMMANDS[command]
    return {type(mode).__name__: mode for mode in known.modes} if isinstance(known, Command) else {}


def listed(table: dict[str, str], case: Case, option: str) -> bool:
    """Whether a table has the option: for all commands, for this one, or for this mode of it."""
    where = ("", case.command, f"{case.command} {case.mode}", f"{case.command} {case.options}")
    return any(f"{place} {option}".strip() in table for place in where)


def is_asked(case: Case, option: str) -> bool:
    """Whether the option is what asks for this mode."""
    return any(word.lstrip("-") == option for word in case.options.split() if word.startswith("--"))


@pytest.mark.parametrize("command", sorted({case.command for case in CASES}))
def test_every_option_has_a_row(command: str) -> None:
    lacking = [option for option in options_of(command) if option not in ROWS and f"{command} {option}" not in ROWS]
    assert not lacking, f"give {', '.join(lacking)} of {command} a row in tests/support/option_cases.py"


def test_every_command_is_tried_or_left_out() -> None:
    tried = {case.command for case in CASES}
    assert tried | set(LEFT_OUT) == set(COMMANDS)
    assert not tried & set(LEFT_OUT)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_mode_is_tried(command: str) -> None:
    tried = {case.mode for case in CASES if case.command == command}
    assert set(modes_of(command)) <= tried


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_modes_take_options_that_exist(command: str) -> None:
    known = {option for name in COMMANDS for option in options_of(name)}
    for mode in modes_of(command).values():
        assert mode.takes <= known
        for rule in mode.rules:
            assert set(rule.options) <= mode.takes


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.command} {case.mode} {case.options}".strip())
def test_what_a_mode_does_not_take_is_refused(case: Case, workshop: Workshop) -> None:
    mode = modes_of(case.command).get(case.mode)
    if mode is None:
        return
    for option in options_of(case.command):
        tries = tries_of(case.command, option)
        if option in mode.takes or option in ASKING or not tries:
            continue
        ran = workshop.refused(case, tries[0])
        assert ran.code == 2, f"{option}: {ran}"
        assert f"--{option}" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.command} {case.mode} {case.options}".strip())
def test_every_option_acts_or_is_refused(case: Case, workshop: Workshop) -> None:
    mode = modes_of(case.command).get(case.mode)
    faults = []
    for option in options_of(case.command):
        outcome = workshop.outcome(case, option)
        if listed(EXEMPT, case, option):
            if outcome.verdict == "acts":
                faults.append(f"{option}: acts, so it needs no exemption any more: {' '.join(outcome.words)}")
            continue
        refusable = (mode is not None and option not in mode.takes) or listed(BY_VALUE, case, option)
        fine = outcome.verdict == "acts" or (outcome.verdict == "refused" and refusable) or is_asked(case, option)
        if not fine:
            faults.append(f"{option}: {outcome.verdict}: {' '.join(outcome.words)}: {outcome.err[:200]}")
    assert not faults, "\n".join(faults)
