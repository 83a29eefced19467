"""The answers of a language model to windows of a text, joined to documents: `convert answers.jsonl out --join`.

An answer is a line from `prompts` with the field `answer` added, or a line with only `id` and `answer`; then the
prompts are also needed. The text of the model is read like `inline` and the other formats. Its mentions are mapped to
the words of the window by the characters of the text.

The document gets the mentions of all windows. How entities are made depends on what the labels mean:

    window     (default) Labels are valid within a window. Entities of two windows are joined if they share a mention,
               that is, a span in the words that both windows have. Entities joined with a third one are also joined.
    document   Labels are valid across the windows of a document. A span with two labels keeps that of the first window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ..corpus.model import Corpus, Document, Text
from ..errors import PLACES, InputError, Issue, choose, counted
from ..files.encoding import text as decoded
from ..files.encoding import unpacked
from ..files.finding import find
from ..files.notation import json_value
from ..files.opening import run
from ..formats import FORMATS, FormatName
from ..formats.shared.builder import Builder
from ..formats.shared.repairs import repairing
from ..formats.shared.source import Source
from ..matching.characters import mapped, writings
from ..matching.documents import Pairing
from ..matching.strings import nowhere, placed
from .conversion import write

Ids: TypeAlias = Literal["window", "document"]
ANSWERS = ("answer", "response", "output", "completion")
_FORMATS = ("inline", "crac-text", "crac-json", "jsonlines")
_HEAD = 1 << 16
_HINT = "copy each line of the prompts and add the field `answer`, or give the prompts as well (--prompts FILE)"
_WITH_PROMPTS = "an answer has the `id` of a line of the prompts, which are the output of `convert --to prompts`"


@run()
def join(
    answers: str | Path,
    target: str | Path,
    *,
    prompts: str | Path | None = None,
    ids: Ids = "window",
    to: FormatName | None = None,
    encoding: str | None = None,
    report: Callable[[Issue], None] = lambda issue: None,
) -> Corpus:
    """Join the answers to the windows of a text, write the documents, and return them.

    prompts   the output of `prompts`, if the answers have only `id` and `answer`
    ids       whether labels of entities are valid within a `window` or across the windows of a `document`
    """
    corpus = joined(answers, prompts=prompts, ids=ids, encoding=encoding)
    for issue in corpus.issues:
        report(issue)
    write(corpus, target, format=to, report=report)
    return corpus


def joined(
    answers: str | Path, *, prompts: str | Path | None = None, ids: Ids = "window", encoding: str | None = None
) -> Corpus:
    """The documents that answers to windows make up; see `join`."""
    choose(ids, get_args(Ids), "meaning of labels")
    try:
        return _joined(answers, prompts, ids, encoding)
    except InputError as error:
        if prompts is None or error.hint != _HINT:
            raise
        raise InputError(
            error.message,
            file=error.file,
            line=error.line,
            column=error.column,
            hint=_WITH_PROMPTS,
            code=error.code,
        ) from None


def _joined(answers: str | Path, prompts: str | Path | None, ids: Ids, encoding: str | None) -> Corpus:
    found = _Windows(str(answers))
    if prompts is not None:
        for line, record in _records(str(prompts), encoding):
            found.add(record, str(prompts), line)
    for line, record in _records(str(answers), encoding):
        found.answer(record, str(answers), line)
    return found.built(ids)


def _records(path: str, encoding: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    for file in find(path).files:
        lines = decoded(unpacked(file.load(), file.name, encoding, file.budget), file.name).split("\n")
        for number, line in enumerate(lines, start=1):
            if line.strip():
                record = json_value(line, file.name, first=number, hint="one JSON object per line")
                if not isinstance(record, dict):
                    raise InputError("a JSON object is expected", file=file.name, line=number, hint=_HINT)
                yield number, record


@dataclass
class _Window:
    """A window: the place of its words in the document, and the mentions of the answer (None: there is no answer)."""

    name: str
    part: int | None
    number: int
    of: int
    first: int
    sentences: list[list[str]]
    continues: bool
    place: tuple[str, int]
    mentions: list[tuple[int, int, str]] | None = None

    @property
    def words(self) -> list[str]:
        return [word for sentence in self.sentences for word in sentence]


@dataclass
class _Windows:
    """The windows of all documents, by their ids, and notes on the answers."""

    source: str
    windows: dict[str, _Window] = field(default_factory=dict)
    odd: dict[str, list[Issue]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def add(self, record: Mapping[str, Any], file: str, line: int) -> _Window:
        """A window as `prompts` wrote it."""
        tokens, number, of, first = (record.get(name) for name in ("tokens", "window", "windows", "first"))
        sound = isinstance(tokens, list) and all(
            isinstance(sentence, list) and sentence and all(isinstance(w, str) for w in sentence) for sentence in tokens
        )
        name, part = record.get("doc"), record.get("part")
        if not (sound and tokens and isinstance(name, str) and isinstance(part, (int, type(None)))) or any(
            type(x) is not int or x < low for x, low in ((number, 1), (of, 1), (first, 0))
        ):
            raise InputError("this is not a window of a text", file=file, line=line, hint=_HINT)
        window = _Window(name, part, number, of, first, tokens, bool(record.get("continues")), (file, line))  # type: ignore[arg-type]
        known = self.windows.setdefault(_id(record, file, line), window)
        if known is not window:
            where = f"{known.place[0]}:{known.place[1]}"
            raise InputError(f"window {number} of '{name[:80]}' occurs twice, first at {where}", file=file, line=line)
        return window

    def answer(self, record: Mapping[str, Any], file: str, line: int) -> None:
        """A line of answers."""
        known = self.windows.get(str(record.get("id", "")))
        window = known or self.add(record, file, line)
        given = next((record[name] for name in ANSWERS if record.get(name) is not None), None)
        if given is None:
            return
        if not isinstance(given, str):
            raise InputError("the answer must be a text", file=file, line=line, hint=_HINT)
        if window.mentions is not None:
            raise InputError(f"window {record['id']!r:.80} is answered twice", file=file, line=line)
        window.mentions = self._mentions(window, given, file, line)

    def _mentions(self, window: _Window, answer: str, file: str, line: int) -> list[tuple[int, int, str]]:
        """The mentions of an answer, as words of the document."""
        source = Source(answer.encode(errors="replace"), f"{file}:{line}")
        try:
            response = _read(source)
            if len(response.documents) != 1:
                raise InputError(
                    f"an answer must be one document, but this one has {len(response.documents)}", file=source.name
                )
            spans, lost, issues = _carried(_corpus(window, file), response)
        except InputError as error:
            if not repairing():
                raise
            issue = Issue("repaired", f"an answer that can't be read is left out: {error.message}", 1, (source.name,))
            self.odd.setdefault(issue.code, []).append(issue)
            return []
        for issue in issues:
            self.odd.setdefault(issue.code, []).append(issue)
        self.lost += [source.name] * lost
        return [(a + window.first, b + window.first, label) for a, b, label in spans]

    def built(self, ids: Ids) -> Corpus:
        """The documents, in the order of their first windows."""
        documents: dict[tuple[str, int | None], list[_Window]] = {}
        for window in self.windows.values():
            documents.setdefault((window.name, window.part), []).append(window)
        if not documents:
            raise InputError("there are no answers here", file=self.source, hint=_HINT)
        source = Source(b"", self.source)
        builder = Builder(source, "answers")
        unanswered, contradicted = [], 0
        for (name, part), some in documents.items():
            every = sorted(some, key=lambda window: window.number)
            builder.document(name, part)
            _words(every, builder)
            unanswered += [f"{Document(name, part).label}#{w.number}" for w in every if w.mentions is None]
            mentions, odd = _by_label(every) if ids == "document" else (_by_overlap(every), 0)
            contradicted += odd
            for start, end, label in mentions:
                builder.mention(start, end, label)
        return replace(builder.build(), issues=(*self._issues(unanswered, contradicted),))

    def _issues(self, unanswered: list[str], contradicted: int) -> Iterator[Issue]:
        if unanswered:
            message = f"{counted(unanswered, 'window')} of {len(self.windows)} without an answer: no mention is marked"
            yield Issue("unanswered", message, len(unanswered), tuple(unanswered[:PLACES]))
        if self.lost:
            message = f"{counted(self.lost, 'mention')} of the answers not in the text of the window: left out"
            yield Issue("not-carried-response", message, len(self.lost), tuple(dict.fromkeys(self.lost))[:PLACES])
        if contradicted:
            message = f"{contradicted} spans with two labels in two windows: the first one counts"
            yield Issue("two-entities", message, contradicted)
        for code, issues in self.odd.items():
            more = f"; and something similar in {len(issues) - 1} more answers" if len(issues) > 1 else ""
            places = tuple(place for issue in issues for place in issue.places)
            yield Issue(code, issues[0].message + more, sum(issue.count for issue in issues), places)


def _id(record: Mapping[str, Any], file: str, line: int) -> str:
    name = record.get("id")
    if not isinstance(name, str) or not name:
        raise InputError("a window must have an id", file=file, line=line, hint=_HINT)
    return name


def _read(source: Source) -> Corpus:
    """An answer in one of the formats for language models; text without any mark is an answer without mentions."""
    head = source.data[:_HEAD]
    format = next((FORMATS[name] for name in _FORMATS if FORMATS[name].module.looks_like(head)), FORMATS["inline"])
    return format.module.read(source)


def _corpus(window: _Window, file: str) -> Corpus:
    """The words of a window, as a document."""
    words, none = window.words, np.zeros(0, dtype=np.int64)
    document = Document(window.name, window.part, len(words), file)
    text = Text(words, np.array([0, len(words)]), np.zeros(1, dtype=np.int64))
    return Corpus([document], none, none, none, none, [], source=file, format="answers", texts=text)


def _carried(window: Corpus, answer: Corpus) -> tuple[list[tuple[int, int, str]], int, list[Issue]]:
    """The mentions of an answer as words of its window, how many are not in the window, and notes."""
    issues = list(answer.issues)
    labels = [str(answer.labels[e]) for e in answer.entity.tolist()]
    size = window.documents[0].tokens or 0
    if answer.names is not None or not answer.has_text:
        pairing = Pairing(np.zeros(1, np.int64), np.zeros(1, np.int64), window.documents, np.zeros(1, np.int64), [""])
        answer, more = placed(window, answer, pairing)
        labels = [str(answer.labels[e]) for e in answer.entity.tolist()]
        if answer.names is not None:
            raise InputError("none of the strings of this answer is in its text", file=answer.source)
        gone = nowhere(answer)
        gone = answer.end >= size if gone is None else gone
        spans = zip(answer.start.tolist(), answer.end.tolist(), labels, gone.tolist(), strict=True)
        found = [(a, b, label) for a, b, label, lost in spans if not lost]
        return found, int(gone.sum()), [*issues, *more]
    (one,), (other,) = writings(window), writings(answer)
    first, last = other.borders(answer.start, answer.end)[:2]
    if one.text != other.text:
        to = np.concatenate((mapped(one, other), [-1]))
        first, last = to[np.minimum(first, len(to) - 1)], to[np.minimum(last, len(to) - 1)]
    sound = (first >= 0) & (last >= first)
    start, end = (np.searchsorted(one.first, at[sound], side="right") - 1 for at in (first, last))
    kept = [label for label, good in zip(labels, sound.tolist(), strict=True) if good]
    return list(zip(start.tolist(), end.tolist(), kept, strict=True)), int((~sound).sum()), issues


def _words(every: list[_Window], builder: Builder) -> None:
    """The words of a document from its windows, which must have all of them."""
    size = 0
    numbers = {window.number for window in every}
    missing = [n for n in range(1, every[0].of + 1) if n not in numbers]
    name, (file, line) = every[0].name, every[0].place
    if missing:
        message = f"window {missing[0]} of {every[0].of} of document '{name[:80]}' is missing"
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(message + more, file=file, line=line, hint=_HINT)
    for window in every:
        place = window.first
        if place > size:
            raise InputError(
                f"words {size} to {place - 1} of document '{name[:80]}' are in no window",
                file=window.place[0],
                line=window.place[1],
                hint=_HINT,
            )
        for n, sentence in enumerate(window.sentences):
            if place >= size and (n or not window.continues):
                builder.sentence()
            for word in sentence:
                if place >= size:
                    builder.token(word)
                    size += 1
                place += 1


def _by_label(every: list[_Window]) -> tuple[list[tuple[int, int, str]], int]:
    """Entities by their labels, and how many spans have another label in a later window."""
    known: dict[tuple[int, int], tuple[int, set[str]]] = {}
    odd = 0
    for window in every:
        for start, end, label in window.mentions or ():
            number, labels = known.setdefault((start, end), (window.number, set()))
            if number == window.number:
                labels.add(label)
            elif label not in labels:
                odd += 1
    return [(a, b, label) for (a, b), (_, labels) in known.items() for label in sorted(labels)], odd


def _by_overlap(every: list[_Window]) -> list[tuple[int, int, str]]:
    """Entities of windows, joined if they share a mention."""
    parent: dict[tuple[int, str], tuple[int, str]] = {}

    def root(node: tuple[int, str]) -> tuple[int, str]:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    shared: dict[tuple[int, int], tuple[int, str]] = {}
    mentions: dict[tuple[int, int, tuple[int, str]], None] = {}
    for window in every:
        own: set[tuple[int, int]] = set()
        for start, end, label in window.mentions or ():
            node = (window.number, label)
            parent.setdefault(node, node)
            mentions[start, end, node] = None
            if (start, end) in own:  # one span in two entities of the same window does not join them
                continue
            own.add((start, end))
            before = shared.setdefault((start, end), node)
            if before[0] != window.number:
                parent[root(node)] = root(before)
    numbers: dict[tuple[int, str], int] = {}
    found = {(a, b, numbers.setdefault(root(node), len(numbers) + 1)): None for a, b, node in sorted(mentions)}
    return [(a, b, str(label)) for a, b, label in found]
