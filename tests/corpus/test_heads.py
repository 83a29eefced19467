"""Trees from parse bits, heads by trees, dependencies, columns or position, types and categories of mentions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from coreflens.corpus.heads import FROM, categories, heads, mention_types
from coreflens.corpus.treebank import read_trees
from coreflens.corpus.trees import trees
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source
from places import DATA, ROOT

GUM = DATA / "gum"

#          0     1    2    3     4   5     6     7     8  9    10    11
WORDS = ["The", "old", "man", "'s", "dog", ",", "Rex", ",", "saw", "the", "NYC", "mayor"]
TAGS = ["DT", "JJ", "NN", "POS", "NN", ",", "NNP", ",", "VBD", "DT", "NNP", "NN"]
BITS = ["(TOP(S(NP(NP(NP*", "*", "*", "*)", "*)", "*", "(NP*)", "*)", "(VP*", "(NP*", "(NML*)", "*))))"]


def corpus(spans: list[tuple[int, int]], *, parse: bool = True, pos: bool = True, **layers: list[str]) -> cl.Corpus:
    builder = Builder(Source(b"", "a.conll"), "conll")
    builder.document("a")
    for i, (word, tag, bit) in enumerate(zip(WORDS, TAGS, BITS, strict=True)):
        columns = {"pos": tag} if pos else {}
        columns |= {"parse": bit} if parse else {}
        builder.token(word, i + 1, False, **columns, **{name: values[i] for name, values in layers.items()})
    for number, (start, end) in enumerate(spans):
        builder.mention(start, end, number, line=start + 1)
    return builder.build()


SPANS = [(0, 7), (0, 4), (0, 3), (1, 2), (6, 6), (8, 8), (8, 11), (9, 11), (10, 10)]


def test_constituents() -> None:
    parsed = trees(corpus([]))
    assert parsed is not None
    shown = {(s, e, parsed.labels[n]) for s, e, n in zip(parsed.start, parsed.end, parsed.label, strict=True)}
    assert shown == {
        *((0, 11, "TOP"), (0, 11, "S"), (0, 7, "NP"), (0, 4, "NP"), (0, 3, "NP"), (6, 6, "NP")),
        *((8, 11, "VP"), (9, 11, "NP"), (10, 10, "NML")),
    }
    labels = [parsed.labels[parsed.label[n]] for n in parsed.leaf]
    assert labels == ["NP", "NP", "NP", "NP", "NP", "NP", "NP", "NP", "VP", "NP", "NML", "NP"]
    parents = [(int(parsed.start[p]), int(parsed.end[p])) if p >= 0 else None for p in parsed.parent]
    assert parents == [None, (0, 11), (0, 11), (0, 7), (0, 4), (0, 7), (0, 11), (8, 11), (9, 11)]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1))
def test_constituents_are_those_of_a_stack(tokens: list[tuple[bool, int, int, bool]]) -> None:
    """Tokens without a bit, with brackets or only with a star, in sentences of any length."""
    builder = Builder(Source(b"", "a.conll"), "conll")
    builder.document("a")
    found: list[list[int]] = []  # start, end and parent of each constituent
    open_: list[int] = []
    leaf, starts = [], True
    for place, (there, opens, closes, ends) in enumerate(tokens):
        ends = ends or place == len(tokens) - 1
        there = there or ends
        for _ in range(opens if there else 0):
            found.append([place, -1, open_[-1] if open_ else -1])
            open_.append(len(found) - 1)
        leaf.append(open_[-1] if there and open_ else -1)
        closed = min(closes, len(open_)) if not ends else len(open_)
        for _ in range(closed if there else 0):
            found[open_.pop()][1] = place
        builder.token("w", place + 1, starts, parse=f"{'(NP' * opens}*{')' * closed}" if there else "")
        starts = ends
    parsed = trees(builder.build())
    assert parsed is not None and parsed.leaf.tolist() == leaf
    assert [list(x) for x in zip(parsed.start, parsed.end, parsed.parent, strict=True)] == found


def test_heads_from_trees() -> None:
    found = heads(corpus(SPANS))
    # "The old man 's" ends in POS, which to Collins would be its head; "old man" is no constituent
    heads_of = {span: WORDS[t] for span, t in zip(sorted(SPANS, key=lambda s: (s[0], -s[1])), found.token, strict=True)}
    assert heads_of == {
        (0, 7): "dog",
        (0, 4): "dog",
        (0, 3): "man",
        (1, 2): "man",
        (6, 6): "Rex",
        (8, 8): "saw",
        (8, 11): "saw",
        (9, 11): "mayor",
        (10, 10): "NYC",
    }
    assert {FROM[s] for s in found.source} == {"trees"}


@pytest.mark.parametrize(
    ("tree", "span", "head"),
    [
        ("(NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT the) (NN dog))))", (0, 4), "man"),
        ("(NP (NP (NNP Bell)) (CC and) (NP (NNP Ann)))", (0, 2), "Bell"),  # phrases in turn: the first
        ("(NP (NN bread) (CC and) (NN water))", (0, 2), "water"),  # words in turn: the last
        ("(NP (DT the) (NML (NNP New) (NNP York)) (NN mayor))", (0, 3), "mayor"),
        ("(NP (DT the) (NML (NNP New) (NNP York)) (NN mayor))", (1, 2), "York"),
        ("(NP (DT the) (NML (NNP York) (NN tea)))", (0, 2), "tea"),  # NML as NP
        ("(NP (NNP Ito) (POS 's))", (0, 1), "Ito"),
        ("(NP (NP (PRP$ my) (NN aunt) (POS 's)) (NN hat))", (0, 2), "aunt"),
        ("(NP (DT that) (POS 's))", (0, 1), "that"),
        ("(NP-SBJ (CD five) (NNS days))", (0, 1), "days"),
        ("(NP ($ $) (CD 5))", (0, 1), "$"),
        ("(NP (DT the) (JJ poor))", (0, 1), "poor"),
        ("(NP (PRP us) (DT all))", (0, 1), "all"),
        ("(NP (`` ``) (PRP us) ('' ''))", (0, 2), "us"),
        ("(VP (VBD ran) (NP (DT the) (NN race)))", (0, 2), "ran"),
        ("(S (NP (NNS cats)) (VP (VBP sleep)))", (0, 1), "sleep"),
        # no constituents: the head of what is around them is outside, and they are read as NPs
        ("(VP (VBD took) (NP (DT the) (NN road)) (PP (IN to) (NP (NNP Rome))))", (1, 4), "road"),
        ("(VP (VBD saw) (NP (DT the) (NN end)) (. .))", (1, 3), "end"),
        ("(NP (DT the) (JJ old) (NN city) (NN wall))", (0, 2), "city"),
        ("(XX (YY a) (YY b))", (0, 1), "a"),  # a label without rules
    ],
)
def test_heads_by_rule(tree: str, span: tuple[int, int], head: str) -> None:
    (leaves,) = read_trees(tree)
    builder = Builder(Source(b"", "a.conll"), "conll")
    builder.document("a")
    for leaf in leaves:
        builder.token(leaf.word, 1, False, pos=leaf.tag, parse=leaf.bit)
    builder.mention(*span, 0, line=1)
    found = heads(builder.build())
    assert (leaves[int(found.token[0])].word, FROM[found.source[0]]) == (head, "trees")


@pytest.mark.skipif(not GUM.is_dir(), reason="../shared/data is not there")
def test_dependencies_and_trees_agree_on_real_texts() -> None:
    """GUM has both of the same texts; docs/conll-2011.md quotes the figure."""
    same = several = 0
    within = spans = 0
    for file in sorted((GUM / "dep").glob("*.conllu")):
        corpus = replace(cl.read(file), head=None)
        leaves = [
            leaf for sentence in read_trees((GUM / "const" / f"{file.stem}.ptb").read_text()) for leaf in sentence
        ]
        text = corpus.text
        empty = np.zeros(len(text.words), dtype=bool) if text.empty is None else text.empty
        assert len(leaves) == (~empty).sum()
        columns = iter(leaves)
        bits = [("*", "") if nothing else next((leaf.bit, leaf.tag) for leaf in columns) for nothing in empty.tolist()]
        layers = {"parse": [bit for bit, _ in bits], "pos": [tag for _, tag in bits]}
        by_tree = heads(replace(corpus, texts=replace(text, layers=layers)))
        by_dependency = heads(corpus)
        both = (corpus.end > corpus.start) & (by_tree.source == 1) & (by_dependency.source == 2)
        several += int(both.sum())
        same += int((both & (by_tree.token == by_dependency.token)).sum())
        for row in np.flatnonzero(corpus.end > corpus.start).tolist():
            words = {int(corpus.start[row]) + int(n) - 1 for n in corpus.attributes["minspan"][row].split(",")}
            spans, within = spans + 1, within + (int(by_dependency.token[row]) in words)
    assert (same, several, within, spans) == (1003, 1081, 1059, 1084)
    page = (ROOT / "docs" / "conll-2011.md").read_text("utf-8")
    assert f"Of the {several:,} mentions with more than one word, {same:,} (" in page
    assert f"Of {spans:,} mentions of more than one word, {within:,} have" in page


def test_heads_from_a_column_win() -> None:
    spans = corpus([(9, 11), (0, 4)])
    given = replace(spans, head=np.array([-1, 10]))
    assert heads(given).token.tolist() == [4, 10]
    assert [FROM[s] for s in heads(given).source] == ["trees", "head column"]


def test_heads_from_dependencies() -> None:
    #        The old man 's dog , Rex , saw the NYC mayor; counted from 1
    head = ["3", "3", "5", "3", "9", "7", "5", "7", "0", "12", "12", "9"]
    found = heads(corpus([(0, 7), (0, 3), (9, 11), (5, 6)], parse=False, head=head))
    assert [WORDS[t] for t in found.token] == ["dog", "man", "Rex", "mayor"]
    assert {FROM[s] for s in found.source} == {"dependencies"}


def test_a_circle_of_dependencies_is_no_evidence() -> None:
    head = ["2", "1", *["0"] * 10]
    found = heads(corpus([(0, 1)], parse=False, head=head))
    assert (found.token.tolist(), FROM[found.source[0]]) == ([1], "last token")


def test_without_evidence_the_last_word() -> None:
    found = heads(corpus([(0, 4), (9, 11)], parse=False))
    assert (found.token.tolist(), {FROM[s] for s in found.source}) == ([4, 11], {"last token"})


def test_types_and_categories() -> None:
    spans = [(0, 7), (6, 6), (8, 8), (9, 11), (1, 2)]
    c = corpus(spans)
    order = [(m.start, m.end) for m in c]
    assert dict(zip(order, mention_types(c), strict=True)) == {
        (0, 7): "nominal",
        (6, 6): "name",
        (8, 8): "verb",
        (9, 11): "nominal",
        (1, 2): "nominal",
    }
    assert dict(zip(order, categories(c), strict=True)) == {
        (0, 7): "NP",
        (6, 6): "NP",  # one word that is a noun phrase
        (8, 8): "VBD",
        (9, 11): "NP",
        (1, 2): "no constituent",
    }
    assert mention_types(corpus(spans, pos=False)) == [""] * 5


@pytest.mark.parametrize(
    ("tags", "kinds"),
    [
        ("NNP NNPS NN NNS PRP PRP$ WP$ VBD MD CD JJ", "nn aa ppp vv oo"),  # Penn
        ("PROPN NOUN PRON DET VERB AUX NUM ADJ", "n a pp vv oo"),  # universal
        ("NR NN NT PN VV VC CD", "n aa p vv o"),  # Chinese
        ("NE NN PPER PPOSAT PDS PRELS VVFIN ADJA", "n a pppp v o"),  # German
        ("NOUN_PROP NOUN+CASE PRON_3MS VERB_PERFECT PREP", "n a p v o"),  # Arabic
        ("N(eigen,ev) SPEC[deeleigen] N[soort,mv] VNW[pers] WW[inf] LID[bep]", "nn a p v o"),  # Dutch
        ("np00000 ncms000 pp3ms000 dp3cs0 vmip3s0 aq0cs0", "n a pp v o"),  # Spanish, Catalan
        ("XY XY XY", "---"),  # of which nobody knows anything
    ],
)
def test_types_by_tag(tags: str, kinds: str) -> None:
    builder = Builder(Source(b"", "a.conll"), "conll")
    builder.document("a")
    for i, tag in enumerate(tags.split()):
        builder.token("w", 1, False, pos=tag)
        builder.mention(i, i, i, line=1)
    names = {"n": "name", "a": "nominal", "p": "pronoun", "v": "verb", "o": "other", "-": ""}
    assert mention_types(builder.build()) == [names[kind] for kind in kinds.replace(" ", "")]


@pytest.mark.parametrize(
    ("bits", "line", "message"),
    [
        ("(TOP(S(NP(NP(NP* * * *) *) * (NP*) *) (VP* (NP* (NML*) *)))", 1, "never ends"),
        ("(TOP* * * * * * * * * * * *))", 12, "closed more often"),
        ("(TOP* * (NP * * * * * * * * *)", 3, "not a bit of a tree"),
    ],
)
def test_malformed_trees(bits: str, line: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_heads.BITS", bits.split())
    with pytest.raises(cl.InputError, match=message) as error:
        heads(corpus([(0, 1)]))
    assert (error.value.file, error.value.line) == ("a.conll", line)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        "berkeley_ontonotes_sample/gold/**/*gold_conll",
        "litbank/conll/*",
        "model_based_coref/output/lee/*",
        "semeval2010_systems/**/*.txt",
        "openboek/coref/*",
    ],
)
def test_excerpts_tell_the_same_as_the_whole_text(pattern: str) -> None:
    if not DATA.is_dir():
        pytest.skip("../shared/data is not there")
    files = sorted(DATA.glob(pattern))
    assert files
    for file in files:
        given = cl.read(file)
        whole, rows = heads(given), np.arange(len(given))[::3]
        some = heads(given, rows)
        assert np.array_equal(some.token, whole.token[rows])
        assert np.array_equal(some.source, whole.source[rows])


def test_excerpts_of_several_files(tmp_path: Path) -> None:
    """Files read together, with comments among the tokens and a mention over the end of a sentence."""
    for name in "ab":
        lines = [
            f"x/{name} 0 {i} {word} {tag} {bit} - - - - * {cell}"
            for i, (word, tag, bit, cell) in enumerate(
                zip(WORDS, TAGS, BITS, ["(1", "-", "-", "-", "1)", *["-"] * 4, "(2", "-", "2)|(3"], strict=True)
            )
        ]
        lines[5:5] = ["# a comment"]
        rest = f"x/{name} 0 0 He PRP (TOP(NP*)) - - - - * 3)"
        text = "\n".join([f"#begin document (x/{name}); part 000", *lines, "", rest, "", "#end document", ""])
        (tmp_path / f"{name}.conll").write_text(text)
    given = cl.read(tmp_path)
    rows = np.array([4, 0, 5, 2, 3])
    whole, some = heads(given), heads(given, rows)
    assert some.token.tolist() == whole.token[rows].tolist() == [11, 4, 12, 12, 4]
    assert [FROM[s] for s in some.source] == ["trees", "trees", "last token", "last token", "trees"]
