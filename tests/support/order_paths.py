"""Every way in which coreflens gives the score of a case, and what it says there."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import coreflens as cl
import order_reference
from command import Ran
from coreflens.cli import main
from order_corpora import FILES, Case, as_arguments, written
from order_reference import METRICS, Outcome, Refused, Unclear

Number: TypeAlias = Fraction | float | None
CLOSE = 1e-9
BUG = 70


@dataclass(frozen=True)
class Answer:
    """What a path says: the exit code, the message of an error, the scores, what is undefined, and the notes."""

    code: int
    message: str = ""
    scores: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    undefined: Mapping[str, frozenset[str]] = field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Difference:
    """`kind` is the same for all differences of one class; `detail` has the two numbers."""

    kind: str
    detail: str


# ---- answers


def answered(compute: Callable[[], Answer]) -> Answer:
    """The answer of a Python function, with the exit code that the command line would give to its error."""
    try:
        return compute()
    except cl.CoreflensError as error:
        return Answer(error.exit_code, str(error))
    except Exception as error:
        return Answer(BUG, f"{type(error).__name__}: {error}")


def of_result(result: cl.Result) -> Answer:
    scores = {name: {n: _number(x) for n, x in score.numbers().items()} for name, score in result.items()}
    undefined = {name: frozenset(score.undefined) for name, score in result.items()}
    return Answer(0, "", scores, undefined, notes_of((i.code, i.message) for i in result.issues))


def of_json(scores: Mapping[str, Any], issues: Iterable[Mapping[str, Any]] = ()) -> Answer:
    """Scores as the JSON of a command has them."""
    numbers: dict[str, dict[str, Number]] = {}
    for name, score in scores.items():
        exact = {n: Fraction(x) for n, x in score.get("exact", {}).items() if x is not None}
        numbers[name] = {n: exact.get(n, score[n]) for n in (*order_reference.VALUES, "value") if n in score}
    undefined = {name: frozenset(score.get("undefined", ())) for name, score in scores.items()}
    return Answer(0, "", numbers, undefined, notes_of((i["code"], i["message"]) for i in issues))


def notes_of(notes: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(notes))


def _number(x: Any) -> Number:
    return None if x is None or x != x else x


# ---- commands


def command(*arguments: object) -> Ran:
    """`coreflens ARGUMENTS` in this process."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with patch.object(sys, "argv", ["coreflens", *map(str, arguments)]), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    return Ran(int(str(code)), out.getvalue(), err.getvalue())


def of_command(ran: Ran, read: Callable[[Any], Answer]) -> Answer:
    if ran.code not in (0, 1):
        return Answer(ran.code, ran.err.strip())
    return read(json.loads(ran.out))


def score_command(key: Any, response: Any, options: Mapping[str, str], metrics: Sequence[str], *more: str) -> Answer:
    ran = command(
        *("score", key, response, *as_arguments(options), "-m", ",".join(metrics), "--exact", "--format", "json", *more)
    )
    return of_command(ran, lambda found: of_json(found["scores"], found["issues"]))


# ---- (a) the score against the reference


def given(options: Mapping[str, str]) -> dict[str, Any]:
    """The options as keyword arguments."""
    return {name: value for name, value in options.items() if name != "excerpt"}


def scored(case: Case, folder: Path) -> Answer:
    """`score()`, or the command if the case has an excerpt, which `score()` does not take."""
    key, response = written(case, folder)
    if "excerpt" in case.options and case.route in FILES:
        more = ("--by", "document") if case.options.get("window", "all") != "all" else ()
        return score_command(key, response, case.options, METRICS, *more)
    return answered(lambda: of_result(cl.score(key, response, metrics=METRICS, exact=True, **given(case.options))))


def against_reference(case: Case, folder: Path) -> Difference | None:
    """Where the score of a case is not that of the reference."""
    try:
        expected = order_reference.evaluate(*case.sides(), case.settled())
    except Unclear:
        return None
    except Refused as refused:
        answer = scored(case, folder)
        if answer.code == BUG:
            return Difference("crash", answer.message)
        if answer.code == 0:
            return Difference("scored, but to be refused", f"{refused}")
        return None
    answer = scored(case, folder)
    if answer.code == BUG:
        return Difference("crash", answer.message)
    if answer.code:
        if expected.may_refuse:
            return None
        return Difference(f"refused with {answer.code}", answer.message)
    return different(answer.scores, answer.undefined, expected.scores)


def different(
    scores: Mapping[str, Mapping[str, Number]], undefined: Mapping[str, frozenset[str]], expected: Mapping[str, Outcome]
) -> Difference | None:
    """The metrics whose numbers, or whose undefined numbers, are not those of the reference."""
    wrong: dict[str, str] = {}
    marks: dict[str, str] = {}
    for name, outcome in expected.items():
        found = {n: scores[name].get(n) for n in outcome.numbers}
        if not all(same(found[n], x) for n, x in outcome.numbers.items()):
            wrong[name] = f"{name}: {_written(found)}, reference {_written(outcome.numbers)}"
        elif undefined[name] != outcome.undefined:
            marks[name] = f"{name}: undefined {sorted(undefined[name])}, reference {sorted(outcome.undefined)}"
    for kind, found_in in (("numbers", wrong), ("undefined", marks)):
        if found_in:
            alone = " of core and xcore alone" if found_in.keys() <= {"core", "xcore"} else ""
            detail = "\n".join([*list(found_in.values())[:3], f"all: {', '.join(found_in)}"])
            return Difference(f"{kind}{alone}", detail)
    return None


def same(one: Number, other: Number) -> bool:
    if one is None or other is None:
        return one is other
    return one == other if isinstance(one, Fraction) else abs(float(one) - float(other)) < CLOSE


def _written(numbers: Mapping[str, Number]) -> str:
    return " ".join(f"{n[0].upper()} {'n/a' if x is None else x}" for n, x in numbers.items())
