"""Looking only where a rule could hold finds what looking everywhere finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import coreflens as cl
from coreflens.resolvers import resolve, sieve
from coreflens.resolvers.analysis import Phrase
from coreflens.resolvers.passes import PASSES, PassName, Scene, full
from places import DATA

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no third-party data in ../shared/data")


def everywhere(scene: Scene, name: PassName, phrase: Phrase) -> Iterator[Phrase]:
    """All mentions before one: from the left in its sentence, then back; of pronouns in the order of clauses."""
    kinds = [p for p in scene.phrases if name in ("speaker", "precise", "pronoun") or full(p)]
    here = [p for p in kinds if p.sentence == phrase.sentence and p.row < phrase.row]
    if phrase.kind == "pronoun" and len(here) > 1:
        steps = scene.analysis.syntax.steps(phrase.head)
        here.sort(key=lambda p: (scene.analysis.syntax.meeting(steps, p.head), p.row))
    yield from here
    back = scene.window if name == "pronoun" else phrase.sentence + 1
    for sentence in sorted({p.sentence for p in kinds if p.sentence < phrase.sentence}, reverse=True):
        if phrase.sentence - sentence <= back:
            before = [p for p in kinds if p.sentence == sentence]
            yield from before if phrase.kind == "pronoun" else reversed(before)


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "ontogum/conllu/GUM_conversation_risk.conllu",
        "ontogum/conllu/GUM_fiction_lunre.conllu",
        "ontogum/conllu/GUM_court_loan.conllu",
        "berkeley_ontonotes_sample/gold/nw/wsj/00/wsj_0020.v2_gold_conll",
    ],
)
@pytest.mark.parametrize("passes", [list(PASSES), list(reversed(PASSES))])
def test_the_sieve_finds_what_looking_everywhere_finds(
    path: str, passes: list[PassName], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = cl.read(DATA / path)
    quick = resolve(key, "sieve", parameters={"passes": passes})
    monkeypatch.setattr(sieve, "finder", lambda scene, name: name)
    monkeypatch.setattr(sieve, "antecedents", everywhere)
    slow = resolve(key, "sieve", parameters={"passes": passes})
    assert quick.entity.tolist() == slow.entity.tolist()
    assert len(set(quick.entity.tolist())) < len(quick)


def book(chapters: int) -> str:
    """A text of one document in which few people are mentioned often, and things are new in each chapter."""
    lines = ["#begin document (book); part 000"]
    for n in range(chapters):
        for words in (
            [("Anna", "NNP", "(1)"), ("met", "VBD", "-"), ("the", "DT", f"({n + 9}"), (f"guest{n}", "NN", f"{n + 9})")],
            [("She", "PRP", "(1)"), ("saw", "VBD", "-"), ("Tom", "NNP", "(2)")],
            [("I", "PRP", "(3)"), ("know", "VBP", "-"), ("him", "PRP", "(2)")],
        ):
            lines += [f"book 0 {i} {w} {t} * - - - - * {c}" for i, (w, t, c) in enumerate(words)] + [""]
    return "\n".join([*lines, "#end document", ""])


@pytest.mark.parametrize("system", ["sieve", "salience"])
def test_the_cost_grows_with_mentions_and_not_with_their_pairs(
    system: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, not timed: how often two mentions are compared in a text, and in one four times as long."""
    from coreflens.resolvers import passes, salience

    asked = 0

    def counting(rule: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            nonlocal asked
            asked += 1
            return rule(*arguments)

        return counted

    for name, rule in PASSES.items():
        monkeypatch.setitem(passes.PASSES, name, counting(rule))
    monkeypatch.setattr(salience, "_compatible", counting(salience._compatible))
    counts = []
    for chapters in (50, 200):
        (tmp_path / "book.conll").write_text(book(chapters))
        asked = 0
        resolve(cl.read(tmp_path / "book.conll"), system)
        counts.append(asked)
    assert 0 < counts[1] < 6 * counts[0]
