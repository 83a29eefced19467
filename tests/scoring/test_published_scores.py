"""Real data: published scores reproduce to the last digit printed, files score 100 against themselves.

The files are no part of the project (../shared/data); without them these tests are skipped.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import coreflens as cl
from coreflens.metrics import METRICS, Metric
from places import DATA
from samples import paths

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}")

HYPERCOREF, BEYOND, DBLINK = DATA / "hypercoref_cdcr", DATA / "cdcr_beyond", DATA / "er_rldata_dblink"
VALUES = {"R": "recall", "P": "precision", "F1": "f1"}


# ---- HyperCoref (Bugert & Gurevych 2021): scores with all digits of a float

Row = dict[tuple[str, str], float]


def hypercoref_scores(path: Path) -> dict[tuple[str, ...], Row]:
    """(scenario, experiment, topics, seed) → (metric, value) → score; conll is in percent."""
    with path.open(encoding="utf-8", newline="") as file:
        metrics, values, _, *rows = csv.reader(file)
    columns = list(zip(metrics, values, strict=True))[6:]
    return {(row[0], row[1], row[4], row[5]): dict(zip(columns, map(float, row[6:]), strict=True)) for row in rows}


def check_hypercoref(system: Path, row: Row) -> None:
    key = HYPERCOREF / "key" / "ecbp" / "test_events_corpus_level.conll"
    result = cl.score(key, system, protocol="ecbplus:all")
    assert {metric for metric, _ in row} == set(result)
    for (metric, value), published in row.items():
        scale = 100 if metric == "conll" else 1
        assert abs(scale * getattr(result[metric], VALUES[value]) - published) <= 2e-13 * scale, (metric, value)


def test_hypercoref() -> None:
    rows = hypercoref_scores(HYPERCOREF / "scores_for_these_files.csv")
    for system in sorted((HYPERCOREF / "sys_cdcr").rglob("*.conll")):
        scenario, experiment, _, _, topics, seed, _ = system.relative_to(HYPERCOREF / "sys_cdcr").parts
        check_hypercoref(system, rows.pop((scenario, experiment, topics, seed)))
    assert not rows


def test_hypercoref_with_predicted_mentions() -> None:
    rows = hypercoref_scores(HYPERCOREF / "sys_mentiondetection_all_scores_unaggregated.csv")
    (system,) = (HYPERCOREF / "sys_mentiondetection").rglob("*.conll")
    scenario, experiment, _, _, topics, seed, _ = system.relative_to(HYPERCOREF / "sys_mentiondetection").parts
    check_hypercoref(system, rows[scenario, experiment, topics, seed])


# ---- Beyond corpus-tailored CDCR (Bugert et al. 2021): six decimals, or percentages with two


def beyond_tables() -> Iterator[tuple[Path, Path, Path]]:
    """Key, response, and the file that has the scores."""
    for scores in sorted(BEYOND.rglob("eval_*.txt")):
        yield scores.with_name("gold.conll"), scores.with_name("system.conll"), scores
    for scores in sorted(BEYOND.rglob("scores.txt")):
        (response,) = scores.parent.glob("*.response_conll")
        yield BEYOND / "ba2019" / "ecbp_CD_test_event_mention_based.key_conll", response, scores


def beyond_scores(path: Path) -> Iterator[tuple[str, str, float, float]]:
    """Metric, value, the score, and how far off rounding may put it."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if fields := re.fullmatch(r"(\w+)\s+Recall: (\S+)\s+Precision: (\S+)\s+F1: (\S+)", line):
            for value, text in zip(("recall", "precision", "f1"), fields.groups()[1:], strict=True):
                yield fields[1], value, float(text) / 100, 5e-5
        elif fields := re.fullmatch(r"CoNLL score: (\S+)", line):
            yield "conll", "f1", float(fields[1]) / 100, 5e-5
        elif fields := re.fullmatch(r"(\w+)\s+([\d.]+)\s+(\S+)\s+(\S+)", line):
            for value, text in zip(("f1", "precision", "recall"), fields.groups()[1:], strict=True):
                if text != "nan":
                    yield fields[1], value, float(text), 5e-7


def test_beyond_corpus_tailored_cdcr() -> None:
    checked = tables = 0
    for key, response, scores in beyond_tables():
        scope = "document" if key.parent.name == "within_doc" else None
        result = cl.score(key, response, protocol="ecbplus:all", scope=scope)
        tables += 1
        for metric, value, published, rounding in beyond_scores(scores):
            found = getattr(result[metric], value)
            assert abs(found - published) <= rounding * (1 + 1e-9), (scores, metric, value)
            checked += 1
    assert tables == 12
    assert checked == 10 * 13 + 2 * 16


# ---- ECB+ as it is distributed: events and entities apart


ECB = DATA / "ecbplus_xml"


def test_the_kinds_of_ecb_by_a_plain_parse() -> None:
    """Mentions and entities of either kind, within and across documents, from the XML alone."""
    found: dict[str, dict[str, set[tuple[str, str]]]] = {"event": {}, "entity": {}}
    for path in sorted(ECB.rglob("*.xml")):
        root = ElementTree.parse(path).getroot()
        marks = {m.get("m_id"): m.tag for m in root.iterfind("Markables/*") if m.find("token_anchor") is not None}
        instances = {m.get("m_id"): m.get("instance_id") for m in root.iterfind("Markables/*")}
        home = {
            source.get("m_id"): instances.get(target.get("m_id")) or f"{path.name} {relation.get('r_id')}"
            for relation in root.iterfind("Relations/*")
            for target in relation.iter("target")
            for source in relation.iter("source")
        }
        for m, tag in marks.items():
            kind = "event" if tag.startswith(("ACTION", "NEG_ACTION")) else "entity"
            found[kind].setdefault(home.get(m) or f"{path.name} {m}", set()).add((path.name, str(m)))
    for kind, entities in found.items():
        protocol: Any = f"ecbplus:{kind}"
        result = cl.score(ECB, ECB, protocol=protocol)
        assert result["mentions"].counts["recall_den"] == sum(map(len, entities.values()))
        assert result["muc"].counts["recall_den"] == sum(len(e) - 1 for e in entities.values())
        assert result["ceafe"].counts["recall_den"] == len(entities)
    both = cl.score(ECB, ECB, protocol="ecbplus:all")["mentions"].counts["recall_den"]
    assert both == sum(len(e) for entities in found.values() for e in entities.values())


# ---- entity resolution: RLdata10000 by dblink (Marchant et al. 2021)


@pytest.mark.slow
def test_rldata_by_dblink() -> None:
    truth = np.loadtxt(DBLINK / "identity.RLdata10000.tsv", dtype=np.int64, skiprows=1)
    folder = DBLINK / "RLdata10000_2partitions_PCG-I"
    lines = (folder / "shared-most-probable-clusters.csv").read_text(encoding="utf-8").splitlines()
    clusters = [[int(record) - 1 for record in line.split(",")] for line in lines]
    labels = np.empty_like(truth)
    for label, cluster in enumerate(clusters):
        labels[cluster] = label
    entities: dict[int, list[int]] = {}
    for record, entity in enumerate(truth.tolist()):
        entities.setdefault(entity, []).append(record)
    report = (folder / "evaluation-results.txt").read_text(encoding="utf-8")
    published = {name: float(x) for name, x in re.findall(r"^ (.+?):\s+(\S+)$", report, re.MULTILINE)}
    assert set(published) == {"Precision", "Recall", "F1-score", "Adj. Rand index"}
    for result in (
        cl.score(truth, labels, metrics="pairs,ari"),
        cl.score(list(entities.values()), clusters, metrics="pairs,ari"),
        cl.score(truth, labels, metrics="pairs,ari", exact=True),
    ):
        pairs, ari = result["pairs"], result["ari"]
        found = {
            "Precision": pairs.precision,
            "Recall": pairs.recall,
            "F1-score": pairs.f1,
            "Adj. Rand index": ari.value,
        }
        for name, x in found.items():
            assert x is not None
            assert abs(float(x) - published[name]) <= 1e-14, name


# ---- every file against itself

# Directory → how many of its files are CoNLL, jsonlines or membership tables.
READABLE = {
    "berkeley_ontonotes_sample": 9,
    "cdcr_beyond": 23,
    "corefconversion": 1,
    "democrat_ancor": 2,
    "diverse_cdcr": 1,
    "ecbplus_key": 1,
    "er_other": 1,
    "gentle": 4,
    "gerdracor_parallel": 3,
    "gum": 8,
    "hypercoref_cdcr": 7,
    "koconovel": 24,
    "litbank": 6,
    "model_based_coref": 3,
    "ontogum": 8,
    "openboek": 1,
    "semeval2010_systems": 3,
    "xrenner_example": 1,
}
BROKEN = {  # recognised, and refused for a good reason
    "corefconversion/testing_sacr2conll.conll": "closed but was never opened",
    "scorer_tests_scorch/clusters.json": "not a list",
    "scorer_tests_scorch/conll/conll.json": "a mention must be a string",  # settings of tests
    "semeval2010_systems/original_task/sucre/closed/regular/es.txt": "not understood",
    "semeval2010_systems/original_task/ubiu/closed/regular/es.txt": "not coreference",
}
NO_MENTIONS = {"opener_kaf/output-es.kaf"}  # its writer stopped before the coreference layer
FOLDERS = (
    sorted({path.relative_to(DATA).parts[0] for path in paths()}) if DATA.is_dir() else []
)  # what docs/real-files.md lists


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_files_score_100_against_themselves(folder: str) -> None:
    readable = 0
    for file in sorted(path for path in (DATA / folder).rglob("*") if path.is_file()):
        try:
            corpus = cl.read(file)
        except cl.InputError as error:
            reason = BROKEN.get(str(file.relative_to(DATA)), r"does not read|not a coreference format")
            assert re.search(reason, str(error)), error
            continue
        readable += 1
        if not len(corpus):
            assert str(file.relative_to(DATA)) in NO_MENTIONS
            continue
        result = cl.score(corpus, corpus, metrics="bcub,ceafm,ceafe")
        for score in result.values():
            assert all(abs(float(x) - 1) <= 1e-12 for x in score.numbers().values()), (file, score)
    assert readable >= READABLE.get(folder, 0)


# ---- two annotations of one text, exchanged


def annotator(name: str) -> Path:
    return DATA / "gerdracor_parallel" / f"Emilia-{name}_Act1.part.xml.rksp.0.CoNLL2012.conll"


def real_pairs() -> Iterator[tuple[Path, Path]]:
    yield annotator("IV"), annotator("LF")
    yield from combinations(sorted((DATA / "model_based_coref").rglob("*.conll")), 2)
    variants = sorted((DATA / "koconovel" / "conll").iterdir())
    for a, b in combinations(variants, 2):
        for file in sorted(a.rglob("*.conll")):
            yield file, b / file.relative_to(a)
    yield from (tables[:2] for tables in beyond_tables())
    key = HYPERCOREF / "key" / "ecbp" / "test_events_corpus_level.conll"
    yield from ((key, system) for system in sorted(HYPERCOREF.glob("sys_*/**/*.conll")))
    stanford = DATA / "berkeley_ontonotes_sample"
    yield stanford / "classified" / "stanford.gold", stanford / "homogenised" / "stanford.homogenised.out"


PAIRS = list(real_pairs()) if DATA.is_dir() else []


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=[f"{a.relative_to(DATA)} {b.name}" for a, b in PAIRS])
def test_exchanging_the_files_exchanges_recall_and_precision(a: Path, b: Path) -> None:
    there, back = (cl.score(*files, metrics="all", pair="file") for files in ((a, b), (b, a)))
    exchanged = {"recall": "precision", "precision": "recall"}
    for name, metric in METRICS.items():
        if isinstance(metric, Metric) and metric.symmetric:
            if metric.zero_over_zero and 0 in (there[name].counts["recall_den"], there[name].counts["precision_den"]):
                continue  # 0/0 is another number for recall than for precision
            assert there[name].undefined == {exchanged.get(n, n) for n in back[name].undefined}
            for value, x in there[name].numbers().items():
                y = getattr(back[name], exchanged.get(value, value))
                assert (x != x and y != y) or abs(x - y) <= 1e-12, (there[name], back[name])


@pytest.mark.slow
def test_real_pairs_are_there_and_differ() -> None:
    assert len(PAIRS) == 1 + 3 + 36 + 12 + 6 + 1
    differ = [cl.score(a, b, metrics="bcub", pair="file")["bcub"] for a, b in PAIRS]
    assert sum(score.recall != score.precision for score in differ) > 40


def test_annotators_who_cut_the_text_differently_are_refused() -> None:
    """The third annotator of the play has five tokens fewer."""
    with pytest.raises(cl.InputError, match="5434 tokens in the key and 5429 in the response"):
        cl.score(annotator("IV"), annotator("SE"))
