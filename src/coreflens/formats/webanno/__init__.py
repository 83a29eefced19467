r"""WebAnno and INCEpTION TSV 3.x: one token per line, annotation in columns that the header declares.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=webanno.custom.Referent|entity|infstat                    a layer of spans and its features
    #T_CH=...CoreferenceLink|referenceType|referenceRelation        a layer of chains
    #T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent      a layer of relations between spans of a layer

    #Text=Mary met Mr. Fox .
    1-1   0-4     Mary   person         new          pr[1]   coref->1-1   coref   2-1
    1-3   9-12    Mr.    person[2]      new[2]       _       _            ana     2-3[0_2]
    1-4   13-16   Fox    person[2]      new[2]       _       _            _       _

Stacked annotations are separated by `|`. `[2]` marks the tokens of one annotation, `_` means no annotation, `*` is an
annotation without a value, and `\` escapes. The document is named after the file.

Chains: all tokens with the same `chain-link` (`1-1`) are a mention, and the chain is its entity.

Relations: layers with `coref` in their name are read. Every annotation of the layer that they connect is a mention, and
entities are the closure of the links. A mention without a link is a singleton. The cell is at the antecedent, and
`5-1[50_3]` points to the anaphor: from annotation 50, at token 5-1, to annotation 3 of this row. 0 is an annotation
without a number. As in GUM, links whose type begins with `bridge` are bridging (`bridge:aggr`: split antecedents), not
identity. An annotation without a value in the layer's first column is left out (OntoGUM leaves the centering of
mentions that it has removed).

Features are attributes of the mention (`entity` and `referenceType` as `type`; `link` is the type of the link to
its antecedent). All other layers are layers of the text, cell by cell. An annotation of a part of a token (`1-3.1`) is
read as an annotation of the whole token, and reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...corpus.model import Corpus, file_stem
from ...corpus.spans import joined_pieces
from ..shared.builder import Builder, unlabelled
from ..shared.closure import closure
from ..shared.source import Source
from .cells import Layer, Row, cell_text, layer_value, numbered, stack

__all__ = ["looks_like", "read"]

_PLACE = re.compile(r"(\d{1,18})-(\d{1,18})(\.\d{1,18})?")
_LINK = re.compile(r"(.*)->(\d{1,18}-\d{1,18})")
_POINTER = re.compile(r"(\d{1,18}-\d{1,18}(?:\.\d{1,18})?)(?:\[(\d{1,18})_(\d{1,18})\])?")
_TEXT_LAYERS = {
    "Lemma.value": "lemma",
    "POS.PosValue": "pos",
    "POS.coarseValue": "upos",
    "MorphologicalFeatures.value": "feats",
    "Dependency.DependencyType": "deprel",
}
_ATTRIBUTES = {"entity": "type", "referenceType": "type"}


def looks_like(head: bytes) -> bool:
    return head.startswith(b"#FORMAT=WebAnno TSV 3")


@dataclass
class _Annotation:
    line: int
    tokens: list[int] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)


def read(source: Source) -> Corpus:
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.builder = Builder(source, "webanno")
        self.layers: list[Layer] = []
        self.width = 3
        self.sentence = ""  # its number, as it is in the file
        self.annotations: dict[str, dict[int | str, _Annotation]] = {}  # of spans by layer, then by number or token
        self.chains: dict[str, dict[str, _Annotation]] = {}  # of chains by layer, then by chain-link
        self.pointers: list[tuple[Layer, Row, int, str, str]] = []  # cell, type, pointer
        self.left_out: Counter[str] = Counter()
        self.valueless: set[tuple[str, int | str]] = set()

    def read(self) -> Corpus:
        self.builder.document(file_stem(self.source.name), line=1)
        lines = iter(enumerate(self.source.text.split("\n"), start=1))
        for row in self._rows(lines):
            for layer in self.layers:
                if layer.kind == "CH":
                    self._chain(layer, row)
                elif layer.corefers:
                    self._relation(layer, row)
                elif layer.name in self.annotations:
                    self._spans(layer, row)
        if not self.builder.words:
            self.source.fail("there is no token in this file", code="truncated")
        self._mentions()
        for kind, count in self.left_out.items():
            self.source.report("left-out", f"{count} {kind}: left out")
        corpus = self.builder.build()
        return corpus if self.chains else unlabelled(corpus)

    def _declare(self, line: str, number: int) -> None:
        kind, declared = line[3:5], line[6:].split("|")
        name, features = declared[0], [f for f in declared[1:] if f]
        if kind not in ("SP", "CH", "RL") or line[5:6] != "=" or not name:
            self.source.report("syntax", f"not a declaration of a layer: {line[:60]}", line=number)
            return
        layer = Layer(kind, name, features, self.width)
        if kind == "CH" and sorted(features) != ["referenceRelation", "referenceType"]:
            self.source.fail("a chain layer must have referenceType and referenceRelation", line=number)
        self.layers.append(layer)
        self.width = layer.columns.stop
        if layer.corefers and kind == "RL":
            self.annotations.setdefault(layer.base, {})

    def _start(self) -> list[tuple[int, str]]:
        """Called after the header; returns the columns that are layers of the text."""
        if not any(layer.corefers for layer in self.layers):
            declared = ", ".join(layer.short for layer in self.layers) or "no layer at all"
            hint = "coreference is a chain layer (#T_CH), or a relation layer with `coref` in its name"
            self.source.fail(f"there is no layer of coreference: the file declares {declared}", line=1, hint=hint)
        names = {layer.name for layer in self.layers if layer.kind == "SP"}
        for base in self.annotations.keys() - names:
            self.source.fail(f"the layer '{base:.80}' that coreference connects is not declared", line=1)
        others = [layer for layer in self.layers if not layer.corefers and layer.name not in self.annotations]
        return [column for layer in others for column in _text_layers(layer)]

    def _rows(self, lines: Iterator[tuple[int, str]]) -> Iterator[Row]:
        """The rows that have all columns, each after its token was added."""
        text_layers: list[tuple[int, str]] | None = None
        token = -1
        for number, line in lines:
            if line.startswith("#"):
                if line.startswith("#T_") and text_layers is None:
                    self._declare(line.rstrip("\r"), number)
                continue
            cells = line.rstrip("\r").split("\t")
            if cells[-1] == "":
                cells.pop()
            if not cells:
                continue
            if text_layers is None:
                text_layers = self._start()
            place = _PLACE.fullmatch(cells[0])
            if place is None or len(cells) < 3:
                self.source.report("syntax", "sentence-token, offsets and token are expected", line=number, column=1)
                continue
            row = Row(cells[0], number, token, cells)
            whole = self._is_whole(row)
            if not place[3]:
                row.token = token = self._token(place[1], row, text_layers if whole else [])
            elif whole:
                self._part(row, text_layers)
            if whole:
                yield row

    def _is_whole(self, row: Row) -> bool:
        """Whether a row has all columns; otherwise it is reported."""
        if len(row.cells) == self.width:
            return True
        message = f"this line has {len(row.cells)} columns, but the header declares {self.width}"
        self.source.report("syntax", message, line=row.line, hint="is the line cut off?")
        return False

    def _token(self, sentence: str, row: Row, text_layers: list[tuple[int, str]]) -> int:
        """Add the token of a row; returns its place."""
        if sentence != self.sentence:
            self.sentence = sentence
            self.builder.sentence()
        values = {}
        for column, name in text_layers:
            if row.cells[column] != "_":
                values[name] = layer_value(name, row.cells, column)
        return self.builder.token(cell_text(row.cells[2]), row.line, False, **values)

    def _part(self, row: Row, text_layers: list[tuple[int, str]]) -> None:
        if row.token < 0:
            self.source.report("syntax", f"{row.ref} is not a part of a token", line=row.line, column=1)
            row.cells = ["_"] * self.width
        annotated = [column for column, _ in text_layers if row.cells[column] != "_"]
        if annotated:
            self.left_out["annotations of parts of tokens"] += len(annotated)
        if any(row.cells[c] != "_" for layer in self.layers if layer.kind != "RL" for c in layer.columns):
            message = f"{row.ref} is a part of a token: its annotation is read as that of the whole token"
            self.source.report("sub-token", message, line=row.line)

    def _spans(self, layer: Layer, row: Row) -> None:
        known = self.annotations[layer.name]
        for column in layer.columns:
            if (cell := row.cells[column]) == "_":
                continue
            seen = set()
            for value, number in map(numbered, stack(cell)):
                key = number or row.ref
                if key in seen:
                    message = f"two annotations numbered {number}" if number else "two annotations without a number"
                    self.source.report(
                        "duplicate-id", f"{message} in one cell", line=row.line, column=row.column(column)
                    )
                    continue
                seen.add(key)
                annotation = known.get(key)
                if column == layer.first:
                    if annotation is None:
                        annotation = known[key] = _Annotation(row.line)
                    annotation.tokens.append(row.token)
                if annotation is None:
                    self.valueless.add((layer.name, key))
                elif layer.features:
                    annotation.values.setdefault(layer.features[column - layer.first], value)

    def _chain(self, layer: Layer, row: Row) -> None:
        at = {feature: row.cells[c] for feature, c in zip(layer.features, layer.columns, strict=True)}
        types, links = stack(at["referenceType"]), stack(at["referenceRelation"])
        if not types and not links:
            return
        where = layer.first + layer.features.index("referenceRelation")
        if len(types) != len(links):
            message = f"{len(types)} types of reference and {len(links)} links in one row"
            self.source.report("syntax", message, line=row.line, column=row.column(where))
            return
        known = self.chains.setdefault(layer.name, {})
        for kind, link in zip(types, links, strict=True):
            parsed_link = _LINK.fullmatch(link)
            value, chain = numbered(kind)
            if parsed_link is None or (chain and parsed_link[2].split("-")[0] != str(chain)):
                message = f"not a link of chain {chain or '?'}: {link:.40}"
                self.source.report("syntax", message, line=row.line, column=row.column(where), hint="coref->1-2")
                continue
            annotation = known.setdefault(parsed_link[2], _Annotation(row.line, values={"referenceType": value}))
            annotation.tokens.append(row.token)
            annotation.values["next"] = parsed_link[1]

    def _relation(self, layer: Layer, row: Row) -> None:
        where = layer.columns[-1]
        pointers = stack(row.cells[where])
        if not pointers:
            return
        types = stack(row.cells[layer.first]) if len(layer.columns) > 1 else ["*"] * len(pointers)
        if len(types) != len(pointers):
            message = f"{len(types)} types and {len(pointers)} links in one row"
            self.source.report("syntax", message, line=row.line, column=row.column(where))
            return
        for kind, pointer in zip(types, pointers, strict=True):
            self.pointers.append((layer, row, where, "" if kind == "*" else cell_text(kind), pointer))

    def _mentions(self) -> None:
        used = [name for layers in (self.annotations, self.chains) for name, filled in layers.items() if filled]
        if len(used) > 1:
            self.source.fail(
                f"{len(used)} layers have coreference: {', '.join(used)}", hint="export each to a separate file"
            )
        for by_place in self.chains.values():
            self._chained(by_place)
        for name, by_key in self.annotations.items():
            self._linked(name, by_key)
        if self.valueless:
            self.left_out["annotations without a value in the first column of their layer"] += len(self.valueless)

    def _chained(self, by_place: dict[str, _Annotation]) -> None:
        """Add the mentions of a chain layer, by chain and link."""
        for place, annotation in by_place.items():
            chain, link = place.split("-")
            before = by_place.get(f"{chain}-{int(link) - 1}")  # the type of a link is at the mention where it begins
            if before and before.values["next"] not in ("", "*"):
                annotation.links.append(cell_text(before.values["next"]))
        for place, annotation in by_place.items():
            del annotation.values["next"]
            self._mention(annotation, place.split("-")[0])

    def _linked(self, base: str, known: dict[int | str, _Annotation]) -> None:
        """Add the mentions of a span layer with the links between them."""
        number = {key: place for place, key in enumerate(known)}
        annotations = list(known.values())
        identity: list[tuple[int, int]] = []
        others: list[tuple[str, str, int, int]] = []
        for layer, row, cell, kind, pointer in self.pointers:
            ends = self._ends(layer, row, cell, pointer, number) if layer.base == base else None
            if ends is None:
                continue
            anaphor, antecedent = ends
            if kind.lower().startswith("bridg"):
                others.append(("split-antecedent" if "aggr" in kind else "bridging", kind, anaphor, antecedent))
            else:
                identity.append((antecedent, anaphor))
                if kind:
                    annotations[anaphor].links.append(kind)
        first = [*closure(range(len(known)), identity).values()]
        label = {root: place for place, root in enumerate(sorted(set(first)), start=1)}
        handles = [self._mention(a, label[root]) for a, root in zip(annotations, first, strict=True)]
        for relation, kind, anaphor, antecedent in others:
            self.builder.relation(
                relation,
                label[first[anaphor]],
                label[first[antecedent]],
                mention=handles[anaphor],
                anchor=handles[antecedent],
                label=kind,
            )

    def _ends(
        self, layer: Layer, row: Row, cell: int, pointer: str, number: dict[int | str, int]
    ) -> tuple[int, int] | None:
        """The annotations that a pointer connects: its target, and the annotation of its row."""
        parsed = _POINTER.fullmatch(pointer)
        if parsed is None:
            message = f"not a pointer to a token: {pointer:.40}"
            self.source.report("syntax", message, line=row.line, column=row.column(cell), hint="5-1 or 5-1[50_3]")
            return None
        keys = (int(parsed[2] or 0) or parsed[1], int(parsed[3] or 0) or row.ref)
        missing = next((key for key in keys if key not in number), None)
        if missing is not None:
            goal = f"number {missing}" if isinstance(missing, int) else f"without a number at {missing}"
            message = (
                f"{pointer:.40} refers to an annotation {goal}, which {layer.base.rsplit('.', 1)[-1]} does not have"
            )
            self.source.report("dangling", message, line=row.line, column=row.column(cell))
            return None
        return number[keys[0]], number[keys[1]]

    def _mention(self, annotation: _Annotation, entity: int | str) -> int:
        parts = joined_pieces((t, t) for t in annotation.tokens)
        handle = self.builder.mention(parts[0][0], parts[-1][1], entity, line=annotation.line, parts=parts)
        self.builder.attribute(handle, "link", "|".join(annotation.links))
        for feature, value in annotation.values.items():
            if value != "*":
                self.builder.attribute(handle, _ATTRIBUTES.get(feature, feature), cell_text(value))
        return handle


def _text_layers(layer: Layer) -> Iterator[tuple[int, str]]:
    """The columns of a layer, and the names that they have as layers of the text."""
    for column, feature in zip(layer.columns, layer.features or ["*"], strict=True):
        if layer.short == "Dependency" and feature.startswith("BT_"):
            yield column, "head"
        else:
            name = f"{layer.short}.{feature}"
            yield column, _TEXT_LAYERS.get(name, name)
