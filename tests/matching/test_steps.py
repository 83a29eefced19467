"""The order of operations is the list that the code runs, and it knows every option of a result."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.errors import UsageError
from coreflens.matching.steps import RUN
from coreflens.options import CHOICES, HANDLING
from coreflens.order import BY_NAME, CHANGE_NUMBERS, STEPS, steps_of

SOURCE = Path(cl.__file__).parent


def test_the_functions_are_those_of_the_list_in_its_order() -> None:
    assert [step.number for step in STEPS] == list(range(1, len(STEPS) + 1))
    assert list(RUN) == [step.name for step in STEPS[: BY_NAME["match"].number]]


def test_every_option_of_a_result_belongs_to_a_step() -> None:
    of_a_result = {field.name for field in fields(cl.Options)}
    assert of_a_result <= CHANGE_NUMBERS
    assert all(steps_of(option) for option in (*CHOICES, *HANDLING))


def test_what_a_step_reports_is_reported_somewhere() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py") if path.name != "order.py")
    for step in STEPS:
        for code in step.reports:
            stem = code.removesuffix("-key").removesuffix("-response").partition("-nonreferring")[0]
            stem = stem.removesuffix("-verbs").removesuffix("-nested")
            assert f'"{stem}' in text, f"{step.name}: no code {code}"


# What the steps see of each other


def test_repetitions_go_before_singletons() -> None:
    """Two copies of one mention are one mention, and an entity that lost its second mention to them is a singleton."""
    key, response = {"d": [["x", "q"], ["y", "w"]]}, {"d": [["x", "y"], ["y", "z"]]}
    found = cl.score(key, response, singletons="drop-before", exact=True)
    by_hand = cl.score(key, {"d": [["x", "y"]]}, exact=True)
    assert found.to_dict()["scores"] == by_hand.to_dict()["scores"]
    assert float(found["mentions"].main) == pytest.approx(2 / 3)


@pytest.mark.parametrize("form", ["python", "conll", "csv"])
def test_a_side_that_an_option_empties_is_scored(form: str, tmp_path: Path) -> None:
    if form == "python":
        key: Any = {"d": [["x", "y"]]}
        response: Any = {"d": [["x"], ["y"]]}
    elif form == "conll":
        key, response = tmp_path / "key.conll", tmp_path / "response.conll"
        key.write_text(conll("(0)", "(0)", name="d"), "utf-8")
        response.write_text(conll("(0)", "(1)", name="d"), "utf-8")
    else:
        key, response = tmp_path / "key.csv", tmp_path / "response.csv"
        key.write_text("mention,entity\nx,1\ny,1\n", "utf-8")
        response.write_text("mention,entity\nx,1\ny,2\n", "utf-8")
    found = cl.score(key, response, singletons="drop-before")
    assert found["mentions"].counts == {"recall_num": 0, "recall_den": 2, "precision_num": 0, "precision_den": 0}
    assert [str(issue.message) for issue in found.issues] == [
        "the response has no mentions left after --singletons drop-before"
    ]


def test_conditions_look_at_whole_entities(tmp_path: Path) -> None:
    """Pronouns of persons: the type is that of the entity, though most of its mentions are not selected."""
    rows = ["mention,entity,type,kind", "a,1,PER,n", "b,1,PER,n", "c,1,LOC,p", "d,2,LOC,p", "e,2,LOC,n"]
    (tmp_path / "k.csv").write_text("\n".join(rows) + "\n", "utf-8")
    found = cl.score(tmp_path / "k.csv", tmp_path / "k.csv", only=["mention.kind=p", "entity.type=PER"])
    assert found["mentions"].counts["recall_den"] == 1
    groups = cl.score(tmp_path / "k.csv", tmp_path / "k.csv", only="mention.kind=p").group_by("entity.type")
    assert {label: group["mentions"].counts["recall_den"] for label, group in groups.items()} == {"PER": 1, "LOC": 1}


# Options that can't act


@pytest.mark.parametrize(
    ("options", "needs"),
    [
        ({"min_share": 0.3}, 'match="share"'),
        ({"on": "key"}, "a condition"),
        ({"on": "key", "without": "nested"}, "a condition"),
        ({"ids": "local"}, "scope="),
        ({"ids": "global"}, "scope="),
        ({"weights": "muc=1,bcub=2", "metrics": "conll"}, "mela"),
        ({"ties": "scipy"}, 'match="head"'),
    ],
)
def test_an_option_that_can_not_act_is_refused(options: Any, needs: str) -> None:
    functions: tuple[Any, ...] = (cl.score, cl.diagnose)
    for scored in functions:
        if scored is cl.diagnose and "weights" in options:
            continue
        with pytest.raises(UsageError, match=f"has no effect here: it needs .*{needs}"):
            scored([["a", "b"]], [["a", "b"]], **options)


@pytest.mark.parametrize("option", [name for name in CHOICES | HANDLING if name not in ("only", "without")])
def test_a_default_that_is_named_changes_nothing(option: str) -> None:
    key, response = [["a", "b"], ["c"]], [["a"], ["b", "c"]]
    usual = getattr(cl.Options(), option)
    given: Any = {option: usual}
    named = cl.score(key, response, **given)
    assert named.to_dict() == cl.score(key, response).to_dict()


def test_heads_and_excerpts_are_in_the_signature(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "a.conll"
    path.write_text(conll("(0)", "(1)", "(0)", name="d"), "utf-8")
    found = cl.score(path, path, excerpt=":2")
    assert "excerpt:1:2" in str(found.signature) and "+excerpt:1:2" in found.signature.short
    assert cl.Signature.parse(str(found.signature)) == found.signature
    assert found.to_dict()["scores"] != cl.score(path, path).to_dict()["scores"]


# 0/0


def test_zero_over_zero_by_the_paper_of_a_metric() -> None:
    """A key of singletons: core has no links in the key, so its recall is 0/0, which its paper counts as 0."""
    found = cl.score([["a"], ["b"]], [["a", "b"]], metrics="core")
    assert found["core"].recall == 0 and "recall" in found["core"].undefined
    found = cl.score([["a", "b"]], [["a"], ["b"]], metrics="core")
    assert found["core"].precision == 1 and found["core"].undefined == {"precision"}
    assert "100.00°" in str(found) and "as the paper of the metric says" in str(found)
    undefined = cl.score([["a", "b"]], [["a"], ["b"]], metrics="core,muc", undefined="nan")
    assert undefined["core"].precision != undefined["core"].precision
    assert "100.00" not in str(undefined)


@pytest.mark.parametrize("undefined", ["zero", "nan", "popescu-belis"])
@pytest.mark.parametrize("mean", ["harmonic", "arithmetic"])
def test_the_mean_over_one_document_is_its_score(undefined: Any, mean: Any) -> None:
    ways: Any = ("micro", "macro")
    for key, response in (([["a"]], [["a"]]), ([["a", "b"]], [["a"], ["b"]]), ([["a"]], [["a", "b"]])):
        micro, macro = (
            cl.score(
                key, response, metrics="muc,core,xcore,bcub,blanc,conll", undefined=undefined, mean=mean, average=way
            )
            for way in ways
        )
        for metric in micro:
            for name, number in micro[metric].numbers().items():
                other = macro[metric].numbers()[name]
                assert other == number or (other != other and number != number), (metric, name)
            assert micro[metric].undefined == macro[metric].undefined
