"""Documents in several processes: the same response as in one, the same errors, and a quiet end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.processes import each, together
from coreflens.resolvers import SYSTEMS, SystemName, resolve, sharing
from coreflens.resolvers.model import Model, read_model
from coreflens.resolvers.sharing import _blocks

# word, tag, bit of the tree, bit of the names, bit of the coreference column
SENTENCES = [
    "Anna/NNP/(TOP(S(NP*)/(PERSON)/(1) saw/VBD/(VP*/*/- her/PRP$/(NP*/*/(2|(1) cat/NN/*))))/*/2)",
    "Tom/NNP/(TOP(S(NP*)/*/(3) lost/VBD/(VP*/*/- the/DT/(NP*/*/(2 cat/NN/*))))/*/2)",
    "She/PRP/(TOP(S(NP*)/*/(1) liked/VBD/(VP*/*/- Tom/NNP/(NP*))))/(PERSON)/(3)",
    "The/DT/(TOP(S(NP*/*/(2 old/JJ/*/*/- cat/NN/*)/*/2) slept/VBD/(VP*)))/*/-",
    "He/PRP/(TOP(S(NP*)/*/(3) found/VBD/(VP*/*/- it/PRP/(NP*))))/*/(2)",
]
MODEL = Model(
    "tree",
    "english",
    {
        "tree": {
            "feature": "string_match",
            "above": 0.5,
            "yes": {"pairs": 1, "probability": 1.0},
            "no": {"pairs": 1, "probability": 0.0},
        }
    },
    {},
)


def text(documents: int) -> str:
    """Documents of several lengths, some with speakers, one empty, one with a name that is never closed."""
    chance = random.Random(4)
    found = []
    for d in range(documents):
        found.append(f"#begin document (nw/{d}); part 000")
        for _ in range(0 if d == 3 else chance.choice((1, 4, 9))):
            speaker = chance.choice(("Ann", "Bob")) if d % 2 else "-"
            for i, word in enumerate(chance.choice(SENTENCES).split()):
                form, tag, tree, name, cell = word.split("/")
                name = "(PERSON*" if d == 1 and name == "(PERSON)" else name
                found.append("\t".join((f"nw/{d}", "0", str(i), form, tag, tree, "-", "-", "-", speaker, name, cell)))
            found.append("")
        found.append("#end document")
    return "\n".join(found) + "\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "in.conll").write_text(text(14))
    return tmp_path / "in.conll"


@pytest.mark.slow
@pytest.mark.parametrize("mentions", ["given", "detected"])
@pytest.mark.parametrize("system", list(SYSTEMS))
def test_the_number_of_processes_changes_nothing(file: Path, system: SystemName, mentions: Any) -> None:
    text = cl.read(file)
    model = MODEL if SYSTEMS[system].training is not None else None
    one, two = (resolve(text, system, mentions, model=model, jobs=jobs) for jobs in (1, 2))
    for column in ("doc", "start", "end", "entity"):
        assert np.array_equal(getattr(one, column), getattr(two, column)), column
    assert len(one) and (one.labels, one.issues, one.documents) == (two.labels, two.issues, two.documents)
    pairs = set(zip(two.entity.tolist(), two.doc.tolist(), strict=True))
    if not SYSTEMS[system].wide:  # no id in two documents
        assert len(pairs) == len({entity for entity, _ in pairs})


@pytest.mark.slow
def test_the_command_writes_the_same_and_says_the_same(file: Path, run: Run) -> None:
    one, two = (run("resolve", file, "-", "--system", "sieve", "--jobs", jobs) for jobs in (1, 2))
    assert one.code == 0 and "(0)" in one.out and one == two


@pytest.mark.slow
def test_documents_are_gone_over_once_and_in_order(file: Path) -> None:
    seen: list[int] = []

    def over(documents: Any) -> Any:
        for d in documents:
            yield d
            seen.append(d)

    resolve(cl.read(file), "sieve", over=over, jobs=3)
    assert seen == list(range(14))


def test_blocks_have_all_documents_in_order() -> None:
    for rows in ([], [0], [5], [0, 0, 0], [1, 100, 1, 1, 0, 7], [3] * 50, [100, 0, 0], [0, 0, 100]):
        blocks = _blocks(np.array(rows, dtype=np.int64), 6)
        assert [d for block in blocks for d in block] == list(range(len(rows)))
        assert len(blocks) <= 6 and all(blocks)


def test_processes_are_for_long_texts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def none(work: Any, items: Any, jobs: int) -> Any:
        asked.append(jobs)
        yield from map(work, items)

    monkeypatch.setattr(sharing, "each", none)
    monkeypatch.setattr(sharing, "cores", lambda: 5)
    text = cl.read(file)
    resolve(text, "mention-pair", model=MODEL, jobs=0)
    resolve(text, "mention-pair", model=MODEL)
    resolve(text.only(0), "sieve", jobs=4)  # one document is one piece of work
    assert asked == []
    monkeypatch.setattr(sharing, "_MANY", 10)
    resolve(text, "sieve", jobs=0)  # quick enough
    assert asked == []
    resolve(text, "mention-pair", model=MODEL, jobs=0)
    assert asked == [5]


def test_no_negative_number_of_processes(file: Path, run: Run) -> None:
    with pytest.raises(cl.UsageError, match="not -1"):
        resolve(cl.read(file), "singletons", jobs=-1)
    assert run("resolve", file, "-", "--system", "sieve", "--jobs", "-1").code == 2


@pytest.mark.slow
def test_errors_of_a_worker(tmp_path: Path) -> None:
    assert list(each(abs, [-3, -1, -2], 2)) == [3, 1, 2]
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(cl.InputError) as here:
        read_model(tmp_path / "model.json")
    with pytest.raises(cl.InputError) as there:
        list(each(read_model, [tmp_path / "model.json"] * 3, 2))
    assert str(here.value) == str(there.value)
    with pytest.raises(cl.InputError, match="a process ended before its work was done"):
        list(each(os._exit, [1, 1], 2))


@pytest.mark.slow
def test_this_process_helps() -> None:
    assert list(together(abs, [-3, -1, -2], 2, lambda x: -x)) == [3, 1, 2]
    with pytest.raises(TypeError):
        list(together(int, [[], "1"], 2, int))  # type: ignore[arg-type]


def _children(process: int) -> list[str]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [child for child in children if "resource_tracker" not in Path(f"/proc/{child}/cmdline").read_text()]


@pytest.mark.slow
@pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task").is_dir(), reason="no /proc here")
@pytest.mark.parametrize("wait", [0, 2])
def test_an_interrupt_ends_all_processes_quietly(tmp_path: Path, wait: int) -> None:
    lines = [f"a\t0\t{i}\tword{i}\tNN\t*\t-\t-\t-\t-\t*\t({i})" for i in range(4000)]
    document = "#begin document ({0}); part 000\n" + "\n".join(lines) + "\n\n#end document\n"
    (tmp_path / "in.conll").write_text(document.replace("{0}", "a") + document.replace("{0}", "b"))
    command: list[str | Path] = [
        "resolve",
        tmp_path / "in.conll",
        tmp_path / "out.conll",
        "--system",
        "sieve",
        "--jobs",
        "2",
    ]
    started = subprocess.Popen(
        [sys.executable, "-m", "coreflens", *command], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    patience = time.monotonic() + 300
    while len(_children(started.pid)) < 2 and time.monotonic() < patience and started.poll() is None:
        time.sleep(0.01)
    time.sleep(wait)  # the workers begin at first, and work then
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does
    said = started.communicate(timeout=300)[1]
    assert (started.returncode, said.strip()) == (130, "coreflens: error: interrupted")
    assert not (tmp_path / "out.conll").exists()
    with pytest.raises(ProcessLookupError):  # nobody is left
        for _ in range(500):
            os.killpg(started.pid, 0)
            time.sleep(0.01)
