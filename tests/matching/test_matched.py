"""A response is matched once, whoever asks; there is one truth about it under every protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coreflens as cl
from command import Run
from coreflens.diagnosis.classes import CLASSES
from coreflens.diagnosis.repairs import Correction, repaired
from coreflens.matching import matched, steps
from coreflens.metrics import METRICS, SETS
from coreflens.options import Singletons
from coreflens.protocols import PROTOCOLS

WORDS = ["Ida", "met", "Bob", ".", "She", "saw", "him", ".", "Old", "Tom", "saw", "himself", "."]
ENDS = (4, 8, 13)  # sentences end before these


def conll(*mentions: tuple[int, int, int]) -> str:
    """A document of `WORDS` with mentions (first word, last word, entity); the same span may occur twice."""
    lines = ["#begin document (tale); part 000"]
    for place, word in enumerate(WORDS):
        cells = [f"({e})" for a, b, e in mentions if a == b == place]
        cells += [f"({e}" for a, b, e in mentions if a == place < b]
        cells += [f"{e})" for a, b, e in mentions if a < place == b]
        lines.append(f"tale 0 {place} {word} {'|'.join(cells) or '-'}")
        lines += [""] * (place + 1 in ENDS)
    return "\n".join([*lines, "#end document", ""])


PLAIN = [name for name in PROTOCOLS if ":" not in name]  # variants differ in what they show, or in the layer


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A key that has Ida in two entities, two responses, and the key with each mention once."""
    once = [(0, 0, 1), (2, 2, 2), (4, 4, 1), (6, 6, 2), (8, 9, 3), (11, 11, 3)]
    texts = {
        "key": conll((0, 0, 1), (0, 0, 2), *once[1:]),
        "response": conll((0, 0, 1), (2, 2, 2), (4, 4, 1), (6, 6, 2), (9, 9, 3), (11, 11, 3)),
        "other": conll((0, 0, 1), (2, 2, 2), (4, 4, 2), (6, 6, 1), (8, 9, 3), (11, 11, 3)),
        "once": conll(*once),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.conll").write_text(text)
    return {name: str(tmp_path / f"{name}.conll") for name in texts}


# --------------------------------------------------------------------------------------------------------- how often


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The sources of key and response of each pass through the steps."""
    found: list[tuple[str, str]] = []

    def counting(given: steps.Given) -> steps.Paired:
        found.append((Path(given.key.source).stem, Path(given.response.source).stem))
        return steps.pass_through(given)

    monkeypatch.setattr(matched, "pass_through", counting)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PLAIN)
@pytest.mark.parametrize("key", ["key", "once"])
@pytest.mark.parametrize(
    ("command", "responses"),
    [
        ("score KEY response", ["response"]),
        ("score KEY response --by document", ["response"]),
        ("explain KEY response -m conll", ["response"]),
        ("explain KEY response -m bcub-sys", ["response"]),
        ("explain KEY response --entity K1", ["response"]),
        ("diagnose KEY response", ["response"]),
        ("diagnose KEY response --format json --by type", ["response"]),
        ("diagnose KEY response --against other", ["other", "response"]),
        ("view KEY response OUT.html", ["response"]),
        ("view KEY response other OUT.html", ["response", "other"]),
        ("compare KEY response other --resamples 20", ["response", "other"]),
    ],
)
def test_a_response_is_matched_once(
    run: Run, files: dict[str, str], calls: Any, tmp_path: Path, key: str, protocol: str, command: str, responses: Any
) -> None:
    words = [files[key] if w == "KEY" else files.get(w, w) for w in command.split()]
    words = [str(tmp_path / w) if w.endswith(".html") else w for w in words]
    assert run(*words, "--protocol", protocol).code == 0
    assert calls == [(key, response) for response in responses]


@pytest.mark.parametrize(
    "command", ["pair KEY response", "pair KEY response --format json", "describe response --against KEY"]
)
def test_two_files_that_are_described_are_matched_once(
    run: Run, files: dict[str, str], calls: Any, command: str
) -> None:
    assert run(*(files["key"] if w == "KEY" else files.get(w, w) for w in command.split())).code in (0, 1)
    assert calls == [("key", "response")]


def test_annotators_are_matched_once_in_each_direction(run: Run, files: dict[str, str], calls: Any) -> None:
    names = ("once", "response", "other")
    assert run("agree", *(files[name] for name in names)).code == 0
    assert calls == [(a, b) for a in names for b in names if a != b]


def test_a_sweep_matches_the_response_and_each_step(run: Run, files: dict[str, str], calls: Any) -> None:
    assert run("sweep", files["once"], files["response"], "--damage", "drop", "--steps", 2, "--repeats", 2).code == 0
    steps = [("once", "")] * (2 * 2 + 1)  # a damaged response is not a file; one to see what damage loses at once
    assert calls == [("once", "response"), *steps]


def test_what_is_asked_of_a_scorer(files: dict[str, str], calls: Any) -> None:
    scorer = cl.Scorer(files["once"])
    found = scorer.match(files["response"])
    assert scorer.result(found).conll == scorer(files["response"]).conll
    assert len(calls) == 2
    assert scorer.align(files["response"]).common == found.alignment.common
    accumulator = cl.Accumulator()
    accumulator.update(files["once"], files["response"])
    assert len(calls) == 4 and accumulator.compute().conll == scorer.result(found).conll
    assert len(calls) == 4


# --------------------------------------------------------------------------------------------------------- one truth


# What is dropped before the match no repair brings back, and under e2e each metric has its own singletons.
FOLLOWED = [
    name for name in PLAIN if name not in ("corefud", "e2e") and "conll" in (PROTOCOLS[name].metrics or SETS["default"])
]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", FOLLOWED)
@pytest.mark.parametrize("duplicates", [None, "first", "last", "perl"])
@pytest.mark.parametrize("swap", [False, True])
def test_page_diagnosis_and_score_agree(
    files: dict[str, str], protocol: str, duplicates: str | None, swap: bool
) -> None:
    key, response = (files["response"], files["key"]) if swap else (files["key"], files["response"])
    how: dict[str, Any] = {"protocol": protocol, "duplicates": duplicates}
    score, found, page = (
        cl.score(key, response, **how),
        cl.diagnose(key, response, **how),
        cl.view(key, response, **how),
    )
    index, (document,) = page.content.index(), page.content.chunk(range(1))["documents"]
    system = index["systems"][0]
    for name in score:
        assert float(found.scores[name].main) == pytest.approx(float(score[name].main), nan_ok=True)
    assert system["scores"]["conll"][2] == pytest.approx(float(score.conll))
    # the prices, in turn, lead from this score to that of the response with everything corrected
    best = cl.score(key, found.corrected(), **how).conll
    gained = sum(c["next"] for c in system["classes"])
    assert system["scores"]["conll"][2] + gained == pytest.approx(float(best))
    for error, fault in zip(
        sorted(found.errors(), key=lambda e: found.found.lead[e.number]), page.content.faults[0].of(0), strict=True
    ):
        assert fault.price == pytest.approx(float(found.gains[error.number]))
    # K2 of the text is K2 of the derivation
    (recall,) = (step for step in system["derivations"]["bcub"]["steps"] if step["title"] == "Recall")
    derived = {row[0]: int(row[-1]) for row in recall["rows"][:-1]}
    shown = {e["name"]: n for e, n in zip(document["key"]["entities"], document["key"]["sizes"], strict=True)}
    assert shown == derived
    # and what one says of the input, the page says
    assert system["issues"][: len(page.issues)] == [str(issue) for issue in page.issues]
    assert {str(i) for i in (*score.issues, *found.issues)} == {str(i) for i in page.issues}


def test_the_mention_that_nobody_can_find(files: dict[str, str], run: Run) -> None:
    """Ida is in K1 and K2; scorer.pl matches the one of K2, so that the other counts and can't be right."""
    found = cl.diagnose(files["key"], files["response"], protocol="conll-2012")
    (issue,) = (issue for issue in found.issues if issue.code == "unattainable")
    assert issue.count == 1 and issue.places == (f"{files['key']}:2",)
    assert not [e for e in found.errors() if e.kind.startswith("missing")]
    best = float(cl.score(files["key"], found.corrected(), protocol="conll-2012").conll)
    assert found.classes[-1].after["conll"] == pytest.approx(best) and best < 1
    assert float(cl.score(files["key"], files["once"], protocol="conll-2012").conll) <= best
    # it still loses points, and its repair is none
    lost = [loss for loss in found.mentions(20) if loss.text == "Ida"]
    assert len(lost) == 2 and sorted(bool(any(loss.change.values())) for loss in lost) == [False, True]
    assert (
        "can't be found by any response"
        in run(
            "view", files["key"], files["response"], Path(files["key"]).with_name("v.html"), "--protocol", "conll-2012"
        ).err
    )
    assert not [i for i in cl.diagnose(files["key"], files["response"]).issues if i.code == "unattainable"]


spans = st.tuples(st.integers(0, 9), st.integers(0, 2), st.integers(0, 4)).map(lambda x: (x[0], x[0] + x[1], x[2]))
sides = st.lists(spans, min_size=1, max_size=12)


@settings(deadline=None)
@given(
    sides,
    sides,
    st.sampled_from(FOLLOWED),
    st.sampled_from([None, "drop", "drop-response"]),
    st.integers(0, 2 ** len(CLASSES) - 1),
)
def test_prices_with_repeated_mentions(ours: Any, theirs: Any, protocol: str, singletons: Any, classes: int) -> None:
    """Whatever occurs twice: scores are those of `score`, prices those of the corrected response."""
    key, response = (
        {"tale": [[s[:2] for s in side if s[2] == e] for e in {s[2] for s in side}]} for side in (ours, theirs)
    )
    how: dict[str, Any] = {"protocol": protocol, "singletons": singletons}
    found = cl.diagnose(key, response, **how)
    before = cl.score(key, response, **how)
    for name in before:
        assert float(found.scores[name].main) == pytest.approx(float(before[name].main), nan_ok=True)
    chosen = [kind for number, kind in enumerate(CLASSES) if classes >> number & 1]
    after = cl.score(key, found.corrected(kind=chosen), **how)
    assert found.price(kind=chosen)["conll"] == pytest.approx(float(after.conll) - float(before.conll), abs=1e-12)
    for number in range(len(found.found)):
        column = repaired(found.evidence, found.found, np.arange(len(found.found)) == number)
        gain = found.prices.changes([Correction(column)])[0]["conll"]
        assert found.gains[number] == pytest.approx(gain, abs=1e-12)
    assert len(found.identities) == len(found.found)


def test_alpha_takes_the_first_of_a_repeated_mention_and_says_so(files: dict[str, str]) -> None:
    perl = cl.agree(files["key"], files["response"], duplicates="perl")
    assert [i.code for i in perl.issues].count("duplicates") == 1
    assert perl.alpha == cl.agree(files["key"], files["response"]).alpha
    plain = cl.agree(files["once"], files["response"], duplicates="perl")
    assert not [i for i in plain.issues if i.code == "duplicates"]


# ------------------------------------------------------------------------------------------- singletons and twinless


@pytest.mark.parametrize(("singletons", "key", "response"), [("keep", 3, 4), ("drop", 2, 2), ("drop-response", 3, 2)])
def test_singletons_are_dropped_for_coreference_only(singletons: Singletons, key: int, response: int) -> None:
    m = cl.Scorer([["a", "b"], ["c"]], singletons=singletons).match([["a", "b"], ["c"], ["d"]])
    whole, scored = m.scored(METRICS["mentions"]), m.scored(METRICS["muc"])  # type: ignore[arg-type]
    assert (whole.key >= 0).sum() == 3 and (whole.response >= 0).sum() == 4
    assert ((scored.key >= 0).sum(), (scored.response >= 0).sum()) == (key, response)
    assert len(m.without_singletons.key) == len(whole.key) >= len(scored.key)


def test_halves_are_those_of_the_policy() -> None:
    m = cl.Scorer([["a", "b", "c"]]).match([["a", "b"], ["d", "e"]])
    recall, precision = m.halves(METRICS["bcub"])  # type: ignore[arg-type]
    assert recall is precision is m.alignment
    recall, precision = m.halves(METRICS["bcub-sys"])  # type: ignore[arg-type]
    expected = cl.partitions([["a", "b", "c"]], [["a", "b"], ["d", "e"]], "sys")
    assert recall.partitions() == (expected["key_r"], expected["response_r"])
    assert precision.partitions() == (expected["key_p"], expected["response_p"])


# ---------------------------------------------------------------------------------- repetitions across documents


def test_under_perl_an_entity_of_the_corpus_opens_in_its_first_document(tmp_path: Path) -> None:
    key, response = tmp_path / "key.csv", tmp_path / "response.csv"
    key.write_text("doc,mention,entity\nd1,a,0\nd2,b,0\n", "utf-8")
    response.write_text("doc,mention,entity\nd1,a,0\nd2,b,1\nd2,b,0\n", "utf-8")
    wide = cl.score(key, response, metrics="muc,bcub", duplicates="perl", scope="corpus")
    assert wide["muc"].f1 == wide["bcub"].f1 == 1  # entity 0 opened first, so it keeps b
    narrow = cl.score(key, response, metrics="bcub", duplicates="perl")
    assert narrow["bcub"].f1 == 1
