"""UIMA CAS as XMI: the files of INCEpTION, WebAnno, DKPro and CorefAnnotator.

    <xmi:XMI xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore" ...>
      <type4:Token xmi:id="23" sofa="12" begin="0" end="2"/> ...
      <type:CoreferenceLink xmi:id="9555" sofa="12" begin="0" end="2" next="9562" referenceType="pronoun"/>
      <type:CoreferenceChain xmi:id="9569" sofa="12" first="9555"/>
      <cas:Sofa xmi:id="12" sofaID="_InitialView" sofaString="He came. ..."/>
      <cas:View sofa="12" members="23 9555 9562 9569"/>
    </xmi:XMI>

The first of these that the file has is read. The others are reported:

    CorefAnnotator   Mention with Entity and Label, in three versions of its types; detached parts and several surfaces
                     are pieces, Flags an attribute; an EntityGroup is a plural, and its Members are split antecedents
    chains           links and their `next`, from the `first` of a chain: DKPro's, or those of a chain layer
    relations        Governor and Dependent, of a layer with `coref` in its name, or single links that have it in a
                     value (`LinkArt="Koreferenz"`); entities are their closure, and every span of the layer is a
                     mention

`referenceType` or `entity` of a span is its `type`, and `referenceRelation` is `link`. Other values are attributes
under their own names, and `false` means no value. Labels are those of CorefAnnotator's entities, with the id if two
have the same name. Other entities have no labels.

If the file has DKPro's tokens, spans count tokens. A span of a part of a token is read as the whole token, and
reported. Layers: pos and lemma. Otherwise spans count characters of the text. Offsets in XMI are UTF-16 units, as in
Java, and are converted to characters. If there are several views, only the members of the initial one are read. The
document is named after its title, without the suffix of a text file.

The writer uses the built-in layers of INCEpTION: tokens, sentences, part of speech, lemma, and the Coreference layer
with its types. They can't hold labels of entities, discontinuous mentions and relations.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from ...corpus.model import Corpus, Span
from ...corpus.spans import joined_pieces
from ..shared.builder import Builder, unlabelled
from ..shared.closure import closure
from ..shared.source import Source
from ..shared.xml import root
from .cas import Cas, Structure
from .writer import HOLDS, UNITS, write

__all__ = ["HOLDS", "UNITS", "looks_like", "read", "write"]

_ANNOTATOR = re.compile(r"de\.unistuttgart\.ims\.coref\.annotator\.api(?:\.v\d+)?\.(\w+)")
_COREF = re.compile(r"[ck]oref|anaphor", re.I)
_USUAL = {
    "xmi:id",
    "sofa",
    "begin",
    "end",
    "next",
    "first",
    "Governor",
    "Dependent",
    "Entity",
    "Discontinuous",
    "Flags",
}
_USUAL |= {"Surface", "Mention"}
_NAMES = {"referenceType": "type", "referenceRelation": "link", "entity": "type"}
_TEXT_SUFFIX = re.compile(r"\.(?:txt|xml|xmi|tsv|html?|pdf|json|conllu?)\Z", re.I)


def looks_like(head: bytes) -> bool:
    return root(head) == b"xmi:XMI"


def read(source: Source) -> Corpus:
    cas = Cas(source)
    reader = _Reader(cas)
    for read_some in (reader.annotator, reader.chains, reader.relations):
        if read_some():
            break
    else:
        message = "there are no entities, chains or relations of coreference: a document without mentions"
        source.report("no-coreference", message, line=cas.line)
    reader.note_others()
    corpus = reader.builder.build()
    return corpus if reader.labelled else unlabelled(corpus)


class _Reader:
    def __init__(self, cas: Cas) -> None:
        self.cas, self.source = cas, cas.source
        self.text = cas.read_text()
        unit = "token" if self.text.tokens else "character"
        self.builder = Builder(cas.source, "xmi", unit)
        self.builder.document(_TEXT_SUFFIX.sub("", cas.title) or cas.stem, line=cas.line)
        self.text.add(self.builder)
        self.labelled = False
        self.read: set[str] = set()  # types

    def structures(self, types: Iterable[str]) -> list[Structure]:
        structures = [s for name in types for s in self.cas.types.get(name, ())]
        self.read.update(s.type for s in structures)
        return structures

    def mention(self, structure: Structure, label: str, spans: list[Span] | None = None, **more: str) -> int | None:
        """Add a mention of the text that a structure covers, with its values; None if its place was reported."""
        covered = spans or self.spans([structure])
        pieces = [place for span in covered if (place := self.text.place(structure, span))]
        if not pieces:
            return None
        parts = joined_pieces(pieces)
        handle = self.builder.mention(parts[0][0], parts[-1][1], label, line=structure.line, parts=parts)
        for name, value in structure.element.attributes.items():
            if name not in _USUAL and value and value not in ("false",):
                self.builder.attribute(handle, _NAMES.get(name, name), value)
        for name, value in more.items():
            self.builder.attribute(handle, name, value)
        return handle

    # ---- CorefAnnotator

    def annotator(self) -> bool:
        by_kind: dict[str, list[Structure]] = defaultdict(list)
        for type, structures in self.cas.types.items():
            if own := _ANNOTATOR.fullmatch(type):
                by_kind[own[1]].extend(structures)
        if not by_kind["Mention"]:
            return False
        self.read.update(s.type for kind in _OWN_KINDS for s in by_kind[kind])
        entities = {s.id: s for kind in ("Entity", "EntityGroup") for s in by_kind[kind]}
        labels = self.labels(entities)
        first_mention = self.annotated_mentions(by_kind, entities, labels)
        self.groups(entities, labels, first_mention)
        self.labelled = True
        return True

    def annotated_mentions(
        self, by_kind: dict[str, list[Structure]], entities: dict[str, Structure], labels: dict[str, str]
    ) -> dict[str, int]:
        """Add the mentions; returns the handle of the first of each entity."""
        surfaces: dict[str, list[Structure]] = defaultdict(list)  # other places of a mention
        for kind in ("DetachedMentionPart", "MentionSurface"):
            for part in by_kind[kind]:
                surfaces[part.element.get("Mention")].append(part)
        flags = {s.id: s.element.get("Key") or s.element.get("Label") for s in by_kind["Flag"]}
        first_mention: dict[str, int] = {}
        for mention in by_kind["Mention"]:
            entity = mention.element.get("Entity")
            if entity not in entities:
                message = f"there is no entity '{entity:.40}'" if entity else "this mention has no entity"
                self.source.report("dangling", message, line=mention.line, column=mention.element.column)
                continue
            own_place = [mention] if mention.element.get("begin") else []
            spans = self.spans([*own_place, *surfaces[mention.id]])
            flag_names = ",".join(flags.get(flag, flag) for flag in self.cas.values(mention, "Flags"))
            if not spans:
                self.source.report("syntax", "this mention has no place", line=mention.line)
                continue
            handle = self.mention(mention, labels[entity], spans, flags=flag_names)
            if handle is not None:
                first_mention.setdefault(entity, handle)
        return first_mention

    def spans(self, structures: Iterable[Structure]) -> list[Span]:
        """The places of structures; impossible ones are reported."""
        return [span for structure in structures if (span := self.cas.span(structure))]

    def groups(self, entities: dict[str, Structure], labels: dict[str, str], first_mention: dict[str, int]) -> None:
        """Add the members of groups as split antecedents."""
        for id, group in entities.items():
            for member in self.cas.values(group, "Members"):
                if member not in entities:
                    message = f"a group has the member '{member:.40}', which does not exist"
                    self.source.report("dangling", message, line=group.line, column=group.element.column)
                elif id in first_mention and member in first_mention:
                    handle = first_mention[id]
                    self.builder.relation("split-antecedent", labels[id], labels[member], mention=handle)

    def labels(self, entities: dict[str, Structure]) -> dict[str, str]:
        """The labels of the entities, with their ids if labels are equal."""
        plain = {id: " ".join(s.element.get("Label").split()) for id, s in entities.items()}
        often = Counter(plain.values())
        return {id: label if often[label] == 1 and label else f"{label}#{id}" for id, label in plain.items()}

    # ---- chains of DKPro and of layers

    def chains(self) -> bool:
        types = self.cas.types
        chain_types = [t for t, structures in types.items() if any("first" in s.element.attributes for s in structures)]
        chains = self.structures(chain_types)
        chain_of: dict[str, str] = {}  # of links
        for chain in chains:
            self.chain(chain, chain_of)
        known = {*chain_of, *(chain.id for chain in chains)}
        alone = [s for type in sorted(self.read) for s in types.get(type, ()) if s.id not in known]
        if chains and alone:
            self.source.report("left-out", f"links in no chain, {len(alone)}: left out", line=alone[0].line)
        return bool(chains)

    def chain(self, chain: Structure, chain_of: dict[str, str]) -> None:
        """Add the mentions of a chain, link by link, up to the first that is missing or in a chain already."""
        following, before = chain.element.get("first"), chain
        while following:
            link = self.cas.structures.get(following)
            if link is None:
                message = f"a chain continues at '{following:.40}', which does not exist"
                self.source.report("dangling", message, line=before.line, column=before.element.column)
                return
            if following in chain_of:
                circle = chain_of[following] == chain.id
                what = "the chain returns to itself" if circle else "this link belongs to two chains"
                self.source.report("syntax", f"{what}: '{following:.40}'", line=before.line)
                return
            chain_of[following] = chain.id
            self.read.add(link.type)
            self.mention(link, chain.id)
            following, before = link.element.get("next"), link

    # ---- relations between spans

    def relations(self) -> bool:
        layers = {t: s for t, s in self.cas.types.items() if any(map(_is_relation, s))}
        links = [s for layer in layers.values() for s in layer if _says_coref(s)]
        if not links:
            return False
        ends = self.ends(links)
        mentions = self.spans_like(ends)
        in_view = [pair for pair in ends if mentions.keys() >= {*pair}]
        for id, entity in closure(mentions, in_view).items():
            self.mention(mentions[id], entity)
        self.read.update(s.type for s in links)
        self.report_other_relations(layers, links)
        return True

    def spans_like(self, ends: Iterable[tuple[str, str]]) -> dict[str, Structure]:
        """All structures of the types that relations connect, by id."""
        types = {self.cas.structures[id].type for pair in ends for id in pair}
        return {s.id: s for s in self.structures(t for t in self.cas.types if t in types)}

    def report_other_relations(self, layers: dict[str, list[Structure]], links: Iterable[Structure]) -> None:
        """Report relations that are not coreference, of the types of those that are."""
        for type, count in Counter(s.type for s in links).items():
            others = len(layers[type]) - count
            if others:
                self.source.report("left-out", f"relations of {type} that are not coreference, {others}: left out")

    def ends(self, links: Iterable[Structure]) -> list[tuple[str, str]]:
        """The ids that relations connect; a relation to nothing is reported."""
        ends = []
        for link in links:
            pair = link.element.get("Governor"), link.element.get("Dependent")
            missing = next((id for id in pair if id not in self.cas.structures), None)
            if missing is None:
                ends.append(pair)
            else:
                message = f"a relation refers to '{missing:.40}', which does not exist"
                self.source.report("dangling", message, line=link.line, column=link.element.column)
        return ends

    def note_others(self) -> None:
        left = {t: len(s) for t, s in self.cas.types.items() if t not in self.read and t not in self.text.types}
        layers = {t: n for t, n in left.items() if not t.startswith(_NO_LAYERS)}
        if layers:
            names = ", ".join(f"{t.rpartition('.')[2]} ({n})" for t, n in sorted(layers.items()))
            self.source.report("left-out", f"not read as coreference, left out: {names[:200]}")
        if self.cas.unlisted:
            self.source.report("left-out", f"structures that the view does not list, {self.cas.unlisted}: left out")


_OWN_KINDS = (
    "Mention",
    "Entity",
    "EntityGroup",
    "DetachedMentionPart",
    "MentionSurface",
    "Flag",
    "Segment",
    "Line",
    "Meta",
)
_NO_LAYERS = ("uima.", "de.tudarmstadt.ukp.dkpro.core.api.metadata.", "de.tudarmstadt.ukp.clarin.webanno.api.type.")


def _is_relation(structure: Structure) -> bool:
    return {"Governor", "Dependent"} <= structure.element.attributes.keys()


def _says_coref(relation: Structure) -> bool:
    """Whether the name of the layer or a value of the relation has `coref` in it."""
    if _COREF.search(relation.type):
        return True
    return any(_COREF.search(value) for name, value in relation.element.attributes.items() if name not in _USUAL)
