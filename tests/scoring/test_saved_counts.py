"""Counts in a file: nothing lost, no text kept, shards added up, and gates that compare with them."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run, conll
from coreflens.scoring.counts_file import are_counts
from simulated import clusters

KEY = conll("(1)", "(1)", "(2", "2)", "(3)", name="bc/a") + conll("(1)", "-", "(1)", name="nw/b", part=1)
WORSE = conll("(1)", "(2)", "(2", "2)", "(3)", name="bc/a") + conll("(1)", "-", "(2)", name="nw/b", part=1)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    written = {name: tmp_path / f"{name}.conll" for name in ("key", "same", "worse")}
    for name, text in (("key", KEY), ("same", KEY), ("worse", WORSE)):
        written[name].write_text(text)
    return written


@pytest.mark.parametrize("name", ["x.counts", "x.counts.gz"])
@pytest.mark.parametrize("exact", [False, True])
def test_what_is_saved_comes_back(tmp_path: Path, name: str, exact: bool) -> None:
    key, response = clusters(np.random.default_rng(2), 12, 0.3)
    saved = cl.score(key, response, metrics="all", exact=exact, protocol="conll-2012")
    saved.save_counts(tmp_path / name)
    assert are_counts(tmp_path / name)
    loaded = cl.load_counts(tmp_path / name)
    assert str(loaded.signature) == str(saved.signature)
    assert loaded.to_dict("document")["scores"] == saved.to_dict("document")["scores"]
    assert loaded.group_by("genre").keys() == saved.group_by("genre").keys()
    assert {"rand", "ari"} <= set(loaded)  # n/a because the mentions differ, and still so
    if exact:
        assert isinstance(loaded["bcub"].f1, Fraction)


def test_the_file_has_no_text_and_is_small(tmp_path: Path) -> None:
    key, response = clusters(np.random.default_rng(2), 50, 0.3)
    cl.score(key, response).save_counts(tmp_path / "x.counts")
    plain = json.loads((tmp_path / "x.counts").read_text("utf-8"))
    assert list(plain) == ["coreflens-counts", "signature", "columns", "documents", "values", "checksum"]
    assert plain["documents"][:2] == [["nw/0", None], ["nw/1", None]]
    assert np.array(plain["values"]).shape == (50, len(plain["columns"]))
    assert (tmp_path / "x.counts").stat().st_size < 50 * 400


def test_wider_scopes_are_saved_by_block(tmp_path: Path) -> None:
    key, response = clusters(np.random.default_rng(2), 8, 0.3)
    saved = cl.score(key, response, scope="genre")
    saved.save_counts(tmp_path / "x.counts")
    loaded = cl.load_counts(tmp_path / "x.counts")
    assert loaded.conll == saved.conll and str(loaded.signature) == str(saved.signature)
    assert list(loaded.counts.labels) == ["nw"]


def test_shards_add_up(tmp_path: Path) -> None:
    key, response = clusters(np.random.default_rng(4), 10, 0.3)
    whole = cl.score(key, response)
    for n, rows in enumerate((range(4), range(4, 10))):
        part = cl.Result(whole.counts.take(np.array(rows)), whole.signature.metrics, whole.options)
        part.save_counts(tmp_path / f"{n}.counts")
    loaded = cl.load_counts(tmp_path / "0.counts", tmp_path / "1.counts")
    assert loaded.to_dict()["scores"] == whole.to_dict()["scores"]
    assert str(loaded.signature) == str(whole.signature)
    whole.save_counts(tmp_path / "whole.counts")
    with pytest.raises(cl.InputError, match=r"document 'nw/0' is also in .*0.counts"):
        cl.load_counts(tmp_path / "0.counts", tmp_path / "whole.counts")


def test_shards_with_other_options_do_not(tmp_path: Path) -> None:
    key, response = clusters(np.random.default_rng(4), 3, 0.3)
    cl.score(key, response).save_counts(tmp_path / "a")
    cl.score(key, response, singletons="drop").save_counts(tmp_path / "b")
    cl.score(key, response, scope="corpus").save_counts(tmp_path / "c")
    with pytest.raises(cl.UsageError, match="different metrics or options"):
        cl.load_counts(tmp_path / "a", tmp_path / "b")
    with pytest.raises(cl.UsageError, match="can't be added up"):
        cl.load_counts(tmp_path / "c", tmp_path / "c")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.replace('"coreflens-counts": 2', '"coreflens-counts": 3'), "format 3"),
        (lambda x: x[:200], "damaged counts"),
        (lambda x: x.replace("muc.recall_num", "muc.other"), "unknown column muc.other"),
        (lambda x: x.replace(",conll", ",nonsense"), "unknown metric nonsense"),
        (lambda x: x.replace('"signature"', '"sign"'), "signature"),
        (lambda x: x.replace('["nw/0", null], ', ""), "2 rows for 1 documents|3 rows for 2 documents"),
        (lambda x: "[]", "not a file of saved counts"),
    ],
)
def test_damaged_files_are_input_errors(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    key, response = clusters(np.random.default_rng(2), 3, 0.3)
    path = tmp_path / "x.counts"
    cl.score(key, response).save_counts(path)
    path.write_text(resealed(change(path.read_text("utf-8"))), "utf-8")
    with pytest.raises(cl.InputError, match=message) as error:
        cl.load_counts(path)
    assert str(path) in str(error.value)


def resealed(text: str) -> str:
    """With the checksum that fits, so that something else has to notice."""
    head, found, _ = text.rpartition(',\n"checksum": "sha256:')
    return f'{head}{found}{hashlib.sha256(head.encode()).hexdigest()}"}}\n' if found else text


def first_number(new: str) -> Callable[[str], str]:
    """The change of the first number of the first document."""
    return lambda text: re.sub(r'("values": \[\n\[)[^,]+', rf"\g<1>{new}", text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (first_number("NaN"), "nan in document 'nw/0' is not a count"),
        (first_number("Infinity"), "inf in document"),
        (first_number("1e999999999"), "inf in document"),
        (first_number("null"), "mentions.recall_num is missing in document 'nw/0'"),
        (first_number("-1"), "mentions.recall_num is negative in document 'nw/0'"),
        (first_number("1000000"), "mentions.recall_num is above mentions.recall_den in document 'nw/0'"),
        (first_number("9" * 400), "too large|too big"),
        (first_number("true"), "True in document 'nw/0' is not a number"),
        (first_number("[1]"), "is not a number"),
        (first_number('"1/0"'), "'1/0' is not a fraction"),
        (first_number('"1e999999999"'), "'1e999999999' is not a fraction"),
        (first_number('"x"'), "'x' is not a fraction"),
        (first_number("1, 1"), "does not have"),
        (lambda x: x.replace('"muc.recall_den"', '"muc.recall_num"'), "column muc.recall_num occurs twice"),
        (lambda x: x.replace('["nw/1", null]', '["nw/0", null]'), "document 'nw/0' occurs twice"),
        (lambda x: x.replace('["nw/1", null]', '["nw/1", 0.5]'), "a document is"),
        (lambda x: x.replace('["nw/1", null]', "[1, null]"), "a document is"),
        (lambda x: x.replace('"signature": ', '"signature": "a", "signature": '), "'signature' occurs twice"),
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_no_gate_passes_on_a_baseline_that_cannot_be(
    run: Run, files: dict[str, Path], tmp_path: Path, change: Callable[[str], str], message: str, version: int
) -> None:
    key, response = clusters(np.random.default_rng(2), 3, 0.3)
    path = tmp_path / "last.counts"
    cl.score(key, response).save_counts(path)
    text = change(path.read_text("utf-8"))
    assert text != path.read_text("utf-8")
    path.write_text(as_version_1(text) if version == 1 else resealed(text), "utf-8")
    with pytest.raises(cl.InputError, match=message):
        cl.load_counts(path)
    ran = run("score", files["key"], files["same"], "--against", path, "--fail-if-worse", "0")
    assert ran.code == 3 and "damaged counts" in ran.err


def as_version_1(text: str) -> str:
    text = text.rpartition(',\n"checksum": "sha256:')[0] + "}\n"
    return text.replace('"coreflens-counts": 2', '"coreflens-counts": 1')


@pytest.mark.slow
def test_a_checksum_notices_any_change(tmp_path: Path) -> None:
    key, response = clusters(np.random.default_rng(2), 3, 0.3)
    path = tmp_path / "x.counts"
    cl.score(key, response).save_counts(path)
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(cl.InputError):
            cl.load_counts(path)
    for stop in range(0, len(data), 11):
        path.write_bytes(data[:stop])
        with pytest.raises(cl.InputError):
            cl.load_counts(path)
    path.write_bytes(data)
    assert cl.load_counts(path).issues == []


def test_version_1_is_read_with_a_note(tmp_path: Path) -> None:
    key, response = clusters(np.random.default_rng(2), 3, 0.3)
    saved = cl.score(key, response)
    saved.save_counts(tmp_path / "x.counts")
    path = tmp_path / "x.counts"
    path.write_text(as_version_1(path.read_text("utf-8")), "utf-8")
    loaded = cl.load_counts(path)
    assert [issue.code for issue in loaded.issues] == ["no-checksum"] and loaded.conll == saved.conll


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("settings", [{}, {"protocol": "conll-2012"}, {"singletons": "drop"}, {"scope": "genre"}])
def test_true_counts_are_plausible(tmp_path: Path, seed: int, settings: dict[str, Any]) -> None:
    key, response = clusters(np.random.default_rng(seed), 12, 0.1 * seed)
    for exact in (False, True):
        cl.score(key, response, metrics="all", exact=exact, **settings).save_counts(tmp_path / "x")
        cl.load_counts(tmp_path / "x")


@pytest.mark.slow
def test_true_counts_of_repeated_mentions_are_plausible(tmp_path: Path) -> None:
    """Under scorer.pl's rules a numerator can be above its denominator."""
    chance = random.Random(4)
    above = 0
    for _ in range(60):
        for side in "kr":
            cells = ("|".join(f"({chance.randrange(3)})" for _ in range(chance.choice((1, 2, 3)))) for _ in range(6))
            (tmp_path / side).write_text(conll(*cells))
        result = cl.score(tmp_path / "k", tmp_path / "r", metrics="all", protocol="conll-2012")
        result.save_counts(tmp_path / "x")
        assert cl.load_counts(tmp_path / "x")["ceafm"].counts == result["ceafm"].counts
        counts = result["ceafm"].counts
        above += counts["precision_num"] > counts["precision_den"] or counts["recall_num"] > counts["recall_den"]
    assert above


def test_a_baseline_without_a_number_is_no_baseline(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    """0/0 before is nothing that a score could be worse than."""
    empty = tmp_path / "empty.conll"
    empty.write_text(conll("-", "-", name="bc/a") + conll("-", name="nw/b", part=1))
    last = tmp_path / "last.counts"
    run("score", empty, empty, "-m", "muc", "--save-counts", last)
    ran = run("score", empty, empty, "-m", "muc", "--against", last, "--fail-if-worse", "0")
    assert ran.code == 3 and "n/a" in ran.err


def test_systems_never_share_a_file(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    for one, other in (("a b", "a_b"), ("a", "A")):
        ran = run("compare", files["key"], f"{one}={files['same']}", f"{other}={files['worse']}", "--save-counts", out)
        assert ran.code == 2 and f"'{one}' and '{other}' would both be written" in ran.err
        assert not out.exists()


def test_missing_and_unwritable(tmp_path: Path) -> None:
    with pytest.raises(cl.InputError, match="no such file"):
        cl.load_counts(tmp_path / "none")
    with pytest.raises(cl.InputError, match="can't be written"):
        cl.score([{"a", "b"}], [{"a", "b"}]).save_counts(tmp_path / "no" / "x.counts")
    result = cl.Result.from_dict(cl.score([{"a", "b"}], [{"a", "b"}]).to_dict())
    with pytest.raises(cl.UsageError, match="no counts to save"):
        result.save_counts(tmp_path / "x.counts")


def test_counts_of_another_version_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.counts"
    cl.score([{"a", "b"}], [{"a", "b"}]).save_counts(path)
    path.write_text(resealed(path.read_text().replace(f"coreflens:{cl.__version__}", "coreflens:0.0.1")))
    assert [i.code for i in cl.load_counts(path).issues] == ["other-version"]


# ---- gates


def test_worse_than_before_fails_the_job(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    last = tmp_path / "last.counts"
    assert run("score", files["key"], files["same"], "--save-counts", last).code == 0
    fine = run("score", files["key"], files["same"], "--against", last, "--fail-if-worse", "0")
    assert fine.code == 0 and "CoNLL 100.00, before 100.00: +0.00 points" in fine.err
    ran = run("score", files["key"], files["worse"], "--against", last, "--fail-if-worse", "0.5")
    assert ran.code == 1
    assert "gate failed: CoNLL got worse by" in ran.err and "(allowed: 0.5)" in ran.err
    assert "::error" not in ran.err
    assert run("score", files["key"], files["worse"], "--against", last, "--fail-if-worse", "99").code == 0
    other = run("score", files["key"], files["worse"], "--against", last, "--fail-if-worse", "lea=1", "-m", "lea")
    assert other.code == 1 and "LEA got worse" in other.err


def test_annotations_on_github(
    run: Run, files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    last = tmp_path / "last.counts"
    run("score", files["key"], files["same"], "--save-counts", last)
    ran = run(
        "score", files["key"], files["worse"], "--against", last, "--fail-if-worse", "0.5", "--fail-under", "muc=99"
    )
    assert ran.code == 1
    assert "::error title=coreflens::CoNLL got worse by" in ran.err and "::error title=coreflens::muc is" in ran.err
    assert "::error" not in ran.out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--fail-if-worse", "1"], 2, "needs --against"),
        (["--against", "LAST", "--fail-if-worse", "much"], 2, "is not POINTS"),
        (["--against", "LAST", "--fail-if-worse", "-1"], 2, "is not POINTS"),
        (["--against", "LAST", "--fail-if-worse", "ari=1"], 3, "no ari"),
        (["--against", "missing"], 3, "no such file"),
        (["--against", "LAST", "--singletons", "drop"], 3, "can't be compared"),
    ],
)
def test_gates_misused(
    run: Run, files: dict[str, Path], tmp_path: Path, options: list[str], code: int, message: str
) -> None:
    last = tmp_path / "last.counts"
    run("score", files["key"], files["same"], "--save-counts", last)
    ran = run("score", files["key"], files["same"], *(str(last) if o == "LAST" else o for o in options))
    assert ran.code == code and message in ran.err


def test_counts_of_another_key_are_refused(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    last = tmp_path / "last.counts"
    other = tmp_path / "other.conll"
    other.write_text(KEY.replace("(3)", "-"))
    run("score", other, other, "--save-counts", last)
    ran = run("score", files["key"], files["same"], "--against", last)
    assert ran.code == 3 and "different keys" in ran.err
