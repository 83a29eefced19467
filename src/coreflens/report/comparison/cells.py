"""Cells and titles that the tables of a comparison share."""

from __future__ import annotations

from ...comparison.sections import Section
from ...comparison.verdict import short_p
from ...paper.table import counted_mark, score_points
from ...scoring.scores import Scores, is_number

SHORT = {"recall": "R", "precision": "P", "f1": "F1"}


def number_cell(scores: Scores | None, metric: str, value: str, digits: int) -> str:
    """A number in points; – where it is missing."""
    if scores is None or metric not in scores:
        return "–"
    mark = counted_mark(scores[metric]) if value == "main" else ""
    return score_points(scores[metric], value, digits) + mark


def cell(scores: Scores, metric: str, value: str, digits: int) -> str:
    """A number in points, with its label if a published table has one; – where it is missing."""
    number = number_cell(scores, metric, value, digits)
    if value == "main" and metric in scores and scores[metric].label:
        return f"{number} {scores[metric].label}"
    return number


def p_cell(p: float) -> str:
    """p without its 0: `.012`, `<.001`."""
    if not is_number(p):
        return "n/a"
    return "<.001" if p < 0.001 else short_p(p)


def titled(section: Section, title: str) -> str:
    """The title of a table, after that of its section."""
    return f"{section.title}: {title}" if section.title else title[0].upper() + title[1:]
