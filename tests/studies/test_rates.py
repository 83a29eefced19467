"""Scores against the coreference rate (Popescu-Belis & Robba 1998)."""

from __future__ import annotations

from pathlib import Path

import coreflens as cl
from command import Run
from coreflens.report.rates import rate_plot
from coreflens.studies.rates import coreference_rates

KEY = {"x/a": [["a", "b", "c"], ["d"]], "x/b": [["a", "b"]], "y/c": [["a"], ["b"]], "y/d": []}
RESPONSE = {"x/a": [["a", "b"], ["c", "d"]], "x/b": [["a", "b"]], "y/c": [["a", "b"]], "y/d": []}


def test_mentions_per_entity_of_each_group() -> None:
    key = cl.read(KEY)
    assert coreference_rates(key, "document") == {"x/a": 2.0, "x/b": 2.0, "y/c": 1.0}
    assert coreference_rates(key, "genre") == {"x": 2.0, "y": 1.0}


def test_the_points_are_rates_and_scores() -> None:
    result = cl.score(KEY, RESPONSE, metrics="bcub,overlap")
    plot = rate_plot(result, cl.read(KEY), "genre")
    assert [series.name for series in plot.series] == ["B³"]  # a value is no F1
    assert list(plot.series[0].x) == [1.0, 2.0]
    by = result.group_by("genre")
    assert list(plot.series[0].y) == [100 * by["y"]["bcub"].main, 100 * by["x"]["bcub"].main]


def test_the_command_draws_it(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "rate.svg"
    assert run("demo", "--write", tmp_path).code == 0
    ran = run("score", tmp_path / "key.conll", tmp_path / "response.conll", "--rate-plot", out)
    assert ran.code == 0
    assert "mentions per entity of the key" in out.read_text()
