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
from collections import Counter
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
        found = [s for name in types for s in self.cas.types.get(name, ())]
        self.read.update(s.type for s in found)
        return found

    def mention(self, structure: Structure, label: str, spans: list[Span] | None = None, **more: str) -> int | None:
        """Add a mention of the text that a structure covers, with its values; None if its place was reported."""
        covered: list[Span | None] = [*spans] if spans else [self.cas.span(structure)]
        pieces = [place for span in covered if span and (place := self.text.place(structure, span))]
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
        named: dict[str, list[Structure]] = {}
        for type, structures in self.cas.types.items():
            if found := _ANNOTATOR.fullmatch(type):
                named.setdefault(found[1], []).extend(structures)
        if not named.get("Mention"):
            return False
        cas = self.cas
        entities = {s.id: s for kind in ("Entity", "EntityGroup") for s in named.get(kind, ())}
        self.read.update(s.type for kind in _OWN_KINDS for s in named.get(kind, ()))
        labels = self.labels(entities)
        others: dict[str, list[Structure]] = {}
        for kind in ("DetachedMentionPart", "MentionSurface"):
            for part in named.get(kind, ()):
                others.setdefault(part.element.get("Mention"), []).append(part)
        flags = {s.id: s.element.get("Key") or s.element.get("Label") for s in named.get("Flag", ())}
        first: dict[str, int] = {}
        for mention in named["Mention"]:
            entity = mention.element.get("Entity")
            if entity not in entities:
                what = f"there is no entity '{entity:.40}'" if entity else "this mention has no entity"
                self.source.report("dangling", what, line=mention.line, column=mention.element.column)
                continue
            whole = [mention] if mention.element.get("begin") else []
            spans = [span for part in (*whole, *others.get(mention.id, ())) if (span := cas.span(part))]
            given = ",".join(flags.get(flag, flag) for flag in cas.values(mention, "Flags"))
            if not spans:
                self.source.report("syntax", "this mention has no place", line=mention.line)
                continue
            handle = self.mention(mention, labels[entity], spans, flags=given)
            if handle is not None:
                first.setdefault(entity, handle)
        for id, group in entities.items():
            for member in cas.values(group, "Members"):
                if member not in entities:
                    message = f"a group has the member '{member:.40}', which does not exist"
                    self.source.report("dangling", message, line=group.line, column=group.element.column)
                elif id in first and member in first:
                    self.builder.relation("split-antecedent", labels[id], labels[member], mention=first[id])
        self.labelled = True
        return True

    def labels(self, entities: dict[str, Structure]) -> dict[str, str]:
        """The labels of the entities, with their ids if labels are equal."""
        plain = {id: " ".join(s.element.get("Label").split()) for id, s in entities.items()}
        often = Counter(plain.values())
        return {id: label if often[label] == 1 and label else f"{label}#{id}" for id, label in plain.items()}

    # ---- chains of DKPro and of layers

    def chains(self) -> bool:
        chains = self.structures(
            t for t, found in self.cas.types.items() if any("first" in s.element.attributes for s in found)
        )
        seen: dict[str, str] = {}
        for chain in chains:
            following, before = chain.element.get("first"), chain
            while following:
                link = self.cas.structures.get(following)
                if link is None:
                    message = f"a chain continues at '{following:.40}', which does not exist"
                    self.source.report("dangling", message, line=before.line, column=before.element.column)
                    break
                if following in seen:
                    circle = seen[following] == chain.id
                    what = "the chain returns to itself" if circle else "this link belongs to two chains"
                    self.source.report("syntax", f"{what}: '{following:.40}'", line=before.line)
                    break
                seen[following] = chain.id
                self.read.add(link.type)
                self.mention(link, chain.id)
                following, before = link.element.get("next"), link
        heads = {chain.id for chain in chains}
        alone = [
            s for t in sorted(self.read) for s in self.cas.types.get(t, ()) if s.id not in seen and s.id not in heads
        ]
        if chains and alone:
            self.source.report("left-out", f"links in no chain, {len(alone)}: left out", line=alone[0].line)
        return bool(chains)

    # ---- relations between spans

    def relations(self) -> bool:
        cas = self.cas
        layers = {
            t: s for t, s in cas.types.items() if any({"Governor", "Dependent"} <= {*x.element.attributes} for x in s)
        }
        links = [s for type, found in layers.items() for s in found if _COREF.search(type) or _says_coref(s)]
        if not links:
            return False
        ends: list[tuple[str, str]] = []
        spans: set[str] = set()
        for link in links:
            pair = link.element.get("Governor"), link.element.get("Dependent")
            missing = next((id for id in pair if id not in cas.structures), None)
            if missing is not None:
                message = f"a relation refers to '{missing:.40}', which does not exist"
                self.source.report("dangling", message, line=link.line, column=link.element.column)
                continue
            ends.append(pair)
            spans.update(cas.structures[id].type for id in pair)
        mentions = {s.id: s for s in self.structures(t for t in cas.types if t in spans)}
        for id, entity in closure(mentions, [p for p in ends if p[0] in mentions and p[1] in mentions]).items():
            self.mention(mentions[id], entity)
        others = Counter(s.type for found in layers.values() for s in found) - Counter(s.type for s in links)
        for type, count in others.items():
            if type in {s.type for s in links}:
                self.source.report("left-out", f"relations of {type} that are not coreference, {count}: left out")
        self.read.update(s.type for s in links)
        return True

    def note_others(self) -> None:
        left = {t: len(s) for t, s in self.cas.types.items() if t not in self.read and t not in self.text.types}
        layers = {t: n for t, n in left.items() if not t.startswith(_NO_LAYERS)}
        if layers:
            found = ", ".join(f"{t.rpartition('.')[2]} ({n})" for t, n in sorted(layers.items()))
            self.source.report("left-out", f"not read as coreference, left out: {found[:200]}")
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


def _says_coref(relation: Structure) -> bool:
    return any(_COREF.search(value) for name, value in relation.element.attributes.items() if name not in _USUAL)
