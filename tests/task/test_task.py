"""The CoNLL-2011 workbench: layers, assembly, partition, conditions, and the baselines."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from command import Run
from coreflens.corpus.treebank import read_trees, tree
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source
from coreflens.resolvers import resolve
from coreflens.resolvers.baselines import BASELINES
from coreflens.task.assembly import assemble
from coreflens.task.conditions import condition
from coreflens.task.layers import appositions, join, layers
from coreflens.task.partition import split
from coreflens.task.quality import agreement
from places import DATA
from texts.native import FILES

BERKELEY = DATA / "berkeley_ontonotes_sample" / "gold" / "nw" / "wsj" / "00"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")

DOCUMENT = """\
#begin document (bc/x/00/x_0001); part 000
bc/x/00/x_0001   0   0      The    DT   (TOP(S(NP*   -   -   -   Ann       *    (0
bc/x/00/x_0001   0   1      cat    NN           *)   -   -   -   Ann       *     0)
bc/x/00/x_0001   0   2      saw   VBD         (VP*  see  01  1   Ann       *     -
bc/x/00/x_0001   0   3      her  PRP$         (NP*   -   -   -   Ann       *    (1|(0)
bc/x/00/x_0001   0   4   kitten    NN          *))   -   -   -   Ann       *     1)
bc/x/00/x_0001   0   5       --     :            *   -   -   -   Ann       *     -
bc/x/00/x_0001   0   6        .     .          *))   -   -   -   Ann       *     -

#end document
#begin document (bc/x/00/x_0001); part 001
bc/x/00/x_0001   1   0       It   PRP  (TOP(S(NP*)   -   -   -   Bob       *    (0)
bc/x/00/x_0001   1   1   played   VBD      (VP*)))  play 01  2   Bob       *     -

bc/x/00/x_0001   1   0       in    IN     (TOP(PP*   -   -   -   Bob       *     -
bc/x/00/x_0001   1   1     Rome   NNP      (NP*)))   -   -   -   Bob     (GPE)   -

#end document
"""
TREES = """\
(TOP (S (NP-SBJ (DT The) (NN cat))
        (EDITED (NP (DT the) (NN d-)) (, ,))
        (VP (VBD saw) (NP (PRP$ her) (NN kitten)) (NP (-NONE- *T*-1)))
        (: --) (. .)))

( (EDITED (UH uh)) )

(TOP (S (NP (PRP It)) (VP (VBD played))))

(TOP (PP (IN in) (NP (NNP Rome))))
"""


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "x.gold_conll"
    path.write_text(DOCUMENT)
    return path


# ---------------------------------------------------------------------------------------------------------- assembly


def _bare(text: str) -> str:
    """A skeleton: every word replaced, nothing else touched."""
    return re.sub(r"(?m)^(\S+\s+\d+\s+\d+\s+)\S+", r"\1[WORD]", text)


def _ready(tmp_path: Path, skeleton: str, trees: str = TREES) -> tuple[Path, Path, Path]:
    skeletons, treebank, out = (tmp_path / name for name in ("skel", "ontonotes", "out"))
    (skeletons / "bc/x/00").mkdir(parents=True)
    (treebank / "english/annotations/bc/x/00").mkdir(parents=True)
    (skeletons / "bc/x/00/x_0001.v4_gold_skel").write_text(skeleton)
    (treebank / "english/annotations/bc/x/00/x_0001.parse").write_text(trees)
    return skeletons, treebank, out


def test_words_come_back_byte_for_byte(tmp_path: Path) -> None:
    places = _ready(tmp_path, _bare(DOCUMENT))
    found = assemble(*places)
    assert not found.failed
    assert (places[2] / "bc/x/00/x_0001.v4_gold_conll").read_bytes() == DOCUMENT.encode()


def test_a_run_goes_on_where_it_was(run: Run, tmp_path: Path) -> None:
    places = _ready(tmp_path, _bare(DOCUMENT))
    target = places[2] / "bc/x/00/x_0001.v4_gold_conll"
    target.parent.mkdir(parents=True)
    target.write_text("done before")
    ran = run("task", "assemble", *places)
    assert (ran.code, target.read_text()) == (0, "done before")
    assert "0 written, 1 existed already, 0 failed" in ran.err
    assert run("task", "assemble", *places, "--again").code == 0
    assert target.read_text() == DOCUMENT


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("VBD         (VP*", "VBZ         (VP*", 4, "sentence 1 of document 'bc/x/00/x_0001', token 3 is tagged VBZ"),
        ("(bc/x/00/x_0001); part 000", "(bc/x/00/x_0009); part 000", 1, "no tree file of document 'bc/x/00/x_0009'"),
        ("0   1   [WORD]", "0   1   cat", 3, "token 2: there is no [WORD]"),
    ],
)
def test_a_mismatch_is_named(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    skeleton = re.sub(r" +(?=\[WORD\])", "   ", _bare(DOCUMENT))
    assert old in skeleton
    (error,) = assemble(*_ready(tmp_path, skeleton.replace(old, new))).failed
    assert (error.file, error.line) == (str(tmp_path / "skel/bc/x/00/x_0001.v4_gold_skel"), line)
    assert message in error.message


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (TREES.replace("(: --)", ""), "sentence 1 of document 'bc/x/00/x_0001', token 6 is tagged :"),
        (TREES.replace("(. .)", "(. .) (. .)"), "has 7 tokens here and 8 in its tree"),
        (TREES.replace("(TOP (PP (IN in) (NP (NNP Rome))))", ""), "sentence 3 of document"),
        (TREES + "\n(TOP (FRAG (UH yes)))\n", "has 3 sentences here and more"),
        (TREES + "\n(TOP (FRAG (UH yes))\n", "never closed"),
        (TREES + ")", "closes nothing"),
    ],
)
def test_damaged_trees(tmp_path: Path, trees: str, message: str) -> None:
    (error,) = assemble(*_ready(tmp_path, _bare(DOCUMENT), trees)).failed
    assert message in error.message


def test_the_others_go_on_and_the_exit_code_is_1(run: Run, tmp_path: Path) -> None:
    skeletons, treebank, out = _ready(tmp_path, _bare(DOCUMENT))
    for number in range(2, 12):
        text = _bare(DOCUMENT).replace("x_0001", f"x_{number:04}")
        (skeletons / f"bc/x/00/x_{number:04}.v4_gold_skel").write_text(text)
        if number != 5:
            (treebank / f"english/annotations/bc/x/00/x_{number:04}.parse").write_text(TREES)
    ran = run("task", "assemble", skeletons, treebank, out)
    assert ran.code == 1
    assert "no tree file of document 'bc/x/00/x_0005'" in ran.err
    assert "10 written, 0 existed already, 1 failed" in ran.err
    assert run("task", "assemble", skeletons, treebank / "nowhere", out).code == 3


@pytest.mark.slow
def test_a_killed_run_leaves_whole_files_and_no_process(tmp_path: Path) -> None:
    """Killed in the middle, it has written whole files only; its workers end; and another run does the rest."""
    skeletons, treebank, out = _ready(tmp_path, _bare(DOCUMENT))
    for number in range(2, 400):
        text = _bare(DOCUMENT).replace("x_0001", f"x_{number:04}")
        (skeletons / f"bc/x/00/x_{number:04}.v4_gold_skel").write_text(text)
        (treebank / f"english/annotations/bc/x/00/x_{number:04}.parse").write_text(TREES)
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "coreflens",
        "task",
        "assemble",
        skeletons,
        treebank,
        out,
        "--jobs",
        "2",
    ]
    started = subprocess.Popen(command, start_new_session=True)
    patience = time.monotonic() + 60
    while not any(out.rglob("*_conll")) and time.monotonic() < patience:
        time.sleep(0.005)
    started.kill()
    started.wait()
    while _alive(started.pid) and time.monotonic() < patience:
        time.sleep(0.05)
    assert not _alive(started.pid)
    done = list(out.rglob("*_conll"))
    assert done
    assert all(f.read_text() == DOCUMENT.replace("x_0001", f.name[:6]) for f in done)
    found = assemble(skeletons, treebank, out, jobs=1)
    assert (len(found.kept), len(found.written), found.failed) == (len(done), 399 - len(done), [])


def _alive(group: int) -> bool:
    """Whether a process of this group runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_edited_phrases_that_the_skeleton_has_are_kept(tmp_path: Path) -> None:
    text = "#begin document (bc/x/00/x_0001); part 000\n"
    rows = [("UH", "(TOP(EDITED*)"), ("NN", "(NP*))")]
    text += "".join(f"bc/x/00/x_0001 0 {i} w{i} {tag} {bit} - - - - * -\n" for i, (tag, bit) in enumerate(rows)) + "\n"
    trees = "(TOP (EDITED (UH w0)) (NP (NN w1)))"
    places = _ready(tmp_path, _bare(text), trees)
    assert not assemble(*places).failed
    assert (places[2] / "bc/x/00/x_0001.v4_gold_conll").read_text() == text


@needs_data
def test_real_files_come_back(tmp_path: Path) -> None:
    """Skeletons cut from real files, with traces and EDITED phrases put into their trees."""
    skeletons, treebank, out = (tmp_path / name for name in ("skel", "ontonotes", "out"))
    rng = random.Random(1)
    files = sorted(BERKELEY.glob("*gold_conll"))
    assert files
    for file in files:
        text = file.read_text()
        corpus = cl.read(file)
        document = corpus.documents[0].name
        (skeletons / document).parent.mkdir(parents=True, exist_ok=True)
        (treebank / document).parent.mkdir(parents=True, exist_ok=True)
        (skeletons / document).with_suffix(".v2_gold_skel").write_text(_bare(text))
        (parse,) = (layer for layer in layers(corpus) if layer.suffix == ".parse")

        def disturb(match: re.Match[str]) -> str:
            extra = rng.choice(("", "", "(NP (-NONE- *T*-1)) ", "(EDITED (NP (DT the)) (, ,)) "))
            return extra + match[0]

        (treebank / document).with_suffix(".parse").write_text(re.sub(r"\((NP|VP) ", disturb, parse.content))
    found = assemble(skeletons, treebank, out)
    assert not found.failed
    for file, written in zip(files, sorted(found.written), strict=True):
        assert Path(written).read_bytes() == file.read_bytes()


# ------------------------------------------------------------------------------------------------------------ layers


def test_layers_of_a_document(gold: Path, tmp_path: Path, run: Run) -> None:
    written = {layer.suffix: layer.content for layer in layers(cl.read(gold))}
    assert written[".name"].splitlines()[-2] == 'in <ENAMEX TYPE="GPE">Rome</ENAMEX>'
    assert '<COREF ID="1" TYPE="IDENT"><COREF ID="0" TYPE="IDENT">her</COREF> kitten</COREF>' in written[".coref"]
    assert written[".coref"].count("<TEXT PARTNO=") == 2
    ran = run("task", "layers", gold, tmp_path / "layers")
    assert sorted(ran.out.split()) == [
        str(tmp_path / f"layers/bc/x/00/x_0001{suffix}")
        for suffix in (".coref", ".name", ".parse", ".prop", ".sense", ".speaker")
    ]
    assert run("task", "join", tmp_path / "layers", tmp_path / "back.conll").code == 0
    _same(cl.read(gold), cl.read(tmp_path / "back.conll"))


def _same(gold: cl.Corpus, back: cl.Corpus) -> None:
    """The words, sentences, trees, tags, names and chains are those of the file that the layers were cut from."""
    assert [d[:3] for d in back.documents] == [d[:3] for d in gold.documents]
    assert list(back.text.words) == list(gold.text.words)
    assert back.text.sentences.tolist() == gold.text.sentences.tolist()
    for layer in ("pos", "parse", "names", "frameset", "sense", "speaker", "arguments"):
        if any(gold.text.layers.get(layer, ())):
            assert list(back.text.layers[layer]) == list(gold.text.layers[layer]), layer
    mentions = [sorted((m.document.label, m.start, m.end, m.entity) for m in c) for c in (gold, back)]
    assert mentions[0] == mentions[1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("layers", "nowhere", "out"), 3, "no such file"),
        (("layers", "gold.conll", "gold.conll"), 3, "the directory can't be made"),
        (("layers", "broken.conll", "out"), 3, "broken.conll:2: the tree of this sentence never ends"),
        (("layers", "bare.conll", "out"), 0, "no .name and no .parse files"),
        (("join", "nowhere", "out.conll"), 3, "no such directory"),
        (("join", ".", "out.conll"), 3, "no .coref file below this directory"),
        (("assemble", "nowhere", ".", "out"), 3, "no such directory"),
        (("assemble", ".", ".", "out"), 3, "no skeleton here"),
        (("split", "nowhere"), 3, "no such file"),
        (("split", "ids.txt"), 3, "'cctv_1' is not a document id"),
        (("conditions", "broken.conll", "-", "--condition", "gold-boundaries"), 3, "never ends"),
        (("conditions", "bare.conll", "-", "--condition", "gold-boundaries"), 3, "no trees"),
    ],
)
def test_what_is_wrong_is_said(
    gold: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, message: str
) -> None:
    folder = gold.parent
    monkeypatch.chdir(folder)
    gold.rename("gold.conll")
    (folder / "broken.conll").write_text(
        DOCUMENT.replace("*))   -   -   -   Ann       *     -", "*)   -   -   -   Ann       *     -")
    )
    (folder / "bare.conll").write_text("#begin document (a/b/c_1); part 000\na/b/c_1 0 0 cat (1)\n\n#end document\n")
    (folder / "ids.txt").write_text("cctv_1\ncctv_2\n")
    ran = run("task", *arguments)
    assert (ran.code, message in ran.err) == (code, True), ran.err
    if code:
        assert not list(folder.rglob("*.parse"))


@needs_data
@pytest.mark.parametrize("version", ["gold", "auto"])
def test_layers_of_real_files_round_trip(version: str, tmp_path: Path, run: Run) -> None:
    files = sorted(BERKELEY.glob(f"*{version}_conll"))
    assert files
    for file in files:
        out = tmp_path / file.stem
        assert run("task", "layers", file, out).code == 0
        assert run("task", "join", out, tmp_path / "back.conll").code == 0
        _same(cl.read(file), cl.read(tmp_path / "back.conll"))


@needs_data
def test_gold_and_predicted_side_by_side(tmp_path: Path, run: Run) -> None:
    gold, auto = (BERKELEY / f"wsj_0020.v2_{version}_conll" for version in ("gold", "auto"))
    ran = run("task", "layers", gold, tmp_path, "--predicted", auto)
    assert ran.code == 0
    assert {f.name for f in tmp_path.rglob("*.parse")} == {"wsj_0020.gold.parse", "wsj_0020.auto.parse"}
    assert [line.split()[0] for line in ran.out.splitlines()[2:4]] == ["tags", "phrases"]
    assert f"files below {tmp_path}" in ran.err
    found = agreement(cl.read(gold), cl.read(auto))["all"]
    tags = [cl.read(f).text.layers["pos"] for f in (gold, auto)]
    assert found["tags"] == (sum(a == b for a, b in zip(*tags, strict=True)), len(tags[0]), len(tags[0]))
    assert 0 < found["phrases"][0] < found["phrases"][1]


def test_appositions_are_read_apart() -> None:
    coref = (
        '<DOC DOCNO="bc/x/00/x_0001">\n<TEXT PARTNO="000">\n'
        '<COREF ID="7" TYPE="APPOS" SUBTYPE="HEAD">Ann</COREF> , '
        '<COREF ID="7" TYPE="APPOS" SUBTYPE="ATTRIB">a cat</COREF> '
        ', saw <COREF ID="1" TYPE="IDENT">her</COREF>\n</TEXT>\n</DOC>\n'
    )
    parse = "(TOP (S (NP (NNP Ann)) (, ,) (NP (DT a) (NN cat)) (, ,) (VBD saw) (NP (PRP her))))"
    corpus = join("x", parse, None, coref)
    assert [(m.start, m.end, m.entity) for m in corpus] == [(6, 6, "1")]
    assert [issue.code for issue in corpus.issues] == ["left-out"]
    assert list(appositions(coref)) == [(0, "7", "HEAD", ["Ann"]), (0, "7", "ATTRIB", ["a", "cat"])]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("her</COREF>", "his</COREF>", "is 'his' here and 'her' in the tree"),
        ("</COREF> saw", " saw", "not closed in its line"),
        ("saw", "saw</COREF>", "closes nothing"),
        ("It", "", "the layers differ"),
    ],
)
def test_layers_that_do_not_fit(gold: Path, old: str, new: str, message: str) -> None:
    written = {layer.suffix: layer.content for layer in layers(cl.read(gold))}
    damaged = written[".coref"].replace(old, new)
    damaged = re.sub(r'\n<COREF ID="0" TYPE="IDENT"></COREF> played', "", damaged)
    assert damaged != written[".coref"]
    with pytest.raises(cl.InputError, match=re.escape(message)):
        join("x", written[".parse"], written[".name"], damaged)


# ------------------------------------------------------------------------------------------------------------- trees


@needs_data
def test_trees_of_a_real_treebank_round_trip() -> None:
    files = sorted((DATA / "gum" / "const").glob("*.ptb"))
    assert files
    for file in files:
        text = file.read_text()
        flat = [re.sub(r"\s+", " ", one).strip() for one in re.split(r"\n(?=\()", text.strip())]
        sentences = list(read_trees(text, str(file), without=()))
        for one, leaves in zip(flat, sentences, strict=True):
            words, tags, bits, _ = zip(*leaves, strict=True)
            for indent in (True, False):
                assert re.sub(r"\s+", " ", tree(words, tags, bits, indent=indent)) == one


@st.composite
def _trees(draw: st.DrawFn, depth: int = 4) -> str:
    label = draw(st.sampled_from(("NP", "VP", "S-1", "NP-SBJ", "EDITED")))
    if depth == 0 or draw(st.booleans()):
        return f"({draw(st.sampled_from(('NN', '-NONE-', ',')))} {draw(st.sampled_from(('cat', '*T*', '-LRB-', '%')))})"
    children = draw(st.lists(_trees(depth=depth - 1), min_size=1, max_size=3))
    return f"({label} {' '.join(children)})"


@given(st.lists(_trees(), min_size=1, max_size=3))
def test_any_tree_round_trips(trees: list[str]) -> None:
    text = "\n".join(f"(TOP {one})" for one in trees)
    for one, leaves in zip(trees, read_trees(text, without=()), strict=True):
        words, tags, bits, _ = zip(*leaves, strict=True)
        assert tree(words, tags, bits, indent=False) == f"(TOP {one})"
    kept = list(read_trees(text, without=("-NONE-", "EDITED")))
    for leaves in kept:
        assert all(leaf.tag != "-NONE-" and "EDITED" not in leaf.bit for leaf in leaves)
        whole = "".join(leaf.bit for leaf in leaves)
        assert whole.count("(") == whole.count(")")


# --------------------------------------------------------------------------------------------------------- partition


def test_the_published_rules() -> None:
    treebank = [f"nw/wsj/{s:02}/wsj_{s:02}01" for s in range(25)]
    large = [f"bc/cctv/00/cctv_{i:04}" for i in range(20)]
    small = [f"bn/mnb/00/mnb_{i:04}" for i in (1, 2, 3, 10, 12)]
    tiny = [f"wb/eng/00/eng_{i:04}" for i in (10, 7, 3)]
    without_zero = [f"tc/ch/00/ch_{i:04}" for i in (4, 6)]
    found = split([*treebank, *large, *small, *tiny, *without_zero])
    assert {d[7:9] for d in found["development"] if "wsj" in d} == {"00", "01", "22", "24"}
    assert [d[7:9] for d in found["test"] if "wsj" in d] == ["23"]
    assert len([d for d in found["train"] if "wsj" in d]) == 20
    assert [d[-4:] for d in found["development"] if "cctv" in d] == ["0000", "0010"]
    assert [d[-4:] for d in found["test"] if "cctv" in d] == ["0009", "0019"]
    assert [[d[-4:] for d in found[p] if "mnb" in d] for p in found] == [["0001", "0002", "0003"], ["0010"], ["0012"]]
    assert [[d[-4:] for d in found[p] if "/eng/" in d] for p in found] == [["0003"], ["0010"], ["0007"]]
    assert [[d[-4:] for d in found[p] if "/ch/" in d] for p in found] == [["0004"], [], ["0006"]]


@given(st.sets(st.integers(0, 99), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_every_document_is_in_one_part(numbers: set[int], rng: random.Random) -> None:
    ids = [f"mz/sinorama/10/ectb_{n:04}" for n in numbers]
    shuffled = rng.sample(ids, len(ids))
    parts = {part: set(found) for part, found in split(ids).items()}
    assert sorted(d for found in parts.values() for d in found) == sorted(ids)
    assert parts == {part: set(found) for part, found in split(shuffled).items()}


@pytest.mark.parametrize("bad", ["wsj_0001", "nw/wsj/99/wsj_9901", "bc/cctv/00/cctv"])
def test_ids_that_cannot_be_split(bad: str) -> None:
    with pytest.raises(cl.InputError, match=re.escape(bad)):
        split([bad])


def test_lists_are_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ids").write_text("".join(f"bc/cctv/00/cctv_{i:04}\n" for i in range(12)))
    ran = run("task", "split", tmp_path / "ids", tmp_path / "lists")
    assert ran.code == 0
    assert (tmp_path / "lists/test.txt").read_text() == "bc/cctv/00/cctv_0009\n"
    assert run("task", "split", tmp_path / "ids").out.count("\ttrain\n") == 9


# ------------------------------------------------------------------------------------------ conditions and baselines


def test_conditions(gold: Path, tmp_path: Path, run: Run) -> None:
    corpus = cl.read(gold)
    boundaries = condition(corpus, "gold-boundaries")
    assert [(m.document.part, m.start, m.end) for m in boundaries] == [(0, 0, 1), (0, 3, 4), (1, 0, 0), (1, 3, 3)]
    mentions = condition(corpus, "gold-mentions")
    assert [(m.document.part, m.start, m.end) for m in mentions] == [(0, 0, 1), (0, 3, 4), (0, 3, 3), (1, 0, 0)]
    for given_ in (boundaries, mentions):
        assert all(len(cluster) == 1 for d in (0, 1) for cluster in given_.clusters(d).values())
    ran = run("task", "conditions", gold, tmp_path / "out.conll", "--condition", "gold-mentions+gold-layers")
    assert ran.code == 0
    back = cl.read(tmp_path / "out.conll")
    assert list(back.text.layers["parse"]) == list(corpus.text.layers["parse"])
    assert cl.score(gold, tmp_path / "out.conll")["mentions"].f1 == 1


def test_no_trees_no_noun_phrases(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.conll").write_text("#begin document (a); part 000\na 0 0 cat (1)\n\n#end document\n")
    ran = run("task", "conditions", tmp_path / "a.conll", "-", "--condition", "gold-boundaries")
    assert (ran.code, "no trees" in ran.err) == (3, True)


def test_baselines(gold: Path) -> None:
    corpus = cl.read(gold)
    found = {name: [resolve(corpus, name).clusters(d) for d in (0, 1)] for name in BASELINES}
    assert [len(clusters) for clusters in found["singletons"]] == [3, 1]
    assert [len(clusters) for clusters in found["one-entity"]] == [1, 1]
    assert found["pronouns-together"][0] == {"0": [(0, 1)], "1": [(3, 4)], "2": [(3, 3)]}
    phrases = resolve(corpus, "singletons", "phrases")
    assert [(m.start, m.end) for m in phrases] == [(0, 1), (3, 4), (3, 3), (0, 0), (3, 3)]


def test_matches_of_words_and_heads(tmp_path: Path) -> None:
    rows = [
        ("The", "DT", "(TOP(NP*"),
        ("cat", "NN", "*)"),
        ("a", "DT", "(NP*"),
        ("Cat", "NN", "*)"),
        ("the", "DT", "(NP*"),
    ]
    rows += [("cat", "NN", "*)"), ("it", "PRP", "(NP*)"), ("it", "PRP", "(NP*))")]
    cells = ["(1", "1)", "(2", "2)", "(3", "3)", "(4)", "(5)"]
    lines = (f"a/b 0 {i} {w} {t} {b} - - - - * {c}" for i, ((w, t, b), c) in enumerate(zip(rows, cells, strict=True)))
    (tmp_path / "a.conll").write_text("#begin document (a/b); part 000\n" + "\n".join(lines) + "\n\n#end document\n")
    corpus = cl.read(tmp_path / "a.conll")
    assert list(resolve(corpus, "exact-match").clusters().values()) == [[(0, 1), (4, 5)], [(2, 3)], [(6, 6), (7, 7)]]
    assert list(resolve(corpus, "head-match").clusters().values()) == [[(0, 1), (2, 3), (4, 5)], [(6, 6)], [(7, 7)]]
    assert list(resolve(corpus, "pronouns-together").clusters().values())[-1] == [(6, 6), (7, 7)]


@needs_data
@pytest.mark.parametrize("system", BASELINES)
@pytest.mark.parametrize(
    "file",
    ["litbank/conll/1023_bleak_house_brat.conll", "gum/dep/GUM_bio_byron.conllu", "ontogum/conll/GUM_bio_byron.conll"],
)
def test_baselines_on_real_files_are_ready_to_score(run: Run, tmp_path: Path, system: str, file: str) -> None:
    key = DATA / file
    suffix = key.suffix
    ran = run("resolve", key, tmp_path / f"out{suffix}", "--system", system, "--lossy")
    if ran.code == 3 and "no tags" in ran.err:
        assert system in ("pronouns-together", "head-match")
        return
    assert ran.code == 0, ran.err
    assert cl.score(key, tmp_path / f"out{suffix}", pair="file")["mentions"].recall == 1


def test_baselines_and_conditions_keep_pieces_and_heads() -> None:
    builder = Builder(Source(b"", ""), "test")
    builder.document("d")
    for word in ("the", "old", "and", "the", "new", "mayor"):
        builder.token(word, pos="NN")
    for pieces, head in ((((0, 1), (5, 5)), 5), (((0, 5),), 1), (((3, 5),), 5), (((3, 5),), 5)):
        builder.mention(pieces[0][0], pieces[-1][1], "a", parts=pieces, head=head)
    corpus = builder.build()
    for found in (condition(corpus, "gold-mentions"), resolve(corpus, "singletons")):
        assert [m.identity for m in found] == [((0, 1), (5, 5)), (0, 5), (3, 5)]
        assert found.head is not None
        assert found.head.tolist() == [5, 1, 5]
    assert list(resolve(corpus, "head-match").clusters().values()) == [[((0, 1), (5, 5)), (3, 5)], [(0, 5)]]
    with pytest.raises(cl.InputError, match="is discontinuous"):
        list(layers(corpus))


def test_missing_columns_and_broken_trees_have_a_line(run: Run, tmp_path: Path) -> None:
    lines = DOCUMENT.split("\n")
    short = [*lines[:4], " ".join([*lines[4].split()[:8], "(1|(0)"]), *lines[5:]]
    unclosed = [*lines[:5], lines[5].replace("*))", "*)"), *lines[6:]]
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    inner = [*lines[:4], lines[4].replace("(1|(0)", "(0)"), lines[5].replace(" 1)", "(1)"), *lines[6:]]
    response.write_text("\n".join(inner))  # "kitten", within the key's "her kitten"
    for text, line, message in (
        ("\n".join(short), 5, "9 columns, but other lines have 12 or more"),
        ("\n".join(unclosed), 2, "never ends"),
    ):
        key.write_text(text)
        for arguments in (
            ("task", "layers", key, tmp_path / "out"),
            ("task", "conditions", key, tmp_path / "out.conll", "--condition", "gold-boundaries"),
            ("resolve", key, tmp_path / "out.conll", "--system", "head-match"),
        ):
            ran = run(*arguments)
            assert ran.code == 3
            assert f"{key}:{line}: " in ran.err and message in ran.err
    ran = run("score", key, response, "--match", "head-word")
    assert ran.code == 3
    assert f"{key}:2: " in ran.err


def test_native_files_are_joined(tmp_path: Path, run: Run) -> None:
    """As the LDC distributes them, traces and all: every layer is in the columns, and what is not is counted."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, "utf-8")
    ran = run("task", "join", tmp_path, tmp_path / "out.conll")
    assert ran.code == 0 and "appositions (1)" in ran.err
    corpus = cl.read(tmp_path / "out.conll")
    native = cl.read(next(tmp_path.glob("*.coref")))
    for layer in ("pos", "parse", "names", "lemma", "frameset", "sense", "speaker", "arguments"):
        blank = {"*": ""} if layer == "names" else {}  # a name column has `*` where there is no name
        cells = [[blank.get(cell, cell) for cell in c.text.layers[layer]] for c in (corpus, native)]
        assert cells[0] == cells[1], layer
    assert run("task", "layers", tmp_path / "out.conll", tmp_path / "again").code == 0
    assert run("task", "join", tmp_path / "again", tmp_path / "back.conll").code == 0
    assert (tmp_path / "back.conll").read_text() == (tmp_path / "out.conll").read_text()


def test_what_layers_have_no_room_for(tmp_path: Path, run: Run) -> None:
    lines = DOCUMENT.replace("The    DT   (TOP(S(NP*   -   -", "The    DT   (TOP(S(NP*  the  -")
    lines = lines.replace("her  PRP$         (NP*   -   -   -   Ann", "her  PRP$         (NP*   -   -   -   Bob")
    (tmp_path / "x.conll").write_text(lines)
    ran = run("task", "layers", tmp_path / "x.conll", tmp_path / "out")
    assert "lemmas of words without a frameset or a sense (1)" in ran.err
    assert "further speakers of a sentence (1)" in ran.err
