"""The head word of a mention, and what kind of mention it is.

Heads come from the best evidence that the source has: its own head column, constituent trees, dependencies, or else the
last word. Constituents get their head by the rules of Collins (1999, appendix A), without his treatment of
coordination. The head of "the man 's" is the man and not its ending. NML counts as NP, and function tags are ignored. A
span that is not a constituent has the head of the lowest constituent around it, if this head is inside the span.
Otherwise it is treated as an NP of the constituents inside it. In a dependency tree the head is the word nearest to the
root.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..integers import repeat
from .model import Corpus, Document, IntArray, Text
from .trees import Trees, trees

TYPES = ("name", "nominal", "pronoun", "verb", "other")


def _in_turn(end: str, tags: str) -> tuple[tuple[str, str], ...]:
    return tuple((end, tag) for tag in tags.split())


_NOUN = "NN NNP NNPS NNS NX JJR"
# Label → alternatives in order of preference, each with the end where the search starts; else the child at that end.
_RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "NP": (("right", _NOUN), ("left", "NP"), ("right", "$ ADJP PRN"), ("right", "CD"), ("right", "JJ JJS RB QP")),
    "ADJP": _in_turn("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": _in_turn("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": _in_turn("right", "CC RB IN"),
    "FRAG": (("right", ""),),
    "LST": (("right", "LS"), ("right", ":")),
    "NAC": _in_turn("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": _in_turn("right", "IN TO VBG VBN RP FW"),
    "PRT": (("right", "RP"),),
    "QP": _in_turn("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": _in_turn("right", "VP NP ADVP ADJP PP"),
    "S": _in_turn("left", "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": _in_turn("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": _in_turn("left", "SQ S SINV SBARQ FRAG"),
    "SINV": _in_turn("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": _in_turn("left", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (("right", ""),),
    "VP": _in_turn("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": _in_turn("left", "CC WRB JJ ADJP"),
    "WHADVP": _in_turn("right", "CC WRB"),
    "WHNP": _in_turn("left", "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": _in_turn("right", "IN TO FW"),
}
_ALIASES = {"NML": "NP", "NX": "NP", "TOP": "S", "ROOT": "S"}
_PUNCTUATION = frozenset(("``", "''", ",", ".", ":", "-LRB-", "-RRB-", "HYPH", "PUNCT", "SYM"))
_LAST = _PUNCTUATION | {"POS"}  # heads only if there is nothing else
_WORST = 99


class Heads(NamedTuple):
    """The head of each mention, a token of its document (−1: unknown), and the evidence: `FROM[source]`."""

    token: IntArray
    source: IntArray


FROM = ("head column", "trees", "dependencies", "last token")
GUESS = len(FROM) - 1
EVIDENCE = "head from"  # an attribute


def heads(corpus: Corpus, rows: IntArray | None = None) -> Heads:
    """The heads of all mentions, or of some. A source that counts characters has no words, so no heads."""
    if rows is not None:
        return _heads_of_some(corpus, rows)
    if EVIDENCE in corpus.attributes and corpus.head is not None:
        return Heads(corpus.head, np.array([FROM.index(x) for x in corpus.attributes[EVIDENCE]], dtype=np.int64))
    if corpus.unit == "character" or corpus.names is not None:
        given = np.full(len(corpus), -1, dtype=np.int64) if corpus.head is None else corpus.head
        return Heads(given, np.where(given >= 0, 0, GUESS))
    token, source = _from_text(corpus)
    if corpus.head is not None:
        known = corpus.head >= 0
        token, source = np.where(known, corpus.head, token), np.where(known, 0, source)
    return Heads(token, source)


def _heads_of_some(corpus: Corpus, rows: IntArray) -> Heads:
    """The heads of some mentions. Where only the text around them can be read, the rest is left alone."""
    evidence = {name: values for name, values in corpus.attributes.items() if name == EVIDENCE}
    some = replace(corpus, attributes=evidence, relations=()).take(rows)
    around = None if isinstance(corpus.texts, Text) else getattr(corpus.texts, "around", None)
    has_lines = some.line is not None and bool(some.line.all())
    if evidence or around is None or not has_lines or corpus.names is not None:
        return heads(some)
    try:
        return _in_excerpts(some, *around(rows, some.line))
    except InputError:  # the whole text gives a better message, with the line
        return heads(some)


def _from_text(corpus: Corpus) -> tuple[IntArray, IntArray]:
    """Heads from trees, else from dependencies, else the last token; with the evidence of each."""
    last, guess = corpus.end.copy(), np.full(len(corpus), GUESS, dtype=np.int64)
    if not corpus.has_text:
        return last, guess
    text = corpus.text
    offset = text.first[corpus.doc]
    start, end = corpus.start + offset, corpus.end + offset
    parsed = trees(corpus)
    if parsed is not None:
        head, evidence = _from_trees(parsed, text, start, end), 1
    elif any(text.layers.get("head", ())):
        head, evidence = _from_dependencies(text, start, end), 2
    else:
        return last, guess
    return np.where(head >= 0, head - offset, last), np.where(head >= 0, evidence, guess)


def _in_excerpts(corpus: Corpus, text: Text, doc: IntArray, token: IntArray) -> Heads:
    """Heads from only the text around the mentions. `doc` and `token` are the places of their first tokens there."""
    shift = corpus.start - token
    size = np.diff(text.first)[doc]
    end = np.minimum(corpus.end - shift, size - 1)
    head = None if corpus.head is None else np.where(corpus.head >= 0, corpus.head - shift, -1)
    documents = [Document("", tokens=n) for n in np.diff(text.first).tolist()]
    found = heads(replace(corpus, documents=documents, doc=doc, start=token, end=end, head=head, texts=text))
    beyond = (corpus.end - shift >= size) & (found.source > 0)  # over the end of a sentence: in no tree
    return Heads(np.where(beyond, corpus.end, found.token + shift), np.where(beyond, GUESS, found.source))


def with_heads(corpus: Corpus) -> Corpus:
    """The corpus with a head for each mention and the evidence for it, to be kept when its spans are counted again."""
    if corpus.head is not None and (corpus.head >= 0).all():
        return corpus
    found = heads(corpus)
    evidence = [FROM[source] for source in found.source.tolist()]
    return replace(corpus, head=found.token, attributes={**corpus.attributes, EVIDENCE: evidence})


def _from_trees(parsed: Trees, text: Text, start: IntArray, end: IntArray) -> IntArray:
    """The head token of each span, −1 if no tree gives it."""
    of = constituent_heads(parsed, text)
    found = np.where(start == end, np.where(parsed.leaf[start] >= 0, start, -1), -1)
    node = parsed.spanning(start, end)
    found = np.where((node >= 0) & (found < 0), of[node] if len(of) else -1, found)
    for i in np.flatnonzero((found < 0) & (parsed.leaf[np.minimum(start, len(parsed.leaf) - 1)] >= 0)).tolist():
        around = parsed.covering(int(start[i]), int(end[i]))
        if around >= 0:
            head = int(of[around])
            found[i] = head if start[i] <= head <= end[i] else _of_pieces(parsed, text, of, int(start[i]), int(end[i]))
    return found


def _of_pieces(parsed: Trees, text: Text, of: IntArray, start: int, end: int) -> int:
    """The head of a span that is not a constituent: that of an NP of the largest constituents and words inside it."""
    tags = text.layers.get("pos") or [""] * len(text.words)
    labels, tokens = ["NP"], [-1]
    while start <= end:
        node, above = -1, int(parsed.leaf[start])
        while above >= 0 and parsed.start[above] == start and parsed.end[above] <= end:
            node, above = above, int(parsed.parent[above])
        labels.append(parsed.labels[parsed.label[node]] if node >= 0 else tags[start])
        tokens.append(int(of[node]) if node >= 0 else start)
        start = int(parsed.end[node]) + 1 if node >= 0 else start + 1
    known = tuple(dict.fromkeys(labels))
    rank, sign = _preferences(known)
    choices = ((int(rank[0, c]), int(sign[0, c]) * t, t) for c, t in zip(map(known.index, labels), tokens, strict=True))
    return min(choice for choice in choices if choice[2] >= 0)[2]


def constituent_heads(parsed: Trees, text: Text) -> IntArray:
    """The head token of every constituent.

    Which child is the head depends only on labels, so all choices are made at once. Heads are then passed up the tree.
    """
    n, words = len(parsed), np.flatnonzero(parsed.leaf >= 0)
    tags = text.layers.get("pos") or [""] * len(text.words)
    known = {label: i for i, label in enumerate(parsed.labels)}
    for tag in dict.fromkeys(tags):
        known.setdefault(tag, len(known))
    number = np.fromiter(map(known.__getitem__, tags), np.int64, len(tags))
    inner = np.flatnonzero(parsed.parent >= 0)
    parent = np.concatenate((parsed.parent[inner], parsed.leaf[words]))
    label = np.concatenate((parsed.label[inner], number[words]))
    place = np.concatenate((parsed.start[inner], words))
    child = np.concatenate((inner, words + n))  # n and more: words
    rank, sign = _preferences(tuple(known))
    around = parsed.label[parent]
    width = len(parsed.leaf)
    score = rank[around, label] * (2 * width) + sign[around, label] * place  # different for the children of a parent
    best = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(best, parent, score)
    chosen = score == best[parent]
    head = np.full(n, -1, dtype=np.int64)
    head[parent[chosen]] = child[chosen]
    while len(open_ := np.flatnonzero((head >= 0) & (head < n))):
        head[open_] = head[head[open_]]
    return np.where(head >= 0, head - n, -1)


@lru_cache(maxsize=8)
def _preferences(labels: tuple[str, ...]) -> tuple[IntArray, IntArray]:
    """For each label of a constituent and of its child: how good a head the child is (0 best), and from which end."""
    rank = np.full((len(labels), len(labels)), _WORST, dtype=np.int64)
    sign = np.ones((len(labels), len(labels)), dtype=np.int64)
    plain = [_ALIASES.get(label, label) for label in labels]
    for p, parent in enumerate(plain):
        rules = _RULES.get(parent, ())
        sign[p] = -1 if rules and rules[-1][0] == "right" else 1
        for c, child in enumerate(plain):
            for place, (end, tags) in enumerate(rules):
                if child in tags.split() or labels[c] in tags.split():
                    rank[p, c], sign[p, c] = place, -1 if end == "right" else 1
                    break
            else:
                rank[p, c] += labels[c] in _LAST
    return rank, sign


def _from_dependencies(text: Text, start: IntArray, end: IntArray) -> IntArray:
    """The token of each span that is nearest to the root, the first of several."""
    depth = _depths(text)
    size = end - start + 1
    stop = np.cumsum(size)
    token = repeat(start - stop + size, size) + np.arange(stop[-1] if len(stop) else 0)
    span = repeat(np.arange(len(start)), size)
    order = np.lexsort((token, depth[token], span))
    first = order[np.append(True, span[order][1:] != span[order][:-1])] if len(order) else order
    return np.where(depth[token[first]] < _FAR, token[first], -1)


_FAR = 1 << 30


def syntactic_heads(text: Text) -> IntArray:
    """The token on which each token depends; −1 for roots, and if the named token does not exist."""
    return _numbered_heads(text)[1]


def _numbered_heads(text: Text) -> tuple[IntArray, IntArray]:
    """The number in the head column (−1: none), and the token of the corpus that it stands for (−1: none)."""
    sentence = np.searchsorted(text.sentences, np.arange(len(text.words)), side="right") - 1
    ids = text.layers.get("id")
    first = text.sentences[sentence]
    number = np.array([int(h) if h.isdecimal() else -1 for h in text.layers["head"]], dtype=np.int64)
    if ids is not None:  # empty nodes and such shift the places of the words
        here = {(s, i): t for t, (s, i) in enumerate(zip(sentence.tolist(), ids, strict=True))}
        head = np.array([here.get((s, str(h)), -1) for s, h in zip(sentence.tolist(), number.tolist(), strict=True)])
    else:
        stops = np.append(text.sentences, len(text.words))[sentence + 1]
        head = np.where((number > 0) & (first + number - 1 < stops), first + number - 1, -1)
    return number, head


def _depths(text: Text) -> IntArray:
    """Steps from each token to the root of its sentence; a large number if there is no tree, or a circle."""
    number, head = _numbered_heads(text)
    depth = np.where(number == 0, 0, _FAR)
    for _ in range(len(number)):
        reached = (depth == _FAR) & (head >= 0)
        step = np.where(reached, depth[head] + 1, depth)
        step = np.minimum(step, _FAR)
        if (step == depth).all():
            break
        depth = step
    return depth


# Beginnings of tags, longer ones first: universal ones, and those of Penn for English, Chinese and Arabic, STTS for
# German, CGN for Dutch, EAGLES for Spanish and Catalan.
_TAGS = {
    "name": "PROPN NNP NOUN_PROP NR NE N(eigen N[eigen SPEC np",
    "nominal": "NOUN NN NML NT N( N[ nc",
    "pronoun": "PRON PRP WP WDT EX DET DT PDT PN PPER PPOS PRF PDS PDAT PIS PIAT PREL PWS PWAT VNW p d",
    "verb": "VERB AUX VB MD VV VA VC VE VM WW v",
}
_BEGINNINGS = sorted(((tag, kind) for kind, tags in _TAGS.items() for tag in tags.split()), key=lambda x: -len(x[0]))


@lru_cache(maxsize=1024)
def _kind(tag: str) -> str:
    return next((kind for beginning, kind in _BEGINNINGS if tag.startswith(beginning)), "other")


def mention_types(corpus: Corpus, head: IntArray | None = None) -> list[str]:
    """One of `TYPES` for each mention, by the tag of its head; "" if there are no tags, or only unknown ones.

    `head`: the tokens that `heads` found, if they are known.
    """
    layers = corpus.text.layers if corpus.has_text and corpus.unit == "token" and corpus.names is None else {}
    tags = layers.get("upos") if any(layers.get("upos", ())) else layers.get("pos")
    tags = list(tags or ())
    kinds = {tag: _kind(tag) for tag in set(tags)}
    if set(kinds.values()) <= {"other"}:
        return [""] * len(corpus)
    token = (heads(corpus).token if head is None else head) + corpus.text.first[corpus.doc]
    kinds[""] = ""
    return [kinds[tags[t]] for t in token.tolist()]


def categories(corpus: Corpus) -> list[str]:
    """The syntactic category of each mention: its constituent's label, a single word's tag, else "no constituent".

    A single word that is a noun phrase counts as one, unless it is a pronoun, as in Pradhan et al. (2011, Table 3).
    Without trees the category is the tag of the head.
    """
    if not corpus.has_text or corpus.unit != "token" or corpus.names is not None:
        return [""] * len(corpus)
    text = corpus.text
    tags = text.layers.get("pos") or text.layers.get("upos")
    offset = text.first[corpus.doc]
    start, end = corpus.start + offset, corpus.end + offset
    parsed = trees(corpus)
    if parsed is None:
        token = heads(corpus).token + offset
        return [tags[t] for t in token.tolist()] if tags else [""] * len(corpus)
    node = parsed.spanning(start, end)
    labels = [parsed.labels[label] for label in parsed.label[node].tolist()] if len(parsed) else []
    found = []
    for i, (n, first, last) in enumerate(zip(node.tolist(), start.tolist(), end.tolist(), strict=True)):
        constituent = labels[i] if n >= 0 else "no constituent"
        if tags and first == last:
            found.append(_category_of_word(tags[first], constituent))
        else:
            found.append(constituent)
    return found


def _category_of_word(tag: str, constituent: str) -> str:
    """The tag, unless the word is a noun phrase of its own."""
    is_noun_phrase = constituent == "NP" and _kind(tag) != "pronoun"
    return constituent if is_noun_phrase else tag
