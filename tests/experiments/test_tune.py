"""Tuning: known optima are found, what is reported was not tuned on, and runs that go wrong do no harm."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run
from coreflens.errors import InputError, UsageError
from coreflens.experiments import tune
from coreflens.experiments.programs import blanked
from coreflens.experiments.search import ascent, grid, random
from coreflens.experiments.space import Setting, Space, space_of
from coreflens.experiments.trials import Log
from coreflens.formats import concatenate
from coreflens.resolvers import resolve
from places import DATA
from trying import made_up

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no third-party data in ../shared/data")


# ---------------------------------------------------------------------------------------------------------- spaces


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("w=0:1:.25", ["0", "0.25", "0.5", "0.75", "1"]),
        ("w=0:1:.3", ["0", "0.3", "0.6", "0.9"]),
        ("w=1..4", ["1", "2", "3", "4"]),
        ("w=-1..1", ["-1", "0", "1"]),
        ("w=10:1000:330", ["10", "340", "670", "1000"]),
        ("w=a, b,a", ["a", "b"]),
        ("w=.1", [".1"]),
    ],
)
def test_values_of_a_parameter(text: str, values: list[str]) -> None:
    assert list(space_of([text]).axes[0].values) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("w", "NAME=VALUES"),
        ("=1", "can't be the name"),
        ("input=1", "can't be the name"),
        ("w=", "no values, or an empty one"),
        ("w=1,,2", "no values, or an empty one"),
        ("w=0:1", "a range needs a step"),
        ("w=0:1:0", "must go up"),
        ("w=1:0:.1", "must go up"),
        ("w=5..1", "must go up"),
        ("w=0.5..2", "whole numbers"),
        ("w=a..b", "is not a number"),
        ("w=0:nan:1", "not a finite number"),
        ("w=0:1:1e-9", "more than 100,000 values"),
    ],
)
def test_values_that_are_none(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        space_of([text])
    with pytest.raises(UsageError, match="twice"):
        space_of(["a=1", "a=2"])
    with pytest.raises(UsageError, match="nothing to vary"):
        space_of([])


# -------------------------------------------------------------------------------------------------------- searches

sizes = st.lists(st.integers(1, 12), min_size=1, max_size=3)


def numbered(lengths: list[int]) -> Space:
    return space_of({f"p{k}": [str(v) for v in range(n)] for k, n in enumerate(lengths)})


@given(sizes, st.data())
def test_a_grid_finds_the_best_of_any_objective(lengths: list[int], data: Any) -> None:
    space = numbered(lengths)
    settings = list(space)
    values = data.draw(st.lists(st.integers(0, 5), min_size=len(settings), max_size=len(settings)))
    of = dict(zip(settings, values, strict=True))
    found = grid(space, lambda wanted: [of[s] for s in wanted])
    assert found == next(s for s in settings if of[s] == max(values))
    assert random(space, lambda wanted: [of[s] for s in wanted], len(settings), 1) == found


@given(sizes, st.data())
def test_an_ascent_finds_the_top_of_a_hill(lengths: list[int], data: Any) -> None:
    """An objective that falls with the distance from its top in each parameter has no other top."""
    space = numbered(lengths)
    top = [data.draw(st.integers(0, n - 1)) for n in lengths]
    start = tuple(str(data.draw(st.integers(0, n - 1))) for n in lengths)
    asked: set[Setting] = set()

    def scored(wanted: Any) -> list[float]:
        asked.update(wanted)
        return [-sum((k + 1) * (int(v) - t) ** 2 for k, (v, t) in enumerate(zip(s, top, strict=True))) for s in wanted]

    assert ascent(space, scored, start) == tuple(map(str, top))
    assert len(asked) <= 1 + 3 * sum(lengths) * len(lengths)


def test_an_ascent_goes_on_from_what_failed_and_over_words() -> None:
    space = space_of(["w=0..8", "word=a,b,c"])
    scores: dict[Setting, float] = {("4", "a"): float("-inf")}
    found = ascent(space, lambda s: [scores.get(x, int(x[0]) + 10 * (x[1] == "c")) for x in s], ("4", "a"))
    assert found == ("8", "c")


# ------------------------------------------------------------------------------------------------------- a program


@pytest.mark.slow
@pytest.mark.parametrize("search", ["grid", "ascent", "random"])
def test_the_known_optimum_of_a_program_is_found(tmp_path: Path, search: Any) -> None:
    key, program = made_up(tmp_path)
    tries: Any = {"tries": 9} if search == "random" else {}
    found = tune(key, run=program, parameters={"w": "1:5:.5", "v": "fine"}, search=search, jobs=2, **tries)
    assert found.best == {"w": "3", "v": "fine"}
    assert found.interval is not None and found.interval.score == 1
    assert {fold.setting["w"] for fold in found.folds} == {"3"}
    assert sorted(d for fold in found.folds for d in fold.documents) == sorted(f"nw/d{d}_0" for d in range(8))


@pytest.mark.slow
def test_runs_that_go_wrong_are_reported_and_the_others_go_on(tmp_path: Path, run: Run) -> None:
    key, program = made_up(tmp_path)
    arguments = ["--run", program, "--param", "w=2,3", "--param", "v=fails,hangs,silent,nonsense,truncated,fine"]
    arguments += ["--time-limit", "2", "--trials", str(tmp_path / "log.jsonl"), "--jobs", "2", "--format", "json"]
    ran = run("tune", key, *arguments)
    found = ran.json
    assert found["best"] == {"w": "3", "v": "fine"} and found["held_out"]["score"] == 1
    said = {t["setting"]["v"]: t["failed"] for t in found["trials"]}
    assert said["fine"] is None
    assert said["fails"] == "exit code 1: no such luck"
    assert said["hangs"] == "took longer than 2 seconds, and was ended"
    assert said["silent"] == "ended without an error, but did not write {output}"
    assert "output.conll" in said["nonsense"]
    assert said["truncated"] is None  # documents that are missing count as empty, which is reported
    assert max(t["score"] for t in found["trials"] if t["setting"]["v"] == "truncated") < 0.9
    assert "8 runs failed" in ran.err and "missing" in ran.err
    again = run("tune", key, *arguments[:5], "v=fine", *arguments[6:]).json
    assert again["best"] == found["best"]


@pytest.mark.slow
def test_nothing_to_score_at_all(tmp_path: Path, run: Run) -> None:
    key, program = made_up(tmp_path)
    ran = run("tune", key, "--run", program, "--param", "w=1,2", "--param", "v=fails")
    assert ran.code == 3 and "no run produced anything to score" in ran.err and "no such luck" in ran.err
    ran = run("tune", key, "--run", "no-such-program-here {input} {output} {w}", "--param", "w=1,2")
    assert ran.code == 3 and "can't be started" in ran.err


@pytest.mark.slow
def test_a_time_limit_ends_what_the_program_started(tmp_path: Path) -> None:
    key, _ = made_up(tmp_path)
    script = tmp_path / "parent.py"
    script.write_text(
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(child.pid))\nchild.wait()\n"
    )
    with pytest.raises(InputError, match="took longer than 1 seconds"):
        tune(key, run=f"'{sys.executable}' '{script}' {{w}} {{input}} {{output}}", parameters={"w": "1"}, limit=1)
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    raise AssertionError("the child is alive")


@pytest.mark.slow
@pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task").is_dir(), reason="no /proc here")
def test_an_interrupt_ends_the_programs_under_way(tmp_path: Path) -> None:
    key, program = made_up(tmp_path)
    log = tmp_path / "log.jsonl"
    command = ["tune", str(key), "--run", program, "--param", "w=1,2,3", "--param", "v=hangs", "--trials", str(log)]
    started = subprocess.Popen(
        [sys.executable, "-m", "coreflens", *command, "--jobs", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    patience = time.monotonic() + 300
    children: list[str] = []
    while len(children) < 2 and time.monotonic() < patience and started.poll() is None:
        time.sleep(0.05)
        listed = Path(f"/proc/{started.pid}/task").glob("*/children")
        children = [child for file in listed for child in file.read_text().split()]
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=300)
    assert started.returncode == 130 and b"Traceback" not in said
    assert len(children) == 2 and not any(Path(f"/proc/{child}").exists() for child in children)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "either a system of coreflens"),
        (["--system", "sieve", "--run", "x {input} {output}"], "either a system of coreflens"),
        (["--run", "x {w} {output}"], "needs {input}"),
        (["--run", "x {w} {input}"], "needs {output}"),
        (["--run", "x {input} {output}"], "no {w}"),
        (["--run", "x {w} {u} {input} {output}"], "{u} is not a parameter"),
        (["--run", "x {w} '{input} {output}"], "can't be split"),
        (["--run", " "], "empty"),
        (["--system", "salience"], "decay"),
        (["--system", "exact-match"], "no parameters"),
        (["--system", "oracle"], "oracle"),
        (["--run", "x {w} {input} {output}", "--set", "a=1"], "--set and --model are for systems"),
        (["--run", "x {w} {input} {output}", "--mentions", "phrases"], "--mentions given"),
        (["--run", "x {w} {input} {output}", "--objective", "muk"], "muk"),
        (["--run", "x {w} {input} {output}", "--objective", "muc.rec"], "not a part of a score"),
        (["--run", "x {w} {input} {output}", "--scope", "corpus"], "use --scope document"),
        (["--run", "x {w} {input} {output}", "--held-out", "zz"], "the key has no document 'zz'"),
        (["--run", "x {w} {input} {output}", "--held-out", "*"], "all documents are held out"),
        (["--run", "x {w} {input} {output}", "--held-out", "*", "--folds", "3"], "either folds or documents"),
    ],
)
def test_what_does_not_fit_is_an_error(arguments: list[str], message: str, tmp_path: Path, run: Run) -> None:
    key, _ = made_up(tmp_path)
    ran = run("tune", key, "--param", "w=1,2", *arguments)
    assert ran.code == 2 and message in ran.err and "Traceback" not in ran.err


def test_values_are_checked_before_anything_is_run(tmp_path: Path) -> None:
    key, _ = made_up(tmp_path)
    with pytest.raises(UsageError, match="window"):
        tune(key, system="sieve", parameters={"window": "3,x"})


def test_a_program_does_not_see_the_chains(tmp_path: Path) -> None:
    key = cl.read(made_up(tmp_path)[0])
    with blanked(key, given=False) as source:
        assert len(cl.read(source)) == 0 and "(" not in source.read_text().replace("document (", "")
    with blanked(key, given=True) as source:
        seen = cl.read(source)
        assert len(seen) == len(key) and {len(c) for d in range(8) for c in seen.clusters(d).values()} == {1}
    assert not source.exists()


@needs_data
def test_a_program_does_not_see_the_chains_of_conllu() -> None:
    key = cl.read(DATA / "ontogum/conllu/GUM_bio_byron.conllu")
    with blanked(key, given=False) as source:
        assert len(cl.read(source)) == 0 and "Entity=" not in source.read_text().split("\n", 3)[3]
    with blanked(key, given=True) as source:
        assert len({*cl.read(source).entity.tolist()}) == len(key)


# ------------------------------------------------------------------------------------------------ what is reported


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("search", ["grid", "ascent"])
def test_the_reported_figure_is_a_fresh_scoring_of_what_was_held_out(search: Any) -> None:
    key = cl.read(DATA / "ontogum" / "conllu")
    found = tune(
        key, system="salience", parameters=["decay=0:1:.5", "window=0..1"], search=search, folds=4, objective="lea"
    )
    labels = [document.label for document in key.documents]
    parts: list[Any] = []
    texts = []
    for fold in found.folds:
        held = concatenate([key.only(labels.index(label)) for label in fold.documents])
        response = resolve(held, "salience", parameters=fold.setting)
        assert float(cl.score(held, response, metrics="lea")["lea"].f1 or 0) == pytest.approx(fold.held_out, abs=1e-12)
        parts.append(response)
        texts.append(held)
        # Nothing that was tried is better on the other documents.
        rest = concatenate([key.only(d) for d, label in enumerate(labels) if label not in fold.documents])
        for trial in found.trials:
            other = cl.score(rest, resolve(rest, "salience", parameters=trial.setting), metrics="lea")["lea"].f1
            assert float(other or 0) <= fold.tuned + 1e-12
    whole = cl.score(concatenate(texts), concatenate(parts), metrics="lea")
    assert found.result is not None and found.interval is not None
    assert float(whole["lea"].f1 or 0) == pytest.approx(found.interval.score, abs=1e-12)
    assert found.interval.low <= found.interval.score <= found.interval.high


@needs_data
def test_documents_held_out_by_name() -> None:
    key = cl.read(DATA / "ontogum" / "conllu")
    found = tune(key, system="salience", parameters=["decay=0,.5"], held_out=["*bio*", "*news*"])
    (fold,) = found.folds
    assert len(fold.documents) == 2 and fold.setting == found.best == {"decay": ".5"}
    held = concatenate([key.only(d) for d, document in enumerate(key.documents) if document.label in fold.documents])
    fresh = cl.score(held, resolve(held, "salience", parameters=fold.setting))
    assert float(fresh.conll or 0) == pytest.approx(fold.held_out, abs=1e-12)


def test_one_document_has_no_honest_figure(tmp_path: Path, run: Run) -> None:
    assert run("demo", "--write", tmp_path).code == 0
    key = cl.read(tmp_path / "key.conll").only(0)
    found = tune(key, system="sieve", parameters={"window": "1,2"})
    assert found.result is None and found.issues[0].code == "one-document" and "n/a" not in str(found)


# --------------------------------------------------------------------------------------------------------- the log


@pytest.mark.slow
def test_the_log_is_sound_after_a_kill_at_any_moment(tmp_path: Path, run: Run) -> None:
    """Cut at every byte: what is whole is resumed, what is not is run again, and the outcome is the same."""
    assert run("demo", "--write", tmp_path).code == 0
    log = tmp_path / "log.jsonl"
    key, how = tmp_path / "key.conll", {"system": "sieve", "parameters": ["window=0..2"]}
    whole = tune(key, trials=log, **how)  # type: ignore[arg-type]
    content = log.read_bytes()
    lines = content.splitlines(keepends=True)
    assert len(lines) == 4
    for cut in [*range(0, len(content), 97), len(lines[0]) - 1, len(lines[0]), len(content) - 1]:
        log.write_bytes(content[:cut])
        found = tune(key, trials=log, **how)  # type: ignore[arg-type]
        assert found.scores == whole.scores and found.best == whole.best
        kept = max(content[:cut].count(b"\n") - 1, 0)
        assert sum(trial.resumed for trial in found.trials) == kept
        again = [json.loads(line) for line in log.read_text().splitlines()]
        assert [sorted(x["setting"].values()) for x in again[1:]] == [["0"], ["1"], ["2"]]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_search_that_was_killed_goes_on(tmp_path: Path) -> None:
    key, program = made_up(tmp_path)
    log = tmp_path / "log.jsonl"
    command = ["tune", str(key), "--run", program, "--param", "w=1:5:.5", "--param", "v=slow", "--trials", str(log)]
    started = subprocess.Popen(
        [sys.executable, "-m", "coreflens", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    patience = time.monotonic() + 300
    while (not log.exists() or log.read_bytes().count(b"\n") < 3) and time.monotonic() < patience:
        time.sleep(0.02)
    started.send_signal(signal.SIGKILL)
    started.wait()
    started.communicate()
    done = log.read_bytes().count(b"\n") - 1
    assert 2 <= done < 9
    found = tune(key, run=program, parameters=["w=1:5:.5", "v=slow"], trials=log)
    assert sum(trial.resumed for trial in found.trials) == done and found.best["w"] == "3"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello\n", "not valid JSON"),
        ("[1]\n", "not a log of trials"),
        ("something else", "not a log of trials"),
        ('{"coreflens-trials": 7}\n', "version 7"),
        ('{"coreflens-trials": 1, "about": {"key": "another"}}\n', "its key differs"),
    ],
)
def test_foreign_and_damaged_logs(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(content)
    with pytest.raises(InputError, match=message):
        Log(tmp_path / "log", {"key": "this"}, ["a"], ["d"])
    assert (tmp_path / "log").read_text() == content


@pytest.mark.parametrize("line", ["{}", "[]", '{"setting": {"w": "1"}, "seconds": 1, "values": [[1, 2]]}', "7"])
def test_a_line_that_is_no_trial(line: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    Log(log, {}, ["a"], ["d"])
    with log.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(InputError, match=r"log:2: this line is not a trial"):
        Log(log, {}, ["a"], ["d"])


# ------------------------------------------------------------------------------------------------------ the command


@pytest.mark.slow
def test_tables_and_plots(tmp_path: Path, run: Run) -> None:
    assert run("demo", "--write", tmp_path).code == 0
    how = [
        "tune",
        tmp_path / "key.conll",
        "--system",
        "sieve",
        "--param",
        "window=0..2",
        "--param",
        "words=english,none",
    ]
    ran = run(*how, "--plot", tmp_path / "t.svg")
    assert ran.code == 0 and "held out" in ran.out and "[" in ran.out
    for name in ("trace", "surface"):
        assert (tmp_path / f"t-{name}.svg").read_text().startswith("<svg")
    for form in ("csv", "markdown", "latex", "html"):
        assert run(*how, "--format", form).code == 0
    assert len(run(*how, "--format", "json").json["trials"]) == 6
    assert run(*how, "--jobs", "2").out == run(*how).out
