"""`compare --macro dataset`: means over datasets, their intervals and tests, from directories and manifests."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.comparison import Section, System
from coreflens.comparison.datasets import Macro
from coreflens.scoring.counts import Counts
from coreflens.scoring.finalize import finalize
from coreflens.stats import IntervalKind

SIZES = {"cs": 12, "en": 4, "hu": 1}  # documents of each dataset
NOISE = {"good": 0.1, "middling": 0.3}
VALUES = ("recall", "precision", "f1")


def conllu(documents: dict[str, np.ndarray]) -> str:
    """CoNLL-U with one-word mentions; −1 means no mention."""
    lines = []
    for name, labels in documents.items():
        lines += [f"# newdoc id = {name}", "# global.Entity = eid-etype-head-other", f"# sent_id = {name}-1"]
        for n, label in enumerate(labels.tolist(), start=1):
            place = f"{n - 1}\tdep" if n > 1 else "0\troot"
            entity = f"Entity=(e{name}{label}--1)" if label >= 0 else "_"
            lines.append(f"{n}\tw\tw\tX\t_\t_\t{place}\t_\t{entity}")
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys and two systems, one file per dataset; datasets of very different sizes."""
    root = tmp_path_factory.mktemp("macro")
    rng = np.random.default_rng(3)
    for side in ("keys", *NOISE):
        (root / side).mkdir()
    for dataset, documents in SIZES.items():
        key = {f"d{n}": rng.integers(-2, 5, 30).clip(-1) for n in range(documents)}
        (root / "keys" / f"{dataset}.conllu").write_text(conllu(key))
        for system, noise in NOISE.items():
            found = {d: np.where(rng.random(30) < noise, rng.integers(-1, 5, 30), x) for d, x in key.items()}
            (root / system / f"{dataset}.conllu").write_text(conllu(found))
    return root


def results(folder: Path, system: str) -> dict[str, cl.Result]:
    return {
        d: cl.score(folder / "keys" / f"{d}.conllu", folder / system / f"{d}.conllu", protocol="corefud") for d in SIZES
    }


def compare(folder: Path, *systems: str, **settings: Any) -> cl.Comparison:
    paths = {name: str(folder / name) for name in systems or NOISE}
    return cl.compare(
        str(folder / "keys"), paths, **{"macro": "dataset", "protocol": "corefud", "resamples": 300, **settings}
    )


def conll(counts: Counts, result: cl.Result) -> float:
    """The CoNLL average of some counts."""
    return float(finalize(counts, ["conll"], result.options)["conll"].main)


def behind(section: Section) -> Macro:
    assert section.macro is not None
    return section.macro


def test_a_mean_is_that_of_a_plain_loop(folder: Path) -> None:
    (section,) = compare(folder).sections
    assert section.names == ["good", "middling"] and behind(section).datasets == sorted(SIZES)
    for name in NOISE:
        alone = results(folder, name)
        for metric, score in section.main[name].items():
            for value in VALUES:
                if getattr(score, value) is not None:
                    assert getattr(score, value) == pytest.approx(
                        np.mean([getattr(r[metric], value) for r in alone.values()])
                    )
        assert {d: s.conll for d, s in section.groups[name].items()} == {d: r.conll for d, r in alone.items()}


@pytest.mark.slow
def test_intervals_are_those_of_documents_drawn_within_each_dataset(folder: Path) -> None:
    """Against a loop that draws documents by itself: the same distribution, so nearly the same ends."""
    (section,) = compare(folder, "middling", resamples=4000, metrics="conll").sections
    found = behind(section).intervals["middling"]["conll"]["f1"]
    rng = np.random.default_rng(11)
    drawn = []
    alone = results(folder, "middling")
    for _ in range(1500):
        scores = []
        for result in alone.values():
            rows = rng.integers(0, len(result.counts), len(result.counts))
            scores.append(conll(result.counts.take(rows), result))
        drawn.append(np.mean(scores))
    assert found.score == pytest.approx(np.mean([r.conll for r in alone.values()]))
    spread = np.std(drawn)
    assert found.standard_error == pytest.approx(spread, rel=0.1)
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.25 * spread)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "t", "wilcoxon"])
def test_one_dataset_is_the_plain_comparison(folder: Path, tmp_path: Path, interval: IntervalKind, test: str) -> None:
    paths = {}
    for side in ("keys", *NOISE):
        (tmp_path / side).mkdir()
        paths[side] = tmp_path / side / "cs.conllu"
        paths[side].write_text((folder / side / "cs.conllu").read_text())
    how: Any = {"protocol": "corefud", "resamples": 500, "interval": interval, "test": test, "baseline": "middling"}
    plain = cl.compare(str(paths["keys"]), {name: str(paths[name]) for name in NOISE}, **how).sections[0]
    macro = compare(tmp_path, **how).sections[0]
    pair = ("middling", "good")
    for metric, one in plain.tests[pair].items():
        assert macro.tests[pair][metric].to_dict() == pytest.approx(one.to_dict(), nan_ok=True)
    alone = cl.score(paths["keys"], paths["good"], protocol="corefud").bootstrap(500, interval=interval)
    for metric, values in alone.items():
        for value, own in values.items():
            other = behind(macro).intervals["good"][metric][value]
            assert (other.low, other.high) == pytest.approx((own.low, own.high))


def test_an_exact_test_counts_all_swaps(folder: Path, tmp_path: Path) -> None:
    """Few documents: p is the share of all assignments with a mean difference as large, by a plain loop."""
    for side in ("keys", *NOISE):
        (tmp_path / side).mkdir()
        for dataset in ("en", "hu"):
            (tmp_path / side / f"{dataset}.conllu").write_text((folder / side / f"{dataset}.conllu").read_text())
    (section,) = compare(tmp_path, metrics="conll").sections
    test = section.tests["good", "middling"]["conll"]
    both = {d: (results(folder, "good")[d], results(folder, "middling")[d]) for d in ("en", "hu")}

    def difference(swapped: int) -> float:
        gaps = []
        for d, (a, b) in both.items():
            mask = [bool(swapped >> (n if d == "en" else SIZES["en"]) & 1) for n in range(SIZES[d])]
            values = a.counts.values, b.counts.values
            first, second = (np.where(np.array(mask)[:, None], v, w) for v, w in (values[::-1], values))
            gaps.append(conll(replace(b.counts, values=second), b) - conll(replace(a.counts, values=first), a))
        return float(np.mean(gaps))

    observed = difference(0)
    beyond = [abs(difference(n)) >= abs(observed) - 1e-12 for n in range(2 ** (SIZES["en"] + 1))]
    assert test.exact and test.difference == pytest.approx(observed) and test.p == pytest.approx(np.mean(beyond))


def test_a_missing_dataset_scores_zero_and_is_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "shy").mkdir()
    for dataset in ("cs", "hu"):
        (tmp_path / "shy" / f"{dataset}.conllu").write_text((folder / "keys" / f"{dataset}.conllu").read_text())
    found = cl.compare(
        str(folder / "keys"),
        {"shy": str(tmp_path / "shy"), "good": str(folder / "good")},
        macro="dataset",
        protocol="corefud",
        resamples=200,
        response_format="conllu",
    )
    (section,) = found.sections
    assert section.main["shy"].conll == pytest.approx(2 / 3) and behind(section).missing == {"shy": ["en"]}
    assert section.groups["shy"]["en"].conll == 0 and not found.failures
    assert any(i.code == "missing-datasets" and "shy lacks 1 of 3" in i.message for i in found.issues)
    assert ("good", "shy") in section.tests


def test_a_manifest_names_datasets(folder: Path, run: Run) -> None:
    rows = [
        f'[[system]]\nname = "{s}"\nfiles = "{s}/{d}.conllu"\ndataset = "{d}"\n'
        for s in NOISE
        for d in SIZES
        if d != "hu" or s == "good"
    ]
    keys = "[keys]\n" + "".join(f'{d} = "keys/{d}.conllu"\n' for d in SIZES)
    manifest = folder / "macro.toml"
    manifest.write_text(keys + "".join(rows))
    args = ("--protocol", "corefud", "--resamples", "200", "--format", "json")
    plain = json.loads(run("compare", str(manifest), "--macro", "dataset", *args).out)["sections"][0]["macro"]
    assert plain["by"] == "dataset" and plain["datasets"] == sorted(SIZES)
    alone = results(folder, "middling")
    middling = plain["systems"]["middling"]
    assert middling["missing"] == ["hu"] and middling["datasets"]["hu"]["conll"]["f1"] == 0
    assert middling["scores"]["conll"]["f1"] == pytest.approx((alone["cs"].conll + alone["en"].conll) / 3)
    assert set(middling["intervals"]["conll"]["f1"]) == {"score", "low", "high", "standard_error"}
    with pytest.raises(cl.UsageError, match='macro="dataset" takes the mean'):
        cl.compare(str(manifest))
    manifest.write_text(keys + "".join(rows).replace('dataset = "en"', 'language = "en"'))
    with pytest.raises(cl.UsageError, match=r"has no datasets: give a `dataset`"):
        cl.compare(str(manifest), macro="dataset")


def test_the_table_has_a_column_for_each_dataset(folder: Path, run: Run) -> None:
    paths = [str(folder / name) for name in ("keys", *NOISE)]
    done = run("compare", *paths, "--macro", "dataset", "--protocol", "corefud", "--resamples", "200", "-m", "conll")
    table = done.out.split("CoNLL by dataset")[1]
    assert table.split("\n")[2].split() == ["system", "cs", "en", "hu", "mean", "95%", "interval"]
    mean = 100 * np.mean([r.conll for r in results(folder, "good").values()])
    assert f"{mean:.2f}  [" in table and "|macro:dataset|datasets:3|" in table and "documents:17" in table


@pytest.mark.slow
def test_saved_counts_have_the_same_means(folder: Path, tmp_path: Path, run: Run) -> None:
    found = compare(folder)
    found.save_counts(tmp_path)
    assert (tmp_path / "good" / "cs.counts").exists()
    done = run("compare", str(tmp_path / "good"), str(tmp_path / "middling"), "--macro", "dataset", "--format", "json")
    systems = json.loads(done.out)["sections"][0]["macro"]["systems"]
    assert systems["good"]["scores"]["conll"]["f1"] == pytest.approx(found.sections[0].main["good"].conll)


def test_matchings_side_by_side(folder: Path) -> None:
    (section,) = compare(folder, match="head,exact", resamples=0).sections
    exact = [
        cl.score(folder / "keys" / f"{d}.conllu", folder / "good" / f"{d}.conllu", protocol="corefud", match="exact")
        for d in SIZES
    ]
    assert section.scores["exact"]["good"].conll == pytest.approx(np.mean([r.conll for r in exact]))
    assert not behind(section).intervals and "mean" in cl.Comparison([section], {}, [], by="dataset").render()


def test_datasets_that_do_not_fit(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "de.conllu").write_text((folder / "keys" / "en.conllu").read_text())
    with pytest.raises(cl.InputError, match=r"'odd' has datasets that the key lacks: de \(the key has cs, en, hu\)"):
        cl.compare(str(folder / "keys"), {"odd": str(tmp_path)}, macro="dataset")
    one = str(folder / "keys" / "cs.conllu")
    with pytest.raises(cl.UsageError, match="one key for several datasets"):
        cl.compare(one, {"good": str(folder / "good")}, macro="dataset")
    with pytest.raises(cl.UsageError, match="has no datasets"):
        cl.compare(one, {"good": str(folder / "good" / "cs.conllu")}, macro="dataset")
    with pytest.raises(cl.UsageError, match="leave out by"):
        cl.compare(str(folder / "keys"), {"good": str(folder / "good")}, macro="dataset", by="document")
    (tmp_path / "de.conll").write_text("")
    with pytest.raises(cl.InputError, match="two datasets are named 'de'"):
        cl.compare(str(folder / "keys"), {"odd": str(tmp_path)}, macro="dataset")
    (tmp_path / "empty").mkdir()
    with pytest.raises(cl.InputError, match="no dataset in this directory"):
        cl.compare(str(folder / "keys"), {"odd": str(tmp_path / "empty")}, macro="dataset")


def test_a_dataset_that_cannot_be_read_fails_its_system(folder: Path, tmp_path: Path) -> None:
    for dataset in SIZES:
        (tmp_path / f"{dataset}.conllu").write_text("# newdoc id = d0\n1\tw\n")
    found = cl.compare(
        str(folder / "keys"), {"bad": str(tmp_path), "good": str(folder / "good")}, macro="dataset", resamples=0
    )
    assert list(found.failures) == ["bad (cs)"] and found.sections[0].names == ["good"]


def test_one_document_in_each_dataset_gives_no_interval(folder: Path) -> None:
    keys = {d: {"doc": [[(0, 0), (1, 1)], [(2, 2), (3, 3)]]} for d in "ab"}
    systems = [System("s", {"doc": [[(0, 0), (1, 1)]]}, keys[d], dataset=d) for d in "ab"]
    found = cl.compare(None, systems, macro="dataset")
    assert not behind(found.sections[0]).intervals and "no-interval" in {i.code for i in found.issues}
    assert found.sections[0].main["s"].conll == cl.score(keys["a"], {"doc": [[(0, 0), (1, 1)]]}).conll
