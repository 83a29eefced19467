"""Cross-document scoring, lenient and strict, side by side: how protocols of published work differ.

    singletons   kept, or left out of the coreference metrics on both sides; correct singletons raise B³ and CEAF
    scope        the topic, or the whole corpus; within a topic, mentions of different topics can't be confused
    mentions     as predicted, or gold: spurious mentions are left out and missing ones are added as singletons, as if
                 the system had known where the mentions are

Cattan et al. (2021) found up to 33 points of F1 between the most lenient and the strictest evaluation of one system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

from ..errors import Issue, UsageError
from ..formats import Input
from ..keywords import known_keywords, refuse_idle_keywords
from ..matching.matched import Matched
from ..presentation import writer_of
from ..protocols import resolve
from ..scoring.counting import count
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.settings import ReadSettings, Settings

if TYPE_CHECKING:
    from ..paper.table import Table

MENTIONS = {"predicted": "", "gold": "|mentions:gold"}  # what the signature of a row says about them
SINGLETONS: dict[Literal["keep", "drop"], str] = {"keep": "kept", "drop": "left out"}
Way: TypeAlias = tuple[str, str, str]  # scope, singletons, mentions


@dataclass(frozen=True)
class Leniency:
    """One result for each way to score, by (scope, singletons, mentions), and notes."""

    results: Mapping[Way, Result]
    issues: Sequence[Issue]

    @property
    def official(self) -> str:
        """The metric by which the ways are compared: the CoNLL average, or the first."""
        metrics = next(iter(self.results.values())).signature.metrics
        return "conll" if "conll" in metrics else metrics[0]

    @property
    def spread(self) -> float:
        """The difference between the highest and the lowest score."""
        found = [float(result[self.official].main) for result in self.results.values()]
        return max(found) - min(found)

    @property
    def signature(self) -> str:
        """The signature: how the results were computed, in one line, with the values that differ between the rows."""
        one = next(iter(self.results.values())).signature
        standard = resolve(one.protocol)[1]
        whole = replace(one, options=replace(one.options, scope=standard.scope, singletons=standard.singletons))
        scopes = ",".join(dict.fromkeys(scope for scope, _, _ in self.results))
        singletons = ",".join(SINGLETONS)
        return f"{whole}|rows:scope={scopes};singletons={singletons};mentions={','.join(MENTIONS)}"

    def table(self, digits: int = 2) -> Table:
        """One row per way, with the F1 of every metric."""
        found: Table = writer_of(self).table(self, digits)
        return found

    def to_dict(self) -> dict[str, Any]:
        """For JSON: one entry per way, and the difference between the highest and the lowest score."""
        ways = [
            {"scope": scope, "singletons": singletons, "mentions": mentions}
            | result.to_dict()
            | {"signature": f"{result.signature}{MENTIONS[mentions]}"}
            for (scope, singletons, mentions), result in self.results.items()
        ]
        return {"ways": ways, "metric": self.official, "spread": self.spread}


@known_keywords
def leniency(key: Input, response: Input, **settings: Unpack[Settings]) -> Leniency:
    """Score a response in every usual way of cross-document evaluation; see the module.

    The scope of the first rows is `scope` if it names a label or a table, and otherwise `topic`.
    """
    refuse_idle_keywords(settings, ["singletons"], "the table has rows with and without singletons")
    if settings.get("scope") == "document":
        raise UsageError("the rows have scopes across documents, so scope can't be `document` here")
    asked: Any = {"metrics": "conll", **{name: value for name, value in settings.items() if value is not None}}
    named = str(asked.pop("scope", None) or "topic")
    reading = {name: value for name, value in asked.items() if name in ReadSettings.__annotations__}
    first = Scorer(key, **reading)
    system = first.read(response)
    issues: dict[Issue, None] = {}
    results: dict[Way, Result] = {}
    for scope in dict.fromkeys((named, "corpus")):
        if len(first.key.documents) == 1 and scope != "corpus":
            why = "the key is one document, so every entity may extend over all of it: give each document its own name"
            issues[Issue("one-document", f"no rows by {scope}: {why}")] = None
            continue
        try:
            scorer = Scorer(first.key, **asked, scope=scope)
            matched = scorer.match(system)
        except UsageError as error:
            if scope != "topic" or settings.get("scope"):
                raise
            issues[Issue("no-topics", f"no rows by topic: {error}")] = None
            continue
        results_of_scope, notes = _ways(scorer, matched, scope)
        results |= results_of_scope
        issues |= dict.fromkeys([*matched.issues, *notes])
    return Leniency(results, list(issues))


def _ways(scorer: Scorer, matched: Matched, scope: str) -> tuple[dict[Way, Result], list[Issue]]:
    """The results of one scope, with predicted and gold mentions, with and without singletons; and notes on them."""
    results = {}
    issues: list[Issue] = []
    for mentions, aligned in {"predicted": matched, "gold": with_gold_mentions(matched)}.items():
        for singletons, label in SINGLETONS.items():
            options = replace(aligned.options, singletons=singletons)
            counts, notes = count(replace(aligned, options=options), scorer.metrics, exact=scorer.exact)
            issues += notes
            result = Result(counts, scorer.metrics, options, scorer.protocol, matched.issues)
            results[scope, label, mentions] = result
    return results, issues


def with_gold_mentions(matched: Matched) -> Matched:
    """As if the system had known the mentions of the key: others are left out, missing ones are added as singletons."""
    return replace(matched, alignment=matched.alignment.without_spurious().with_missing())
