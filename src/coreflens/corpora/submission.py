"""Is this a submission that can be scored? This checks what a shared task asks of every team, before any score.

There are six separate checks: nothing leads out of the submission or to the key, the documents are those of the task,
the tokens are unchanged, the format is sound, nothing is empty, and the entities are plausible. The chains of the key
are not used. So a skeleton, the key without its coreference, is enough, and teams can be given one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus.model import Corpus, Document, IntArray
from ..corpus.spelling import content
from ..errors import PLACES, InputError, UsageError, counted
from ..files.boundary import Fault, faults, stamps
from ..files.finding import find
from ..formats import FormatName, read
from ..formats.shared.problems import Problem
from ..integers import bincount
from ..keywords import known_keywords
from ..matching.documents import pair as pair_documents
from ..matching.places import divergence, matched
from ..options import Align, Pair
from ..protocols import resolve
from .validation import check

CHECKS = {
    "boundary": "nothing that leads out of the submission, or to the key",
    "documents": "the documents of the task, each once, and no others",
    "tokens": "the words of the task; how quotation marks and brackets are spelt does not matter",
    "format": "files that can be read without problems",
    "empty": "mentions in every document",
    "ids": "plausible entities",
}
_CHECK = {  # finding of `validate` → the check that it belongs to, if not "format"
    "duplicate-document": "documents",
    "empty-file": "empty",
    "missing-text": "tokens",
    "text-mismatch": "tokens",
    **dict.fromkeys(("two-entities", "repeated", "duplicate-id", "dangling"), "ids"),
}
_ENTRIES = 10_000  # files and folders that every submission may have
_ENTRIES_PER_DOCUMENT = 10  # and for each document of a large task; MMAX2 has five
_MANY = 5  # with this many mentions it is unusual if all are one entity, or if each is a separate entity


@dataclass(frozen=True)
class Finding:
    """Something wrong (`error`) or unusual (`warning`) in a submission, how often, and where first."""

    check: str
    severity: str
    code: str
    message: str
    count: int = 1
    places: tuple[str, ...] = ()
    hint: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return asdict(self) | {"places": list(self.places)}

    def __str__(self) -> str:
        more = ", ..." if self.count > len(self.places) else ""
        where = f" ({', '.join(self.places)}{more})" if self.places else ""
        return f"{self.message}{where} [{self.code}]" + (f"; {self.hint}" if self.hint else "")


@dataclass(frozen=True, eq=False)
class Submission:
    """The findings: `ok` unless there is an error; `unchecked` says why a check was not possible."""

    task: Corpus
    source: str
    submitted: Corpus | None
    findings: Sequence[Finding]
    unchecked: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether it can be accepted; warnings do not prevent that."""
        return not self.count("error")

    def count(self, severity: str) -> int:
        """How many findings are errors, or warnings."""
        return sum(finding.severity == severity for finding in self.findings)

    def status(self, name: str) -> str:
        """The result of one check: `ok`, `warning`, `error` or `unchecked`."""
        grades = {finding.severity for finding in self.findings if finding.check == name}
        if grades:
            return "error" if "error" in grades else "warning"
        return "unchecked" if name in self.unchecked else "ok"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        there = self.submitted
        sizes: dict[str, Any] = {"source": self.source, "format": None, "documents": None}
        if there is not None:
            sizes |= {"format": there.format, "documents": len(there.documents), "mentions": len(there)}
            sizes |= {"entities": _entities(there)}
        task = {"source": self.task.source, "format": self.task.format, "documents": len(self.task.documents)}
        checks = {
            name: {
                "status": self.status(name),
                **({"why": self.unchecked[name]} if self.status(name) == "unchecked" else {}),
                "findings": [finding.to_dict() for finding in self.findings if finding.check == name],
            }
            for name in CHECKS
        }
        numbers = {"errors": self.count("error"), "warnings": self.count("warning")}
        return {"ok": self.ok, "task": task, "submission": sizes, **numbers, "checks": checks}

    def to_json(self) -> str:
        """Everything as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"task        {self.task.source}: {counted(self.task.documents, 'document')}"
        there = self.submitted
        if there is None:
            yield f"submission  {self.source}: can't be read"
        else:
            sizes = f"{counted(there.documents, 'document')}, {counted(there, 'mention')}"
            entities = _entities(there)
            yield f"submission  {self.source}: {sizes} in {entities} {'entity' if entities == 1 else 'entities'}"
        for name, about in CHECKS.items():
            status = self.status(name)
            if status in ("ok", "unchecked"):
                why = self.unchecked.get(name, "")
                yield f"{name:<11} {f'ok: {about}' if status == 'ok' else f'not checked: {why}'}"
            for finding in self.findings:
                if finding.check == name:
                    yield f"{name:<11} {finding.severity}: {finding}"
        numbers = [(self.count(grade), grade) for grade in ("error", "warning") if self.count(grade)]
        found = ", ".join(f"{n} {grade}{'' if n == 1 else 's'}" for n, grade in numbers)
        yield f"{'accepted' if self.ok else 'not accepted'}{f': {found}' if found else ''}"


@known_keywords
def check_submission(
    task: str | Path,
    submission: str | Path,
    *,
    pair: Pair | None = None,
    align: Align | None = None,
    encoding: str | None = None,
    key_format: FormatName | None = None,
    response_format: FormatName | None = None,
) -> Submission:
    """Check a submission (a file, directory or zip archive) against a key or skeleton; options as in `score`.

    A task that can't be read, or a submission that does not exist, is an InputError. Everything else is a finding.

        report = check_submission("skeleton.conll", "team.zip"); report.ok; print(report)
    """
    source = str(submission)
    if source == "-" or (Path(source).exists() and not (Path(source).is_file() or Path(source).is_dir())):
        raise UsageError("a submission is read twice, so it must be a file, a directory or a zip archive")
    reference = read(str(task), format=key_format, encoding=encoding, role="key")
    most = max(_ENTRIES, _ENTRIES_PER_DOCUMENT * len(reference.documents))
    before = stamps(source)
    found = [*_of_faults(list(faults(source, str(task), most)))]
    if found:  # then no file of it is opened, and no link in it followed
        return Submission(reference, source, None, found, dict.fromkeys(CHECKS, "the submission is not read"))
    find(source)
    found += _of_problems(list(check(source, response_format, encoding)))
    try:
        there = read(source, format=response_format, encoding=encoding, role="response")
        found += _changed(source, before)
    except InputError as error:
        if not any(finding.severity == "error" for finding in found):
            found.append(_of_error(error, "format"))
        return Submission(reference, source, None, found, dict.fromkeys(CHECKS, "the submission can't be read"))
    try:
        pairing, _ = pair_documents(reference, there, resolve(None, pair=pair, extra="ignore")[1])
    except InputError as error:
        found.append(_of_error(error, "documents"))
        why = "no documents to compare"
        return Submission(reference, source, there, [*found, *_empty(there), *_ids(there)], {"tokens": why})
    pairs = matched(pairing)
    found += _documents(reference, there, pairs)
    found += _tokens(reference, there, pairs, align)
    unchecked = {} if reference.has_text and there.has_text else {"tokens": "there are no words to compare"}
    return Submission(reference, source, there, [*found, *_empty(there), *_ids(there)], unchecked)


def _entities(there: Corpus) -> int:
    """How many there are, each counted in every document that it occurs in."""
    return int(np.unique(np.stack((there.doc, there.entity)), axis=1).shape[1])


def _of_faults(faults_of_entries: list[Fault]) -> Iterator[Finding]:
    """One finding for each kind of fault that the entries of the submission have."""
    for code in dict.fromkeys(fault.code for fault in faults_of_entries):
        same = [fault for fault in faults_of_entries if fault.code == code]
        places = tuple(fault.path for fault in same[:PLACES])
        yield Finding("boundary", "error", code, same[0].message, len(same), places, same[0].hint)


def _changed(source: str, before: Mapping[str, tuple[int, ...]]) -> Iterator[Finding]:
    """What became different while the submission was read: then nobody knows what was checked."""
    after = stamps(source)
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if changed:
        message = "files changed while they were read"
        yield Finding("boundary", "error", "changed", message, len(changed), tuple(changed[:PLACES]))


def _of_error(error: InputError, name: str) -> Finding:
    place = ":".join(str(x) for x in (error.file, error.line, error.column) if x is not None)
    return Finding(_CHECK.get(error.code, name), "error", error.code, error.message, 1, (place,) if place else ())


def _of_problems(problems: list[Problem]) -> Iterator[Finding]:
    """One finding for each kind of problem that the files have."""
    for code in dict.fromkeys(problem.code for problem in problems):
        same = [problem for problem in problems if problem.code == code]
        if same[0].severity != "remark":
            more = f"; and {len(same) - 1} more of this kind" if len(same) > 1 else ""
            places = tuple(problem.place for problem in same[:PLACES])
            name = _CHECK.get(code, "format")
            yield Finding(name, same[0].severity, code, same[0].message + more, len(same), places, same[0].hint)


def _where(documents: Sequence[Document]) -> tuple[str, ...]:
    return tuple(document.place or document.label for document in documents[:PLACES])


def _documents(task: Corpus, there: Corpus, pairs: IntArray) -> Iterator[Finding]:
    met, meeting = set(pairs[:, 0].tolist()), set(pairs[:, 1].tolist())
    missing = [document for d, document in enumerate(task.documents) if d not in met]
    extra = [document for d, document in enumerate(there.documents) if d not in meeting]
    if missing:
        names = ", ".join(document.quoted for document in missing[:PLACES]) + (", ..." if len(missing) > PLACES else "")
        verb = "is" if len(missing) == 1 else "are"
        message = f"{counted(missing, 'document')} of the task {verb} missing: {names}"
        yield Finding("documents", "error", "missing-documents", message, len(missing))
    if extra:
        verb = "is" if len(extra) == 1 else "are"
        message = f"{counted(extra, 'document')} {verb} not part of the task, such as {extra[0].quoted}"
        yield Finding("documents", "error", "extra-documents", message, len(extra), _where(extra))


def _tokens(task: Corpus, there: Corpus, pairs: IntArray, align: Align | None) -> Iterator[Finding]:
    """Documents with other words or, if only the numbers of words are known, with more or fewer of them."""
    changed: list[tuple[str, str]] = []  # place and words
    outside: list[str] = []
    ends = np.full(len(there.documents), -1, dtype=np.int64)
    np.maximum.at(ends, there.doc, there.end)
    for k, r in pairs.tolist():
        if align == "characters" and content(task, k) == content(there, r):
            continue
        if difference := _other_tokens(task, there, k, r):
            changed.append(difference)
        elif _ends_outside(task, there, k, int(ends[r])):
            quoted = task.documents[k].quoted
            outside.append(f"{quoted} has a mention up to {there.unit} {ends[r]}, counted from 0")
    if changed:
        places = tuple(place for place, _ in changed[:PLACES] if place)
        message = f"{counted(changed, 'document')} with other tokens than the task; first: {changed[0][1]}"
        yield Finding("tokens", "error", "other-tokens", message, len(changed), places)
    if outside:
        message = f"{counted(outside, 'document')} with mentions after the last token; first: {outside[0]}"
        yield Finding("tokens", "error", "span-range", message, len(outside))


def _other_tokens(task: Corpus, there: Corpus, k: int, r: int) -> tuple[str, str] | None:
    """The place and the words of the first difference between two documents, or how many tokens they have."""
    wanted, given = task.documents[k], there.documents[r]
    first = divergence(task, there, k, r)
    if first:
        has, wants = (f"{word!r:.40}" if word is not None else "missing" for word in (first.response, first.key))
        says = f"{first.unit} {first.number} of {wanted.quoted} is {has}, and in the task it is {wants}"
        return first.response_place or given.place, says
    both_have_text = task.has_text and there.has_text
    if both_have_text or None in (wanted.tokens, given.tokens) or wanted.tokens == given.tokens:
        return None
    return given.place, f"{wanted.quoted} has {given.tokens} {there.unit}s, and {wanted.tokens} in the task"


def _ends_outside(task: Corpus, there: Corpus, k: int, end: int) -> bool:
    """Whether a mention ends after the last token, if the words themselves can't be compared."""
    tokens = task.documents[k].tokens
    if task.has_text and there.has_text:
        return False
    return tokens is not None and task.unit == there.unit and end >= tokens


def _empty(there: Corpus) -> Iterator[Finding]:
    if not len(there):
        yield Finding("empty", "error", "no-mentions", "there is no mention in the whole submission")
        return
    empty = [there.documents[d] for d in np.flatnonzero(np.diff(there.bounds) == 0).tolist()]
    if empty:
        message = f"{counted(empty, 'document')} without any mention, such as {empty[0].quoted}"
        yield Finding("empty", "warning", "no-mentions", message, len(empty), _where(empty))


def _ids(there: Corpus) -> Iterator[Finding]:
    """Documents with one entity for everything, or only entities of one mention: the ids may mean something else."""
    if len(there) < _MANY:
        return
    entities, sizes = np.unique(np.stack((there.doc, there.entity)), axis=1, return_counts=True)
    if sizes.max() == 1:
        message = "every mention is the only one of its entity in its document: are these ids of mentions?"
        yield Finding("ids", "warning", "all-singletons", message, len(there))
        return
    mentions = np.diff(there.bounds)
    kinds = bincount(entities[0], minlength=len(there.documents))
    alone = np.flatnonzero((kinds == 1) & (mentions >= _MANY))
    if len(alone) and len(alone) == (mentions >= _MANY).sum():
        documents = [there.documents[d] for d in alone.tolist()]
        message = f"{counted(alone, 'document')} in which all mentions are one entity: are these the right ids?"
        yield Finding("ids", "warning", "one-entity", message, len(alone), _where(documents))
