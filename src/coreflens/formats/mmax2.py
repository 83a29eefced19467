"""MMAX2: a project of several files, one with the words and one for each level of markables (Müller and Strube 2006).

    text1.mmax                               <mmax_project><words>text1_words.xml</words></mmax_project>
    Basedata/text1_words.xml                 <words><word id="word_1">The</word> ...</words>
    Markables/text1_coref_level.xml          <markables><markable id="markable_1" span="word_1..word_2,word_5"
                                                 coref_class="set_12" .../> ...</markables>
    Markables/text1_sentence_level.xml       <markable id="markable_1" span="word_1..word_9"/>

Give the `.mmax` or the words file, or a directory or zip of projects, in which every project is read once. To give the
file of a level, name the format mmax2. The other files are searched where common_paths.xml says, otherwise in the usual
folders.

A level has coreference if a markable has one of these attributes. All such levels are read together:
- a set, `set_12` or `empty`, in mention_group or an attribute with `coref` in its name (coref_class, coref_set): the
  entity, by this label;
- pointers, `markable_7`, `groups:markable_7` (of another level) or `empty`, in `ref` or an attribute with `antecedent`
  or `coref` in its name (anaphor_antecedent): entities are the closure of the links. Several targets, separated by `;`,
  are split antecedents. A pointer with `bridg` in its name or in the value of `type` is bridging. On a level with sets,
  pointers are not links.
All markables of such a level are mentions. Those without a set and without a link are singletons. Spans of several
pieces are discontinuous mentions. `head="word_5"` is the head. All other attributes are kept as they are, pointers
included. Attributes of words are layers. The level `sentence` has the sentences. Levels without coreference are left
out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from glob import escape
from posixpath import basename, dirname, join, normpath

from ..corpus.model import Corpus, Span, file_stem
from ..corpus.spans import joined_pieces
from .shared.builder import Builder, unlabelled
from .shared.closure import closure
from .shared.source import Source
from .shared.xml import Element, elements, root

_WORDS = ("", "Basedata/", "basedata/", "../Basedata/", "../basedata/", "../../Basedata/", "../../basedata/")
_LEVELS = ("", "Markables/", "markables/", "../Markables/", "../markables/", "../mmax_annotations/markables/")
_BESIDE = [
    up + folder
    for up in ("", "../")
    for folder in ("Schemes", "schemes", "scheme", "Styles", "styles", "style", "Customizations", "customizations")
]
_LEVEL = re.compile(r"(.*)_([^_/]+)_level\.xml", re.I)
_SET = re.compile(r"set_\w{1,80}")
_POINTER = re.compile(r"(?:[\w.-]{1,80}:)?markable_\w{1,80}(?:;(?:[\w.-]{1,80}:)?markable_\w{1,80})*")
_SET_NAME = re.compile(r"coref|^mention_group$", re.I)
_POINTER_NAME = re.compile(r"antecedent|coref|bridg|^ref$", re.I)
_ROOTS = (b"mmax_project", b"words", b"markables")


def looks_like(head: bytes) -> bool:
    """Whether it is a project or its words. A level is not recognised: in a directory each would be another corpus."""
    return root(head) == b"mmax_project" or (root(head) == b"words" and b"<word " in head)


@dataclass(frozen=True, eq=False)
class _Level:
    name: str
    source: Source
    markables: dict[str, Element]

    def _named(self, name: re.Pattern[str], value: re.Pattern[str]) -> list[str]:
        """The attributes whose names match, and whose values match or are `empty`."""
        markables = self.markables.values()
        names = dict.fromkeys(a for m in markables for a in m.attributes)
        return [
            a
            for a in filter(name.search, names)
            if all(m.get(a) in ("", "empty") or value.fullmatch(m.get(a)) for m in markables)
        ]

    @cached_property
    def links(self) -> tuple[list[str], list[str]]:
        """The attributes with sets and, if there are none, those with pointers."""
        sets = self._named(_SET_NAME, _SET)
        pointers = [a for a in self._named(_POINTER_NAME, _POINTER) if a not in sets]
        valued = [a for a in sets if any(_SET.fullmatch(m.get(a)) for m in self.markables.values())]
        if len(valued) > 1:
            what = f"several attributes have sets: {', '.join(valued)}"
            self.source.fail(what, hint="only one of them can be coreference")
        if valued or not pointers:
            return valued or sets[:1], []
        return [], pointers


def read(source: Source) -> Corpus:
    kind = root(source.data[: 1 << 16])
    if kind not in _ROOTS:
        source.fail("this is not part of an MMAX2 project", line=1, hint="give its .mmax file")
    stem, words, paths = _project(source, kind.decode())
    if not paths:
        source.fail(f"there is no file of markables, such as '{stem:.80}_coref_level.xml'", code="missing-text")
    levels = [_level(_neighbour(source, path)) for path in paths]
    coref = [level for level in levels if level.links != ([], [])]
    if not coref:
        found = ", ".join(level.name for level in levels)
        hint = 'coreference is an attribute such as coref_class="set_1" or antecedent="markable_1"'
        source.fail(f"no level of this MMAX2 project has coreference (levels: {found})", hint=hint)
    builder = Builder(coref[0].source, "mmax2")
    builder.document(stem)
    places = _words(builder, words, [level for level in levels if level.name.lower() in ("sentence", "sentences")])
    used = _mentions(builder, coref, levels, places)
    for level in levels:
        alone = sum((level.name.lower(), key) not in used for key in level.markables)
        if alone and level not in coref and not level.name.lower().startswith("sentence"):
            message = f"level '{level.name}' has no coreference: markables left out ({alone})"
            level.source.report("left-out", message)
    for path in (p for folder in _BESIDE for p in source.neighbours(f"{folder}/*.x[ms]l")):
        source.sibling(path)  # schemes and styles belong to the project, so they must not be reported as skipped
    corpus = replace(builder.build(), source=source.name)
    return corpus if any(level.links[0] for level in coref) else unlabelled(corpus)


def _project(source: Source, kind: str) -> tuple[str, Source, list[str]]:
    """The document's name, its words, and the paths of its levels."""
    name = basename(source.name.replace("\\", "/"))
    paths = _common_paths(source)
    if kind == "mmax_project":
        stem = file_stem(name)
        wanted = next((e.text.strip() for e in elements(source, {"mmax_project"}) if e.tag == "words"), "")
        wanted = source.inside(wanted) or f"{stem}_words.xml"
    elif kind == "words":
        stem, wanted = re.sub(r"_words$", "", file_stem(name), flags=re.I), ""
    else:
        found = _LEVEL.fullmatch(name)
        stem = found[1] if found else file_stem(name)
        wanted = f"{stem}_words.xml"
    words = source
    if wanted:
        folders = [*(f"{up}{paths['basedata_path'][0]}/" for up in ("", "../") if "basedata_path" in paths), *_WORDS]
        path = next((p for folder in folders if source.neighbours(escape(p := normpath(folder + wanted)))), None)
        if path is None:
            source.fail(f"'{wanted:.80}' with the words is missing", code="missing-text")
        words = _neighbour(source, path)
    if "level" in paths:
        folder = next(iter(paths.get("markable_path", [])), "")
        listed = [normpath(join(folder, level.replace("$", stem))) for level in paths["level"]]
        return stem, words, [path for path in dict.fromkeys(listed) if source.neighbours(escape(path))]
    for folder in _LEVELS:
        if levels := source.neighbours(f"{folder}{escape(stem)}_*_level.xml"):
            return stem, words, [normpath(path) for path in levels]
    return stem, words, []


def _common_paths(source: Source) -> dict[str, list[str]]:
    if source.sibling("common_paths.xml") is None:
        return {}
    found: dict[str, list[str]] = {}
    for element in elements(_neighbour(source, "common_paths.xml"), {"common_paths", "annotations"}):
        if text := element.text.strip().rstrip("/"):
            usual = f"{text}/" in (*_WORDS, *_LEVELS)
            found.setdefault(element.tag, []).append(text if usual else source.inside(text, element.line))
    return found


def _neighbour(source: Source, path: str) -> Source:
    data = source.sibling(path)
    if data is None:
        source.fail(f"'{path:.80}' is missing", code="missing-text")
    name = normpath(join(dirname(source.name), path))
    return Source(data, name, source.role, lenient=source.lenient, problems=source.problems)


def _level(source: Source) -> _Level:
    found = _LEVEL.fullmatch(basename(source.name))
    markables: dict[str, Element] = {}
    name = found[2] if found else file_stem(source.name)
    for element in elements(source, {"markables"}):
        if element.tag != "markable":
            continue
        key = element.get("id")
        if not key or key in markables:
            what = f"there is already a markable '{key:.40}'" if key else "this markable has no id"
            source.report("duplicate-id" if key else "syntax", what, line=element.line, column=element.column)
            continue
        markables[key] = element
    return _Level(name, source, markables)


def _words(builder: Builder, source: Source, sentences: list[_Level]) -> dict[str, int]:
    """The place of each word by its id."""
    words: dict[str, Element] = {}
    for element in elements(source, {"words"}):
        if element.tag == "word":
            if not element.get("id") or element.get("id") in words:
                message = f"the id '{element.get('id'):.40}' of this word is empty or occurs twice"
                source.report("duplicate-id", message, line=element.line, column=element.column)
                continue
            words[element.get("id")] = element
    if not words:
        source.fail("there is no <word> in this file", code="missing-text")
    starts = {re.split(r"\.\.|,", m.get("span"))[0] for level in sentences for m in level.markables.values()}
    for key, element in words.items():
        if key in starts:
            builder.sentence()
        layers = {a: v for a, v in element.attributes.items() if a not in ("id", "word", "line", "empty", "self")}
        builder.token(element.text.strip(), 0, False, **layers)
    return {key: place for place, key in enumerate(words)}


def _mentions(
    builder: Builder, coref: list[_Level], levels: list[_Level], places: dict[str, int]
) -> set[tuple[str, str]]:
    """Add the mentions of the levels with coreference, and those on other levels that they point to.

    Returns the markables that became mentions.
    """
    by_name = {level.name.lower(): level for level in levels}
    nodes: dict[tuple[str, str], tuple[_Level, Element]] = {}
    links: list[tuple[str, tuple[str, str], list[tuple[str, str]], str]] = []
    in_set: dict[tuple[str, str], str] = {}
    for level in coref:
        sets, pointers = level.links
        for key, markable in level.markables.items():
            node = level.name.lower(), key
            nodes[node] = level, markable
            for attribute in sets:
                if (value := markable.get(attribute)) not in ("", "empty"):
                    in_set[node] = value if len(coref) == 1 else f"{level.name}:{value}"
            for attribute in pointers:
                if (value := markable.get(attribute)) not in ("", "empty"):
                    targets = [_target(level, target) for target in value.split(";")]
                    bridging = re.search("bridg", f"{attribute} {markable.get('type')}", re.I)
                    kind = "bridging" if bridging else "identity" if len(targets) == 1 else "split-antecedent"
                    links.append((kind, node, targets, attribute))
    good: list[tuple[str, tuple[str, str], tuple[str, str], str]] = []
    for kind, node, targets, attribute in links:
        for target in targets:
            other = by_name.get(target[0])
            if other is None or target[1] not in other.markables:
                level, markable = nodes[node]
                message = f"{node[1]} points to {':'.join(target)}, which does not exist ({attribute})"
                level.source.report("dangling", message, line=markable.line, column=markable.column)
                continue
            nodes.setdefault(target, (other, other.markables[target[1]]))
            good.append((kind, node, target, attribute))
    spans = {node: s for node, (level, m) in nodes.items() if (s := _span(level.source, m, places))}
    order = sorted(spans, key=lambda node: (spans[node][0][0], -spans[node][-1][1]))
    number = {node: place for place, node in enumerate(order)}
    pairs = [(number[a], number[b]) for kind, a, b, _ in good if kind == "identity" and a in number and b in number]
    first = [*closure(range(len(order)), pairs).values()]
    numbered = {p: n for n, p in enumerate(dict.fromkeys(p for p in first if order[p] not in in_set), start=1)}
    label = {node: in_set.get(node) or numbered[p] for node, p in zip(order, first, strict=True)}
    handle = {node: _mention(builder, coref, nodes[node], spans[node], label[node], places) for node in order}
    for kind, a, b, attribute in good:
        if kind != "identity" and a in handle and b in handle:
            builder.relation(kind, label[a], label[b], mention=handle[a], anchor=handle[b], label=attribute)
    return set(nodes)


def _target(level: _Level, pointer: str) -> tuple[str, str]:
    other, _, key = pointer.rpartition(":")
    return (other or level.name).lower(), key


def _span(source: Source, markable: Element, places: dict[str, int]) -> list[Span]:
    pieces: list[Span] = []
    for piece in markable.get("span").split(","):
        ends = piece.strip().split("..")
        missing = next((word for word in ends if word not in places), None)
        if missing is not None or len(ends) > 2:
            what = f"there is no word '{missing:.40}'" if missing else f"'{piece:.40}' is not a span"
            message = f"{markable.get('id')}: {what}"
            source.report("dangling", message, line=markable.line, column=markable.column)
            return []
        start, end = places[ends[0]], places[ends[-1]]
        if end < start:
            message = f"{markable.get('id')} ends before it starts: {piece:.60}"
            source.report("span-order", message, line=markable.line, column=markable.column)
            return []
        pieces.append((start, end))
    return [*joined_pieces(pieces)]


def _mention(
    builder: Builder,
    coref: list[_Level],
    node: tuple[_Level, Element],
    spans: list[Span],
    entity: str | int,
    places: dict[str, int],
) -> int:
    level, markable = node
    here = level is coref[0]  # line numbers of this document refer to this file
    head = places.get(markable.get("head"), -1)
    handle = builder.mention(
        spans[0][0], spans[-1][1], entity, line=markable.line if here else 0, head=head, parts=spans
    )
    for attribute, value in markable.attributes.items():
        if attribute not in ("span", "mmax_level") and not (attribute == "head" and head >= 0):
            builder.attribute(handle, attribute, value)
    builder.attribute(handle, "level", "" if here else level.name)
    return handle
