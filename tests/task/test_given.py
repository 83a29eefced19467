"""What systems are given: conditions with predicted layers, skeletons, and how good the predicted layers are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.task.assembly import assemble
from coreflens.task.conditions import CONDITIONS, condition
from coreflens.task.quality import Agreed, agreement, polysemy
from coreflens.task.skeletons import skeleton
from places import DATA

GOLD = """\
#begin document (nw/wsj/00/wsj_0001); part 000
nw/wsj/00/wsj_0001 0 0 Ann NNP (TOP(S(NP*) - - - Bo (PERSON) (ARG0*) * (0)
nw/wsj/00/wsj_0001 0 1 told VBD (VP* tell 01 1 Bo * (V*) * -
nw/wsj/00/wsj_0001 0 2 the DT (NP* - - - Bo * (ARG2* (ARG0* (1
nw/wsj/00/wsj_0001 0 3 man NN *) man - 2 Bo * *) *) 1)
nw/wsj/00/wsj_0001 0 4 to TO (S(VP* - - - Bo * (ARG1* * -
nw/wsj/00/wsj_0001 0 5 help VB (VP* help 02 1 Bo * * (V*) -
nw/wsj/00/wsj_0001 0 6 her PRP (NP*))))))) - - - Bo * *) (ARG1*) (0)

#end document
#begin document (bc/cnn/00/cnn_0001); part 000
bc/cnn/00/cnn_0001 0 0 Men NNS (TOP(S(NP*) man - 1 Cy * (ARG0*) -
bc/cnn/00/cnn_0001 0 1 told VBD (VP*))) tell 02 1 Cy * (V*) -

#end document
"""
# Other trees, a wrong tag, sense and frameset, an argument too short, no names, no chains, and another speaker.
AUTO = """\
#begin document (bc/cnn/00/cnn_0001); part 000
bc/cnn/00/cnn_0001 0 0 Men NNS (TOP(S(NP*) man - 1 - * (ARG0*) -
bc/cnn/00/cnn_0001 0 1 told VBD (VP*))) tell 01 1 - * (V*) -

#end document
#begin document (nw/wsj/00/wsj_0001); part 000
nw/wsj/00/wsj_0001 0 0 Ann NN (TOP(S(NP*) - - - - * (ARG0*) * -
nw/wsj/00/wsj_0001 0 1 told VBD (VP* tell 01 1 - * (V*) * -
nw/wsj/00/wsj_0001 0 2 the DT * - - - - * * (ARG0* -
nw/wsj/00/wsj_0001 0 3 man NN (NP*) man - 1 - * (ARG2*) *) -
nw/wsj/00/wsj_0001 0 4 to TO (S(VP* - - - - * (ARG1* * -
nw/wsj/00/wsj_0001 0 5 help VB (VP* help 02 1 - * * (V*) -
nw/wsj/00/wsj_0001 0 6 her PRP (NP*))))))) - - - - * *) (ARG1*) -

#end document
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "x.v4_gold_conll", tmp_path / "x.v4_auto_conll"
    for path, text in zip(paths, (GOLD, AUTO), strict=True):
        path.write_text(text)
    return paths


# ---- conditions


@pytest.mark.parametrize("name", CONDITIONS)
def test_layers_are_the_predicted_ones_but_for_speakers(
    name: str, files: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    out = tmp_path / "out.conll"
    ran = run("task", "conditions", files[0], out, "--input", files[1], "--condition", name)
    assert ran.code == 0, ran.err
    gold, auto, made = cl.read(files[0]), cl.read(files[1]), cl.read(out)
    assert [d.label for d in made.documents] == [d.label for d in gold.documents]
    source = gold if name.endswith("+gold-layers") else auto
    order = [[d.label for d in source.documents].index(d.label) for d in gold.documents]
    expected = source.text.take(order).layers
    for layer in ("pos", "parse", "lemma", "frameset", "sense", "arguments"):
        assert list(made.text.layers[layer]) == list(expected[layer]), layer
    assert list(made.text.layers["speaker"]) == list(gold.text.layers["speaker"])
    spans = Counter((m.document.label, m.start, m.end) for m in made)
    wanted = {
        "official": [],
        "gold-boundaries": [("nw/wsj/00/wsj_0001_0", a, b) for a, b in ((0, 0), (2, 3), (6, 6))]
        + [("bc/cnn/00/cnn_0001_0", 0, 0)],
    }.get(name, [(m.document.label, m.start, m.end) for m in gold])
    assert spans == Counter(wanted)
    assert all(len(cluster) == 1 for d in (0, 1) for cluster in made.clusters(d).values())


def test_without_predicted_layers_there_are_none(files: tuple[Path, Path], run: Run) -> None:
    made = condition(cl.read(files[0]), "gold-mentions")
    assert set(made.text.layers) == {"speaker"}
    assert [issue.code for issue in made.issues] == ["no-layers"]
    ran = run("task", "conditions", files[0], "-", "--condition", "official")
    assert (ran.code, "--input AUTO" in ran.err) == (3, True)


def test_predicted_trees_are_not_called_gold(files: tuple[Path, Path], run: Run) -> None:
    ran = run("task", "conditions", files[1], "-", "--input", files[1], "--condition", "gold-boundaries")
    assert "[predicted]" in ran.err


def test_input_of_other_documents_or_words(files: tuple[Path, Path], run: Run) -> None:
    files[1].write_text(AUTO.replace("Men NNS", "Man NNS"))
    ran = run("task", "conditions", files[0], "-", "--input", files[1], "--condition", "official")
    assert ran.code == 3
    assert f"{files[1]}:2" in ran.err
    assert "token 8 is 'Men' in gold and 'Man' here" in ran.err
    files[1].write_text(AUTO[: AUTO.index("#begin document (nw")])
    ran = run("task", "conditions", files[0], "-", "--input", files[1], "--condition", "official")
    assert (ran.code, "document 'nw/wsj/00/wsj_0001_0' is missing here" in ran.err) == (3, True), ran.err


# ---- how good the layers are


def test_layers_counted_by_hand(files: tuple[Path, Path]) -> None:
    ordered = cl.read(files[1])
    texts = ordered.text.take([1, 0])
    predicted = condition(cl.read(files[0]), "official", ordered)
    assert list(predicted.text.words) == list(texts.words)
    found = agreement(cl.read(files[0]), predicted, by="genre")
    assert found["all"]["tags"] == Agreed(8, 9, 9)
    assert found["all"]["senses"] == Agreed(4, 5, 5)
    assert found["all"]["framesets"] == Agreed(2, 3, 3)
    assert found["all"]["arguments"] == Agreed(5, 6, 6)  # (ARG2 the man) is (ARG2 man)
    assert "names" not in found["all"]  # none is predicted
    assert found["bc"]["framesets"] == Agreed(0, 1, 1)
    for layer, whole in found["all"].items():
        assert [sum(found[g][layer][n] for g in ("nw", "bc")) for n in range(3)] == list(whole), layer
    assert polysemy(cl.read(files[0]).text) == {"senses": {1: 2, 2: 1}, "framesets": {1: 1, 2: 1}}


def test_the_command_shows_what_is_asked(files: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    run("task", "conditions", files[0], tmp_path / "auto.conll", "--input", files[1], "--condition", "official")
    ran = run(
        *("task", "layers", files[0], tmp_path / "out", "--predicted", tmp_path / "auto.conll"),
        *("--by", "source", "--show", "framesets,polysemy"),
    )
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.split("\n\n")[0].splitlines()[2:]]
    assert [row[:2] for row in rows] == [["wsj", "framesets"], ["cnn", "framesets"], ["all", "framesets"]]
    assert rows[-1][2:] == ["66.67", "66.67", "66.67", "2", "3", "3"]
    assert "lemmas (senses)" in ran.out
    wrong = run("task", "layers", files[0], tmp_path / "out", "--predicted", files[0], "--show", "sense")
    assert (wrong.code, "did you mean 'senses'" in wrong.err) == (2, True), wrong.err
    assert run("task", "layers", files[0], tmp_path / "out", "--by", "genre").code == 2


def test_real_layers_by_a_plain_count() -> None:
    folder = DATA / "berkeley_ontonotes_sample" / "gold" / "nw" / "wsj" / "00"
    if not folder.is_dir():
        pytest.skip("../shared is absent")
    gold, auto = (folder / f"wsj_0020.v2_{kind}_conll" for kind in ("gold", "auto"))
    columns = [
        [line.split() for line in path.read_text("utf-8").splitlines() if line and line[0] != "#"]
        for path in (gold, auto)
    ]
    found = agreement(cl.read(gold), cl.read(auto))["all"]
    for layer, place in (("senses", 8), ("framesets", 7)):
        given = [{(i, row[place]) for i, row in enumerate(rows) if row[place] != "-"} for rows in columns]
        assert found[layer] == (len(given[0] & given[1]), len(given[0]), len(given[1]))
    labels = [sum(cell.count("(") - cell.count("(V*") for row in rows for cell in row[11:-1]) for rows in columns]
    assert [found["arguments"].gold, found["arguments"].predicted] == labels


# ---- skeletons


def test_a_skeleton_is_the_inverse_of_assembly(files: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    corpus, skeletons, trees, out = (tmp_path / name for name in ("corpus", "skel", "trees", "out"))
    (corpus / "nw").mkdir(parents=True)
    document = GOLD[: GOLD.index("#begin document (bc")]
    (corpus / "nw" / "wsj_0001.v4_gold_conll").write_text(document)
    assert run("task", "skeleton", corpus, skeletons).code == 0
    made = (skeletons / "nw" / "wsj_0001.v4_gold_skel").read_text()
    assert "Ann" not in made
    assert made.count("[WORD]") == 7
    changed = [(a.split(), b.split()) for a, b in zip(document.splitlines(), made.splitlines(), strict=True)]
    assert all(b == [*a[:3], "[WORD]", *a[4:]] for a, b in changed if a and a[0] != "#begin" and a[0] != "#end")
    run("task", "layers", corpus, trees)
    assert not assemble(skeletons, trees, out).failed
    assert (out / "nw" / "wsj_0001.v4_gold_conll").read_text() == document


def test_what_is_no_conll_file_has_no_skeleton(run: Run, tmp_path: Path) -> None:
    with pytest.raises(cl.InputError, match="no word in this line") as caught:
        skeleton("#begin document (a); part 000\na 0 0\n", "x")
    assert caught.value.line == 2
    assert run("task", "skeleton", tmp_path, tmp_path / "out").code == 3
