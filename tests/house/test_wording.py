"""Messages in the words of the caller: options on the command line, keywords in Python."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.wording import command_line, worded


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        ("--duplicates first", 'duplicates="first"'),
        ("use --engine duckdb or spark", 'use engine="duckdb" or "spark"'),
        ("--engine memory reads it", 'engine="memory" reads it'),
        ("--match head, partial, or craft", 'match="head", "partial", or "craft"'),
        ("--pair needs --engine memory", 'pair needs engine="memory"'),
        ("(--extra ignore)", '(extra="ignore")'),
        ("--split-antecedents drop", 'split_antecedents="drop"'),
        ("--columns mention=NAME,entity=NAME names them", 'columns="mention=NAME,entity=NAME" names them'),
        ("--no-ceaf leaves it out", "ceaf=False leaves it out"),
        ("--save-counts FILE", "--save-counts FILE"),
        ("a -- b, x--y", "a -- b, x--y"),
    ],
)
def test_options_are_keywords_in_python(options: str, keywords: str) -> None:
    assert worded(options) == keywords
    with command_line():
        assert worded(options) == options
    error = cl.UsageError(options)
    assert str(error) == str(pickle.loads(pickle.dumps(error))) == keywords
    assert str(cl.Issue("code", options)) == f"{keywords} [code]"
    assert str(cl.InputError("what", hint=options)) == f"what\n  hint: {keywords}"


def test_one_mistake_in_both_languages(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text("start,end,entity\n0,1,a\n2,2,a\n")
    with pytest.raises(cl.UsageError, match='scored with engine="memory"'):
        cl.score(path, path, engine="duckdb")
    ran = run("score", path, path, "--engine", "duckdb")
    assert ran.code == 2 and "scored with --engine memory" in ran.err


def test_a_missing_file_is_a_file_not_found_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.conll", tmp_path / "*.conll"):
        with pytest.raises(FileNotFoundError) as caught:
            cl.read(path)
        error = caught.value
        assert isinstance(error, cl.InputError) and isinstance(error, cl.MissingFile)
        assert error.filename == str(path) and error.errno == 2 and error.exit_code == 3
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))


KEY: Any = {"d": [[(0, 1), (5, 6)], [(3, 4), (8, 9)]]}
SHIFTED: Any = {"d": [[(0, 2), (5, 7)], [(3, 5), (8, 10)]]}


def test_suspicions_are_warnings(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cl.score(KEY, SHIFTED)
        cl.Scorer(KEY)(SHIFTED)
    assert [warning.category for warning in caught] == [cl.Suspicion] * 2
    assert "exclusive" in str(caught[0].message)
    assert {warning.filename for warning in caught} == {__file__}, "they point to the caller"
    assert str(result).splitlines()[-1].startswith("note: ")
    assert "exclusive" in str(result)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", cl.Suspicion)
        for _ in range(3):
            cl.score(KEY, SHIFTED)
    assert len(caught) == 1, "once per place"
    with warnings.catch_warnings():
        warnings.simplefilter("error", cl.Suspicion)
        with pytest.raises(cl.Suspicion):
            cl.score(KEY, SHIFTED)
        assert cl.score(KEY, KEY).conll == 1


def test_the_command_line_has_notes_and_no_warnings(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text("mention,entity\nx,1\ny,1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ran = run("score", path, path)
    assert ran.code == 0 and "note: " in ran.err and "note: " not in ran.out


def test_words_that_people_try(run: Run, tmp_path: Path) -> None:
    assert run("list", "resolvers").out == run("list", "systems").out
    path = tmp_path / "k.conll"
    path.write_text(conll("(1)", "(1)"))
    for name in ("corefud", "conllu"):
        assert run("convert", path, tmp_path / f"{name}.conllu", "--to", name).code == 0
    assert (tmp_path / "corefud.conllu").read_text() == (tmp_path / "conllu.conllu").read_text()
    corpus = cl.read(tmp_path / "corefud.conllu", format="corefud")  # type: ignore[arg-type]
    assert corpus.format == "conllu"


def test_sides_that_look_exchanged() -> None:
    from coreflens.integrations import CorefMetric

    gold: list[Any] = [[["a", "b"], [str(n), "c"]] for n in range(4)]

    def notes(exchanged: bool) -> list[str]:
        metric = CorefMetric()
        for epoch in range(2):
            metric.reset()
            for number, target in enumerate(gold):
                predicted: Any = [["a", str(number)], [f"{epoch}", "z"]]
                sides = ([target], [predicted]) if exchanged else ([predicted], [target])
                metric.update(*sides)
        return [issue.code for issue in metric.issues]

    assert "sides-exchanged" in notes(exchanged=True)
    assert "sides-exchanged" not in notes(exchanged=False)
    empty = CorefMetric()
    empty.update([gold[0]], [[]])
    empty.update([gold[1]], [[]])
    assert "sides-exchanged" in [issue.code for issue in empty.issues]


def test_both_take_the_same_names() -> None:
    from coreflens.integrations import CorefMetric

    key: Any = [["a", "b"], ["c"]]
    response: Any = [["a"], ["b", "c"]]
    accumulator, metric = cl.Accumulator(), CorefMetric()
    accumulator.update(response=response, key=key)
    metric.update(response=[response], key=[key])
    assert metric.compute()["muc_recall"] == accumulator.compute()["muc"].recall
    for wrong in ({"key": [key]}, {"preds": [response], "response": [response], "key": [key]}):
        with pytest.raises(cl.UsageError, match="give one of preds or response"):
            metric.update(**wrong)
