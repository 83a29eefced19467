"""OntoNotes as it is distributed: a file per layer, on an example of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from coreflens.corpus.trees import trees
from coreflens.errors import InputError
from texts.native import FILES

INVENTORY = """\
<!DOCTYPE inventory SYSTEM "inventory.dtd">
<inventory lemma="try-v">
<sense group="1" n="1" name="attempt" type=""><commentary>x</commentary></sense>
<sense group="1" n="2" name="judge" type=""/>
</inventory>
"""
FRAMES = """\
<!DOCTYPE frameset SYSTEM "frameset.dtd">
<frameset><predicate lemma="try"><roleset id="try.01" name="attempt">
<roles><role n="0" descr="agent"/><role n="1" descr="thing tried"/></roles>
</roleset></predicate></frameset>
"""


def _written(folder: Path, **changes: str | None) -> Path:
    for name, text in FILES.items():
        given = changes.get(name.partition(".")[2], text)
        if given is not None:
            (folder / name).write_text(given, "utf-8")
    return folder


def test_all_layers(tmp_path: Path) -> None:
    corpus = cl.read(_written(tmp_path))
    assert [(d.name, d.part, d.tokens) for d in corpus.documents] == [
        ("bc/x/00/x_0001", 0, 12),
        ("bc/x/00/x_0001", 1, 4),
    ]
    assert corpus.clusters(0) == {"1": [(0, 1), (9, 9)], "2": [(10, 10)]}
    assert corpus.clusters(1) == {"3": [(0, 0)], "2": [(2, 2)]}
    text = corpus.text
    assert list(text.words[:9]) == ["Ann", "Bell", "tried", "to", "help", "Acme", "&", "Co", "."]
    layers = {name: list(values) for name, values in text.layers.items()}
    assert layers["pos"][:4] == ["NNP", "NNP", "VBD", "TO"]
    bits = ["(TOP(S(NP-SBJ-1*", "*)", "(VP*", "(S(VP*", "(VP*", "(NP*", "*", "*)))))", "*))"]
    assert layers["parse"][:9] == bits
    assert layers["names"][:9] == ["(PERSON*", "*)", "*", "*", "*", "(ORG*", "*", "*)", "*"]
    assert layers["frameset"][:5] == ["", "", "01", "", "01"] and layers["frameset"][10] == "02"
    assert layers["lemma"][2] == "try" and layers["sense"][4] == "2" and layers["sense"][13] == "3"
    assert layers["speaker"] == ["anchor"] * 12 + ["guest"] * 4
    first = [cell.split(" ")[0] for cell in layers["arguments"][:9]]
    second = [cell.split(" ")[1] for cell in layers["arguments"][:9]]
    assert first == ["(ARG0*", "*)", "(V*)", "(ARG1*", "*", "*", "*", "*)", "*"]
    assert second == ["(ARG0*", "*)", "*", "*", "(V*)", "(ARG1*", "*", "*)", "*"]
    assert corpus.attributes["speaker"][corpus.doc.tolist().index(1)] == "guest"
    (issue,) = corpus.issues
    assert (
        issue.code == "left-out"
        and "appositions (1)" in issue.message
        and "mentions of traces only (1)" in issue.message
    )
    assert "links (1)" in issue.message


def test_trees_lose_their_traces_and_hold_together(tmp_path: Path) -> None:
    parsed = trees(cl.read(_written(tmp_path)))
    assert parsed is not None
    spans = {(parsed.labels[n], int(a), int(b)) for n, a, b in zip(parsed.label, parsed.start, parsed.end, strict=True)}
    assert {("NP", 0, 1), ("NP", 5, 7), ("VP", 2, 7), ("S", 3, 7), ("S", 0, 8), ("TOP", 0, 8)} <= spans
    assert ("NP", 3, 2) not in spans


def test_layers_that_are_missing(tmp_path: Path) -> None:
    corpus = cl.read(_written(tmp_path, name=None, prop=None, sense=None, speaker=None))
    assert set(corpus.text.layers) == {"pos", "parse"}
    (tmp_path / "a.parse").unlink()
    with pytest.raises(InputError, match=r"a\.coref: a\.parse is missing"):
        cl.read(tmp_path / "a.coref")


@pytest.mark.parametrize(
    ("layer", "old", "new", "message"),
    [
        ("prop", "6:1-ARG1", "6:9-ARG1", r"a\.prop:2: there is no constituent 6:9 in tree 0"),
        ("prop", "2:0-rel", "2-rel", r"a\.prop:1:.*'2-rel' is not an argument"),
        ("prop", "-----", "", r"a\.prop:1: a line of a \.prop file"),
        ("sense", " 2 1 know-v 3", " 2 9 know-v 3", r"a\.sense:3: token 9 is not a word of its tree"),
        ("sense", "try-v 1", "", r"a\.sense:1: a line of a \.sense file"),
        ("speaker", "1.5 2.0 anchor female native\n", "", r"3 sentences, 2 lines of speakers"),
        ("speaker", "1.5 2.0 anchor female native", "1.5", r"a\.speaker:2: a line of a \.speaker file"),
        ("name", "She failed .", "He failed .", r"a\.name:3: word 1 is 'He' here, but 'She' in the tree"),
        ("name", "She failed .\n", "", r"3 sentences of coreference, 2 lines of names"),
        ("coref", "knew", "new", r"a\.coref:7: word 2 is 'new' here, but 'knew' in the tree"),
        ("coref", "She</COREF>", "She", r"a\.coref:4: <COREF> is not closed in its line"),
        ("parse", "(. .)))", "(. .))", r"a\.parse:.*never closed"),
    ],
)
def test_mistakes_have_their_places(layer: str, old: str, new: str, message: str, tmp_path: Path) -> None:
    text = FILES[f"a.{layer}"]
    assert old in text
    _written(tmp_path, **{layer: text.replace(old, new, 1)})
    with pytest.raises(InputError, match=message):
        cl.read(tmp_path / "a.coref")


def test_inventories_and_frames(tmp_path: Path) -> None:
    """They go into the database of a tree that has them, and `read` does not take them for corpora."""
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    from coreflens.store import ask, build

    annotations, metadata = tmp_path / "annotations", tmp_path / "metadata"
    annotations.mkdir()
    _written(annotations)
    for folder, text in (("sense-inventories", INVENTORY), ("frames", FRAMES)):
        (metadata / folder).mkdir(parents=True)
        (metadata / folder / "try-v.xml").write_text(f'<?xml version="1.0"?>\n{text}', "utf-8")
    path = str(tmp_path / "a.duckdb")
    build(path, {"key": str(tmp_path)})
    assert ask(path, "SELECT lemma, sense, name FROM inventory ORDER BY sense").rows == [
        ("try-v", "1", "attempt"),
        ("try-v", "2", "judge"),
    ]
    rows = ask(path, "SELECT lemma, frameset, name, map_extract(roles, '1')[1] FROM frame").rows
    assert rows == [("try", "01", "attempt", "thing tried")]
    joined = "SELECT s.lemma, i.name FROM sense s JOIN inventory i ON i.lemma = s.lemma || '-v' AND i.sense = s.sense"
    assert ask(path, joined).rows == [("try", "attempt")]
