"""The example of the tutorial on records: its labels are those of the sample that readers are to draw."""

from __future__ import annotations

import csv

import coreflens as cl
from places import ROOT

SONGS = ROOT / "examples" / "songs"


def test_the_labels_are_the_truth_of_the_sample() -> None:
    drawn = cl.sample(SONGS / "strict.csv", 40)
    hits = dict(zip(drawn.column("record"), drawn.column("hits"), strict=True))
    truth = {row["record"]: row["entity"] for row in csv.DictReader((SONGS / "truth.csv").read_text().splitlines())}
    rows = list(csv.DictReader((SONGS / "labelled.csv").read_text("utf-8").splitlines()))
    labels = {row["record"]: row["entity"] for row in rows}
    assert {row["record"]: row["hits"] for row in rows if row["record"] in hits} == hits
    assert all(truth[record] == entity for record, entity in labels.items())
    entities = {row["entity"] for row in rows if row["hits"] == "1"}
    assert {record for record, entity in truth.items() if entity in entities} <= labels.keys()
