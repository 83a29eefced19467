"""Estimates beside a naive implementation, beside `score`, and with bad input."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
import naive_estimates as naive
from command import Run
from coreflens.estimates.clustering import read_clustering
from coreflens.estimates.designs import Design, Sampled
from coreflens.estimates.intervals import INTERVALS
from coreflens.estimates.labels import read_labels
from naive_estimates import Records

RESPONSE = "record,cluster\n1,c1\n2,c1\n3,c1\n4,c2\n5,c2\n6,c3\n"
LABELLED = "record,entity,hits\n1,A,1\n2,A,0\n3,B,0\n4,B,1\n5,B,0\n"
PARTS = ("recall", "precision")


def write(tmp_path: Path, labelled: str, response: str = RESPONSE) -> tuple[str, str]:
    """The two files."""
    (tmp_path / "labelled.csv").write_text(labelled, "utf-8")
    (tmp_path / "response.csv").write_text(response, "utf-8")
    return str(tmp_path / "labelled.csv"), str(tmp_path / "response.csv")


def table(header: str, sets: Sequence[Records]) -> str:
    rows = [f"{record},s{number}" for number, records in enumerate(sets) for record in sorted(records)]
    return "\n".join([header, *rows, ""])


def partition(chance: random.Random, records: Sequence[str], most: int) -> list[Records]:
    """Records divided by chance."""
    number = [chance.randrange(most) for _ in records]
    found = [frozenset(r for r, k in zip(records, number, strict=True) if k == group) for group in range(most)]
    return [records for records in found if records]


def made(seed: int) -> tuple[list[Records], list[Records]]:
    """A truth and a response with the same records."""
    chance = random.Random(seed)
    records = [f"r{k}" for k in range(chance.randrange(4, 14))]
    most = chance.randrange(2, 8)
    return partition(chance, records, most), partition(chance, records, most)


def same(found: cl.Estimates, draws: Sequence[naive.Draw], metric: str, part: Any) -> None:
    wanted = naive.ratio(draws, (metric, part))
    estimate = found[metric][part]
    if wanted is None:
        assert estimate.value is None
        return
    value, variance, bias = map(float, wanted)
    assert estimate.value == pytest.approx(value, abs=1e-12)
    assert estimate.se is not None and estimate.se**2 == pytest.approx(variance, abs=1e-12)
    assert estimate.bias == pytest.approx(bias, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_by_record_as_written_down(seed: int, tmp_path: Path) -> None:
    truth, response = made(seed)
    everything = sorted(frozenset().union(*truth))
    chance = random.Random(seed)
    hits = {record: chance.choice((0, 0, 1, 2)) for record in everything} | {everything[0]: 2}
    rows = [f"{r},s{k},{hits[r]}" for k, entity in enumerate(truth) for r in sorted(entity)]
    files = write(tmp_path, "\n".join(["record,entity,hits", *rows, ""]), table("record,cluster", response))
    for from_cluster in (False, True):
        found = cl.estimate(*files, by="record", precision_from="cluster" if from_cluster else None)
        draws = [
            (Fraction(1), naive.of_record(r, truth, response, from_cluster)) for r in everything for _ in range(hits[r])
        ]
        for metric in naive.METRICS:
            for part in PARTS:
                same(found, draws, metric, part)


@pytest.mark.parametrize("seed", range(12))
def test_by_entity_as_written_down(seed: int, tmp_path: Path) -> None:
    truth, response = made(seed)
    drawn = truth[: max(2, len(truth) // 2)]
    if len(drawn) < 2:
        return
    files = write(tmp_path, table("record,entity", drawn), table("record,cluster", response))
    weights = [Fraction(1, len(entity)) for entity in drawn]
    for asked, weight in ((None, [Fraction(1)] * len(drawn)), ("size", weights)):
        found = cl.estimate(*files, by="entity", weights=asked)
        draws = [
            (w, naive.recall_sums(e, response) | naive.entity_precision(e, response))
            for w, e in zip(weight, drawn, strict=True)
        ]
        for metric in naive.METRICS:
            for part in PARTS:
                same(found, draws, metric, part)


@pytest.mark.parametrize("seed", range(12))
def test_by_cluster_as_written_down(seed: int, tmp_path: Path) -> None:
    truth, response = made(seed)
    if len(response) < 2:
        return
    drawn = response[:2]
    size = {r: len(c) for c in response for r in c}
    rows = [
        f"{r},s{k},{int(any(r in c for c in drawn))},{size[r]}"
        for k, entity in enumerate(truth)
        for r in sorted(entity)
    ]
    labelled = "\n".join(["record,entity,hits,probability", *rows, ""])
    files = write(tmp_path, labelled, table("record,cluster", response))
    found = cl.estimate(*files, by="cluster", completed=True)
    draws = [(Fraction(1, len(c)), naive.of_cluster(c, truth, response)) for c in drawn]
    for metric in naive.METRICS:
        for part in PARTS:
            same(found, draws, metric, part)


@pytest.mark.parametrize("design", ["record", "record+cluster", "cluster", "entity"])
@pytest.mark.parametrize("seed", range(6))
def test_a_census_is_the_score(seed: int, design: str, tmp_path: Path) -> None:
    truth, response = made(seed)
    rows = [f"{r},s{k},1,{design}" for k, entity in enumerate(truth) for r in sorted(entity)]
    labelled = "\n".join(["record,entity,hits,by", *rows, ""])
    files = write(tmp_path, labelled, table("record,cluster", response))
    found = cl.estimate(*files, completed=design == "cluster", population=len(truth) if design == "entity" else None)
    (tmp_path / "key.csv").write_text(table("record,entity", truth), "utf-8")
    scores = cl.score(str(tmp_path / "key.csv"), files[1], metrics=naive.METRICS)
    for metric in naive.METRICS:
        for part in ("recall", "precision", "f1"):
            estimate, score = found[metric][part], float(getattr(scores[metric], part))
            if estimate.value is None:
                continue
            assert estimate.value == pytest.approx(score, abs=1e-12)
            assert (estimate.se, estimate.low, estimate.high) == (0, estimate.value, estimate.value)


@pytest.mark.parametrize("design", ["record", "record+cluster", "cluster"])
def test_sums_are_unbiased_over_all_samples(design: str, tmp_path: Path) -> None:
    """The mean over all samples of two units of each estimated sum is the sum over the whole truth."""
    truth, response = made(3)
    everything = sorted(frozenset().union(*truth))
    whole = naive.added(naive.recall_sums(e, response) | naive.entity_precision(e, response) for e in truth)
    by_cluster = design == "cluster"
    units = [sorted(c) for c in response] if by_cluster else [[record] for record in everything]
    totals: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for sample in combinations(units, 2):
        drawn = {record for unit in sample for record in unit}
        rows = [f"{r},s{k},{int(r in drawn)}" for k, entity in enumerate(truth) for r in sorted(entity)]
        files = write(tmp_path, "\n".join(["record,entity,hits", *rows, ""]), table("record,cluster", response))
        kind = Design("cluster", completed=True) if by_cluster else Design("record", design == "record+cluster")
        sampled = Sampled.of(read_labels(files[0], {}), read_clustering(files[1], {}, {}), kind)
        draws = sampled.draws()
        for name, (numerator, denominator) in draws.ratios.items():
            totals.setdefault(name, []).append((draws.total(numerator), draws.total(denominator)))
    for name, wanted in whole.items():
        found = np.mean(totals[name], axis=0)
        assert found == pytest.approx([float(number) for number in wanted])


def test_the_difference_of_two_systems_is_paired(tmp_path: Path) -> None:
    files = write(tmp_path, LABELLED)
    found = cl.estimate(files[0], {"a": files[1], "b": files[1]}, by="record")
    assert all(d.difference == 0 and d.se == 0 for d in found.differences)
    (tmp_path / "other.csv").write_text(RESPONSE.replace("3,c1", "3,c2"), "utf-8")
    found = cl.estimate(*files, str(tmp_path / "other.csv"), by="record")
    by_name = {(d.metric, d.part): d for d in found.differences}
    one, other = (system.scores["bcub"]["recall"].value for system in found.systems.values())
    assert one is not None and other is not None
    difference = by_name["bcub", "recall"]
    assert difference.difference == pytest.approx(one - other)
    # z of each draw by hand: record 1 has the same cells in both, record 4 has 5/9 and 1 of its entity
    assert difference.se == pytest.approx((Fraction(2, 3) * 2 * 2 * Fraction(1, 9) ** 2) ** 0.5)


@pytest.mark.parametrize("interval", INTERVALS)
def test_every_interval_holds_its_value(interval: Any, tmp_path: Path) -> None:
    found = cl.estimate(*write(tmp_path, LABELLED), by="record", interval=interval, resamples=200)
    estimate = found["bcub"]["f1"]
    assert estimate.low is not None and estimate.high is not None and estimate.value is not None
    assert estimate.low <= estimate.value <= estimate.high


def test_values_may_be_corrected_for_bias(tmp_path: Path) -> None:
    files = write(tmp_path, LABELLED)
    plain, corrected = (cl.estimate(*files, by="record", correct=c)["pairs"]["recall"] for c in (False, True))
    assert plain.value is not None and plain.bias is not None
    assert corrected.value == pytest.approx(plain.value - plain.bias)


def test_the_first_line_is_one_sentence(run: Run, tmp_path: Path) -> None:
    ran = run("estimate", *write(tmp_path, LABELLED), "--by", "record")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "B³ F1 is 74.9 [1.5, 100.0], from 2 of 6 records."
    assert "[few-draws]" in ran.err


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown", "latex", "html"])
def test_every_format(format: str, run: Run, tmp_path: Path) -> None:
    ran = run("estimate", *write(tmp_path, LABELLED), "--by", "record", "--format", format)
    assert ran.code == 0
    assert "B³" in ran.out or "bcub" in ran.out


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("ceafe", "one-to-one alignment"),
        ("conll", "one-to-one alignment"),
        ("core", "largest part"),
        ("blanc", "square of sums"),
        ("overlap", "sorted sizes"),
        ("mor", "not offered"),
    ],
)
def test_metrics_that_a_sample_can_not_estimate(metric: str, why: str, run: Run, tmp_path: Path) -> None:
    ran = run("estimate", *write(tmp_path, LABELLED), "--by", "record", "-m", metric)
    assert ran.code == 2
    assert why in ran.err


BAD = {
    "record,entity,hits\n1,A,1\n2,A,inf\n": "whole numbers from 0",
    "record,entity,hits\n1,A,0\n": "all hits are 0",
    "record,entity,hits\n1,A,-1\n": "whole numbers from 0",
    "record,entity,hits\n1,A,0.5\n": "whole numbers from 0",
    "record,entity,hits\n1,A,x\n": "must be a number",
    "record,entity,hits,weight\n1,A,1,inf\n": "weight must be above 0",
    "record,entity,hits,weight\n1,A,1,nan\n": "weight must be a number",
    "record,entity,hits,weight\n1,A,1,\n2,A,1,1\n": "weight is empty",
    "record,entity,hits,probability\n1,A,1,-1\n": "probability must be above 0",
    "record,entity,hits,weight,probability\n1,A,1,1,1\n": "both weigh the draws",
    "record,entity,hits,weight,population\n1,A,1,1,9\n": "both weigh the draws",
    "record,entity,hits,stratum\n1,A,1,s\n": "neither population nor weights",
    "record,entity,hits,population\n1,A,1,1\n2,A,1,1\n": "2 records were drawn, but the population is 1",
    "record,entity,hits,population\n1,A,1,5\n2,A,1,6\n": "two values of population",
    "record,entity,hits\n9,A,1\n": "the drawn record 9 is not in the response",
    "record,entity,hits\n1,A,1\n1,A,0\n": "labelled twice, with other values of hits",
    "record,entity,hits\n1,,1\n": "nothing is labelled",
    "record,entity,hits,by\n1,A,1,entity\n": "--by record, but the column by says entity",
    "record,entity,hits,complete\n1,A,1,yes\n2,,1,\n": "1 records are not labelled yet: 2",
}


@pytest.mark.parametrize("labelled", BAD)
def test_bad_labels_are_errors_with_their_place(labelled: str, run: Run, tmp_path: Path) -> None:
    ran = run("estimate", *write(tmp_path, labelled), "--by", "record")
    assert ran.code in (2, 3)
    assert BAD[labelled] in ran.err


def test_bad_designs(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, LABELLED)
    assert "not known what was drawn" in run("estimate", *files).err
    for options in (("--completed",), ("--weights", "size")):
        assert run("estimate", *files, "--by", "record", *options).code == 2
    assert run("estimate", *files, "--by", "entity", "--precision-from", "cluster").code == 2


def test_weights_that_differ_inside_a_unit(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, "record,entity,weight\n1,A,1\n2,A,2\n")
    assert "weight differs inside the entity A" in run("estimate", *files, "--by", "entity").err
    files = write(tmp_path, "record,entity,hits\n1,A,1\n2,A,1\n3,B,0\n")
    assert "hits differs inside the cluster of the record 1" in run("estimate", *files, "--by", "cluster").err
    files = write(tmp_path, "record,entity\n1,A\n2,\n")
    assert "has no entity" in run("estimate", *files, "--by", "entity").err


def test_a_sample_of_clusters_fits_one_response(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, "record,entity,hits,cluster\n1,A,1,x\n2,A,1,y\n3,B,1,x\n")
    assert "is not a cluster of this response" in run("estimate", *files, "--by", "cluster").err


def test_the_column_by_is_the_design(run: Run, tmp_path: Path) -> None:
    labelled = LABELLED.replace("hits\n", "hits,by\n").replace(",1\n", ",1,record+cluster\n")
    files = write(tmp_path, labelled.replace(",0\n", ",0,record+cluster\n"))
    assert run("estimate", *files, "--format", "json").json["design"]["precision_from"] == "cluster"


def test_notes(run: Run, tmp_path: Path) -> None:
    files = write(tmp_path, LABELLED + "9,B,0\n1,A,1\n")
    ran = run("estimate", *files, "--by", "record")
    for code in ("few-draws", "missed-records", "repeated-labels", "large-cluster"):
        assert f"[{code}]" in ran.err
    files = write(tmp_path, "record,entity,hits\n4,B,1\n5,B,1\n6,C,1\n")
    ran = run("estimate", *files, "--by", "record")
    assert "at most 63 % of the records" in ran.err
    files = write(tmp_path, "record,entity,hits\n6,C,1\n")
    ran = run("estimate", *files, "--by", "record", "--format", "json")
    assert ran.json["estimates"]["pairs"]["recall"]["why"] == "no links among the draws"
    assert "[one-draw]" in ran.err


def test_records_of_documents(tmp_path: Path) -> None:
    response = "doc,mention,entity\na,1,x\na,2,x\nb,1,y\nb,2,y\n"
    labelled = "doc,record,entity,hits\na,1,A,1\na,2,A,0\nb,1,B,1\nb,2,B,0\n"
    found = cl.estimate(*write(tmp_path, labelled, response), by="record")
    assert found["pairs"]["f1"].value == 1


def test_a_response_in_parquet_and_in_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    labelled, response = write(tmp_path, LABELLED)
    wanted = cl.estimate(labelled, response, by="record").to_dict()["estimates"]
    base = duckdb.connect(str(tmp_path / "t.duckdb"))
    base.execute(f"CREATE TABLE r AS SELECT * FROM read_csv('{response}')")
    base.execute(f"COPY r TO '{tmp_path / 'r.parquet'}' (FORMAT parquet)")
    base.close()
    for path in (tmp_path / "r.parquet", f"{tmp_path / 't.duckdb'}:r"):
        assert cl.estimate(labelled, str(path), by="record").to_dict()["estimates"] == wanted
    pandas = pytest.importorskip("pandas")
    frames = pandas.read_csv(labelled), pandas.read_csv(response)
    assert cl.estimate(*frames, by="record").to_dict()["estimates"] == wanted
