"""Mention pairs: a case for each feature, the sampling of training pairs, models that come back or are refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.corpus.candidates import apart
from coreflens.corpus.model import Corpus
from coreflens.resolvers import resolve, train
from coreflens.resolvers.analysis import read_phrases
from coreflens.resolvers.features import FEATURES, Pairs
from coreflens.resolvers.lexicon import lexicon
from coreflens.resolvers.mention_pair import instances
from coreflens.resolvers.model import Model, read_model, write_model
from places import DATA, ROOT
from sentences import corpus, entities

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no third-party data in ../shared/data")


def features(*sentences: str, **layers: Any) -> dict[str, float]:
    """The features of the last mention and the first."""
    reading = read_phrases(apart(corpus(*sentences, **layers)), lexicon("english"))
    phrases = reading.document(0)
    return dict(zip(FEATURES, Pairs(reading, phrases).before(len(phrases) - 1)[0].tolist(), strict=True))


CASES: dict[str, tuple[tuple[tuple[str, ...], float], ...]] = {
    "distance": (
        (("[cat/NN/0/root] [dog/NN/1/dep]",), 0),
        (("[cat/NN/0/root]", "no/DT/0/root", "[dog/NN/0/root]"), 2),
    ),
    "i_pronoun": ((("[it/PRP/0/root] [dog/NN/1/dep]",), 1), (("[dog/NN/0/root] [it/PRP/1/dep]",), 0)),
    "j_pronoun": ((("[dog/NN/0/root] [it/PRP/1/dep]",), 1), (("[it/PRP/0/root] [dog/NN/1/dep]",), 0)),
    "string_match": (
        (("[the/DT/2/det cat/NN/0/root]", "[this/DT/2/det Cat/NN/0/root]"), 1),
        (("[the/DT/3/det old/JJ/3/amod cat/NN/0/root]", "[the/DT/2/det cat/NN/0/root]"), 0),
    ),
    "definite": (
        (("[a/DT/2/det cat/NN/0/root]", "[the/DT/2/det cat/NN/0/root]"), 1),
        (("[the/DT/2/det cat/NN/0/root]", "[a/DT/2/det cat/NN/0/root]"), 0),
    ),
    "demonstrative": (
        (("[a/DT/2/det cat/NN/0/root]", "[those/DT/2/det cats/NNS/0/root]"), 1),
        (("[a/DT/2/det cat/NN/0/root]", "[the/DT/2/det cats/NNS/0/root]"), 0),
    ),
    "number": (
        (("[a/DT/2/det cat/NN/0/root]", "[it/PRP/0/root]"), 1),
        (("[the/DT/2/det team/NN/0/root]", "[they/PRP/0/root]"), 1),
        (("[a/DT/2/det cat/NN/0/root]", "[they/PRP/0/root]"), 0),
    ),
    "class": (
        (("[the/DT/2/det king/NN/0/root]", "[he/PRP/0/root]"), 1),
        (("[a/DT/2/det doctor/NN/0/root]", "[the/DT/2/det doctor/NN/0/root]"), 1),
        (("[the/DT/2/det doctor/NN/0/root]", "[the/DT/2/det king/NN/0/root]"), 0),
        (("[the/DT/2/det doctor/NN/0/root]", "[the/DT/2/det city/NN/0/root]"), -1),
        (("[the/DT/2/det doctor/NN/0/root]", "[they/PRP/0/root]"), 0),
        (("[the/DT/2/det team/NN/0/root]", "[it/PRP/0/root]"), 1),
        (("[a/DT/3/det big/JJ/3/amod plan/NN/0/root]", "[the/DT/2/det plan/NN/0/root]"), 1),
        (("[a/DT/2/det table/NN/0/root]", "[the/DT/2/det plan/NN/0/root]"), 0),
        (("[I/PRP/0/root]", "[my/PRP$/0/root]"), 1),
        (("[I/PRP/0/root]", "[you/PRP/0/root]"), -1),
    ),
    "gender": (
        (("[the/DT/2/det king/NN/0/root]", "[he/PRP/0/root]"), 1),
        (("[the/DT/2/det king/NN/0/root]", "[she/PRP/0/root]"), -1),
        (("[the/DT/2/det doctor/NN/0/root]", "[she/PRP/0/root]"), 0),
    ),
    "proper_names": (
        (("[Anna/NNP/0/root]", "[Berg/NNP/0/root]"), 1),
        (("[Anna/NNP/0/root]", "[she/PRP/0/root]"), 0),
    ),
    "alias": (
        (("[Anna/NNP/0/root Berg/NNP/1/flat]", "[Berg/NNP/0/root]"), 1),
        (("[United/NNP/2/amod Nations/NNPS/0/root]", "[UN/NNP/0/root]"), 1),
        (("[Anna/NNP/0/root Berg/NNP/1/flat]", "[Tom/NNP/0/root Berg/NNP/1/flat]"), 0),
    ),
    "apposition": (
        (("[Anna/NNP/0/root] ,/,/4/punct [the/DT/4/det mayor/NN/1/appos]",), 1),
        (("[Anna/NNP/2/nsubj] saw/VBD/0/root [the/DT/4/det mayor/NN/2/obj]",), 0),
    ),
}


@pytest.mark.parametrize("name", FEATURES)
def test_features(name: str) -> None:
    for sentences, expected in CASES[name]:
        assert features(*sentences)[name] == expected, (name, sentences)


def test_speakers_are_classes() -> None:
    said = ("[I/PRP/2/nsubj] sleep/VBP/0/root", "[I/PRP/2/nsubj] sleep/VBP/0/root")
    assert features(*said, speakers=("Ann", "Ann"))["class"] == 1
    assert features(*said, speakers=("Ann", "Bob"))["class"] == -1
    asked = ("[I/PRP/2/nsubj] sleep/VBP/0/root", "[you/PRP/2/nsubj] sleep/VBP/0/root")
    assert features(*asked, speakers=("Ann", "Bob"))["class"] == 1


def test_there_are_twelve_features_with_cases() -> None:
    assert set(CASES) == set(FEATURES)
    assert len(FEATURES) == 12


def labelled(text: Corpus, *labels: int) -> Corpus:
    return replace(text, entity=np.array(labels), labels=[str(i) for i in range(max(labels) + 1)])


def test_training_pairs_are_the_closest_antecedent_and_what_is_between() -> None:
    words = "[a/NN/0/root] [b/NN/1/dep] [c/NN/1/dep] [d/NN/1/dep] [e/NN/1/dep]"
    key = labelled(corpus(words), 0, 1, 0, 1, 0)
    _, y = instances(key, "english", lambda documents: documents)
    assert y.tolist() == [1, 0, 1, 0, 1, 0]  # a–c with b between, b–d with c, c–e with d
    x, y = instances(labelled(corpus(words), 0, 1, 2, 3, 4), "english", lambda documents: documents)
    assert (len(x), len(y)) == (0, 0)


ALWAYS = Model("tree", "english", {"tree": {"pairs": 1, "probability": 1.0}}, {})
SAME_STRING = Model(
    "tree",
    "english",
    {
        "tree": {
            "feature": "string_match",
            "above": 0.5,
            "yes": {"pairs": 3, "probability": 0.9},
            "no": {"pairs": 9, "probability": 0.2},
        }
    },
    {"documents": 1},
)


def test_the_closest_antecedent_is_taken() -> None:
    text = corpus("[cat/NN/0/root] [dog/NN/1/dep] [cat/NN/1/dep] [dog/NN/1/dep]")
    found = resolve(text, "mention-pair", model=SAME_STRING)
    assert found.entity.tolist() == [0, 1, 0, 1]
    assert len(set(resolve(text, "mention-pair", model=ALWAYS).entity.tolist())) == 1
    strict = resolve(text, "mention-pair", model=SAME_STRING, parameters={"threshold": 0.95})
    assert len(set(strict.entity.tolist())) == 4


def test_a_logistic_regression_is_a_sum_of_weights() -> None:
    weights = dict.fromkeys(FEATURES, 0.0) | {"string_match": 4.0, "distance": -1.0}
    model = Model("logistic", "english", {"intercept": -1.0, "weights": weights}, {})
    row = np.zeros((2, len(FEATURES)))
    row[0, FEATURES.index("string_match")] = 1
    row[1, FEATURES.index("distance")] = 2
    assert model.probabilities(row) == pytest.approx([1 / (1 + np.exp(-3)), 1 / (1 + np.exp(3))])


@needs_data
@pytest.mark.parametrize("learner", ["tree", "logistic"])
def test_training_writes_a_model_that_resolves_alike(run: Run, tmp_path: Path, learner: str) -> None:
    pytest.importorskip("sklearn")
    file, model = DATA / "ontogum_train/conllu/GUM_bio_gordon.conllu", tmp_path / "model.json"
    trained = ("resolve", "--train", file, "--system", "mention-pair", "--model", model, "--set", f"learner={learner}")
    ran = run(*trained)
    assert ran.code == 0, ran.err
    first = model.read_bytes()
    run(*trained)
    assert model.read_bytes() == first
    assert next(iter(json.loads(first))) == "coreflens-model"
    key = cl.read(file)
    learned = train(key, "mention-pair", parameters={"learner": learner})
    assert learned == read_model(model)
    ran = run("resolve", file, tmp_path / "out.conllu", "--system", "mention-pair", "--model", model)
    assert ran.code == 0, ran.err
    again = resolve(key, "mention-pair", model=learned)
    assert cl.score(again, tmp_path / "out.conllu")["bcub"].f1 == 1


@needs_data
@pytest.mark.slow
def test_trained_on_sixty_texts_and_scored_on_eight_others() -> None:
    pytest.importorskip("sklearn")
    model = train(cl.read(DATA / "ontogum_train" / "conllu"), "mention-pair")
    key = cl.read(DATA / "ontogum" / "conllu")
    conll = float(cl.score(key, resolve(key, "mention-pair", model=model)).conll or 0)
    assert 0.68 <= conll < 1
    lines = (ROOT / "docs" / "resolvers.md").read_text("utf-8").splitlines()
    assert any(line.startswith("| `mention-pair` |") and f" {100 * conll:.1f} [" in line for line in lines)


Damage = Callable[[dict[str, Any]], Any]
DAMAGES: dict[str, tuple[Damage, str]] = {
    "no object": (lambda m: [1], "not a model of coreflens"),
    "counts": (lambda m: {"coreflens-counts": 1}, "not a model of coreflens"),
    "version": (lambda m: {**m, "coreflens-model": 2}, "the model has version 2"),
    "system": (lambda m: {**m, "system": "sieve"}, "another system"),
    "features": (lambda m: {**m, "features": m["features"][1:]}, "other features"),
    "words": (lambda m: {**m, "words": "german"}, "word lists that do not exist: german"),
    "learner": (lambda m: {**m, "learner": "forest"}, "a learner that does not exist: forest"),
    "trained": (lambda m: {**m, "trained": {"documents": "many"}}, "'trained' must have whole numbers"),
    "no tree": (lambda m: {**m, "tree": None}, "tree is not a node"),
    "feature": (lambda m: {**m, "tree": {**m["tree"], "feature": "size"}}, "tree tests no feature"),
    "leaf": (lambda m: {**m, "tree": {**m["tree"], "yes": {"probability": 2}}}, "tree.yes is not between 0 and 1"),
    "weights": (lambda m: {**m, "learner": "logistic", "weights": {}}, "one number for each feature"),
    "weight": (
        lambda m: {**m, "learner": "logistic", "weights": dict.fromkeys(FEATURES, "x"), "intercept": 0},
        "a weight is not a number",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_and_foreign_models(damage: str, tmp_path: Path, run: Run) -> None:
    model, text = tmp_path / "model.json", tmp_path / "a.conll"
    write_model(SAME_STRING, model)
    assert read_model(model) == SAME_STRING
    change, message = DAMAGES[damage]
    model.write_text(json.dumps(change(json.loads(model.read_text()))))
    text.write_text("#begin document (a); part 000\na 0 0 cat (1)\n\n#end document\n")
    ran = run("resolve", text, "-", "--system", "mention-pair", "--model", model)
    assert ran.code == 3
    assert str(model) in ran.err and message in ran.err


ODD: list[Any] = [None, True, -1, 10**400, 1.5, "", "x" * 1000, [], [[]], {}, {"x": []}]


@pytest.mark.parametrize("learner", ["tree", "logistic"])
def test_any_value_in_a_model_is_read_or_refused(learner: str, tmp_path: Path) -> None:
    """Each value of a good model in turn is another one: the model is read, or an InputError says what is wrong."""
    write_model(SAME_STRING, tmp_path / "good.json")
    good = json.loads((tmp_path / "good.json").read_text())
    if learner == "logistic":
        good |= {"learner": "logistic", "weights": dict.fromkeys(FEATURES, 0.5), "intercept": 0}
    refused = 0
    for place in _places(good):
        for value in ODD:
            damaged = json.loads(json.dumps(good))
            inside = damaged
            for step in place[:-1]:
                inside = inside[step]
            inside[place[-1]] = value
            path = tmp_path / "model.json"
            path.write_text(json.dumps(damaged))
            try:
                model = read_model(path)
            except cl.InputError as error:
                refused += 1
                assert "model.json" in str(error) and len(str(error)) < 500
            else:
                model.probabilities(np.zeros((1, len(FEATURES))))
    assert refused > 50


def _places(content: Any) -> Iterator[tuple[Any, ...]]:
    """The path of each value in nested objects and lists."""
    pairs = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for name, value in pairs:
        yield (name,)
        yield from ((name, *rest) for rest in _places(value))


def test_models_that_are_no_json(tmp_path: Path) -> None:
    write_model(SAME_STRING, tmp_path / "model.json")
    (tmp_path / "cut.json").write_text((tmp_path / "model.json").read_text()[:200])
    with pytest.raises(cl.InputError, match="not valid JSON"):
        read_model(tmp_path / "cut.json")
    with pytest.raises(cl.InputError, match=r"missing\.json"):
        read_model(tmp_path / "missing.json")


def test_models_and_systems_that_do_not_fit(run: Run, tmp_path: Path) -> None:
    text = corpus("[cat/NN/0/root]")
    with pytest.raises(cl.UsageError, match="mention-pair needs a model"):
        resolve(text, "mention-pair")
    with pytest.raises(cl.UsageError, match="sieve does not learn"):
        resolve(text, "sieve", model=ALWAYS)
    with pytest.raises(cl.UsageError, match="these systems can: mention-pair"):
        train(text, "sieve")
    pytest.importorskip("sklearn")
    with pytest.raises(cl.InputError, match="nothing to learn"):
        train(text, "mention-pair")
    for arguments in (("--train", "key"), ("in", "out", "--train", "key", "--model", "m"), ("in",)):
        ran = run("resolve", *arguments, "--system", "mention-pair")
        assert ran.code == 2, ran.err


def test_salience_prefers_what_is_active() -> None:
    text = corpus(
        "[Anna/NNP/2/nsubj] left/VBD/0/root [the/DT/4/det house/NN/2/obj]",
        "[Anna/NNP/2/nsubj] met/VBD/0/root [Maria/NNP/2/obj]",
        "[She/PRP/2/nsubj] smiled/VBD/0/root",
    )
    assert entities(text, "salience") == {frozenset({"Anna@0", "Anna@4", "She@7"})}


def test_salience_selects_by_number_gender_and_head() -> None:
    text = corpus("[The/DT/2/det king/NN/3/nsubj] left/VBD/0/root", "[She/PRP/0/root]", "[They/PRP/0/root]")
    assert entities(text, "salience") == set()
    text = corpus("[a/DT/2/det firm/NN/0/root]", "[the/DT/2/det company/NN/0/root]", "[the/DT/2/det table/NN/0/root]")
    assert entities(text, "salience") == {frozenset({"a firm@0", "the company@2"})}


def test_activation_decays() -> None:
    text = corpus("[Anna/NNP/0/root]", *["no/DT/0/root"] * 3, "[she/PRP/0/root]")
    assert entities(text, "salience", decay=0.9)
    assert not entities(text, "salience", decay=0.1)
    assert not entities(text, "salience", decay=0.9, window=3)
    assert not entities(text, "salience", decay=0.9, activation=5)
    assert entities(text, "salience", decay=1, selection=1, bonus=0, pronoun=0)
