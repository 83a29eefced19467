"""CorefUD: every case of the definition, a naive reference on random documents, and what must hold for any two."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coreflens as cl
import corefud_reference as naive
from command import Run
from coreflens.matching.matched import match as match_mentions
from corefud_cases import document, pair, written
from corefud_damage import Doc, Mention, Token, copied, damage
from places import SHARED

CASES = SHARED / "spec" / "cases_families.json"
METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "mor", "zero")
SETTINGS = [
    (match, singletons, zeros)
    for match in ("exact", "head", "partial", "share")
    for singletons in ("keep", "drop-before")
    for zeros in ("dependent", "linear", "drop")
]


def _cases() -> list[Any]:
    if not CASES.exists():
        return []
    data = json.loads(CASES.read_text("utf-8"))
    ours = [c for c in data["cases"] if c["settings"][0]["args"][1] == "corefud"]
    found = [(c, s["args"], s["scores"], f"{c['id']} {s['name']}") for c in ours for s in c["settings"]]
    wrong = [c for c in data["peer_wrong"] if c["args"][1] == "corefud" and isinstance(c["definition"], dict)]
    found += [(c, c["args"], c["definition"], f"{c['id']} {c['setting']}") for c in wrong]
    return [pytest.param(*case[:3], id=case[3]) for case in found]


@pytest.mark.slow
@pytest.mark.skipif(not CASES.exists(), reason="needs ../shared")
@pytest.mark.parametrize(("case", "args", "scores"), _cases())
def test_cases_of_the_definition(case: Any, args: list[str], scores: Any, tmp_path: Path) -> None:
    paths = []
    for name in ("key", "response"):
        paths.append(tmp_path / f"{name}.conllu")
        paths[-1].write_text(case[name], "utf-8")
    options: Any = dict(zip([a.lstrip("-") for a in args[::2]], args[1::2], strict=True))
    options.pop("format")
    result = cl.score(*paths, metrics=options.pop("m"), **options)
    for metric, numbers in scores.items():
        got = result[metric]
        found = [got.f1] if metric == "conll" else [got.recall, got.precision, got.f1]
        assert [float(x or 0) for x in found] == pytest.approx(numbers, abs=1e-9), metric


# ---------------------------------------------------------------------------------------------- random documents


def unrepeated(doc: Doc) -> bool:
    """Whether no two entities have a mention with the same words: what becomes of these is another question."""
    words = [m.words for entity in naive.entities(doc) for m in entity]
    return len(set(words)) == len(words)


def scored(key: Path, response: Path, **settings: Any) -> cl.Result:
    """As `score`, but files that look wrong, for they have no mention in common, are scored nevertheless."""
    scorer = cl.Scorer(key, **settings)
    return scorer.result(match_mentions(scorer.key, scorer.read(response), scorer.options, lenient=True))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**9), setting=st.sampled_from(SETTINGS))
def test_equals_a_naive_reference(seed: int, setting: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    doc, other = pair(seed)
    if not (unrepeated(doc) and unrepeated(other) and doc.entities and other.entities):
        return
    folder = tmp_path_factory.mktemp("naive")
    match, singletons, zeros = setting
    wanted = naive.scores(doc, other, match, singletons, zeros)
    paths = written([doc], folder / "k.conllu"), written([other], folder / "r.conllu")
    how: Any = {"match": match, "singletons": singletons, "zeros": zeros, "metrics": METRICS, "exact": True}
    result = scored(*paths, protocol="corefud", **how)
    for metric in METRICS:
        score = result[metric]
        assert {n: score.numbers()[n] for n in ("recall", "precision", "f1")} == wanted[metric], (metric, setting)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), setting=st.sampled_from(SETTINGS), ties=st.sampled_from(("definition", "scipy")))
def test_one_to_one_whatever_the_order(
    seed: int, setting: Any, ties: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Mentions, entities, documents and files in another order change nothing; nobody meets two."""
    random = Random(seed)
    pairs = [pair(seed + n) for n in range(3)]
    for n, (doc, other) in enumerate(pairs):
        doc.name = other.name = f"d{n}"
    folder = tmp_path_factory.mktemp("order")
    match, singletons, zeros = setting
    options: Any = {"match": match, "singletons": singletons, "zeros": zeros}
    if match != "exact" or zeros == "dependent":  # otherwise there is no choice
        options["ties"] = ties
    docs = [[p[s] for p in pairs] for s in (0, 1)]
    paths = [written(docs[s], folder / f"{s}.conllu") for s in (0, 1)]
    before = scored(*paths, protocol="corefud", metrics=METRICS, exact=True, **options)
    settled = cl.Scorer(paths[0], protocol="corefud", **options)
    matching = match_mentions(settled.key, settled.read(paths[1]), settled.options, lenient=True).alignment.matching
    met = matching.found[matching.found >= 0]
    assert len(np.unique(met)) == len(met)
    if not all(unrepeated(doc) for side in docs for doc in side):
        return
    shuffled = []
    for s in (0, 1):
        for doc in docs[s]:
            random.shuffle(doc.entities)
            for entity in doc.entities:
                random.shuffle(entity)
        order = random.sample(docs[s], 3)
        (folder / f"more{s}").mkdir()
        for n, part in enumerate((order[:1], order[1:])):
            written(part, folder / f"more{s}" / f"{'ba'[n]}.conllu")
        shuffled.append(folder / f"more{s}")
    after = scored(*shuffled, protocol="corefud", metrics=METRICS, exact=True, **options)
    assert before.to_dict()["scores"] == after.to_dict()["scores"]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_what_matches_more_finds_more(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    doc, other = pair(seed)
    if not (unrepeated(doc) and unrepeated(other)):
        return
    folder = tmp_path_factory.mktemp("more")
    paths = written([doc], folder / "k.conllu"), written([other], folder / "r.conllu")
    recall: dict[str, float] = {}
    for match in ("exact", "head", "partial", "share"):
        found = scored(*paths, protocol="corefud", match=match, singletons="keep", metrics="mentions")
        recall[match] = float(found["mentions"].recall or 0)
    assert recall["partial"] >= recall["exact"] <= recall["share"]
    heads = {m.words: m.head for entity in naive.entities(doc) for m in entity}
    if all(heads.get(m.words, m.head) == m.head for entity in naive.entities(other) for m in entity):
        assert recall["head"] >= recall["exact"]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**9), match=st.sampled_from(("exact", "head", "partial", "share")))
def test_without_zeros_their_option_changes_nothing(
    seed: int, match: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    random = Random(seed)
    doc = document(random)
    for sentence in doc.sentences:
        sentence[:] = [t for t in sentence if not t.empty]
    damage(doc, random, 0)
    other = copied(doc)
    if other.entities:
        damage(other, random, 0.5)
    folder = tmp_path_factory.mktemp("none")
    paths = written([doc], folder / "k.conllu"), written([other], folder / "r.conllu")
    found = [
        scored(*paths, protocol="corefud", match=match, zeros=zeros, metrics=METRICS).to_dict()["scores"]
        for zeros in ("dependent", "linear", "drop")
    ]
    assert found[0] == found[1] == found[2]


# ------------------------------------------------------------------------------------------------- declared of zeros


def test_zero_is_one_for_a_key_against_itself(tmp_path: Path) -> None:
    ones = 0
    for seed in range(60):
        path = written([pair(seed)[0]], tmp_path / "k.conllu")
        score = scored(path, path, metrics="zero")["zero"]
        assert "f1" in score.undefined or score.f1 == 1
        ones += score.f1 == 1
    assert ones > 5


def test_zero_is_not_symmetric(tmp_path: Path) -> None:
    """A zero of the key that the response takes for a word counts; as a response it is spurious."""
    tokens = [Token("a"), Token("b"), Token("c")]
    zero = Token("_", "PRON", tokens[1], "nsubj", empty=True)
    paths = []
    for name, head in (("k", zero), ("r", tokens[2])):
        mentions = [Mention([(tokens[0], tokens[0])], tokens[0]), Mention([(zero, tokens[2])], head)]
        paths.append(written([Doc("d", [[*tokens[:2], zero, tokens[2]]], [mentions])], tmp_path / f"{name}.conllu"))
    there, back = (scored(*some, metrics="zero")["zero"].counts for some in (paths, paths[::-1]))
    assert [there[n] for n in ("recall_num", "recall_den", "precision_num", "precision_den")] == [1, 1, 1, 1]
    assert [back[n] for n in ("recall_num", "recall_den", "precision_num", "precision_den")] == [0, 0, 0, 1]


# ------------------------------------------------------------------------------------------- what the command shows


def test_matchings_in_one_table_and_the_alignment(run: Run, tmp_path: Path) -> None:
    tokens = [Token(w) for w in "abcd"]
    sides = []
    for name, first in (("k", tokens[0]), ("r", tokens[1])):
        mentions = [Mention([(first, tokens[2])], tokens[2]), Mention([(tokens[3], tokens[3])], tokens[3])]
        sides.append(str(written(Doc("d", [tokens], [mentions]), tmp_path / f"{name}.conllu")))
    plain = run("score", *sides, "--protocol", "corefud", "-m", "muc", "--alignment", "--format", "json").json
    assert plain["alignment"] == [
        {"document": "d", "key": [0, 2], "response": [1, 2], "by": "head"},
        {"document": "d", "key": [3, 3], "response": [3, 3], "by": "exact"},
    ]
    assert run("score", *sides, "--alignment").code == 2
    table = run("score", *sides, "--protocol", "corefud", "-m", "muc", "--match", "exact,head,partial,share").out
    rows = [line.split() for line in table.splitlines() if " match " in line]
    assert [(row[0], row[2]) for row in rows] == [
        *(("exact", "0.00"), ("head", "100.00"), ("partial", "100.00"), ("share", "100.00"))
    ]


def test_supplement(run: Run, tmp_path: Path) -> None:
    doc, other = pair(5)
    paths = [str(written(d, tmp_path / f"{n}.conllu")) for n, d in (("k", doc), ("r", other))]
    how = ("--protocol", "corefud", "--supplement", "--no-common", "score")
    plain = run("score", *paths, *how, "--format", "json").json
    assert len(plain) == 4
    exact = scored(Path(paths[0]), Path(paths[1]), protocol="corefud", match="exact", metrics=["conll", "mor"])
    assert plain["exact match"]["scores"]["conll"]["f1"] == pytest.approx(float(exact.conll))
    assert plain["exact match"]["scores"]["mor"]["f1"] == pytest.approx(float(exact["mor"].main))
    table = run("score", *paths, *how).out
    assert "with singletons" in table
    assert run("score", *paths, "--supplement").code == 2


def test_other_words_and_mentions_over_sentences(run: Run, tmp_path: Path) -> None:
    doc, _ = pair(5)
    key = written(doc, tmp_path / "k.conllu")
    text = key.read_text("utf-8")
    other = tmp_path / "r.conllu"
    other.write_text(text.replace("\tw1\t", "\tanother\t", 1), "utf-8")
    line = 1 + next(n for n, row in enumerate(other.read_text("utf-8").split("\n")) if "another" in row)
    ran = run("score", key, other, "--protocol", "corefud")
    assert ran.code == 3 and f"r.conllu:{line}" in ran.err and "--align characters" in ran.err
    how = ("--protocol", "corefud", "--singletons", "keep")
    assert run("score", key, other, *how, "--match", "exact").code == 0
    row = "1\t{0}\t_\t_\t_\t_\t0\troot\t_\tEntity={1}\n\n"
    header = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    other.write_text(header + row.format("a", "(e1--1-") + row.format("b", "e1)"), "utf-8")
    assert "over the end of a sentence" in run("score", other, other, *how).err


def test_other_sentences_are_reported(run: Run, tmp_path: Path) -> None:
    """The words are the same, so the mentions meet; a note says where the sentences differ, with the line."""
    row = "{0}\t{1}\t_\t_\t_\t_\t{2}\tdep\t_\t{3}\n"
    header = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    first = row.format(1, "Ann", 0, "Entity=(e1--1)") + row.format(2, "slept", 1, "_")
    second = row.format(1, "She", 0, "Entity=(e1--1)") + row.format(2, "woke", 1, "_")
    joined = first + row.format(3, "She", 0, "Entity=(e1--1)") + row.format(4, "woke", 1, "_")
    key, response = tmp_path / "k.conllu", tmp_path / "r.conllu"
    key.write_text(header + first + "\n" + second + "\n", "utf-8")
    response.write_text(header + joined + "\n", "utf-8")
    for one, other, line in ((key, response, "k.conllu:6"), (response, key, "k.conllu:6")):
        for match in ("head", "exact"):
            ran = run("score", one, other, "--protocol", "corefud", "--match", match, "--format", "json")
            (issue,) = [i for i in json.loads(ran.out)["issues"] if i["code"] == "sentences"]
            assert [Path(place).name for place in issue["places"]] == [line]
            assert "Give the response the key's sentences" in issue["message"]
            assert json.loads(ran.out)["scores"]["conll"]["f1"] == 1
    assert "sentences" not in run("score", key, key, "--protocol", "corefud").err
    empty = "0.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"
    response.write_text(header + empty + "\n" + first + "\n" + second + "\n", "utf-8")
    assert "split in other places" not in run("score", key, response, "--protocol", "corefud").err
