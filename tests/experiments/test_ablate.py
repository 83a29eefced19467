"""Ablations: what a part is worth is the difference of two fresh scores, with the errors that `diagnose` counts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.errors import UsageError
from coreflens.experiments import ablate
from coreflens.resolvers import resolve, train
from coreflens.resolvers.features import FEATURES
from coreflens.resolvers.passes import PASSES
from places import DATA

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no third-party data in ../shared/data")


@pytest.fixture
def key(tmp_path: Path, run: Run) -> Path:
    assert run("demo", "--write", tmp_path).code == 0
    return tmp_path / "key.conll"


def test_each_pass_is_worth_what_the_score_loses_without_it(key: Path) -> None:
    found = ablate(key, system="sieve", metric="lea")
    corpus = cl.read(key)

    def lea(passes: Sequence[str]) -> float:
        response = resolve(corpus, "sieve", parameters={"passes": passes})
        return float(cl.score(corpus, response, metrics="lea")["lea"].f1 or 0)

    assert len(found.parts) == 20
    for name in PASSES:
        without = [p for p in PASSES if p != name]
        assert found.worth(name) == pytest.approx(lea(list(PASSES)) - lea(without), abs=1e-12)
        assert found.worth(name, "alone") == pytest.approx(lea([name]) - lea([]), abs=1e-12)
    assert any(found.worth(name) for name in PASSES)


@needs_data
@pytest.mark.slow
def test_errors_and_tests_are_those_of_diagnose_and_compare() -> None:
    key = cl.read(DATA / "ontogum" / "conllu")
    found = ablate(key, system="sieve", parts=["exact", "pronoun"], how=["left out"])
    (pronoun,) = (p for p in found.parts if p.name == "pronoun")
    without, whole = (
        resolve(key, "sieve", parameters={"passes": passes}) for passes in (["exact"], ["exact", "pronoun"])
    )
    difference = cl.diagnose(key, whole, against=without, metrics="conll").difference
    assert pronoun.mends == {c.kind: c.repaired for c in difference.classes if c.repaired}
    assert pronoun.makes == {c.kind: c.broken for c in difference.classes if c.broken}
    compared = cl.compare(key, {"without": without, "whole": whole}, metrics="conll", baseline="without", seed=0)
    assert pronoun.test is not None and compared is not None
    assert pronoun.test.difference == pytest.approx(
        float(cl.score(key, whole).conll or 0) - float(cl.score(key, without).conll or 0), abs=1e-12
    )
    assert pronoun.test.low <= pronoun.test.difference <= pronoun.test.high
    assert pronoun.test.p <= pronoun.adjusted <= 1


@needs_data
@pytest.mark.slow
def test_features_of_mention_pairs_are_left_out_of_training() -> None:
    key, seen = cl.read(DATA / "ontogum" / "conllu" / "GUM_bio_byron.conllu"), cl.read(DATA / "ontogum" / "conllu")
    found = ablate(key, system="mention-pair", train_on=seen, parts=["string_match", "distance"], errors=False)
    model = train(seen, "mention-pair", parameters={"features": ["string_match"]})
    assert "distance" not in str(model.knowledge) and "string_match" in str(model.knowledge)
    fresh = cl.score(key, resolve(key, "mention-pair", model=model)).conll
    (alone,) = (p for p in found.parts if (p.name, p.how) == ("string_match", "alone"))
    assert alone.with_ is not None and float(alone.with_.conll or 0) == float(fresh or 0)
    assert set(FEATURES) >= {"string_match", "distance"} and alone.mends is None


@pytest.mark.slow
def test_parts_of_a_program(key: Path, tmp_path: Path, run: Run) -> None:
    """One that links all mentions of a document if it has the rule for it, and fails with another."""
    program = tmp_path / "rules.py"
    program.write_text(
        "import sys, re\n"
        "rules, source, target = sys.argv[1:]\n"
        "text = open(source).read()\n"
        "if rules == 'bad': sys.exit('alone I fail')\n"
        "if 'all' in rules.split(','): text = re.sub(r'\\d+(?=\\))|(?<=\\()\\d+', '0', text)\n"
        "open(target, 'w').write(text)\n"
    )
    command = f"'{sys.executable}' '{program}' {{parts}} {{input}} {{output}}"
    ran = run(
        "ablate", key, "--run", command, "--parts", "all,none,bad", "-m", "muc", "--format", "json", "--jobs", "2"
    )
    parts = {(p["part"], p["how"]): p for p in ran.json["parts"]}
    assert parts["all", "left out"]["worth"]["difference"] > 0.5
    assert parts["none", "left out"]["worth"]["difference"] == 0
    assert parts["bad", "alone"]["failed"] == "exit code 1: alone I fail" and parts["bad", "left out"]["failed"] is None
    assert parts["all", "alone"]["mends"] and "the run with bad failed" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "either a system"),
        (["--system", "salience"], "salience has no parts to leave out"),
        (["--system", "sieve", "--parts", "exact,exakt"], "exact"),
        (["--system", "sieve", "--parts", "exact,exact"], "twice"),
        (["--system", "sieve", "--set", "passes=exact"], "can't be both varied and set"),
        (["--system", "sieve", "--model", "x"], "--model can't be used here"),
        (["--system", "sieve", "--train", "x"], "--train is for systems that learn"),
        (["--system", "mention-pair"], "give a key to train on"),
        (["--run", "x {parts} {input} {output}"], "name the parts of the program"),
        (["--run", "x {input} {output}", "--parts", "a,b"], "no {parts}"),
        (["--system", "sieve", "-m", "bcub.recall"], "F1 or value"),
    ],
)
def test_what_does_not_fit_is_an_error(arguments: list[str], message: str, key: Path, run: Run) -> None:
    ran = run("ablate", key, *arguments)
    assert ran.code == 2 and message in ran.err


def test_tables_and_plot(key: Path, tmp_path: Path, run: Run) -> None:
    how = ["ablate", key, "--system", "sieve", "--parts", "exact,pronoun"]
    ran = run(*how, "--plot", tmp_path / "a.svg")
    assert ran.code == 0 and "whole system" in ran.out and "no part" in ran.out and "errors mended / made" in ran.out
    assert "alone" not in run(*how, "--leave-out", "--no-errors").out
    assert "left out" not in run(*how, "--alone", "--no-errors").out
    for form in ("csv", "markdown", "latex", "html", "json"):
        assert run(*how, "--format", form).code == 0
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    with pytest.raises(UsageError, match="either a system"):
        ablate(key)
