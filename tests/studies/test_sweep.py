"""Sweeps: the artificial setting of Cai & Strube 2010, and other controlled damage."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run
from coreflens.studies.damage import DAMAGES, Case, DamageName
from coreflens.studies.sweeps import FIGURES
from places import DATA

KEY = {"d": [{"a", "b", "c"}, {"d", "e"}, {"f"}], "e": [{"g", "h"}, {"i"}]}
RESPONSE = {"d": [{"a", "b", "x", "y"}, {"d", "z"}, {"e", "f"}], "e": [{"g", "h", "i", "u"}, {"v"}]}
SPANS = {"d": [[(0, 1), (3, 3), (5, 6)], [(4, 4), (8, 9)]], "e": [[(0, 0), (2, 3)], [(5, 5)]]}

mentions = st.integers(0, 11)
partitions = st.dictionaries(mentions, st.integers(0, 4), min_size=2)
ANYWHERE = [damage for damage in DAMAGES if not damage.startswith("pronouns")]  # the others need words


def corpora(which: str) -> tuple[cl.Corpus, cl.Corpus]:
    key, response = (KEY, RESPONSE) if which == "names" else (SPANS, SPANS)
    return cl.read(key), cl.read(response)


def steps(damage: DamageName, key: cl.Corpus, response: cl.Corpus, seed: int = 0) -> list[cl.Corpus]:
    case = Case.of(cl.Scorer(key).match(response))
    units, damaged = DAMAGES[damage].prepare(case, np.random.default_rng(seed))
    return [damaged(n) for n in range(units + 1)]


def sides(corpus: cl.Corpus) -> tuple[set[Any], set[Any]]:
    """The mentions of a corpus, and its links."""
    every = {(m.document.label, m.identity) for m in corpus}
    links = {
        (document.label, frozenset((a, b)))
        for d, document in enumerate(corpus.documents)
        for entity in corpus.clusters(d).values()
        for a in entity
        for b in entity
        if a != b
    }
    return every, links


# ---------------------------------------------------------------------------- the paper's setting


@examples(60)
@given(partitions, partitions)
def test_bcubed_0_is_exactly_flat_when_twinless_mentions_go(key: dict[int, int], response: dict[int, int]) -> None:
    if not set(response) - set(key):
        response = response | {99: 0}
    swept = cl.sweep(key, response, metrics="bcub-0", exact=True, repeats=2, steps=5)
    for part in ("recall", "precision", "main"):
        assert len(np.unique(swept.values("bcub-0", part))) == 1


def test_the_last_step_is_the_response_without_its_twinless_mentions() -> None:
    swept = cl.sweep(KEY, RESPONSE, metrics="all", steps=4)
    cleaned = {"d": [{"a", "b"}, {"d"}, {"e", "f"}], "e": [{"g", "h", "i"}]}
    first, last = cl.score(KEY, RESPONSE, metrics="all"), cl.score(KEY, cleaned, metrics="all")
    for metric in ("muc", "bcub", "bcub-sys", "ceafm-sys", "ceafe", "blanc", "lea"):
        assert swept[metric][:, 0] == pytest.approx(first[metric].main)
        assert swept[metric][:, -1] == pytest.approx(last[metric].main)
    assert swept.units == 5


def test_without_twinless_mentions_there_is_nothing_to_remove() -> None:
    with pytest.raises(cl.InputError, match="nothing to damage: the response has no mention that the key lacks"):
        cl.sweep(KEY, KEY)


def test_same_seed_same_numbers() -> None:
    a, b, c = (cl.sweep(KEY, RESPONSE, metrics="muc", seed=seed, repeats=8) for seed in (3, 3, 4))
    assert np.array_equal(a["muc"], b["muc"])
    assert not np.array_equal(a["muc"], c["muc"])


def test_printed() -> None:
    assert str(cl.sweep(KEY, RESPONSE, metrics="muc", steps=2)).splitlines()[0].split() == ["twinless", "MUC"]


def test_figures_of_the_paper() -> None:
    plots = cl.sweep(KEY, RESPONSE).plots()
    assert list(plots) == list(FIGURES) == ["B³ variants", "CEAF variants"]
    assert [s.name for s in plots["B³ variants"].series] == ["MUC", "B³", "B³ 0", "B³ all", "B³ r&n", "B³ sys"]
    line = plots["B³ variants"].series[2]
    assert list(line.x) == [*range(0, 101, 10)]
    assert line.low == line.high == line.y


# ---------------------------------------------------------------------------- kinds of damage


@pytest.mark.parametrize("damage", ANYWHERE)
@pytest.mark.parametrize("which", ["names", "spans"])
def test_steps_are_nested_and_the_first_changes_nothing(damage: DamageName, which: str) -> None:
    key, response = corpora(which)
    states = [sides(step) for step in steps(damage, key, response)]
    assert states[0] == sides(response)
    for (before, links), (after, later) in pairwise(states):
        if damage in ("twinless", "drop"):
            assert after < before and later <= links
        if damage == "add":
            assert after > before and later > links
        if damage == "split":
            assert after == before and later < links
        if damage == "merge":
            assert after == before and later > links
        if damage == "move":
            assert after == before
        if damage == "shift":
            assert len(after) == len(before) and len(after - before) == len(before - after) == 1


@pytest.mark.parametrize("which", ["names", "spans"])
def test_where_damage_ends(which: str) -> None:
    key, response = corpora(which)
    found, links = sides(response)
    ends = {damage: sides(steps(damage, key, response)[-1]) for damage in ANYWHERE}
    assert ends["drop"] == (set(), set())
    assert ends["split"] == (found, set())
    assert len(ends["add"][0]) == 2 * len(found)
    assert not (ends["add"][0] - found) & sides(key)[0]
    assert not ends["shift"][0] & (found | sides(key)[0])
    assert len(ends["shift"][1]) == len(links)
    for d, document in enumerate(response.documents):
        size = sum(map(len, response.clusters(d).values()))
        assert sum(label == document.label for label, _ in ends["merge"][1]) == size * (size - 1) / 2


def test_moved_mentions_are_in_another_entity() -> None:
    key, response = corpora("spans")
    first, *_, last = steps("move", key, response)
    assert (first.entity != last.entity).all()
    assert [m.document for m in first] == [m.document for m in last]


def test_entities_of_two_documents_never_meet() -> None:
    key = {"d": {"a": 1, "b": 2}, "e": {"c": 1, "f": 2}}
    last = steps("merge", cl.read(key), cl.read(key))[-1]
    assert [sorted(last.clusters(d).values()) for d in (0, 1)] == [[["a", "b"]], [["c", "f"]]]
    assert len(set(last.entity.tolist())) == 2


def test_a_text_full_of_mentions_still_takes_spurious_ones() -> None:
    spans = [[(0, 0), (1, 1)], [(0, 1)]]
    swept = cl.sweep(spans, spans, damage="add", metrics="mentions", steps=1)
    assert swept["mentions"][0] == pytest.approx([1, 2 * 3 / 9])


def test_dropping_costs_recall_and_adding_precision() -> None:
    cases: list[tuple[DamageName, str, str]] = [("drop", "precision", "recall"), ("add", "recall", "precision")]
    for damage, kept, lost in cases:
        swept = cl.sweep(KEY, KEY, damage=damage, metrics="mentions,bcub", steps=5)
        assert (swept.values("mentions", kept)[:, :-1] == 1).all()
        assert (np.diff(swept.values("mentions", lost), axis=1) < 0).all()


# ---------------------------------------------------------------------------- command, and writing


@pytest.fixture
def demo(run: Run, tmp_path: Path) -> tuple[Path, Path]:
    run("demo", "--write", tmp_path)
    return tmp_path / "key.conll", tmp_path / "response.conll"


@pytest.mark.slow
def test_command(run: Run, demo: tuple[Path, Path], tmp_path: Path) -> None:
    ran = run("sweep", *demo, "--plot", tmp_path / "figure.svg", "--digits", 1)
    assert ran.code == 0
    assert ran.out.splitlines()[0].split()[:3] == ["twinless", "MUC", "B³"]
    assert len(ran.out.splitlines()) == 2 + 11 + 2
    assert {p.name for p in tmp_path.glob("*.svg")} == {"figure-b3.svg", "figure-ceaf.svg"}
    assert "plot written" in ran.err


def test_csv_has_every_number(run: Run, demo: tuple[Path, Path]) -> None:
    ran = run("sweep", *demo, "-m", "muc,conll", "--steps", 2, "--repeats", 3, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert len(rows) == 5 * 3 * 3  # metrics × repeats × shares
    assert {row["share"] for row in rows} == {"0", "0.5", "1"}
    start = [float(row["f1"]) for row in rows if row["share"] == "0" and row["metric"] == "conll"]
    assert start == [cl.score(*demo).conll] * 3


def test_json(run: Run, demo: tuple[Path, Path]) -> None:
    plain = run("sweep", *demo, "--damage", "shift", "-m", "muc", "--format", "json").json
    assert plain["damage"] == "shift"
    assert np.array(plain["scores"]["muc"]["recall"]).shape == (5, 11)
    json.dumps(plain, allow_nan=False)


@pytest.mark.parametrize("damage", DAMAGES)
def test_written_steps_score_as_the_sweep_says(damage: DamageName, demo: tuple[Path, Path], tmp_path: Path) -> None:
    swept = cl.sweep(*demo, damage=damage, metrics="conll,lea", steps=4, repeats=1, write=tmp_path / "steps")
    files = sorted((tmp_path / "steps").iterdir())
    assert [f.stem for f in files] == [f"{damage}-{share:03}" for share in (0, 25, 50, 75, 100)]
    for k, file in enumerate(files[:-1]):  # the last may have nothing in common with the key, an error for files
        result = cl.score(demo[0], file, metrics="conll,lea")
        assert [result[m].main for m in swept.metrics] == pytest.approx([swept[m][0, k] for m in swept.metrics])


def test_a_format_of_one_document_a_file_gets_a_directory_a_step(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "key" / f"{name}.txt").parent.mkdir(exist_ok=True)
        (tmp_path / "key" / f"{name}.txt").write_text("Ann saw Bo. She ran.")
        (tmp_path / "key" / f"{name}.ann").write_text(
            "T1\tPER 0 3\tAnn\nT2\tPER 8 10\tBo\nT3\tPER 12 15\tShe\nR1\tCoref Arg1:T3 Arg2:T1\t\n"
        )
    key = tmp_path / "key"
    swept = cl.sweep(key, key, damage="drop", metrics="lea", steps=2, repeats=1, write=tmp_path / "steps")
    assert sorted(f.name for f in (tmp_path / "steps").iterdir()) == ["drop-000", "drop-050", "drop-100"]
    assert {f.name for f in (tmp_path / "steps" / "drop-050").iterdir()} >= {"one.ann", "one.txt", "two.ann"}
    for k, step in enumerate(("drop-000", "drop-050")):
        assert cl.score(key, tmp_path / "steps" / step)["lea"].f1 == pytest.approx(swept["lea"][0, k])


def test_named_mentions_are_written_as_a_table(tmp_path: Path) -> None:
    swept = cl.sweep(KEY, RESPONSE, damage="add", metrics="muc", steps=2, repeats=1, write=tmp_path)
    assert cl.score(KEY, tmp_path / "add-100.csv")["muc"].f1 == pytest.approx(swept["muc"][0, -1])


def test_one_response_a_step(run: Run, demo: tuple[Path, Path]) -> None:
    """For those who retrained the system for each step."""
    key, response = demo
    plain = run("sweep", key, response, key, key, "-m", "muc", "--format", "json").json
    assert (plain["damage"], plain["shares"]) == ("given", [0, 0.5, 1])
    assert plain["scores"]["muc"]["main"] == [[cl.score(key, response)["muc"].f1, 1, 1]]
    assert cl.sweep(key, [response, key]).plots()["B³ variants"].x_label == "steps taken (%)"


def test_usage(run: Run, demo: tuple[Path, Path], tmp_path: Path) -> None:
    assert run("sweep", *demo, "--damage", "nonsense").code == 2
    assert run("sweep", *demo, "--plot", tmp_path / "figure.bmp").code == 2
    (tmp_path / "file").write_text("")
    assert run("sweep", *demo, "--write", tmp_path / "file" / "below").code == 3
    assert run("sweep", *demo, "--scope", "corpus", "--ids", "global", "--write", tmp_path / "steps").code == 2
    with pytest.raises(cl.UsageError, match="did you mean 'split'"):
        cl.sweep(KEY, RESPONSE, damage="spilt")  # type: ignore[arg-type]
    with pytest.raises(cl.UsageError, match="at least 1"):
        cl.sweep(KEY, RESPONSE, repeats=0)


def test_cross_document_events() -> None:
    folder = DATA / "hypercoref_cdcr"
    if not folder.is_dir():
        pytest.skip("no ../shared/data/hypercoref_cdcr: real data not swept")
    key = folder / "key/ecbp/test_events_corpus_level.conll"
    response = next((folder / "sys_mentiondetection").rglob("*.conll"))
    swept = cl.sweep(key, response, pair="file", repeats=1)
    assert len(np.unique(swept["bcub-0"])) == 1
    assert (np.diff(swept["bcub"]) > 0).all()


def test_what_the_written_steps_lack_is_reported(run: Run, tmp_path: Path) -> None:
    text = '{A:type="x" Ann} saw {B Bo}. {A:type="y" She} ran, {B he} stayed.\n'
    (tmp_path / "key.sacr").write_text(text, "utf-8")
    swept = cl.sweep(tmp_path / "key.sacr", tmp_path / "key.sacr", damage="drop", metrics="muc", steps=2, repeats=1)
    assert "no-room" not in [issue.code for issue in swept.issues]
    ran = run("sweep", *[tmp_path / "key.sacr"] * 2, "--damage", "drop", "-m", "muc", "--write", tmp_path / "steps")
    assert ran.code == 0 and "the files written lack labels (2), attribute type (2) [no-room]" in ran.err
