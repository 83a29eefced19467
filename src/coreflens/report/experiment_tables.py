"""Tables of experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..metrics import METRICS
from ..paper.table import Table, points
from ..scoring.scores import percent
from ..stats import Interval

if TYPE_CHECKING:
    from ..experiments.ablation import Ablation
    from ..experiments.history import Stage
    from ..experiments.probing import Probe
    from ..experiments.tuning import Tuning


def bounded(found: Interval | None, digits: int) -> str:
    """A score with its interval: `71.20 [69.02, 73.11]`."""
    if found is None:
        return "n/a"
    if found.low != found.low:
        return points(found.score, digits)
    return f"{points(found.score, digits)} [{points(found.low, digits)}, {points(found.high, digits)}]"


def tuned(tuning: Tuning, digits: int = 2) -> list[Table]:
    """The best settings on the documents used for tuning, and the score of each fold with the setting of the others."""
    from ..experiments.tuning import interval, title

    names, what = [axis.name for axis in tuning.space.axes], title(tuning.objective)
    rows = [
        [*(setting[name] for name in names), bounded(interval(result, tuning.objective, tuning.seed), digits)]
        for setting, result in tuning.ranked
    ]
    header = [*names, f"{what}, tuned on these texts"]
    tables = [Table(header, rows, left=frozenset(), name="The best settings on the texts they are tuned on")]
    if tuning.folds:
        rows = [
            [
                str(number),
                str(len(fold.documents)),
                *(fold.setting[name] for name in names),
                points(fold.tuned, digits),
                points(fold.held_out, digits),
            ]
            for number, fold in enumerate(tuning.folds, start=1)
        ]
        size = sum(len(fold.documents) for fold in tuning.folds)
        rows.append(["all", str(size), *("" for _ in names), "", bounded(tuning.interval, digits)])
        name = f"{what} of the documents held out, by fold"
        tables.append(Table(["held out", "documents", *names, "tuned", what], rows, strong=1, name=name))
    return tables


def tried(tuning: Tuning) -> Table:
    """One row for each trial, numbers at full precision."""
    names = [axis.name for axis in tuning.space.axes]
    rows = [
        [*(trial.setting[name] for name in names), "" if trial.failed else repr(score), trial.failed]
        for trial, score in zip(tuning.trials, tuning.scores, strict=True)
    ]
    return Table([*names, tuning.objective, "failed"], rows)


def staged(stages: Sequence[Stage], metrics: Sequence[str], seed: int, digits: int, *, exact: bool) -> Table:
    """One row for each stage: date, documents, and every metric with its interval."""
    if exact:  # for machines: one row for each stage and metric, at full precision
        rows = []
        for stage in stages:
            for metric in metrics:
                found = stage.interval(metric, seed)
                numbers = ["" if x != x else repr(x) for x in (found.score, found.low, found.high)]
                rows.append([stage.label, stage.date, metric, *numbers])
        return Table(["stage", "date", "metric", "score", "low", "high"], rows)
    rows = [
        [s.label, s.date, str(len(s.result.counts)), *(bounded(s.interval(m, seed), digits) for m in metrics)]
        for s in stages
    ]
    header = ["stage", "date", "documents", *(METRICS[m].title for m in metrics)]
    return Table(header, rows, left=frozenset({0, 1}), name="Scores by stage, with 95 % intervals")


def ablated(ablation: Ablation, digits: int = 2) -> list[Table]:
    """What each part is worth, left out and alone; then its errors by class."""
    tables = []
    what = METRICS[ablation.metric].title
    for how, heading in (("left out", f"{what} without it"), ("alone", f"{what} alone")):
        rows = []
        for p in (p for p in ablation.parts if p.how == how):
            if p.test is None:
                rows.append([p.name, "failed", "", "", "", "", ""])
                continue
            shown = p.without if how == "left out" else p.with_
            main = None if shown is None else shown[ablation.metric].main
            errors = ["" if e is None else str(sum(e.values())) for e in (p.mends, p.makes)]
            span = (
                f"[{_signed(p.test.low, digits)}, {_signed(p.test.high, digits)}]" if p.test.low == p.test.low else ""
            )
            p_value = "" if p.adjusted != p.adjusted else f"{p.adjusted:.3f}" if p.adjusted >= 0.001 else "< 0.001"
            rows.append([p.name, points(main, digits), _signed(p.test.difference, digits), span, p_value, *errors])
        if rows:
            base, word = (ablation.whole, "whole system") if how == "left out" else (ablation.none, "no part")
            rows.append([word, "" if base is None else points(base[ablation.metric].main, digits), "", "", "", "", ""])
            header = [how, heading, "worth", "95 %", "p", "mends", "makes"]
            tables.append(Table(header, rows, strong=1, name=f"What each part is worth, {how}"))
    kinds = list(dict.fromkeys(kind for p in ablation.parts for e in (p.mends, p.makes) for kind in e or ()))
    if kinds:
        rows = [
            [p.name, p.how, *(f"{(p.mends or {}).get(k, 0)} / {(p.makes or {}).get(k, 0)}" for k in kinds)]
            for p in ablation.parts
            if p.mends is not None
        ]
        header = ["errors mended / made", "", *kinds]
        tables.append(Table(header, rows, left=frozenset({0, 1}), name="Errors that each part mends and makes"))
    return tables


def _signed(x: float, digits: int) -> str:
    if x != x:
        return "n/a"
    text = percent(x, digits)
    return text if text.startswith("-") else f"+{text}"


def ablated_records(ablation: Ablation) -> Table:
    """One row for each part and way, numbers at full precision."""
    rows = []
    for p in ablation.parts:
        numbers = [float("nan")] * 4
        if p.test is not None:
            numbers = [p.test.difference, p.test.low, p.test.high, p.test.p]
        errors = ["" if e is None else str(sum(e.values())) for e in (p.mends, p.makes)]
        cells = ["" if x != x else repr(x) for x in (*numbers, p.adjusted)]
        rows.append([p.name, p.how, *cells, *errors, p.failed])
    return Table(["part", "how", "worth", "low", "high", "p", "p_adjusted", "mends", "makes", "failed"], rows)


def probed(probe: Probe, digits: int = 2) -> list[Table]:
    """The distribution of every metric, degenerate responses, repairs, chains and sizes of entities."""
    titles = {m: METRICS[m].title for m in probe.metrics}
    head = ["lowest", *(f"{10 * k} %" for k in range(1, 10)), "highest", "uneven"]
    rows = [
        [titles[m], *(points(x, digits) for x in probe.deciles(m)), points(probe.unevenness(m), digits)]
        for m in probe.metrics
    ]
    what = "all" if probe.enumerated else "drawn"
    scored = f"{probe.responses:,} responses ({what})"
    tables = [Table([scored, *head], rows, name=f"Quantiles of the scores of {scored}")]
    rows = [[name, *(points(row[m], digits) for m in probe.metrics)] for name, row in probe.degenerate.items()]
    tables.append(Table(["response", *titles.values()], rows, name="Scores of degenerate responses"))
    rows = []
    for m in probe.metrics:
        s = probe.steps[m]
        worst = "" if s.worst is None else f"{points(s.worst.high, digits)} → {points(s.worst.low, digits)}"
        straight = probe.straightness[m]
        shown = "n/a" if straight != straight else f"{straight:.3f}"
        rows.append([titles[m], str(s.raises), str(s.leaves), str(s.lowers), worst, shown])
    header = ["single repairs", "raise", "leave", "lower", "worst", "r² of chains"]
    tables.append(Table(header, rows, name="What single repairs do to each metric"))
    if probe.sizes:
        rows = [[str(size), *(points(abs(row[m]), digits) for m in probe.metrics)] for size, row in probe.sizes.items()]
        header = ["points lost, by entity size", *titles.values()]
        tables.append(Table(header, rows, name="Points that one error costs, by the size of its entity"))
    return tables


def counterexamples(probe: Probe) -> Table | None:
    """Repairs that lower a metric, the worst of each."""
    rows = [
        [METRICS[m].title, w.kind, probe.shown(w.before, w.after), probe.shown(w.after, w.before)]
        for m, s in probe.steps.items()
        if (w := s.worst) is not None
    ]
    return Table(["lowered by", "repair", "before", "after"], rows, left=frozenset(range(4))) if rows else None


def probed_records(probe: Probe) -> Table:
    """One row for each metric and number, at full precision."""
    rows = []
    for m in probe.metrics:
        s = probe.steps[m]
        numbers = {f"decile {k}": x for k, x in enumerate(probe.deciles(m))}
        numbers |= {"unevenness": probe.unevenness(m), "straightness": probe.straightness[m]}
        numbers |= {"raises": s.raises, "leaves": s.leaves, "lowers": s.lowers}
        numbers |= {f"degenerate: {name}": row[m] for name, row in probe.degenerate.items()}
        numbers |= {f"lost by size {size}": row[m] for size, row in probe.sizes.items()}
        rows += [[m, name, "" if x != x else repr(x)] for name, x in numbers.items()]
    return Table(["metric", "what", "value"], rows, left=frozenset({0, 1}))
