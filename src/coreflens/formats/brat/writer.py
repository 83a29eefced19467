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
    given = corpus.attributes.get("id", ())
    own = len(set(given)) == len(corpus) and all(map(_ID.fullmatch, given))
    order = np.lexsort((-corpus.end, corpus.start)).tolist()
    place = {row: number for number, row in enumerate(order, start=1)}
    ids = list(given) if own else [f"T{place[row]}" for row in range(len(corpus))]
    types = corpus.attributes.get("type") or [""] * len(corpus)
    plain = [t if _WORD.fullmatch(t) and t != NO_TYPE and not LABEL.fullmatch(t) else "" for t in types]
    for row in order:
        spans = ";".join(f"{a} {b + 1}" for a, b in corpus.pieces(row))
        quoted = _quoted(corpus, row) if corpus.has_text else ""
        yield f"{ids[row]}\t{plain[row] or NO_TYPE} {spans}{quoted}\n"
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    number = count(1)
    labels: list[str] = []
    for row in order:
        e = int(corpus.entity[row])
        if e in last:
            yield f"R{next(number)}\tCoreference Arg1:{ids[row]} Arg2:{ids[last[e]]}\n"
        elif (label := str(corpus.labels[e])) != ids[row]:
            labels.append(f"#{len(labels) + 1}\tEntity {ids[row]}\t{_line(label, 'label')}\n")
        first.setdefault(e, row)
        last[e] = row
    yield from labels
    for relation in corpus.relations:
        if relation.kind not in NAMES or relation.target < 0:
            continue
        yield f"R{next(number)}\t{_related(relation, ids, first)}\n"
    number = count(1)
    for name, values in corpus.attributes.items():
        for id, value, shown in zip(ids, values, plain, strict=True):
            if value and not (name == "type" and shown) and not (name == "id" and own):
                if _WORD.fullmatch(name) is None or " ".join(value.split()) != value:
                    what = f"brat can't hold the attribute {name!r:.40} {value!r:.60}, because of its blanks"
                    raise InputError(what)
                yield f"A{next(number)}\t{name} {id} {value}\n"


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


def _related(relation: Relation, ids: list[str], first: dict[int, int]) -> str:
    """A relation of mentions. An entity as a whole is represented by its first mention."""
    name = NAMES[relation.kind] + (f"_{relation.label}" if relation.label else "")
    if _WORD.fullmatch(name) is None:
        raise InputError(f"brat can't hold the relation {name!r:.60}: its name must be one word")
    ends = []
    for place, (row, entity) in enumerate(((relation.mention, relation.source), (relation.anchor, relation.target)), 1):
        whole = row < 0
        row = first[entity] if whole else row
        ends.append(f"{'Entity' if whole else 'Arg'}{place}:{ids[row]}")
    return " ".join([name, *ends])


def _line(label: str, what: str) -> str:
    if not label or re.search(r"[\t\n\r]", label) or label.strip() != label:
        raise InputError(f"brat can't hold the {what} {label!r:.60}: it is empty or has tabs or line breaks")
    return label
