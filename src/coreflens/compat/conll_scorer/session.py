"""A call of scorer.pl v8.01: what it prints for each metric, and what it remembers from one metric to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from .identification import Identified, identified
from .printing import blanc_scores, score_lines, scores
from .reading import File, ReadDocument, Stop
from .scoring import METRICS, Chains, Counts, Number

_LIMIT = 10  # repeated mentions that are tolerated, in all documents and metrics of a run together


@dataclass
class Session:
    """One call of the script: what it remembers from metric to metric, and what the notes need to know."""

    key: str
    response: str
    name: str | None
    out: TextIO
    metrics: Sequence[str]
    files: dict[str, File] = field(default_factory=dict)
    mentions: dict[str, Identified] = field(default_factory=dict)  # by the name of the document
    repeated: int = 0
    code: int = 0  # of a death after the document read last
    totals: dict[str, tuple[Number, Number, Number]] = field(default_factory=dict)
    links: Counts = ()  # of BLANC
    stop: Stop | None = None

    @property
    def is_single(self) -> bool:
        """Whether a single document is asked for."""
        return self.name is not None and self.name != "none"

    def say(self, text: str) -> None:
        if self.name != "none":
            self.out.write(text)

    def open(self, path: str) -> File:
        if path not in self.files:
            self.files[path] = File(path)
        return self.files[path]

    def score(self, metric: str) -> None:
        """All documents, or the one asked for, by one metric, and the totals."""
        mentions: Counts = (0, 0, 0, 0)
        links: Counts = (0,) * (8 if metric == "blanc" else 4)
        if self.is_single:
            assert self.name is not None
            names = [self.name]
            self.say(f"{self.name}:\n")
        else:
            names = self.open(self.key).names()
            self.open(self.response)
        for name in names:
            key = self.document(self.key, name)
            response = self.document(self.response, name)
            if not self.is_single:
                self.say(":\n" if metric == "blanc" else f"{name}:\n")
            same = self.identify(name, key, response)
            counts = self.evaluate(metric, same.keys, same.responses)
            if metric != "blanc":
                self.say(score_lines(counts))
            mentions = _sum(mentions, same.counts)
            links = _sum(links, counts)
        self.show_totals(metric, mentions, links)

    def document(self, path: str, name: str) -> ReadDocument:
        document = self.open(path).document(name, self.is_single)
        self.say(f"====> {document.name}:\n")
        self.say("".join(f"Discarded ({label})\n" for label in document.discarded))
        if document.stop:
            raise document.stop
        self.code = document.code
        if self.name != "none":
            self.say(f"File {document.name}:\n")
            for number, entity in enumerate(document.entities):
                spans = "".join(f" ({m.start},{m.end})" for m in entity)
                self.say(f"Entity {number}:{spans}\n")
        return document

    def identify(self, name: str, key: ReadDocument, response: ReadDocument) -> Identified:
        """The numbered mentions of a document, found once; the original reports repeated ones again for each metric."""
        if name not in self.mentions:
            self.mentions[name] = identified(key, response)
        mentions = self.mentions[name]
        self.out.writelines(mentions.in_key)
        for line in mentions.in_response:
            self.out.write(line)
            self.count_repetition()
        self.say(mentions.totals)
        return mentions

    def count_repetition(self) -> None:
        self.repeated += 1
        if self.repeated > _LIMIT:
            message = f"Found too many repeated mentions (> {_LIMIT}) in the response, so refusing to score."
            raise Stop(f"{message} Please fix the output.", 1)

    def evaluate(self, metric: str, keys: Chains, responses: Chains) -> Counts:
        if metric not in METRICS:
            raise Stop(f"Metric {metric} not implemented yet", self.code)
        if metric == "blanc" and not all(keys):
            raise Stop("Can't use an undefined value as an ARRAY reference.", self.code)
        return METRICS[metric](keys, responses)

    def show_totals(self, metric: str, mentions: Counts, links: Counts) -> None:
        show = self.out.write
        show(f"\n====== TOTALS =======\nIdentification of Mentions: {score_lines(mentions)}")
        self.totals["mentions"] = scores(mentions)
        if metric == "blanc":
            show(f"\nCoreference:\nCoreference links: {score_lines(links[:4])}")
            show(f"Non-coreference links: {score_lines(links[4:])}")
            recall, precision, f1 = self.totals[metric] = blanc_scores(links)
            self.links = links
            show(f"BLANC: {score_lines((recall, 1, precision, 1), f1)}")
        else:
            self.totals[metric] = scores(links)
            show(f"Coreference: {score_lines(links)}")


def _sum(a: Counts, b: Counts) -> Counts:
    return tuple(x + y for x, y in zip(a, b, strict=True))
