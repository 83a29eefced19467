"""Documents, mentions and entities, stored as columns of integers, with views that are easy to read.

A `Corpus` is one whole side, key or response. Every mention is a row. Rows of a document are together, in the order in
which the mentions open. A mention is identified within its document by its token span: `start` and `end`, both
inclusive, counted from the document's first token, so that another sentence split changes nothing. In sources without
text, such as tables and plain Python clusters, it is identified by its `name`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InputError, Issue, counted
from .columns import taken

IntArray: TypeAlias = npt.NDArray[np.int64]
Span: TypeAlias = tuple[int, int]

# Layers of a Text that several formats share; a format may have other layers under other names.
LAYERS = {
    "pos": "part of speech in the tags of the language (the fifth column of CoNLL-2012, XPOS of CoNLL-U)",
    "upos": "universal part of speech",
    "lemma": "lemma (of predicates only in CoNLL-2012)",
    "feats": "morphological features",
    "parse": "bit of the constituent tree, with `*` for the word and its tag",
    "head": "number of the syntactic head in its sentence, counted from 1; 0 is the root",
    "deprel": "relation to the syntactic head",
    "deps": "enhanced dependencies",
    "frameset": "PropBank frameset of a predicate",
    "sense": "word sense",
    "speaker": "who speaks or writes",
    "names": "bracketed named entities",
    "arguments": "columns of predicate arguments, separated by blanks",
    "misc": "all other data of a token in CoNLL-U",
}


CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f"
ZERO = "∅"
CONTEXT = 5  # words on both sides of a mention that is shown


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern that is compiled when it is needed: these take milliseconds."""
    return re.compile(text)


def file_stem(path: str) -> str:
    """A file's name without directory, `.gz` and its last suffix: the name of a document that has none."""
    from pathlib import PurePath

    return PurePath(path.removesuffix(".gz")).stem


class Document(NamedTuple):
    """One unit of annotation: a document, or a part of one."""

    name: str
    part: int | None = None
    tokens: int | None = None
    file: str = ""
    line: int = 0
    meta: tuple[tuple[str, str], ...] = ()  # data from the file, such as ("genre", "news")

    @property
    def label(self) -> str:
        """`name_part`, the way jsonlines spells a part; `part 0` and `part 000` are the same."""
        return self.name if self.part is None else f"{self.name}_{self.part}"

    @property
    def quoted(self) -> str:
        """The label in quotes for a message, shortened if it is long."""
        return f"'{self.label}'" if len(self.label) <= 80 else f"'{self.label[:77]}...'"

    @property
    def place(self) -> str:
        """`file:line` of its beginning, as far as it is known."""
        return f"{self.file}:{self.line}" if self.line else self.file


class Mention(NamedTuple):
    """A view of one row."""

    document: Document
    start: int
    end: int
    name: Hashable | None
    entity: Hashable
    line: int
    parts: tuple[Span, ...] = ()

    @property
    def identity(self) -> Hashable:
        """What identifies the mention on both sides: its name, else its pieces if it has several, else its span."""
        return (self.parts or (self.start, self.end)) if self.name is None else self.name

    @property
    def span(self) -> str:
        """The mention in a table: its name, or its first and last token, such as `3–5`."""
        if self.name is not None:
            return str(self.name)
        parts = self.parts or ((self.start, self.end),)
        return ", ".join(str(start) if start == end else f"{start}–{end}" for start, end in parts)

    @property
    def place(self) -> str:
        """`file:line` where it opens, as far as it is known."""
        return f"{self.document.file}:{self.line}" if self.line else self.document.file


@dataclass(frozen=True, eq=False)
class Text:
    """The text of the mentions: the tokens of all documents in one sequence, and the data of each token.

    first      documents + 1 numbers: document d has the tokens first[d] to first[d + 1] − 1
    sentences  the first token of every sentence, ascending
    layers     name → one value per token, "" for none; `LAYERS` has the usual names
    empty      which tokens have no written form: zero pronouns, empty nodes (None: no token)
    line       the line of each token in its file
    raw        the text of each document, in sources that count characters; these have no words
    number     the number of each empty token after the word before it, if the source has numbers (2 in `5.2`)
    """

    words: Sequence[str]
    first: IntArray
    sentences: IntArray
    layers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    empty: npt.NDArray[np.bool_] | None = None
    line: IntArray | None = None
    raw: Sequence[str] | None = None
    number: IntArray | None = None

    def document(self, d: int) -> slice:
        """The slice of a document's tokens, for `words`, a layer or `empty`."""
        return slice(int(self.first[d]), int(self.first[d + 1]))

    def starts(self, d: int) -> IntArray:
        """The first token of each sentence of a document, counted in the document."""
        a, b = np.searchsorted(self.sentences, self.first[d : d + 2])
        starts: IntArray = self.sentences[a:b] - self.first[d]
        return starts

    def sentences_of(self, d: int) -> list[Sequence[str]]:
        """The words of a document, sentence by sentence."""
        stops = [*(self.starts(d) + self.first[d]).tolist(), int(self.first[d + 1])]
        return [self.words[a:b] for a, b in pairwise(stops)]

    def take(self, documents: Sequence[int]) -> Text:
        """The text of some documents, in the order given."""
        cuts = [self.document(d) for d in documents]
        first = np.cumsum([0, *(cut.stop - cut.start for cut in cuts)])
        tokens = np.concatenate([np.arange(cut.start, cut.stop) for cut in cuts] or [first[:0]])
        starts = [self.starts(d) + offset for d, offset in zip(documents, first.tolist(), strict=False)]

        def gathered(values: Sequence[str]) -> Sequence[str]:
            return values[cuts[0]] if len(cuts) == 1 else [x for cut in cuts for x in values[cut]]

        return Text(
            gathered(self.words),
            first,
            np.concatenate(starts or [first[:0]]),
            {name: gathered(values) for name, values in self.layers.items()},
            None if self.empty is None else self.empty[tokens],
            None if self.line is None else self.line[tokens],
            None if self.raw is None else [self.raw[d] for d in documents],
            None if self.number is None else self.number[tokens],
        )

    def span(self, d: int, start: int, end: int) -> str:
        """The text from one token (or character) of a document to another, both included, spaced for people to read."""
        if self.raw is not None:
            return _pattern(f"(?<=[{CJK}]) (?=[{CJK}])").sub("", self.raw[d][start : end + 1])
        first = int(self.first[d])
        tokens = slice(first + start, min(first + end + 1, len(self.words)))
        words = self.forms(tokens)
        text = " ".join(words)
        if self._with_spaces(text) or not (glued := {*self.glued(slice(tokens.start, tokens.stop - 1))}):
            return text
        last = len(words) - 1
        return "".join(word + (" " if t < last and t not in glued else "") for t, word in enumerate(words))

    def in_context(self, d: int, start: int, end: int) -> str:
        """A span in brackets, with a few words of its sentence on both sides."""
        if self.raw is not None:
            width = 6 * CONTEXT
            left, right = self.raw[d][max(start - width, 0) : start], self.raw[d][end + 1 : end + 1 + width]
            return " ".join(f"{left}[{self.raw[d][start : end + 1]}]{right}".split())
        offset, stop = int(self.first[d]), int(self.first[d + 1])
        before, after = np.searchsorted(self.sentences, (offset + start, offset + end), side="right").tolist()
        low = int(self.sentences[before - 1]) - offset if before else 0
        high = min(int(self.sentences[after]) if after < len(self.sentences) else stop, stop) - offset
        low, high = max(low, start - CONTEXT), min(high, end + 1 + CONTEXT)
        left = self.span(d, low, start - 1) if low < start else ""
        right = self.span(d, end + 1, high - 1) if end + 1 < high else ""
        return f"{left} [{self.span(d, start, end)}] {right}".strip()

    def forms(self, tokens: slice) -> list[str]:
        """Forms for people to read; ∅ for a token that has none."""
        words = list(self.words[tokens])
        if self.empty is not None:
            for place in np.flatnonzero(self.empty[tokens]).tolist():
                words[place] = "" if words[place] == "_" else words[place]
        return words if all(words) else [word or ZERO for word in words]

    def glued(self, tokens: slice) -> list[int]:
        """Those of some tokens that no space follows, counted from the first of them."""
        size = tokens.stop - tokens.start
        if self._with_spaces("".join(self.words[tokens.start : tokens.stop + 1])):
            return []
        return [place for place in range(size) if not self.spaced(tokens.start + place)]

    def _with_spaces(self, text: str) -> bool:
        """Whether a space surely follows all of these words."""
        return "misc" not in self.layers and text.isascii()

    def spaced(self, token: int) -> bool:
        """Whether a space follows: not if CoNLL-U says so, and not between Chinese or Japanese characters."""
        if "misc" in self.layers and "SpaceAfter=No" in self.layers["misc"][token].split("|"):
            return False
        if token + 1 >= len(self.words):
            return True
        before, after = self.words[token][-1:], self.words[token + 1][:1]
        return before <= "\u2fff" or after <= "\u2fff" or not all(map(_pattern(f"[{CJK}]").match, (before, after)))


class Relation(NamedTuple):
    """A relation other than identity, such as bridging: of an anaphor to its antecedent.

    Both are entities; `mention` and `anchor` are the rows of the mentions, −1 if the entity as a whole is meant.
    """

    kind: str  # "bridging", "split-antecedent", "deixis", "apposition"
    source: int  # the anaphor's entity
    target: int  # the antecedent's; −1 if only a mention is known, which belongs to no entity
    mention: int = -1
    anchor: int = -1
    label: str = ""


@dataclass(frozen=True, eq=False)
class Corpus:
    """One side: its documents, and its mentions as columns.

    `doc` is non-decreasing and indexes `documents`. `entity` indexes `labels`. Equal labels in two documents have the
    same number; the scope of the evaluation decides whether they are the same entity. `names` has the mentions' names
    in sources that have no spans. `line` (1-based, 0 unknown) is where each mention opens.

    `start` and `end` count tokens or characters, as `unit` says. `parts` has the pieces of the discontinuous mentions
    by row; their start and end are those of the whole. `head` is a token of the document, −1 if unknown. `attributes`
    has one value per mention, "" for none. `texts` is the text, or a function that reads it when it is first needed.
    `by_file`: a table without a column of documents, so that each file is a document and has its name.
    """

    documents: Sequence[Document]
    doc: IntArray
    start: IntArray
    end: IntArray
    entity: IntArray
    labels: Sequence[Hashable]
    names: Sequence[Hashable] | None = None
    line: IntArray | None = None
    source: str = ""
    format: str = ""
    issues: tuple[Issue, ...] = field(default=())
    unit: str = "token"
    parts: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    head: IntArray | None = None
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    relations: Sequence[Relation] = ()
    texts: Text | Callable[[], Text] | None = None
    by_file: bool = False

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def has_text(self) -> bool:
        """Whether the source has the words, and not only the mentions."""
        return self.texts is not None

    @cached_property
    def text(self) -> Text:
        """Words, sentences and layers; an InputError if the source has none."""
        if self.texts is None:
            what = f"there is no text in {self.format or 'this input'}, only mentions"
            raise InputError(what, file=self.source or None, hint="give a file that also has the words")
        return self.texts if isinstance(self.texts, Text) else self.texts()

    def __repr__(self) -> str:
        what = f"{counted(self.documents, 'document')}, {counted(self, 'mention')}"
        return f"<Corpus {self.source or 'in memory'}: {what}>"

    def mention(self, row: int) -> Mention:
        """A view of one row."""
        return Mention(
            self.documents[self.doc[row]],
            int(self.start[row]),
            int(self.end[row]),
            None if self.names is None else self.names[row],
            self.labels[self.entity[row]],
            0 if self.line is None else int(self.line[row]),
            self.parts.get(int(row), ()),
        )

    def __iter__(self) -> Iterator[Mention]:
        return map(self.mention, range(len(self)))

    @cached_property
    def bounds(self) -> IntArray:
        """First row of each document, and the end: document d has rows bounds[d]:bounds[d+1]."""
        return np.searchsorted(self.doc, np.arange(len(self.documents) + 1))

    def pieces(self, row: int) -> tuple[Span, ...]:
        """The contiguous spans of a mention: one, unless it is discontinuous."""
        return self.parts.get(row, ((int(self.start[row]), int(self.end[row])),))

    def words(self, row: int, most: int | None = None) -> str:
        """The text of a mention, with ` ... ` between the pieces of a discontinuous one; at most `most` tokens or
        characters of each piece."""
        d = int(self.doc[row])
        pieces = self.pieces(row)
        if most is not None:
            pieces = tuple((start, min(end, start + most - 1)) for start, end in pieces[:most])
        return " ... ".join(self.text.span(d, start, end) for start, end in pieces)

    def take(self, rows: IntArray) -> Corpus:
        """Some of the mentions, in the order given; relations of other mentions are left out."""
        place = {row: i for i, row in enumerate(rows.tolist())} if self.relations or self.parts else {}
        place[-1] = -1
        return replace(
            self,
            doc=self.doc[rows],
            start=self.start[rows],
            end=self.end[rows],
            entity=self.entity[rows],
            names=None if self.names is None else taken(self.names, rows),
            line=None if self.line is None else self.line[rows],
            head=None if self.head is None else self.head[rows],
            parts={place[row]: pieces for row, pieces in self.parts.items() if row in place},
            attributes={name: taken(values, rows) for name, values in self.attributes.items()},
            relations=[
                r._replace(mention=place[r.mention], anchor=place[r.anchor])
                for r in self.relations
                if r.mention in place and r.anchor in place
            ],
        )

    def only(self, document: int) -> Corpus:
        """One of the documents, as a separate corpus."""
        rows = np.arange(*self.bounds[document : document + 2])
        return replace(
            self.take(rows),
            documents=[self.documents[document]],
            doc=np.zeros(len(rows), dtype=np.int64),
            texts=(lambda: self.text.take([document])) if self.has_text else None,
        )

    def within(self, documents: IntArray) -> Corpus:
        """Some of the documents with all their mentions, in the order of the corpus."""
        chosen = documents.tolist()
        place = np.full(len(self.documents), -1, dtype=np.int64)
        place[documents] = np.arange(len(documents))
        kept = self.take(np.flatnonzero(place[self.doc] >= 0))
        return replace(
            kept,
            documents=[self.documents[d] for d in chosen],
            doc=place[kept.doc],
            texts=(lambda: self.text.take(chosen)) if self.has_text else None,
        )

    def clusters(self, document: int = 0) -> dict[Hashable, list[Hashable]]:
        """The entities of one document: label → identities of its mentions, in order of opening."""
        found: dict[Hashable, list[Hashable]] = {}
        for row in range(*self.bounds[document : document + 2]):
            mention = self.mention(row)
            found.setdefault(mention.entity, []).append(mention.identity)
        return found
