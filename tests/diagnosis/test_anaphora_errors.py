"""Errors of bridging, split antecedents and non-referring expressions: classes, words, prices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coreflens as cl
from anaphora_cases import Doc, Markable, pair, written
from command import Run


def _written(folder: Path) -> tuple[Path, Path]:
    words = {"house": "1", "garden": "2", "door": "3", "roof": "4", "they": "5", "it": "9-Pseudo", "there": "8-Pseudo"}
    ours = [Markable(name, ((n, n),), entity) for n, (name, entity) in enumerate(words.items())]
    theirs = [m for m in ours if m.id != "it"]
    key = Doc("d", 9, ours, [("5", "1"), ("5", "2")], [("door", "house"), ("roof", "house"), ("they", "garden")])
    response = Doc(
        "d", 9, theirs, [("5", "1"), ("4", "3")], [("door", "garden"), ("they", "garden"), ("house", "roof")]
    )
    return written(key, folder / "k.CONLLUA"), written(response, folder / "r.CONLLUA")


def test_classes_words_and_places(tmp_path: Path) -> None:
    found = cl.diagnose(*_written(tmp_path), protocol="ua")
    said = {(a.kind, str(a), a.place.rpartition("/")[2]) for a in found.anaphora}
    assert said == {
        ("wrong anchor", "“w2” → “w0”, not “w1”", "r.CONLLUA:6"),
        ("missing bridging", "“w3” → “w0”", "k.CONLLUA:7"),
        ("extra bridging", "“w0” → “w3”", "r.CONLLUA:4"),
        ("other split antecedent", "“w4” → “w0”, “w1”, not “w0”", "r.CONLLUA:8"),
        ("extra split antecedent", "“w3” → “w2”", "r.CONLLUA:7"),
        ("missing non-referring", "“w5”", "k.CONLLUA:9"),
    }
    prices = {price.kind: price for price in found.anaphora_classes}
    assert prices["missing bridging"].alone == pytest.approx(4 / 7 - 1 / 3)  # 1 of 3 and 3 is right; then 2 of 3 and 4
    assert prices["missing non-referring"].alone == pytest.approx(1 - 2 / 3)


@pytest.mark.parametrize("seed", range(15))
def test_prices_start_at_the_score_and_end_at_100(seed: int, tmp_path: Path) -> None:
    """The changes in turn go from what `score` says to a perfect score, metric by metric."""
    paths = [written(doc, tmp_path / f"{n}.CONLLUA") for n, doc in zip("kr", pair(seed), strict=True)]
    found = cl.diagnose(*paths, protocol="ua", no_common="score")
    scores = cl.score(*paths, protocol="ua", metrics="bridging-entity,split-bcub,nonreferring", no_common="score")
    for name in scores:
        classes = [price for price in found.anaphora_classes if price.metric == name and price.next]
        if classes:
            assert classes[0].after - classes[0].next == pytest.approx(float(scores[name].f1 or 0))
            assert classes[-1].after == pytest.approx(1)
        else:
            assert float(scores[name].f1 or 0) in (0, 1)


def test_on_the_command_line(run: Run, tmp_path: Path) -> None:
    key, response = map(str, _written(tmp_path))
    shown = run("diagnose", key, response, "--protocol", "ua", "--show", "classes,anaphora").out
    assert "Errors of bridging, split antecedents and non-referring expressions" in shown
    assert "wrong anchor" in shown and "“w2” → “w0”, not “w1”" in shown
    plain = json.loads(run("diagnose", key, response, "--protocol", "ua", "--format", "json").out)
    assert len(plain["anaphora"]) == sum(price["errors"] for price in plain["anaphora_classes"]) == 6
    assert "bridging" not in run("diagnose", key, key, "--protocol", "ua").out
