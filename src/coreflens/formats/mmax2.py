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
All markables of such a level are mentions. Those without a set and without a link are singletons. One that points to a
markable in a set, on another level, is in this set. Spans of several pieces are discontinuous mentions. `head="word_5"`
is the head. All other attributes are kept as they are, pointers included. Attributes of words are layers. The level
`sentence` has the sentences. Levels without coreference are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from glob import escape
from posixpath import basename, dirname, join, normpath
from typing import NamedTuple, TypeAlias

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
_NO_LAYERS = ("id", "word", "line", "empty", "self")  # the id, and names of the parameters of Builder.token

_Node: TypeAlias = tuple[str, str]  # a markable: the name of its level in lower case, and its id


def looks_like(head: bytes) -> bool:
    """Whether it is a project or its words. A level is not recognised: in a directory each would be another corpus."""
    return root(head) == b"mmax_project" or (root(head) == b"words" and b"<word " in head)


class _Link(NamedTuple):
    """A pointer to one markable, which may not exist: `bridging`, `identity` or `split-antecedent`."""

    kind: str
    source: _Node
    target: _Node
    attribute: str


@dataclass(frozen=True, eq=False)
class _Level:
    name: str
    source: Source
    markables: dict[str, Element]

    def node(self, key: str) -> _Node:
        return self.name.lower(), key

    @property
    def sets(self) -> list[str]:
        """The attributes with sets."""
        return self._sets_and_pointers[0]

    @property
    def pointers(self) -> list[str]:
        """The attributes with pointers that are links."""
        return self._sets_and_pointers[1]

    @property
    def has_coreference(self) -> bool:
        return bool(self.sets or self.pointers)

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
    def _sets_and_pointers(self) -> tuple[list[str], list[str]]:
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
    coref = [level for level in levels if level.has_coreference]
    if not coref:
        names = ", ".join(level.name for level in levels)
        hint = 'coreference is an attribute such as coref_class="set_1" or antecedent="markable_1"'
        source.fail(f"no level of this MMAX2 project has coreference (levels: {names})", hint=hint)
    builder = Builder(coref[0].source, "mmax2")
    builder.document(stem)
    sentences = [level for level in levels if level.name.lower() in ("sentence", "sentences")]
    places = _words(builder, words, sentences)
    used = _mentions(builder, coref, levels, places)
    _report_left_out(levels, used)
    _visit_settings(source)
    corpus = replace(builder.build(), source=source.name)
    labelled = any(level.sets for level in coref)
    return corpus if labelled else unlabelled(corpus)


def _report_left_out(levels: list[_Level], used: set[_Node]) -> None:
    """Report the levels without coreference that have markables which are no mentions."""
    for level in levels:
        alone = sum((level.name.lower(), key) not in used for key in level.markables)
        if alone and not level.has_coreference and not level.name.lower().startswith("sentence"):
            message = f"level '{level.name}' has no coreference: markables left out ({alone})"
            level.source.report("left-out", message)


def _visit_settings(source: Source) -> None:
    """Open schemes and styles. They belong to the project, so they must not be reported as skipped."""
    for folder in _BESIDE:
        for path in source.neighbours(f"{folder}/*.x[ms]l"):
            source.sibling(path)


def _project(source: Source, kind: str) -> tuple[str, Source, list[str]]:
    """The document's name, its words, and the paths of its levels."""
    name = basename(source.name.replace("\\", "/"))
    stem = file_stem(name)
    paths = _common_paths(source)
    words = source
    if kind == "mmax_project":
        named = next((e.text.strip() for e in elements(source, {"mmax_project"}) if e.tag == "words"), "")
        words = _words_file(source, source.inside(named) or f"{stem}_words.xml", paths)
    elif kind == "words":
        stem = re.sub(r"_words$", "", stem, flags=re.I)
    else:
        if level := _LEVEL.fullmatch(name):
            stem = level[1]
        words = _words_file(source, f"{stem}_words.xml", paths)
    return stem, words, _level_paths(source, stem, paths)


def _words_file(source: Source, name: str, paths: dict[str, list[str]]) -> Source:
    """The file with the words, where common_paths.xml says or in a usual folder."""
    folders = [*_WORDS]
    if "basedata_path" in paths:
        declared = paths["basedata_path"][0]
        folders = [f"{declared}/", f"../{declared}/", *_WORDS]
    for folder in folders:
        path = normpath(folder + name)
        if source.neighbours(escape(path)):
            return _neighbour(source, path)
    source.fail(f"'{name:.80}' with the words is missing", code="missing-text")


def _level_paths(source: Source, stem: str, paths: dict[str, list[str]]) -> list[str]:
    """The files of markables that common_paths.xml lists, otherwise those in the first usual folder that has any."""
    if "level" in paths:
        folder = next(iter(paths.get("markable_path", [])), "")
        listed = [normpath(join(folder, level.replace("$", stem))) for level in paths["level"]]
        return [path for path in dict.fromkeys(listed) if source.neighbours(escape(path))]
    for folder in _LEVELS:
        if levels := source.neighbours(f"{folder}{escape(stem)}_*_level.xml"):
            return [normpath(path) for path in levels]
    return []


def _common_paths(source: Source) -> dict[str, list[str]]:
    if source.sibling("common_paths.xml") is None:
        return {}
    paths: dict[str, list[str]] = {}
    for element in elements(_neighbour(source, "common_paths.xml"), {"common_paths", "annotations"}):
        if path := element.text.strip().rstrip("/"):
            usual = f"{path}/" in (*_WORDS, *_LEVELS)
            paths.setdefault(element.tag, []).append(path if usual else source.inside(path, element.line))
    return paths


def _neighbour(source: Source, path: str) -> Source:
    data = source.sibling(path)
    if data is None:
        source.fail(f"'{path:.80}' is missing", code="missing-text")
    name = normpath(join(dirname(source.name), path))
    return Source(data, name, source.role, lenient=source.lenient, problems=source.problems)


def _level(source: Source) -> _Level:
    usual_name = _LEVEL.fullmatch(basename(source.name))
    name = usual_name[2] if usual_name else file_stem(source.name)
    markables: dict[str, Element] = {}
    for element in elements(source, {"markables"}):
        if element.tag != "markable":
            continue
        key = element.get("id")
        if not key or key in markables:
            message = f"there is already a markable '{key:.40}'" if key else "this markable has no id"
            source.report("duplicate-id" if key else "syntax", message, line=element.line, column=element.column)
            continue
        markables[key] = element
    return _Level(name, source, markables)


def _words(builder: Builder, source: Source, sentences: list[_Level]) -> dict[str, int]:
    """The place of each word by its id."""
    words: dict[str, Element] = {}
    for element in elements(source, {"words"}):
        if element.tag == "word":
            _keep_word(source, element, words)
    if not words:
        source.fail("there is no <word> in this file", code="missing-text")
    starts = {re.split(r"\.\.|,", m.get("span"))[0] for level in sentences for m in level.markables.values()}
    for key, element in words.items():
        if key in starts:
            builder.sentence()
        layers = {name: value for name, value in element.attributes.items() if name not in _NO_LAYERS}
        builder.token(element.text.strip(), 0, False, **layers)
    return {key: place for place, key in enumerate(words)}


def _keep_word(source: Source, element: Element, words: dict[str, Element]) -> None:
    key = element.get("id")
    if key and key not in words:
        words[key] = element
        return
    message = f"the id '{key:.40}' of this word is empty or occurs twice"
    source.report("duplicate-id", message, line=element.line, column=element.column)


def _mentions(builder: Builder, coref: list[_Level], levels: list[_Level], places: dict[str, int]) -> set[_Node]:
    """Add the mentions of the levels with coreference, and those on other levels that they point to.

    Returns the markables that became mentions.
    """
    markables = {level.node(key): (level, m) for level in coref for key, m in level.markables.items()}
    label_of_set = _labels_of_sets(coref)
    links = _existing(_links(coref), markables, levels)
    spans = {node: s for node, (level, m) in markables.items() if (s := _span(level.source, m, places))}
    order = sorted(spans, key=lambda node: (spans[node][0][0], -spans[node][-1][1]))
    label = _labels(order, links, label_of_set)
    handle = {node: _mention(builder, coref, markables[node], spans[node], label[node], places) for node in order}
    for link in links:
        source, target = link.source, link.target
        if link.kind != "identity" and source in handle and target in handle:
            builder.relation(
                link.kind,
                label[source],
                label[target],
                mention=handle[source],
                anchor=handle[target],
                label=link.attribute,
            )
    return set(markables)


def _labels_of_sets(coref: list[_Level]) -> dict[_Node, str]:
    """The entities of the markables that are in a set."""
    labels = {}
    for level in coref:
        for key, markable in level.markables.items():
            for attribute in level.sets:
                value = markable.get(attribute)
                if value not in ("", "empty"):
                    labels[level.node(key)] = value if len(coref) == 1 else f"{level.name}:{value}"
    return labels


def _links(coref: list[_Level]) -> Iterator[_Link]:
    """The links of all pointers, also to markables that do not exist."""
    for level in coref:
        for key, markable in level.markables.items():
            for attribute in level.pointers:
                value = markable.get(attribute)
                if value not in ("", "empty"):
                    targets = value.split(";")
                    kind = _kind(attribute, markable, targets)
                    yield from (_Link(kind, level.node(key), _target(level, t), attribute) for t in targets)


def _kind(attribute: str, markable: Element, targets: list[str]) -> str:
    if re.search("bridg", f"{attribute} {markable.get('type')}", re.I):
        return "bridging"
    return "identity" if len(targets) == 1 else "split-antecedent"


def _existing(
    links: Iterable[_Link], markables: dict[_Node, tuple[_Level, Element]], levels: list[_Level]
) -> list[_Link]:
    """The links to markables that exist, which are added to `markables`. Other links are reported."""
    level_of_name = {level.name.lower(): level for level in levels}
    existing = []
    for link in links:
        name, key = link.target
        other = level_of_name.get(name)
        if other is None or key not in other.markables:
            level, markable = markables[link.source]
            message = f"{link.source[1]} points to {name}:{key}, which does not exist ({link.attribute})"
            level.source.report("dangling", message, line=markable.line, column=markable.column)
            continue
        markables.setdefault(link.target, (other, other.markables[key]))
        existing.append(link)
    return existing


def _labels(order: list[_Node], links: list[_Link], label_of_set: dict[_Node, str]) -> dict[_Node, str | int]:
    """The entity of each mention: its set or that of a mention that identity connects it with, otherwise a number."""
    there = {*order}
    pairs = [(x.source, x.target) for x in links if x.kind == "identity" and {x.source, x.target} <= there]
    first_of = closure(order, pairs)
    set_of: dict[_Node, str] = {}  # of the first of connected mentions, if one of them is in a set
    for node, first in first_of.items():
        if node in label_of_set:
            set_of.setdefault(first, label_of_set[node])
    numbers: dict[_Node, int] = {}
    for first in first_of.values():
        if first not in set_of:
            numbers.setdefault(first, len(numbers) + 1)
    return {node: label_of_set.get(node) or set_of.get(first) or numbers[first] for node, first in first_of.items()}


def _target(level: _Level, pointer: str) -> _Node:
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
