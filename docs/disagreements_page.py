"""docs/disagreements.md, from tests/data/disagreements.json.

The numbers of other tools are as recorded in the data, those of coreflens are computed here, and
tests/compat/test_disagreements.py checks both.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import coreflens as cl
from coreflens.compat import CorefEvaluator, conll_scorer, corefud_scorer
from coreflens.metrics import METRICS
from coreflens.references import REFERENCES, short

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data" / "disagreements.json"

Example: TypeAlias = Mapping[str, Any]
Way: TypeAlias = Mapping[str, Any]
Number: TypeAlias = float | Fraction | None  # None is 0/0, shown as n/a
Found: TypeAlias = dict[str, tuple[Number, ...]] | str  # R, P and F1 by metric, or why there are none

INTRODUCTION = """\
# Where tools disagree

Coreference scorers give different numbers for the same files. This page shows every difference that we know of, on the
smallest example that has it. It says what each tool prints, which tool is right according to which paper, and what to
type in coreflens to get each of the numbers.

Letters stand for mentions of one token. Numbers are recall / precision / F1 in points. If all three are equal, only one
number is shown. n/a means 0/0. **Bold** numbers differ from coreflens' default. The numbers of other tools were
recorded by running them. Those of coreflens are computed whenever this page is written. All examples are in
`tests/data/disagreements.json`, and a test checks them. It runs the other tools again where they are available. On
well-formed files without repeated mentions, scorer.pl, coval, the UA and CorefUD scorers and coreflens have the same
MUC, B³ and CEAFe.
"""


def load() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(DATA.read_text("utf-8"))
    return data


# An example as files


def files(example: Example) -> tuple[str, str]:
    """Key and response as CoNLL text: one token per mention, in alphabetical order."""
    key, response = example["key"], example["response"]
    if isinstance(key, str):
        return key, response
    sides = [side if isinstance(side, dict) else {"d": side} for side in (key, response)]
    return _conll(sides[0], sides), _conll(sides[1], sides)


def _conll(side: Mapping[str, Any], sides: Iterable[Mapping[str, Any]]) -> str:
    lines = []
    for name, clusters in side.items():
        tokens = sorted({m for s in sides for cluster in s.get(name, ()) for m in cluster}) or ["a"]
        lines.append(f"#begin document ({name}); part 000")
        for place, token in enumerate(tokens):
            cell = "|".join(f"({e})" for e, cluster in enumerate(clusters, 1) for m in cluster if m == token)
            lines.append(f"{name}\t0\t{place}\t{token}\t{cell or '-'}")
        lines += ["", "#end document", ""]
    return "\n".join(lines)


def write_files(example: Example, directory: Path) -> tuple[Path, Path]:
    paths = directory / "key.conll", directory / "response.conll"
    for path, text in zip(paths, files(example), strict=True):
        path.write_text(text, "utf-8")
    return paths


# What coreflens says


def compute(example: Example, way: Way) -> Found:
    """The numbers of an example by one of the ways to get them."""
    metrics = metrics_of(example, way)
    if way["way"] == "legacy":
        return _legacy(example, metrics)
    with tempfile.TemporaryDirectory() as directory:
        paths = write_files(example, Path(directory))
        try:
            if way["way"] == "conll-scorer":
                return {metric: _conll_scorer(metric, paths) for metric in metrics}
            if way["way"] == "corefud-scorer":
                return _corefud_scorer(paths, metrics)
            if way["way"] != "score":
                return run_recipe(load()["recipes"][way["way"]]["code"], example["key"], example["response"], metrics)
            return numbers(cl.score(*paths, metrics=metrics, exact=True, **way.get("options", {})), metrics)
        except cl.CoreflensError as error:
            return str(error).replace(f"{directory}/", "").splitlines()[0]


def metrics_of(example: Example, way: Way) -> list[str]:
    return list(way.get("metrics", example["metrics"]))


def numbers(result: cl.Scores, metrics: Iterable[str]) -> dict[str, tuple[Number, ...]]:
    return {
        metric: tuple(None if name in result[metric].undefined else x for name, x in result[metric].numbers().items())
        for metric in metrics
    }


def run_recipe(code: Sequence[str], key: Any, response: Any, metrics: list[str]) -> dict[str, tuple[Number, ...]]:
    names: dict[str, Any] = {"cl": cl, "key": key, "response": response, "metrics": metrics}
    exec("\n".join(code), names)
    return numbers(names["result"], metrics)


def _legacy(example: Example, metrics: list[str]) -> dict[str, tuple[Number, ...]]:
    evaluator = CorefEvaluator(legacy=True, metrics=metrics)
    key, response = (s if isinstance(s, dict) else {"d": s} for s in (example["key"], example["response"]))
    for name, gold in key.items():
        evaluator.update(response[name], gold)
    return {e.name: (e.get_recall(), e.get_precision(), e.get_f1()) for e in evaluator.evaluators}


def _conll_scorer(metric: str, paths: Sequence[Path]) -> tuple[Number, ...]:
    """What `coreflens conll-scorer` prints, its percentages cut off like those of scorer.pl."""
    out = StringIO()
    conll_scorer.run([metric, *map(str, paths), "none"], out, StringIO())
    return tuple(Fraction(x) / 100 for x in perl_numbers(metric, out.getvalue()))


def _corefud_scorer(paths: Sequence[Path], metrics: list[str]) -> dict[str, tuple[Number, ...]]:
    found = corefud_scorer.found_by(cl.read(paths[0]), cl.read(paths[1]), metrics, "head", True, "dependent")
    return {metric: corefud_scorer.scores(parts) for metric, parts in found.sums.items()}


def perl_numbers(metric: str, output: str) -> tuple[str, ...]:
    """Recall, precision and F1 in the last line of scorer.pl's output that has them."""
    label = "BLANC" if metric == "blanc" else "Coreference"
    shown = re.findall(rf"^{label}: .*?([\d.]+)%.*?([\d.]+)%.*?([\d.]+)%", output, re.MULTILINE)
    return tuple(shown[-1])


# Comparison


def same(recorded: Any, number: Found, metric: str, tool: str) -> bool:
    """Whether a tool's recorded numbers are those of coreflens, as far as its two decimals show."""
    if isinstance(recorded, str) or isinstance(number, str):
        return isinstance(recorded, str) and isinstance(number, str)
    if metric not in number:
        return False
    ours = [100 * float(x or 0) for x in number[metric]]
    cut = tool.startswith("perl")
    return all(
        -1e-9 < x - y < 0.01 + 1e-6 if cut else math.isclose(x, y, abs_tol=0.005 + 1e-9)
        for x, y in zip(ours, recorded, strict=True)
    )


# The page


def page(data: Mapping[str, Any]) -> str:
    computed = {example["id"]: [compute(example, way) for way in example["coreflens"]] for example in data["examples"]}
    parts = [INTRODUCTION, _summary(data, computed)]
    for place, example in enumerate(data["examples"], start=1):
        parts.append(_section(place, example, computed[example["id"]], data))
    parts += [_recipes(data), _tools(data), _papers(data)]
    return "\n".join(parts)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def _summary(data: Mapping[str, Any], computed: Mapping[str, list[Found]]) -> str:
    rows = []
    for place, example in enumerate(data["examples"], start=1):
        default = computed[example["id"]][0]
        for metric in example["metrics"]:
            others: dict[str, list[str]] = {}
            for tool, recorded in example["recorded"].items():
                if metric in recorded and not same(recorded[metric], default, metric, tool):
                    shown = recorded[metric] if isinstance(recorded[metric], str) else f"{recorded[metric][2]:.2f}"
                    others.setdefault(shown, []).append(data["tools"][tool]["name"])
            if others:
                right = "an error" if isinstance(default, str) else _show(default[metric][2:])
                otherwise = "; ".join(f"{shown}: {', '.join(names)}" for shown, names in others.items())
                rows.append(
                    [
                        str(place),
                        f"[{example['title']}](#{_anchor(place, example)})",
                        METRICS[metric].title,
                        right,
                        otherwise,
                    ]
                )
    return "## All of them, by F1\n\n" + _table(["#", "example", "metric", "coreflens", "otherwise"], rows)


def _anchor(place: int, example: Example) -> str:
    """What GitHub and MyST make of a section's heading."""
    return re.sub(r"[^\w -]", "", f"{place}. {example['title']}".lower()).replace(" ", "-")


def _section(place: int, example: Example, found: Sequence[Found], data: Mapping[str, Any]) -> str:
    metrics = example["metrics"]
    titles = [METRICS[metric].title for metric in metrics]
    rows: list[list[str]] = [["coreflens", *_cells(found[0], metrics)]]
    groups: dict[tuple[str, ...], list[str]] = {}
    for tool, recorded in example["recorded"].items():
        cells = tuple(_recorded(recorded.get(metric), found[0], metric, tool) for metric in metrics)
        groups.setdefault(cells, []).append(data["tools"][tool]["name"])
    rows += [[", ".join(names), *cells] for cells, names in groups.items()]
    typed = []
    for way, numbers_ in zip(example["coreflens"], found, strict=True):
        asked = metrics_of(example, way)
        if isinstance(numbers_, str):
            shown = f"error: {numbers_}"
        else:
            shown = ", ".join(f"{METRICS[m].title} {_show(numbers_[m])}" for m in asked)
        typed.append([describe(way, asked, data), shown, _whose(example, numbers_, asked, data) or "–"])
    lines = [
        f"## {place}. {example['title']}\n",
        _shown(example),
        _table(["tool", *titles], rows),
        f"**Who is right.** {example['right']['why'].format(cite=_cite(example['right']['cite']))}\n",
        _table(["what to type", "what you get", "who else says so"], typed),
    ]
    refused: dict[str, list[str]] = {}
    reason = ""
    for tool, why in example["not_offered"].items():
        reason = reason if why == "likewise" else why
        refused.setdefault(reason, []).append(data["tools"][tool]["name"])
    if refused:
        lines.append(
            "Not available in coreflens: " + "; ".join(f"{', '.join(n)} ({why})" for why, n in refused.items()) + ".\n"
        )
    return "\n".join(lines)


def _cite(key: str) -> str:
    """`Luo 2005`, for use in parentheses."""
    return short(key).replace("(", "").replace(")", "")


def describe(way: Way, metrics: Sequence[str], data: Mapping[str, Any]) -> str:
    """What to type."""
    if way["way"] == "score":
        return f"`{command(way, metrics)}`"
    if way["way"] == "legacy":
        more = f", metrics={list(metrics)}" if "lea" in metrics else ""
        return f"`coreflens.compat.CorefEvaluator(legacy=True{more})`"
    if way["way"] == "conll-scorer":
        return f"`coreflens conll-scorer {metrics[0] if len(metrics) == 1 else 'all'} KEY RESPONSE none`"
    if way["way"] == "corefud-scorer":
        return f"`coreflens corefud-scorer KEY RESPONSE -s -m {' '.join(metrics)}`"
    return f"recipe below: {data['recipes'][way['way']]['title']}"


def command(way: Way, metrics: Sequence[str]) -> str:
    options = "".join(f" --{name} {value}" for name, value in way.get("options", {}).items())
    return f"coreflens score KEY RESPONSE -m {','.join(metrics)}{options}"


def _whose(example: Example, found: Found, metrics: Sequence[str], data: Mapping[str, Any]) -> str:
    """The tools that say the same, of those that give numbers for these metrics."""
    agreeing = []
    for tool, recorded in example["recorded"].items():
        known = [metric for metric in metrics if metric in recorded]
        if known and all(same(recorded[metric], found, metric, tool) for metric in known):
            agreeing.append(data["tools"][tool]["name"])
    return ", ".join(agreeing)


def _recorded(value: Any, default: Found, metric: str, tool: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value if value.startswith("refuses") or value == "NaN" else f"`{value}`"
    shown = _three([f"{x:.2f}" for x in value])
    return shown if same(value, default, metric, tool) else f"**{shown}**"


def _cells(found: Found, metrics: Sequence[str]) -> list[str]:
    return [f"error: {found}" if isinstance(found, str) else _show(found[metric]) for metric in metrics]


def _show(values: Sequence[Number]) -> str:
    return _three(["n/a" if x is None else f"{100 * float(x):.2f}" for x in values])


def _three(values: Sequence[str]) -> str:
    return values[0] if len(set(values)) == 1 else " / ".join(values)


def _shown(example: Example) -> str:
    """Key and response, for people."""
    key, response = example["key"], example["response"]
    if isinstance(key, str):
        same_file = f"```text\n{key}```\n\nKey and response are this file.\n"
        return same_file if key == response else f"Key:\n\n```text\n{key}```\n\nResponse:\n\n```text\n{response}```\n"
    sides = [
        "; ".join(f"{name}: {_braces(clusters)}" for name, clusters in side.items())
        if isinstance(side, dict)
        else _braces(side)
        for side in (key, response)
    ]
    return f"- Key: {sides[0]}\n- Response: {sides[1]}\n"


def _braces(clusters: Sequence[Sequence[str]]) -> str:
    braced = " ".join("{" + " ".join(cluster) + "}" for cluster in clusters)
    return f"`{braced}`" if braced else "no mentions"


def _recipes(data: Mapping[str, Any]) -> str:
    example = next(e for e in data["examples"] if e["id"] == "twinless")
    parts = ["## Recipes\n"]
    for recipe in data["recipes"].values():
        found = run_recipe(recipe["code"], example["key"], example["response"], ["bcub"])
        code = [
            "import coreflens as cl",
            "",
            *(f"{side} = {json.dumps(example[side])}" for side in ("key", "response")),
            'metrics = ["bcub"]',
            *recipe["code"],
            f'assert str(result["bcub"].f1) == "{found["bcub"][2]}"',
        ]
        parts.append(f"{recipe['about']}\n\n```python\n" + "\n".join(code) + "\n```\n")
    return "\n".join(parts)


def _tools(data: Mapping[str, Any]) -> str:
    return "## The tools\n\n" + _table(
        ["here", "what was run"], ([t["name"], t["what"]] for t in data["tools"].values())
    )


def _papers(data: Mapping[str, Any]) -> str:
    cited = sorted({example["right"]["cite"] for example in data["examples"]})
    lines = [f"- {short(key)}: {REFERENCES[key][1]['title']}" for key in cited]
    return "## The papers\n\n`coreflens show METRIC` gives them as BibTeX.\n\n" + "\n".join(lines) + "\n"
