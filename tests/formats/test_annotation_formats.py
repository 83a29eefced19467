"""Random entities, written here as ECB+, WebAnno, MMAX2 and CoreNLP by their grammar, are read as what they were."""

from __future__ import annotations

import json
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from coreflens.formats import corenlp, ecb, mmax2, recognise, webanno
from coreflens.formats.shared.source import Source

Pieces: TypeAlias = tuple[tuple[int, int], ...]
Entities: TypeAlias = list[list[Pieces]]
TOKENS, SENTENCE = 24, 6


@st.composite
def entities(draw: st.DrawFn, discontinuous: bool = False, across: bool = True) -> Entities:
    """Entities of distinct mentions, nested and crossing; `across` sentences, and in pieces, where a format can."""
    size = 5 if discontinuous else 2
    places = st.lists(st.integers(0, TOKENS - 1), min_size=2, max_size=size, unique=True).map(sorted)
    mentions = draw(st.lists(places, max_size=14))
    found: dict[Pieces, int] = {}
    for ends in mentions:
        pieces = [(a, b - 1) for a, b in zip(ends[::2], ends[1::2], strict=False) if b > a]
        apart = [p for n, p in enumerate(pieces) if n == 0 or p[0] > pieces[n - 1][1] + 1]
        if not across and ends[0] // SENTENCE != apart[-1][1] // SENTENCE:
            continue
        found.setdefault(tuple(apart), draw(st.integers(0, 4)))
    return [cluster for e in range(5) if (cluster := [m for m, x in found.items() if x == e])]


def check(corpus: cl.Corpus, expected: Entities) -> None:
    read: dict[int, set[Pieces]] = {}
    for row in range(len(corpus)):
        read.setdefault(int(corpus.entity[row]), set()).add(corpus.pieces(row))
    assert sorted(map(sorted, read.values())) == sorted(map(sorted, expected))
    assert list(corpus.text.words) == [f"w{n}" for n in range(TOKENS)]
    assert corpus.text.sentences.tolist() == list(range(0, TOKENS, SENTENCE))


def read(text: str, module: Any, **source: Any) -> cl.Corpus:
    opened = Source(text.encode(), "x/doc", **source)
    assert recognise(opened).module is module
    corpus = module.read(opened)
    assert isinstance(corpus, cl.Corpus)
    return corpus


@given(entities(discontinuous=True))
def test_ecb(clusters: Entities) -> None:
    tokens = "".join(f'<token t_id="{n + 1}" sentence="{n // SENTENCE}">w{n}</token>\n' for n in range(TOKENS))
    markables = relations = ""
    number = 0
    for e, cluster in enumerate(clusters):
        sources = ""
        for pieces in cluster:
            anchors = "".join(f'<token_anchor t_id="{t + 1}"/>' for a, b in pieces for t in range(a, b + 1))
            markables += f'<LOC_GEO m_id="{(number := number + 1)}">{anchors}</LOC_GEO>\n'
            sources += f'<source m_id="{number}"/>'
        markables += f'<LOC_GEO m_id="{(number := number + 1)}" RELATED_TO="" TAG_DESCRIPTOR="" instance_id="I{e}"/>'
        relations += f'<CROSS_DOC_COREF r_id="{e}" note="I{e}">{sources}<target m_id="{number}"/></CROSS_DOC_COREF>'
    annotation = f"<Markables>{markables}</Markables><Relations>{relations}</Relations>"
    text = f'<Document doc_name="a">{tokens}{annotation}</Document>'
    check(read(text, ecb), clusters)


@given(entities(discontinuous=True), st.booleans())
def test_mmax2(clusters: Entities, pointers: bool) -> None:
    def span(pieces: Pieces) -> str:
        return ",".join(f"word_{a}..word_{b}" if b > a else f"word_{a}" for a, b in pieces)

    markables, number = "", 0
    for e, cluster in enumerate(clusters):
        for place, pieces in enumerate(cluster):
            link = (
                f'antecedent="{f"markable_{number}" if place else "empty"}"' if pointers else f'coref_class="set_{e}"'
            )
            markables += f'<markable id="markable_{(number := number + 1)}" span="{span(pieces)}" {link}/>\n'
    markables = markables or '<markable id="markable_1" span="word_0" coref_class="empty"/>'
    sentences = "".join(
        f'<markable id="markable_{n}" span="word_{n}..word_{n + SENTENCE - 1}"/>' for n in range(0, TOKENS, SENTENCE)
    )
    words = "".join(f'<word id="word_{n}">w{n}</word>' for n in range(TOKENS))
    files = {
        "doc_words.xml": f"<words>{words}</words>".encode(),
        "doc_coref_level.xml": f"<markables>{markables}</markables>".encode(),
        "doc_sentence_level.xml": f"<markables>{sentences}</markables>".encode(),
    }
    corpus = read(
        "<mmax_project><words>doc_words.xml</words></mmax_project>",
        mmax2,
        sibling=files.get,
        neighbours=lambda pattern: [f for f in files if fnmatchcase(f, pattern)],
    )
    check(corpus, clusters or [[((0, 0),)]])


def rows(header: str, cells: Callable[[int], list[str]]) -> str:
    text = f"#FORMAT=WebAnno TSV 3.3\n{header}\n\n\n"
    for n in range(TOKENS):
        if n % SENTENCE == 0:
            text += "\n#Text=...\n"
        text += "\t".join([where(n), f"{n}-{n + 1}", f"w{n}", *cells(n)]) + "\t\n"
    return text


def where(token: int) -> str:
    return f"{token // SENTENCE + 1}-{token % SENTENCE + 1}"


@given(entities())
def test_webanno_chains(clusters: Entities) -> None:
    def cells(token: int) -> list[str]:
        here = [
            (e, link)
            for e, cluster in enumerate(clusters, start=1)
            for link, ((a, b),) in enumerate(sorted(cluster), start=1)
            if a <= token <= b
        ]
        return ["|".join(f"*[{e}]" for e, _ in here) or "_", "|".join(f"c->{e}-{link}" for e, link in here) or "_"]

    text = rows("#T_CH=x.CoreferenceLink|referenceType|referenceRelation", cells)
    check(read(text, webanno), clusters)


@given(entities(), st.booleans())
def test_webanno_relations(clusters: Entities, star: bool) -> None:
    """Numbers only where they are needed: for several tokens, and for several annotations of one.

    Anaphors point to the mention before them or all to the first (`star`); the cell stands at what they point to.
    """
    spans = [
        (pieces[0], e, place) for e, cluster in enumerate(clusters) for place, pieces in enumerate(sorted(cluster))
    ]
    stacked = [sum(a <= t <= b for (a, b), _, _ in spans) for t in range(TOKENS)]
    number = {
        (a, b): n if b > a or stacked[a] > 1 else 0 for n, ((a, b), _, _) in enumerate(spans, start=1)
    }  # 0: no number
    by_place = {(e, place): span for span, e, place in spans}

    def cells(token: int) -> list[str]:
        here = [span for span, _, _ in spans if span[0] <= token <= span[1]]
        values = "|".join("thing" + (f"[{number[s]}]" if number[s] else "") for s in here) or "_"
        links = [
            (span, by_place[e, other])
            for span, e, place in spans
            for other in ((range(1, TOKENS) if place == 0 else ()) if star else (place + 1,))
            if span[0] == token and (e, other) in by_place
        ]
        kinds = ["coref"] * len(links)
        pointers = [
            where(anaphor[0]) + (f"[{number[anaphor]}_{number[span]}]" if number[anaphor] or number[span] else "")
            for span, anaphor in links
        ]
        return [values, "|".join(kinds) or "_", "|".join(pointers) or "_"]

    text = rows("#T_SP=x.Referent|entity\n#T_RL=x.Coref|type|BT_x.Referent", cells)
    check(read(text, webanno), clusters)


@pytest.mark.parametrize("xml", [False, True])
@given(clusters=entities(across=False))
def test_corenlp(xml: bool, clusters: Entities) -> None:
    numbers = [
        [(a // SENTENCE + 1, a % SENTENCE + 1, b % SENTENCE + 2) for ((a, b),) in cluster] for cluster in clusters
    ]
    sentences = [[f"w{n + m}" for m in range(SENTENCE)] for n in range(0, TOKENS, SENTENCE)]
    if xml:
        words = "".join(
            f"<sentence><tokens>{''.join(f'<token><word>{w}</word></token>' for w in s)}</tokens></sentence>"
            for s in sentences
        )
        chains = "".join(
            "<coreference>"
            + "".join(
                f"<mention><sentence>{s}</sentence><start>{a}</start><end>{b}</end></mention>" for s, a, b in chain
            )
            + "</coreference>"
            for chain in numbers
        )
        inside = f"<sentences>{words}</sentences><coreference>{chains}</coreference>"
        text = f"<root><document>{inside}</document></root>"
    else:
        record = {
            "sentences": [{"index": 0, "tokens": [{"word": w} for w in s]} for s in sentences],
            "corefs": {
                str(e): [{"sentNum": s, "startIndex": a, "endIndex": b} for s, a, b in chain]
                for e, chain in enumerate(numbers)
            },
        }
        text = json.dumps(record)
    check(read(text, corenlp), clusters)
