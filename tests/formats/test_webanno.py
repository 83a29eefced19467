"""WebAnno TSV 3.x: chains, and relations between spans as in GUM."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import coreflens as cl
from coreflens.errors import InputError
from coreflens.formats import webanno
from coreflens.formats.shared.source import Source
from mutations import outcomes
from places import DATA
from texts.webanno import CHAINS, LINKS


def read(text: str, lenient: bool = False) -> tuple[cl.Corpus, Source]:
    source = Source(text.encode(), "x/doc.tsv", lenient=lenient)
    return webanno.read(source), source


def test_chains() -> None:
    corpus, _ = read(CHAINS)
    assert webanno.looks_like(CHAINS.encode())
    assert [(d.name, d.tokens) for d in corpus.documents] == [("doc", 8)]
    assert corpus.clusters() == {"1": [(0, 0), (2, 2), (5, 5)], "2": [(2, 3)]}
    assert [m.line for m in corpus] == [9, 11, 11, 16]
    by_span = {m.identity: row for row, m in enumerate(corpus)}
    assert [corpus.attributes["type"][by_span[s]] for s in [(0, 0), (2, 2), (2, 3), (5, 5)]] == ["pr", "pr", "", "pr_x"]
    assert [corpus.attributes["link"][by_span[s]] for s in [(0, 0), (2, 2), (2, 3), (5, 5)]] == ["", "coref", "", "ana"]
    text = corpus.text
    assert text.words[4] == "\\"
    assert text.sentences.tolist() == [0, 5]
    assert list(text.layers["pos"][:3]) == ["PRP", "VBD", "PRP$"]
    assert list(text.layers["upos"][:2]) == ["PRON", "VERB"]
    assert list(text.layers["lemma"][3:6]) == ["dog", "_", "he"]
    assert list(text.layers["head"]) == ["2", "0", "4", "2", "2", "2", "0", "2"]
    assert list(text.layers["deprel"][:2]) == ["nsubj", "root"]


def test_the_two_columns_of_a_chain_may_stand_the_other_way_round() -> None:
    text = "#FORMAT=WebAnno TSV 3.3\n#T_CH=webanno.custom.SimpleLink|referenceRelation|referenceType\n\n\n#Text=a b c\n"
    text += "1-1\t0-1\ta\t*->1-1\t*[1]\t\n1-2\t2-3\tb\tx->1-2|*->2-1\t*[1]|*[2]\t\n1-3\t4-5\tc\t_\t_\t\n"
    assert read(text)[0].clusters() == {"1": [(0, 0), (1, 1)], "2": [(1, 1)]}


def test_relations() -> None:
    corpus, _ = read(LINKS)
    entities = {frozenset(v) for v in corpus.clusters().values()}
    assert entities == {
        frozenset({(0, 0), (8, 8), (11, 13)}),
        frozenset({(2, 4)}),
        frozenset({(2, 5)}),
        frozenset({(10, 10)}),
        frozenset({(11, 14)}),
    }
    row = {m.identity: r for r, m in enumerate(corpus)}
    assert [corpus.attributes["type"][row[s]] for s in [(0, 0), (2, 4), (11, 14)]] == ["person", "person", "object"]
    assert [corpus.attributes["infstat"][row[s]] for s in [(0, 0), (8, 8), (10, 10)]] == ["new", "giv:act", "giv"]
    assert [corpus.attributes["link"][row[s]] for s in [(0, 0), (8, 8), (11, 13)]] == ["", "coref", "ana"]
    found = {(r.kind, corpus.mention(r.mention).identity, corpus.mention(r.anchor).identity) for r in corpus.relations}
    assert found == {
        ("split-antecedent", (10, 10), (0, 0)),
        ("split-antecedent", (10, 10), (2, 5)),
        ("bridging", (11, 14), (11, 13)),
    }
    for r in corpus.relations:
        assert (corpus.entity[r.mention], corpus.entity[r.anchor]) == (r.source, r.target)


def test_a_span_without_value_in_the_first_column_is_left_out() -> None:
    corpus, source = read(LINKS.replace("\t_\t_\t_\t_\n1-8", "\t_\tcf2[9]\t_\t_\n1-8"))
    assert len(corpus) == len(read(LINKS)[0])
    assert [p.message for p in source.problems] == [
        "1 annotations without a value in the first column of their layer: left out"
    ]


def test_a_part_of_a_token_is_read_as_the_token() -> None:
    text = LINKS.replace("1-8\t27-30\tand\t_\t_", "1-7.1\t25-26\t,\tplace\tnew\t_\t_\n1-8\t27-30\tand\t_\t_")
    corpus, source = read(text)
    assert (6, 6) in {m.identity for m in corpus}
    assert [(p.code, p.line) for p in source.problems] == [("sub-token", 14)]


MISTAKES = [
    (
        LINKS,
        "1-11[0_3]",
        "1-11[7_3]",
        "dangling",
        9,
        len("1-3.9-12.Mr..person[2]|person[3].new[2]|new[3].bridge:aggr."),
    ),
    (LINKS, "2-1[4_0]", "2-2", "dangling", 15, len("1-9.31-34.she.person.giv:act.ana.")),
    (LINKS, "2-1[4_0]", "2/1", "syntax", 15, len("1-9.31-34.she.person.giv:act.ana.")),
    (LINKS, "coref|bridge:aggr", "coref", "syntax", 7, len("1-1.0-4.Mary.person.new.coref.")),
    (
        LINKS,
        "person[2]|person[3]\tnew[2]|new[3]\tbridge",
        "person|person\tnew\tbridge",
        "duplicate-id",
        9,
        len("1-3.9-12.Mr.."),
    ),
    (LINKS, "met\t_\t_\t_\t_\n1-3", "met\t_\t_\t_\n1-3", "syntax", 8, None),
    (LINKS, "1-2\t", "one\t", "syntax", 8, 0),
    (LINKS, "webanno.custom.Coref", "webanno.custom.Link", "syntax", 1, None),
    (LINKS, "T_SP=webanno.custom.Referent", "T_SP=webanno.custom.Other", "syntax", 1, None),
    (LINKS, "#T_RL=", "#T_XX=", "syntax", 3, None),
    (CHAINS, "ana->1-2|*->2-1", "ana->1-2", "syntax", 11, len("1-3.8-11.his.PRON.PRP$.he.pr[1]|*[2].")),
    (CHAINS, "coref->1-1", "coref", "syntax", 9, len("1-1.0-2.He.PRON.PRP.he.pr[1].")),
    (CHAINS, "coref->1-1", "coref->2-7", "syntax", 9, len("1-1.0-2.He.PRON.PRP.he.pr[1].")),
    (CHAINS, "referenceType|", "", "syntax", 4, None),
]


@pytest.mark.parametrize(("text", "old", "new", "code", "line", "before"), MISTAKES)
def test_mistakes(text: str, old: str, new: str, code: str, line: int, before: int | None) -> None:
    assert old in text
    with pytest.raises(InputError) as caught:
        read(text.replace(old, new, 1))
    column = None if before is None else before + 1
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)


def test_lenient_reading_goes_on() -> None:
    broken = LINKS.replace("1-11[0_3]", "1-11[7_3]").replace("1-2\t", "one\t").replace("2-1[5_4]", "2-9[5_8]")
    corpus, source = read(broken, lenient=True)
    assert [p.line for p in source.problems] == [8, 9, 20]
    assert len(corpus) == 7


def test_coreference_in_two_layers_is_refused() -> None:
    text = CHAINS.replace("\n\n\n#Text", "\n#T_CH=x.Other|referenceType|referenceRelation\n\n\n#Text", 1)
    rows = [line + ("\ta[9]\tb->9-1" if line.startswith("1-2\t") else "\t_\t_") for line in text.split("\n")]
    text = "\n".join(row if row[:1].isdigit() else row.removesuffix("\t_\t_") for row in rows)
    with pytest.raises(InputError, match="2 layers have coreference"):
        read(text)


def test_damaged_files() -> None:
    for text in (CHAINS, LINKS):
        assert "read" in set(outcomes("webanno", text.encode(), 300))


# GENTLE_dictionary_next.conll has a token "( as " more than the tsv and conllu of the same document, after token 491.
SHIFTED = {"GENTLE_dictionary_next": 492}


def before(token: int) -> Callable[[Any], tuple[int, int]]:
    """Spans as they are without that token."""
    return lambda span: (span[0] - (span[0] > token), span[1] - (span[1] > token))


@pytest.mark.slow
def test_gum_gives_the_entities_of_its_conll_files() -> None:
    found = [
        p for d in ("gum", "ontogum", "gentle/gentle", "gentle/ontogentle") for p in (DATA / d / "tsv").glob("*.tsv")
    ]
    if not found:
        pytest.skip("no GUM here")
    for path in found:
        corpus, other = cl.read(path), cl.read(path.parent.parent / "conll" / f"{path.stem}.conll")
        tokens, others = corpus.documents[0].tokens, other.documents[0].tokens
        more = SHIFTED.get(path.stem, 10**9) if tokens != others else 10**9
        mine = {frozenset(c) for c in corpus.clusters().values()}
        theirs = {frozenset(map(before(more), c)) for c in other.clusters().values()}
        assert mine == theirs, path
        assert cl.score(path, path).conll == 1


def conllu_mentions(path: Path) -> Iterator[tuple[str, tuple[int, int], list[str]]]:
    """Entity, span and the other fields of each mention of a GUM CoNLL-U file, which has no discontinuous ones."""
    open_: dict[str, list[tuple[int, list[str]]]] = {}
    tokens = (line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if re.match(r"\d+\t", line))
    for n, cells in enumerate(tokens):
        for found in re.finditer(r"(?:^|\|)Entity=([^|]*)", cells[9]):
            for m in re.finditer(r"\((?:[a-z]+-)?(\d+)([^()]*)|(?:[a-z]+-)?(\d+)?\)", found[1]):
                if m[1]:
                    open_.setdefault(m[1], []).append((n, m[2].split("-")[1:]))
                    last = m[1]
                else:
                    start, fields = open_[m[3] or last].pop()
                    yield m[3] or last, (start, n), fields


CONLLU = [
    ("gum/tsv", "gum/dep"),
    ("ontogum/tsv", "ontogum/conllu"),
    ("gentle/ontogentle/tsv", "gentle/ontogentle/conllu"),
    ("amalgum_auto/voyage/tsv", "amalgum_auto/voyage/dep"),
    ("amalgum_auto/whow/tsv", "amalgum_auto/whow/dep"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), CONLLU)
def test_gum_gives_the_entities_and_features_of_its_conllu_files(ours: str, theirs: str) -> None:
    found = sorted((DATA / ours).glob("*.tsv"))
    if not found:
        pytest.skip(f"no {ours} here")
    for path in found:
        corpus = cl.read(path)
        row = {m.identity: r for r, m in enumerate(corpus)}
        entities: dict[str, set[tuple[int, int]]] = {}
        for entity, span, fields in conllu_mentions(DATA / theirs / f"{path.stem}.conllu"):
            entities.setdefault(entity, set()).add(span)
            if ours == "gum/tsv":  # type, infstat, salience, centering, minspan, link, identity
                names = {"type": fields[0], "infstat": fields[1], "salience": fields[2], "centering": fields[3]}
                for name, value in {**names, "identity": "-".join(fields[6:])}.items():
                    assert corpus.attributes.get(name, [""] * len(corpus))[row[span]] == value
        assert {frozenset(c) for c in corpus.clusters().values()} == set(map(frozenset, entities.values())), path


def test_gum_has_the_bridging_of_its_conllu_files() -> None:
    found = sorted((DATA / "gum" / "tsv").glob("*.tsv"))
    if not found:
        pytest.skip("no GUM here")
    for path in found:
        text = (path.parent.parent / "dep" / f"{path.stem}.conllu").read_text(encoding="utf-8")
        corpus = cl.read(path)
        for kind, key in (("bridging", "Bridge="), ("split-antecedent", "SplitAnte=")):
            pairs = set()
            for piece in text.split(key)[1:]:
                cell = piece.split("\n")[0].split("|")[0].split("\t")[0]
                pairs |= set(cell.split(","))
            entities = {(r.source, r.target) for r in corpus.relations if r.kind == kind}
            assert len(entities) == len(pairs), (path, kind)


@pytest.mark.slow
def test_other_real_files() -> None:
    path = DATA / "webanno_tsv3" / "coref.tsv"
    if not path.is_file():
        pytest.skip("no webanno_tsv3 here")
    corpus = cl.read(path)
    rows = [r for r in path.read_text(encoding="utf-8").split("\n") if r[:1].isdigit()]
    links = {link for row in rows for link in re.findall(r"->(\d+-\d+)", row.split("\t")[6])}
    assert len(corpus) == len(links)
    assert len(corpus.labels) == len({link.split("-")[0] for link in links})
    assert corpus.documents[0].tokens == len(rows)
    assert cl.score(path, path).conll == 1
    for path in (DATA / "amalgum_auto").rglob("*.tsv"):
        assert len(cl.read(path)) > 100
        assert cl.score(path, path).conll == 1
