"""docs/probing.md: how every metric scores all responses to a small key.

    python docs/probing_page.py

Everything is computed from the two keys below. It takes about a minute. A test compares the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill

import numpy as np

import coreflens as cl
from coreflens.metrics import METRICS, Average

DOCS = Path(__file__).parent
PAGE, PLOTS = DOCS / "probing.md", DOCS / "probing"
SMALL = [["a", "b", "c"], ["d", "e"], ["f"], ["g"]]
# Entities of 2, 3, 4, 6, 8, 12 and 16 mentions, and nine singletons, to see what depends on the size of entities.
SIZES = (2, 3, 4, 6, 8, 12, 16, *([1] * 9))
SHOWN = ("muc", "bcub", "ceafe", "lea")
SEED = 1

INTRODUCTION = """
# Probing the metrics

Popescu-Belis and Robba (1998) make three demands on a metric: its bounds are clear, low scores are as probable as high
ones, and better responses score higher. `coreflens probe` tests this on all responses that have the mentions of a key.
`python docs/probing_page.py` writes this page. Every number and every sentence about a metric comes from a run.

The key has seven mentions: `a b c | d e | f | g`. There are 877 ways to put them into entities, and 4,140 responses if
mentions may be missing. All of them were scored. A single repair turns one response into a better one. There are three
kinds of repairs. A *merge* joins two entities that belong together. A *split* takes the mentions of one key entity out
of an entity that also has others. A *find* adds a missing mention. If every repair raises a metric, every damage lowers
it, because damage is the reverse of a repair.
"""


def larger() -> list[list[str]]:
    """A key of entities of several sizes."""
    names = iter(range(sum(SIZES)))
    return [[f"m{next(names)}" for _ in range(size)] for size in SIZES]


def probed_metrics() -> tuple[list[str], dict[str, str]]:
    """The metrics that can be probed, and the reasons why the others cannot."""
    found, reasons = [], {}
    for name in METRICS:
        if isinstance(METRICS[name], Average) and name != "conll":
            reasons[name] = "an average of others"
            continue
        try:
            tried = cl.probe(SMALL[1:], metrics=[name], chains=2)
        except cl.CoreflensError as error:
            reasons[name] = str(error).split("\n")[0]
            continue
        scores = tried.scores[name]
        if not np.isfinite(scores).any() or (np.ptp(scores) == 0 and name != "mentions"):
            reasons[name] = "the same for all responses to a key without words"
            continue
        found.append(name)
    return found, reasons


def page() -> tuple[str, dict[str, str]]:
    """The page, and its plots by name."""
    names, reasons = probed_metrics()
    whole = cl.probe(SMALL, metrics=names, chains=300, seed=SEED)
    some = cl.probe(SMALL, metrics=names, chains=300, seed=SEED, missing=True)
    large = cl.probe(larger(), metrics=names, samples=200, chains=30, seed=SEED)
    names = [name for name in names if name in whole.metrics]
    plots = {
        name: plot.svg()
        for name, plot in cl.probe(SMALL, metrics=list(SHOWN), chains=300, seed=SEED).plots().items()
        if name != "sizes"
    }
    plots["sizes"] = cl.probe(larger(), metrics=list(SHOWN), samples=50, chains=2, seed=SEED).plots()["sizes"].svg()
    parts = [
        INTRODUCTION,
        "## At a glance",
        "The table has these columns:",
        "- *lowest*, *median* and *highest*: scores of the 877 responses.\n"
        "- *uneven*: 0 if all scores are equally frequent, 100 if all responses have the same score.\n"
        "- *singletons* and *one entity*: scores of these two responses.\n"
        "- *leave / lower*: the share of single repairs that leave the score as it is, and that lower it.\n"
        "- *with missing*: the same if mentions may be missing.\n"
        "- *r²*: how straight the score rises along random chains of repairs (the mean over 300 chains).",
        _glance(names, whole, some),
        "![Scores of all responses](probing/distribution.svg)",
        "![Scores along chains of repairs](probing/chains.svg)",
        "![Points lost by entity size](probing/sizes.svg)",
        "The last plot uses a larger key, with entities of 2 to 16 mentions. It shows how many points are lost when "
        "one mention is separated from its entity and becomes a singleton.",
        "## Metric by metric",
        *(text for name in names for text in _about(name, whole, some, large)),
        "## Not probed",
        "These metrics do not distinguish responses that have the mentions of the key and no words.",
        _table(["metric", "why"], [[f"`{name}`", why] for name, why in reasons.items()]),
    ]
    return "\n\n".join(_wrapped(part.strip()) for part in parts) + "\n", plots


def _glance(names: Sequence[str], whole: cl.Probe, some: cl.Probe) -> str:
    rows = []
    for name in names:
        deciles, steps, missing = whole.deciles(name), whole.steps[name], some.steps[name]
        row = [METRICS[name].title, *(_points(deciles[k]) for k in (0, 5, 10)), _points(whole.unevenness(name))]
        row += [_points(whole.degenerate[which][name]) for which in ("singletons", "one entity")]
        row.append(f"{_share(steps.leaves, steps)} / {_share(steps.lowers, steps)}")
        row.append("n/a" if _equal(name) else f"{_share(missing.leaves, missing)} / {_share(missing.lowers, missing)}")
        straight = whole.straightness[name]
        rows.append([*row, "n/a" if math.isnan(straight) else f"{straight:.2f}"])
    head = ["metric", "lowest", "median", "highest", "uneven", "singletons", "one entity"]
    return _table([*head, "leave / lower", "with missing", "r²"], rows)


def _equal(name: str) -> bool:
    """Whether a metric needs the same mentions on both sides."""
    return bool(getattr(METRICS[name], "equal_mentions", False))


def _share(count: int, steps: object) -> str:
    every = sum(getattr(steps, what) for what in ("raises", "leaves", "lowers"))
    return f"{100 * count / every:.0f} %" if every else "n/a"


def _about(name: str, whole: cl.Probe, some: cl.Probe, large: cl.Probe) -> Iterable[str]:
    """The results for one metric, in sentences."""
    deciles, key = whole.deciles(name), whole.degenerate["the key"][name]
    yield f"### {METRICS[name].title}"
    error = key == 0
    good = "falls" if error else "rises"
    text = f"The key scores {_points(key)}. The responses score from {_points(deciles[0])} to {_points(deciles[10])}, "
    text += f"and half of them score {_points(deciles[5])} or less. Singletons score "
    text += (
        f"{_points(whole.degenerate['singletons'][name])}, one entity {_points(whole.degenerate['one entity'][name])}, "
    )
    text += f"and no mention at all {_points(some.degenerate['nothing'][name])}."
    yield text
    steps, missing = whole.steps[name], some.steps[name]
    every = steps.raises + steps.leaves + steps.lowers
    if steps.lowers == steps.leaves == 0:
        text = f"It {good} with each of the {every:,} single repairs."
    elif steps.lowers == 0:
        text = f"No single repair makes it worse, and {_share(steps.leaves, steps)} of them leave it as it is."
    else:
        assert steps.worst is not None
        worst = steps.worst
        text = f"It gets worse with {_share(steps.lowers, steps)} of the single repairs, and stays the same with "
        text += f"{_share(steps.leaves, steps)}. The worst case is a {worst.kind}, from {_points(worst.high)} to "
        text += f"{_points(worst.low)}: `{whole.shown(worst.before, worst.after)}` becomes "
        text += f"`{whole.shown(worst.after, worst.before)}`."
    if _equal(name):
        text += " It needs the same mentions on both sides."
    else:
        if missing.lowers and not steps.lowers:
            assert missing.worst is not None
            worst = missing.worst
            text += f" If mentions are missing, {_share(missing.lowers, missing)} of the repairs make it worse. "
            text += f"The worst case is a {worst.kind}: `{some.shown(worst.before, worst.after)}` "
            text += f"({_points(worst.high)}) becomes `{some.shown(worst.after, worst.before)}` ({_points(worst.low)})."
        elif not missing.lowers:
            text += " If mentions are missing, "
            if steps.lowers == steps.leaves == 0:
                text += (
                    "some repairs leave it as it is, but none makes it worse." if missing.leaves else "this also holds."
                )
            else:
                text += "no repair makes it worse either."
    yield text
    lost = {size: abs(row[name]) for size, row in large.sizes.items()}
    small, big = lost[min(lost)], lost[max(lost)]
    straight = whole.straightness[name]
    text = "It does not change along chains of repairs." if math.isnan(straight) else ""
    if not math.isnan(straight):
        how = "almost straight" if straight > 0.95 else "fairly straight" if straight > 0.85 else "unevenly"
        text = f"Along chains of repairs it {good} {how} (r² = {straight:.2f})."
    if math.isnan(small) or abs(small - big) <= 0.02 * max(small, big):
        text += " A mention that is separated from its entity costs about the same for any size of the entity."
    else:
        less = "less" if big < small else "more"
        text += f" A mention that is separated from its entity costs {less} if the entity is large: {_points(small)} "
        text += f"points in an entity of two mentions, {_points(big)} in one of sixteen."
    yield text


def _points(x: float) -> str:
    return "n/a" if math.isnan(x) else f"{100 * x:.1f}".replace("-0.0", "0.0")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])] if len(head) > 2 else ["---", "---"]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def _wrapped(part: str) -> str:
    paragraphs = part.split("\n\n")
    return "\n\n".join(
        p if p.startswith(("|", "#", "!", "-", "```")) else fill(" ".join(p.split()), 120, break_on_hyphens=False)
        for p in paragraphs
    )


if __name__ == "__main__":
    text, drawn = page()
    PAGE.write_text(text, "utf-8")
    PLOTS.mkdir(exist_ok=True)
    for name, svg in drawn.items():
        (PLOTS / f"{name}.svg").write_text(svg, "utf-8")
