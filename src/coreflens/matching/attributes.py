"""Attributes for selections: those of entities, of mentions and of documents.

    entity.NAME     the attribute that the file gives to mentions under this name. An entity has one value: the one
                    that most of its mentions have, or the earliest of several that are equally frequent
    mention.type    name, nominal, pronoun, verb or other, by the tag of its head
    mention.length  its words
    mention.text    its words in lower case
    mention.NAME    the mention's own value, or that of a layer of the words at its head, such as mention.pos
    document.NAME   the document's label: genre, topic, LABELS.csv:COLUMN and everything else that `labels_of` accepts

A NAME alone means `entity.NAME` if the mentions of a side have such an attribute, and otherwise `document.NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..conditions import NONE
from ..corpus.model import Corpus, IntArray
from ..errors import CoreflensError, UsageError, did_you_mean
from ..integers import bincount
from .labels import labels_of, number_labels
from .mentions import number_entities

LEVELS = ("entity", "mention", "document")
OF_DOCUMENTS = ("document", "genre", "source", "part", "topic", "subtopic")
SHOWN = 12  # values that an error lists
_SPELLED = {"type": "etype"}  # CorefUD's name for the types of entities


class Valued(NamedTuple):
    """The value of each mention as a number, and the values. A mention without a value has NONE."""

    number: IntArray
    values: Sequence[str]

    def taken(self, rows: IntArray) -> Valued:
        """The values of some of the mentions."""
        return Valued(self.number[rows], self.values)

    def counts(self) -> dict[str, int]:
        """How many mentions have each value, the frequent ones first."""
        found = bincount(self.number, minlength=len(self.values)) if len(self.number) else [0] * len(self.values)
        pairs = sorted(zip(self.values, map(int, found), strict=True), key=lambda pair: (-pair[1], pair[0]))
        return {value: n for value, n in pairs if n}


def level_of(attribute: str, corpora: Sequence[Corpus]) -> tuple[str, str]:
    """The level of an attribute, one of `LEVELS`, and its name on that level. An unknown attribute is a UsageError that
    lists the known ones."""
    level, dot, name = attribute.partition(".")
    if dot and level in LEVELS and name:
        return level, name
    if any(noted(corpus, attribute) is not None for corpus in corpora):
        return "entity", attribute
    if attribute in OF_DOCUMENTS or any(attribute in dict(d.meta) for c in corpora for d in c.documents[:1]):
        return "document", attribute
    if Path(attribute).exists() or Path(attribute.rpartition(":")[0]).is_file():
        return "document", attribute
    raise unknown(attribute, corpora)


def unknown(attribute: str, corpora: Sequence[Corpus], extra: Iterable[str] = ()) -> UsageError:
    """The error for an attribute that no side has, with the known ones."""
    there = dict.fromkeys(name for corpus in corpora for name in known(corpus))
    bare = dict.fromkeys(name.partition(".")[2] for name in there if not name.startswith("mention."))
    full = {name.partition(".")[2]: name for name in there}
    meant = did_you_mean(attribute, [*bare, *extra, *there, *full], {n: f for n, f in full.items() if n not in bare})
    if attribute in full:  # a name of mentions, not of entities
        meant = f"; did you mean '{full[attribute]}'?"
    return UsageError(f"no mention has an attribute '{attribute}'{meant} (there are {named(list(there))})")


def known(corpus: Corpus) -> list[str]:
    """The attributes that a corpus has, with their levels."""
    filled = [name for name, values in corpus.attributes.items() if any(values)]
    names = [
        *(f"entity.{name}" for name in filled),
        *(f"mention.{name}" for name in _of_mentions(corpus, filled)),
        *(f"document.{name}" for name in OF_DOCUMENTS if _labelled(corpus, name)),
    ]
    if corpus.documents:
        names += [f"document.{name}" for name, _ in corpus.documents[0].meta]
    return list(dict.fromkeys(names))


def _of_mentions(corpus: Corpus, filled: Sequence[str]) -> list[str]:
    """The names of what mentions have. `filled` are the attributes with values."""
    names = []
    has_words = corpus.has_text and corpus.unit == "token" and corpus.names is None
    if has_words:
        from ..corpus.heads import mention_types

        if any(mention_types(corpus)):
            names.append("type")
        names.append("text")
    if corpus.names is None:
        names.append("length")
    names += [name for name in filled if name != "type"]
    if has_words:
        names += [name for name, layer in corpus.text.layers.items() if any(layer)]
    return names


def _labelled(corpus: Corpus, name: str) -> bool:
    try:
        return any(labels_of(corpus.documents, name))
    except CoreflensError:
        return False


def noted(corpus: Corpus, name: str) -> Sequence[str] | None:
    """The attribute of the mentions with this name, or with the name that the format uses for it."""
    return next((corpus.attributes[n] for n in (name, _SPELLED.get(name, name)) if n in corpus.attributes), None)


def of_documents(corpus: Corpus, name: str) -> Valued:
    """The label of each document."""
    number, values = number_labels(labels_of(corpus.documents, name))
    return Valued(number, [value or NONE for value in values])


def values(corpus: Corpus, level: str, name: str, block: IntArray) -> Valued | None:
    """The value of each mention, or None if the corpus has no such attribute. `block` has one value per document."""
    if level == "document":
        documents = of_documents(corpus, name)
        return Valued(documents.number[corpus.doc], documents.values)
    if level == "entity":
        return _of_entities(corpus, name, block)
    if name in _MENTION:
        return _MENTION[name](corpus)
    if (own := noted(corpus, name)) is not None:
        return _numbered(own)
    return _layer(corpus, name)


def _numbered(found: Sequence[str]) -> Valued:
    number, values = number_labels(found)
    return Valued(number, [value or NONE for value in values])


def _of_entities(corpus: Corpus, name: str, block: IntArray) -> Valued | None:
    """The value that most mentions of the entity have, without those that have none. The first wins a tie."""
    own = noted(corpus, name)
    if own is None:
        return None
    number, labels = number_labels(own)
    entity, numbered = number_entities(block[corpus.doc], corpus.entity)
    stated = np.array([bool(label) for label in labels], dtype=bool)[number] if len(number) else number.astype(bool)
    rows = np.flatnonzero(stated)
    values = [label or NONE for label in labels]
    if NONE not in values:
        values.append(NONE)
    best = np.full(len(numbered), values.index(NONE), dtype=np.int64)
    if len(rows):
        pair, first, times = np.unique(entity[rows] * len(labels) + number[rows], return_index=True, return_counts=True)
        order = np.lexsort((first, -times, pair // len(labels)))
        owner = (pair // len(labels))[order]
        leading = np.append(True, owner[1:] != owner[:-1])
        best[owner[leading]] = (pair % len(labels))[order][leading]
    return Valued(best[entity], values)


def _types(corpus: Corpus) -> Valued | None:
    from ..corpus.heads import mention_types

    found = mention_types(corpus)
    return _numbered(found) if any(found) or not len(corpus) else None


def _lengths(corpus: Corpus) -> Valued | None:
    if corpus.names is not None and not (len(corpus.start) and int(corpus.start.min()) >= 0):
        return None
    length = corpus.end - corpus.start + 1
    for row, pieces in corpus.parts.items():
        length[row] = sum(end - start + 1 for start, end in pieces)
    distinct, number = np.unique(length, return_inverse=True)
    return Valued(number.reshape(-1), [str(n) for n in distinct.tolist()])


def _texts(corpus: Corpus) -> Valued | None:
    if not corpus.has_text or corpus.names is not None:
        return None
    return _numbered([corpus.words(row).lower() for row in range(len(corpus))])


def _layer(corpus: Corpus, name: str) -> Valued | None:
    """The value that a layer of the words has at the head of each mention."""
    if not corpus.has_text or corpus.unit != "token" or corpus.names is not None or name not in corpus.text.layers:
        return None
    layer = corpus.text.layers[name]
    from ..corpus.heads import heads

    token = heads(corpus).token + corpus.text.first[corpus.doc]
    return _numbered([layer[t] for t in token.tolist()])


_MENTION: dict[str, Callable[[Corpus], Valued | None]] = {"type": _types, "length": _lengths, "text": _texts}


def named(attributes: Sequence[str]) -> str:
    """Attributes for a message."""
    more = f" and {len(attributes) - SHOWN} more" if len(attributes) > SHOWN else ""
    return ", ".join(attributes[:SHOWN]) + more if attributes else "none"


def listed(counts: dict[str, int]) -> str:
    """Values with their numbers of mentions, for a message."""
    shown = [f"{value} ({n})" for value, n in [*counts.items()][:SHOWN]]
    return ", ".join(shown) + (f" and {len(counts) - SHOWN} more" if len(counts) > SHOWN else "")
