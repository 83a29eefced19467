"""FoLiA XML: words in the text, chains of coreference in a layer beside them (van Gompel and Reynaert 2013).

    <FoLiA xmlns="http://ilk.uvt.nl/folia" version="2.0" xml:id="example"> ...
      <text xml:id="example.text"><p> <s>
        <w xml:id="w.1" space="no"><t>He</t><pos class="PRP"/><lemma class="he"/></w> ...
      </s>
      <coreferences>
        <coreferencechain xml:id="c.1" class="person">
          <coreferencelink>
            <wref id="w.3"/><hd><wref id="w.4"/></hd> <feat subset="mod" class="negation"/>
          </coreferencelink> ...
        </coreferencechain>
      </coreferences> ...

A chain is an entity, labelled by its xml:id. If no chain has one, entities have no labels. The class of a chain is a
type, not an identity, because FoLiA's own example has two chains of one class. It becomes the attribute `type` of its
mentions. Links are mentions with all their words, including those of the head. If words are left out, a mention has
several pieces. A head of one word is the mention's head; a longer head is the attribute `min`. Features of links and
chains (mod, time, level) are attributes. `t` of a `wref` is for human readers and may differ from the text, so it is
not compared.

Layers: pos, lemma (the first of several), speaker, and `SpaceAfter=No` in misc for space="no". In a correction, the new
words are read, not the old ones. Annotation of other kinds is left out and counted. The document is named after the
file's xml:id.
"""

from __future__ import annotations

from collections import Counter

from ..corpus.model import Corpus, file_stem
from ..corpus.spans import joined_pieces
from .shared.builder import Builder, unlabelled
from .shared.source import Source
from .shared.xml import Element, elements, root

_CORRECTED = ("correction", "new", "current")
_STRUCTURE = {
    *("FoLiA", "text", "speech", "div", "p", "s", "utt", "event", "head", "caption", "figure", "label", "list", "item"),
    *("note", "entry", "term", "def", "ex", "quote", "table", "tablehead", "row", "cell", "ref", "part"),
    *_CORRECTED,
    "coreferences",
}
_SENTENCES = {"s", "utt"}
_IGNORED = {"metadata", "t", "original", "suggestion", "comment", "desc", "br", "whitespace"}
_ROLES = {"hd"}  # roles of words within a link
_IN_WORDS = {"t", "pos", "lemma", "correction"}  # these are read; other elements in a word are counted


def looks_like(head: bytes) -> bool:
    return root(head) == b"FoLiA"


def read(source: Source) -> Corpus:
    builder = Builder(source, "folia")
    words: dict[str, int] = {}
    chains: list[Element] = []
    left_out: Counter[str] = Counter()
    around: list[Element] = []  # the containers that are open
    sentence: Element | None = None
    for element in elements(source, _STRUCTURE):
        del around[element.depth :]
        if not element.depth:
            _begin(builder, source, element)
        if element.tag in _STRUCTURE:
            around.append(element)
        elif element.tag == "w":
            if _sentence(around) is not sentence:
                sentence = _sentence(around)
                builder.sentence()
            _word(builder, source, element, words, _speaker([element, *reversed(around)]), left_out)
        elif element.tag == "coreferencechain":
            chains.append(element)
        elif element.tag not in _IGNORED:
            left_out[element.tag] += 1
    if not words:
        source.fail("there is no <w> in this file", hint="FoLiA needs a text that is cut into words", code="input")
    labelled = _chains(builder, source, chains, words, left_out)
    if left_out:
        counts = ", ".join(f"{tag} ({count})" for tag, count in sorted(left_out.items()))
        source.report("left-out", f"not coreference, left out: {counts[:200]}")
    corpus = builder.build()
    return corpus if labelled else unlabelled(corpus)


def _begin(builder: Builder, source: Source, root: Element) -> None:
    if root.tag != "FoLiA":
        source.fail(f"<FoLiA> is expected, not <{root.tag:.40}>", line=root.line, column=root.column)
    builder.document(root.get("xml:id") or file_stem(source.name), line=root.line)


def _speaker(around: list[Element]) -> str:
    """The speaker that the innermost of some elements names, "" if none does."""
    return next((speaker for element in around if (speaker := element.get("speaker"))), "")


def _sentence(around: list[Element]) -> Element | None:
    """The sentence or utterance of a word, otherwise the innermost element around it."""
    whole = [e for e in around if e.tag in _SENTENCES]
    return whole[-1] if whole else next((e for e in reversed(around) if e.tag not in _CORRECTED), None)


def _word(
    builder: Builder, source: Source, element: Element, words: dict[str, int], speaker: str, left_out: Counter[str]
) -> None:
    layers = {"speaker": speaker}
    for name in ("pos", "lemma"):
        annotation = _inside(element, name)
        layers[name] = annotation.get("class") if annotation else ""
    layers["misc"] = "SpaceAfter=No" if element.get("space") == "no" else ""
    left_out.update(child.tag for child in element.children if child.tag not in _IN_WORDS)
    text = _inside(element, "t")
    if text is None:
        source.report("syntax", "a word without <t>", line=element.line, column=element.column)
    word = " ".join(text.content.split()) if text else ""
    place = builder.token(word, element.line, False, **{name: value for name, value in layers.items() if value})
    id = element.get("xml:id")
    if id in words:
        message = f"two words have the xml:id '{id:.60}'"
        source.report("duplicate-id", message, line=element.line, column=element.column)
    elif id:
        words[id] = place


def _inside(word: Element, tag: str) -> Element | None:
    """The current element of a kind in a word: the corrected one, if there is one. Elements of another class, such as
    the text of a scan, are ignored."""
    for child in word.children:
        if child.tag == tag and (tag != "t" or child.get("class") in ("", "current")):
            return child
        if child.tag == "correction":
            corrections = [now.find(tag) for now in child.children if now.tag in ("new", "current")]
            if any(corrections):
                return next(filter(None, corrections))
    return None


def _chains(
    builder: Builder, source: Source, chains: list[Element], words: dict[str, int], left_out: Counter[str]
) -> bool:
    """Add the mentions; returns whether a chain has a label."""
    labels: set[str] = set()
    for number, chain in enumerate(chains, start=1):
        id = chain.get("xml:id")
        if id in labels:
            message = f"two chains have the xml:id '{id:.60}'"
            source.report("duplicate-id", message, line=chain.line, column=chain.column)
        if id:
            labels.add(id)
        for link in chain.children:
            if link.tag == "coreferencelink":
                _link(builder, source, chain, link, id or str(number), words)
            elif link.tag not in ("feat", "desc", "comment"):
                left_out[link.tag] += 1
    return bool(labels)


def _link(builder: Builder, source: Source, chain: Element, link: Element, label: str, words: dict[str, int]) -> None:
    all_places = _places(source, link, words)
    if not all_places:
        source.report("syntax", "this link has no words", line=link.line, column=link.column)
        return
    role = link.find("hd")
    heads = _places(source, role, words) if role else []
    parts = joined_pieces((place, place) for place in all_places)
    handle = builder.mention(
        parts[0][0],
        parts[-1][1],
        label,
        line=link.line,
        parts=parts,
        head=heads[0] if len(heads) == 1 else -1,
        type=chain.get("class"),
    )
    if len(heads) > 1:
        builder.attribute(handle, "min", " ".join(builder.words[place] for place in sorted(heads)))
    for feature in (*chain.children, *link.children):
        if feature.tag == "feat" and (name := feature.get("subset")):
            builder.attribute(handle, name, feature.get("class"))
    for name in ("mod", "time", "level"):  # attributes in FoLiA before 2.0
        builder.attribute(handle, name, link.get(name))
    builder.attribute(handle, "id", link.get("xml:id"))


def _places(source: Source, element: Element, words: dict[str, int]) -> list[int]:
    """The words that an element or a role in it refers to."""
    places: list[int] = []
    for child in element.children:
        if child.tag == "wref":
            place = words.get(child.get("id"))
            if place is None:
                message = f"this link refers to the word '{child.get('id'):.60}', which does not exist"
                source.report("dangling", message, line=child.line, column=child.column)
            else:
                places.append(place)
        elif child.tag in _ROLES:
            places += _places(source, child, words)
    return list(dict.fromkeys(places))
