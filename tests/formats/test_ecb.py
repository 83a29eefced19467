"""ECB+ XML: mentions of events and entities, across documents."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import coreflens as cl
import places
from command import Run
from coreflens.errors import InputError
from coreflens.formats import ecb
from coreflens.formats.shared.source import Source
from mutations import outcomes
from texts.ecb import DOCUMENT

DATA = places.DATA / "ecbplus_xml"


def write(folder: Path, *changes: tuple[str, str], n: int = 1) -> Path:
    text = DOCUMENT.replace("{n}", str(n))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{n}.xml"
    path.write_text(text, encoding="utf-8")
    return path


def test_mentions_entities_and_what_is_known_of_them(tmp_path: Path) -> None:
    corpus = cl.read(write(tmp_path))
    assert corpus.format == "ecb"
    assert [(d.name, d.tokens) for d in corpus.documents] == [("1_1ecb", 7)]
    assert [list(s) for s in corpus.text.sentences_of(0)] == [["Smith", "was", "put", "soon", "away"], ["He", "sat"]]
    assert corpus.clusters() == {
        "HUM1": [(0, 0), (5, 5)],
        "INTRA_8_1_1ecb": [((2, 2), (4, 4))],
        "Singleton_NEG_4_1_1ecb": [(6, 6)],
    }
    assert corpus.parts == {1: ((2, 2), (4, 4))}
    assert corpus.words(1) == "put ... away"
    assert list(corpus.attributes["kind"]) == ["entity", "event", "entity", "event"]
    assert list(corpus.attributes["type"]) == [
        "HUMAN_PART_PER",
        "ACTION_OCCURRENCE",
        "HUMAN_PART_PER",
        "NEG_ACTION_STATE",
    ]
    assert list(corpus.attributes["descriptor"]) == ["t1_smith", "jailed", "t1_smith", ""]
    assert list(corpus.attributes["id"]) == ["2", "1", "3", "4"]
    assert corpus.mention(0).line == 12
    assert [i.code for i in corpus.issues] == ["mixed-kinds"]


def test_entities_across_documents(tmp_path: Path) -> None:
    write(tmp_path, n=1)
    write(tmp_path, n=2)
    corpus = cl.read(tmp_path)
    assert corpus.clusters(0).keys() & corpus.clusters(1).keys() == {"HUM1"}
    assert [(i.code, i.count) for i in corpus.issues] == [("mixed-kinds", 2)]
    per_document, whole = (cl.score(tmp_path, tmp_path, scope=scope) for scope in ("document", "corpus"))
    assert per_document.conll == whole.conll == 1
    assert per_document["muc"].counts["recall_den"] == 2  # one link in each document
    assert whole["muc"].counts["recall_den"] == 3  # and one between them


MISTAKES = [  # what is changed into what, the code, and what stands at the place that is named
    ('<source m_id="3"/>', '<source m_id="33"/>', "dangling", '<source m_id="33"/>'),
    ('<target m_id="5"/>', '<target m_id="55"/>', "dangling", '<target m_id="55"/>'),
    ('<token_anchor t_id="7"/>', '<token_anchor t_id="70"/>', "dangling", '<token_anchor t_id="70"/>'),
    ('m_id="4"', 'm_id="3"', "duplicate-id", "<NEG_ACTION_STATE"),
    ('<HUMAN_PART_PER m_id="3"', "<HUMAN_PART_PER", "syntax", '<HUMAN_PART_PER><token_anchor t_id="6"'),
    ('t_id="7" sentence', 't_id="6" sentence', "duplicate-id", '<token t_id="6" sentence="1" number="1"'),
    (' note="HUM1"><source m_id="2"/>', '><target/><source m_id="2"/>', "dangling", "<target/>"),
    ("</Relations>\n</Document>\n", "", "truncated", ""),
    ("<Document ", '<Document x="&y;" ', "syntax", "<Document"),
]


@pytest.mark.parametrize(("old", "new", "code", "there"), MISTAKES)
def test_mistakes(tmp_path: Path, old: str, new: str, code: str, there: str) -> None:
    path = write(tmp_path, (old, new))
    text = path.read_text(encoding="utf-8")
    before = text[: text.index(there) if there else len(text)]
    with pytest.raises(InputError) as caught:
        cl.read(path)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, line, column)


def test_the_label_may_stand_at_the_target_only(tmp_path: Path) -> None:
    assert "HUM1" in cl.read(write(tmp_path, ('note="HUM1"', ""))).labels
    with pytest.raises(InputError, match="has no note, and its target has no instance_id"):
        cl.read(write(tmp_path, ('note="HUM1"', ""), ('instance_id="HUM1"', "")))


def test_lenient_reading_lists_every_mistake(tmp_path: Path) -> None:
    path = write(tmp_path, ('<source m_id="3"/>', '<source m_id="33"/>'), ('t_id="7"/>', 't_id="70"/>'))
    source = Source(path.read_bytes(), "x.xml", lenient=True)
    corpus = ecb.read(source)
    assert [p.line for p in source.problems if p.severity == "error"] == [14, 19]
    assert corpus.clusters()["HUM1"] == [(0, 0)]


def test_other_relations_are_left_out_and_counted(tmp_path: Path) -> None:
    corpus = cl.read(write(tmp_path, ("</Relations>", '<PLOT_LINK r_id="9"/><PLOT_LINK r_id="10"/></Relations>')))
    assert "PLOT_LINK: 2 left out" in [i.message for i in corpus.issues if i.code == "left-out"]


def test_damaged_files() -> None:
    assert "read" in set(outcomes("ecb", DOCUMENT.encode(), 300))


@pytest.mark.slow
def test_real_files(run: Run) -> None:
    if not DATA.is_dir():
        pytest.skip(f"no {DATA.name} here")
    corpus = cl.read(DATA)
    mentions = tokens = 0
    sources: dict[object, set[object]] = {}
    for path in sorted(DATA.rglob("*.xml")):
        tree = ElementTree.parse(path)
        anchored = {m.get("m_id") for m in tree.iterfind("Markables/*") if m.find("token_anchor") is not None}
        mentions += len(anchored)
        tokens += len(tree.findall("token"))
        for relation in tree.iterfind("Relations/*"):
            label = relation.get("note") or (path.name, relation.get("r_id"))
            sources.setdefault(label, set()).update((path.name, s.get("m_id")) for s in relation.findall("source"))
    assert (len(corpus), len(corpus.text.words), len(corpus.documents)) == (mentions, tokens, 8)
    linked = sum(map(len, sources.values()))
    assert len(corpus.labels) == len(sources) + mentions - linked
    for scope in ("document", "corpus"):
        assert cl.score(DATA, DATA, scope=scope).conll == 1
    ran = run("score", DATA, DATA)
    assert ran.code == 0
    assert ran.err.count("mixed-kinds") <= 2
