"""Typed errors, what they cost, and who loses the points: against naive versions, rescoring, and published files."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run, conll
from coreflens.diagnosis.classes import CLASSES
from coreflens.diagnosis.repairs import Correction, repaired
from coreflens.formats import concatenate
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source
from coreflens.metrics import SETS
from coreflens.options import Singletons
from diagnosing import Doc, corpus, diagnosed, docs, spanned
from places import DATA

# ------------------------------------------------------------------------------------------------------------- classes


def naive(doc: Doc) -> Counter[tuple[str, frozenset[int]]]:
    """The errors of a document, set by set."""
    sides: list[dict[int, set[int]]] = [{}, {}]
    for place, token in enumerate(doc):
        for side in (0, 1):
            if (label := token[side]) is not None:
                sides[side].setdefault(label, set()).add(place)
    found: Counter[tuple[str, frozenset[int]]] = Counter()
    for side, names in (
        (0, ("missing entity", "missing mention", "divided entity")),
        (1, ("extra entity", "extra mention", "conflated entities")),
    ):
        others = [*sides[1 - side].values()]
        there = set().union(*others)
        for entity in sides[side].values():
            nouns = {m for m in entity if not doc[m][2]}
            anchor = min(nouns or entity)
            alone = entity - there
            whole = not (nouns & there) and (len(alone) > 1 or alone == entity)
            if whole:
                found[names[0], frozenset(entity if side == 0 else alone)] += 1
            for mention in alone if not whole else ():
                if mention != anchor:
                    found[names[1], frozenset({mention})] += 1
            for other in others:
                piece = entity & other
                if piece and piece != entity and anchor not in piece:
                    lacking = side == 0 and anchor not in there
                    found["missing antecedent" if lacking else names[2], frozenset(piece)] += 1
    return found


@given(docs)
def test_classes_are_those_of_the_naive_procedure(documents: list[Doc]) -> None:
    d = diagnosed(documents)
    expected: Counter[Any] = Counter()
    for number, doc in enumerate(documents):
        expected.update({(f"d{number}", *error): n for error, n in naive(doc).items()})
    found = Counter((e.document, e.kind, frozenset(int(m[1:]) for m in e.mentions)) for e in d.errors())
    assert found == expected
    assert d.counts() == {kind: sum(n for (_, k, _), n in expected.items() if k == kind) for kind in CLASSES}


def test_a_missing_first_mention_is_no_divided_entity(run: Run, tmp_path: Path) -> None:
    """Nothing is divided: the response lacks “Ida” and has what follows it, as one entity."""
    (tmp_path / "key.conll").write_text(conll("(1)", "-", "(1)", "-", "(1)"))
    (tmp_path / "response.conll").write_text(conll("-", "-", "(1)", "-", "(1)"))
    d = cl.diagnose(tmp_path / "key.conll", tmp_path / "response.conll")
    assert {kind: n for kind, n in d.counts().items() if n} == {"missing antecedent": 1}
    (error,) = d.errors()
    assert (error.text, error.of, str(error)) == ("w2", "w0", "“w0” before “w2” and 1 more")
    assert [*d.corrected().clusters(0).values()] == [*cl.read(tmp_path / "key.conll").clusters(0).values()]
    ran = run("diagnose", tmp_path / "key.conll", tmp_path / "response.conll", "--only", "class=missing-antecedent")
    assert ran.code == 0
    assert "missing antecedent" in ran.out
    assert "divided entity" not in ran.out
    assert "[only-class]" in ran.err  # the old spelling: --errors chooses errors now


def test_without_tags_no_mention_is_a_pronoun() -> None:
    #          the response has an entity with two spurious mentions and a pronoun of another entity
    doc: list[Doc] = [[(None, 0, False), (None, 0, False), (1, 0, True), (1, 1, False)]]
    assert diagnosed(doc).counts()["extra entity"] == 1
    without = diagnosed(doc, tags=False)
    assert without.counts()["extra entity"] == 0
    assert without.counts()["extra mention"] == 1  # the first is what the entity is taken to be
    assert "unknown (no tags)" in without.known
    assert "types: tags" in diagnosed(doc).known


def test_span_errors() -> None:
    key = spanned((0, 4), (7, 7), (11, 15), (14, 15))
    # "old fox's den" lacks "the"; "the den of a fox" and "den" share a head if the source says so
    response = spanned((1, 4), (7, 7), (12, 12), (14, 15))
    d = cl.diagnose(key, response)
    assert [(e.kind, e.text, e.mentions[0]) for e in d.errors(kind="span error")] == [
        ("span error", "The old fox 's den", "old fox 's den")
    ]
    heads = {(11, 15): 12, (12, 12): 12, (14, 15): 15}
    with_heads = cl.diagnose(spanned((0, 4), (7, 7), (11, 15), (14, 15), head=heads), response)
    assert with_heads.counts() == dict.fromkeys(CLASSES, 0) | {"span error": 2}
    assert "head column" in with_heads.known
    assert with_heads.price()["conll"] == pytest.approx(1 - float(with_heads.scores.conll))
    # two candidates for one head are left alone
    two = cl.diagnose(
        spanned((0, 4), (7, 7), (11, 15), (14, 15), head=heads), spanned((12, 12), (11, 12), (0, 4), (7, 7))
    )
    assert two.counts()["span error"] == 0


# ------------------------------------------------------------------------------------------------------------- prices


def entities(c: cl.Corpus) -> list[set[frozenset[Any]]]:
    return [{frozenset(x) for x in c.clusters(d).values()} for d in range(len(c.documents))]


@given(docs, st.booleans())
def test_all_corrections_give_the_key(documents: list[Doc], tags: bool) -> None:
    d = diagnosed(documents, tags=tags)
    assert entities(d.corrected()) == entities(corpus(documents, 0))
    assert entities(d.corrected(kind=[])) == entities(corpus(documents, 1))


@given(docs)
def test_prices_in_turn_sum_to_the_whole_gap(documents: list[Doc]) -> None:
    d = diagnosed(documents, metrics="all")
    key = corpus(documents, 0)
    perfect = cl.score(key, key, metrics=d.metrics)
    for name in d.metrics:
        if d.scores[name].main == d.scores[name].main:  # those for equal mentions may not apply
            gap = float(perfect[name].main) - float(d.scores[name].main)
            assert sum(price.next[name] for price in d.classes) == pytest.approx(gap, abs=1e-12)
    assert d.classes[-1].after["conll"] == pytest.approx(float(perfect.conll))
    assert d.price() == pytest.approx({n: sum(p.next[n] for p in d.classes) for n in d.metrics}, abs=1e-12)


@given(docs, st.integers(0, 2 ** len(CLASSES) - 1), st.sampled_from(["keep", "drop", "drop-response", "drop-before"]))
def test_a_price_is_the_score_of_the_corrected_response(
    documents: list[Doc], classes: int, singletons: Singletons
) -> None:
    d = diagnosed(documents, singletons=singletons)
    chosen = [kind for number, kind in enumerate(CLASSES) if classes >> number & 1]
    key = corpus(documents, 0)
    rescored = cl.score(key, d.corrected(kind=chosen), metrics=d.metrics, singletons=singletons)
    before = cl.score(key, corpus(documents, 1), metrics=d.metrics, singletons=singletons)
    price = d.price(kind=chosen)
    for name in d.metrics:
        assert float(d.scores[name].main) == pytest.approx(float(before[name].main))
        assert price[name] == pytest.approx(float(rescored[name].main) - float(before[name].main), abs=1e-12)


@given(docs, st.booleans(), st.sampled_from(["keep", "drop-response"]))
def test_the_best_repairs_are_the_best_of_all(documents: list[Doc], tags: bool, singletons: str) -> None:
    d = diagnosed(documents, tags=tags, singletons=singletons)
    numbers = range(len(d.found))
    every = d.prices.changes([Correction(repaired(d.evidence, d.found, np.arange(len(d.found)) == n)) for n in numbers])
    gains = sorted((change["conll"] for change in every if change["conll"] > 1e-12), reverse=True)
    best = [r for r in d.repairs(3) if r.alone["conll"] > 1e-12]
    assert [r.alone["conll"] for r in best] == pytest.approx(gains[:3])
    for repair in best:
        assert repair.alone == pytest.approx(every[repair.error.number])


@given(docs)
def test_entities_and_mentions_put_right(documents: list[Doc]) -> None:
    """A corrected entity is in the response; a corrected mention never makes a perfect response worse."""
    d = diagnosed(documents)
    for loss in d.entities(100):
        assert set(loss.change) == set(d.metrics)
        if loss.side == "key":
            assert sum(loss.recall.values()) > 0 and not loss.precision
    same = cl.diagnose(corpus(documents, 0), corpus(documents, 0))
    assert not same.entities() and not same.mentions() and not same.repairs() and not same.errors()


# ------------------------------------------------------------------------------------------------------------- account


@given(docs, st.sampled_from(["type", "length", "size", "distance", "position", "document", "speaker"]))
def test_cells_sum_to_the_whole(documents: list[Doc], field: str) -> None:
    d = diagnosed(documents)
    cells = d.scores_by(field)
    assert sum(c.key for c in cells) == len(d.evidence.key)
    assert sum(c.response for c in cells) == len(d.evidence.response)
    result = cl.score(corpus(documents, 0), corpus(documents, 1))
    key, response = d._accounts
    for name in ("mentions", "muc", "bcub", "lea"):
        counts = result[name].counts
        for account, part in ((key, "recall"), (response, "precision")):
            assert account.gained[name].sum() == pytest.approx(float(counts[f"{part}_num"]))
            assert account.possible[name].sum() == pytest.approx(float(counts[f"{part}_den"]))
            if counts[f"{part}_den"]:
                lost = 1 - float(getattr(result[name], part))
                assert account.lost(name).sum() == pytest.approx(lost)
                assert account.by_entity(name, 99).sum() == pytest.approx(lost)


@given(docs)
def test_wrong_links_are_what_muc_loses(documents: list[Doc]) -> None:
    d = diagnosed(documents)
    counts = cl.score(corpus(documents, 0), corpus(documents, 1))["muc"].counts
    kinds = Counter(link.kind for link in d.links)
    assert kinds["lost"] == counts["recall_den"] - counts["recall_num"]
    assert kinds["spurious"] == counts["precision_den"] - counts["precision_num"]
    assert sum(sum(c.values()) for c in d.link_counts().values()) == len(d.links)


def test_antecedents_of_wrong_links() -> None:
    """A pronoun is linked to the closest mention, others to the closest nominal (or name) before."""
    doc: list[Doc] = [[(0, 0, False), (0, 0, True), (0, 1, True), (0, 2, False), (0, 0, True)]]
    links = [(x.anaphor, x.antecedent) for x in diagnosed(doc).links if x.kind == "lost"]
    assert links == [("w2", "w1"), ("w3", "w0")]  # w4 is with w1 on both sides


def test_names_are_the_most_accessible_antecedents() -> None:
    sides = []
    for entities in ([0, 0, 0, 0], [0, 1, 2, 3]):
        builder = Builder(Source(b"", "x.conll"), "conll")
        builder.document("d")
        for place, tag in enumerate(("NNP", "NN", "NN", "PRP")):
            builder.token(f"w{place}", place + 1, False, pos=tag)
        for place, entity in enumerate(entities):
            builder.mention(place, place, entity)
        sides.append(replace(builder.build(), source=""))
    d = cl.diagnose(*sides)
    assert [(x.anaphor, x.antecedent) for x in d.links] == [("w1", "w0"), ("w2", "w0"), ("w3", "w2")]
    assert d.link_counts() == {
        ("nominal", "name"): {"lost": 2, "spurious": 0},
        ("pronoun", "nominal"): {"lost": 1, "spurious": 0},
    }


# ------------------------------------------------------------------------------------------------------ choice, output

DOC: list[Doc] = [
    [(0, 0, False), (0, 0, True), (0, None, True), (1, 0, False), (1, 1, False), (None, 1, False), (2, None, False)],
    [(0, 0, False), (0, 1, False), (0, 1, True)],
]


def test_errors_are_filtered_grouped_and_counted() -> None:
    d = diagnosed(DOC)
    assert d.counts(type="pronoun") == dict.fromkeys(CLASSES, 0) | {"missing mention": 1}
    assert [e.text for e in d.errors(kind="missing-mention")] == ["w2"]
    assert d.count_by("type")["pronoun"]["missing mention"] == 1
    assert sum(d.counts(document="d1").values()) == 1
    assert sum(sum(row.values()) for row in d.count_by(lambda document: document.name).values()) == len(d.errors())
    assert d.count_by({"d0": "old", "d1": "new"})["new"]["divided entity"] == 1
    with pytest.raises(cl.UsageError, match="missing mention"):
        d.errors(kind="missing mentoin")
    with pytest.raises(cl.UsageError, match="pronoun"):
        d.errors(type="pronuon")


def test_an_error_says_where_it_is() -> None:
    (error,) = diagnosed(DOC).errors(kind="missing mention")
    assert (error.document, error.text, error.context, error.place) == (
        "d0",
        "w2",
        "w0 w1 [w2] w3 w4 w5 w6",
        "0.conll:3",
    )
    assert str(error) == "“w2” of “w0”"


def test_several_spans_that_are_alike_are_paired_in_their_order() -> None:
    """All of these are "old fox" without "the" and "'s"."""
    d = cl.diagnose(spanned((1, 2), (0, 3), (7, 7)), spanned((0, 2), (1, 3), (7, 7)))
    assert [(e.text, e.mentions[0]) for e in d.errors(kind="span error")] == [
        ("The old fox 's", "The old fox"),
        ("old fox", "old fox 's"),
    ]


def test_names_and_characters_are_diagnosed_without_spans() -> None:
    d = cl.diagnose([["a", "b", "c"], ["d", "e"]], [["a", "b"], ["d", "e", "x"]])
    assert {k: n for k, n in d.counts().items() if n} == {"missing mention": 1, "extra mention": 1}
    assert "names only" in d.known
    assert entities(d.corrected()) == [{frozenset("abc"), frozenset("de")}]


def test_trees_that_cannot_be_read_are_not_used() -> None:
    builder = Builder(Source(b"", "x.conll"), "conll")
    builder.document("d")
    for place in range(3):
        builder.token(f"w{place}", place + 1, False, parse="*)", pos="NN", speaker="ab"[place > 1])
        builder.mention(place, place, 0, line=place + 1)
    key = replace(builder.build(), source="")
    d = cl.diagnose(key, [[(0, 0), (1, 1)]])
    assert [issue.code for issue in d.issues] == ["trees"]
    assert d.known == "heads: last token; types: tags"
    assert {c.value: (c.key, c.response) for c in d.scores_by("speaker")} == {"a": (2, 2), "b": (1, 0)}
    assert d.counts(speaker="b")["missing mention"] == 1
    assert d.count_by("pos") == {"NN": dict.fromkeys(CLASSES, 0) | {"missing mention": 1}}


def test_spans_without_words() -> None:
    d = cl.diagnose([[(0, 1), (4, 4)], [(6, 8)]], [[(0, 1), (4, 5)], [(6, 8), (9, 9)]])
    assert {k: n for k, n in d.counts().items() if n} == {"missing mention": 1, "extra mention": 2}


def test_errors_for_machines_have_features(run: Run, tmp_path: Path) -> None:
    run("demo", "--write", tmp_path)
    ran = run("diagnose", tmp_path / "key.conll", tmp_path / "response.conll", "--show", "errors", "--format", "csv")
    header = ran.out.splitlines()[1].split(",")
    assert header == [
        "class",
        "document",
        "type",
        "length",
        "size",
        "distance",
        "position",
        "speaker",
        "error",
        "context",
        "place",
    ]


def test_two_responses() -> None:
    key = corpus(DOC, 0)
    new = corpus([DOC[0], [(0, 0, False), (0, 0, False), (0, 0, True)]], 1)
    d = cl.diagnose(key, new, against=corpus(DOC, 1))
    change = d.difference
    assert [(e.kind, e.document) for e in change.repaired] == [("divided entity", "d1")]
    assert not change.broken
    assert {c.kind: c.net for c in change.classes if c.net} == {"divided entity": 1}
    assert change.documents[0].document == "d1" and change.documents[0].new == 1.0
    back = cl.diagnose(key, corpus(DOC, 1), against=new).difference
    assert (len(back.repaired), len(back.broken)) == (0, 1)
    with pytest.raises(cl.UsageError, match="against"):
        _ = diagnosed(DOC).difference


@pytest.mark.parametrize("format_", ["table", "json", "csv", "markdown", "latex", "html"])
def test_command(run: Run, tmp_path: Path, format_: str) -> None:
    run("demo", "--write", tmp_path)
    arguments = [tmp_path / "key.conll", tmp_path / "response.conll", "--format", format_]
    tables = [] if format_ == "json" else ["--show", "classes,repairs,prices,entities,mentions,errors,links"]
    ran = run("diagnose", *arguments, "--by", "type", *tables)
    assert ran.code == 0 and ran.out
    if format_ == "json":
        found = json.loads(ran.out)
        assert [c["kind"] for c in found["classes"]] == list(CLASSES)
        assert found["classes"][-1]["after"]["conll"] == pytest.approx(1)
        assert sum(c["errors"] for c in found["classes"]) == len(found["errors"])


def test_command_writes_what_is_put_right(run: Run, tmp_path: Path) -> None:
    run("demo", "--write", tmp_path)
    key, response, better = (tmp_path / f"{name}.conll" for name in ("key", "response", "better"))
    ran = run("diagnose", key, response, "--write", better)
    assert ran.code == 0
    assert cl.score(str(key), str(better)).conll == 1
    ran = run("diagnose", key, response, "--errors", "class=missing-entity", "--write", better, "--format", "json")
    gain = json.loads(ran.out)["classes"][-1]["alone"]["conll"]
    before, after = (float(cl.score(str(key), str(x)).conll) for x in (response, better))
    assert after - before == pytest.approx(gain)
    assert run("diagnose", key, better, "--against", response).code == 0
    for wrong in (("--errors", "type"), ("--errors", "class=nonsense"), ("--show", "nonsense"), ("--by", "nonsense")):
        assert run("diagnose", key, response, *wrong).code == 2


# ----------------------------------------------------------------------------------------------------- published files

SAMPLE = DATA / "berkeley_ontonotes_sample"
published = pytest.mark.skipif(not SAMPLE.is_dir(), reason="no ../shared/data/berkeley_ontonotes_sample")


@cache
def sample() -> cl.Diagnosis:
    gold = [cl.read(str(f)) for f in sorted((SAMPLE / "gold").rglob("*gold_conll"))]
    response = cl.read(str(SAMPLE / "homogenised/stanford.homogenised.out"))
    # Collins takes the first noun phrase as the head of "the venerable Akio Morita, founder of Sony", the analyser of
    # Kummerfeld & Klein the last; with its head given, as a head column would, everything else must be the same.
    key = concatenate(gold)
    (morita,) = np.flatnonzero((key.doc == 1) & (key.start == 948) & (key.end == 955)).tolist()
    head = np.full(len(key), -1)
    head[morita] = 953
    return cl.diagnose(replace(key, head=head), response, singletons="drop-response")


@published
@pytest.mark.parametrize(
    ("file", "kinds"),
    [
        ("span_errors", ["span error"]),
        ("extra_entity", ["span error", "extra entity"]),
        ("divided", ["span error", "divided entity", "missing antecedent"]),  # one class there
    ],
)
def test_corrected_files_of_kummerfeld_and_klein(file: str, kinds: list[str]) -> None:
    """Their published files have spans and one class corrected; ours are the same entities."""
    d, theirs = sample(), cl.read(str(SAMPLE / f"classified/stanford.corrected.{file}"))
    ours = d.corrected(kind=kinds)
    for number in range(2):
        assert boundaries(ours, number) == boundaries(theirs, number)


def boundaries(c: cl.Corpus, document: int) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Entities as the starts and the ends of their mentions: brackets of one entity that cross can't be told apart."""
    found = set()
    for mentions in c.clusters(document).values():
        spans: Any = mentions
        found.add((tuple(sorted(s for s, _ in spans)), tuple(sorted(e for _, e in spans))))
    return found


@published
def test_sample_ends_at_100() -> None:
    d = sample()
    assert all(d.classes[-1].after[name] == 1 for name in d.metrics)
    # Their summary counts four documents, of which two are here: no class can have more.
    summary = (SAMPLE / "classified/stanford.summary").read_text("utf-8")
    counts = d.counts()
    counts["divided entity"] += counts.pop("missing antecedent")  # one class there
    for kind, count in counts.items():
        (line,) = [x for x in summary.splitlines() if x.strip().lower().endswith(kind)]
        assert 0 < count <= int(line.split()[0])


@published
def test_sample_has_one_span_error_more_by_collins_heads() -> None:
    gold = concatenate([cl.read(str(f)) for f in sorted((SAMPLE / "gold").rglob("*gold_conll"))])
    response = cl.read(str(SAMPLE / "homogenised/stanford.homogenised.out"))
    d = cl.diagnose(gold, response, singletons="drop-response")
    assert d.counts()["span error"] == sample().counts()["span error"] + 1
    assert any(
        e.mentions == ("Akio Morita", "the venerable Akio Morita , founder of Sony")
        for e in d.errors(kind="span error")
    )


def test_default_metrics_and_more(run: Run) -> None:
    assert set(SETS["default"]) <= set(diagnosed(DOC).metrics)
    assert diagnosed(DOC, metrics="muc").metrics == ["muc", "conll"]
    for scope, average in product(("document", "corpus"), ("micro", "macro")):
        d = diagnosed(DOC, scope=scope, average=average)
        assert d.repairs(2) and d.classes[-1].after["conll"] == pytest.approx(1)
    perl = diagnosed(DOC, protocol="conll-2012")
    assert (perl.options.duplicates, perl.options.blanc) == ("perl", "perl") and not perl.issues
