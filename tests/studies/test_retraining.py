"""A sweep whose system is retrained at each step, and damage to pronouns."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from command import Run
from coreflens.errors import InputError, UsageError
from coreflens.formats import concatenate
from coreflens.resolvers import resolve, train
from coreflens.resolvers.model import Model
from coreflens.studies import retraining
from places import DATA, SHARED

SPEC = SHARED / "spec"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no third-party data in ../shared/data")


def tagged(entities: list[list[str]]) -> str:
    """A CoNLL document of one-word mentions; names that begin with p are pronouns."""
    number = {name: n for n, entity in enumerate(entities) for name in entity}
    rows = [
        f"a 0 {i} {n} {'PRP' if n[0] == 'p' else 'NN'} * - - - - * ({e})" for i, (n, e) in enumerate(number.items())
    ]
    return "\n".join(["#begin document (a); part 000", *rows, "", "#end document", ""])


@pytest.mark.skipif(not SPEC.is_dir(), reason="no cases of the papers in ../shared/spec")
@pytest.mark.parametrize(("case", "damage"), [("003-T2-3", "pronouns-alone"), ("003-T2-4", "pronouns-together")])
def test_lines_3_and_4_of_table_2(case: str, damage: Any, tmp_path: Path) -> None:
    """The damage, all of it, is the response of Popescu-Belis & Robba (1998), with the exact fractions."""
    cases = json.loads((SPEC / "cases.json").read_text("utf-8"))
    (found,) = (c for c in (cases if isinstance(cases, list) else cases["cases"]) if c["id"] == case)
    (tmp_path / "key.conll").write_text(tagged(found["key"]))
    swept = cl.sweep(
        tmp_path / "key.conll",
        tmp_path / "key.conll",
        damage=damage,
        steps=2,
        repeats=2,
        metrics="muc,core",
        exact=True,
        undefined="popescu-belis",
    )
    for row in swept.results:
        for metric, name in (("muc", "muc_003"), ("core", "core_mr")):
            exact = found["exact"][name]
            assert row[0][metric].f1 == 1
            assert row[-1][metric].recall == Fraction(exact["R"]) and row[-1][metric].precision == Fraction(exact["P"])
    assert (swept["muc"][:, 1] < 1).all()


def test_pronouns_are_told_by_tags_or_by_words(tmp_path: Path, run: Run) -> None:
    untagged = tagged([["p1", "n1", "n3"], ["n2", "p2"]]).replace("PRP", "-").replace("NN", "-")
    (tmp_path / "key.conll").write_text(untagged.replace("p1", "She").replace("p2", "it"))
    swept = cl.sweep(tmp_path / "key.conll", tmp_path / "key.conll", damage="pronouns-alone", metrics="muc", repeats=1)
    assert swept.units == 2 and float(swept.results[0][-1]["muc"].recall or 0) == pytest.approx(1 / 3)
    (tmp_path / "key.conll").write_text(tagged([["n1", "n3"], ["n2"]]))
    ran = run("sweep", tmp_path / "key.conll", tmp_path / "key.conll", "--damage", "pronouns-together")
    assert ran.code == 3 and "no pronoun" in ran.err
    with pytest.raises(InputError, match="no words"):
        cl.sweep([{"a", "b"}], [{"a", "b"}], damage="pronouns-alone")


@needs_data
@pytest.mark.slow
def test_each_step_is_a_system_that_learned_from_its_mentions() -> None:
    """The last step has the mentions of the key alone; a fold of it is trained and resolved here by hand."""
    key = cl.read(DATA / "ontogum" / "conllu")
    found = resolve(key, "singletons", "detected")
    swept = cl.sweep(key, found, retrain="mention-pair", steps=1, repeats=1, metrics="conll,bcub-0")
    first, last = swept.results[0]
    assert swept.retrain == "mention-pair" and "retrained" in swept.plots()[""].title
    assert float(last["mentions"].precision or 0) == 1 > float(first["mentions"].precision or 0)
    assert first["mentions"].counts["recall_num"] == last["mentions"].counts["recall_num"]
    assert swept["conll"][0, 1] > swept["conll"][0, 0]
    # By hand: the mentions of the key that were found, in documents 1, 2, 3, 4, 6 and 7, and then those of 0 and 5.
    spans = set(zip(found.doc.tolist(), found.start.tolist(), found.end.tolist(), strict=True))
    here = zip(key.doc.tolist(), key.start.tolist(), key.end.tolist(), strict=True)
    both = key.take(np.array([row for row, span in enumerate(here) if span in spans]))
    model = train(concatenate([both.only(d) for d in (1, 2, 3, 4, 6, 7)]), "mention-pair")
    for d in (0, 5):
        by_hand = cl.score(key.only(d), resolve(both.only(d), "mention-pair", model=model), metrics="conll")
        label = key.documents[d].label
        assert last.by_document()[label]["conll"].main == by_hand["conll"].main


def test_no_document_is_resolved_by_what_has_seen_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tagged([["n1", "n2"], ["n3"]])
    (tmp_path / "key.conll").write_text(
        "".join(text.replace("(a)", f"(d{d})").replace("a 0", f"d{d} 0") for d in range(7))
    )
    seen: list[set[str]] = []
    leaf = {"pairs": 1, "probability": 0.0}

    def learn(corpus: cl.Corpus, system: Any) -> Model:
        seen.append({document.name for document in corpus.documents})
        return Model("tree", "english", {"tree": leaf}, {})

    def use(corpus: cl.Corpus, system: Any, model: Model) -> cl.Corpus:
        assert not {document.name for document in corpus.documents} & seen[-1]
        return resolve(corpus, system, model=model)

    monkeypatch.setattr(retraining, "train", learn)
    monkeypatch.setattr(retraining, "resolve", use)
    cl.sweep(tmp_path / "key.conll", tmp_path / "key.conll", damage="drop", retrain="mention-pair", steps=2, repeats=1)
    assert len(seen) == 15


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--retrain", "mention-pair", "--damage", "merge"], 2, "makes its own entities"),
        (["--retrain", "sieve"], 2, "sieve"),
        (["--retrain", "mention-pair", "--damage", "drop"], 3, "at least two documents"),
    ],
)
def test_what_can_not_be_trained_anew(arguments: list[str], code: int, message: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "key.conll").write_text(tagged([["n1", "n2"], ["n3"]]))
    ran = run("sweep", tmp_path / "key.conll", tmp_path / "key.conll", *arguments)
    assert ran.code == code and message in ran.err
    with pytest.raises(UsageError, match="not damaged"):
        files = [tmp_path / "key.conll", tmp_path / "key.conll"]
        cl.sweep(files[0], files, retrain="mention-pair")
