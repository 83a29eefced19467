"""Links within and across documents, and the usual ways to score across documents side by side."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run
from coreflens.errors import UsageError
from coreflens.studies.leniency import leniency

Entities = dict[tuple[str, int], int]  # (document, token) → entity
NAMES = ("36_1ecb", "36_2ecbplus", "37_1ecb")
mentions = st.dictionaries(st.tuples(st.sampled_from(NAMES), st.integers(0, 5)), st.integers(0, 3), max_size=14)


def table(path: Path, entities: Entities) -> Path:
    rows = [f"{doc},{token},{token},e{entity}" for (doc, token), entity in sorted(entities.items())]
    path.write_text("\n".join(["doc,start,end,entity", *rows]) + "\n")
    return path


def documents(entities: Entities) -> cl.Input:
    return {d: {(t, t): f"e{e}" for (doc, t), e in entities.items() if doc == d} for d in NAMES}


def naive(entities: Entities, within: bool) -> set[frozenset[tuple[str, int]]]:
    return {
        frozenset((a, b))
        for a, b in combinations(entities, 2)
        if entities[a] == entities[b] and (a[0] == b[0]) == within
    }


@given(mentions, mentions)
def test_links_are_those_that_a_plain_loop_finds(key: Entities, response: Entities) -> None:
    found = cl.score(documents(key), documents(response), metrics="links", scope="corpus", exact=True)
    for metric, within in (("pairs-within", True), ("pairs-cross", False)):
        ours, theirs = naive(key, within), naive(response, within)
        both = len(ours & theirs)
        assert [*found[metric].counts.values()] == [both, len(ours), both, len(theirs)]
    for count in found["pairs"].counts:
        assert found["pairs"].counts[count] == sum(found[m].counts[count] for m in ("pairs-within", "pairs-cross"))
    alone = cl.score(documents(key), documents(response), metrics="links")
    assert alone["pairs-within"].counts == alone["pairs"].counts
    assert not any(alone["pairs-cross"].counts.values())


def gold(key: Entities, response: Entities) -> Entities:
    """The response with the key's mentions: missing ones as entities of their own."""
    return {mention: response.get(mention, 100 + n) for n, mention in enumerate(key)}


@given(mentions.filter(bool), mentions)
def test_each_row_is_what_score_gives(key: Entities, response: Entities) -> None:
    found = leniency(documents(key), documents(response), no_common="score").results
    assert len(found) == 8
    for (scope, singletons, spans), result in found.items():
        told = gold(key, response) if spans == "gold" else response
        policy: Literal["keep", "drop"] = "keep" if singletons == "kept" else "drop"
        scorer = cl.Scorer(documents(key), metrics="conll", scope=scope, singletons=policy, no_common="score")
        plain = scorer(documents(told))
        for metric in ("mentions", "muc", "bcub", "ceafe"):
            for number in ("recall", "precision", "f1"):
                assert getattr(result[metric], number) == pytest.approx(getattr(plain[metric], number))


def test_the_table_and_its_limits(tmp_path: Path, run: Run) -> None:
    key = {("36_1ecb", 0): 0, ("36_2ecbplus", 0): 0, ("37_1ecb", 0): 1, ("37_1ecb", 1): 1, ("36_1ecb", 3): 2}
    response = {("36_1ecb", 0): 0, ("36_2ecbplus", 0): 0, ("37_1ecb", 0): 0, ("37_1ecb", 1): 1, ("36_1ecb", 4): 3}
    k, r = table(tmp_path / "key.csv", key), table(tmp_path / "response.csv", response)
    ran = run("score", k, r, "--leniency")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0].split()[:5] == ["scope", "singletons", "spans", "mentions", "MUC"]
    assert [line.split()[0] for line in ran.out.splitlines()[2:10]] == ["topic"] * 4 + ["corpus"] * 4
    assert "points between these ways" in ran.err
    plain = json.loads(run("score", k, r, "--leniency", "--format", "json").out)
    assert plain["metric"] == "conll" and len(plain["ways"]) == 8
    assert plain["spread"] > 0.2
    assert run("score", k, r, "--leniency", "--by", "topic").code == 2
    with pytest.raises(UsageError, match="singletons can't be given here"):
        leniency(str(k), str(r), singletons="drop")
    one = {("d", n): n % 2 for n in range(4)}
    alone = leniency(str(table(tmp_path / "one.csv", one)), str(tmp_path / "one.csv"))
    assert {scope for scope, _, _ in alone.results} == {"corpus"}
    assert "one-document" in {issue.code for issue in alone.issues}


def test_topics_are_drawn_together(tmp_path: Path, run: Run) -> None:
    names = [f"{topic}_{n}{half}" for topic in range(36, 42) for n in (1, 2) for half in ("ecb", "ecbplus")]
    key = {(name, n): int(name[:2]) * 10 + n // 2 for name in names for n in range(4)}
    response = {mention: entity + (mention[1] == 3) * int(mention[0][1]) for mention, entity in key.items()}
    k, r = table(tmp_path / "key.csv", key), table(tmp_path / "response.csv", response)
    result = cl.score(k, r, metrics="conll")
    by_topic = result.bootstrap(200, seed=1, unit="topic")
    assert by_topic.how["units"] == 6
    assert result.bootstrap(200, seed=1, unit="subtopic").how["units"] == 12
    assert result.bootstrap(200, seed=1).how["units"] == 24
    labels = tmp_path / "labels.csv"
    labels.write_text("document,topic\n" + "".join(f"{name},{name[:2]}\n" for name in names))
    same = result.bootstrap(200, seed=1, unit=f"{labels}:topic")
    assert same["muc"]["f1"] == by_topic["muc"]["f1"]
    wide = cl.score(k, r, metrics="conll", scope="topic")
    assert wide.bootstrap(200, seed=1, unit="topic").how["units"] == wide.bootstrap(200, seed=1).how["units"] == 6
    assert set(wide.group_by("topic")) == {str(topic) for topic in range(36, 42)}
    narrow = cl.score(k, r, metrics="conll", scope="subtopic")
    assert narrow.bootstrap(200, seed=1, unit="topic").how["units"] == 6
    with pytest.raises(UsageError, match='scope="subtopic"'):
        wide.bootstrap(200, unit="subtopic")
    with pytest.raises(UsageError, match='scope="topic"'):
        cl.score(k, r, scope="corpus").bootstrap(200)
    ran = run("compare", k, f"a={r}", f"b={k}", "--unit", "topic", "--resamples", "50", "-m", "conll")
    assert ran.code == 0 and "6 topics" in ran.out
