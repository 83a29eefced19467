"""`estimate`: scores of a response of which only a sample is labelled, with standard errors and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

import numpy as np

from .. import __version__
from ..corpora.naming import named
from ..errors import Issue, UsageError, choose
from ..formats import Frame, Input
from ..metrics import METRICS, Average, select
from ..scoring.settings import Metrics
from ..stats.distributions import t_quantile
from .checks import checks, no_errors, pairs_share
from .clustering import Clustering, read_clustering
from .designs import BY, By, Design, Sampled, notes_on
from .draws import Draws
from .intervals import INTERVALS, RESAMPLED, IntervalName, limits_of
from .labels import Labels, read_labels
from .linearised import Linear, of_f1, of_ratio
from .ratios import ESTIMATED, Part
from .refusals import refuse
from .results import PARTS, Estimate, Estimates, SystemDifference, SystemEstimates, or_nothing, pairs_of
from .weights_file import read_weights

RESAMPLES = 2000
NO_LINKS = "no links among the draws"
NO_UNITS = "nothing to divide by among the draws"


def estimate(
    labelled: str | PathLike[str] | Frame,
    response: Input | Frame | Mapping[str, Any] | Sequence[Any],
    *others: Input | Frame,
    metrics: Metrics = ESTIMATED,
    by: By | None = None,
    precision_from: Literal["cluster"] | None = None,
    completed: bool = False,
    weights: str | PathLike[str] | Mapping[str, float] | None = None,
    population: int | None = None,
    correct: bool = False,
    interval: IntervalName = "beta",
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 0,
    key_columns: Mapping[str, str] | str | None = None,
    response_columns: Mapping[str, str] | str | None = None,
    response_format: str | None = None,
    encoding: str | None = None,
) -> Estimates:
    """Estimate the scores of a response from a labelled sample, with standard errors and intervals.

    labelled        the labelled records: a file or a frame with record, entity, and what the design needs
    response        the response in full: any input of `score`; several responses give paired differences
    by              what was drawn: `record`, `cluster` or `entity`; by default the column `by` says it
    precision_from  `cluster`, if all records of the drawn records' clusters are labelled
    completed       by cluster: all records of the entities met are labelled
    weights         by entity: `uniform`, `size`, or a weight for each entity (a mapping or a file)
    population      how many units there are, if neither the table nor the response says it
    correct         print value − bias
    interval        `beta`, `normal`, `logit`, `percentile` or `bca`; the last two take `resamples` and `seed`

        found = estimate("labelled.csv", "response.csv", by="record", precision_from="cluster")
        print(found); found["bcub"]["f1"].low
    """
    names = metrics_of(metrics)
    _check_numbers(interval, confidence, resamples)
    labels = read_labels(labelled, _columns(key_columns), encoding)
    design = design_of(labels, by, precision_from, completed, weights, population)
    settings = {"encoding": encoding, "response_format": response_format}
    given = response if isinstance(response, Mapping) and _are_systems(response) else [response, *others]
    responses = {
        name: read_clustering(source, _columns(response_columns), settings) for name, source in named(given).items()
    }
    sampled = {name: Sampled.of(labels, clustering, design) for name, clustering in responses.items()}
    draws = {name: one.draws() for name, one in sampled.items()}
    issues: list[Issue] = list(labels.issues)
    systems: dict[str, SystemEstimates] = {}
    for name, one in sampled.items():
        found = estimated(draws[name], one.response, names, interval, confidence, resamples, seed, correct)
        systems[name] = found
        said = [
            *one.response.issues,
            *notes_on(one),
            *checks(draws[name], one.response, design, names),
            *no_errors(draws[name], found, design),
        ]
        issues += said if len(sampled) == 1 else [replace(issue, message=f"{name}: {issue.message}") for issue in said]
    first = next(iter(draws.values()))
    whole = first.population.sum()
    return Estimates(
        systems,
        design,
        len(first),
        len(first.counts),
        None if np.isnan(whole) else int(whole),
        first.finite,
        int((labels.entity[0] >= 0).sum()),
        confidence,
        interval,
        correct,
        _differences(systems, draws, names, confidence),
        tuple(issues),
        _signature(design, labels, first, names, interval, confidence, correct, resamples, seed),
    )


def metrics_of(metrics: Metrics) -> list[str]:
    """The metrics that were asked for; those that a sample can't estimate are refused with the reason."""
    names, _ = select(metrics)
    for name in sorted(names, key=lambda name: not isinstance(METRICS[name], Average)):
        refuse(name)
    return names


def design_of(
    labels: Labels,
    by: str | None = None,
    precision_from: str | None = None,
    completed: bool = False,
    weights: Any = None,
    population: int | None = None,
) -> Design:
    """The design that the arguments or the column `by` of the labels say. It is never guessed."""
    stated = _stated_design(labels)
    own, own_clusters = stated or (None, False)
    if by is None and own is None:
        hint = "--by record, cluster or entity, or a column by"
        raise UsageError(f"it is not known what was drawn: {hint}")
    chosen: Any = choose(by, BY, "unit") if by is not None else own
    if own is not None and chosen != own:
        raise UsageError(f"--by {chosen}, but the column by says {own}")
    if precision_from is not None:
        choose(precision_from, ("cluster",), "source of precision")
    from_clusters = chosen == "record" and (precision_from == "cluster" or (by is None and own_clusters))
    if precision_from is not None and chosen != "record":
        raise UsageError(f"--precision-from is for --by record, and the sample is by {chosen}")
    if completed and chosen != "cluster":
        raise UsageError(f"--completed is for --by cluster, and the sample is by {chosen}")
    if weights is not None and chosen != "entity":
        raise UsageError(f"--weights is for --by entity, and the sample is by {chosen}")
    if population is not None and population < 1:
        raise UsageError(f"a population is a number above 0, not {population}")
    return Design(chosen, from_clusters, completed, read_weights(weights), population)


def _stated_design(labels: Labels) -> tuple[By, bool] | None:
    """What the column `by` says."""
    if "by" not in labels.others:
        return None
    values = [cell.strip() for cell in labels.others["by"] if cell.strip()]  # rows added by hand have none
    if len(different := list(dict.fromkeys(values))) > 1:
        raise labels.fail(f"the column by has several values: {', '.join(different[:3])}")
    known: dict[str, tuple[By, bool]] = {by: (by, False) for by in BY} | {"record+cluster": ("record", True)}
    if values[0] not in known:
        raise labels.fail(f"by is {', '.join(known)}, not '{values[0][:40]}'", 0)
    return known[values[0]]


def estimated(
    draws: Draws,
    response: Clustering,
    metrics: Sequence[str],
    interval: IntervalName = "beta",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    correct: bool = False,
) -> SystemEstimates:
    """The estimates of one response from its draws."""
    limits = limits_of(draws, interval, confidence, resamples, seed)
    scores: dict[str, dict[Part, Estimate]] = {}
    linear: dict[tuple[str, Part], Linear] = {}
    for metric in metrics:
        scores[metric] = {}
        for part in PARTS:
            found, why = _linear(draws, metric, part, linear)
            if found is None:
                scores[metric][part] = Estimate(why=why)
                continue
            linear[metric, part] = found
            low, high = limits((metric, part), found)
            scores[metric][part] = _estimate(found, low, high, correct)
    number, mean = _true_entities(draws)
    share = pairs_share(draws, response)
    return SystemEstimates(scores, len(response), response.clusters, share, number, mean, linear)


def _linear(
    draws: Draws, metric: str, part: Part, others: Mapping[tuple[str, Part], Linear]
) -> tuple[Linear | None, str]:
    """A score with its linearised values, or why there is none."""
    if part == "f1":
        recall, precision = others.get((metric, "recall")), others.get((metric, "precision"))
        if recall is None or precision is None:
            lacking = "recall" if recall is None else "precision"
            return None, f"there is no {lacking}"
        return of_f1(draws, recall, precision), ""
    if (metric, part) in draws.why:
        return None, draws.why[metric, part]
    found = of_ratio(draws, draws.ratios[metric, part])
    return found, NO_LINKS if metric in ("pairs", "muc") else NO_UNITS


def _estimate(found: Linear, low: float, high: float, correct: bool) -> Estimate:
    value = found.value - found.bias if correct and found.bias == found.bias else found.value
    se, bias, lower, upper = (or_nothing(number) for number in (found.se, found.bias, low, high))
    return Estimate(value, se, bias, lower, upper, found.effective)


def _true_entities(draws: Draws) -> tuple[float | None, float | None]:
    """The estimated number and mean size of the true entities: the denominators of two recalls."""
    if ("entities", "recall") not in draws.ratios:
        return None, None
    number = draws.total(draws.ratios["entities", "recall"].denominator)
    size = draws.total(draws.ratios["bcub", "recall"].denominator)
    return (number if draws.scaled else None), (size / number if number else None)


def _differences(
    systems: Mapping[str, SystemEstimates], draws: Mapping[str, Draws], metrics: Sequence[str], confidence: float
) -> list[SystemDifference]:
    """The difference of each two systems: z of the difference is the difference of the z."""
    found = []
    for one, other in pairs_of(list(systems)):
        ours, theirs = draws[one], draws[other]
        shared = replace(ours, finite=ours.finite and theirs.finite)
        rescaled = theirs.weight / ours.weight
        for metric in metrics:
            for part in PARTS:
                a, b = (systems[name].linear.get((metric, part)) for name in (one, other))
                if a is None or b is None:
                    continue
                z = a.z - b.z * rescaled
                variance = shared.covariance(z, z)
                difference = a.value - b.value
                se = None if variance != variance else max(variance, 0.0) ** 0.5
                width = None
                if se is not None:
                    freedom = shared.freedom
                    width = se * t_quantile((1 + confidence) / 2, freedom) if freedom else 0.0
                low, high = (None, None) if width is None else (difference - width, difference + width)
                found.append(SystemDifference(one, other, metric, part, difference, se, low, high))
    return found


def _are_systems(given: Mapping[Any, Any]) -> bool:
    """Whether a mapping has several responses by name: its values are paths."""
    return bool(given) and all(isinstance(source, (str, PathLike)) and "." in str(source) for source in given.values())


def _columns(given: Mapping[str, str] | str | None) -> dict[str, str]:
    from ..engines.sources import parse_columns

    return parse_columns(given)


def _check_numbers(interval: str, confidence: float, resamples: int) -> None:
    choose(interval, INTERVALS, "interval")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is a share between 0 and 1, not {confidence}")
    if resamples < 1:
        raise UsageError("at least one resample is needed")


def _signature(
    design: Design,
    labels: Labels,
    draws: Draws,
    metrics: Iterable[str],
    interval: str,
    confidence: float,
    correct: bool,
    resamples: int,
    seed: int,
) -> str:
    """How the scores were estimated, in one line."""
    own = labels.weighing()
    asked = design.weights if isinstance(design.weights, str) else "given" if design.weights else None
    weights = asked or (own[0] if own else "equal")
    drawn = f"+resamples:{resamples}+seed:{seed}" if interval in RESAMPLED else ""
    parts = {
        "coreflens": __version__,
        "sample": design.name + ("+completed" if design.completed else ""),
        "draws": str(len(draws)),
        "strata": str(len(draws.counts)),
        "weighing": weights,
        "interval": f"{interval} {100 * confidence:g} %{drawn}",
        "corrected": "yes" if correct else "no",
        "metrics": ",".join(metrics),
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())
