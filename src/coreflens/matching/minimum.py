"""Minimum spans: the essential words of a mention, from trees (`mina`) or from annotators (`min`).

MINA (Moosavi et al. 2019) cuts the tree of the key to the words of a mention, also for the response's mentions.
Brackets that open outside are dropped, brackets left open are closed, and several roots are put under one NP. Words
without a bracket between them are one leaf. A leaf is good if one of its words has a letter or a digit or is `%`, is
not a bracket, and is not tagged CC, DT or IN. The minimum span is the first of the following that exists:

    the root if it is a good leaf; the good leaves directly below it; for each phrase below it that is followed, the
    good leaves of the highest level that has any; those of the highest level below the root; the whole mention.

Below a VP, VPs are followed; elsewhere NP, NM, QP and NX are. Two mentions are the same if their leaves have the same
words.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..errors import PLACES, Issue, counted
from .mentions import Side
from .optimal import Bools
from .places import Ground

NOMINAL, VERBAL = ("NP", "NM", "QP", "NX"), ("VP",)
_BIT = re.compile(r"\(([^()*\s]*)|(\*)|(\))")
_APART = {"CC", "DT", "IN"}
Sides: TypeAlias = tuple[Side, Side]
Leaves: TypeAlias = frozenset[tuple[int, ...]]
Good: TypeAlias = Callable[[Sequence[int]], bool]


@dataclass(slots=True)
class Node:
    """A constituent of a tree that was cut out, or a leaf: words without a bracket between them."""

    label: str
    words: tuple[int, ...] = ()
    children: list[Node] = field(default_factory=list)

    @property
    def tag(self) -> str:
        return self.label[:2]


@dataclass(frozen=True, eq=False)
class Parsed:
    """The key's words, tags and bits of trees, and what is cut from them."""

    corpus: Corpus
    ground: Ground

    @classmethod
    def of(cls, key: Side, ground: Ground) -> Parsed | None:
        """None if the key has no trees."""
        corpus = key.source
        if key.names is not None or corpus is None or not corpus.has_text or ground.characters:
            return None
        bits = corpus.text.layers.get("parse")
        return cls(corpus, ground) if bits is not None and any(bits) else None

    def spans(self, side: Side) -> tuple[list[tuple[int, int, int]], IntArray]:
        """Document, first and last word of every span, each span once; and which of these spans each mention has."""
        room = self.ground.room[side.row]
        columns = np.stack((side.row, side.start // room, side.end // room), axis=1)
        distinct, which = np.unique(columns, axis=0, return_inverse=True)
        return [(int(d), int(a), int(b)) for d, a, b in distinct], which.reshape(-1)

    def tree(self, document: int, start: int, end: int) -> Node | None:
        """The tree of some words of a document; None where it has none."""
        text = self.corpus.text
        if document >= len(self.corpus.documents):
            return None
        first = int(text.first[document])
        bits = text.layers["parse"][first + start : min(first + end + 1, int(text.first[document + 1]))]
        return cut(bits, start) if any(bits) else None

    def minimum(self, document: int, start: int, end: int) -> Leaves:
        """The leaves of the minimum span."""
        root = self.tree(document, start, end)
        text = self.corpus.text
        tags = text.layers.get("pos")
        first = int(text.first[document]) if root else 0

        def good(words: Sequence[int]) -> bool:
            return any(_good(text.words[first + w], tags[first + w] if tags is not None else "") for w in words)

        found = _minimum(root, good) if root else []
        return frozenset(found) or frozenset((w,) for w in range(start, end + 1))


def cut(bits: Sequence[str], start: int) -> Node:
    """The tree of bits such as `(NP*`, `*`, `*)`, whose first word has this number."""
    roots: list[Node] = []
    stack: list[Node] = []
    words: list[int] = []

    def leaf() -> None:
        if words:
            (stack[-1].children if stack else roots).append(Node("", tuple(words)))
            words.clear()

    for word, bit in enumerate(bits, start=start):
        for opened, star, closed in _BIT.findall(bit or "*"):
            if star:
                words.append(word)
            elif closed:
                leaf()
                if stack:
                    stack.pop()
            else:
                leaf()
                node = Node(opened)
                (stack[-1].children if stack else roots).append(node)
                stack.append(node)
    leaf()
    return roots[0] if len(roots) == 1 else Node("NP", (), roots)


def _good(word: str, tag: str) -> bool:
    written = any(c.isalpha() or c.isdigit() for c in word) or word == "%"
    return written and word not in ("-LRB-", "-RRB-") and tag not in _APART


def _minimum(root: Node, good: Good) -> list[tuple[int, ...]]:
    if root.words:
        return [root.words] if good(root.words) else []
    direct = [child.words for child in root.children if child.words and good(child.words)]
    if direct:
        return direct
    followed = _followed(root)
    phrases = [child for child in root.children if child.children and child.tag in followed]
    found: list[tuple[int, ...]] = []
    for phrase in phrases:
        found += _highest(phrase, followed, good)
    return found if phrases else _highest(root, None, good)


def _followed(root: Node) -> tuple[str, ...]:
    if root.tag == "VP":
        return VERBAL
    if root.tag in ("NP", "NM"):
        return NOMINAL
    tags = [child.tag for child in root.children]
    return VERBAL if "VP" in tags and not {"NP", "NM"} & {*tags} else NOMINAL


def _highest(root: Node, followed: tuple[str, ...] | None, good: Good) -> list[tuple[int, ...]]:
    """The good leaves of the highest level below some node that has any. If it is not given which tags are followed,
    the first NP, NM or VP decides."""
    found: list[tuple[int, ...]] = []
    deepest = -1
    queue = deque([(root, 0)])
    while queue:
        node, depth = queue.popleft()
        if followed is None and node.tag in ("NP", "NM", "VP"):
            followed = VERBAL if node.tag == "VP" else NOMINAL
        if node.words:
            if deepest in (-1, depth) and good(node.words):
                found.append(node.words)
                deepest = depth
            continue
        is_followed = followed is not None and node.tag in followed
        may_be_higher = deepest < 0 or depth < deepest
        if may_be_higher and (depth == 0 or followed is None or is_followed):
            queue.extend((child, depth + 1) for child in node.children if is_followed or not child.words)
    return found


Codes: TypeAlias = tuple[IntArray, IntArray]


def codes(sides: Sides, ground: Ground, given: Codes) -> tuple[Codes, list[Issue]]:
    """Codes that are equal exactly if two mentions of one document have the same minimum span."""
    parsed = Parsed.of(sides[0], ground)
    if parsed is None:
        message = "the key has no trees, so --match mina compares whole spans"
        return given, [Issue("no-trees", message)]
    known: dict[tuple[int, Leaves], int] = {}
    found = []
    for side in sides:
        spans, which = parsed.spans(side)
        code = np.array(
            [known.setdefault((span[0], parsed.minimum(*span)), len(known)) for span in spans], dtype=np.int64
        )
        found.append(code[which] if len(which) else which)
    bare = [d for d in range(len(parsed.corpus.documents)) if not _has_trees(parsed.corpus, d)]
    issues = []
    if bare:
        message = f"{counted(bare, 'document')} of the key without trees, where --match mina compares whole spans"
        issues.append(Issue("no-trees", message, len(bare)))
    return (found[0], found[1]), issues


def _has_trees(corpus: Corpus, document: int) -> bool:
    return any(corpus.text.layers["parse"][corpus.text.document(document)])


def verbal(key: Side, response: Side, ground: Ground) -> tuple[Bools, Bools]:
    """Which mentions of either side have a tree, cut from the key's tree, whose root is a VP."""
    parsed = Parsed.of(key, ground)
    found = []
    for side in (key, response):
        marks = np.zeros(len(side.row), dtype=bool)
        if parsed is not None and len(side.row):
            spans, which = parsed.spans(side)
            roots = [parsed.tree(*span) for span in spans]
            marks = np.array([root is not None and root.label == "VP" for root in roots], dtype=bool)[which]
        found.append(marks)
    return found[0], found[1]


def given(key: Side, rows: IntArray, ground: Ground) -> tuple[IntArray, IntArray, list[Issue]]:
    """The places of the first and the last word of the minimum spans that the key gives, −1 for none.

    `min` has numbers of the written words of a document, from 1, such as `3` or `3,5` (CONLL-UA), or the words
    themselves with `|` between alternatives (MUC). `min_words` of MMAX2 also has words.
    """
    first, last = np.full(len(rows), -1, dtype=np.int64), np.full(len(rows), -1, dtype=np.int64)
    corpus = key.source
    name = next((n for n in ("min", "min_words") if corpus is not None and n in corpus.attributes), "")
    if corpus is None or not name or not corpus.has_text or ground.characters:
        what = "so --match min is exact match"
        why = "spans are counted in characters" if ground.characters else "the key gives no minimum spans"
        return first, last, [Issue("no-minimum", f"{why}, {what}")] if len(rows) else []
    values = corpus.attributes[name]
    outside: list[int] = []
    for p, row in enumerate(rows.tolist()):
        value = values[origin := int(key.origin[row])]
        if value:
            a, b = _places(corpus, origin, value, int(ground.room[key.row[row]]))
            if 0 <= int(key.start[row]) <= a <= b <= int(key.end[row]):
                first[p], last[p] = a, b
            else:
                outside.append(origin)
    issues = []
    if outside:
        places = tuple(filter(None, (corpus.mention(row).place for row in outside[:PLACES])))
        message = (
            f"{counted(outside, 'key mention')} whose minimum span is not within it: matched exactly (--match min)"
        )
        issues.append(Issue("bad-minimum", message, len(outside), places))
    return first, last, issues


def _places(corpus: Corpus, row: int, value: str, room: int) -> tuple[int, int]:
    """The places of a minimum span, −1 where it is not found."""
    numbers = re.fullmatch(r"(\d{1,9})(?:,(\d{1,9}))?", value)
    if numbers and corpus.unit == "token":
        first = int(numbers[1])
        return _of_written_words(corpus, row, first - 1, int(numbers[2] or first) - 1, room)
    find = _as_characters if corpus.unit == "character" and corpus.text.raw is not None else _as_words
    for wanted in value.split("|"):
        places = find(corpus, row, wanted, room)
        if places is not None:
            return places
    return -1, -1


def _of_written_words(corpus: Corpus, row: int, first: int, last: int, room: int) -> tuple[int, int]:
    """The places of written words by their numbers in the document. If empty nodes have their own places, a written
    word has the last place of its unit."""
    text = corpus.text
    if room > 1 or text.empty is None:
        return first * room + room - 1, last * room + room - 1
    written = np.flatnonzero(~text.empty[text.document(int(corpus.doc[row]))])
    return (int(written[first]), int(written[last])) if max(first, last) < len(written) else (-1, -1)


def _as_characters(corpus: Corpus, row: int, wanted: str, room: int) -> tuple[int, int] | None:
    """Where a mention has a string, by characters."""
    string = wanted.strip()
    if not string or corpus.text.raw is None:
        return None
    raw = corpus.text.raw[int(corpus.doc[row])]
    first = raw.find(string, int(corpus.start[row]), int(corpus.end[row]) + 1)
    return (first, first + len(string) - 1) if first >= 0 else None


def _as_words(corpus: Corpus, row: int, wanted: str, room: int) -> tuple[int, int] | None:
    """Where a mention has some words, whatever their case."""
    words = [word.lower() for word in wanted.split()]
    start, end = int(corpus.start[row]), int(corpus.end[row])
    document = corpus.text.document(int(corpus.doc[row]))
    own = [word.lower() for word in corpus.text.words[document][start : end + 1]]
    for a in range(len(own) - len(words) + 1):
        if words and own[a : a + len(words)] == words:
            return (start + a) * room + room - 1, (start + a + len(words)) * room - 1
    return None
