"""Every way in which coreflens gives the score of a case, compared with the reference and with each other."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import coreflens as cl
import order_reference
from command import Ran
from coreflens.cli import main
from coreflens.wording import command_line
from order_corpora import FILES, TEXTUAL, Case, as_arguments, written
from order_reference import METRICS, VALUES, Evaluation, Options, Outcome, Refused, Unclear

Number: TypeAlias = Fraction | float | None
CLOSE = 1e-9
ALONE = " of core and xcore alone"  # a kind of its own, so that it does not hide the others
BUG = 70


@dataclass(frozen=True)
class Answer:
    """What a path says: the exit code, the message of an error, the scores, what is undefined, and the notes."""

    code: int
    message: str = ""
    scores: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    undefined: Mapping[str, frozenset[str]] = field(default_factory=dict)
    notes: frozenset[str] | None = None  # None: this path says nothing about them
    only_f1: bool = False  # whether this path has nothing but F1


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
    return replace(of_scores(result), notes=notes_of(result.issues))


def of_scores(found: cl.Scores) -> Answer:
    scores = {name: {n: _number(x) for n, x in score.numbers().items()} for name, score in found.items()}
    undefined = {name: frozenset(score.undefined) for name, score in found.items()}
    return Answer(0, "", scores, undefined)


def of_json(scores: Mapping[str, Any], notes: frozenset[str] | None = None) -> Answer:
    """Scores as the JSON of a command has them: a number alone is an F1."""
    numbers: dict[str, dict[str, Number]] = {}
    undefined: dict[str, frozenset[str]] = {}
    for name, score in scores.items():
        if not isinstance(score, Mapping):
            numbers[name] = {"f1": _number(score)}
            continue
        exact = {n: Fraction(x) for n, x in score.get("exact", {}).items() if x is not None}
        numbers[name] = {n: exact.get(n, _number(score[n])) for n in VALUES if n in score}
        undefined[name] = frozenset(score.get("undefined", ()))
    return Answer(0, "", numbers, undefined, notes)


NOTE = re.compile(r"^coreflens: note: (.*\[[\w-]+\])$", re.MULTILINE)
PLACES = re.compile(r" \((?!--)[^()]*\)(?= \[[\w-]+\]$)")  # where it was seen, at the end of a note
ROLES = re.compile(r"^[^:]* \(as (key|response)\)[^:]*: ")  # who played which part, in `agree`


def notes_of(issues: Iterable[cl.Issue | str]) -> frozenset[str]:
    """Notes by their message and code. The places are left out: not every path has lines."""
    return frozenset(ROLES.sub("", PLACES.sub("", str(issue))) for issue in issues if str(issue).endswith("]"))


def notes_on(stderr: str) -> frozenset[str]:
    return notes_of(NOTE.findall(stderr))


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


def of_command(ran: Ran, read: Callable[[Any], Mapping[str, Any]]) -> Answer:
    """The answer of a command that writes JSON: `read` finds the scores there. Notes are on stderr."""
    if ran.code:
        return Answer(ran.code, ran.err.strip())
    return of_json(read(json.loads(ran.out)), notes_on(ran.err))


def score_command(key: Any, response: Any, options: Mapping[str, str], metrics: Sequence[str], *more: str) -> Answer:
    """`score` as JSON; a single window is a score only beside something else."""
    if "window" in options and "--by" not in more:
        more = (*more, "--by", "document")
    ran = command(
        *("score", key, response, *as_arguments(options), "-m", ",".join(metrics), "--exact", "--format", "json", *more)
    )
    return of_command(ran, lambda found: found["scores"])


# ---- (a) the score against the reference


def given(options: Mapping[str, str]) -> dict[str, Any]:
    """The options as keyword arguments."""
    return {name: value for name, value in options.items() if name != "excerpt"}


def scored(case: Case, folder: Path) -> Answer:
    """`score()`, or the command if the case has an excerpt, which `score()` does not take."""
    key, response = written(case, folder)
    if "excerpt" in case.options and case.route in FILES:
        return score_command(key, response, case.options, METRICS)
    return answered(lambda: of_result(cl.score(key, response, metrics=METRICS, exact=True, **given(case.options))))


@command_line()
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
        if expected.may_refuse or _is_refused_with_window(case, answer):
            return None
        return Difference(f"refused with {answer.code}", answer.message)
    found = [different(answer.scores, answer.undefined, expected.scores), false_note(answer, expected)]
    return min(filter(None, found), key=lambda difference: difference.kind.endswith(ALONE), default=None)


def _is_refused_with_window(case: Case, answer: Answer) -> bool:
    """§6: the command takes one window and a group only where entities stay in their documents."""
    wide = case.options.get("scope", "document") != "document"
    return answer.code == 2 and wide and "window" in case.options and "excerpt" in case.options


def false_note(answer: Answer, expected: Evaluation) -> Difference | None:
    """§1: nothing in common is reported only if it is so. A side that an option emptied is noted with that option."""
    notes = answer.notes or frozenset()
    if expected.common and (false := [note for note in notes if note.endswith("[twinless]")]):
        return Difference("a false note", false[0])
    if expected.emptied_by and not any(option in note for note in notes for option in expected.emptied_by):
        shown = "; ".join(sorted(notes)) or "no note"
        return Difference("no note on the option that emptied a side", f"{' or '.join(expected.emptied_by)}: {shown}")
    return None


GROUPS = ("genre", "topic", "part", "entity.kind", "mention.etype", "mention.kind", "mention.length")


@command_line()
def groups_against_reference(case: Case, folder: Path, by: Sequence[str] = GROUPS) -> Difference | None:
    """Where a group of `--by` is not that of the reference. Groups are asked for where the case has them."""
    if "excerpt" in case.options:
        return None
    every = {group: _group_against_reference(case, folder, group) for group in by}
    differences = [Difference(f"--by {group}: {d.kind}", d.detail) for group, d in every.items() if d]
    return min(differences, key=lambda found: found.kind.endswith(ALONE), default=None)


def _group_against_reference(case: Case, folder: Path, by: str) -> Difference | None:
    if f"{by.rpartition('.')[2]}=" in case.options.get("only", ""):
        return None  # two conditions on one attribute are one condition
    try:
        expected = order_reference.groups(*case.sides(), case.settled(), by)
    except (Unclear, Refused):
        return None
    key, response = written(case, folder)
    settings = given(case.options)

    def compute() -> Answer:
        result = cl.score(key, response, metrics=METRICS, exact=True, **settings)
        groups.update({label: of_scores(scores) for label, scores in result.group_by(by).items()})
        return Answer(0)

    groups: dict[str, Answer] = {}
    answer = answered(compute)
    if answer.code == BUG:
        return Difference("crash", answer.message)
    if answer.code:
        return None  # whether the whole is refused rightly, is asked elsewhere
    for label, outcomes in expected.items():
        if label not in groups and outcomes["mentions"].undefined >= {"recall", "precision"}:
            continue  # its mentions are all in documents that do not count
        if label not in groups:
            return Difference("lacks a group", f"{label}; there are {', '.join(groups)}")
        found = different(groups[label].scores, groups[label].undefined, outcomes)
        if found:
            return Difference(found.kind, f"{label}: {found.detail}")
    return None


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
            alone = ALONE if found_in.keys() <= {"core", "xcore"} else ""
            detail = "\n".join([*list(found_in.values())[:3], f"all: {', '.join(found_in)}"])
            return Difference(f"{kind}{alone}", detail)
    return None


def same(one: Number, other: Number) -> bool:
    if one is None or other is None:
        return one is other
    return one == other if isinstance(one, Fraction) else abs(float(one) - float(other)) < CLOSE


def _written(numbers: Mapping[str, Number]) -> str:
    return " ".join(f"{n[0].upper()} {'n/a' if x is None else x}" for n, x in numbers.items())


# ---- (b) one score on every path

SHOWN = ("mentions", "muc", "bcub", "ceafe", "lea", "blanc", "core", "bcub-sys", "conll")
EXPLAINED = ("conll", "blanc", "bcub-sys")
FORBIDDEN = 3
HAS_DUCKDB = find_spec("duckdb") is not None
# notes of a path on what it alone does
OWN_NOTES = {
    "diagnose": ("unattainable", "prices", "split-antecedents"),
    "view": ("unattainable", "prices", "split-antecedents"),
    "agree": ("duplicates",),
}
HUGE = "1000000000"


@dataclass(frozen=True)
class Inputs:
    """A case as it is given to a path."""

    case: Case
    key: Any
    response: Any
    folder: Path

    @property
    def files(self) -> bool:
        return self.case.route in FILES

    @property
    def metrics(self) -> tuple[str, ...]:
        return (*SHOWN, "mela") if "weights" in self.case.options else SHOWN

    @property
    def policies(self) -> dict[str, Any]:
        return given(self.case.options)

    def run(self, name: str, *arguments: object, metrics: Sequence[str] = ()) -> Ran:
        """A command with the options of the case, as JSON."""
        shown = ",".join(metrics or self.metrics)
        return command(name, *arguments, *as_arguments(self.case.options), "-m", shown, "--format", "json")


Path_: TypeAlias = Callable[[Inputs], Answer | None]


def _scorer(i: Inputs) -> Answer:
    return of_result(cl.Scorer(i.key, metrics=i.metrics, exact=True, **i.policies)(i.response))


def _accumulator(i: Inputs) -> Answer:
    accumulator = cl.Accumulator(metrics=i.metrics, exact=True, **i.policies)
    accumulator.update(i.key, i.response)
    return of_result(accumulator.compute())


def _accumulator_by_document(i: Inputs) -> Answer | None:
    """Document by document, where both sides have the same documents and the documents alone are enough."""
    if i.files or i.key.keys() != i.response.keys() or i.case.options.get("only", "").startswith(("genre", "topic")):
        return None
    accumulator = cl.Accumulator(metrics=i.metrics, exact=True, **i.policies)
    for name in i.key:
        accumulator.update(i.key[name], i.response[name], name=name)
    return replace(of_result(accumulator.compute()), notes=None)


def _score(i: Inputs) -> Answer | None:
    return score_command(i.key, i.response, i.case.options, i.metrics) if i.files else None


def _explain(i: Inputs) -> Answer | None:
    found: dict[str, Any] = {}
    notes: frozenset[str] | None = None
    for metric in EXPLAINED:
        if i.files:
            ran = i.run("explain", i.key, i.response, metrics=(metric,))
            if ran.code:
                return Answer(ran.code, ran.err.strip())
            found[metric] = json.loads(ran.out)["score"]
            notes = notes_on(ran.err)
        else:
            found[metric] = cl.explain(i.key, i.response, metric, **i.policies).to_dict()["score"]
    return of_json(found, notes)


def _diagnose(i: Inputs) -> Answer:
    if i.files:
        return of_command(i.run("diagnose", i.key, i.response), lambda found: found["scores"])
    diagnosis = cl.diagnose(i.key, i.response, metrics=i.metrics, **i.policies)
    return of_json(diagnosis.to_dict()["scores"], notes_of(diagnosis.issues))


INDEX = re.compile(r'<script type="application/json" id="index">(.*?)</script>', re.DOTALL)


def _view(i: Inputs) -> Answer:
    """The numbers in the data of the page, rounded there to six decimals."""
    page = i.folder / "page.html"
    if i.files:
        shown = ",".join(i.metrics)
        ran = command("view", i.key, i.response, page, *as_arguments(i.case.options), "-m", shown)
        if ran.code:
            return Answer(ran.code, ran.err.strip())
        text = page.read_text(encoding="utf-8")
    else:
        text = cl.view(i.key, i.response, metrics=i.metrics, **i.policies).html
    index = INDEX.search(text)
    assert index
    (system,) = json.loads(index[1])["systems"]
    scores = {
        name: {value: x for value, x in zip(VALUES, figures, strict=True) if value == "f1" or name not in AVERAGES}
        for name, figures in system["scores"].items()
    }
    marked = {name: frozenset(value for value, x in score.items() if x == "n/a") for name, score in scores.items()}
    plain = {name: {value: x for value, x in score.items() if x != "n/a"} for name, score in scores.items()}
    return replace(of_json(plain, notes_of(system["issues"])), undefined=marked)


AVERAGES = ("conll", "mela")


def _compared(found: Mapping[str, Any]) -> Mapping[str, Any]:
    (section,) = found["sections"]
    scores: Mapping[str, Any] = next(iter(section["systems"][0]["scores"].values()))
    return scores


def _compare(i: Inputs) -> Answer:
    if i.files:
        return of_command(i.run("compare", i.key, i.response, "--resamples", "0"), _compared)
    comparison = cl.compare(i.key, {"one": i.response}, metrics=i.metrics, resamples=0, **i.policies)
    return of_json(_compared(comparison.to_dict()), notes_of(comparison.issues))


def _compare_two(i: Inputs) -> Answer:
    """The response beside itself, under another name."""
    if i.files:
        other = i.folder / f"other{i.response.suffix}"
        other.write_bytes(i.response.read_bytes())
        answer = of_command(i.run("compare", i.key, i.response, other, "--resamples", "9"), _compared)
    else:
        systems = {"one": i.response, "two": i.response}
        comparison = cl.compare(i.key, systems, metrics=i.metrics, resamples=9, **i.policies)
        answer = of_json(_compared(comparison.to_dict()))
    return replace(answer, notes=None)  # there are notes on two systems, with their names


def _agree(i: Inputs) -> Answer | None:
    """Two annotators, the key first. What one of them did not annotate is left out, unlike in a score.

    So --extra has to be refused, and without it documents of one side alone can't be compared.
    """
    ours, theirs = ({d.identity for d in side.documents} for side in i.case.sides())
    if ours != theirs and "extra" not in i.case.options:
        return None

    def first(found: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: matrix[0][1] for name, matrix in found["matrices"].items() if name != "alpha"}

    if i.files:
        answer = of_command(i.run("agree", i.key, i.response), first)
    else:
        agreement = cl.agree({"key": i.key, "response": i.response}, metrics=i.metrics, **i.policies)
        answer = of_json(first(agreement.to_dict()), notes_of(agreement.issues))
    return _null_is_undefined(answer)


def _null_is_undefined(answer: Answer) -> Answer:
    """JSON that has one number per metric says with null that it is undefined."""
    marked = {name: frozenset(n for n, x in score.items() if x is None) for name, score in answer.scores.items()}
    plain = {name: {n: x for n, x in score.items() if x is not None} for name, score in answer.scores.items()}
    return replace(answer, scores=plain, undefined=marked, only_f1=True)


def _sweep(i: Inputs) -> Answer | None:
    if i.case.options.get("no_common") == "refuse":
        return None  # at 100 % nothing is left

    def start(found: Mapping[str, Any]) -> Mapping[str, Any]:
        names = {"recall": "recall", "precision": "precision", "main": "f1"}
        scores = {
            metric: {name: parts[part][0][0] for part, name in names.items()}
            for metric, parts in found["scores"].items()
        }
        return {metric: {"f1": s["f1"]} if metric in AVERAGES else s for metric, s in scores.items()}

    def study() -> Answer:
        found = cl.sweep(i.key, i.response, damage="drop", metrics=i.metrics, steps=1, repeats=1, **i.policies)
        return of_json(start(found.to_dict()), notes_of(found.issues))

    if i.files:
        ran = i.run("sweep", i.key, i.response, "--damage", "drop", "--steps", "1", "--repeats", "1")
        answer = of_command(ran, start)
    else:
        answer = answered(study)
    return None if "nothing to damage" in answer.message else replace(answer, undefined={})


def _database(i: Inputs) -> Answer | None:
    """The sides of a database that was built from the files."""
    if not i.files or not HAS_DUCKDB:
        return None
    base = i.folder / "sides.duckdb"
    base.unlink(missing_ok=True)
    built = command("db", "build", base, f"key={i.key}", f"response={i.response}")
    if built.code:
        return Answer(built.code, built.err.strip())
    return replace(score_command(f"{base}:key", f"{base}:response", i.case.options, i.metrics), notes=None)


def _saved_counts(i: Inputs) -> Answer | None:
    """The counts that `score` saves, in `compare`."""
    if not i.files:
        return None
    saved = i.folder / "saved.counts"
    saved.unlink(missing_ok=True)
    scored = score_command(i.key, i.response, i.case.options, i.metrics, "--save-counts", str(saved))
    if scored.code:
        return scored
    ran = command("compare", saved, "--resamples", "0", "-m", ",".join(i.metrics), "--format", "json")
    return replace(of_command(ran, _compared), notes=None)


def _duckdb(i: Inputs) -> Answer | None:
    if i.case.route not in ("spans", "names") or not HAS_DUCKDB:
        return None
    return score_command(i.key, i.response, i.case.options, i.metrics, "--engine", "duckdb")


def _counted(i: Inputs) -> Answer | None:
    """`describe --against`: how many mentions the key has, the response has, and both have."""
    if not i.files or i.case.options.keys() - {"only", "without"}:
        return None
    ran = command("describe", i.response, "--against", i.key, *as_arguments(i.case.options), "--format", "json")
    if ran.code:
        return Answer(ran.code, ran.err.strip())
    tagger = json.loads(ran.out)["tagger"]
    twins, ours, theirs = (tagger[name] for name in ("twins", "key mentions", "mentions"))
    recall, precision = (Fraction(twins, whole) if whole else Fraction(0) for whole in (ours, theirs))
    return Answer(0, "", {"mentions": {"recall": recall, "precision": precision}})


# ---- laws: what changes nothing


SLOW = ("database",)  # building a database takes most of a second


def _with(*more: str, **options: str) -> Path_:
    def scored_with(i: Inputs) -> Answer | None:
        if not i.files or any(name in i.case.options for name in options):
            return None
        found = score_command(i.key, i.response, {**i.case.options, **options}, i.metrics, *more)
        return replace(found, notes=None) if found.code == 0 else found

    return scored_with


def _defaults(i: Inputs) -> Answer:
    """Every default given by name."""
    named = {f.name: str(f.default) for f in fields(Options) if f.name not in ("excerpt", "weights")}
    settings = {**named, **i.policies}
    return of_result(cl.score(i.key, i.response, metrics=i.metrics, exact=True, **settings))


def _huge_window(i: Inputs) -> Answer | None:
    if i.case.route not in TEXTUAL or i.case.options.get("scope", "document") != "document":
        return None
    if "window" in i.case.options:
        return None
    settings = {**i.policies, "window": HUGE}
    answer = answered(lambda: of_result(cl.score(i.key, i.response, metrics=i.metrics, exact=True, **settings)))
    return replace(answer, notes=None) if answer.code == 0 else answer


def _huge_excerpt(i: Inputs) -> Answer | None:
    return _with(excerpt=f"1:{HUGE}")(i) if i.case.route in (*TEXTUAL, "spans") else None


PATHS: dict[str, Path_] = {
    "Scorer": _scorer,
    "Accumulator": _accumulator,
    "Accumulator by document": _accumulator_by_document,
    "score": _score,
    "explain": _explain,
    "diagnose": _diagnose,
    "view": _view,
    "compare": _compare,
    "compare two": _compare_two,
    "agree": _agree,
    "sweep": _sweep,
    "database": _database,
    "saved counts": _saved_counts,
    "duckdb": _duckdb,
    "describe --against": _counted,
    "defaults by name": _defaults,
    "--window 10^9": _huge_window,
    "--excerpt 1:10^9": _huge_excerpt,
    "--by document": _with("--by", "document"),
    "--by mention.length": _with("--by", "mention.length"),
    "--alignment": _with("--alignment"),
    "--jobs 1": _with("--jobs", "1"),
}


@command_line()
def on_paths(case: Case, folder: Path, names: Sequence[str] = tuple(PATHS)) -> list[Difference]:
    """Where a path says something else than `score()` does."""
    key, response = written(case, folder)
    inputs = Inputs(case, key, response, folder)
    if "excerpt" in case.options:
        base = score_command(key, response, case.options, inputs.metrics) if inputs.files else None
    else:
        settings = inputs.policies
        base = answered(lambda: of_result(cl.score(key, response, metrics=inputs.metrics, exact=True, **settings)))
    if base is None:
        return []
    if base.code == BUG:
        return [Difference("score(): crash", base.message)]
    found = []
    for name in names:
        if "excerpt" in case.options and name not in ("score", "saved counts", "database", "--jobs 1"):
            continue
        path = PATHS[name]
        answer = answered_path(path, inputs)
        if answer is not None:
            own = tuple(f"has one more note {code}" for code in OWN_NOTES.get(name, ()))
            others = [difference for difference in unlike(base, answer) if difference.kind not in own]
            found += [Difference(f"{name}: {difference.kind}", difference.detail) for difference in others]
    return found


def answered_path(path: Path_, inputs: Inputs) -> Answer | None:
    silent: list[None] = []

    def compute() -> Answer:
        answer = path(inputs)
        if answer is None:
            silent.append(None)
        return answer or Answer(0)

    answer = answered(compute)
    return None if silent else answer


def unlike(base: Answer, answer: Answer) -> list[Difference]:
    """§5, law 1: equal scores and notes, or a usage error."""
    if answer.code == BUG:
        return [Difference("crash", answer.message)]
    if base.code:
        return [Difference(f"scores what score refuses with {base.code}", base.message)] if not answer.code else []
    if answer.code == FORBIDDEN:
        return [Difference("refuses with 3 what score scores", answer.message)]
    if answer.code:
        return []
    found = [*unlike_numbers(base, answer)]
    if answer.notes is not None and base.notes is not None:
        found += unlike_notes(base.notes, answer.notes)
    return found


def unlike_numbers(base: Answer, answer: Answer) -> Iterator[Difference]:
    for metric, numbers in answer.scores.items():
        for name, number in numbers.items():
            if metric in base.scores and not near(base.scores[metric].get(name), number):
                theirs = f"{metric} {name} is {number}, in score {base.scores[metric].get(name)}"
                yield Difference("numbers", theirs)
                return
    for metric, names in answer.undefined.items():
        marked = base.undefined.get(metric, names)
        marked = marked & {"f1"} if answer.only_f1 else marked
        if names != marked:
            theirs = f"{metric}: undefined {sorted(names)}, in score {sorted(marked)}"
            yield Difference("undefined", theirs)
            return


def near(one: Number, other: Number) -> bool:
    """Some paths round to six decimals."""
    return one is other if one is None or other is None else abs(float(one) - float(other)) < 2e-6


def unlike_notes(base: frozenset[str], notes: frozenset[str]) -> Iterator[Difference]:
    for what, some in (("lacks the note", base - notes), ("has one more note", notes - base)):
        for note in sorted(some):
            code = note.rpartition("[")[2].rstrip("]")
            yield Difference(f"{what} {code}", note)


@command_line()
def compare_once(case: Case, folder: Path, paths: Sequence[str] = (), by: Sequence[str] = GROUPS) -> list[Difference]:
    """Every difference of a case: from the reference, in its groups, and on these paths."""
    found = [against_reference(case, folder), groups_against_reference(case, folder, by)]
    return [difference for difference in found if difference] + (on_paths(case, folder, paths) if paths else [])
