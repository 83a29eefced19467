"""The entry points that score in this process: `Scorer` and `Accumulator`. `engines.choice` has `score`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

from ..corpus.model import Corpus
from ..errors import PLACES, InputError, Issue, UsageError, choose, warn_of
from ..formats import FormatName, Input, Unlabelled, read
from ..keywords import known_keywords
from ..matching.alignment import Alignment
from ..matching.matched import Matched, match
from ..matching.twinless import POLICIES, TwinlessPolicy
from ..metrics import METRICS, select, spelled
from ..options import Options, Policies, refuse_idle
from ..protocols import ProtocolName, metrics_of, resolve
from .counting import count
from .counts import Counts, needed
from .result import Result
from .settings import Metrics, Settings
from .signature import Signature

if TYPE_CHECKING:
    from threading import Lock

    from .batching import CountSettings, Pending


class Scorer:
    """A key that is read once and scored against any number of responses.

    metrics    names, aliases or sets, as a list or comma-separated; default: the default set
    protocol   such as `conll-2012` or `conll-2011`; it sets all options, but an explicit option wins
    exact      compute with fractions instead of floats
    encoding   the encoding of the files, if it is not UTF-8; `key_format` and `response_format` if they are not
               recognised

    The other keyword arguments are the options, as in `Policies`. A scorer is called with a response.

        scorer = Scorer("key.conll", metrics="conll")
        scorer("base.conll").conll, scorer("new.conll").conll
    """

    @known_keywords
    def __init__(
        self,
        key: Input,
        *,
        metrics: Metrics | None = None,
        protocol: ProtocolName | None = None,
        exact: bool = False,
        encoding: str | None = None,
        key_format: FormatName | None = None,
        response_format: FormatName | None = None,
        unlabelled: Unlabelled = "error",
        **options: Unpack[Policies],
    ) -> None:
        self.metrics, self._named = select(metrics_of(protocol) or None if metrics is None else metrics)
        self.protocol, self.options = settled(protocol, options, self.metrics)
        self.exact, self._encoding, self._response_format = exact, encoding, response_format
        self._unlabelled = unlabelled
        self._heads = None if self.options.heads == "own" else read(self.options.heads, encoding=encoding)
        self.key = self._headed(read(key, format=key_format, encoding=encoding, role="key", unlabelled=unlabelled))

    def __repr__(self) -> str:
        return f"<Scorer {self.key!r}, {self.protocol}: {', '.join(self.metrics)}>"

    def read(self, response: Input) -> Corpus:
        """The response as this scorer reads it."""
        form, how = self._response_format, self._unlabelled
        return self._headed(read(response, format=form, encoding=self._encoding, role="response", unlabelled=how))

    def _headed(self, corpus: Corpus) -> Corpus:
        """A side with the heads of other files, if these were given."""
        if self._heads is None:
            return corpus
        from ..corpus.given_heads import gold_heads
        from ..matching.documents import gold_documents

        return gold_heads(corpus, self._heads, gold_documents(self._heads, corpus, self.options.pair))

    def __call__(self, response: Input) -> Result:
        """The result of scoring this response against the key."""
        result = self.result(self.match(response))
        warn_of(result.issues)
        return result

    def match(self, response: Input) -> Matched:
        """The key and a response with their mentions matched once, for the score and for everything that explains
        it."""
        return match(self.key, self.read(response), self.options)

    def result(self, matched: Matched) -> Result:
        """The scores of a match."""
        counts, issues = count(matched, self.metrics, exact=self.exact, insist=self._named)
        found = Result(counts, self.metrics, matched.options, self.protocol, [*matched.issues, *issues])
        found.matched = matched
        if matched.kept is not None:
            from .coverage import coverage

            found.coverage = coverage(matched, matched.kept, found)
        return found

    def align(self, response: Input) -> Alignment:
        """The alignment of key and response mentions, behind the score."""
        return self.match(response).alignment


class Accumulator:
    """Collects scores document by document, in one or many threads and processes.

    Metrics, protocol, exact and the options are those of `Scorer`. Entities stay within their documents. Threads may
    update, merge and compute at the same time: every result has all documents whose update ended before. To pass an
    accumulator to another process, use `to_dict` and `from_dict`, or a pickle. Do not unpickle data from strangers: a
    pickle can run any program.

        acc = Accumulator(metrics="conll")
        for key, response in batches:
            acc.update(key, response)               # the key comes first, as in every function
        acc.compute().conll
    """

    @known_keywords
    def __init__(
        self,
        *,
        metrics: Metrics | None = None,
        protocol: ProtocolName | None = None,
        exact: bool = False,
        **options: Unpack[Policies],
    ) -> None:
        self.metrics, self._named = select(metrics_of(protocol) or None if metrics is None else metrics)
        self.protocol, self.options = settled(protocol, options, self.metrics)
        if self.options.scope != "document":
            raise UsageError(
                "an Accumulator adds up documents; use score() for entities that extend over several documents"
            )
        if self.options.heads != "own":
            raise UsageError("an Accumulator has no files to take heads from: use score() or Scorer for --heads")
        self.exact = exact
        self._lock = _lock()
        self._counts: list[Counts | Pending] = []
        self._issues: list[Issue] = []

    _mentions = 0  # the number of mentions of the pending documents

    @cached_property
    def _count_settings(self) -> CountSettings:
        from .batching import CountSettings

        return CountSettings(self.metrics, self.options, self.exact, self._named)

    @cached_property
    def _may_wait(self) -> bool:
        return self._count_settings.may_wait

    def _settle(self) -> list[Counts]:
        """Count the documents that wait. The caller must hold the lock."""
        if self._mentions:
            settled = [*self._count_settings.settle(self._counts)]
            self._issues += [issue for _, issues in settled for issue in issues]
            self._counts, self._mentions = [counts for counts, _ in settled], 0
        return cast(list[Counts], self._counts)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._settle()
            state = {**self.__dict__, "_counts": [*self._counts], "_issues": [*self._issues]}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=_lock())

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._counts))

    def __repr__(self) -> str:
        return f"<Accumulator {len(self)} documents: {', '.join(self.metrics)}>"

    def update(self, key: Input, response: Input, name: str | None = None) -> None:
        """Add a document (clusters on both sides), named `name` if it is given, or any pair of inputs of `score`.

        The key comes first; `integrations.CorefMetric` has the order of training loops. Both take `key=`, `response=`.
        """
        from .batching import MOST, Pending, fits

        ours, theirs = read(key, role="key"), read(response, role="response")
        if name is not None and (len(ours.documents) != 1 or len(theirs.documents) != 1):
            raise UsageError("update: a name needs a single document, but there are several")
        if self._may_wait and fits(ours, theirs):
            document = ours.documents[0]
            pending = Pending(ours, theirs, document if name is None else document._replace(name=name, part=None))
            with self._lock:
                self._counts.append(pending)
                self._mentions += len(ours) + len(theirs)
                if self._mentions > MOST:
                    self._settle()
            return
        if name is not None:
            ours, theirs = (
                replace(c, documents=[c.documents[0]._replace(name=name, part=None)]) for c in (ours, theirs)
            )
        counts, issues = self._count_settings.count(ours, theirs)
        with self._lock:
            self._counts.append(counts)
            self._issues += issues

    @property
    def issues(self) -> list[Issue]:
        """The messages about unusual input so far."""
        with self._lock:
            self._settle()
            return merge_issues(self._issues)

    def merge(self, other: Accumulator) -> None:
        """Add the documents of another accumulator, for instance from another process."""
        if (self.metrics, self.options, self.exact) != (other.metrics, other.options, other.exact):
            raise UsageError("accumulators with different metrics or options can't be merged")
        with other._lock:  # only one lock at a time, because two accumulators may be merged into each other
            counts, issues = [*other._settle()], [*other._issues]
        with self._lock:
            self._counts += counts
            self._issues += issues

    def reset(self) -> None:
        """Forget everything that was added."""
        with self._lock:
            self._counts, self._issues, self._mentions = [], [], 0

    def compute(self) -> Result:
        """The result so far."""
        with self._lock:
            if not self._counts:
                raise UsageError("nothing to compute: update was never called")
            counts = Counts.concatenate(self._settle())
            self._counts = [counts]
            issues = merge_issues(self._issues)
        warn_of(issues)
        return Result(counts, self.metrics, self.options, self.protocol, issues)

    def to_dict(self) -> dict[str, Any]:
        """Everything that was added, for JSON. `from_dict` reads it, also in another process or later."""
        from .. import __version__

        state = self.__getstate__()
        parts: list[Counts] = state["_counts"]
        documents = sum(map(len, parts))
        plain: dict[str, Any] = {
            "coreflens-accumulator": 1,
            "signature": str(Signature(self.protocol, self.options, tuple(self.metrics), documents, __version__)),
            "exact": self.exact,
            "named": sorted(self._named),
            "issues": [issue.to_dict() for issue in merge_issues(state["_issues"])],
        }
        from .counts_file import plain_counts

        return plain | (plain_counts(Counts.concatenate(parts)) if parts else {})

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Accumulator:
        """An accumulator from the output of `to_dict`. Anything else is an InputError that says what is wrong."""
        from .counts_file import DAMAGE, counts_of, wrong

        try:
            if plain["coreflens-accumulator"] != 1:
                raise ValueError(f"format {plain['coreflens-accumulator']!r:.40}")
            signature = Signature.parse(plain["signature"])
            found = cls.__new__(cls)
            found.metrics, found._named = [*signature.metrics], {str(name) for name in plain["named"]}
            found.protocol, found.options = signature.protocol, signature.options
            found.exact, found._lock = bool(plain["exact"]), _lock()
            found._counts = [counts_of(plain, signature, repeated=True)] if "values" in plain else []
            issues = ({**issue, "places": tuple(issue["places"])} for issue in plain["issues"])
            found._issues = [Issue(**issue) for issue in issues]
        except DAMAGE as error:
            raise InputError(f"not from Accumulator.to_dict: {wrong(error)}") from None
        return found


def _lock() -> Lock:
    from threading import Lock

    return Lock()


def settled(protocol: str | None, options: Policies, metrics: Sequence[str]) -> tuple[str, Options]:
    """Protocol and options. An option that can't act is refused, and so is a wrong name among the weights."""
    if options.get("heads") not in (None, "own"):
        options = {**options, "match": headed(options.get("match"))}
    name, chosen = resolve(protocol, **options)
    usual = resolve(protocol)[1]
    refuse_idle(usual, chosen, {*metrics, *(metric.name for metric in needed(metrics, chosen))})
    if chosen.weights != usual.weights:
        needed(["mela"], chosen)
        weights = {spelled(metric, METRICS): weight for metric, weight in chosen.weights}
        if len(weights) < len(chosen.weights):
            raise UsageError("weights: a metric is given twice")
        chosen = replace(chosen, weights=tuple(weights.items()))
    return name, chosen


HEADED = ("head-either", "head")


def headed(match: str | None) -> Any:
    """The match if both sides have the heads of other files: by head words, in either direction."""
    found = {"head-word": "head-either", None: "head-either"}.get(match, match)
    if found not in HEADED:
        raise UsageError(f"--heads needs a match by heads ({', '.join(HEADED)}), not {match}")
    return found


def merge_issues(issues: Iterable[Issue]) -> list[Issue]:
    """Issues that differ only in their numbers are merged, and their counts are added up."""
    merged: dict[tuple[str, str], Issue] = {}
    for issue in issues:
        about = re.sub(r"^\d+ (.*?(?:mention|document|file))s?\b", r"\1", issue.message)
        first = merged.get((issue.code, about))
        if first is None:
            merged[issue.code, about] = issue
            continue
        count, places = first.count + issue.count, (first.places + issue.places)[:PLACES]
        message = f"{count} {about}".replace("mention ", "mentions ", 1).replace("document ", "documents ", 1)
        same = about == issue.message  # the message contains no number
        merged[issue.code, about] = replace(first, message=about if same else message, count=count, places=places)
    return list(merged.values())


class _Asked(NamedTuple):
    """A policy by its name, on all mentions."""

    twinless: str
    mention_detection: bool = True
    e2e: str = "keep"


@known_keywords
def partitions(
    key: Input, response: Input, policy: TwinlessPolicy = "sys", **options: Unpack[Settings]
) -> dict[str, list[list[Any]]]:
    """The partitions that a twinless policy scores: key_r, response_r for recall, key_p, response_p for precision.

    `sys` shows those of Cai & Strube's algorithms, which their paper prints.
    """
    choose(policy, POLICIES, "twinless policy")
    matched = Scorer(key, **options).match(response)
    for_recall, for_precision = (a.partitions() for a in matched.halves(_Asked(policy)))
    return {
        "key_p": for_precision[0],
        "response_p": for_precision[1],
        "key_r": for_recall[0],
        "response_r": for_recall[1],
    }
