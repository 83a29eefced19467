"""A text as the resolvers read it: every mention as a phrase, with all data that the rules need.

All layers of a source are used: tags, features, dependencies, trees, names, speakers. `without` lists the missing ones,
so that a note can report them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..corpus.heads import GUESS, heads, mention_types
from ..corpus.model import Corpus, Text
from ..errors import InputError, Issue
from .lexicon import Lexicon
from .names import names_of_text
from .syntax import Syntax, syntax
from .traits import EVENT, Traits, noun_traits, pronoun_traits

_SPEAKER = re.compile(r"^#\s*(speaker|addressee)\s*=\s*(\S.*?)\s*$", re.MULTILINE)
_OPENING, _CLOSING = frozenset(("``", "“", "«", "„")), frozenset(("''", "”", "»"))
_ENDINGS = frozenset(
    (",", ".", ":", ";", "''", "``", "-", "–", "—", "(", ")", "[", "]", "“", "”", '"', "-lrb-", "-rrb-")
)


@dataclass(frozen=True, eq=False)
class Phrase:
    """One mention. `start`, `end` and `head` are tokens of the corpus, `sentence` is counted over the corpus."""

    row: int
    doc: int
    start: int
    end: int
    head: int
    sentence: int
    kind: str  # pronoun, name, nominal, verb, other, as in corpus.heads.TYPES
    words: tuple[str, ...]  # lower case
    core: tuple[str, ...]  # from the beginning to the head and what belongs to it, without articles at its ends
    head_word: str  # the last word of a name: Berg in Anna Berg
    traits: Traits
    speaker: str
    addressee: str
    quoted: int  # the quotation that it is in, −1 for none
    coordinated: bool

    def contains(self, other: Phrase) -> bool:
        """Whether the other lies within this one."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, eq=False)
class Analysis:
    """The phrases of a corpus by document, in the order of its rows, and the text around them."""

    corpus: Corpus
    lexicon: Lexicon
    words: list[str]  # lower case
    tags: Sequence[str]
    syntax: Syntax
    phrases: list[Phrase]
    quotes: list[tuple[int, int]]  # first and last token of each quotation
    without: tuple[Issue, ...] = field(default=())

    def document(self, d: int) -> list[Phrase]:
        """The phrases of a document."""
        a, b = self.corpus.bounds[d : d + 2].tolist()
        return self.phrases[a:b]

    @cached_property
    def texts(self) -> Sequence[str]:
        """The words as they are written."""
        return self.corpus.text.words


def read_phrases(corpus: Corpus, lexicon: Lexicon, counts: Mapping[str, Sequence[int]] | None = None) -> Analysis:
    """Read a corpus whose mentions are spans of tokens."""
    if corpus.unit != "token" or corpus.names is not None:
        hint = "convert it to a format with tokens first, such as CoNLL or CoNLL-U"
        raise InputError("the mentions are not spans of words", file=corpus.source or None, hint=hint)
    text, layers = corpus.text, corpus.text.layers
    words = [word.lower() for word in text.words]
    tags = layers.get("pos") if any(layers.get("pos", ())) else layers.get("upos")
    found_heads, tree, bracketed = heads(corpus), syntax(corpus), names_of_text(text)
    names = bracketed.innermost()
    speakers, addressees = _speakers(text)
    quotes = _quotes(text)
    quoted = np.full(len(words), -1, dtype=np.int64)
    for number, (start, end) in enumerate(quotes):
        quoted[start : end + 1] = number
    first = text.first[corpus.doc]
    sentences = (np.searchsorted(text.sentences, corpus.start + first, side="right") - 1).tolist()
    annotated = _Layers(text.words, words, tags, layers.get("feats"), names, tree, lexicon, counts or {})
    columns = zip(
        corpus.doc.tolist(),
        (corpus.start + first).tolist(),
        (corpus.end + first).tolist(),
        (found_heads.token + first).tolist(),
        sentences,
        mention_types(corpus),
        strict=True,
    )
    phrases = []
    for row, (doc, start, end, head, sentence, given_kind) in enumerate(columns):
        own = tuple(words[start : end + 1])
        coordinated, kind, head = annotated.kind(own, start, end, head, given_kind)
        traits = annotated.traits(own, start, head, kind, coordinated)
        core, last = _core(words, start, end, head, tree, lexicon)
        phrases.append(
            Phrase(
                row=row,
                doc=doc,
                start=start,
                end=end,
                head=head,
                sentence=sentence,
                kind=kind,
                words=own,
                core=core,
                head_word=words[last],
                traits=traits,
                speaker=speakers[sentence],
                addressee=addressees[sentence],
                quoted=int(quoted[start]),
                coordinated=coordinated,
            )
        )
    is_guessed = bool((found_heads.source == GUESS).any())
    missing = _missing(corpus, tags, tree, names, any(speakers), is_guessed, lexicon, words)
    without = (*missing, *bracketed.issues)
    return Analysis(corpus, lexicon, words, tags or [""] * len(words), tree, phrases, quotes, without)


@dataclass(frozen=True, eq=False)
class _Layers:
    """The layers of a text that decide the kind and the traits of a mention."""

    texts: Sequence[str]  # the words as they are written
    words: Sequence[str]
    tags: Sequence[str] | None
    feats: Sequence[str] | None
    names: Mapping[int, str]
    tree: Syntax
    lexicon: Lexicon
    counts: Mapping[str, Sequence[int]]

    @cached_property
    def participants(self) -> frozenset[str]:
        """I, you, we, and other forms of them."""
        return self.lexicon.section("pronouns", "participants")

    def kind(self, own: tuple[str, ...], start: int, end: int, head: int, given: str) -> tuple[bool, str, int]:
        """Whether a mention is a coordination, its kind, and its head."""
        kind = given or _guess(own, self.texts[head], self.lexicon)
        coordinated = kind != "verb" and any(start <= other <= end for other in self.tree.below(head, "conj"))
        if coordinated and kind == "pronoun":  # "she and her mother"
            return coordinated, "nominal", head
        if kind == "nominal" and len(own) == 2 and own[0] in self.participants:  # "you guys"
            return coordinated, "pronoun", start
        return coordinated, kind, head

    def traits(self, own: tuple[str, ...], start: int, head: int, kind: str, coordinated: bool) -> Traits:
        """The traits of a mention of this kind."""
        if kind == "verb":
            return EVENT
        feats = _features(self.feats[head]) if self.feats else {}
        if kind == "pronoun":
            return pronoun_traits(self.words[head], feats, self.lexicon)
        tag = self.tags[head] if self.tags else ("NNP" if kind == "name" else "")
        named = self.names.get(head, "") if kind == "name" else ""
        return noun_traits(own, head - start, tag, feats, named, coordinated, self.lexicon, self.counts)


def _features(cell: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in cell.split("|") if "=" in pair)


def _guess(words: Sequence[str], head: str, lexicon: Lexicon) -> str:
    """The kind of a mention in a source without tags, from its words and capital letters."""
    if len(words) == 1 and any(words[0] in members for members in lexicon.sections_of("pronouns").values()):
        return "pronoun"
    return "name" if head[:1].isupper() else "nominal"


def _core(
    words: Sequence[str], start: int, end: int, head: int, tree: Syntax, lexicon: Lexicon
) -> tuple[tuple[str, ...], int]:
    """The mention without what follows its head, such as relative clauses, and the last word of its head.

    In Universal Dependencies the head of "Anna Berg" is the first word. In trees it is the last, the family name.
    """
    stop = head
    while stop < end and tree.parent[stop + 1] == head and tree.relation[stop + 1] in ("flat", "fixed", "compound"):
        stop += 1
    articles = lexicon.section("function_words", "articles")
    cut = [word for word in words[start : stop + 1] if word not in _ENDINGS]
    while len(cut) > 1 and cut[0] in articles:
        cut = cut[1:]
    return tuple(cut or words[head : stop + 1]), stop


def _speakers(text: Text) -> tuple[list[str], list[str]]:
    """Who speaks in each sentence, and to whom; from the speaker column, or from comments such as `# speaker = Ann`."""
    n = len(text.sentences)
    speaker, addressee = [""] * n, [""] * n
    column, comments = text.layers.get("speaker"), text.layers.get("comments")
    for place, token in enumerate(text.sentences.tolist()):
        if column is not None:
            speaker[place] = column[token].strip("-_ ")
        if comments is not None:
            for key, who in _SPEAKER.findall(comments[token]):
                if key == "speaker":
                    speaker[place] = speaker[place] or who
                else:
                    addressee[place] = who
    for a, b in pairwise(np.searchsorted(text.sentences, text.first).tolist()):
        two = sorted({who for who in speaker[a:b] if who})
        for place in range(a, b):
            if len(two) == 2 and speaker[place] and not addressee[place]:  # of two speakers, the other one is addressed
                addressee[place] = two[speaker[place] == two[0]]
    return speaker, addressee


def _quotes(text: Text) -> list[tuple[int, int]]:
    """Quotations, each within one document. One that is never closed ends with its paragraph's sentence."""
    quotes = []
    for a, b in pairwise(text.first.tolist()):
        opened = -1
        for token in range(a, b):
            word = text.words[token]
            if opened < 0 and (word in _OPENING or word == '"'):
                opened = token
            elif opened >= 0 and (word in _CLOSING or word == '"'):
                quotes.append((opened, token))
                opened = -1
    return quotes


_COMMON = frozenset(
    [
        "the",
        "of",
        "and",
        "to",
        "in",
        "is",
        "that",
        "for",
        "it",
        "on",
        "was",
        "with",
        "he",
        "be",
        "as",
        "his",
        "are",
        "this",
        "at",
        "by",
        "i",
        "you",
        "not",
    ]
)


def _missing(
    corpus: Corpus,
    tags: Sequence[str] | None,
    tree: Syntax,
    names: Mapping[int, str],
    speakers: bool,
    guessed: bool,
    lexicon: Lexicon,
    words: Sequence[str],
) -> tuple[Issue, ...]:
    """The layers that the source lacks, and what this means."""
    lacking = []
    if not tags or not any(tags):
        lacking.append("part-of-speech tags (kinds of mentions are guessed from words and capital letters)")
    if not tree.source:
        lacking.append("trees and dependencies (no appositions, predicates or subjects)")
    if guessed and not tree.source:
        lacking.append("heads (the last word of a mention is taken)")
    if not names:
        lacking.append("named entities (types of names come from word lists)")
    if not speakers:
        lacking.append("speakers (speakers are guessed from quotation marks)")
    issues = [Issue("without", f"resolved without {'; '.join(lacking)}")] if lacking else []
    if lexicon.sections and len(words) > 200 and sum(word in _COMMON for word in words) < 0.08 * len(words):
        message = "this does not look like English; --set words=none leaves the English word lists out"
        issues.append(Issue("language", message))
    return tuple(issues)
