"""Explanations: what they show adds up to the score, says what the papers print, and reads the same in every format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from cases import CASES, Case, agrees, parsed, partition
from chance import examples
from command import Run, conll
from coreflens.explanation import Sheet, Step
from coreflens.metrics import METRICS, SETS, Average, Metric
from coreflens.metrics.contingency import Array, Contingency
from coreflens.report.explanation import FORMATS
from labelled import both, corpora, docs, equal_corpora, sides

KEY = [["a", "b", "c"], ["d", "e", "f", "g"]]  # section 4 of Pradhan et al. 2014
RESPONSE = [["a", "b"], ["c", "d"], ["f", "g", "h", "i"]]
EQUAL = [["a", "b"], ["c", "d"], ["e", "f", "g"]]
EVERY = pytest.mark.parametrize("metric", METRICS)


def every_step(explanation: cl.Explanation) -> Iterator[Step]:
    yield from explanation.steps
    for part in explanation.parts:
        yield from every_step(part)


def sheet(explanation: cl.Explanation, title: str) -> Sheet:
    found = next(step.sheet for step in explanation.steps if step.title == title)
    assert found is not None
    return found


def column(found: Sheet, header: str) -> list[Any]:
    return [row[found.header.index(header)] for row in found.rows]


def lines(explanation: cl.Explanation) -> list[str]:
    return [line for step in every_step(explanation) for line in (*step.before, *step.after)]


def equation(explanation: cl.Explanation, name: str) -> str:
    """The right-hand sides of `R = ...`, the formula at the top left out."""
    return next(line for line in lines(explanation) if line.startswith(f"{name} = ")).removeprefix(f"{name} = ")


def against(metric: str) -> list[list[str]]:
    needs_equal = getattr(METRICS[metric], "equal_mentions", False)
    return EQUAL if needs_equal else RESPONSE


# ---- everything adds up


def number(cell: Any) -> Any:
    return 0 if isinstance(cell, str) else cell


def close(x: Any, y: Any) -> bool:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x == y
    return float(x) == pytest.approx(float(y), rel=1e-9, abs=1e-9, nan_ok=True)


def check(explanation: cl.Explanation, score: cl.Score, documents: int) -> int:
    """The explanation is of this score, and its sheets add up to its counts; the number of sums checked."""
    assert explanation.score == score or repr(explanation.score) == repr(score)
    if set(score.counts) == set(explanation.counts):
        assert all(close(x, score.counts[name]) for name, x in explanation.counts.items())
    checked = 0
    for step in explanation.steps:
        if step.sheet is None:
            continue
        assert all(len(row) == len(step.sheet.header) for row in step.sheet.rows)
        for place, count in step.sheet.adds.items():
            assert step.sheet.total is not None
            shown = sum(number(row[place]) for row in step.sheet.rows)
            assert close(shown, step.sheet.total[place])
            assert close(shown, explanation.counts[count])
            checked += 1
        for place, value in step.sheet.means.items():
            shown = sum(number(row[place]) for row in step.sheet.rows)
            assert step.sheet.total is not None
            assert close(shown, step.sheet.total[place])
            defined = documents - score.counts.get(f"{value}_undefined_documents", 0)
            if defined:
                assert close(shown / defined, getattr(score, value))
            checked += 1
    return checked


CHOSEN = st.fixed_dictionaries(
    {
        "singletons": st.sampled_from(["keep", "drop", "drop-response"]),
        "average": st.sampled_from(["micro", "macro"]),
        "undefined": st.sampled_from(["zero", "nan", "popescu-belis"]),
        "blanc": st.sampled_from(["luo2014", "perl"]),
        "exact": st.booleans(),
    }
)


@EVERY
@examples(40)
@given(data=st.data(), options=CHOSEN, limit=st.integers(1, 4))
def test_every_number_adds_up_to_the_score(metric: str, data: st.DataObject, options: Any, limit: int) -> None:
    equal = getattr(METRICS[metric], "equal_mentions", False)
    if equal:
        options = options | {"singletons": "keep"}  # dropping them may leave unequal mentions
    if not metric.startswith("blanc"):
        options = {name: value for name, value in options.items() if name != "blanc"}
    key, response = both(data.draw(equal_corpora if equal else corpora))
    result = cl.score(key, response, metrics=[metric], **options)
    explanation = cl.explain(key, response, metric, limit=limit, **options)
    checked = check(explanation, result[metric], len(key))
    average = METRICS[metric]
    if isinstance(average, Average):
        parts = cl.score(key, response, metrics=average.of, **options)
        assert [part.metric for part in explanation.parts] == list(parts)
        for part in explanation.parts:
            checked += check(part, parts[part.metric], len(key))
        assert close(sum(part.score.main for part in explanation.parts) / 3, explanation.score.main)
    if len(key) > 1:
        assert checked


@pytest.mark.slow
@EVERY
@examples(25)
@given(data=st.data())
def test_a_document_is_explained_as_it_scores(metric: str, data: st.DataObject) -> None:
    equal = getattr(METRICS[metric], "equal_mentions", False)
    key, response = both(data.draw(equal_corpora if equal else corpora))
    result = cl.score(key, response, metrics=[metric], exact=True)
    for document, scores in result.by_document().items():
        check(cl.explain(key, response, metric, document=document, exact=True), scores[metric], 1)


@pytest.mark.slow
@EVERY
def test_the_rest_is_summed_and_nothing_is_lost(metric: str) -> None:
    """The sums are the same, however few rows are shown."""
    key = {f"d{n}": [[f"{m}.{e}" for m in range(e)] for e in range(1, 6 + n % 3)] for n in range(9)}
    moved = {"4.5": "1.2", "1.2": "4.5", "2.4": "0.1", "0.1": "2.4"}
    response = {d: [[moved.get(m, m) for m in entity] for entity in entities] for d, entities in key.items()}
    few, many = (cl.explain(key, response, metric, limit=limit) for limit in (2, 1000))
    assert few.counts == many.counts
    for explanation in (few, many):
        check(explanation, explanation.score, len(key))
    assert any("more" in str(row[0]) for step in every_step(few) if step.sheet for row in step.sheet.rows)
    assert not any("more" in str(row[0]) for step in every_step(many) if step.sheet for row in step.sheet.rows)


COVERED = {
    "xcore": {"recall_num"},
    "blanc": {"coref_common", "coref_key", "coref_response"},
    "blanc-gold": {"coref_common", "coref_key", "coref_response"},
    "rand": set(),
    "ari": {"common_pairs", "key_pairs", "response_pairs"},
    "vmeasure": {"common_log", "key_log", "response_log"},
    "overlap": {"common"},
    "derror": {"response_position", "key_position", "surplus"},
    # of expressions and relations that no entity has
    **{m: set() for m in ("nonreferring", *SETS["bridging"], *SETS["split-antecedents"]) if m != "split"},
    **{m: {"recall_sum", "precision_sum", "f1_sum", "entities"} for m in ("nec", "labels-macro")},
    **{m: set() for m in METRICS if m.startswith("gap")},  # answers for two names
}


@pytest.mark.parametrize("metric", [m for m, declared in METRICS.items() if isinstance(declared, Metric)])
def test_what_is_shown_entity_by_entity(metric: str) -> None:
    """The counts that a single document's sheets add up to: all four, but for those that are not sums over entities."""
    key = [[f"{e}{m}" for m in range(4)] for e in range(4)]  # more mentions than have their links listed
    response = [[*key[0], *key[1]], *key[2:]]
    explanation = cl.explain(key, response, metric)
    shown = {count for step in explanation.steps if step.sheet for count in step.sheet.adds.values()}
    assert shown == COVERED.get(metric, {"recall_num", "recall_den", "precision_num", "precision_den"})
    check(explanation, cl.score(key, response, metrics=metric, exact=True)[metric], 1)


def links(n: int) -> Fraction:
    return Fraction(n * (n - 1), 2)


@given(docs)
def test_what_an_entity_adds_is_what_the_papers_say(doc: Any) -> None:
    """Entity by entity, computed here from sets."""
    key, response = sides(doc)
    for own, other, which in ((key, response, "Recall"), (response, key, "Precision")):
        for metric, header, expected in (
            ("muc", None, lambda e, parts: e - sum(1 for _ in parts) - (e - sum(parts))),
            ("bcub", "credit", lambda e, parts: sum((Fraction(p * p, e) for p in parts), Fraction(0))),
            ("pairs", "pairs kept", lambda e, parts: sum(map(links, parts))),
        ):
            step = next(s for s in cl.explain(key, response, metric).steps if s.title == which)
            assert step.sheet is not None
            place = step.sheet.header.index(header) if header else len(step.sheet.header) - 2
            for entity, row in zip(own, step.sheet.rows, strict=True):
                parts = [n for o in other if (n := len(set(entity) & set(o)))]
                assert row[place] == expected(len(entity), parts), (metric, entity)


@given(docs)
def test_the_credit_of_a_mention(doc: Any) -> None:
    """B³'s |K ∩ R|/|K| and |K ∩ R|/|R|, mention by mention."""
    key, response = sides(doc)
    shown = sheet(cl.explain(key, response, "bcub"), "Credit of each mention")
    entity = [{str(m): set(e) for e in side for m in e} for side in (key, response)]
    assert {row[0] for row in shown.rows} == entity[0].keys() | entity[1].keys()
    for mention, _, _, *credits in shown.rows:
        k, r = (side.get(str(mention), set()) for side in entity)
        assert [number(c) for c in credits] == [Fraction(len(k & r), len(x)) if x else 0 for x in (k, r)]


@pytest.mark.parametrize("metric", ["ceafm", "ceafe"])
@given(doc=docs)
def test_the_alignment_is_one_to_one(metric: str, doc: Any) -> None:
    key, response = sides(doc)
    rows = [row for row in sheet(cl.explain(key, response, metric), "Best alignment").rows if row[-1] != ""]
    assert len({row[0] for row in rows}) == len({row[1] for row in rows}) == len(rows)
    for k, r, common, a, b, similarity, aligned in rows:
        own, other = set(key[int(str(k)[1:]) - 1]), set(response[int(str(r)[1:]) - 1])
        assert (common, a, b) == (len(own & other), len(own), len(other))
        expected = len(own & other) if metric == "ceafm" else Fraction(2 * len(own & other), len(own) + len(other))
        assert similarity == aligned == expected


# ---- the papers


PRINTED = [
    pytest.param(case, metric, value, id=f"{case['id']}-{metric}.{value}")
    for case in CASES
    for metric, values in case.get("printed", {}).items()
    for value in values
    if case.get("verdicts", {}).get(f"{metric}.{value}", "rounded").startswith("rounded")
]
LETTER = {"recall": "R", "precision": "P", "f1": "F1"}


@pytest.mark.slow
@pytest.mark.parametrize(("case", "metric", "value"), PRINTED)
def test_printed_values_come_out_as_printed(case: Case, metric: str, value: str) -> None:
    """In the last equation, in points or, where the paper computed F from rounded P and R, as it did."""
    text = case["printed"][metric][value]
    as_the_paper = f"{metric}.{value}" in case.get("verdicts", {})
    share, decimals = parsed(text)
    digits = decimals if as_the_paper else max((decimals or 4) - 2, 0)
    key, response = partition(case["key"]), partition(case["response"])
    settings = case.get("options", {}) | {"digits": digits, "paper_rounding": as_the_paper}
    explanation = cl.explain(key, response, metric, **settings)
    name = "BLANC" if (metric, value) == ("blanc", "f1") else LETTER.get(value, f"{value[0]}_{value[1]}")
    if name[1:] in ("_c", "_n") and not as_the_paper:  # R, P and F of a kind of link
        found = sheet(explanation, "Links")
        row = next(row for row in found.rows if row[0] == ("C" if value[1] == "c" else "N"))
        assert agrees(text, Fraction(row[found.header.index(value[0])]))
        return
    shown = equation(explanation, name)
    if as_the_paper:
        assert shown.removesuffix(" of the rounded P and R").removesuffix(" of the rounded parts").endswith(f"= {text}")
    elif "0/0" in shown:
        assert share == getattr(explanation.score, value)
    else:
        assert re.search(rf"(^|= ){100 * float(share):.{digits}f} %", shown), shown
    if decimals is None and "/" in text:
        assert f"{share}" in shown


def test_cai_and_strube_rounded_before_they_computed_f() -> None:
    """Every F that they print, but for their misprints, is that of the rounded P and R."""
    checked = 0
    for case in CASES:
        for metric, printed in case.get("printed", {}).items():
            verdict = case.get("verdicts", {}).get(f"{metric}.f1", "")
            if not case["id"].startswith("000") or "f1" not in printed or verdict.startswith("misprint"):
                continue
            key, response = partition(case["key"]), partition(case["response"])
            explanation = cl.explain(key, response, metric, paper_rounding=True, **case.get("options", {}))
            assert equation(explanation, "F1").endswith(f"= {float(printed['f1']):.3f} of the rounded P and R")
            checked += 1
    assert checked > 40


@pytest.mark.parametrize("case", [c for c in CASES if "partitions" in c], ids=lambda c: c["id"])
def test_the_partitions_of_cai_and_strube(case: Case) -> None:
    explanation = cl.explain(partition(case["key"]), partition(case["response"]), "bcub-sys")
    shown = dict(line.split(" = ") for line in lines(explanation) if re.match(r"(key|response)_[pr] = ", line))
    for name, expected in case["partitions"].items():
        found = re.findall(r"\{(.*?)\}", shown[name])
        assert sorted(sorted(entity.split(", ")) for entity in found) == sorted(map(sorted, partition(expected)))


@pytest.mark.parametrize("case", [c for c in CASES if "links" in c], ids=lambda c: c["id"])
def test_the_links_of_blanc(case: Case) -> None:
    explanation = cl.explain(partition(case["key"]), partition(case["response"]), "blanc")
    for name, expected in case["links"].items():
        shown = equation(explanation, f"{name[0]}_{name[1]}")
        assert {"".join(sorted(link)) for link in re.findall(r"\w+", shown)} == {
            "".join(sorted(link)) for link in expected.split()
        }


@given(docs)
def test_links_listed_are_links_counted(doc: Any) -> None:
    key, response = sides(doc)
    explanation = cl.explain(key, response, "blanc")
    pairs = [{frozenset(p) for e in side for p in combinations(e, 2)} for side in (key, response)]
    counted = {"C_k": len(pairs[0]), "C_r": len(pairs[1]), "C_k ∩ C_r": len(pairs[0] & pairs[1])}
    for name, expected in counted.items():
        shown = equation(explanation, name)
        assert (0 if shown == "∅" else shown.count(",") + 1) == expected
    assert sheet(explanation, "Links").rows[0][1:4] == tuple(counted.values())


TOY = next(case for case in CASES if case["id"] == "003-T3-toy")


def test_projections_and_cores_of_popescu_belis_and_robba() -> None:
    key, response = partition(TOY["key"]), partition(TOY["response"])
    explanation = cl.explain(key, response, "core")
    recall, precision = sheet(explanation, "Recall"), sheet(explanation, "Precision")
    assert dict(zip(column(recall, "K"), column(recall, "π*(K)"), strict=True))["K3"] == "R1 R2"
    assert dict(zip(column(precision, "R"), column(precision, "σ*(R)"), strict=True))["R1"] == "K1 K3"
    assert column(recall, "π(K)")[2] == "{6, 7, 8, 9, 10} {11, 12}"
    assert column(recall, "c(K)")[2] == "{6, 7, 8, 9, 10}"
    found = sheet(cl.explain(key, response, "xcore"), "Exclusive cores")
    assert list(zip(column(found, "K"), column(found, "xc*(K)"), strict=True)) == [
        *(("K3", "R1"), ("K4", "R2")),
        *(("K1", "∅"), ("K2", "∅")),
    ]
    assert column(found, "|xc*(K) − K|") == [2, 5, 0, 0]


def test_sorted_distributions_of_popescu_belis_and_robba() -> None:
    key, response = partition(TOY["key"]), partition(TOY["response"])
    explanation = cl.explain(key, response, "derror")
    found = sheet(explanation, "Entity sizes, largest first")
    assert column(found, "k_p") == [7, 5, 3, 2]
    assert column(found, "r_p") == [9, 7, 1, 0]
    assert "A = 6/4 = 3/2, B = 14/4 = 7/2, N = 4" in lines(explanation)
    assert equation(explanation, "d-error").startswith("|7/2 − 3/2|/(4 + 1) = 2/5 = 40.00 %, a precision error")
    assert equation(cl.explain(key, response, "overlap"), "overlap") == "13/17 = 76.47 %"


def test_section_4_of_pradhan_et_al() -> None:
    """Its partitions, credits and alignment, with the numbers that the paper shows on the way."""
    explanation = cl.explain(KEY, RESPONSE, "muc")
    assert column(sheet(explanation, "Recall"), "p(K)") == ["{a, b} {c}", "{d} {e} {f, g}"]
    assert column(sheet(explanation, "Precision"), "p′(R)") == ["{a, b}", "{c} {d}", "{f, g} {h} {i}"]
    assert "Twinless in the key: e" in lines(explanation)
    assert "Twinless in the response: h, i" in lines(explanation)
    b3 = cl.explain(KEY, RESPONSE, "bcub")
    assert column(sheet(b3, "Recall"), "Σ |K ∩ R|²/|K|") == ["2²/3 + 1²/3", "1²/4 + 2²/4"]
    assert equation(b3, "R") == "(35/12)/7 = 5/12 = 41.67 %"
    assert column(sheet(cl.explain(KEY, RESPONSE, "ceafe"), "Precision"), "aligned with") == ["K1", "–", "K2"]
    lea = sheet(cl.explain(KEY, RESPONSE, "lea"), "Recall")
    assert column(lea, "links found") == [1, 1]
    assert column(lea, "links") == [3, 6]
    assert column(lea, "importance |K|") == [3, 4]


def test_a_toy_example_is_shown_in_full() -> None:
    """However many parts an entity falls into: note 9 of Popescu-Belis & Robba, one entity against singletons."""
    key, response = [list("abcdefgh")], [[m] for m in "abcdefgh"]
    parts = "{a} {b} {c} {d} {e} {f} {g} {h}"
    assert column(sheet(cl.explain(key, response, "muc"), "Recall"), "p(K)") == [parts]
    assert column(sheet(cl.explain(key, response, "core"), "Recall"), "π(K)") == [parts]
    assert column(sheet(cl.explain(key, response, "bcub"), "Recall"), "Σ |K ∩ R|²/|K|") == [" + ".join(["1²/8"] * 8)]


# ---- the rules where nothing can be divided


def test_the_rule_for_zero_over_zero_is_said() -> None:
    alone = [["a"], ["b"]]
    shown = equation(cl.explain(alone, alone, "muc"), "R")
    assert shown.startswith("0/0, --undefined zero")
    assert "counts as 1" in equation(cl.explain(alone, alone, "core"), "P")
    assert "counts as 0" in equation(cl.explain(alone, alone, "core"), "R")


@pytest.mark.parametrize(
    ("key", "response", "options", "said"),
    [
        ([["a"]], [["b"]], {}, "neither side has a link; 1 if the mentions are the same, else 0. They are not."),
        ([["a"]], [["a"]], {}, "They are."),
        ([["a"], ["b"]], [["a"], ["c"]], {}, "both sides have no coreference link, and only N counts"),
        ([["a", "b"]], [["a", "b"]], {}, "both sides have no non-coreference link, and only C counts"),
        ([["a"], ["b"]], [["a", "b"]], {"blanc": "perl"}, "the key has no coreference link, and only N counts"),
        ([["a"]], [["a", "b"]], {"blanc": "perl"}, "the key has no link at all, and the score is 0"),
    ],
)
def test_the_boundary_case_of_blanc_is_said(key: Any, response: Any, options: Any, said: str) -> None:
    assert any(said in line for line in lines(cl.explain(key, response, "blanc", **options)))


# ---- a metric that nobody wrote a derivation for


def test_a_new_metric_is_explained_from_its_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def purity(t: Contingency) -> tuple[Array, ...]:
        """Mentions that belong to the majority of their entity.

        R = Σ_i max_j n_ij / Σ_i a_i      P: key and response exchanged
        """
        return t.keys(t.key_largest), t.keys(t.a), t.responses(t.response_largest), t.responses(t.b)

    monkeypatch.setitem(METRICS, "purity", Metric("purity", "purity", "", purity))
    explanation = cl.explain(KEY, RESPONSE, "purity")
    assert check(explanation, cl.score(KEY, RESPONSE, metrics="purity", exact=True)["purity"], 1) == 4
    assert column(sheet(explanation, "Recall"), "numerator") == [2, 2]
    assert equation(explanation, "P") == "5/8 = 62.50 %"

    def odd(t: Contingency) -> tuple[Array, ...]:
        """Something else."""
        return t.cells(t.n), t.keys(t.a) + 1

    new = Metric("odd", "odd", "", odd, ("hits", "more"), lambda c, o: {"value": c["hits"] / c["more"]}, ("value",))
    monkeypatch.setitem(METRICS, "odd", new)
    explanation = cl.explain(KEY, RESPONSE, "odd")
    assert explanation.counts == {"hits": 6, "more": 8}
    assert "value = 75.00 %" in lines(explanation)


# ---- formats


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_the_same(metric: str, format: str) -> None:
    explanation = cl.explain(KEY, against(metric), metric)
    text = explanation.render(format)
    if format == "json":
        plain = json.loads(text)
        assert plain["score"] == explanation.score.to_dict()
        assert [step["title"] for step in plain["steps"]] == [step.title for step in explanation.steps]
        return
    if format == "latex":
        assert text.isascii(), {c for c in text if not c.isascii()}
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}")
        assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    if format == "html":
        balanced(text)
    for step in every_step(explanation):
        rows = step.sheet.rows if step.sheet else ()
        assert text.count("K1") >= sum(row[0] == "K1" for row in rows)


def balanced(text: str) -> None:
    class Parser(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag not in ("br", "meta"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    parser = Parser()
    parser.feed(text)
    assert not parser.open


def test_names_are_escaped() -> None:
    key = [["<b>", "a_b|c", "50%"]]
    assert "<b>" not in cl.explain(key, key, "bcub").render("html")
    assert r"a\_b\textbar{}c" in cl.explain(key, key, "bcub").render("latex")
    assert r"a_b\|c" in cl.explain(key, key, "bcub").render("markdown")


def test_in_a_notebook_and_at_the_prompt() -> None:
    explanation = cl.explain(KEY, RESPONSE, "muc")
    assert repr(explanation) == str(explanation) == explanation.render("table")
    assert explanation._repr_html_() == explanation.render("html")
    with pytest.raises(cl.UsageError, match="unknown format"):
        explanation.render("pdf")


# ---- texts, corpora, options


def test_mentions_are_called_by_their_words(tmp_path: Path) -> None:
    (tmp_path / "key.conll").write_text(conll("(7", "7)", "(7)", "(9)"))
    (tmp_path / "response.conll").write_text(conll("(1", "1)", "(1)", "(1)"))
    explanation = cl.explain(tmp_path / "key.conll", tmp_path / "response.conll", "muc")
    found = sheet(explanation, "Entities")
    assert found.rows[0] == ("K1", "7", "{w0 w1 [0], w2 [2]}", 2)
    assert column(sheet(explanation, "Precision"), "p′(R)") == ["{w0 w1 [0], w2 [2]} {w0 [3]}"]


@pytest.mark.slow
def test_a_large_document_is_told_by_what_matters() -> None:
    """The entities that lose most are named and shown; the text stays short whatever the size."""
    key = [[f"{e}.{m}" for m in range(100)] for e in range(300)]
    response = [entity[:50] if e == 17 else entity for e, entity in enumerate(key)]
    for metric in METRICS:
        if getattr(METRICS[metric], "equal_mentions", False):
            continue
        text = str(cl.explain(key, response, metric))
        assert len(text) < 25_000, metric
    found = sheet(cl.explain(key, response, "bcub"), "Recall")
    assert found.rows[0][0] == "K18 (17.0)"
    assert found.rows[-1][0] == "and 288 more"
    assert len(found.rows) == 13


def test_documents_that_lose_most_come_first() -> None:
    key = {f"d{n}": [[1, 2, 3, 4]] for n in range(5)}
    response = {f"d{n}": [[1, 2, 3, 4]] if n != 3 else [[1], [2], [3, 4]] for n in range(5)}
    for metric in ("muc", "blanc", "overlap"):
        found = sheet(cl.explain(key, response, metric, limit=2), "Documents")
        assert column(found, "document") == ["d3", "d0", "and 3 more"]


def test_singletons_are_dropped_but_not_for_mentions() -> None:
    key, response = [["a", "b"], ["c"]], [["a", "b"], ["c"]]
    assert column(sheet(cl.explain(key, response, "bcub", singletons="drop"), "Recall"), "K") == ["K1"]
    assert column(sheet(cl.explain(key, response, "mentions", singletons="drop"), "Recall"), "K") == ["K1", "K2"]


def test_entities_over_several_documents() -> None:
    key = {"a": {1: "x", 2: "x"}, "b": {1: "x"}}  # one entity of three mentions
    response = {"a": {1: "x"}, "b": {1: "x"}}
    explanation = cl.explain(key, response, "bcub", scope="corpus")
    check(explanation, cl.score(key, response, metrics="bcub", scope="corpus", exact=True)["bcub"], 1)
    assert equation(explanation, "R") == "(4/3)/3 = 4/9 = 44.44 %"
    assert column(sheet(explanation, "Credit of each mention"), "mention") == ["1 (a)", "1 (b)", "2 (a)"]


def test_weights_of_mela() -> None:
    explanation = cl.explain(KEY, RESPONSE, "mela", weights={"muc": 3, "lea": 1})
    assert [part.metric for part in explanation.parts] == ["muc", "lea"]
    assert "MELA = (3 · 40.00 % + 27.78 %) / 4 = 36.94 %" in lines(explanation)


def test_metrics_that_do_not_apply_are_refused() -> None:
    with pytest.raises(cl.UsageError, match="needs the same mentions"):
        cl.explain(KEY, RESPONSE, "rand")


@pytest.mark.parametrize("bad", [{"document": "e"}, {"metric": "mucc"}, {"limit": 0}, {"singletons": "x"}, {"foo": 1}])
def test_wrong_use(bad: Any) -> None:
    with pytest.raises(cl.UsageError):
        cl.explain({"d": KEY}, {"d": RESPONSE}, **bad)


@pytest.mark.slow
def test_nothing_at_all_is_explained_too() -> None:
    for metric in METRICS:
        for key, response in (([], []), ([["a"]], []), ([], [["a"]])):
            if key != response and getattr(METRICS[metric], "equal_mentions", False):
                continue
            for format in FORMATS:
                assert cl.explain(key, response, metric).render(format)


# ---- the command


def test_the_command(run: Run, tmp_path: Path) -> None:
    assert run("demo", "--write", tmp_path).code == 0
    files = tmp_path / "key.conll", tmp_path / "response.conll"
    scored = run("score", *files, "--format", "json").json["scores"]
    for metric in ("muc", "bcub", "ceafe", "blanc", "lea", "mentions", "conll"):
        explained = run("explain", *files, "-m", metric, "--format", "json").json
        for value in ("recall", "precision", "f1"):
            if value in scored[metric]:
                assert explained["score"][value] == pytest.approx(scored[metric][value], abs=1e-12)
    one = run("explain", *files, "-m", "muc", "--document", "letters/aunt")
    assert one.code == 0
    assert one.out.startswith("MUC of letters/aunt: R 40.00 %")
    assert run("explain", *files, "-m", "muc", "--document", "letters/aun").code == 2
    assert "did you mean 'letters/aunt_0'" in run("explain", *files, "--document", "letters/aunt_").err
    assert run("explain", "-", "-").code == 2
    assert run("explain", files[0], tmp_path / "none.conll").code == 3
    assert run("explain", *files, "--format", "html").out.startswith("<!doctype html>")
    assert "0.545" in run("explain", *files, "-m", "muc", "--paper-rounding").out
    assert "0.5455" in run("explain", *files, "-m", "muc", "--float").out


# ---- one entity


ENTITIES = [  # all mentions are scored, and both halves are sums over entities
    m
    for m, declared in METRICS.items()
    if isinstance(declared, Metric) and declared.twinless == "keep" and m not in COVERED
]


@pytest.mark.parametrize("metric", ENTITIES)
@given(data=st.data())
@examples(25)
def test_what_entities_earn_adds_up_to_the_score(metric: str, data: st.DataObject) -> None:
    """Every entity by itself: numerators and denominators sum to those of the document."""
    equal = getattr(METRICS[metric], "equal_mentions", False)
    key, response = both(data.draw(equal_corpora if equal else corpora))
    result = cl.score(key, response, metrics=[metric], exact=True)
    for document, entities, letter, which in (
        *((d, key[d], "K", "recall") for d in key),
        *((d, response[d], "R", "precision") for d in response if d in key),
    ):
        counts = result.by_document()[f"{document}"][metric].counts
        sums: dict[str, Any] = {"num": 0, "den": 0}
        for number, mentions in enumerate(entities, start=1):
            explanation = cl.explain(
                key, response, metric, document=document, entity=f"{letter}{number}", exact=True, limit=99
            )
            for part in sums:
                sums[part] += explanation.counts[f"{which}_{part}"]
            shown = sheet(explanation, "Mentions")
            assert len(shown.rows) == len(set(mentions))
            (row,) = sheet(explanation, which.capitalize()).rows
            assert [number for number in row if not isinstance(number, str)][-2:] == list(explanation.counts.values())
        assert sums == {part: counts[f"{which}_{part}"] for part in sums}


def test_an_entity_of_an_average_has_its_parts() -> None:
    explanation = cl.explain(KEY, RESPONSE, entity="K2")
    assert [f"{part.metric} {part.score.recall}" for part in explanation.parts] == ["muc 1/3", "bcub 5/16", "ceafe 1/2"]
    assert "CoNLL of K2" in str(explanation) and ("e", "twinless") in sheet(explanation, "Mentions").rows
    assert explanation.to_dict()["parts"][1]["counts"] == {"recall_num": "5/4", "recall_den": 4}


@pytest.mark.parametrize(
    ("entity", "settings", "says"),
    [
        ("K3", {}, "the key has 2"),
        ("entity 3", {}, "K1, K2, ... and R1, R2"),
        ("R1", {"metric": "blanc"}, "not a sum over the entities"),
        ("R1", {"metric": "xcore"}, "not a sum over the entities of the response"),
        ("K1", {"metric": "muc", "singletons": "drop", "key": [["a"], ["b", "c"]]}, "leave it out"),
    ],
)
def test_entities_that_can_not_be_explained(entity: str, settings: Any, says: str) -> None:
    with pytest.raises(cl.UsageError, match=re.escape(says)):
        cl.explain(settings.pop("key", KEY), RESPONSE, entity=entity, **settings)


def test_an_entity_of_several_documents_needs_its_document(run: Run, tmp_path: Path) -> None:
    assert run("demo", "--write", tmp_path).code == 0
    files = tmp_path / "key.conll", tmp_path / "response.conll"
    assert "2 documents have a K1" in run("explain", *files, "--entity", "K1").err
    one = run("explain", *files, "-m", "bcub", "--entity", "k1", "--document", "stories/fox")
    assert one.out.startswith("B³ of K1 in stories/fox_0: R 50.00 %") and "2²/4 + 2²/4" in one.out


# ---- what became of the links, Luo et al. 2014, eq. 9 to 14


@given(corpora)
def test_blanc_shows_what_became_of_every_link(corpus: Any) -> None:
    found = sheet(cl.explain(*both(corpus), "blanc"), "Links of both sides")
    expected = [[0, 0, 0] for _ in range(3)]
    for doc in corpus:
        for pair in combinations([labels for labels in doc if labels != (None, None)], 2):
            kinds = [2 if None in labels else int(len(set(labels)) > 1) for labels in zip(*pair, strict=True)]
            expected[kinds[0]][kinds[1]] += kinds != [2, 2]  # a pair that is a link of neither side is none
    assert [[number(cell) for cell in row[1:4]] for row in found.rows] == expected
    assert found.total is not None
    assert [number(cell) for cell in found.total[1:3]] == [sum(row[n] for row in expected) for n in (0, 1)]


def test_the_arithmetic_mean_is_explained_as_it_is_computed() -> None:
    explanation = cl.explain(KEY, RESPONSE, "muc", mean="arithmetic", exact=True)
    assert explanation.score.f1 == (Fraction(2, 5) + Fraction(2, 5)) / 2
    assert equation(explanation, "F1").startswith("(2/5 + 2/5) / 2")
