"""scorer.pl v8.01, the reference scorer of CoNLL-2011/2012, line for line.

Only this package imitates it: its reading (reading.py, identification.py), its arithmetic (scoring.py, munkres.py) and
its output (printing.py), including the faults. Notes about the faults and the right numbers go to stderr (notes.py).
Everything else in coreflens follows the papers.

    run(["all", "key.conll", "response.conll", "none"], sys.stdout, sys.stderr)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from os.path import realpath
from typing import TextIO

from .identification import Identified, identified
from .printing import USAGE, blanc_scores, score_lines, scores
from .reading import File, Reading, Stop
from .scoring import METRICS, Chains, Counts, Number

__all__ = ["run"]

_LIMIT = 10  # repeated mentions that are tolerated, in all documents and metrics of a run together


def run(arguments: Sequence[str], out: TextIO, err: TextIO) -> int:
    """Do as `scorer.pl ARGUMENTS` does and return its exit code; notes go to `err` unless `--quiet` is among them."""
    quiet = "--quiet" in arguments
    arguments = [argument for argument in arguments if argument != "--quiet"]
    out.write(f"version: 8.01 {realpath(__file__)}\n")
    if len(arguments) < 3:
        out.write(USAGE)
        return 0
    metric, key, response = arguments[:3]
    name = arguments[3] if len(arguments) > 3 else None
    if not re.match(f"(?i)({'|'.join(METRICS)}|all)", metric):
        out.write("Invalid metric\n")
        return 0
    session = Run(key, response, name, out, list(METRICS) if metric == "all" else [metric.lower()])
    code = 0
    try:
        for each in session.asked:
            out.write(f"\nMETRIC {each}:\n" if metric == "all" else "")
            session.score(each)
    except Stop as stop:
        session.stop, code = stop, stop.code
        out.flush()
        err.write(stop.message + "\n")
    if not quiet:
        from .notes import notes

        out.flush()
        err.writelines(f"coreflens: note: {note}\n" for note in notes(session))
    return code


@dataclass
class Run:
    """One call of the script: what it remembers from metric to metric, and what the notes need to know."""

    key: str
    response: str
    name: str | None
    out: TextIO
    asked: Sequence[str]  # metrics
    files: dict[str, File] = field(default_factory=dict)
    mentions: dict[str, Identified] = field(default_factory=dict)  # by the name of the document
    repeated: int = 0
    code: int = 0  # of a death after the document read last
    totals: dict[str, tuple[Number, Number, Number]] = field(default_factory=dict)
    links: Counts = ()  # of BLANC
    stop: Stop | None = None

    @property
    def one(self) -> bool:
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
        if self.one:
            assert self.name is not None
            names = [self.name]
            self.say(f"{self.name}:\n")
        else:
            names = self.open(self.key).names()
            self.open(self.response)
        for name in names:
            key, response = (self.document(path, name) for path in (self.key, self.response))
            if not self.one:
                self.say(f"{'' if metric == 'blanc' else name}:\n")
            found = self.identify(name, key, response)
            counts = self.evaluate(metric, found.keys, found.responses)
            if metric != "blanc":
                self.say(score_lines(counts))
            mentions, links = _sum(mentions, found.counts), _sum(links, counts)
        self.show_totals(metric, mentions, links)

    def document(self, path: str, name: str) -> Reading:
        found = self.open(path).document(name, self.one)
        self.say(f"====> {found.name}:\n")
        self.say("".join(f"Discarded ({each})\n" for each in found.discarded))
        if found.stop:
            raise found.stop
        self.code = found.code
        if self.name != "none":
            self.say(f"File {found.name}:\n")
            for number, entity in enumerate(found.entities):
                self.say(f"Entity {number}:{''.join(f' ({m.start},{m.end})' for m in entity)}\n")
        return found

    def identify(self, name: str, key: Reading, response: Reading) -> Identified:
        """The numbered mentions of a document, found once; the original reports repeated ones again for each metric."""
        if name not in self.mentions:
            self.mentions[name] = identified(key, response)
        found = self.mentions[name]
        self.out.writelines(found.in_key)
        for line in found.in_response:
            self.out.write(line)
            self.count_repetition()
        self.say(found.totals)
        return found

    def count_repetition(self) -> None:
        self.repeated += 1
        if self.repeated > _LIMIT:
            what = f"Found too many repeated mentions (> {_LIMIT}) in the response, so refusing to score."
            raise Stop(f"{what} Please fix the output.", 1)

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
