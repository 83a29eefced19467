"""The structures of a CAS, by their ids and types, and its text with their places."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ...corpus.model import Span, file_stem
from ..shared.builder import Builder
from ..shared.source import Source
from ..shared.xml import Element, elements

_SEGMENTS = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
_METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
_POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos."


@dataclass(frozen=True, eq=False, slots=True)
class Structure:
    """A feature structure, such as an annotation: its id, the full name of its type, and the element."""

    id: str
    type: str
    element: Element

    @property
    def line(self) -> int:
        return self.element.line


class Cas:
    """All structures of the file by id, and those of the initial view by type."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.stem = file_stem(source.name)
        self.structures: dict[str, Structure] = {}
        self.types: dict[str, list[Structure]] = {}
        self.line = 1
        self.unlisted = 0
        packages: dict[str, str] = {}
        sofas: list[Element] = []
        views: list[Element] = []
        for element in elements(source, {"xmi:XMI"}):
            if not element.depth:
                if element.tag != "xmi:XMI":
                    message = f"<xmi:XMI> is expected, not <{element.tag:.40}>"
                    source.fail(message, line=element.line, column=element.column)
                self.line = element.line
                packages = _packages(element)
                continue
            prefix, _, name = element.tag.rpartition(":")
            type = f"{packages.get(prefix, prefix)}.{name}"
            if type == "uima.cas.Sofa":
                sofas.append(element)
            if type == "uima.cas.View":
                views.append(element)
                continue
            if type == "uima.cas.NULL":
                continue
            id = element.get("xmi:id")
            if id in self.structures:
                message = f"the xmi:id '{id:.40}' occurs twice"
                source.report("duplicate-id", message, line=element.line, column=element.column)
            elif not id:
                source.report("syntax", f"<{element.tag:.40}> has no xmi:id", line=element.line, column=element.column)
            else:
                self.structures[id] = Structure(id, type, element)
        self.sofa = self._initial(sofas)
        self._index(views)
        self.text = self.sofa.get("sofaString")
        self._places = _utf16(self.text)

    @property
    def title(self) -> str:
        metadata = self.types.get(_METADATA, ())
        return next((t for s in metadata if (t := s.element.get("documentTitle") or s.element.get("documentId"))), "")

    def _initial(self, sofas: list[Element]) -> Element:
        with_text = [sofa for sofa in sofas if sofa.get("sofaString")]
        if not with_text:
            self.source.fail("there is no <cas:Sofa> with a sofaString: this CAS has no text", line=self.line)
        initial = next((sofa for sofa in with_text if sofa.get("sofaID") == "_InitialView"), with_text[0])
        if len(with_text) > 1:
            names = ", ".join(sofa.get("sofaID")[:40] for sofa in with_text if sofa is not initial)
            self.source.report("left-out", f"views besides the initial one: {names[:200]}", line=with_text[1].line)
        return initial

    def _index(self, views: list[Element]) -> None:
        """Structures by type: those that the view lists, and those in no view that they need, such as entities."""
        sofa = self.sofa.get("xmi:id")
        members = {id for view in views if view.get("sofa") == sofa for id in view.get("members").split()}
        for structure in self.structures.values():
            element = structure.element
            if element.get("sofa") not in ("", sofa):
                continue
            if members and structure.id not in members and "begin" in element.attributes:
                self.unlisted += 1
                continue
            self.types.setdefault(structure.type, []).append(structure)

    def values(self, structure: Structure, feature: str) -> list[str]:
        """The values of a feature that has several: texts, or ids."""
        inside = [child.text for child in structure.element.children if child.tag == feature]
        values = structure.element.get(feature).split()
        if len(values) == 1 and (array := self.structures.get(values[0])) is not None and array.type in _ARRAYS:
            inside += [child.text for child in array.element.children if child.tag == "elements"]
            values = array.element.get("elements").split()
        values = self._listed(values) or values
        return inside + [id for id in values if id != _NOTHING]

    def _listed(self, ids: list[str]) -> list[str]:
        """The ids in a linked list of structures."""
        here = self.structures.get(ids[0]) if len(ids) == 1 else None
        heads: list[str] = []
        seen: set[str] = set()
        while here is not None and here.type == "uima.cas.NonEmptyFSList" and here.id not in seen:
            seen.add(here.id)
            heads.append(here.element.get("head"))
            here = self.structures.get(here.element.get("tail"))
        return heads

    def span(self, structure: Structure) -> Span | None:
        """First character and the one after the last; an impossible span is reported, and the result is None."""
        begin, end = (_number(structure.element.get(name)) for name in ("begin", "end"))
        where = f"<{structure.element.tag:.40}> '{structure.id:.40}'"
        code, message = "", ""
        if begin is None or end is None:
            code, message = "syntax", "begin and end are missing"
        elif end <= begin:
            code, message = "span-order", f"the end {end} is not after the beginning {begin}"
        elif end >= len(self._places):
            code, message = "span-range", f"the end {end} is after the end of the text, {len(self._places) - 1}"
        elif self._places[begin] < 0 or self._places[end] < 0:
            code, message = "span-range", "it begins or ends within a character"
        if code:
            self.source.report(code, f"{where}: {message}", line=structure.line, column=structure.element.column)
        if code or begin is None or end is None:
            return None
        return int(self._places[begin]), int(self._places[end])

    def read_text(self) -> TokenText:
        """The tokens in their order."""
        text = TokenText(self)
        for token in self.types.get(f"{_SEGMENTS}Token", ()):
            if (span := self.span(token)) is not None:
                text.tokens.append((*span, token))
        text.tokens.sort(key=lambda t: t[:2])
        text.starts = [a for a, _, _ in text.tokens]
        text.stops = [b for _, b, _ in text.tokens]
        for (_, stop, _), (start, _, token) in pairwise(text.tokens):
            if start < stop:
                message = f"token '{token.id:.40}' begins before the one before it ends"
                self.source.fail(message, line=token.line, column=token.element.column)
        return text


@dataclass
class TokenText:
    """The text of a CAS, in tokens if it has any."""

    cas: Cas
    tokens: list[tuple[int, int, Structure]] = field(default_factory=list)
    starts: Sequence[int] = ()
    stops: Sequence[int] = ()

    @property
    def types(self) -> set[str]:
        """The types that are read as text."""
        return {t for t in self.cas.types if t.startswith((_SEGMENTS, _POS))}

    def add(self, builder: Builder) -> None:
        if not self.tokens:
            builder.raw(self.cas.text)
            return
        cas = self.cas
        sentences = [s for x in cas.types.get(f"{_SEGMENTS}Sentence", ()) if (s := cas.span(x)) is not None]
        first = {bisect_left(self.starts, start) for start, _ in sentences}
        for place, (start, stop, token) in enumerate(self.tokens):
            if place in first:
                builder.sentence()
            layers = {}
            for layer, feature, value in (("pos", "pos", "PosValue"), ("lemma", "lemma", "value")):
                target = cas.structures.get(token.element.get(feature))
                if target is not None and target.element.get(value):
                    layers[layer] = target.element.get(value)
            builder.token(cas.text[start:stop], token.line, False, **layers)

    def place(self, structure: Structure, span: Span) -> Span | None:
        """A span of characters as a span of tokens, or of characters if there are none; the last is included."""
        start, stop = span
        if not self.tokens:
            return start, stop - 1
        first, last = bisect_right(self.stops, start), bisect_left(self.starts, stop) - 1
        if last < first:
            message = f"<{structure.element.tag:.40}> '{structure.id:.40}' covers no token"
            self.cas.source.report("span-range", message, line=structure.line, column=structure.element.column)
            return None
        text = self.cas.text
        before, after = text[self.starts[first] : start], text[stop : self.stops[last]]
        if (start > self.starts[first] and before.strip()) or (stop < self.stops[last] and after.strip()):
            message = f"'{text[start:stop]:.40}' is a part of a token"
            self.cas.source.report("sub-token", message, line=structure.line, column=structure.element.column)
        return first, last


_NOTHING = "0"  # the id that means "no structure"
_ARRAYS = {"uima.cas.FSArray", "uima.cas.StringArray"}


def _packages(element: Element) -> dict[str, str]:
    """Prefix → Java package, from `xmlns:type="http:///de/tudarmstadt/.../type.ecore"`."""
    return {
        name.removeprefix("xmlns:"): uri.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
        for name, uri in element.attributes.items()
        if name.startswith("xmlns:")
    }


def _number(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 16 else None


def _utf16(text: str) -> Sequence[int]:
    """Place in UTF-16 units → place in characters, −1 within one; the end included."""
    if text.isascii() or max(text) <= "\uffff":
        return range(len(text) + 1)
    wide = np.array([c > "\uffff" for c in text], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(1 + wide)))
    places = np.full(int(starts[-1]) + 1, -1, dtype=np.int64)
    places[starts] = np.arange(len(starts))
    return places  # type: ignore[return-value]
