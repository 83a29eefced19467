"""`compare`: systems ranked, tested, grouped and tabled; files, directories, manifests and saved counts."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens import options
from coreflens.comparison.ranking import MOST_PAIRS
from coreflens.comparison.ranks import ranks
from coreflens.comparison.systems import from_arguments, read_manifest
from coreflens.matching import matchers
from coreflens.paper.table import Table
from coreflens.paper.writers import WRITERS
from coreflens.stats import aligned, holm, paired_tests
from places import SHARED
from tex import HAS_TEX, check, compile_page

GENRES = ("bc", "nw")


def write(path: Path, entities: dict[tuple[str, int], np.ndarray]) -> None:
    """CoNLL with one-token mentions; −1 means no mention."""
    parts = []
    for (name, part), labels in entities.items():
        tokens = "".join(f"{name} {part} {n} w {f'({x})' if x >= 0 else '-'}\n" for n, x in enumerate(labels.tolist()))
        parts.append(f"#begin document ({name}); part {part:03}\n{tokens}\n#end document\n")
    path.write_text("".join(parts))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key of two genres and three systems: good, middling, and one that misses a lot."""
    root = tmp_path_factory.mktemp("compare")
    rng = np.random.default_rng(0)
    sizes = {(f"{g}/{n:02}", p): int(rng.integers(15, 40)) for g in GENRES for n in range(10) for p in range(2)}
    key = {d: np.where(rng.random(n) < 0.6, rng.integers(0, n // 4, n), -1) for d, n in sizes.items()}
    write(root / "key.conll", key)
    (root / "systems").mkdir()
    for name, noise, missed in (("good", 0.1, 0.02), ("middling", 0.3, 0.02), ("shy", 0.05, 0.35)):
        found = {}
        for d, labels in key.items():
            wrong = np.where(rng.random(len(labels)) < noise, rng.integers(0, 9, len(labels)), labels)
            found[d] = np.where((labels >= 0) & (rng.random(len(labels)) >= missed), wrong, -1)
        write(root / "systems" / f"{name}.conll", found)
    return root


@pytest.fixture(scope="module")
def systems(folder: Path) -> dict[str, str]:
    return {name: str(folder / "systems" / f"{name}.conll") for name in ("shy", "good", "middling")}


@pytest.fixture(scope="module")
def compared(folder: Path, systems: dict[str, str]) -> cl.Comparison:
    return cl.compare(folder / "key.conll", systems, resamples=500, by="genre")


# ---- the function


def test_scores_are_those_of_score(compared: cl.Comparison, folder: Path, systems: dict[str, str]) -> None:
    section = compared.sections[0]
    for name, path in systems.items():
        alone = cl.score(folder / "key.conll", path)
        assert compared.to_dict()["sections"][0]["systems"][section.names.index(name)]["scores"] == {
            "exact": alone.to_dict()["scores"]
        }
        assert {g: s.to_dict() for g, s in section.groups[name].items()} == alone.to_dict("genre")["by"]
    conll = [float(section.main[name].conll) for name in section.names]
    assert conll == sorted(conll, reverse=True) and section.names[0] == "good"


def test_all_pairs_are_tested_and_corrected_by_metric(
    compared: cl.Comparison, folder: Path, systems: dict[str, str]
) -> None:
    section = compared.sections[0]
    assert set(section.tests) == set(combinations(section.names, 2))
    results = {name: cl.score(folder / "key.conll", systems[name]) for name in section.names}
    expected = paired_tests(aligned(results), list(section.tests), resamples=500)
    for metric in section.metrics:
        p = [expected[pair][metric].p for pair in section.tests]
        assert [section.tests[pair][metric].p for pair in section.tests] == p
        assert [section.adjusted[pair, metric] for pair in section.tests] == pytest.approx(list(holm(p)))
    assert expected[section.names[0], section.names[1]]["conll"].units == 20  # parts are swapped together


def test_letters_follow_the_tests(compared: cl.Comparison) -> None:
    section = compared.sections[0]
    letters = section.letters(0.05)
    for a, b in section.tests:
        differ = section.adjusted[(a, b), "conll"] <= 0.05
        assert bool(set(letters[a]) & set(letters[b])) != differ


def test_a_baseline(folder: Path, systems: dict[str, str]) -> None:
    found = cl.compare(folder / "key.conll", systems, baseline="middling", resamples=500, interval="bca")
    section = found.sections[0]
    assert {pair[0] for pair in section.tests} == {"middling"} and len(section.tests) == 2
    test = section.tests["middling", "good"]["conll"]
    gap = float(section.main["good"].conll) - float(section.main["middling"].conll)
    assert test.difference == pytest.approx(gap) and test.low < gap < test.high
    text = str(found)
    assert "† better, ‡ worse than middling (approximate randomisation, two-sided p ≤ 0.05, corrected by Holm;" in text
    assert "Differences to middling, in points" in text
    with pytest.raises(cl.UsageError, match="unknown system 'midling'; did you mean 'middling'"):
        cl.compare(folder / "key.conll", systems, baseline="midling")


def test_marks_stand_where_p_is_small(folder: Path, systems: dict[str, str]) -> None:
    found = cl.compare(folder / "key.conll", systems, baseline="middling", resamples=500)
    section = found.sections[0]
    header, _, *lines = str(found).split("\n\n")[1].splitlines()  # the verdict is above
    columns = header.split()[1:]
    titles = {cl_name: metric for metric, cl_name in zip(section.metrics, columns, strict=True)}
    for line in lines:
        _, name, *cells = line.split()
        for title, cell in zip(columns, cells, strict=True):
            pair = ("middling", name)
            mark = cell[-1] if cell[-1] in "†‡" else ""
            if pair not in section.tests:
                assert mark == ""
                continue
            significant = section.adjusted[pair, titles[title]] <= 0.05
            better = section.tests[pair][titles[title]].difference > 0
            assert mark == ("" if not significant else "†" if better else "‡"), (name, title)


def test_too_few_resamples_for_so_many_pairs_are_reported(folder: Path, systems: dict[str, str]) -> None:
    assert "few-resamples" in [i.code for i in cl.compare(folder / "key.conll", systems, resamples=50).issues]
    assert "few-resamples" not in [i.code for i in cl.compare(folder / "key.conll", systems, resamples=60).issues]


SIX = {
    "perfect": [{1, 2, 3}, {4, 5, 6}],
    "one off": [{1, 2, 3}, {4, 5}, {6}],
    "two off": [{1, 2}, {3}, {4, 5}, {6}],
    "three off": [{1, 2}, {3}, {4}, {5}, {6}],
    "merged": [{1, 2, 3, 4, 5, 6}],
    "crossed": [{1, 4}, {2, 5}, {3, 6}],
}


def six(documents: int, **settings: Any) -> cl.Comparison:
    """Six systems of which any two differ in every document."""
    names = [f"d{n}" for n in range(documents)]
    systems = {name: dict.fromkeys(names, entities) for name, entities in SIX.items()}
    return cl.compare(dict.fromkeys(names, SIX["perfect"]), systems, metrics="conll", **settings)


@pytest.mark.parametrize(("documents", "settings", "least"), [
    (8, {}, 15 * 2 / 2**8),
    (9, {}, 15 * 2 / 2**9),
    (10, {}, 15 * 2 / 2**10),
    (5, {"baseline": "merged"}, 5 * 2 / 2**5),
    (7, {"correction": "bh"}, 2 / 2**7),
    (5, {"correction": "none"}, 2 / 2**5),
    (8, {"test": "wilcoxon"}, 15 * 2 / 2**8),
    (20, {"resamples": 200}, 15 / 201),
    (8, {"test": "bootstrap", "resamples": 999}, 15 / 1000),
])  # fmt: skip
def test_the_smallest_possible_p_after_correction(documents: int, settings: dict[str, object], least: float) -> None:
    """Letters and marks say nothing where no p could be small enough; the smallest one is given."""
    found = six(documents, **settings)
    (section,) = found.sections
    assert min(section.smallest.values()) == pytest.approx(least)
    assert min(section.adjusted.values()) >= least - 1e-12
    possible = least <= 0.05
    assert bool(section.letters(0.05)) == (possible and "baseline" not in settings)
    text = str(found)
    assert f"{least:.3g}" in text
    assert ("can differ significantly" in text) == (not possible)
    assert ("group" in text.splitlines()[2]) == (possible and "baseline" not in settings)
    for test in found.to_dict()["sections"][0]["tests"]:
        assert test["smallest_p_corrected"] <= test["p_corrected"]
        assert test["smallest_p"] <= test["p"]
    notes = [issue.message for issue in found.issues if issue.code in ("few-documents", "few-resamples")]
    assert any(f"{least:.3g}" in message for message in notes) == (not possible)


def test_documents_on_which_a_metric_agrees_do_not_make_p_smaller() -> None:
    """B³ differs in all of ten documents and MUC in three: the smallest p of MUC is 2/2³."""
    key = {f"d{n}": [{1, 2}, {3, 4}] for n in range(10)}
    lacks = {f"d{n}": [{1, 2}] if n < 3 else [{1, 2}, {3, 4}, {5}] for n in range(10)}
    (section,) = cl.compare(key, {"a": key, "b": lacks}, metrics="muc,bcub").sections
    tests = section.tests["a", "b"]
    assert (tests["muc"].smallest_p, tests["bcub"].smallest_p) == (2 / 2**3, 2 / 2**10)
    assert tests["muc"].p >= 2 / 2**3


def test_an_interval_without_0_beside_a_large_p_is_explained() -> None:
    found = str(six(4, baseline="one off"))
    assert "0.1250" in found
    sentence = next(line for line in found.splitlines() if "excludes 0" in line)
    assert "perfect" in sentence
    assert "0.125" in sentence
    assert "4 documents" in sentence
    many = six(40, baseline="one off", correction="none")
    assert "excludes 0" not in str(many)


def test_an_interval_is_for_one_comparison_alone() -> None:
    """p = 0.0156 is 0.078 after correction for five systems: the interval knows nothing of the others."""
    found = str(six(7, baseline="one off"))
    sentence = next(line for line in found.splitlines() if "excludes 0" in line)
    assert "5 comparisons" in sentence


def test_documents_without_a_score_are_dropped_from_the_t_test_and_counted() -> None:
    key = {f"d{n}": [{1, 2}, {3, 4}] for n in range(6)} | {"none": [{1}, {2}]}  # no link: MUC is 0/0
    worse = {f"d{n}": [{1, 2 + n % 2}, {3, 4}] for n in range(6)} | {"none": [{1}, {2}]}
    found = cl.compare(key, {"a": key, "b": worse}, test="t", metrics="muc")
    assert found.sections[0].tests["a", "b"]["muc"].dropped == 1
    assert "up to 1 of 7 documents" in next(i.message for i in found.issues if i.code == "undefined")


def test_nothing_is_tested_without_resamples(folder: Path, systems: dict[str, str]) -> None:
    found = cl.compare(folder / "key.conll", systems, resamples=0)
    assert not found.sections[0].tests and "letter" not in str(found)


def test_plain_clusters_and_results() -> None:
    key = {"a": [{1, 2}, {3, 4}], "b": [{1, 2, 3}]}
    one = {"a": [{1, 2}, {3, 4}], "b": [{1, 2}, {3}]}
    other = {"a": [{1, 2, 3, 4}], "b": [{1, 2}, {3}]}
    found = cl.compare(key, {"one": one, "other": cl.score(key, other)})
    assert found.sections[0].names == ["one", "other"]
    test = found.sections[0].tests["one", "other"]["conll"]
    assert test.exact and test.p == 1  # one document differs: both assignments are as far apart
    assert [i.code for i in found.issues] == ["few-documents", "one-document"] or "few-documents" in [
        i.code for i in found.issues
    ]


def test_one_document_is_compared_and_not_tested() -> None:
    found = cl.compare([{1, 2}, {3}], {"a": [{1, 2}, {3}], "b": [{1}, {2, 3}]})
    assert not found.sections[0].tests and [i.code for i in found.issues] == ["no-test"]
    assert "group" not in str(found)


def test_every_metric_can_be_compared(folder: Path, systems: dict[str, str]) -> None:
    found = cl.compare(folder / "key.conll", systems, metrics="all", resamples=100, baseline="good")
    tests = found.sections[0].tests["good", "shy"]
    assert tests["rand"].p != tests["rand"].p  # the mentions differ, so it does not apply
    assert 0 < tests["overlap"].p <= 1 and tests["derror"].p <= 1
    for format in ("table", "markdown", "latex", "csv", "json", "html"):
        assert found.render(format, rpf=True)


def test_ranks_share_places_and_know_what_an_error_is() -> None:
    def scores(value: float, error: float) -> cl.Scores:
        return cl.Scores({"rand": cl.Score("rand", value=value), "derror": cl.Score("derror", value=error)})

    three = {"a": scores(0.5, 0.1), "b": scores(0.9, 0.2), "c": scores(0.5, float("nan"))}
    assert ranks(three, "rand") == {"a": 2, "b": 1, "c": 2}
    assert ranks(three, "derror") == {"a": 1, "b": 2, "c": 3}


def test_disputes_name_the_documents_that_decide() -> None:
    """A metric prefers another system than the official score; without the documents named, it would not."""
    pairs = [{2 * n, 2 * n + 1} for n in range(10)]
    key = {"odd": pairs, **{f"d{n}": [{1, 2, 3}, {4, 5}] for n in range(6)}}
    merges = {**key, "odd": [{m for pair in pairs for m in pair}]}
    splits = {**key, "odd": [{m} for pair in pairs for m in pair]}
    found = cl.compare(key, {"merges": merges, "splits": splits}, metrics="muc,ceafe,conll", resamples=0)
    section = found.sections[0]
    for dispute in section.disputes:
        numbers = {name: float(section.main[name][dispute.metric].main) for name in section.names}
        assert max(numbers, key=lambda name: numbers[name]) == dispute.winner != section.names[0]
        kept = [name for name in key if name not in dispute.documents]
        without = {
            system: float(cl.score({d: key[d] for d in kept}, {d: response[d] for d in kept})[dispute.metric].main)
            for system, response in (("merges", merges), ("splits", splits))
        }
        assert 0 < len(dispute.documents) < 7 and without[dispute.winner] <= without[section.names[0]] + 1e-12
        assert f"without {len(dispute.documents)} of 7 documents ({', '.join(dispute.documents)}" in str(found)
    by_metric = {metric: max(section.names, key=lambda n: section.main[n][metric].main) for metric in ("muc", "ceafe")}
    assert {d.metric for d in section.disputes} == {m for m, w in by_metric.items() if w != section.names[0]} != set()


def test_matchings_side_by_side(folder: Path, systems: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A second matcher, here one that only finds mentions on even tokens, appears beside the first."""

    def even(m: matchers.Matching) -> None:
        matchers.exact(m)
        odd = (m.found >= 0) & (m.response.start % 2 == 1)
        m.taken[m.found[odd]] = False
        m.found[odd] = -1

    monkeypatch.setitem(matchers.MATCHERS, "even", (even,))
    monkeypatch.setitem(options.CHOICES["match"], "even", "for this test")
    found = cl.compare(folder / "key.conll", systems, match="exact,even", metrics="conll", resamples=0)  # type: ignore[arg-type]
    assert list(found.sections[0].scores) == ["exact", "even"]
    for kind in ("exact", "even"):
        alone = cl.score(folder / "key.conll", systems["good"], match=kind, metrics="conll")  # type: ignore[call-overload]
        assert found.sections[0].scores[kind]["good"].conll == alone.conll
    assert "Exact beside even matching, F1" in str(found)
    header = next(line for line in str(found).splitlines() if line.count("even") > 3)
    assert header.split()[:4] == ["system", "exact", "even", "exact"]


def test_frame_and_dict_hold_every_number(compared: cl.Comparison) -> None:
    frame = compared.to_frame()
    row = frame[(frame.system == "shy") & (frame.metric == "lea") & (frame.group == "bc")].iloc[0]
    assert row.f1 == pytest.approx(float(compared.sections[0].groups["shy"]["bc"]["lea"].f1 or 0))
    plain = json.loads(compared.render("json"))
    assert plain == json.loads(json.dumps(compared.to_dict()))
    section = plain["sections"][0]
    assert [s["name"] for s in section["systems"]] == compared.sections[0].names
    assert len(section["tests"]) == 3 * len(compared.sections[0].metrics)
    assert {"p", "p_corrected", "effect", "rank_biserial", "dropped", "exact"} <= set(section["tests"][0])


# ---- the command


def test_the_command_prints_what_the_function_returns(
    run: Run, folder: Path, compared: cl.Comparison, systems: dict[str, str]
) -> None:
    given = [f"{name}={path}" for name, path in systems.items()]
    ran = run("compare", folder / "key.conll", *given, "--resamples", 500, "--by", "genre")
    tables, note, notes = str(compared).partition("\nnote: ")
    assert ran.code == 0 and ran.out == f"{tables}\n"
    assert note and ran.err == f"coreflens: note: {notes}\n" and "few-documents" in notes  # 20 of them


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html", "csv", "json"])
def test_formats(run: Run, folder: Path, format: str) -> None:
    ran = run("compare", folder / "key.conll", folder / "systems", "--rpf", "--format", format, "--resamples", 50)
    assert ran.code == 0
    for name in ("good", "middling", "shy"):
        assert name in ran.out
    if format == "json":
        assert json.loads(ran.out)["sections"][0]["official"] == "conll"
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        assert len(rows) == 3 * 8 and {row["rank"] for row in rows} == {"1", "2", "3"}
    if format == "html":
        assert ran.out.startswith("<!doctype html>") and '<th colspan="3"' in ran.out
    if format == "latex":
        assert r"\cmidrule(lr){3-5}" in ran.out and r"\textbf{" in ran.out


@pytest.mark.parametrize("width", [[], ["--width", "column"], ["--width", "page"]])
def test_latex_compiles_at_any_width(run: Run, folder: Path, tmp_path: Path, width: list[str]) -> None:
    ran = run("compare", folder / "key.conll", folder / "systems", "--rpf", "--by", "genre", "--format", "latex",
              "--baseline", "good", "--resamples", 50, *width)  # fmt: skip
    check(ran.out)
    tables = re.findall(r"\\begin\{((?:sideways)?table\*?)\}", ran.out)
    assert set(tables) <= (
        {"table"} if "column" in width else {"table*", "sidewaystable*"} if width else {"table", "table*"}
    )
    assert ran.out.count(r"\caption{") == len(tables) == 4 + ran.out.count(", continued.}")
    assert ran.out.count(r"\label{") == 4
    assert r"\caption{good " in ran.out and r"\rlap{$^\ddagger$}" in ran.out
    if HAS_TEX:
        log = compile_page(ran.out, tmp_path)
        too_wide = [float(x) for x in re.findall(r"Overfull \\hbox \((\d+\.\d+)pt too wide\)", log)]
        assert max(too_wide, default=0) < 15, too_wide


def test_long_tables_go_over_pages(tmp_path: Path) -> None:
    rows = [[f"document {n}", "1.00"] for n in range(120)]
    table = Table(["name", "F1"], rows, title="By document", strong=1, bold=frozenset({(0, 1), (119, 1)}))
    text = WRITERS["latex"](table, "a note\ncoreflens:signature")
    check(text)
    assert text.count("By document, continued.") == 2 and text.count(r"\label{tab:by-document}") == 1
    assert text.count("document ") == 120 and text.count("a note") == 1 and text.count(r"\textbf{1.00}") == 2
    if HAS_TEX:
        compile_page(text, tmp_path)


def test_a_system_that_fails_does_not_stop_the_others(run: Run, folder: Path, systems: dict[str, str]) -> None:
    ran = run("compare", folder / "key.conll", systems["good"], systems["shy"], "gone.conll", "--resamples", 0)
    assert ran.code == 1 and "good" in ran.out and "shy" in ran.out and "gone" not in ran.out
    assert "coreflens: error: gone: gone.conll: no such file or directory" in ran.err
    key = run("compare", "gone.conll", systems["good"], systems["shy"])
    assert key.code == 3 and key.err.count("gone.conll: no such file") == 1


@pytest.mark.slow
def test_several_processes_compare_the_same(run: Run, tmp_path: Path) -> None:
    """The same tables, the same notes, and the same failures."""
    lines = ["#begin document (d); part 000", *(f"d 0 {n} w{n} ({n % 3})" for n in range(9)), "#end document"]
    for name, cell in (("key", "(0)"), ("a", "(1)"), ("b", "-"), ("wrong", "(0")):
        text = "\n".join(line.replace("w3 (0)", f"w3 {cell}") for line in lines)
        (tmp_path / f"{name}.conll").write_text(text + "\n")
    arguments = ["compare", *(str(tmp_path / f"{name}.conll") for name in ("key", "a", "b", "wrong"))]
    one, two = (run(*arguments, "--match", "exact,partial", "--jobs", jobs) for jobs in ("1", "2"))
    assert one == two and one[0] == 1 and "wrong" in one[2]
    with pytest.raises(cl.UsageError, match="at least 1"):
        cl.compare([["a", "b"]], {"x": [["a"]]}, jobs=0)


def test_names_of_systems(tmp_path: Path) -> None:
    for name in ("lee/out.conll", "clark/out.conll", "base.conll.gz", "x/deep/one.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    paths = [str(tmp_path / n) for n in ("lee/out.conll", "clark/out.conll", "base.conll.gz")]
    assert [s.name for s in from_arguments(paths)] == ["lee", "clark", "base"]
    assert [s.name for s in from_arguments([str(tmp_path / "x")])] == ["deep"]
    assert [(s.name, s.source) for s in from_arguments(["new=a/b=c"])] == [("new", "a/b=c")]
    with pytest.raises(cl.UsageError, match="two of them have the name 'base'"):
        from_arguments([paths[2], f"base={paths[0]}"])
    with pytest.raises(cl.UsageError, match="NAME=PATH"):
        from_arguments(["=x"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(cl.InputError, match="no system in this directory"):
        from_arguments([str(tmp_path / "empty")])


def test_a_directory_is_a_system_when_named(run: Run, folder: Path, tmp_path: Path) -> None:
    """One file per document in a directory: NAME=DIR is one system, DIR alone would be many."""
    (tmp_path / "many").mkdir()
    text = (folder / "systems" / "good.conll").read_text()
    for n, document in enumerate(text.split("#begin")[1:]):
        (tmp_path / "many" / f"{n}.conll").write_text("#begin" + document)
    ran = run("compare", folder / "key.conll", f"split={tmp_path / 'many'}", folder / "systems" / "good.conll",
              "--format", "json", "--resamples", 0)  # fmt: skip
    one, other = ran.json["sections"][0]["systems"]
    assert one["scores"] == other["scores"]


MANIFEST = """
key = "key.conll"
keys.arabic = "key.conll"
[[system]]
name = "base"
files = "systems/middling.conll"
track = "closed"
language = "english"
[[system]]
name = "new"
files = ["systems/good.conll"]
track = "closed"
language = "english"
notes = "with more data"
[[system]]
name = "new"
files = "systems/shy.conll"
track = "closed"
language = "arabic"
condition = "gold boundaries"
"""


def test_manifest(run: Run, folder: Path) -> None:
    (folder / "manifest.toml").write_text(MANIFEST)
    ran = run("compare", folder / "manifest.toml", "--resamples", 50, "-m", "conll")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert [line for line in lines if "·" in line and "CoNLL" not in line][:2] == [
        "closed · english",
        "closed · arabic · gold boundaries",
    ]
    assert "closed: CoNLL by section" in lines
    found = run("compare", folder / "manifest.toml", "--resamples", 0, "--format", "json").json
    assert [[s["name"] for s in section["systems"]] for section in found["sections"]] == [["new", "base"], ["new"]]
    assert found["sections"][0]["systems"][0]["notes"] == "with more data"
    assert cl.compare(None, folder / "manifest.toml", resamples=0).to_dict()["sections"] == found["sections"]


def test_signature_names_every_matching(folder: Path, systems: dict[str, str]) -> None:
    (section,) = cl.compare(folder / "key.conll", systems, match=["exact", "head-word"], resamples=10).sections
    assert "|match:exact,head-word|" in section.signature


def test_the_same_output_twice_is_reported(folder: Path, systems: dict[str, str]) -> None:
    found = cl.compare(folder / "key.conll", systems | {"copy": systems["good"]}, resamples=0)
    (same,) = [issue.message for issue in found.issues if issue.code == "same-scores"]
    assert same.startswith("good, copy: ")
    assert same_scores(cl.compare(folder / "key.conll", systems, resamples=0)) == []


def same_scores(found: cl.Comparison) -> list[str]:
    return [issue.message for issue in found.issues if issue.code == "same-scores"]


def test_the_same_partition_with_other_labels_is_the_same_output(tmp_path: Path) -> None:
    """Sums in another order differ in their last bits; the partitions do not."""
    rng = np.random.default_rng(5)
    key = {("nw/a", 0): rng.integers(0, 40, 300)}
    labels = np.where(rng.random(300) < 0.4, rng.integers(0, 40, 300), key["nw/a", 0])
    write(tmp_path / "key.conll", key)
    for n in range(6):
        write(tmp_path / f"s{n}.conll", {("nw/a", 0): rng.permutation(40)[labels]})
    systems = {f"s{n}": tmp_path / f"s{n}.conll" for n in range(6)}
    found = same_scores(cl.compare(tmp_path / "key.conll", systems, resamples=0))
    assert found == ["s0, s1, s2, s3, s4, s5: the same entities in every document"]
    counts = {}
    for name, path in systems.items():
        cl.score(tmp_path / "key.conll", path).save_counts(tmp_path / f"{name}.counts")
        counts[name] = tmp_path / f"{name}.counts"
    assert same_scores(cl.compare(None, counts, resamples=0)) == [
        "s0, s1, s2, s3, s4, s5: the same counts in every document"
    ]


def test_the_same_counts_are_not_the_same_output() -> None:
    key = {"d": [{1, 2}, {3, 4}], "e": [{1, 2}]}
    one, other = [{1, 2}, {3}, {4}], [{1}, {2}, {3, 4}]
    responses = {"a": {"d": one, "e": [{1, 2}]}, "b": {"d": other, "e": [{1, 2}]}, "c": {"d": one[::-1], "e": [{2, 1}]}}
    assert same_scores(cl.compare(key, responses, resamples=0)) == ["a, c: the same entities in every document"]
    names = {n: {d: [{str(m) for m in e} for e in entities] for d, entities in r.items()} for n, r in responses.items()}
    named = {d: [{str(m) for m in e} for e in entities] for d, entities in key.items()}
    assert same_scores(cl.compare(named, names, resamples=0)) == ["a, c: the same entities in every document"]


def test_sections_of_a_track_are_summed_up_by_themselves(folder: Path) -> None:
    """A mean for systems that are in all sections of their track; tracks that have no systems in common stay apart."""
    good, shy = (str(folder / "systems" / f"{name}.conll") for name in ("good", "shy"))
    listed = [cl.System(n, s, track=t, language=x) for n, s, t, x in (
        ("a", good, "open", "x"), ("a", shy, "open", "y"), ("b", shy, "open", "x"), ("b", shy, "open", "y"),
        ("c", good, "closed", "x"), ("c", good, "closed", "y"), ("d", shy, "closed", "y"))]  # fmt: skip
    found = cl.compare(folder / "key.conll", listed, resamples=0, metrics="conll")
    high, low = (cl.score(folder / "key.conll", s, metrics="conll").conll * 100 for s in (good, shy))
    text = str(found)
    first, second = text.index("open: CoNLL by section"), text.index("closed: CoNLL by section")
    rows = [line.split() for line in text[first:].splitlines() if line.strip()]
    assert rows[1] == ["system", "x", "y", "mean"]
    assert rows[3] == ["a", f"{high:.2f}", f"{low:.2f}", f"{(high + low) / 2:.2f}"]
    assert rows[4] == ["b", f"{low:.2f}", f"{low:.2f}", f"{low:.2f}"]
    rows = [line.split() for line in text[second:].splitlines() if line.strip()]
    assert rows[3:5] == [["c", *[f"{high:.2f}"] * 3], ["d", "–", f"{low:.2f}", "–"]]


def test_there_is_no_mean_over_different_conditions(folder: Path) -> None:
    good, shy = (str(folder / "systems" / f"{name}.conll") for name in ("good", "shy"))
    listed = [cl.System(n, s, language=x, condition=c) for n, s in (("a", good), ("b", shy)) for x, c in (
        ("x", "gold boundaries"), ("y", "gold boundaries"), ("x", "regular"))]  # fmt: skip
    high = cl.score(folder / "key.conll", good, metrics="conll").conll * 100
    text = str(cl.compare(folder / "key.conll", listed, resamples=0, metrics="conll"))
    _, header, _, first, *_ = filter(None, text[text.index("CoNLL by section") :].splitlines())
    assert header.endswith("  mean, gold boundaries")
    assert first.split() == ["a", *[f"{high:.2f}"] * 4]
    only = [replace(system, language="x", condition=f"{system.language} {system.condition}") for system in listed]
    text = str(cl.compare(folder / "key.conll", only, resamples=0, metrics="conll"))
    assert "CoNLL by section" in text
    assert "mean" not in text.replace("|mean:harmonic|", "|")
    tracks = [replace(system, language="", condition="", track=system.condition) for system in (listed[0], listed[2])]
    text = str(cl.compare(folder / "key.conll", tracks, resamples=0, metrics="conll"))
    assert "CoNLL by section" in text
    assert "mean" not in text.replace("|mean:harmonic|", "|")


_ROW = "[[system]]\nname = 'a'\nfiles = 'a.conll'\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{_ROW}key = []", "`key` of system 1 must be a path in quotes"),
        (f"{_ROW}key = [1]", "`key` of system 1 must be a path in quotes"),
        (f"{_ROW}key = {{}}", "`key` of system 1 must be a path in quotes"),
        ("[[system]]\nname = 'a'\nfiles = nan", "`files` of system 1 must be a path in quotes"),
        ("[[system]]\nname = 'a'\nfiles = [[]]", "`files` of system 1 must be a path in quotes"),
        ("[[system]]\nname = 7\nfiles = 'a'", "`name` of system 1 must be a text in quotes"),
        ("[[system]]\nname = nan\nfiles = 'a'", "`name` of system 1 must be a text in quotes"),
        (f"{_ROW}track = 3", "`track` of system 1 must be a text in quotes"),
        (f"{_ROW}language = []", "`language` of system 1 must be a text in quotes"),
        (f"{_ROW}condition = {{}}", "`condition` of system 1 must be a text in quotes"),
        (f"{_ROW}dataset = nan", "`dataset` of system 1 must be a text in quotes"),
        (f"{_ROW}learning = nan", "`learning` is a table, an empty list or no number"),
        (f"{_ROW}learning = []", "`learning` is a table, an empty list or no number"),
        (f"key = nan\n{_ROW}", "`key` must be a path in quotes"),
        (f"keys.en = {{}}\n{_ROW}", "`keys.en` must be a path in quotes"),
        ("x = 1", "unknown word in a manifest 'x'"),
        ('[[system]]\nname = "a"', "system 1 has no `files`"),
        ('[[system]]\nname = "a"\nfiles = "b"\nlang = "c"', "did you mean 'language'"),
        ("key = ", "not TOML"),
        ('key = "a"', "no [[system]]"),
        ('keys = "a"\n[[system]]\nname="b"', "`keys` and each `[[system]]` must be tables"),
    ],
)
def test_wrong_manifests(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "m.toml").write_text(text)
    ran = run("compare", tmp_path / "m.toml")
    assert ran.code == 3 and message in ran.err and "m.toml" in ran.err


def test_too_many_pairs_are_refused_before_anything_is_scored(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000 systems have 499,500 pairs; no file of them exists, so nothing was read."""
    systems = {f"s{n}": f"none{n}.conll" for n in range(1000)}
    with pytest.raises(cl.InputError, match=r"499,500 pairs of systems to test, about 12 minutes .* limit of 20,000"):
        cl.compare("none.conll", systems)
    for fine in ({"baseline": "s1"}, {"resamples": 0}, {"max_pairs": 499_500}):
        with pytest.raises(cl.InputError, match="no such file"):
            cl.compare("none.conll", systems, **fine)
    sections = [cl.System(name, path, track=str(n % 10)) for n, (name, path) in enumerate(systems.items())]
    with pytest.raises(cl.InputError, match="49,500 pairs"):
        cl.compare("none.conll", sections)
    paths = [f"{tmp_path}/none{n}.conll" for n in range(50)]
    ran = run("compare", tmp_path / "key.conll", *paths)
    assert "1,225 pairs of systems to test, about a minute" in ran.err  # said before, although it is not refused
    assert ran.err.index("1,225 pairs") < ran.err.index("no such file")
    assert run("compare", tmp_path / "key.conll", *paths, "--max-pairs", 1224).code == 3
    assert f"{MOST_PAIRS}" in run("compare", "--help-all").out


def test_keys_by_language_and_condition(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(
        'key = "all"\n[keys]\nen = "en"\n"en/gold" = "en-gold"\ngold = "gold"\n'
        + "".join(
            f'[[system]]\nname = "{n}"\nfiles = "x"\nlanguage = "{lang}"\ncondition = "{condition}"\n'
            for n, (lang, condition) in enumerate((("en", "gold"), ("en", "auto"), ("zh", "gold"), ("zh", "auto")))
        )
    )
    assert [Path(str(s.key)).name for s in read_manifest(tmp_path / "m.toml")] == ["en-gold", "en", "gold", "all"]


def test_saved_counts_give_the_same_comparison(run: Run, folder: Path, tmp_path: Path) -> None:
    options = ["--resamples", 100, "--baseline", "good"]
    first = run("compare", folder / "key.conll", folder / "systems", *options, "--save-counts", tmp_path / "saved")
    assert sorted(p.name for p in (tmp_path / "saved").iterdir()) == ["good.counts", "middling.counts", "shy.counts"]
    again = run("compare", tmp_path / "saved", *options)
    files = run("compare", *sorted((tmp_path / "saved").iterdir()), *options)
    assert first.code == again.code == 0 and first.out == again.out == files.out
    mixed = run("compare", folder / "key.conll", f"good={tmp_path / 'saved' / 'good.counts'}",
                folder / "systems" / "shy.conll", folder / "systems" / "middling.conll", *options)  # fmt: skip
    assert mixed.out == first.out
    fewer = run("compare", tmp_path / "saved", "-m", "lea", *options)
    assert fewer.code == 0 and "LEA" in fewer.out and "MUC" not in fewer.out


def test_counts_of_other_documents_or_options_are_refused(run: Run, folder: Path, tmp_path: Path) -> None:
    system = folder / "systems" / "good.conll"
    run("score", folder / "key.conll", system, "--save-counts", tmp_path / "a.counts")
    run("score", folder / "key.conll", system, "--save-counts", tmp_path / "b.counts", "--singletons", "drop")
    ran = run("compare", tmp_path / "a.counts", tmp_path / "b.counts")
    assert ran.code == 2 and "different metrics or options: --singletons keep and drop" in ran.err
    run("score", system, system, "--save-counts", tmp_path / "c.counts")
    ran = run("compare", tmp_path / "a.counts", tmp_path / "c.counts")
    assert ran.code == 3 and "different keys" in ran.err


def test_shards_of_a_system_add_up(run: Run, folder: Path, tmp_path: Path) -> None:
    whole = cl.score(folder / "key.conll", folder / "systems" / "good.conll")
    (tmp_path / "shards").mkdir()
    for n, rows in enumerate(np.array_split(np.arange(40), 3)):
        part = cl.Result(whole.counts.take(rows), whole.signature.metrics, whole.options)
        part.save_counts(tmp_path / "shards" / f"{n}.counts")
    ran = run("compare", f"all={tmp_path / 'shards'}", "--format", "json")
    assert ran.json["sections"][0]["systems"][0]["scores"]["exact"]["conll"]["f1"] == pytest.approx(whole.conll)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to compare"),
        (["key.conll"], "no system given"),
        (["key.conll", "systems", "--baseline", "best"], "unknown system 'best'"),
        (["key.conll", "systems", "--match", "exact,vague"], "value of --match"),
        (["key.conll", "--from-table", "x.csv"], "takes no key"),
    ],
)
def test_usage(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str) -> None:
    monkeypatch.chdir(folder)
    ran = run("compare", *arguments)
    assert ran.code == 2 and message in ran.err


# ---- intervals in `score`


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html", "csv", "json"])
def test_intervals_of_a_score(run: Run, folder: Path, format: str) -> None:
    files = folder / "key.conll", folder / "systems" / "good.conll"
    how = ["--bootstrap", 200, "--interval", "bca", "--confidence", 90, "--seed", 3, "--stratify", "genre"]
    ran = run("score", *files, *how, "--format", format)
    expected = cl.score(*files).bootstrap(200, interval="bca", confidence=0.9, seed=3, stratify="genre")
    lea = expected.main("lea")
    assert ran.code == 0
    if format == "json":
        assert ran.json["bootstrap"] == expected.to_dict()
    elif format == "csv":
        row = next(r for r in csv.DictReader(io.StringIO(ran.out)) if r["metric"] == "lea")
        assert (float(row["f1_low"]), float(row["f1_high"])) == (lea.low, lea.high)
    else:
        dash = "--" if format == "latex" else "–"
        assert f"{100 * lea.low:.2f}{dash}{100 * lea.high:.2f}" in ran.out
        assert "90% interval" in ran.out.replace("\\", "") and "|seed:3|" in ran.out
    for idle in (["--stratify", "genre"], ["--interval", "bca"], ["--confidence", "90"]):
        assert run("score", *files, *idle).code == 2


# ---- published numbers


def test_published_numbers_make_a_table() -> None:
    rows = [
        {"system": "x", "track": "t", "MD": 70.0, "MUC": [60.0, 50.0, 54.5], "B3": 50.0, "CEAFe": 40.0, "AVG": 48.2},
        {"system": "y", "track": "t", "MD": 60.0, "MUC": 50.0, "B3": 50.0, "CEAFe": 40.0, "AVG": 49.7},
    ]
    found = cl.published(rows)
    lines = found.render(digits=1).splitlines()
    assert lines[2].split() == ["system", "mentions", "MUC", "B³", "CEAFe", "CoNLL"]
    assert lines[4].split() == ["x", "70.0", "54.5", "50.0", "40.0", "48.2"]
    assert lines[5].split() == ["y", "60.0", "50.0", "50.0", "40.0", "49.7‡"]
    gaps = cl.published([{"system": "x", "MUC": [1.0, 2.0, 1.3]}, {"system": "y", "LEA": 3.0}]).render(rpf=True)
    assert gaps.splitlines()[-1].split() == ["y", "–", "–", "–", "3.00"]
    with pytest.raises(cl.InputError, match="row 1 has no system"):
        cl.published([{"MUC": 1}])
    with pytest.raises(cl.InputError, match="not a number"):
        cl.published([{"system": "x", "MUC": "high"}])


def test_published_numbers_from_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("system,MUC,comment\nx,50.1,good\ny,40.2,\n")
    ran = run("compare", "--from-table", tmp_path / "t.csv", "--digits", 1)
    assert ran.code == 0 and ran.out.splitlines()[2].split() == ["x", "50.1"]
    assert run("compare", "--from-table", tmp_path / "none.csv").code == 3
    (tmp_path / "bad.json").write_text("[1, 2]")
    assert run("compare", "--from-table", tmp_path / "bad.json").code == 3


def test_table_1_of_pradhan_2014(run: Run, tmp_path: Path) -> None:
    """All 53 rows in the paper's order and layout; the two whose printed average does not fit are marked."""
    source = SHARED / "spec" / "tables.json"
    if not source.exists():
        pytest.skip(f"no copy of the paper's tables at {source}")
    rows = json.loads(source.read_text("utf-8"))["paper002"]["table1"]
    (tmp_path / "table1.json").write_text(json.dumps(rows))
    ran = run("compare", "--from-table", tmp_path / "table1.json", "--digits", 1)
    printed = [line.split() for line in ran.out.splitlines()]
    body = [cells for cells in printed if len(cells) == 8 and cells[1][0].isdigit()]
    wanted = ("MD", "MUC", "B3", "CEAFm", "CEAFe", "BLANC", "AVG")
    assert len(body) == len(rows) == 53
    for cells, row in zip(body, rows, strict=True):
        assert cells[0] == row["system"]
        assert [float(c.rstrip("‡")) for c in cells[1:]] == [row[name] for name in wanted]
    assert [cells[0] for cells in body if cells[-1].endswith("‡")] == ["kobdani", "stamborg"]
    tracks = [line for line in ran.out.splitlines() if line.startswith("CoNLL-201")]
    assert tracks == list(dict.fromkeys(row["track"] for row in rows))


# ---- real runs


def data(*parts: str) -> Path:
    path = SHARED.joinpath("data", *parts)
    if not path.exists():
        pytest.skip(f"no third-party data at {path}")
    return path


def test_hypercoref_agrees_with_the_published_scores(run: Run) -> None:
    folder = data("hypercoref_cdcr")
    files = sorted(map(str, (folder / "sys_cdcr").rglob("*.conll")))
    ran = run("compare", folder / "key/ecbp/test_events_corpus_level.conll", *files, "--format", "json")
    found = {s["name"]: s["scores"]["exact"] for s in ran.json["sections"][0]["systems"]}
    table = list(csv.reader((folder / "scores_for_these_files.csv").read_text().splitlines()))
    conll = sorted(float(row[-1]) for row in table if row[-1].replace(".", "").isdigit())
    assert len(found) == 5
    for scores in found.values():
        assert min(abs(scores["conll"]["f1"] - c / (100 if c > 1 else 1)) for c in conll) < 1e-9
    assert "only one document" in ran.err


def test_within_documents_of_ecb_plus(run: Run) -> None:
    folder = data("cdcr_beyond", "feature-based")
    gold = folder / "ecbp_lemma_baselines" / "lemma" / "within_doc" / "gold.conll"
    systems = {"lemma": gold.with_name("system.conll")}
    systems |= {f"model{n}": folder / f"ecbp_evaluate_clustering/{n}/within_doc/system.conll" for n in (0, 1)}
    ran = run("compare", gold, *(f"{n}={p}" for n, p in systems.items()), "--baseline", "lemma", "--format", "json")
    section = ran.json["sections"][0]
    printed = dict(
        line.split()[:2] for line in (gold.with_name("eval_lemma_within_doc.txt")).read_text().splitlines()[2:]
    )
    lemma = next(s for s in section["systems"] if s["name"] == "lemma")["scores"]["exact"]
    for metric in ("muc", "bcub", "ceafe", "lea", "conll"):
        assert lemma[metric]["f1"] == pytest.approx(float(printed[metric]), abs=1e-6)
    better = next(t for t in section["tests"] if (t["second"], t["metric"]) == ("model0", "conll"))
    assert better["difference"] > 0 and better["units"] == 206 and better["low"] < better["difference"] < better["high"]


def test_systems_against_each_other(run: Run) -> None:
    outputs = data("model_based_coref", "output")
    files = {p.parent.name: p for p in sorted(outputs.rglob("*.conll"))}
    key = files.pop("aralikatte")
    ran = run("compare", key, *files.values())
    assert ran.code == 0 and "all assignments tried" in ran.out  # 8 documents
    assert "few-documents" in ran.err and "clark" in ran.out and "lee" in ran.out


@pytest.mark.slow
def test_semeval_2010_with_a_system_as_key(run: Run) -> None:
    folder = data("semeval2010_systems", "original_task")
    key = folder / "relaxcor/closed/gold/es.txt"
    ran = run("compare", key, *sorted(map(str, folder.glob("*/closed/regular/es.txt"))), "--resamples", 100)
    assert ran.code == 1  # sucre's and ubiu's cells are malformed; the others go on
    assert "tanl-1" in ran.out and "sucre" in ran.err and os.linesep + "  hint:" in ran.err
