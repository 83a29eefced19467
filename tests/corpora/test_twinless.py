"""`pair --twinless`: the mentions that only one side has, singletons there or resolved (Cai & Strube 2010)."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from hypothesis import given

import coreflens as cl
from command import Run, conll
from labelled import both, corpora


@given(corpora)
def test_twinless_mentions_are_those_that_one_side_lacks(corpus: Any) -> None:
    pairs = cl.pair(*both(corpus))
    found = sorted((t.side, t.kind, t.mention.document.name, t.mention.name) for t in pairs.twinless)
    expected = []
    for number, doc in enumerate(corpus):
        for place in (0, 1):
            for p, labels in enumerate(doc):
                if labels[place] is not None and labels[1 - place] is None:
                    single = sum(other[place] == labels[place] for other in doc) == 1
                    kind = "singleton" if single else "resolved"
                    expected.append((("key", "response")[place], kind, f"d{number}", p))
    assert found == sorted(expected)
    for side in ("key", "response"):
        counts = pairs.to_dict()["twinless"][side]
        assert counts == {kind: sum(t[:2] == (side, kind) for t in found) for kind in ("singleton", "resolved")}


def test_the_list_has_words_and_places(run: Run, tmp_path: Path) -> None:
    key, response, out = tmp_path / "k.conll", tmp_path / "r.conll", tmp_path / "list.csv"
    key.write_text(conll("(1", "1)", "(1)", "-"))
    response.write_text(conll("(1)", "-", "(1)", "(2)"))
    ran = run("pair", str(key), str(response), "--twinless", str(out))
    assert "twinless  1 in the key alone (0 singletons, 1 resolved)" in ran.out
    assert "2 in the response alone (1 singleton, 1 resolved)" in ran.out
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(row["side"], row["kind"], row["mention"], row["words"]) for row in rows] == [
        ("key", "resolved", "0–1", "w0 w1"),
        ("response", "resolved", "0", "w0"),
        ("response", "singleton", "3", "w0"),
    ]
    assert rows[2]["place"] == f"{response}:5"
