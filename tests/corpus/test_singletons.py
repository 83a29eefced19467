"""Singletons by the heuristic of SemEval-2010, counted by hand; nothing else of a corpus changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from coreflens.corpus.singletons import with_singletons
from places import DATA

# (S (NP (NP Ann) , (NP a friend) ,) (VP likes (NP (NP Bo 's) dog) , (NP the (NP steel) industry) and (NP her cat)) .)
SENTENCE = """\
Ann NNP (TOP(S(NP(NP*) (0
, , * -
a DT (NP* -
friend NN *) -
, , *) 0)
likes VBZ (VP* -
Bo NNP (NP(NP* -
's POS *) -
dog NN *) -
, , * -
the DT (NP* -
steel NN (NP*) -
industry NN *) -
and CC * -
her PRP$ (NP* (0)
cat NN *)) -
. . *)) -
"""


def document() -> str:
    rows = [line.split() for line in SENTENCE.splitlines()]
    lines = (f"nw/a\t0\t{i}\t{w}\t{t}\t{b}\t-\t-\t-\t-\t*\t{c}\n" for i, (w, t, b, c) in enumerate(rows))
    return f"#begin document (nw/a); part 000\n{''.join(lines)}\n#end document\n"


def test_what_is_added_and_what_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text(document())
    before, after = cl.read(path), with_singletons(cl.read(path))
    added = {after.words(row) for row, m in enumerate(after) if m.entity != "0"}
    # not: "a friend", an appositive; "steel", which modifies a noun; "her" and the first phrase, which are mentions
    assert added == {"Ann", "Bo 's", "Bo 's dog", "the steel industry", "her cat"}
    assert [m.identity for m in after if m.entity == "0"] == [m.identity for m in before]
    assert len({m.entity for m in after}) == len(added) + 1
    assert [(issue.code, issue.count) for issue in after.issues] == [("singletons-added", 5)]
    assert len(with_singletons(after)) == len(after)


def test_the_command_writes_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(document())
    ran = run("convert", tmp_path / "a.conll", tmp_path / "b.conll", "--add-singletons")
    assert (ran.code, "5 singletons added" in ran.err) == (0, True)
    assert len(cl.read(tmp_path / "b.conll")) == 7
    assert cl.score(tmp_path / "a.conll", tmp_path / "b.conll", singletons="drop").conll == 1


def test_without_trees_there_is_nothing_to_add(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)", "(1)"))
    ran = run("convert", tmp_path / "a.conll", tmp_path / "b.conll", "--add-singletons")
    assert (ran.code, "no trees and tags" in ran.err) == (3, True)
    assert not (tmp_path / "b.conll").exists()


def test_real_chains_stay_as_they_are() -> None:
    path = DATA / "berkeley_ontonotes_sample" / "gold" / "nw" / "wsj" / "00" / "wsj_0037.v2_gold_conll"
    if not path.exists():
        pytest.skip(f"no third-party data: {path}")
    before, after = cl.read(path), with_singletons(cl.read(path))
    chains = {label: members for label, members in after.clusters().items() if label in before.clusters()}
    assert chains == before.clusters()
    assert all(len(members) == 1 for label, members in after.clusters().items() if label not in chains)
    assert len(after) > 2 * len(before)
