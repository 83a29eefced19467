"""How key and response fit together, before any score: which documents are paired, where they differ, what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus, Document, IntArray, Mention
from ..corpus.spelling import content
from ..errors import PLACES, Issue, counted
from ..formats import FormatName, Input, read
from ..keywords import known_keywords
from ..matching.documents import remedy
from ..matching.matched import Matched, match
from ..matching.places import CARRY, Divergence, divergence, matched, token_place
from ..matching.suspicions import no_singletons, same_file, sampled_key, shifted, singletons, swapped
from ..options import Options, Policies
from ..protocols import resolve


class Pair(NamedTuple):
    """A document of the key and the response document that it is paired with; one is None if it has no partner."""

    key: Document | None
    response: Document | None
    text: Divergence | None = None  # where the texts first differ
    sentences: Divergence | None = None  # where only one of them begins a sentence

    @property
    def status(self) -> str:
        """`paired`, `missing` in the response, or `extra` there."""
        return "missing" if self.response is None else "extra" if self.key is None else "paired"

    @property
    def unequal(self) -> tuple[int, int] | None:
        """The numbers of tokens of both, if they differ."""
        numbers = [d.tokens for d in (self.key, self.response) if d and d.tokens is not None]
        return (numbers[0], numbers[1]) if len(numbers) == 2 and numbers[0] != numbers[1] else None

    @property
    def label(self) -> str:
        """The name of the document."""
        document = self.key or self.response
        return document.label if document else ""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        sides = {
            name: None if d is None else {"label": d.label, "tokens": d.tokens, "place": d.place}
            for name, d in (("key", self.key), ("response", self.response))
        }
        differences = {
            name: None if where is None else where._asdict()
            for name, where in (("text", self.text), ("sentences", self.sentences))
        }
        return {"status": self.status, **sides, **differences}


class Twinless(NamedTuple):
    """A mention that only one side has; `kind` is `singleton`, or `resolved` if its entity there has others."""

    side: str
    kind: str
    mention: Mention
    words: str  # empty if there is no text


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of documents, how many mentions they share, and the findings: `problems` and `notes`.

    Mentions that only one side has are in `twinless` (Cai & Strube 2010).
    """

    key: Corpus
    response: Corpus
    documents: Sequence[Pair]
    common: int
    problems: Sequence[Issue]
    notes: Sequence[Issue]
    _matched: Matched = field(repr=False)

    @cached_property
    def _alone(self) -> dict[str, tuple[IntArray, npt.NDArray[np.bool_]]]:
        """For each side, the mentions that it alone has, and which of them are singletons there."""
        alignment = self._matched.alignment
        ours, theirs = alignment.key, alignment.response
        found = {}
        for side, here, there, origin, size in (
            ("key", ours, theirs, alignment.origins[0], alignment.sizes[0]),
            ("response", theirs, ours, alignment.origins[1], alignment.sizes[1]),
        ):
            rows = np.flatnonzero((here >= 0) & (there < 0))
            rows = rows[np.argsort(origin[rows], kind="stable")]
            found[side] = origin[rows], size[here[rows]] == 1
        return found

    @property
    def twinless(self) -> Iterator[Twinless]:
        """The mentions that only one side has, those of the key first.

        Whether a mention is a singleton is decided before anything is left out.
        """
        for side, corpus in (("key", self.key), ("response", self.response)):
            for row, single in zip(*(x.tolist() for x in self._alone[side]), strict=True):
                mention = corpus.mention(row)
                words = corpus.words(row) if corpus.has_text and mention.name is None else ""
                yield Twinless(side, "singleton" if single else "resolved", mention, words)

    def twinless_counts(self, side: str) -> dict[str, int]:
        """How many mentions only that side has: singletons there, and resolved ones."""
        single = self._alone[side][1]
        return {"singleton": int(single.sum()), "resolved": int((~single).sum())}

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def count(self, status: str) -> int:
        """The documents that are `paired`, `missing` in the response or `extra` there."""
        return sum(pair.status == status for pair in self.documents)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        sides = {
            name: {"source": c.source, "format": c.format, "documents": len(c.documents), "mentions": len(c)}
            for name, c in (("key", self.key), ("response", self.response))
        }
        return {
            "ok": self.ok,
            **sides,
            "common": self.common,
            "twinless": {side: self.twinless_counts(side) for side in ("key", "response")},
            **{status: self.count(status) for status in ("paired", "missing", "extra")},
            "problems": [issue.to_dict() for issue in self.problems],
            "notes": [issue.to_dict() for issue in self.notes],
            "documents": [pair.to_dict() for pair in self.documents],
        }

    def to_json(self) -> str:
        """Everything as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for what, c in (("key", self.key), ("response", self.response)):
            source = c.source or "in memory"
            yield f"{what:<9} {source}: {counted(c.documents, 'document')}, {counted(c, 'mention')}"
        numbers = f"{self.count('paired')} paired, {self.count('missing')} missing, {self.count('extra')} extra"
        yield f"documents {numbers}"
        yield f"mentions  {self.common} in common{_shares(self.common, len(self.key), len(self.response))}"
        alone = {side: self.twinless_counts(side) for side in ("key", "response")}
        if any(sum(counts.values()) for counts in alone.values()):
            yield f"twinless  {'; '.join(_kinds(side, **counts) for side, counts in alone.items())}"
        for title, issues in (("problem", self.problems), ("note", self.notes)):
            yield from (f"{title + ':':<9} {issue}" for issue in issues)


def _kinds(side: str, singleton: int, resolved: int) -> str:
    kinds = f" ({singleton} singleton{'' if singleton == 1 else 's'}, {resolved} resolved)"
    return f"{singleton + resolved} in the {side} alone{kinds if singleton + resolved else ''}"


def _shares(common: int, key: int, response: int) -> str:
    if not common:
        return ""
    return f" ({100 * common / key:.0f} % of the key's, {100 * common / response:.0f} % of the response's)"


@known_keywords
def pair(
    key: Input,
    response: Input,
    *,
    encoding: str | None = None,
    key_format: FormatName | None = None,
    response_format: FormatName | None = None,
    **options: Unpack[Policies],
) -> Pairs:
    """How two inputs of `score` fit together; options: `pair` and `align`.

    Input that can't be read or has no document in common is an InputError, as for `score`. Everything else is listed.

        pairs = pair("key.conll", "response.conll"); pairs.ok; print(pairs)
    """
    ours = read(key, format=key_format, encoding=encoding, role="key")
    theirs = read(response, format=response_format, encoding=encoding, role="response")
    chosen = resolve(None, **{"extra": "ignore"} | options)[1]
    fitted = match(ours, theirs, chosen, strict=False, lenient=True)
    pairing, alignment = fitted.pairing, fitted.alignment
    documents = list(_documents(ours, theirs, matched(pairing), chosen.align == "characters"))
    wrong = [*_unpaired(documents), *_other_texts(ours, theirs, documents, chosen)]
    if len(ours) and len(theirs) and not alignment.common:
        wrong.append(Issue("twinless", "no mention in common: every mention is twinless", len(ours) + len(theirs)))
    sides = (("key", ours), ("response", theirs))
    wrong += [Issue(f"empty-{what}", f"the {what} has no mentions at all") for what, c in sides if not len(c)]
    wrong += [*swapped(ours, theirs), *same_file(ours, theirs)]
    if 2 * alignment.common < min(len(ours), len(theirs)):
        wrong += shifted(ours, theirs, pairing)
    odd = (issue for issue in fitted.issues if issue.code not in _UNPAIRED)
    notes = [*odd, *_sentences(documents), *no_singletons(*singletons(alignment))]
    if not ours.has_text and not theirs.has_text:
        notes += sampled_key(len(ours), len(theirs), alignment.common)
    return Pairs(ours, theirs, documents, alignment.common, wrong, notes, fitted)


def _documents(key: Corpus, response: Corpus, pairs: IntArray, carried: bool) -> Iterator[Pair]:
    """Key documents in their order, then those that only the response has; if `carried`, tokens may differ."""
    partner = dict(zip(*pairs.T.tolist(), strict=True))
    for k, document in enumerate(key.documents):
        if k not in partner:
            yield Pair(document, None)
            continue
        r = partner[k]
        same = carried and content(key, k) == content(response, r)
        text = None if same else divergence(key, response, k, r)
        borders = None if text else _sentence_divergence(key, response, k, r)
        yield Pair(document, response.documents[r], text, borders)
    found = set(partner.values())
    yield from (Pair(None, document) for r, document in enumerate(response.documents) if r not in found)


def _sentence_divergence(key: Corpus, response: Corpus, k: int, r: int) -> Divergence | None:
    """The first token that begins a sentence on one side only; texts with different empty nodes are skipped."""
    if key.unit != "token" or response.unit != "token" or not (key.has_text and response.has_text):
        return None
    ours, theirs = key.text.starts(k), response.text.starts(r)
    here, there = key.text.document(k), response.text.document(r)
    if np.array_equal(ours, theirs) or here.stop - here.start != there.stop - there.start:
        return None
    token = int(np.setxor1d(ours, theirs)[0])
    words = (key.text.words[here.start + token], response.text.words[there.start + token])
    return Divergence("token", token, *words, token_place(key, k, token), token_place(response, r, token))


_UNPAIRED = ("missing-documents", "extra-documents")  # reported here as problems, with what `score` does


def _unpaired(documents: list[Pair]) -> Iterator[Issue]:
    missing = [p.key for p in documents if p.key and not p.response]
    extra = [p.response for p in documents if p.response and not p.key]
    if missing:
        message = f"{counted(missing, 'document')} of the key missing in the response: scored as empty"
        yield Issue("missing-documents", message, len(missing), tuple(d.place or d.label for d in missing[:PLACES]))
    if extra:
        message = f"{counted(extra, 'document')} only in the response, which `score` refuses without --extra"
        yield Issue("extra-documents", message, len(extra), tuple(d.place or d.label for d in extra[:PLACES]))
    if extra and not missing:
        yield Issue("swapped", "the response has every document of the key and more: are key and response swapped?")


def _other_texts(key: Corpus, response: Corpus, documents: list[Pair], options: Options) -> Iterator[Issue]:
    """Documents of the same name with different text: other tokens, other words, or the text of another document."""
    carried = options.align == "characters"
    empty_nodes = key.unit == "token" and key.has_text and response.has_text  # without another difference, that is all
    unequal = [] if carried else [p for p in documents if p.unequal and (p.text or not empty_nodes)]
    other = [p for p in documents if p.text and (carried or not p.unequal)]
    if unequal:
        message = f"{_with_difference(unequal, f'with unequal numbers of {key.unit}s')}; {CARRY}"
        yield Issue("unequal-tokens", message, len(unequal), _places(unequal))
    if other:
        message = _with_difference(other, "of the same name with different text")
        yield Issue("other-text", message, len(other), _places(other))
    yield from _exchanged(key, response, documents, options)


def _with_difference(pairs: list[Pair], difference: str) -> str:
    """How many documents differ, and how the first one does."""
    first = pairs[0]
    numbers = f" ({first.unequal[0]} and {first.unequal[1]})" if first.unequal else ""
    where = f": {first.text}" if first.text else ""
    return f"{counted(pairs, 'document')} {difference}, first {first.label!r}{numbers}{where}"


def _places(pairs: list[Pair]) -> tuple[str, ...]:
    return tuple(p.response.place for p in pairs[:PLACES] if p.response and p.response.place)


def _exchanged(key: Corpus, response: Corpus, documents: list[Pair], options: Options) -> Iterator[Issue]:
    """Response documents that have the text of another key document than the one they are paired with."""
    suspicious = any(pair.text or pair.status != "paired" for pair in documents)
    if not suspicious or not (key.has_text and response.has_text):
        return
    exchanged = _with_other_text(key, response, documents)
    if exchanged:
        document, other = exchanged[0]
        message = (
            f"{counted(exchanged, 'response document')} with the text of another key document, "
            f"{document.quoted} with that of {other.quoted}"
        )
        if by_words := remedy(key, response, options, "text"):
            message += f": {by_words}"
        places = tuple(document.place for document, _ in exchanged[:PLACES] if document.place)
        yield Issue("exchanged", message, len(exchanged), places)


def _with_other_text(key: Corpus, response: Corpus, documents: list[Pair]) -> list[tuple[Document, Document]]:
    """Response documents that do not have the text of their own key document, and the one whose text they have."""
    text_of = {document: content(key, k) for k, document in enumerate(key.documents)}
    owner = {text: document for document, text in text_of.items()}
    partner = {pair.response: pair.key for pair in documents if pair.key and pair.response}
    exchanged = []
    for r, document in enumerate(response.documents):
        text = content(response, r)
        has_own_text = document in partner and text_of[partner[document]] == text
        if text in owner and not has_own_text:
            exchanged.append((document, owner[text]))
    return exchanged


def _sentences(documents: list[Pair]) -> Iterator[Issue]:
    differing = [p for p in documents if p.sentences]
    if differing and (first := differing[0].sentences):
        what = f"token {first.number}, {first.key!r}, begins a sentence on one side only"
        message = f"{counted(differing, 'document')} with different sentences, which changes no score"
        places = tuple(place for place in (first.key_place, first.response_place) if place)
        yield Issue("other-sentences", f"{message}; in {differing[0].label!r} {what}", len(differing), places)
