"""The writer of brat stand-off; its output is read back as the same corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np

from ...corpus.characters import written
from ...corpus.model import Corpus, Relation
from ...errors import InputError
from ..shared.one_document import one_document

HOLDS = frozenset(
    {"words", "sentences", "text", "spans", "labels", "singletons", "crossing mentions"}
    | {"repeated mentions", "discontinuous mentions", "bridging", "split-antecedent", "deixis", "apposition", "anchors"}
    | {"relations within an entity", "names of split antecedents", "attribute *"}
)
NAMES = {"bridging": "Bridging", "split-antecedent": "Split", "apposition": "Appos", "deixis": "Deixis"}
NO_TYPE = "Mention"  # the type of mentions without one, because a T line must have a type
LABEL = re.compile(r".*-\d+")  # the label of an entity in LitBank, which is in the place of a type
_ID = re.compile(r"T\d+")
_WORD = re.compile(r"[^\s;]+")


def write(corpus: Corpus) -> Iterator[str]:
    """The `.ann` file; `beside` has the text."""
    corpus = written(one_document(corpus, "brat"))
    order = np.lexsort((-corpus.end, corpus.start)).tolist()
    given_ids = corpus.attributes.get("id", ())
    keeps_ids = len(set(given_ids)) == len(corpus) and all(map(_ID.fullmatch, given_ids))
    ids = list(given_ids) if keeps_ids else _numbered(order)
    types = [_type(given) for given in corpus.attributes.get("type") or [""] * len(corpus)]
    for row in order:
        spans = ";".join(f"{a} {b + 1}" for a, b in corpus.pieces(row))
        quoted = _quoted(corpus, row) if corpus.has_text else ""
        yield f"{ids[row]}\t{types[row] or NO_TYPE} {spans}{quoted}\n"
    link_numbers = count(1)
    yield from _entities(corpus, order, ids, link_numbers)
    first_of_entity: dict[int, int] = {}
    for row in order:
        first_of_entity.setdefault(int(corpus.entity[row]), row)
    for relation in corpus.relations:
        if relation.kind in NAMES and relation.target >= 0:
            yield f"R{next(link_numbers)}\t{_related(relation, ids, first_of_entity)}\n"
    yield from _attributes(corpus, ids, types, keeps_ids)


def _numbered(order: list[int]) -> list[str]:
    """T1, T2, ... in the order of the rows."""
    ids = [""] * len(order)
    for number, row in enumerate(order, start=1):
        ids[row] = f"T{number}"
    return ids


def _type(given: str) -> str:
    """A type that a T line can have; otherwise empty, and it is written as an attribute."""
    fits = _WORD.fullmatch(given) and given != NO_TYPE and not LABEL.fullmatch(given)
    return given if fits else ""


def _entities(corpus: Corpus, order: list[int], ids: list[str], link_numbers: Iterator[int]) -> Iterator[str]:
    """Links from each mention to the one before it, and then the labels that are not ids of first mentions."""
    last_of_entity: dict[int, int] = {}
    labels: list[str] = []
    for row in order:
        entity = int(corpus.entity[row])
        label = str(corpus.labels[entity])
        if entity in last_of_entity:
            antecedent = ids[last_of_entity[entity]]
            yield f"R{next(link_numbers)}\tCoreference Arg1:{ids[row]} Arg2:{antecedent}\n"
        elif label != ids[row]:
            labels.append(f"#{len(labels) + 1}\tEntity {ids[row]}\t{_line(label, 'label')}\n")
        last_of_entity[entity] = row
    yield from labels


def _attributes(corpus: Corpus, ids: list[str], types: list[str], keeps_ids: bool) -> Iterator[str]:
    """The attributes of mentions, except types and ids that are written already."""
    numbers = count(1)
    for name, values in corpus.attributes.items():
        if name == "id" and keeps_ids:
            continue
        for id, value, type in zip(ids, values, types, strict=True):
            if not value or (name == "type" and type):
                continue
            if _WORD.fullmatch(name) is None or " ".join(value.split()) != value:
                message = f"brat can't hold the attribute {name!r:.40} {value!r:.60}, because of its blanks"
                raise InputError(message)
            yield f"A{next(numbers)}\t{name} {id} {value}\n"


def beside(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """The text file, if there is a text."""
    corpus = written(one_document(corpus, "brat"))
    raws = corpus.text.raw or () if corpus.has_text else ()
    if raws and raws[0].startswith("\ufeff"):  # readers drop it, so all offsets would be wrong by one
        raise InputError("brat can't hold a text that begins with a byte order mark", file=corpus.source or None)
    return {".txt": iter(raws)} if corpus.has_text else {}


def _quoted(corpus: Corpus, row: int) -> str:
    """The mention's text on one line, as brat writes it."""
    raw = (corpus.text.raw or [""])[0]
    text = " ".join(raw[a : b + 1] for a, b in corpus.pieces(row))
    return "\t" + re.sub(r"[\n\r]", " ", text)


def _related(relation: Relation, ids: list[str], first_of_entity: dict[int, int]) -> str:
    """A relation of mentions. An entity as a whole is represented by its first mention."""
    name = NAMES[relation.kind] + (f"_{relation.label}" if relation.label else "")
    if _WORD.fullmatch(name) is None:
        raise InputError(f"brat can't hold the relation {name!r:.60}: its name must be one word")
    source = _end(1, relation.mention, relation.source, ids, first_of_entity)
    target = _end(2, relation.anchor, relation.target, ids, first_of_entity)
    return f"{name} {source} {target}"


def _end(place: int, row: int, entity: int, ids: list[str], first_of_entity: dict[int, int]) -> str:
    if row < 0:
        return f"Entity{place}:{ids[first_of_entity[entity]]}"
    return f"Arg{place}:{ids[row]}"


def _line(label: str, what: str) -> str:
    if not label or re.search(r"[\t\n\r]", label) or label.strip() != label:
        raise InputError(f"brat can't hold the {what} {label!r:.60}: it is empty or has tabs or line breaks")
    return label
