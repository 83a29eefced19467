"""A database of ours in which every layer has something, and whether two corpora are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from coreflens.corpus.model import Corpus

# document, part, number, word, pos, parse, lemma, frameset, sense, speaker, names, arguments of two predicates, coref
_TOKENS = """
Ann      NNP  (TOP(S(NP*    -     -   -   ann  (PERSON*  (ARG0*  *       (1
Bell     NNP  *)            -     -   -   ann  *)        *)      *       1)
saw      VBD  (VP*          see   01  1   ann  *         (V*)    *       -
the      DT   (NP*          -     -   -   ann  *         (ARG1*  *       (2
report   NN   *             report - 2  ann  *         *       *       -
of       IN   (PP*          -     -   -   ann  *         *       *       -
Acme     NNP  (NP*)))       -     -   -   ann  (ORG)     *)      *       (3)|2)
.        .    *)))          -     -   -   ann  *         *       *       -

I        PRP  (TOP(S(NP*)   -     -   -   bob  *         (ARG0*) -       (4)
said     VBD  (VP*          say   02  1   bob  *         (V*)    -       -
the      DT   (SBAR(S(NP*   -     -   -   bob  *         (ARG1*  -       (2
report   NN   *)            report -  2   bob  *         *       -       2)
helped   VBD  (VP*          help  -   -   bob  *         *       -       (5)
her      PRP  (NP*))))      -     -   -   bob  *         *)      -       (1)
.        .    *)))          -     -   -   bob  *         *       -       -

That     DT   (TOP(S(NP*)   -     -   -   bob  *         (ARG0*) *       (5)
cheered  VBD  (VP*          cheer 01  -   bob  *         (V*)    *       -
me       PRP  (NP*))        -     -   -   bob  *         (ARG1*) *       (4)
.        .    *))           -     -   -   bob  *         *       *       -
"""


def key(name: str = "nw/a/00/a_0001", part: int = 0) -> str:
    """A document in the columns of CoNLL-2012, with trees, names, senses, predicates and speakers."""
    return _document(name, part, lambda cells: cells[-1])


def response(name: str = "nw/a/00/a_0001", part: int = 0) -> str:
    """What a system made of it: one mention lost, one entity conflated, one spurious mention."""
    wrong = {"That": "-", "me": "(1)", "of": "(2)"}

    def cell(cells: list[str]) -> str:
        return wrong.get(cells[0], cells[-1])

    return _document(name, part, cell)


def _document(name: str, part: int, coreference: Any) -> str:
    lines = [f"#begin document ({name}); part {part:03}"]
    for sentence in _TOKENS.strip("\n").split("\n\n"):
        for number, line in enumerate(sentence.splitlines()):
            cells = line.split()
            lines.append("   ".join([name, str(part), str(number), *cells[:-1], coreference(cells)]))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def identical(a: Corpus, b: Corpus) -> None:
    """That two corpora are the same in everything but where they came from."""
    assert list(a.documents) == list(b.documents)
    for name in ("doc", "start", "end"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert [a.labels[e] for e in a.entity] == [b.labels[e] for e in b.entity]
    numbers = [np.unique(c.entity, return_inverse=True)[1].tolist() for c in (a, b)]
    assert numbers[0] == numbers[1]  # and in the same order
    assert (a.format, a.unit, a.issues) == (b.format, b.unit, b.issues)
    assert (a.names is None) == (b.names is None) and list(a.names or ()) == list(b.names or ())
    for name in ("line", "head"):
        _same(getattr(a, name), getattr(b, name), name)
    assert dict(a.parts) == dict(b.parts)
    assert [(k, list(v)) for k, v in a.attributes.items()] == [(k, list(v)) for k, v in b.attributes.items()]
    assert _relations(a) == _relations(b)
    assert a.has_text == b.has_text
    if a.has_text:
        ours, theirs = a.text, b.text
        assert list(ours.words) == list(theirs.words)
        for name in ("first", "sentences", "empty", "line", "number"):
            _same(getattr(ours, name), getattr(theirs, name), name)
        assert (ours.raw is None) == (theirs.raw is None) and list(ours.raw or ()) == list(theirs.raw or ())
        assert set(ours.layers) == set(theirs.layers)
        for name in ours.layers:
            assert list(ours.layers[name]) == list(theirs.layers[name]), name


def _same(a: Any, b: Any, what: str) -> None:
    assert (a is None) == (b is None), what
    assert a is None or np.array_equal(a, b), what


def _relations(corpus: Corpus) -> list[tuple[Any, ...]]:
    def label(entity: int) -> Any:
        return corpus.labels[entity] if entity >= 0 else None

    return [(r.kind, label(r.source), label(r.target), r.mention, r.anchor, r.label) for r in corpus.relations]


def files(folder: Path) -> tuple[Path, Path]:
    """Key and response of three documents, two of them parts of one."""
    names = (("nw/a/00/a_0001", 0), ("nw/a/00/a_0001", 1), ("bc/b/00/b_0002", 0))
    paths = folder / "key.conll", folder / "response.conll"
    for path, make in zip(paths, (key, response), strict=True):
        path.write_text("".join(make(*name) for name in names), "utf-8")
    return paths
