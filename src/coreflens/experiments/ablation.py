"""What the parts of a system are worth: each left out in turn, and each alone (Popescu-Belis & Robba 1998).

    left out   the score of the whole system minus the score without the part
    alone      the score of the part alone minus the score without any part

Each difference has a paired test over the documents and a bootstrap interval. The p-values are corrected for the number
of parts (Holm 1979). A part mends the errors that only the system without it makes, and makes the errors that only the
system with it makes, as `coreflens diagnose --against` counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

from ..diagnosis import diagnosed
from ..errors import CoreflensError, InputError, Issue, UsageError, choose
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
class Ablation(Presented):
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
    with ExitStack() as stack:
        if system == "mention-pair":
            if train_on is None:
                raise UsageError("mention-pair is retrained for each feature: give a key to train on (--train)")
            respond: Callable[[Mapping[str, str]], Any] = _Learner(scorer.key, read(train_on), mentions, fixed or {})
        else:
            if train_on is not None:
                raise UsageError("--train is for systems that learn")
            parameter = "parts" if system is None else LISTED[system]
            respond = stack.enter_context(
                responder(
                    scorer,
                    [parameter],
                    system=system,
                    run=run,
                    mentions=mentions,
                    fixed=fixed or {},
                    model=None,
                    limit=limit,
                    jobs=1 if system is not None else jobs,
                )
            )
        parameter = "parts" if system is None else LISTED[system]
        variants = {tuple(listed), ()} if "alone" in how else {tuple(listed)}
        variants |= {tuple(p for p in listed if p != part) for part in listed if "left out" in how}
        variants |= {(part,) for part in listed if "alone" in how}
        ordered = sorted(variants, key=lambda v: (-len(v), [listed.index(p) for p in v]))

        def matched(variant: tuple[str, ...]) -> Matched | str:
            try:
                return scorer.match(respond({parameter: ",".join(variant)}))
            except (CoreflensError, RunError) as error:
                return " ".join(str(error).split())

        if jobs > 1 and system is None:
            found = dict(zip(ordered, at_once(matched, ordered, jobs), strict=True))
        else:
            found = {variant: matched(variant) for variant in ordered}
        return _compared(scorer, name, listed, how, found, errors, seed)


def _parts(system: SystemName | None, run: str | None, parts: Sequence[str] | None) -> list[str]:
    if (system is None) == (run is None):
        raise UsageError("give either a system of coreflens (--system) or a program (--run)")
    if parts is not None:
        parts = [part.strip() for part in parts]
        if len(set(parts)) < len(parts) or "" in parts:
            raise UsageError("a part is given twice, or has no name")
    if system is None:
        if not parts:
            raise UsageError("name the parts of the program: --parts a,b,c, and {parts} in the command line")
        return list(parts)
    if system not in LISTED:
        choose(system, SYSTEMS, "system")
        raise UsageError(f"{system} has no parts to leave out; only {' and '.join(LISTED)} have parts")
    settings = SYSTEMS[system].training or SYSTEMS[system].settings
    known = next(p.default for p in parameters_of(settings) if p.name == LISTED[system]).split(",")
    for part in parts or ():
        choose(part, known, f"part of {system}")
    chosen = [part for part in known if parts is None or part in parts]
    if not chosen:
        raise UsageError("there is no part to leave out")
    return chosen


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


def _compared(
    scorer: Scorer,
    metric: str,
    listed: Sequence[str],
    how: Sequence[How],
    found: Mapping[tuple[str, ...], Matched | str],
    errors: bool,
    seed: int,
) -> Ablation:
    results = {v: scorer.result(m) for v, m in found.items() if isinstance(m, Matched)}
    if not results:
        first = next(iter(found.values()))
        raise InputError(f"no run produced anything to score; the first one: {first}")
    pairs: dict[tuple[str, How], tuple[tuple[str, ...], tuple[str, ...]]] = {}
    whole = tuple(listed)
    for part in listed:
        if "left out" in how:
            pairs[part, "left out"] = tuple(p for p in listed if p != part), whole
        if "alone" in how:
            pairs[part, "alone"] = (), (part,)
    tests = _tests(results, pairs, metric, seed)
    diagnoses = {v: diagnosed(m, scorer.metrics) for v, m in found.items() if errors and isinstance(m, Matched)}
    rows = []
    for (part, which), (without, with_) in pairs.items():
        wrong = [str(found[v]) for v in (without, with_) if v not in results]
        if wrong:
            rows.append(Part(part, which, results.get(without), results.get(with_), failed=wrong[0]))
            continue
        mends, makes = None, None
        if errors:
            both = diagnosed(found[with_], scorer.metrics, diagnoses[without]).difference  # type: ignore[arg-type]
            assert both is not None
            mends = {c.kind: c.repaired for c in both.classes if c.repaired}
            makes = {c.kind: c.broken for c in both.classes if c.broken}
        test, adjusted = tests[part, which]
        rows.append(Part(part, which, results[without], results[with_], test, adjusted, mends, makes))
    issues = [
        Issue("failed-runs", f"the run with {', '.join(v) or 'no part'} failed: {m}")
        for v, m in found.items()
        if isinstance(m, str)
    ]
    return Ablation(metric, rows, results.get(whole), results.get(()), issues)


def _tests(
    results: Mapping[tuple[str, ...], Result],
    pairs: Mapping[tuple[str, How], tuple[tuple[str, ...], tuple[str, ...]]],
    metric: str,
    seed: int,
) -> dict[tuple[str, How], tuple[PairedTest, float]]:
    """Each part's test, and its p corrected for all parts that are compared in the same way."""
    samples = {",".join(v) or "(none)": sample(result) for v, result in results.items()}
    wanted = {
        which: (",".join(a) or "(none)", ",".join(b) or "(none)")
        for which, (a, b) in pairs.items()
        if a in results and b in results
    }
    tested = paired_tests(samples, list(wanted.values()), resamples=RESAMPLES, seed=seed, intervals=True)
    tests = {which: tested[names][metric] for which, names in wanted.items()}
    adjusted: dict[tuple[str, How], float] = {}
    for one in dict.fromkeys(which[1] for which in tests):
        family = [which for which in tests if which[1] == one]
        adjusted |= dict(zip(family, holm([tests[which].p for which in family]), strict=True))
    return {which: (test, float(adjusted[which])) for which, test in tests.items()}
