"""Which mentions take part: conditions of entities, mentions and documents, and what becomes of their partitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run
from coreflens import conditions
from coreflens.corpus.model import Corpus, Document
from coreflens.errors import InputError, UsageError
from coreflens.matching.selection import select
from coreflens.options import CHOICES
from coreflens.protocols import resolve
from coreflens.scoring.signature import Signature
from places import DATA

Row = tuple[int, int, int, str]  # document, token, entity, type
rows = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 3), st.sampled_from(["PER", "LOC", "ORG", ""])),
    min_size=1,
    max_size=25,
    unique_by=lambda row: row[:2],
)


def corpus(found: list[Row]) -> Corpus:
    """One-word mentions of three documents, with types; an entity is of its document."""
    found = sorted(found)
    columns = np.array([row[:3] for row in found], dtype=np.int64).reshape(-1, 3)
    return Corpus(
        [Document(f"{genre}/d", tokens=10) for genre in ("bc", "nw", "wb")],
        columns[:, 0],
        columns[:, 1],
        columns[:, 1],
        columns[:, 2],
        ["a", "b", "c", "d"],
        attributes={"type": [row[3] for row in found]},
    )


def naive_entity_types(found: list[Row]) -> dict[Row, str]:
    """The type that most mentions of the entity have, of equals the earliest."""
    of: dict[tuple[int, int], list[str]] = {}
    for row in sorted(found):
        of.setdefault((row[0], row[2]), []).extend([row[3]] * bool(row[3]))
    types = {
        entity: max(given, key=lambda t: (given.count(t), -given.index(t))) for entity, given in of.items() if given
    }
    return {row: types.get((row[0], row[2]), "(none)") for row in found}


@given(rows, st.sampled_from(["type=PER", "type=PER,LOC", "mention.kind=PER", "genre=nw", "type=(none)"]))
def test_a_selection_is_what_a_plain_loop_selects(found: list[Row], condition: str) -> None:
    types = naive_entity_types(found)
    values = condition.partition("=")[2].split(",")
    name = condition.partition("=")[0]

    def meets(row: Row) -> bool:
        own = {"type": types[row], "mention.kind": row[3], "genre": ("bc", "nw", "wb")[row[0]]}[name]
        return own in values

    whole = corpus(found)
    whole = replace(whole, attributes={**whole.attributes, "kind": whole.attributes["type"]})
    for keyword, kept in (("only", [r for r in found if meets(r)]), ("without", [r for r in found if not meets(r)])):
        try:
            chosen = select(whole, **{keyword: condition})
        except UsageError as error:
            assert not kept or "there are" in str(error)
            continue
        spans = [(int(whole.documents.index(m.document)), m.start) for m in chosen]
        assert spans == sorted(row[:2] for row in kept)
        if name == "genre":
            assert {d.name[:2] for d in chosen.documents} == ({"nw"} if keyword == "only" else {"bc", "wb"})
        else:
            assert len(chosen.documents) == 3


@given(rows, rows)
def test_selecting_everything_changes_nothing(key: list[Row], response: list[Row]) -> None:
    k, r = corpus(key), corpus(response)
    every = {t: sorted({*naive_entity_types(key).values(), *naive_entity_types(response).values()}) for t in ["type"]}
    plain, chosen = cl.score(k, r, extra="count"), cl.score(k, r, extra="count", only=every)
    assert plain.counts.columns == chosen.counts.columns
    assert (plain.counts.values == chosen.counts.values).all()
    assert "selected-key" not in {issue.code for issue in chosen.issues}
    by_key = cl.score(k, k, only=every["type"] and {"type": sorted({*naive_entity_types(key).values()})}, on="key")
    assert (cl.score(k, k).counts.values == by_key.counts.values).all()


@given(rows, rows)
def test_parts_add_up_where_the_metric_is_additive_over_them(key: list[Row], response: list[Row]) -> None:
    """Each mention is in one part of each side: denominators of B³ and mention detection add up to the whole's.

    Where key and response agree on the value of every mention in common, its numerators do as well for detection.
    """
    k, r = corpus(key), corpus(response)
    result = cl.score(k, r, metrics="mentions,bcub")
    parts = result.parts("entity.type").values()
    for metric in ("mentions", "bcub"):
        for column in ("recall_den", "precision_den"):
            assert sum(part[metric].counts[column] for part in parts) == pytest.approx(result[metric].counts[column])
    ours, theirs = naive_entity_types(key), naive_entity_types(response)
    kinds, others = {row[:2]: t for row, t in ours.items()}, {row[:2]: t for row, t in theirs.items()}
    common = kinds.keys() & others.keys()
    if all(kinds[m] == others[m] for m in common):
        assert sum(part["mentions"].counts["recall_num"] for part in parts) == len(common)
    assert sum(part["mentions"].counts["recall_num"] for part in parts) == sum(kinds[m] == others[m] for m in common)


@given(rows, rows)
def test_by_the_key_alone_response_mentions_follow(key: list[Row], response: list[Row]) -> None:
    k, r = corpus(key), replace(corpus(response), attributes={})
    types = naive_entity_types(key)
    if "PER" not in types.values():
        return
    result = cl.score(k, r, metrics="mentions,pairs", only="type=PER", on="key", no_common="score")
    chosen = {row[:2] for row, t in types.items() if t == "PER"}
    common = chosen & {row[:2] for row in response}
    assert result["mentions"].counts == {
        "recall_num": len(common),
        "recall_den": len(chosen),
        "precision_num": len(common),
        "precision_den": len(common),
    }


def test_bad_selections_list_what_there_is() -> None:
    whole = corpus([(0, 0, 0, "PER"), (0, 1, 0, "PER"), (1, 0, 1, "LOC")])
    plain = replace(whole, attributes={})
    for asked, message in (
        ({"only": "tpye=PER"}, r"no mention has an attribute 'tpye'; did you mean 'type'\? \(there are entity.type"),
        ({"only": "type=PRE"}, r"nothing has type=PRE; did you mean 'PER'\? \(there are PER \(2\), LOC \(1\)\)"),
        ({"without": "type"}, r"no mention is left with without type \(type has PER \(2\), LOC \(1\)\)"),
        ({"without": "nestd"}, "did you mean 'nested'"),
        ({"only": "type=PER", "without": "genre=bc"}, "no mention is left"),
        ({"only": "type"}, "write ATTRIBUTE=VALUE"),
        ({"only": "type="}, "lacks a value after '='"),
        ({"only": "=PER"}, "lacks an attribute before '='"),
        ({"only": ["all", "type=PER"]}, "can't be combined"),
        ({"without": "none,type=PER"}, "can't be combined"),
        ({"only": "topic=1"}, "no topic in its name"),
        ({"only": "mention.type=pronoun"}, "no mention has an attribute 'mention.type'"),
    ):
        with pytest.raises(UsageError, match=message):
            cl.score(whole, whole, **asked)
    with pytest.raises(InputError, match="the response has no attribute type") as error:
        cl.score(whole, plain, only="type=PER")
    assert "--on key" in error.value.hint and "'type?=PER'" in str(error.value)
    with pytest.raises(InputError, match="the key has no attribute type"):
        cl.score(plain, whole, only="type=PER")
    lenient = cl.score(whole, plain, only="type?=PER", no_common="score")
    assert lenient["mentions"].counts["precision_den"] == 3
    assert {"unselected", "selected-key"} <= {issue.code for issue in lenient.issues}


def test_a_protocol_selects_where_there_is_something_to_select_by() -> None:
    whole = corpus([(0, 0, 0, "PER"), (0, 1, 0, "PER"), (1, 0, 1, "LOC")])
    kinds = replace(whole, attributes={"kind": ["event", "event", "entity"]})
    plain = replace(whole, attributes={})
    assert cl.score(kinds, kinds, protocol="ecbplus:event")["mentions"].counts["recall_den"] == 2
    alone = cl.score(plain, plain, protocol="ecbplus:event")
    assert alone["mentions"].counts["recall_den"] == 3
    assert [issue.message for issue in alone.issues if issue.code == "unselected"] == [
        "no attribute kind in the key and the response: all mentions count as event"
    ]
    every = cl.score(kinds, kinds, protocol="ecbplus:event", only="all")
    assert every["mentions"].counts["recall_den"] == 3
    assert "ecbplus:event+only:all" in str(every.signature)


def test_by_the_key_alone_repetitions_and_documents_follow() -> None:
    whole = corpus([(0, 0, 0, "PER"), (0, 1, 0, "PER"), (0, 2, 1, "LOC"), (1, 0, 1, "LOC"), (2, 0, 1, "PER")])
    again = replace(whole.take(np.array([0, 0, 1, 1, 2, 3, 4])), attributes={})
    for duplicates in ("first", "last", "perl"):
        found = cl.score(whole, again, only="type=PER", on="key", duplicates=duplicates, metrics="mentions,muc")
        assert found["mentions"].counts["recall_num"] == found["mentions"].counts["recall_den"] == 3
        assert found["muc"].counts["recall_num"] == 1
        assert any("duplicate" in issue.code for issue in found.issues), duplicates
    other = replace(again, documents=[Document(f"x/{n}", tokens=10) for n in range(3)])
    by_document = cl.score(whole, again, only="genre=bc,wb", on="key")
    assert [d.name for d in by_document.counts.documents] == ["bc/d", "wb/d"]
    assert by_document["mentions"].counts["precision_den"] == 4
    assert [d.name for d in cl.score(whole, whole, without="genre=nw").counts.documents] == ["bc/d", "wb/d"]
    with pytest.raises(InputError, match="no document in common"):
        cl.score(whole, other, only="genre=bc", on="key")


def test_what_a_selection_does_to_partitions_is_reported_and_singletons_are_as_the_option_says() -> None:
    whole = corpus([(0, 0, 0, "PER"), (0, 1, 0, "PER"), (0, 2, 1, "PER"), (0, 3, 1, "PER"), (0, 4, 1, "PER")])
    whole = replace(whole, attributes={"form": ["name", "pronoun", "name", "name", "pronoun"]})
    kept = cl.score(whole, whole, only="mention.form=name")
    assert kept["ceafe"].counts["recall_den"] == 2
    assert "3 of 5 mentions of the key selected (--only mention.form=name); 1 entity has one mention left" in {
        issue.message for issue in kept.issues
    }
    for policy, entities in (("drop", 1), ("drop-before", 1), ("keep", 2)):
        found = cl.score(whole, whole, only="mention.form=name", singletons=policy)  # type: ignore[call-overload]
        assert found["ceafe"].counts["recall_den"] == entities


texts = st.text("abA1,;=%?|+\n _", min_size=1, max_size=6).filter(lambda t: t.strip() == t)
names = st.text("abc._:", min_size=1, max_size=6).filter(lambda t: t not in ("all", "none"))


@given(st.dictionaries(names, st.lists(texts, min_size=1, max_size=3, unique=True), max_size=3))
def test_the_signature_carries_any_selection(asked: dict[str, list[str]]) -> None:
    _, options = resolve(only=asked, without={f"{n}x": v for n, v in asked.items()} or None, on="key")
    found = {c.attribute: sorted(c.values) for c in conditions.conditions(options.only)}
    assert found == {name: sorted(values) for name, values in asked.items()}
    assert conditions.only(options.only) == options.only
    assert conditions.without(options.without, CHOICES["without"]) == options.without
    signature = Signature("default", options, ("muc",), 3, "0.2.0")
    assert Signature.parse(str(signature)) == signature
    assert Signature.parse(signature.short) == signature


def test_repeated_options_combine() -> None:
    assert resolve(only=("kind=event", "type=B,A", "kind=entity"))[1].only == "kind=entity,event;type=A,B"
    assert resolve(without=("verbs", "nested,type=A,B"))[1].without == "nested,verbs;type=A,B"
    assert resolve(without="nonreferring")[1].without == "nonreferring"
    assert "only:" not in str(Signature("default", resolve()[1], ("muc",), 1, "0.2.0"))


def test_every_command_selects(tmp_path: Path, run: Run) -> None:
    table = "doc,start,end,entity,type\n" + "".join(
        f"a,{n},{n},{n % 3},{'PER' if n % 3 else 'LOC'}\n" for n in range(9)
    )
    (tmp_path / "key.csv").write_text(table)
    (tmp_path / "response.csv").write_text(table.replace("a,8,8,2,PER\n", "").replace("a,6,6,0,LOC", "a,6,6,1,LOC"))
    key, response = tmp_path / "key.csv", tmp_path / "response.csv"
    only = ("--only", "mention.length=1", "--on", "key")
    for command in (
        ("score", key, response, *only),
        ("compare", key, response, *only),
        ("explain", key, response, "-m", "muc", *only),
        ("diagnose", key, response, *only),
        ("view", key, response, tmp_path / "v.html", *only),
        ("describe", key, "--only", "mention.length=1"),
        ("convert", key, tmp_path / "out.csv", "--only", "mention.length=1"),
    ):
        ran = run(*command)
        assert ran.code == 0, ran.err
        wrong = run(*(str(part).replace("mention.length=1", "mention.length=77") for part in command))
        assert wrong.code == 2, wrong.err
        assert "nothing has mention.length=77 (there are 1 (9))" in wrong.err
    assert (tmp_path / "out.csv").read_text().count("\n") == 10


def test_the_table_tells_the_sum_of_the_parts_from_the_whole(run: Run, tmp_path: Path) -> None:
    whole = corpus([(0, 0, 0, "PER"), (0, 1, 0, "PER"), (1, 0, 1, "LOC"), (1, 1, 1, "LOC"), (1, 2, 2, "PER")])
    whole = replace(whole, attributes={**whole.attributes, "form": ["name", "pronoun"] * 2 + ["name"]})
    result = cl.score(whole, whole, metrics="muc,mentions")
    from coreflens.report.score import render

    shown = render(result, by="mention.form")
    assert [line.split()[0] for line in shown.splitlines() if line.startswith(("name", "pronoun", "parts", "all"))] == [
        "name", "pronoun", "parts", "all", "parts",
    ]  # fmt: skip
    assert "what lies between the parts" in shown
    plain = result.to_dict("mention.form")
    assert plain["added_up"]["muc"]["counts"]["recall_den"] == 0
    assert plain["scores"]["muc"]["counts"]["recall_den"] == 2
    assert plain["added_up"]["mentions"]["counts"]["recall_den"] == 5
    assert "only:mention.form=name" in str(result.parts("mention.form")["name"].signature)


ECB = DATA / "ecbplus_xml"
GUM = DATA / "gum"


def plain_parse(kind: str) -> tuple[int, set[str], set[tuple[str, str]]]:
    """Mentions of a kind, their entities across documents, and within documents, by ElementTree alone."""
    mentions, wide, narrow = 0, set(), set()
    for path in sorted(ECB.rglob("*.xml")):
        tree = ElementTree.parse(path)
        tags = {m.get("m_id"): m.tag for m in tree.iterfind("Markables/*") if m.find("token_anchor") is not None}
        of: dict[str | None, str] = {}
        for relation in tree.iterfind("Relations/*"):
            local = f"{path.stem} {relation.get('r_id')}"
            label = relation.get("note") if relation.tag == "CROSS_DOC_COREF" else local
            of |= {source.get("m_id"): label or local for source in relation.findall("source")}
        for m, tag in tags.items():
            if tag.startswith(("ACTION", "NEG_ACTION")) == (kind == "event"):
                label = of.get(m, f"{path.stem} alone {m}")
                mentions += 1
                wide.add(label)
                narrow.add((path.stem, label))
    return mentions, wide, narrow


@pytest.mark.skipif(not ECB.is_dir(), reason="../shared/data/ecbplus_xml is absent")
def test_events_and_entities_of_ecb_apart_are_those_of_a_plain_parse() -> None:
    whole = cl.read(ECB)
    for kind in ("event", "entity"):
        mentions, wide, narrow = plain_parse(kind)
        for scope, entities in (("corpus", wide), ("topic", wide), ("document", narrow)):
            found = cl.score(whole, whole, only=f"kind={kind}", scope=scope, metrics="mentions,ceafe,muc")
            assert found["mentions"].counts["recall_den"] == mentions
            assert found["ceafe"].counts["recall_den"] == len(entities)
            assert found["muc"].counts["recall_den"] == mentions - len(entities)
            assert "mixed-kinds" not in {issue.code for issue in found.issues}
        assert cl.describe(ECB, only={"kind": kind}).total.mentions == mentions
    assert any("--only kind=event" in issue.message for issue in cl.score(whole, whole).issues)


@pytest.mark.skipif(not GUM.is_dir(), reason="../shared/data/gum is absent")
def test_a_selection_commutes_with_the_format_that_is_read(tmp_path: Path) -> None:
    first, second = cl.read(GUM / "dep"), cl.read(GUM / "tsv")
    for value in ("person", "abstract"):
        spans = [
            sorted((m.document.name, chosen.words(row, 1).split()[0]) for row, m in enumerate(chosen))
            for chosen in (select(read, only=f"type={value}") for read in (first, second))
        ]
        assert spans[0] == spans[1]
    cl.convert(GUM / "dep", tmp_path / "all.conllu")
    cl.convert(GUM / "dep", tmp_path / "chosen.conllu", only="type=person")
    before = cl.score(tmp_path / "all.conllu", GUM / "dep", only="type=person")
    after = cl.score(tmp_path / "chosen.conllu", GUM / "dep", only="type=person")
    assert (before.counts.values == after.counts.values).all()
