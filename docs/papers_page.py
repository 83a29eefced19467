"""docs/papers.md: every table, figure, equation and worked example of five papers, with the command that makes it.

The rows are papers.toml. Worked examples come from tests/data/cases.json; what coreflens says of them is computed.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import coreflens as cl
from coreflens.references import REFERENCES, short
from coreflens.scoring.scores import fixed, nearest

ROOT = Path(__file__).parents[1]
DATA = ROOT / "docs" / "papers.toml"
CASES = ROOT / "tests" / "data" / "cases.json"
TRACKS = ("conll-2011/english", "conll-2012/english", "conll-2012/chinese", "conll-2012/arabic")

INTRODUCTION = """\
# The papers, row by row

Five papers describe how coreference has been evaluated: Popescu-Belis & Robba (1998), Cai & Strube (2010), Pradhan et
al. (2011), Pradhan et al. (2014) and Luo et al. (2014). This page has one row for each of their tables, figures,
numbered equations, algorithms and worked examples, with the command that makes it. If the data are public, the row
shows our numbers next to the printed ones. If they are not, the row says why, and the same command runs on our own
files. The numbers are computed whenever this page is written, and a test runs every command.

The commands work in a copy of `examples/conll2011` from the repository. `gold` and `auto` are thirteen short documents
with gold and with predicted layers. `systems` has two system outputs. `key.json` and `response.json` are entities as
JSON, such as `{"K1": ["a", "b", "c"], "K2": ["d"]}`, from the row of the example. `manifest.toml` names systems with
their taggers, as described in [comparing systems](comparing.md). Names such as `conll-2012/english` are tables that
come with the package (`coreflens list tables`).
"""


class Row(NamedTuple):
    """What a paper has, the command for it, what is printed and what ours is, or why there is nothing to compare."""

    item: str
    what: str
    command: str
    result: str


def rows() -> dict[str, list[Row]]:
    """The rows of each paper, by its key in `references`."""
    found = tomllib.loads(DATA.read_text("utf-8"))
    return {key: [Row(**row) for row in some] for key, some in found.items()}


_PARTS = {"recall": "R", "precision": "P", "f1": "F", "value": ""}


def computed() -> dict[str, str]:
    """Numbers that rows name in braces."""
    every = [section for name in TRACKS for section in cl.published(name).sections]
    tables = [scores for section in every for scores in section.main.values()]
    found = cl.correlate(list(TRACKS), against="blanc", metrics="muc,bcub,ceafm,ceafe,blanc")
    values = [row["pearson"]["value"] for row in found.to_dict()["correlations"]]
    both = cl.published("conll-2011/english").sections[0].main, cl.published("conll-2011/official").sections[0].main
    orders = [[name for name, _ in sorted(_official(of, both[1]), key=lambda pair: -pair[1])] for of in both]
    moved = [f"{name} {orders[1].index(name) + 1} → {orders[0].index(name) + 1}" for name in orders[1]]
    assert len(tables) == 53
    return {
        "va": fixed(Fraction(638, 371), 2),
        "lpg": fixed(Fraction(3812, 494), 2),
        "misfits": str(sum(len(section.flags) for section in every)),
        "pearson": " ".join(fixed(x, 3).lstrip("0") for x in values),
        "shifts": f"Four systems have both scores: {', '.join(moved)}.",
    }


def _official(scores: Mapping[str, Any], names: Iterable[str]) -> list[tuple[str, float]]:
    return [(name, float(scores[name].conll)) for name in names]


def page() -> str:
    numbers = computed()
    lines = [INTRODUCTION]
    cases = json.loads(CASES.read_text("utf-8"))["cases"]
    for key, some in rows().items():
        title = REFERENCES[key][1]["title"].replace("{", "").replace("}", "")
        lines += [f"## {short(key)}\n", f"*{title}.*\n", "| what | | command | printed and ours |", "|---|---|---|---|"]
        for row in some:
            result = row.result.format(**numbers) if "{" in row.result else row.result
            lines.append(f"| {row.item} | {row.what} | `coreflens {row.command}` | {result} |")
        worked = [case for case in cases if case["source"].startswith(_name(key))]
        lines += ["", *_examples(worked)] if worked else [""]
    return "\n".join(lines)


def _name(key: str) -> str:
    return short(key).replace("(", "").replace(")", "")


def _examples(cases: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "This table has the worked examples. Each pair of braces is an entity.\n"
    yield "| example | key | response | metric | printed | ours | |"
    yield "|---|---|---|---|---|---|---|"
    for case in cases:
        where = case["source"].partition(", ")[2]
        key, response = ([entity.split() for entity in case[side]] for side in ("key", "response"))
        shown = [_partition(entities) for entities in (key, response)]
        metrics = [m for m in case["metrics"] if m in case.get("printed", {})]
        scores = _scores(case, key, response, metrics)
        extra = case.get("distribution", {})
        for metric in metrics:
            printed = {p: x for p, x in case["printed"][metric].items() if p in _PARTS}
            if printed:
                ours = {p: getattr(scores[metric], p) for p in printed}
                yield _line(where, shown, metric, printed, ours, case)
                where, shown = "", ["", ""]
        if given := case.get("links") or case.get("unseen"):
            sets = _links(key, response)
            found = [f"{name[0]}_{name[1]} = {{{' '.join(sets[name])}}}" for name in given]
            left = [f"{name[0]}_{name[1]} {'=' if 'links' in case else '∋'} {text}" for name, text in given.items()]
            same = [set(map(frozenset, text.split())) <= set(map(frozenset, sets[n])) for n, text in given.items()]
            if "links" in case:
                same += [len(text.split()) == len(sets[name]) for name, text in given.items()]
            cells = [where, *shown, "`blanc`, links", ", ".join(left), ", ".join(found)]
            yield f"| {' | '.join(cells)} | {'as printed' if all(same) else 'DIFFERS'} |"
        for metric in ("overlap", "derror"):
            if metric not in metrics and "printed" in extra.get(metric, {}):
                value = cl.score(key, response, metrics=metric, exact=True)[metric].value
                yield _line(where, shown, metric, {"value": extra[metric]["printed"]}, {"value": value}, case)
    yield ""


def _links(key: Any, response: Any) -> dict[str, list[str]]:
    """The links of either side, as `explain` lists them: Ck, Nk, Cr and Nr."""
    found = {}
    for line in str(cl.explain(key, response, "blanc")).splitlines():
        name, equals, links = line.partition(" = {")
        if equals and name in ("C_k", "N_k", "C_r", "N_r"):
            found[name.replace("_", "")] = links.rstrip("}").split(", ")
    return found


def _scores(case: Mapping[str, Any], key: Any, response: Any, metrics: Sequence[str]) -> Mapping[str, Any]:
    if not metrics:
        return {}
    options: dict[str, Any] = case.get("options", {})
    scores: Mapping[str, Any] = cl.score(key, response, metrics=metrics, exact=True, no_common="score", **options)
    return scores


def _line(
    where: str, shown: Sequence[str], metric: str, printed: Mapping[str, str], ours: Mapping[str, Any], case: Any
) -> str:
    verdicts = case.get("verdicts", {})
    said = [verdicts[f"{metric}.{part}"] for part in printed if f"{metric}.{part}" in verdicts]
    same = all(_agrees(text, ours[part]) for part, text in printed.items())
    note = "; ".join(dict.fromkeys(said)) if said else "as printed" if same else "DIFFERS"
    if "(3): W" in case["source"] or "(5): W" in case["source"]:
        note += "; W, the walkthrough article of MUC-6, is licensed: our key has everything that is printed about it"
    left = ", ".join(f"{_PARTS[part]} {text}".strip() for part, text in printed.items())
    right = ", ".join(f"{_PARTS[part]} {_shown(ours[part])}".strip() for part in printed)
    return f"| {where} | {shown[0]} | {shown[1]} | `{metric}` | {left} | {right} | {note} |"


def _partition(entities: Sequence[Sequence[str]]) -> str:
    """`{a b c} {d}`; a long one by the sizes of its entities."""
    if sum(map(len, entities)) > 24:
        sizes = sorted((len(entity) for entity in entities), reverse=True)
        alike = [f"{sizes.count(size)} × {size}" for size in dict.fromkeys(sizes)]
        many = f"{len(entities)} entities" if len(entities) > 1 else "one entity"
        return f"{many}: {', '.join(alike)}"
    return " ".join("{" + " ".join(entity) + "}" for entity in entities)


def _shown(x: Fraction | float | None) -> str:
    if x is None:
        return "n/a"
    text = fixed(x, 3)
    return text if not isinstance(x, Fraction) or x.denominator == 1 else f"{x} = {text}"


def _agrees(text: str, ours: Fraction | float | None) -> bool:
    """Whether a printed number is ours, rounded to as many decimals."""
    if ours is None:
        return False
    whole = text.removesuffix("%")
    scale = Fraction(1, 100) if text.endswith("%") else Fraction(1)
    if "/" in whole:
        return Fraction(whole) == Fraction(ours)
    digits = len(whole.partition(".")[2])
    return nearest(Fraction(ours) / scale, digits) == Fraction(whole)
