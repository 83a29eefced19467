"""ECB+ XML: one document per file, events and entities with coreference across documents (Cybulska and Vossen 2014).

    <Document doc_name="36_1ecb.xml">
    <token t_id="1" sentence="0" number="0">Perennial</token> ...
    <Markables>
      <ACTION_OCCURRENCE m_id="9"><token_anchor t_id="43"/><token_anchor t_id="45"/></ACTION_OCCURRENCE>
      <LOC_GEO m_id="73" RELATED_TO="" TAG_DESCRIPTOR="t36_utah" instance_id="LOC17720114563425831"/>
    </Markables>
    <Relations>
      <CROSS_DOC_COREF r_id="38618" note="LOC17720114563425831"><source m_id="65"/><target m_id="73"/></CROSS_DOC_COREF>
      <INTRA_DOC_COREF r_id="38610"><source m_id="2"/><source m_id="60"/><target m_id="61"/></INTRA_DOC_COREF>
    </Relations>
    </Document>

Markables with anchors are mentions, also discontinuous ones. Markables without anchors are the instances that relations
point to. An entity of CROSS_DOC_COREF is labelled by its instance (`note`), the same in all documents, so that `--scope
corpus` or a topic works. An entity of INTRA_DOC_COREF is labelled `INTRA_<r_id>_<document>`. Markables in no relation
are singletons, `Singleton_<TYP>_<m_id>_<document>`, as in the key files that are used to evaluate on ECB+.

Events and entities are in one file, but evaluations score only events or only entities. The attribute `kind` is `event`
for ACTION_* and NEG_ACTION_*, and `entity` for all others. `type` is the tag, and `descriptor` is the TAG_DESCRIPTOR of
the instance. A file with both kinds is reported (`mixed-kinds`). The list of sentences whose annotation was checked
(ECBplus_coreference_sentences.csv) is not part of these files, so all sentences are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..corpus.model import Corpus, Span, file_stem
from ..corpus.spans import joined_pieces
from .shared.builder import Builder
from .shared.source import Source
from .shared.xml import Element, elements, root

_CONTAINERS = {"Document", "Markables", "Relations"}
_CROSS, _INTRA = "CROSS_DOC_COREF", "INTRA_DOC_COREF"

WIDE = True


def looks_like(head: bytes) -> bool:
    return root(head) == b"Document" and b"doc_name=" in head and (b"<token t_id=" in head or b"<Markables" in head)


def read(source: Source) -> Corpus:
    builder = Builder(source, "ecb")
    name = ""
    tokens: dict[str, int] = {}
    sentence: str | None = None
    markables: dict[str, Element] = {}
    relations: list[Element] = []
    for element in elements(source, _CONTAINERS):
        if element.tag == "Document":
            name = element.get("doc_name").removesuffix(".xml") or file_stem(source.name)
            builder.document(name, line=element.line)
        elif not builder.documents:
            source.fail(f"<Document> is expected, not <{element.tag}>", line=element.line, column=element.column)
        elif element.tag == "token":
            if element.get("sentence") != sentence:
                sentence = element.get("sentence")
                builder.sentence()
            if _new(source, element, "t_id", tokens):
                tokens[element.get("t_id")] = builder.token(element.text.strip(), element.line)
        elif element.parent == "Markables" and _new(source, element, "m_id", markables):
            markables[element.get("m_id")] = element
        elif element.parent == "Relations":
            relations.append(element)
    if not tokens:
        source.fail("there is no <token> in this file", code="input")
    _mentions(builder, source, name, tokens, markables, relations)
    return builder.build()


def _new(source: Source, element: Element, key: str, known: Iterable[str]) -> bool:
    """Whether the element has an identifier that no element had before."""
    value = element.get(key)
    if value and value not in known:
        return True
    code, what = ("duplicate-id", f"{key} '{value:.40}' occurs twice") if value else ("syntax", f"{key} is missing")
    source.report(code, f"{what}: <{element.tag:.40}>", line=element.line, column=element.column)
    return False


def _mentions(
    builder: Builder,
    source: Source,
    name: str,
    tokens: dict[str, int],
    markables: dict[str, Element],
    relations: list[Element],
) -> None:
    parts = {m: p for m, element in markables.items() if (p := _anchors(source, element, tokens))}
    kinds: Counter[str] = Counter()

    def mention(m: str, label: str, descriptor: str = "") -> None:
        element, spans = markables[m], parts[m]
        tag = element.tag
        kind = "event" if tag.startswith(("ACTION", "NEG_ACTION")) else "entity"
        kinds[kind] += 1
        handle = builder.mention(spans[0][0], spans[-1][1], label, line=element.line, parts=spans, type=tag, kind=kind)
        for attribute, value in (("id", m), ("note", element.get("note")), ("descriptor", descriptor)):
            builder.attribute(handle, attribute, value)

    linked: set[str] = set()
    left_out: Counter[str] = Counter()
    for relation in relations:
        if relation.tag not in (_CROSS, _INTRA):
            left_out[relation.tag] += 1
            continue
        label, descriptor = _label(source, relation, name, markables)
        for end in relation.children:
            m = end.get("m_id")
            if end.tag == "target":
                continue
            if m in parts:
                linked.add(m)
                mention(m, label, descriptor)
            elif m not in markables:
                message = f"{relation.tag} {relation.get('r_id')} names markable '{m:.40}', which does not exist"
                source.report("dangling", message, line=end.line, column=end.column)
            else:
                left_out["markable without words"] += 1
    for m in parts:
        if m not in linked:
            mention(m, f"Singleton_{markables[m].tag[:3]}_{m}_{name}")
    for what, count in left_out.items():
        source.report("left-out", f"{what}: {count} left out")
    if len(kinds) > 1:
        counts = f"mentions of events ({kinds['event']}) and of entities ({kinds['entity']})"
        source.report("mixed-kinds", f"{counts} in one file: --only kind=event (or kind=entity) selects them")


def _label(source: Source, relation: Element, name: str, markables: dict[str, Element]) -> tuple[str, str]:
    """The label of the entity, and its name by the annotators."""
    target = relation.find("target")
    instance = markables.get(target.get("m_id")) if target else None
    if target is not None and instance is None:
        message = f"{relation.tag} {relation.get('r_id')} names target '{target.get('m_id'):.40}', which does not exist"
        source.report("dangling", message, line=target.line, column=target.column)
    descriptor = instance.get("TAG_DESCRIPTOR") if instance else ""
    if relation.tag == _INTRA:
        return f"INTRA_{relation.get('r_id')}_{name}", descriptor
    label = relation.get("note") or (instance.get("instance_id") if instance else "")
    if not label:
        message = f"{_CROSS} {relation.get('r_id')} has no note, and its target has no instance_id"
        source.report("syntax", message, line=relation.line, column=relation.column)
    return label or f"CROSS_{relation.get('r_id')}_{name}", descriptor


def _anchors(source: Source, element: Element, tokens: dict[str, int]) -> list[Span]:
    """The pieces of a markable: runs of its tokens."""
    places = set()
    for anchor in element.children:
        if anchor.tag == "token_anchor":
            place = tokens.get(anchor.get("t_id"))
            if place is None:
                message = f"markable {element.get('m_id')} names token '{anchor.get('t_id'):.40}', which does not exist"
                source.report("dangling", message, line=anchor.line, column=anchor.column)
            else:
                places.add(place)
    return [*joined_pieces((place, place) for place in places)]
