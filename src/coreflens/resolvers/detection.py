"""Mentions from syntax, by the rules of Lee et al. (2011), which favour recall.

From trees come noun phrases, possessive pronouns and names. From dependencies come nouns and pronouns with the words
that depend on them. Of several phrases with the same head, the largest is kept. These are left out:

    numbers      amounts, percentages and other numeric names            12 %, three
    partitives   what follows "a group of", "all of" within it            millions of [people]
    quantified   what begins with a quantifier                            no one, every cat
    pleonastic   "it" of weather, of clauses, and with verbs such as seem  it seems that ...
    adjectival   words of nationality that refer to nobody                [American] policy
    fillers      there, hmm, and similar words

Entities of one mention are left out after resolution, because OntoNotes has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..corpus.candidates import with_spans
from ..corpus.heads import constituent_heads
from ..corpus.model import Corpus
from ..corpus.trees import Trees
from ..errors import InputError
from .lexicon import Lexicon
from .names import names_of_text
from .syntax import Syntax, syntax

_NOUNS = ("NN", "PRP", "NOUN", "PROPN", "PRON", "WP$")
_NUMERIC = frozenset(("PERCENT", "MONEY", "QUANTITY", "CARDINAL", "ORDINAL"))
# Relations of words that depend on a noun but are not part of its phrase; relations of nouns that are not phrases.
_OUTSIDE = frozenset(("case", "mark", "cc", "punct", "cop", "nsubj", "csubj", "aux", "advmod", "advcl", "discourse"))
_OUTSIDE_OF_PREDICATES = _OUTSIDE | {"obl", "parataxis", "conj", "vocative", "expl", "dislocated"}
_WITHIN = frozenset(("compound", "flat", "fixed", "goeswith", "reparandum"))
_PUNCTUATION = frozenset((",", ".", ":", ";", "''", "``", '"', "-", "–", "—", "“", "”", "!", "?"))


def detected(corpus: Corpus, lexicon: Lexicon) -> Corpus:
    """The corpus with the mentions that its syntax suggests, each an entity of its own."""
    text, tree = corpus.text, syntax(corpus)
    if not tree.source:
        hint = "give a file with a parse column or dependencies, or give its trees with --trees DIR"
        raise InputError("there is no syntax to detect mentions in", file=corpus.source or None, hint=hint)
    words = [word.lower() for word in text.words]
    layer = "pos" if any(text.layers.get("pos", ())) else "upos"
    tags = text.layers.get(layer) or [""] * len(words)
    names = names_of_text(text).types
    if tree.trees is not None:
        found = _of_trees(tree.trees, corpus, tags, names)
    else:
        found = _of_dependencies(tree, tags, words)
    kept = [
        (start, end)
        for start, end, head in found
        if _fits(start, end, head, words, tags, tree, lexicon) and names.get((start, end), "") not in _NUMERIC
    ]
    spans = np.array(kept, dtype=np.int64).reshape(-1, 2)
    doc = np.searchsorted(text.first, spans[:, 0], side="right") - 1
    inside = spans[:, 1] < text.first[doc + 1]
    doc, spans = doc[inside], spans[inside]
    return with_spans(corpus, doc, spans[:, 0] - text.first[doc], spans[:, 1] - text.first[doc])


def _of_trees(
    parsed: Trees, corpus: Corpus, tags: Sequence[str], names: Iterable[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """The largest noun phrase of each head, members of coordinations, possessive pronouns, and names."""
    heads = constituent_heads(parsed, corpus.text).tolist()
    head_of_span = _noun_phrases(parsed, heads, tags)
    taken = set(head_of_span.values())
    for token, tag in enumerate(tags):
        if tag == "PRP$" or (tag == "PRP" and token not in taken):
            head_of_span[token, token] = token
    for start, end in names:
        if end not in taken:
            head_of_span.setdefault((start, end), end)
    return [(start, end, head) for (start, end), head in head_of_span.items()]


def _noun_phrases(parsed: Trees, heads: Sequence[int], tags: Sequence[str]) -> dict[tuple[int, int], int]:
    """The noun phrases that are not within one with the same head, unless that is a coordination: span → head."""
    labels = [parsed.labels[number] for number in parsed.label.tolist()]
    starts, ends, parents = parsed.start.tolist(), parsed.end.tolist(), parsed.parent.tolist()
    coordinated = _coordinations(parsed, labels, parents, tags)
    head_of_span: dict[tuple[int, int], int] = {}
    for node, label in enumerate(labels):
        if label != "NP":
            continue
        above = parents[node]
        while above >= 0 and labels[above] in ("NML", "NX"):
            above = parents[above]
        has_same_head = above >= 0 and labels[above] == "NP" and heads[above] == heads[node]
        if not has_same_head or above in coordinated:
            head_of_span[starts[node], ends[node]] = heads[node]
    return head_of_span


def _coordinations(parsed: Trees, labels: Sequence[str], parents: Sequence[int], tags: Sequence[str]) -> set[int]:
    """The constituents with a conjunction."""
    of_phrases = {parents[node] for node, label in enumerate(labels) if label in ("CC", "CONJP")}
    of_words = {int(parsed.leaf[token]) for token in np.flatnonzero(parsed.leaf >= 0).tolist() if tags[token] == "CC"}
    return of_phrases | of_words


def _of_dependencies(tree: Syntax, tags: Sequence[str], words: Sequence[str]) -> list[tuple[int, int, int]]:
    """Nouns and pronouns with the words that depend on them. A coordination counts as a whole and by its members."""
    head_of: dict[tuple[int, int], int] = {}
    for head, tag in enumerate(tags):
        if not tag.startswith(_NOUNS) or tree.relation[head] in _WITHIN:
            continue
        predicate = bool(tree.below(head, "cop", "nsubj"))
        whole = _span(tree, head, words, _OUTSIDE_OF_PREDICATES if predicate else _OUTSIDE)
        head_of.setdefault(whole, head)
        if tree.below(head, "conj"):
            head_of.setdefault(_span(tree, head, words, _OUTSIDE_OF_PREDICATES), head)
    return [(a, b, h) for (a, b), h in head_of.items()]


def _span(tree: Syntax, head: int, words: Sequence[str], outside: frozenset[str]) -> tuple[int, int]:
    """The contiguous words below a head, without some relations and without punctuation at the ends."""
    inside, open_ = {head}, [head]
    while open_:
        token = open_.pop()
        for child in tree.children.get(token, ()):
            if child not in inside and not (token == head and tree.relation[child] in outside - {"punct", "advmod"}):
                inside.add(child)
                open_.append(child)
    start = end = head
    while start - 1 in inside:
        start -= 1
    while end + 1 in inside:
        end += 1
    while start < head and words[start] in _PUNCTUATION:
        start += 1
    while end > head and words[end] in _PUNCTUATION:
        end -= 1
    return start, end


def _fits(
    start: int,
    end: int,
    head: int,
    words: Sequence[str],
    tags: Sequence[str],
    tree: Syntax,
    lexicon: Lexicon,
) -> bool:
    """Whether no rule excludes the mention."""
    section = lexicon.section
    own = words[start : end + 1]
    if tags[head] in ("EX", "CD", "%", "$") or words[head] in ("%", "percent"):
        return False
    if len(own) == 1:
        return not _is_excluded_word(end, words, tags, lexicon) and not _is_partitive(start, words, lexicon)
    if own[0] in section("function_words", "quantifiers"):
        return False
    return not _is_partitive(start, words, lexicon)


def _is_partitive(start: int, words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether a phrase follows "millions of"."""
    if start < 2 or words[start - 1] != "of":
        return False
    return words[start - 2] in lexicon.section("function_words", "partitives")


def _is_excluded_word(token: int, words: Sequence[str], tags: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether a mention of this one word is a filler, a number, indefinite, adjectival or pleonastic."""
    word, tag = words[token], tags[token]
    if word in lexicon.section("function_words", "never") or word in lexicon.section("pronouns", "indefinite"):
        return True
    if tag == "NUM" or _adjectival(word, token, tags, lexicon):
        return True
    return word == "it" and pleonastic(token, words, tags, lexicon)


def _adjectival(word: str, end: int, tags: Sequence[str], lexicon: Lexicon) -> bool:
    """A word of nationality before a noun."""
    follows = tags[end + 1] if end + 1 < len(tags) else ""
    return tags[end] in ("JJ", "ADJ") and bool(lexicon.named(word)) and follows.startswith(("NN", "NOUN", "PROPN"))


def pleonastic(it: int, words: Sequence[str], tags: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether "it" refers to nothing: it seems that, it is clear that, it is raining, it takes two hours to."""
    section = lexicon.section
    after = words[it + 1 : it + 9]
    if not after:
        return False
    has_clause = any(word in _CLAUSE for word in after[1:])
    if has_clause and after[0] in section("function_words", "pleonastic"):
        return True
    if after[0] in ("takes", "took", "take") and "to" in after:
        return True
    place = 0
    while place < len(after) and (tags[it + 1 + place].startswith(("MD", "RB", "AUX", "ADV")) or after[place] in _BE):
        place += 1
    if place == len(after) or not any(word in _BE for word in after[:place]):
        return False
    predicate = after[place]
    if predicate in section("function_words", "weather"):
        return True
    return has_clause and predicate in section("function_words", "adjectives")


_CLAUSE = frozenset(("that", "to", "if", "whether", "who", "when"))
_BE = frozenset(("is", "was", "'s", "’s", "be", "been", "being", "would", "will", "has", "had", "become", "becomes"))
