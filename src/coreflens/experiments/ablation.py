"""What the parts of a system are worth: each left out in turn, and each alone (Popescu-Belis & Robba 1998).

    left out   the score of the whole system minus the score without the part
    alone      the score of the part alone minus the score without any part

Each difference has a paired test over the documents and a bootstrap interval. The p-values are corrected for the number
of parts (Holm 1979). A part mends the errors that only the system without it makes, and makes the errors that only the
system with it makes, as `coreflens diagnose --against` counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Unpack

from ..diagnosis import diagnosed
from ..errors import CoreflensError, InputError, Issue, UsageError, choose
from ..exporting import Exported
from ..formats import Input, read
from ..keywords import known_keywords
from ..matching.matched import Matched
from ..presentation import Presented, writer_of
from ..resolvers import SYSTEMS, Mentions, SystemName, resolve, train
from ..resolvers.parameters import parameters as parameters_of
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.settings import StudySettings
from ..stats import PairedTest, holm, paired_tests, sample
from .programs import RunError, at_once
from .running import objective_of, responder

if TYPE_CHECKING:
    from ..corpus.model import Corpus
    from ..paper.plot import Plot

How: TypeAlias = Literal["left out", "alone"]
Variant: TypeAlias = tuple[str, ...]  # the parts that a system has, in their order
MakeResponse: TypeAlias = Callable[[Mapping[str, str]], Input]
RESAMPLES = 10_000
# System → the parameter that lists its parts; for a system that learns, it is a parameter of training.
LISTED: dict[SystemName, str] = {"sieve": "passes", "mention-pair": "features"}


@dataclass(frozen=True, eq=False)
class Part:
    """One part, left out or alone: both scores, what it is worth, with its test, and errors by class.

    without, with_   the scores of the system without the part and with it
    mends, makes     class → errors that only the system without the part makes, and that only the one with it makes
    failed           why there is no result
    """

    name: str
    how: How
    without: Result | None = None
    with_: Result | None = None
    test: PairedTest | None = None
    adjusted: float = float("nan")
    mends: Mapping[str, int] | None = None
    makes: Mapping[str, int] | None = None
    failed: str = ""


@dataclass(frozen=True, eq=False)
class Ablation(Presented, Exported):
    """The whole system, no part of it, and every part."""

    metric: str
    parts: Sequence[Part]
    whole: Result | None
    none: Result | None
    issues: Sequence[Issue]

    @property
    def signature(self) -> str:
        """The signature: how the scores were computed, in one line."""
        found = self.whole or self.none
        return "" if found is None else str(found.signature)

    def worth(self, name: str, how: How = "left out") -> float:
        """What a part is worth, in 0–1."""
        test = next(p.test for p in self.parts if (p.name, p.how) == (name, how))
        return float("nan") if test is None else test.difference

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "metric": self.metric,
            "whole": _main(self.whole, self.metric),
            "none": _main(self.none, self.metric),
            "parts": [
                {
                    "part": p.name,
                    "how": p.how,
                    "without": _main(p.without, self.metric),
                    "with": _main(p.with_, self.metric),
                    "worth": None if p.test is None else p.test.to_dict(),
                    "p_adjusted": p.adjusted if p.adjusted == p.adjusted else None,
                    "mends": p.mends,
                    "makes": p.makes,
                    "failed": p.failed or None,
                }
                for p in self.parts
            ],
            "signature": self.signature,
            "issues": [issue.to_dict() for issue in self.issues],
        }

    def plot(self) -> Plot:
        """What each part is worth, in points: left out, and alone."""
        drawn: Plot = writer_of(self).plot(self)
        return drawn


class _Comparison(NamedTuple):
    """A part, how it is compared, and the variants without it and with it."""

    part: str
    how: How
    without: Variant
    with_: Variant


def _main(result: Result | None, metric: str) -> float | None:
    main = None if result is None else result[metric].main
    return None if main is None or main != main else float(main)


@known_keywords
def ablate(
    key: Input,
    *,
    system: SystemName | None = None,
    run: str | None = None,
    parts: Sequence[str] | None = None,
    how: Sequence[How] = ("left out", "alone"),
    metric: str = "conll",
    errors: bool = True,
    mentions: Mentions = "given",
    fixed: Mapping[str, str] | None = None,
    train_on: Input | None = None,
    limit: float = 600.0,
    jobs: int = 1,
    seed: int = 0,
    **settings: Unpack[StudySettings],
) -> Ablation:
    """What each part of a system is worth on a key.

    system    sieve, whose parts are its passes, or mention-pair, whose parts are its features (`train_on` is a key to
              train on, once for each feature); or `run`: a command line with {input}, {output} and {parts}
    parts     some parts of the system, or the parts of the program; {parts} gets them separated by commas
    how       every part left out, every part alone, or both
    errors    also diagnose the errors
    """
    name, place = objective_of(metric)
    if place != "main":
        raise UsageError("parts are compared by the F1 or value of a metric, not by another part of its score")
    listed = _parts(system, run, parts)
    scorer = Scorer(key, metrics=[name], **settings)
    parameter = "parts" if system is None else LISTED[system]
    responding = _responding(
        scorer,
        parameter,
        system=system,
        run=run,
        mentions=mentions,
        fixed=fixed or {},
        train_on=train_on,
        limit=limit,
        jobs=jobs,
    )
    with responding as respond:
        match = _MatchOfVariant(scorer, respond, parameter)
        variants = _variants(listed, how)
        if jobs > 1 and system is None:
            matches = dict(zip(variants, at_once(match, variants, jobs), strict=True))
        else:
            matches = {variant: match(variant) for variant in variants}
        return _compared(scorer, name, listed, how, matches, errors, seed)


def _parts(system: SystemName | None, run: str | None, parts: Sequence[str] | None) -> list[str]:
    """The parts to compare, in the order of the system or of the list."""
    if (system is None) == (run is None):
        raise UsageError("give either a system of coreflens (--system) or a program (--run)")
    if parts is not None:
        parts = [part.strip() for part in parts]
        if len(set(parts)) < len(parts) or "" in parts:
            raise UsageError("a part is given twice, or has no name")
    if system is not None:
        return _parts_of_system(system, parts)
    if not parts:
        raise UsageError("name the parts of the program: --parts a,b,c, and {parts} in the command line")
    return list(parts)


def _parts_of_system(system: SystemName, parts: Sequence[str] | None) -> list[str]:
    """These parts of a system of coreflens, or all."""
    if system not in LISTED:
        choose(system, SYSTEMS, "system")
        raise UsageError(f"{system} has no parts to leave out; only {' and '.join(LISTED)} have parts")
    settings = SYSTEMS[system].training or SYSTEMS[system].settings
    known = next(p.default for p in parameters_of(settings) if p.name == LISTED[system]).split(",")
    if parts is None:
        return known
    for part in parts:
        choose(part, known, f"part of {system}")
    if not parts:
        raise UsageError("there is no part to leave out")
    return [part for part in known if part in parts]


def _responding(
    scorer: Scorer,
    parameter: str,
    *,
    system: SystemName | None,
    run: str | None,
    mentions: Mentions,
    fixed: Mapping[str, str],
    train_on: Input | None,
    limit: float,
    jobs: int,
) -> AbstractContextManager[MakeResponse]:
    """The system or program, ready to make responses."""
    if system == "mention-pair":
        if train_on is None:
            raise UsageError("mention-pair is retrained for each feature: give a key to train on (--train)")
        return nullcontext(_Learner(scorer.key, read(train_on), mentions, fixed))
    if train_on is not None:
        raise UsageError("--train is for systems that learn")
    return responder(
        scorer,
        [parameter],
        system=system,
        run=run,
        mentions=mentions,
        fixed=fixed,
        model=None,
        limit=limit,
        jobs=1 if system is not None else jobs,
    )


@dataclass(frozen=True, eq=False)
class _Learner:
    """Mention pairs with some of their features, retrained."""

    key: Corpus
    seen: Corpus
    mentions: Mentions
    fixed: Mapping[str, str]

    def __call__(self, setting: Mapping[str, str]) -> Corpus:
        if not setting["features"]:
            return resolve(self.key, "singletons", self.mentions)
        model = train(self.seen, "mention-pair", parameters={**self.fixed, **setting})
        return resolve(self.key, "mention-pair", self.mentions, model=model)


@dataclass(frozen=True, eq=False)
class _MatchOfVariant:
    """Runs the system with some of its parts: the match of its response, or why there is none."""

    scorer: Scorer
    respond: MakeResponse
    parameter: str

    def __call__(self, variant: Variant) -> Matched | str:
        try:
            return self.scorer.match(self.respond({self.parameter: ",".join(variant)}))
        except (CoreflensError, RunError) as error:
            return " ".join(str(error).split())


def _variants(listed: Sequence[str], how: Sequence[How]) -> list[Variant]:
    """All variants that are compared, each once, those with most parts first."""
    variants = {tuple(listed)}
    for comparison in _comparisons(listed, how):
        variants |= {comparison.without, comparison.with_}
    return sorted(variants, key=lambda variant: (-len(variant), [listed.index(part) for part in variant]))


def _comparisons(listed: Sequence[str], how: Sequence[How]) -> list[_Comparison]:
    """Every part left out of the whole system, and added to none."""
    comparisons = []
    for part in listed:
        if "left out" in how:
            rest = tuple(other for other in listed if other != part)
            comparisons.append(_Comparison(part, "left out", rest, tuple(listed)))
        if "alone" in how:
            comparisons.append(_Comparison(part, "alone", (), (part,)))
    return comparisons


def _compared(
    scorer: Scorer,
    metric: str,
    listed: Sequence[str],
    how: Sequence[How],
    matches: Mapping[Variant, Matched | str],
    errors: bool,
    seed: int,
) -> Ablation:
    matched = {variant: outcome for variant, outcome in matches.items() if isinstance(outcome, Matched)}
    failures = {variant: outcome for variant, outcome in matches.items() if isinstance(outcome, str)}
    if not matched:
        first = next(iter(failures.values()))
        raise InputError(f"no run produced anything to score; the first one: {first}")
    results = {variant: scorer.result(match) for variant, match in matched.items()}
    comparisons = _comparisons(listed, how)
    tests = _tests(results, comparisons, metric, seed)
    differences = _ErrorDifferences(matched, scorer.metrics) if errors else None
    parts = []
    for comparison in comparisons:
        name, way, without, with_ = comparison
        reasons = [failures[variant] for variant in (without, with_) if variant in failures]
        if reasons:
            parts.append(Part(name, way, results.get(without), results.get(with_), failed=reasons[0]))
            continue
        mends, makes = (None, None) if differences is None else differences.between(without, with_)
        test, adjusted = tests[comparison]
        parts.append(Part(name, way, results[without], results[with_], test, adjusted, mends, makes))
    issues = [
        Issue("failed-runs", f"the run with {', '.join(variant) or 'no part'} failed: {why}")
        for variant, why in failures.items()
    ]
    return Ablation(metric, parts, results.get(tuple(listed)), results.get(()), issues)


class _ErrorDifferences:
    """Compares the errors of variants."""

    def __init__(self, matched: Mapping[Variant, Matched], metrics: Sequence[str]) -> None:
        self._matched, self._metrics = matched, metrics
        self._diagnoses = {variant: diagnosed(match, metrics) for variant, match in matched.items()}

    def between(self, without: Variant, with_: Variant) -> tuple[dict[str, int], dict[str, int]]:
        """Class → errors that only the first makes, and that only the second makes."""
        difference = diagnosed(self._matched[with_], self._metrics, self._diagnoses[without]).difference
        assert difference is not None
        mends = {c.kind: c.repaired for c in difference.classes if c.repaired}
        makes = {c.kind: c.broken for c in difference.classes if c.broken}
        return mends, makes


def _tests(
    results: Mapping[Variant, Result], comparisons: Sequence[_Comparison], metric: str, seed: int
) -> dict[_Comparison, tuple[PairedTest, float]]:
    """Each part's test, and its p corrected for all parts that are compared in the same way."""
    samples = {_name(variant): sample(result) for variant, result in results.items()}
    names = {}
    for comparison in comparisons:
        if comparison.without in results and comparison.with_ in results:
            names[comparison] = _name(comparison.without), _name(comparison.with_)
    tested = paired_tests(samples, list(names.values()), resamples=RESAMPLES, seed=seed, intervals=True)
    tests = {comparison: tested[pair][metric] for comparison, pair in names.items()}
    adjusted: dict[_Comparison, float] = {}
    for how in dict.fromkeys(comparison.how for comparison in tests):
        family = [comparison for comparison in tests if comparison.how == how]
        adjusted |= dict(zip(family, holm([tests[comparison].p for comparison in family]), strict=True))
    return {comparison: (test, float(adjusted[comparison])) for comparison, test in tests.items()}


def _name(variant: Variant) -> str:
    return ",".join(variant) or "(none)"
