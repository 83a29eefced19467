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
from typing import Any, Literal, Unpack

from ..errors import Issue, UsageError
from ..formats import Input
from ..keywords import known_keywords, refuse_idle_keywords
from ..matching.matched import Matched
from ..metrics import METRICS
from ..paper.table import Table, score_points
from ..protocols import resolve
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.settings import Reading, Settings
from ..scoring.windows import count

MENTIONS = {"predicted": "", "gold": "|mentions:gold"}  # what the signature of a row says about them
SINGLETONS: dict[Literal["keep", "drop"], str] = {"keep": "kept", "drop": "left out"}


@dataclass(frozen=True)
class Leniency:
    """One result for each way to score, by (scope, singletons, mentions), and notes."""

    results: Mapping[tuple[str, str, str], Result]
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
        first = next(iter(self.results.values()))
        shown = [m for m in first if "f1" in METRICS[m].values]
        rows = [[*way, *(score_points(r[m], "f1", digits) for m in shown)] for way, r in self.results.items()]
        return Table(["scope", "singletons", "spans", *(METRICS[m].title for m in shown)], rows, frozenset({0, 1, 2}))

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
    reading = {name: value for name, value in asked.items() if name in Reading.__annotations__}
    first = Scorer(key, **reading)
    system = first.read(response)
    issues: list[Issue] = []
    results: dict[tuple[str, str, str], Result] = {}
    for scope in dict.fromkeys((named if named != "document" else "topic", "corpus")):
        if len(first.key.documents) == 1 and scope != "corpus":
            why = "the key is one document, so every entity may extend over all of it: give each document its own name"
            issues.append(Issue("one-document", f"no rows by {scope}: {why}"))
            continue
        try:
            scorer = Scorer(first.key, **asked, scope=scope)
            matched = scorer.match(system)
        except UsageError as error:
            if scope != "topic" or settings.get("scope"):
                raise
            issues.append(Issue("no-topics", f"no rows by topic: {error}"))
            continue
        issues += [issue for issue in matched.issues if issue not in issues]
        for mentions, met in {"predicted": matched, "gold": with_gold_mentions(matched)}.items():
            for singletons, told in SINGLETONS.items():
                options = replace(met.options, singletons=singletons)
                counts, odd = count(replace(met, options=options), scorer.metrics, exact=scorer.exact)
                issues += [issue for issue in odd if issue not in issues]
                results[scope, told, mentions] = Result(
                    counts, scorer.metrics, options, scorer.protocol, matched.issues
                )
    return Leniency(results, issues)


def with_gold_mentions(matched: Matched) -> Matched:
    """As if the system had known the mentions of the key: others are left out, missing ones are added as singletons."""
    return replace(matched, alignment=matched.alignment.without_spurious().with_missing())
