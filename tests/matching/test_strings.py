"""Clusters of strings placed in the text of the key, and what a response has of that text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.formats.shared.repairs import repair
from coreflens.integrations.samples import count_sample, gather

KEY = """# doc a
[Ada](1) wrote to [[her](1) aunt](2) . [The aunt](2) answered [her](1) .
# doc b
[Bob](1) slept . [He](1) dreamt of [a house](2) .
"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key.md").write_text(KEY)
    cl.convert(tmp_path / "key.md", tmp_path / "key.conll")
    return tmp_path / "key.conll"


def answer(tmp_path: Path, text: str) -> Path:
    (tmp_path / "answer.md").write_text(text)
    return tmp_path / "answer.md"


def spans(key: Path, response: Path) -> dict[object, list[object]]:
    """The entities of document a, as they were placed."""
    matched = cl.Scorer(key).match(response)
    return matched.response.clusters(0)


PLACES = {
    # in order, behind the one before; a string of another entity takes its place away
    "in order": (
        '[["Ada", "her", "her"], ["her aunt", "The aunt"]]',
        {"1": [(0, 0), (3, 3), (9, 9)], "2": [(3, 4), (6, 7)]},
    ),
    "behind the one before": ('[["her aunt", "her"], ["Ada"]]', {"1": [(3, 4), (9, 9)], "2": [(0, 0)]}),
    "none behind it": ('[["The aunt", "Ada"]]', {"1": [(0, 0), (6, 7)]}),
    "taken": ('[["her"], ["her"]]', {"1": [(3, 3)], "2": [(9, 9)]}),
    "other blanks": ('[["heraunt", "The  aunt"]]', {"1": [(3, 4), (6, 7)]}),
    "whole words": ('[["aunt", "aunt"]]', {"1": [(4, 4), (7, 7)]}),
}


@pytest.mark.parametrize("case", PLACES)
def test_the_rule(key: Path, tmp_path: Path, case: str) -> None:
    text, expected = PLACES[case]
    assert spans(key, answer(tmp_path, f"# doc a\n{text}\n")) == expected


def test_ambiguities_are_reported(key: Path, tmp_path: Path) -> None:
    result = cl.score(key, answer(tmp_path, '# doc a\n[["Ada", "her"], ["her aunt"]]\n'))
    (issue,) = [issue for issue in result.issues if issue.code == "ambiguous"]
    assert issue.count == 1 and "'her'" in issue.places[0]
    clear = cl.score(key, answer(tmp_path, '# doc a\n[["Ada", "her", "her"], ["her aunt"]]\n'))
    assert "ambiguous" not in {issue.code for issue in clear.issues}


def test_a_string_that_is_not_there(key: Path, tmp_path: Path, run: Run) -> None:
    path = answer(tmp_path, '# doc a\n\n[["Ada", "ADA", "her!"], ["the aunt!", "a cousin"]]\n')
    refused = run("score", key, path)
    assert refused.code == 3 and f"{path}:3: the string 'ADA' of entity '1' has no place left" in refused.err
    assert "--repair" in refused.err
    mended = run("score", key, path, "--repair", "--format", "json")
    repairs = [issue for issue in mended.json["issues"] if issue["code"] == "repaired"]
    assert [(issue["count"], len(issue["places"])) for issue in repairs] == [(2, 2), (2, 2)]
    with repair():
        placed = spans(key, path)
    assert placed["1"][0] == (0, 0) and (3, 3) in placed["1"] and (6, 7) in placed["2"]
    assert mended.json["scores"]["mentions"]["counts"]["precision_den"] == 5  # what has no place counts as found
    assert mended.json["scores"]["mentions"]["counts"]["precision_num"] == 3


def test_names_of_another_kind_are_no_strings(key: Path, tmp_path: Path) -> None:
    with pytest.raises(cl.InputError, match="the response names its mentions"):
        cl.score(key, answer(tmp_path, '# doc a\n[["m1", "m2"]]'))


def test_strings_in_memory_and_in_a_harness(key: Path) -> None:
    strings = {"a": [["Ada", "her", "her"], ["her aunt", "The aunt"]], "b": [["Bob", "He"], ["a house"]]}
    assert cl.score(key, strings).conll == 1
    sample = count_sample("[Ada](1) met [her](1) aunt .", 'Sure: [["Ada", "her"]]', "d", settings={"metrics": "conll"})
    listed = count_sample("[Ada](1) met [her](1) aunt .", '[["Ada", "her"]]', "d", settings={"metrics": "conll"})
    assert gather([sample]).conll == gather([listed]).conll == 1
    with pytest.raises(cl.InputError, match="names its mentions"):
        cl.score(key, {"a": [[1, 2]], "b": []})


CUT = "# doc a\n[Ada](1) wrote a long letter to [[her](1) aunt](2) . [The aunt](2) repl\n"


def test_coverage(key: Path, tmp_path: Path, run: Run) -> None:
    """Two documents of 11 and 9 words; one is answered, cut off, with words added and one reworded."""
    path = answer(tmp_path, CUT)
    found = run("score", key, path, "--align", "characters", "--format", "json").json["coverage"]
    assert found["documents"] == {"answered": 1, "of": 2}
    assert found["words"] == {"answered": 8, "of": 20} and found["text"] == {"reproduced": 8, "of": 20}
    assert found["covered"]["conll"]["f1"] == 1
    table = run("score", key, path, "--align", "characters").out
    assert "on what was covered" in table and "text fidelity" in table and "40.00" in table
    result = cl.score(key, path, align="characters")
    assert result.coverage is not None and float(result.conll) < 1
    again = cl.Result.from_dict(json.loads(result.to_json()))
    assert again.coverage is not None and again.coverage.to_dict() == result.coverage.to_dict()


def test_what_was_covered_is_the_score_of_the_part(key: Path, tmp_path: Path) -> None:
    """A wrong link in what was answered: the score on it is that of the answered part of the key alone."""
    path = answer(tmp_path, "# doc a\n[Ada](1) wrote to [[her](2) aunt](2) .\n")
    result = cl.score(key, path, align="characters")
    (tmp_path / "part.md").write_text("# doc a\n[Ada](1) wrote to [[her](1) aunt](2) .\n")
    part = cl.score(tmp_path / "part.md", path)
    assert result.coverage is not None
    assert {m: s.main for m, s in result.coverage.covered.items()} == {m: s.main for m, s in part.items()}
    assert result.coverage.words_reached == 6


def test_nothing_is_said_where_nothing_is_lost(key: Path) -> None:
    assert cl.score(key, key).coverage is None
    assert cl.score(key, key, align="characters").coverage is None


def test_other_words_at_the_same_places(key: Path, tmp_path: Path) -> None:
    path = answer(tmp_path, KEY.replace("wrote to", "spoke with"))
    result = cl.score(key, path)
    assert [i.count for i in result.issues if i.code == "other-words"] == [1]
    assert result.coverage is not None and result.coverage.words_reproduced == 18 and result.conll == 1


def test_errors_are_wrong_or_of_text_that_is_lost(key: Path, tmp_path: Path, run: Run) -> None:
    path = answer(tmp_path, "# doc a\n[Ada](1) wrote to [her](2) aunt . [A niece](3) answ\n")
    d = cl.diagnose(key, path, align="characters")
    causes = {error.text: cause for cause in ("wrong", "text lost") for error in d.errors(cause=cause)}
    assert causes["Bob"] == causes["a house"] == causes["A niece"] == "text lost"
    assert causes["her aunt"] == "wrong"
    assert sum(price.errors for price in d.causes.values()) == len(d.errors())
    both = d.price()["conll"]
    assert d.after(d.chosen()).conll == 1 and both == pytest.approx(1 - float(d.scores.conll))
    shown = run("diagnose", key, path, "--align", "characters")
    assert "Errors by cause" in shown.out and "text lost" in shown.out
    assert run("diagnose", key, path, "--align", "characters", "--format", "json").json["causes"]["wrong"]["errors"]
    assert cl.diagnose(key, key).causes == {}
