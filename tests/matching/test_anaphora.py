"""Universal Anaphora, CRAFT and coval: every case of the definition, and what must hold for any two files."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import coreflens as cl
from anaphora_cases import Doc, Markable, pair, written
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


# ---------------------------------------------------------------------------------------------- what must always hold

METRICS = (*sorted(SPLIT), "mentions", "pairs", "split-antecedents", "bridging", "nonreferring")


def scored(key: Path, response: Path, **how: Any) -> dict[str, Any]:
    scores: dict[str, Any] = cl.score(key, response, metrics=METRICS, no_common="score", **how).to_dict()["scores"]
    return scores


def files(docs: Any, others: Any, folder: Path) -> tuple[Path, Path]:
    return written(docs, folder / "k.CONLLUA"), written(others, folder / "r.CONLLUA")


def pairs(count: int, start: int = 0) -> list[tuple[Doc, Doc]]:
    found = (pair(seed) for seed in range(start, start + 10 * count))
    return [p for p in found if p[0].markables and p[1].markables][:count]


@pytest.mark.slow
def test_no_order_and_no_name_changes_anything(tmp_path: Path) -> None:
    random = Random(7)
    for number, (doc, other) in enumerate(pairs(20)):
        paths = files(doc, other, tmp_path)
        before = scored(*paths, protocol="ua", exact=True)
        for side in (doc, other):
            names = {m.entity: f"x{n}" for n, m in enumerate(random.sample(side.markables, len(side.markables)))}
            names = {old: new + "-Pseudo" * old.endswith("-Pseudo") for old, new in names.items()}
            for m in side.markables:
                m.entity = names[m.entity]
            side.elements = [(names[p], names[e]) for p, e in random.sample(side.elements, len(side.elements))]
        assert scored(*files(doc, other, tmp_path), protocol="ua", exact=True) == before, number


def test_documents_add_up_in_any_order(tmp_path: Path) -> None:
    found = pairs(6)
    for n, (doc, other) in enumerate(found):
        doc.name = other.name = f"d{n}"
    forth = scored(*files([d for d, _ in found], [o for _, o in found], tmp_path), protocol="ua", exact=True)
    back = scored(*files([d for d, _ in found[::-1]], [o for _, o in found], tmp_path), protocol="ua", exact=True)
    assert forth == back


def test_without_relations_the_options_change_nothing(tmp_path: Path) -> None:
    for doc, other in pairs(15):
        for side in (doc, other):
            side.elements, side.bridges = [], []
        paths = files(doc, other, tmp_path)
        assert scored(*paths, protocol="ua") == scored(*paths, protocol="ua", split_antecedents="drop")


def test_a_document_against_itself(tmp_path: Path) -> None:
    """Everything is found; BLANC of split antecedents alone lacks a part where they are singletons."""
    ones = set()
    for doc, _ in pairs(20):
        path = written(doc, tmp_path / "k.CONLLUA")
        result = cl.score(path, path, protocol="ua", metrics=METRICS, exact=True)
        for name in result:
            score = result[name]
            if "f1" not in score.undefined and name not in ("blanc", "split-blanc"):
                assert score.f1 == 1, name
                ones.add(name)
    assert {"split", "bridging-entity", "nonreferring", "muc", "lea"} <= ones


def test_exact_and_floats_agree(tmp_path: Path) -> None:
    for doc, other in pairs(15):
        paths = files(doc, other, tmp_path)
        exact, floats = scored(*paths, protocol="ua", exact=True), scored(*paths, protocol="ua")
        for name in exact:
            for value in ("recall", "precision", "f1"):
                if value in floats[name] and floats[name][value] is not None:
                    assert float(Fraction(exact[name][value])) == pytest.approx(floats[name][value])


def test_deixis_is_scored_as_identity_would_be(tmp_path: Path) -> None:
    for doc, other in pairs(10):
        for side in (doc, other):
            side.bridges = []
            side.markables = [m for m in side.markables if not m.entity.endswith("-Pseudo")]
            here = {m.entity for m in side.markables}
            side.elements = [x for x in side.elements if {*x} <= here]
        if doc.markables and other.markables:
            as_identity = scored(*files(doc, other, tmp_path), protocol="ua")
            paths = written(doc, tmp_path / "k2.CONLLUA", True), written(other, tmp_path / "r2.CONLLUA", True)
            assert scored(*paths, protocol="codi-crac-2022:dd") == as_identity


# --------------------------------------------------------------------------------------------------- what is reported


def test_a_circle_is_an_error_with_its_line(tmp_path: Path) -> None:
    doc = Doc("d", 4, [Markable("a", ((0, 0),), "1"), Markable("b", ((2, 2),), "2")], [("1", "2"), ("2", "1")])
    path = written(doc, tmp_path / "k.CONLLUA")
    with pytest.raises(cl.InputError, match="is a split antecedent of itself") as found:
        cl.score(path, path)
    assert found.value.line in (4, 6)
    assert cl.score(path, path, split_antecedents="drop")["bcub"].f1 == 1


def test_minimum_spans_and_anchors_are_reported(tmp_path: Path) -> None:
    marks = [Markable("a", ((0, 2),), "1", "9"), Markable("b", ((4, 4),), "1"), Markable("c", ((5, 5),), "2")]
    key = written(Doc("d", 6, marks, [], [("c", "a"), ("c", "b")]), tmp_path / "k.CONLLUA")
    result = cl.score(key, key, protocol="arrau")
    issues = {issue.code: issue for issue in result.issues}
    assert issues["anchors-key"].places == (f"{key}:9",)
    assert "the last one counts" in issues["anchors-key"].message
    response = written(Doc("d", 6, [Markable("a", ((0, 1),), "1"), *marks[1:]]), tmp_path / "r.CONLLUA")
    issues = {issue.code: issue for issue in cl.score(key, response, protocol="arrau").issues}
    assert issues["bad-minimum"].places == (f"{key}:4",)


def test_filters_say_what_they_leave_out(tmp_path: Path) -> None:
    marks = [Markable("a", ((0, 3),), "1"), Markable("b", ((1, 1),), "1"), Markable("c", ((5, 5),), "9-Pseudo")]
    path = written(Doc("d", 6, marks), tmp_path / "k.CONLLUA")
    kept = {i.code for i in cl.score(path, path).issues}
    assert "non-referring-key" in kept
    result = cl.score(path, path, without="nested,nonreferring", metrics="mentions")
    assert result["mentions"].counts["recall_den"] == 1
    assert {"without-nested-key", "without-nonreferring-response"} <= {i.code for i in result.issues}
    assert cl.score(path, path, protocol="ua", without="none", metrics="mentions")["mentions"].counts["recall_den"] == 3
    with pytest.raises(cl.UsageError, match="did you mean 'nested'"):
        cl.score(path, path, without="nestd")
    with pytest.raises(cl.UsageError, match="be combined with other values"):
        cl.score(path, path, without=["none", "nested"])


def test_e2e_by_hand() -> None:
    """{a}{bc}{def} against itself: CEAFe drops the response's singleton, B³ and LEA both sides'."""
    clusters = [["a"], ["b", "c"], ["d", "e", "f"]]
    result = cl.score(clusters, clusters, protocol="e2e", metrics="muc,bcub,ceafe,lea", exact=True)
    assert (result["ceafe"].recall, result["ceafe"].precision) == (Fraction(2, 3), Fraction(1))
    assert result["bcub"].f1 == result["lea"].f1 == result["muc"].f1 == 1
    assert result["bcub"].counts["recall_den"] == 5
    apart = cl.score(clusters, [["a", "b"], ["c"], ["d", "e", "f"]], protocol="e2e", metrics="bcub", exact=True)["bcub"]
    assert apart.recall == apart.precision == Fraction(7, 10)  # b counts 1/2, and c is with a singleton


def test_explain_shows_what_a_split_antecedent_earned(tmp_path: Path) -> None:
    marks = [Markable(x, ((n, n),), e) for n, (x, e) in enumerate([("a", "1"), ("b", "2"), ("c", "3"), ("d", "3")])]
    key = written(Doc("d", 5, marks, [("3", "1"), ("3", "2")]), tmp_path / "k.CONLLUA")
    response = written(Doc("d", 5, marks, [("3", "1")]), tmp_path / "r.CONLLUA")
    text = str(cl.explain(key, response, "bcub", protocol="ua"))
    assert "Split antecedents" in text
    assert "(2 + 1/2)²/3" in text


def test_a_mention_of_several_entities(tmp_path: Path) -> None:
    """ "they" is of both; with `each` it counts in both, whatever their order."""
    lines = ["#begin document (d); part 000"]
    cells = {0: "(1)", 2: "(2)", 4: "(1)|(2)", 6: "(1)"}
    swapped = {0: "(7)", 2: "(3)", 4: "(3)|(7)", 6: "(7)"}
    paths = []
    for name, found in (("k", cells), ("r", swapped)):
        rows = [f"d\t0\t{n}\tw{n}\t{found.get(n, '-')}" for n in range(8)]
        paths.append(tmp_path / f"{name}.conll")
        paths[-1].write_text("\n".join([*lines, *rows, "", "#end document", ""]), "utf-8")
    each = cl.score(*paths, multi="each", metrics="mentions,muc,bcub,ceafe,lea,conll", exact=True)
    assert all(each[name].f1 == 1 for name in each)
    assert each["bcub"].counts["recall_den"] == 5
    assert {"multi-key", "multi-response"} <= {issue.code for issue in each.issues}
    assert cl.score(*paths, metrics="bcub")["bcub"].counts["recall_den"] == 4
    with pytest.raises(cl.UsageError, match="use one"):
        cl.score(*paths, multi="each", duplicates="perl")


def test_copies_are_matched_by_the_entities_of_the_corpus(tmp_path: Path) -> None:
    """Entity 3 shares its mention of document a, so its copy in b is matched, not that of entity 2."""
    rows = {"k": ["a,3,3,3", "b,1,2,2", "b,1,2,3"], "r": ["b,1,2,3", "a,3,3,3"]}
    for name, lines in rows.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["doc,start,end,entity", *lines, ""]), "utf-8")
    result = cl.score(tmp_path / "k.csv", tmp_path / "r.csv", multi="each", scope="corpus", metrics="muc", exact=True)
    assert (result["muc"].recall, result["muc"].precision) == (Fraction(1), Fraction(1))


def test_a_perfect_response_stays_perfect_whatever_the_labels(tmp_path: Path) -> None:
    """Two sets that share their links are as good as equal for BLANC; equal sets still go first."""
    found = []
    for name, plurals in (("k", ("3", "4")), ("r", ("4", "3"))):
        entities = ["1", "1", "2", plurals[0], plurals[1]]
        marks = [Markable(f"m{n}", ((2 * n, 2 * n),), e) for n, e in enumerate(entities)]
        elements = [(plurals[0], "1"), (plurals[0], "2"), (plurals[1], "1")]
        found.append(written(Doc("d", 10, marks, elements), tmp_path / f"{name}.CONLLUA"))
    result = cl.score(*found, protocol="ua", metrics=sorted(SPLIT), exact=True)
    assert [result[name].f1 for name in sorted(SPLIT)] == [1] * 6
