"""What language models write: answers as they come, the same repaired by hand, and damage of every kind."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples
from command import Run
from coreflens.formats import inline
from coreflens.formats.inline.notations import counts
from coreflens.formats.shared.source import Source

KEY = """# doc tale
[Ada](1) met [[her](1) old aunt](2) .
[She](2) gave [Ada](1) [a coat](3) , and [Ada](1) put [it](3) on .
"""
LINE = "[Ada](1) met [[her](1) old aunt](2) .\n"
REST = "[She](2) gave [Ada](1) [a coat](3) , and [Ada](1) put [it](3) on ."
TEXT = LINE + REST
JSON = '[["Ada", "her", "Ada", "Ada"], ["her old aunt", "She"], ["a coat", "it"]]'
TAGS = (
    "<m id=1>Ada</m> met <m id=2><m id=1>her</m> old aunt</m> .\n<m id=2>She</m> gave <m id=1>Ada</m> "
    "<m id=3>a coat</m> , and <m id=1>Ada</m> put <m id=3>it</m> on ."
)
CRAC = "Ada|[e1] met her|[e1],[e2 old aunt|e2] . She|[e2] gave Ada|[e1] a|[e3 coat|e3] , and Ada|[e1] put it|[e3] on ."

ONE_LESS = TEXT.replace("[[her](1) old aunt](2)", "[her](1) old aunt")
ONE_TAG = TAGS.replace("<m id=2><m id=1>her", "<m id=1>her").replace("aunt</m> .", "aunt .")
CRAC_LESS = CRAC.replace("her|[e1],[e2", "her|[e1]").replace("aunt|e2]", "aunt")

# What a model wrote, and what a person makes of it; all 50 are refused as they are, and offered --repair.
PAIRS: dict[str, tuple[str, str]] = {
    # cut off
    "within the first mention": ("[Ada", "Ada"),
    "within a nested mention": ("[Ada](1) met [[her](1) old", "[Ada](1) met [her](1) old"),
    "within two": ("[Ada](1) met [[her", "[Ada](1) met her"),
    "before a label": (LINE + "[She](2) gave [Ada](1) [a coat](", LINE + "[She](2) gave [Ada](1) a coat"),
    "within a label": (LINE + "[She](2) gave [Ada](1", LINE + "[She](2) gave [Ada](1)"),
    "within a line": (TEXT[:-1] + "[", TEXT[:-1]),
    "within a tag": (TAGS[: TAGS.index("<m id=3>a") + 11], TAGS[: TAGS.index("<m id=3>a")] + "a c"),
    "within an open tag": (TAGS.replace("old aunt</m> .", "old aunt ."), ONE_TAG),
    "within a string": ('[["Ada", "her"], ["her old au', '[["Ada", "her"]]'),
    "within a list": ('[["Ada", "her"], ["her old aunt"', '[["Ada", "her"], ["her old aunt"]]'),
    "within an object": ('{"clusters": [["Ada", "her"], ["She', '{"clusters": [["Ada", "her"]]}'),
    "within a fence": ('```json\n[["Ada", "her"], ["She",\n', '```json\n[["Ada", "her"], ["She"]]\n```'),
    "within spans": ("[[[0, 0], [2, 2]], [[2, 4], [6,", "[[[0, 0], [2, 2]], [[2, 4]]]"),
    "within tags of CRAC": (CRAC[: CRAC.index("a|[e3") + 5], CRAC[: CRAC.index("a|[e3") + 1]),
    # brackets that are lost
    "a bracket not closed": (TEXT.replace("[Ada](1) [a", "[Ada(1) [a"), TEXT.replace("[Ada](1) [a", "Ada(1) [a")),
    "a bracket not opened": (TEXT.replace("[She]", "She]"), TEXT.replace("[She](2)", "She")),
    "a parenthesis not closed": (TEXT.replace("[She](2) gave", "[She](2 gave"), TEXT),
    "two of them": (TEXT.replace("[She](2) gave [Ada](1)", "[She](2 gave [Ada](1"), TEXT),
    "a nested one not closed": (TEXT.replace("[[her](1) old aunt](2)", "[[her](1) old aunt"), ONE_LESS),
    "a nested one not opened": (TEXT.replace("[[her](1) old", "[her](1) old"), ONE_LESS),
    "no words": (TEXT.replace("[She](2)", "[](2) She"), TEXT.replace("[She](2)", "She")),
    "only blanks": (TEXT.replace("[She](2)", "[ ](2) She"), TEXT.replace("[She](2)", "She")),
    "a tag not opened": (TAGS.replace("<m id=2>She", "She"), TAGS.replace("<m id=2>She</m>", "She")),
    "a tag closed twice": (TAGS.replace("She</m>", "She</m></m>"), TAGS),
    "a tag opened twice": (TAGS.replace("on .", "on . <m id=9>"), TAGS),
    "numbers not closed": ("[Ada]1 met [[her]1 old aunt .", "[Ada]1 met [her]1 old aunt ."),
    "numbers not opened": ("[Ada]1 met her]1 [old aunt]2 .", "[Ada]1 met her [old aunt]2 ."),
    "underscores not closed": ("[Ada]_1 met [her]_1 [old aunt .", "[Ada]_1 met [her]_1 old aunt ."),
    "underscores not opened": ("[Ada]_1 met her]_1 old aunt .", "[Ada]_1 met her old aunt ."),
    "bars not closed": ("[Ada|1] met [her|1] [old aunt .", "[Ada|1] met [her|1] old aunt ."),
    "bars not opened": ("[Ada|1] met her|1] old aunt .", "[Ada|1] met her old aunt ."),
    "crossing documents": (
        "# doc tale\n[Ada](1) met [her\n# doc other\n](2) x", "# doc tale\n[Ada](1) met her\n# doc other\nx"
    ),
    "doubled": (TEXT.replace("[Ada](1) met", "[[Ada](1) met"), TEXT),
    "closed again": (TEXT.replace("[Ada](1) met", "[Ada](1)](1) met"), TEXT),
    # tags of CRAC
    "CRAC never closed": (CRAC.replace("aunt|e2]", "aunt"), CRAC_LESS),
    "CRAC never opened": (CRAC.replace("her|[e1],[e2", "her|[e1]"), CRAC_LESS),
    "CRAC neither": (CRAC.replace("She|[e2]", "She|[e2],e7"), CRAC),
    "CRAC without a word": (CRAC.replace("She|[e2]", "|[e9] She|[e2]"), CRAC),
    # JSON that is none
    "single quotes": (JSON.replace('"', "'"), JSON),
    "a comma too many": (JSON.replace('"She"]', '"She",]'), JSON),
    "a comma too few": (JSON.replace('"Ada", "her", "Ada"', '"Ada" "her", "Ada"'), JSON),
    "lists without commas": (JSON.replace("], [", "] ["), JSON),
    "a brace for a bracket": (JSON.replace('"She"]', '"She"}'), JSON),
    "talk behind a cut list": ('[["Ada", "her"], ["She"\n\nI hope this helps!', '[["Ada", "her"], ["She"]]'),
    "a member that is not a mention": ('[["Ada", "her", null], ["She"]]', '[["Ada", "her"], ["She"]]'),
    "a cluster that is not a list": ('{"clusters": [["Ada", "her"], "She"]}', '{"clusters": [["Ada", "her"]]}'),
    "a span the wrong way round": ("[[[0, 0], [4, 2]], [[6, 6]]]", "[[[0, 0]], [[6, 6]]]"),
    # strings that are not in the text
    "capital letters": (JSON.replace('"She"', '"SHE"'), JSON),
    "quotation marks": (JSON.replace('"a coat"', '"“a coat”"'), JSON),
    "a final stop": (JSON.replace('"a coat"', '"a coat!"'), JSON),
}  # fmt: skip


def named(text: str) -> str:
    """An answer as a file with the name of its document."""
    return text if text.startswith("# doc") or "|[e" in text else f"# doc tale\n{text}\n"


def test_there_are_fifty() -> None:
    assert len(PAIRS) == 50


@pytest.mark.parametrize("case", PAIRS)
def test_a_repaired_answer_scores_what_the_hand_repaired_one_does(case: str, tmp_path: Path, run: Run) -> None:
    written, mended = (named(text) for text in PAIRS[case])
    for name, text in (("key", KEY), ("a", written), ("b", mended)):
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    how: tuple[str, ...] = ("--align", "characters", "--extra", "count", "--no-common", "score", "--format", "json")
    how = (*how, "--pair", "file" if "|[e" in written else "name")
    refused = run("score", tmp_path / "key.md", tmp_path / "a.md", *how)
    assert refused.code == 3 and "--repair" in refused.err
    repaired = run("score", tmp_path / "key.md", tmp_path / "a.md", *how, "--repair")
    by_hand = run("score", tmp_path / "key.md", tmp_path / "b.md", *how)
    assert by_hand.code == 0, by_hand.err
    assert repaired.json["scores"] == by_hand.json["scores"]
    issues = [issue for issue in repaired.json["issues"] if issue["code"] == "repaired"]
    assert issues and all(issue["count"] == len(issue["places"]) for issue in issues)
    assert all(place.startswith(str(tmp_path / "a.md")) for issue in issues for place in issue["places"])


ANSWERS = {
    "link": TEXT,
    "number": TEXT.replace("](", "]").replace(")", ""),
    "under": TEXT.replace("](", "]_").replace(")", ""),
    "tags": TAGS,
    "strings": JSON,
    "talk": f"Sure! Here it is:\n\n```json\n{JSON}\n```\n\nShall I go on?",
    "object": f'{{"clusters": {JSON}}}',
    "spans": "[[[0, 0], [2, 2], [8, 8]], [[2, 4], [6, 6]]]",
    "crac": '```\n[{"doc_id": "tale", "tokens": ["Ada", "met"], "clusters_token_offsets": [[[0, 0], [1, 1]]]}]\n```',
    "crac-text": CRAC,
}


def damaged(text: str, chance: random.Random) -> str:
    """Cut anywhere; brackets swapped; words dropped, repeated and invented; pieces said twice."""
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(text) + 1)
        words = text.split(" ")
        word = chance.randrange(len(words))
        marks = [n for n, c in enumerate(text) if c in "[]()<>{}|\"',"]
        kind = chance.randrange(7)
        if kind == 0:
            text = text[:place]
        elif kind == 1 and marks:
            at = chance.choice(marks)
            text = text[:at] + chance.choice("[]()<>{}|\"',") + text[at + 1 :]
        elif kind == 2:
            text = " ".join(words[:word] + words[word + 1 :])
        elif kind == 3:
            text = " ".join(words[: word + 1] + words[word:])
        elif kind == 4:
            text = " ".join(
                [*words[:word], chance.choice(("indeed", "[sic]", "Ada", "](1)", '"x"', "\\", "☃")), *words[word:]]
            )
        elif kind == 5:
            text = text[:place] + text[max(0, place - 20) :]
        elif marks:
            at = chance.choice(marks)
            text = text[:at] + text[at + 1 :]
    return text


@examples(150)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(ANSWERS)))
def test_no_damage_ends_in_a_traceback(tmp_path_factory: pytest.TempPathFactory, seed: int, name: str) -> None:
    """Scored or refused, with repairs and without."""
    folder = tmp_path_factory.mktemp("a")
    answer = named(damaged(ANSWERS[name], random.Random(seed)))
    (folder / "key.md").write_text(KEY, "utf-8")
    (folder / "a.md").write_text(answer, "utf-8")
    pair: Literal["file", "name"] = "file" if "|[e" in ANSWERS[name] else "name"
    with suppress(cl.InputError):
        cl.score(folder / "key.md", folder / "a.md", align="characters", pair=pair)
    with suppress(cl.InputError), cl.repair():
        result = cl.score(folder / "key.md", folder / "a.md", align="characters", pair=pair, no_common="score")
        if result.coverage is not None and result.coverage.fidelity is not None:
            assert 0 <= result.coverage.fidelity <= result.coverage.reach <= 1
            assert result.coverage.covered["mentions"].counts["recall_den"] <= result["mentions"].counts["recall_den"]


@examples(200)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(["link", "number", "under", "tags"]))
def test_no_mark_is_lost_in_silence(seed: int, name: str) -> None:
    """A mark that closes a mention makes one, or is reported."""
    answer = named(damaged(ANSWERS[name], random.Random(seed)))
    source = Source(answer.encode(), "a.md")
    with suppress(cl.InputError), cl.repair():
        corpus = inline.read(source)
        marks = counts(answer)
        most = marks["link"] or max(marks.values())
        unclosed = answer.count("<m id") if marks["tag"] == most else 0  # of tags the opening mark has the label
        assert len(corpus) + len(source.problems) >= max(most, unclosed)
