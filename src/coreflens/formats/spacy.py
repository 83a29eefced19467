"""Documents of spaCy, recognised by their attributes; spaCy itself is never imported.

doc.spans["coref_clusters_1"], ...      spacy-experimental: each group of spans is an entity; `coref_head_clusters_1`
                                        has the heads of the mentions or, without the other group, the mentions
doc._.coref_clusters                    fastcoref: lists of (first, last) characters, the last exclusive, which must be
                                        borders of tokens; or neuralcoref: clusters with `.mentions`, which are spans
doc._.coref_chains                      coreferee: chains of mentions with `.token_indexes`

The first of these that a document has is read. If there are several documents, some may have none of these: they have
no mentions. Words, sentences, pos, upos, lemma, head, deprel and ner are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..corpus.model import Corpus, Span
from ..corpus.spans import joined_pieces
from ..errors import InputError
from .shared.builder import Builder, unlabelled
from .shared.source import Source

_GROUP = re.compile(r"coref_(head_)?clusters_(\w+)")
_LAYERS = {"pos": "tag_", "upos": "pos_", "lemma": "lemma_", "deprel": "dep_", "ner": "ent_type_"}
_ENTITIES = Iterable[tuple[str, list[tuple[list[Span], int]]]]  # label, and the pieces and the head of each mention


def is_doc(thing: Any) -> bool:
    if not hasattr(thing, "spans"):
        return False
    return all(hasattr(thing, name) for name in ("_", "text", "__len__", "__iter__")) and isinstance(
        thing.spans, Mapping
    )


def from_docs(docs: Mapping[str, Any], role: str = "") -> Corpus:
    """The corpus of documents by their names."""
    builder = Builder(Source(b"", ""), "spacy")
    annotated = False
    for name, doc in docs.items():
        where = f"{role or 'input'}{f', document {name!r:.80}' if name else ''}"
        builder.document(name)
        _tokens(builder, doc)
        entities = _entities(doc, where)
        annotated |= entities is not None
        for label, mentions in entities or ():
            for pieces, head in mentions:
                if not pieces or pieces[0][0] < 0 or pieces[-1][1] >= len(doc):
                    raise InputError(f"{where}: a mention of entity {label} is not within the {len(doc)} tokens")
                builder.mention(pieces[0][0], pieces[-1][1], (name, label), head=head, parts=pieces)
    if not annotated:
        groups = sorted({str(group) for doc in docs.values() for group in doc.spans})
        names = ", ".join(groups)[:200] or "none"
        raise InputError(
            f"{role or 'input'}: the spaCy documents have no coreference (span groups: {names})",
            hint="coreference is in span groups coref_clusters_1, ..., doc._.coref_clusters or doc._.coref_chains",
        )
    return unlabelled(builder.build())


def _tokens(builder: Builder, doc: Any) -> None:
    sentence = 0  # where the current one starts
    for place, token in enumerate(doc):
        if getattr(token, "is_sent_start", None):
            builder.sentence()
            sentence = place
        layers = {layer: str(value) for layer, name in _LAYERS.items() if (value := getattr(token, name, ""))}
        head = getattr(token, "head", None)
        if layers.get("deprel") and head is not None:
            layers["head"] = "0" if head.i == token.i else str(head.i - sentence + 1)
        builder.token(token.text, 0, False, **layers)


def _entities(doc: Any, where: str) -> _ENTITIES | None:
    groups: dict[bool, dict[str, Any]] = {False: {}, True: {}}
    for key, group in doc.spans.items():
        if parts := _GROUP.fullmatch(str(key)):
            groups[parts[1] is not None][parts[2]] = group
    spans, heads = groups[False], groups[True]
    if spans:
        return [(label, _with_heads(list(group), list(heads.get(label, ())))) for label, group in spans.items()]
    if heads:
        return [(label, _with_heads(list(group), list(group))) for label, group in heads.items()]
    clusters = getattr(doc._, "coref_clusters", None)
    if clusters is not None:
        return [(str(n), [(_pieces(m, doc, where), -1) for m in _members(c)]) for n, c in enumerate(clusters, start=1)]
    chains = getattr(doc._, "coref_chains", None)
    if chains is not None:
        return [
            (str(n), [([*joined_pieces((i, i) for i in mention.token_indexes)], -1) for mention in chain])
            for n, chain in enumerate(chains, start=1)
        ]
    return None


def _with_heads(spans: list[Any], heads: list[Any]) -> list[tuple[list[Span], int]]:
    """Spans with their heads, which have the same places in their group. There is no head (−1) if it is not in its
    span, or if the groups have different lengths."""
    if len(heads) != len(spans):
        heads = [None] * len(spans)
    return [
        ([(s.start, s.end - 1)], h.start if h is not None and s.start <= h.start < s.end else -1)
        for s, h in zip(spans, heads, strict=True)
    ]


def _members(cluster: Any) -> list[Any]:
    return list(cluster.mentions if hasattr(cluster, "mentions") else cluster)


def _pieces(mention: Any, doc: Any, where: str) -> list[Span]:
    if not hasattr(mention, "start"):
        try:
            first, last = mention
            span = doc.char_span(int(first), int(last))
        except (TypeError, ValueError):
            raise InputError(f"{where}: a mention must be a span or (first, last), not {mention!r:.40}") from None
        if span is None:
            raise InputError(
                f"{where}: characters {first} to {last} are not borders of tokens",
                hint="clusters of numbers are characters, the last exclusive, as fastcoref gives them",
            )
        mention = span
    return [(mention.start, mention.end - 1)]
