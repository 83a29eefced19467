"""Universal Anaphora, CRAFT and coval: every case of the definition, and what must hold for any two files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from places import SHARED

CASES = SHARED / "spec" / "cases_families.json"
SPLIT = {"muc", "bcub", "ceafm", "ceafe", "blanc", "lea"}


def _cases() -> list[Any]:
    if not CASES.exists():
        return []
    data = json.loads(CASES.read_text("utf-8"))
    ours = [c for c in data["cases"] if c["settings"][0]["args"][1] != "corefud"]
    found = [(c, s["args"], s["scores"], s, f"{c['id']} {s['name']}") for c in ours for s in c["settings"]]
    wrong = [c for c in data["peer_wrong"] if c["args"][1] != "corefud" and isinstance(c["definition"], dict)]
    found += [(c, c["args"], c["definition"], c, f"{c['id']} {c['setting']}") for c in wrong]
    return [pytest.param(*case[:4], id=case[4]) for case in found]


@pytest.mark.skipif(not CASES.exists(), reason="needs ../shared")
@pytest.mark.parametrize(("case", "args", "scores", "setting"), _cases())
def test_cases_of_the_definition(case: Any, args: list[str], scores: Any, setting: Any, tmp_path: Path) -> None:
    paths = []
    for name in ("key", "response"):
        paths.append(tmp_path / f"{name}{case['suffix']}")
        paths[-1].write_text(case[name], "utf-8")
    options: Any = dict(zip([a.lstrip("-").replace("-", "_") for a in args[::2]], args[1::2], strict=True))
    options.pop("format")
    result = cl.score(*paths, metrics=options.pop("m"), **options)
    for metric, numbers in scores.items():
        if metric in result:
            got = result[metric]
            found = [got.f1] if metric == "conll" else [got.recall, got.precision, got.f1]
            assert [float(x or 0) for x in found] == pytest.approx(numbers, abs=1e-9), metric
    alone = setting.get("only_split_antecedents")
    if alone:
        result = cl.score(*paths, metrics="split-antecedents", **options)
        for metric, numbers in alone.items():
            got = result[f"split-{metric}"]
            assert [float(x or 0) for x in (got.recall, got.precision, got.f1)] == pytest.approx(numbers, abs=1e-9)
        means = [alone[metric][2] for metric in ("muc", "bcub", "ceafe")]
        assert float(result["split"].f1 or 0) == pytest.approx(sum(means) / 3, abs=1e-9)
