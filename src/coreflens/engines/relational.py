"""Two tables of mentions as one contingency table, in SQL that DuckDB and Spark both accept.

    key_mentions, response_mentions   pair, block, mention, entity: a row per mention, each once
    cells                             block, i, j, n: how many mentions i and j share; no j, no i: the twinless ones
    keys, responses                   block, i (or j), size, common, largest: one row per entity

The engine joins and counts everything, and only adds whole numbers. It returns the table grouped by sizes (`Groups`).
The length of this table depends on how many different sizes there are, not on the number of entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..corpus.model import Corpus, Document, IntArray
from ..errors import PLACES, InputError, Issue, UsageError
from ..matching.documents import Pairing, pair
from ..matching.suspicions import no_singletons, swapped
from ..metrics.contingency import Array
from ..options import Options
from .grouped import CELLS, ENTITIES, Groups, Rows
from .solving import Similarity

SIDES = ("key", "response")


class Engine(Protocol):
    """What an engine must provide: names for queries, tables that are computed once, and small answers."""

    @property
    def name(self) -> str:
        """Its name for `--engine`."""

    def view(self, name: str, query: str) -> None:
        """Give a query a name."""

    def define(self, name: str, query: str) -> None:
        """Compute a query once, and give the result a name. The result may be stored on disk."""

    def register(self, name: str, columns: Mapping[str, IntArray]) -> None:
        """Make a small table of whole numbers from Python."""

    def fetch(self, query: str) -> dict[str, Array]:
        """The columns of an answer."""

    @property
    def portion(self) -> int:
        """How many cells are solved together, for CEAF."""

    def solve(
        self, portions: list[int], similarity: Similarity, exact: bool, say: Callable[[str], None]
    ) -> dict[str, IntArray]:
        """The cells of the best assignment of portions that `components.divided` made, perhaps with their `weight`."""


@dataclass(frozen=True)
class Side:
    """A table of mentions as an engine has opened it: its rows are in the view `<role>_rows`.

    source    its name in messages
    kinds     the types of the columns doc (if there is one), mention and entity: `integer` or `text`
    ordered   whether there is a column `place` that orders the rows
    """

    role: str
    source: str
    kinds: Mapping[str, str]
    ordered: bool


@dataclass(frozen=True, eq=False)
class Related:
    """Two matched tables: the views of the mentions of both sides, and the table `cells`, are in the engine."""

    engine: Engine
    pairing: Pairing
    options: Options
    issues: tuple[Issue, ...]

    def groups(self, cells: str) -> Groups:
        """A table of cells, grouped by sizes; `entities` must have run before."""
        found = self.engine.fetch(
            f"""SELECT c.block AS block, c.n AS n, k.size AS a, r.size AS b, r.common AS common, COUNT(*) AS weight
            FROM {cells} c JOIN {cells}_keys k ON c.block = k.block AND c.i = k.i
            JOIN {cells}_responses r ON c.block = r.block AND c.j = r.j
            GROUP BY c.block, c.n, k.size, r.size, r.common"""
        )
        sides = (
            self.engine.fetch(
                f"""SELECT block, size, common, largest, COUNT(*) AS weight FROM {cells}_{which}
                GROUP BY block, size, common, largest"""
            )
            for which in ("keys", "responses")
        )
        keys, responses = (_sorted(entities, ENTITIES) for entities in sides)
        return Groups(_sorted(found, CELLS), keys, responses, self.pairing.blocks)


def relate(engine: Engine, key: Side, response: Side, options: Options) -> tuple[Related, Groups, Groups]:
    """Match the mentions of two tables: the match, the table of all mentions, and the table for coreference.

    The second table lacks the singletons that the options drop. Mention detection is counted on the first.
    """
    sides = (key, response)
    issues: list[Issue] = []
    for side in sides:
        _check_filled(engine, side)
    issues += _type(engine, key, response)
    pairing, found = _place(engine, key, response, options)
    issues += found
    for side in sides:
        issues += _once(engine, side, options)
    issues += _confined(engine, options) if "doc" in key.kinds and options.scope != "document" else []
    engine.define(
        "cells",
        """SELECT COALESCE(k.block, r.block) AS block, k.entity AS i, r.entity AS j, COUNT(*) AS n
        FROM key_mentions k FULL OUTER JOIN response_mentions r ON k.pair = r.pair AND k.mention = r.mention
        GROUP BY COALESCE(k.block, r.block), k.entity, r.entity""",
    )
    related = Related(engine, pairing, options, ())
    entities(engine, "cells")
    whole = related.groups("cells")
    issues += [*swapped(*_named(sides)), *_checked(whole, response, options)]
    coreference = whole
    if options.singletons in ("drop", "drop-response"):
        drop_key = "WHEN k.size = 1 THEN NULL " if options.singletons == "drop" else ""
        engine.define(
            "kept",
            f"""SELECT * FROM (SELECT c.block AS block, c.n AS n,
            CASE WHEN c.i IS NULL THEN NULL {drop_key}ELSE c.i END AS i,
            CASE WHEN c.j IS NULL THEN NULL WHEN r.size = 1 THEN NULL ELSE c.j END AS j
            FROM cells c LEFT JOIN cells_keys k ON c.block = k.block AND c.i = k.i
            LEFT JOIN cells_responses r ON c.block = r.block AND c.j = r.j) x
            WHERE i IS NOT NULL OR j IS NOT NULL""",
        )
        entities(engine, "kept")
        coreference = related.groups("kept")
    return Related(engine, pairing, options, tuple(issues)), whole, coreference


def entities(engine: Engine, cells: str) -> None:
    """The entities of a table of cells: size, number of mentions that have a twin, and largest part."""
    for which, mine, other in (("keys", "i", "j"), ("responses", "j", "i")):
        engine.define(
            f"{cells}_{which}",
            f"""SELECT block, {mine}, CAST(SUM(n) AS BIGINT) AS size,
            CAST(SUM(CASE WHEN {other} IS NULL THEN 0 ELSE n END) AS BIGINT) AS common,
            MAX(CASE WHEN {other} IS NULL THEN 0 ELSE n END) AS largest
            FROM {cells} WHERE {mine} IS NOT NULL GROUP BY block, {mine}""",
        )


def _sorted(columns: Mapping[str, Array], names: tuple[str, ...]) -> Rows:
    """Put rows into an order that does not depend on the engine, so that sums of ratios do not depend on it."""
    rows = {name: np.asarray(columns[name], dtype=np.int64) for name in names}
    order = np.lexsort(tuple(rows[name] for name in reversed(names)))
    return {name: column[order] for name, column in rows.items()}


def _check_filled(engine: Engine, side: Side) -> None:
    """Check that every row has a mention and an entity, as for a table that is read into memory."""
    empty = [f"{c} IS NULL" + (f" OR TRIM({c}) = ''" if side.kinds[c] == "text" else "") for c in ("mention", "entity")]
    bad = " OR ".join(empty)
    rows = f"{side.role}_rows"
    found = engine.fetch(f"SELECT COUNT(*) AS total, COUNT(CASE WHEN {bad} THEN 1 END) AS bad FROM {rows}")
    if not int(found["total"][0]):
        raise InputError("the table has no rows", file=side.source)
    if count := int(found["bad"][0]):
        shown = ["doc", "mention", "entity"] if "doc" in side.kinds else ["mention", "entity"]
        cast = ", ".join(f"CAST({c} AS STRING) AS {c}" for c in shown)
        first = engine.fetch(f"SELECT {cast} FROM {rows} WHERE {bad} ORDER BY {', '.join(shown)} LIMIT {PLACES}")
        examples = "; ".join(_spelled({c: first[c][row] for c in shown}) for row in range(len(first["entity"])))
        many = f"{count} rows with an" if count > 1 else "a row with an"
        raise InputError(f"{many} empty mention or entity: {examples}", file=side.source, code="syntax")


def _spelled(row: Mapping[str, object]) -> str:
    """A row of the table for a message."""
    return ", ".join(f"{name} {'(empty)' if value is None else repr(str(value))}" for name, value in row.items())


def _type(engine: Engine, key: Side, response: Side) -> list[Issue]:
    """The views with comparable columns: numbers are compared with numbers, everything else as text."""
    issues = []
    as_text = set()
    for column in ("doc", "mention"):
        if len({column in side.kinds for side in (key, response)}) > 1:
            has, lacks = (key, response) if column in key.kinds else (response, key)
            raise InputError(
                f"the {has.role} has a column of documents, but the {lacks.role} has none",
                file=lacks.source,
                hint="--columns doc=NAME names it; --columns doc= reads both tables without it",
            )
        if column not in key.kinds:
            continue
        if key.kinds[column] != response.kinds[column]:
            as_text.add(column)
            kinds = f"{key.kinds[column]} in the key and {response.kinds[column]} in the response"
            issues.append(Issue("mixed-types", f"the column of {column}s is {kinds}; it is compared as text"))
    for side in (key, response):
        columns = ["entity AS entity", *(["place AS place"] if side.ordered else [])]
        if "doc" in side.kinds:
            text = "doc" in as_text or side.kinds["doc"] == "text"
            columns.append("COALESCE(CAST(doc AS STRING), '') AS doc" if text else "doc AS doc")
        columns.append("CAST(mention AS STRING) AS mention" if "mention" in as_text else "mention AS mention")
        engine.view(f"{side.role}_typed", f"SELECT {', '.join(columns)} FROM {side.role}_rows")
    return issues


def _place(engine: Engine, key: Side, response: Side, options: Options) -> tuple[Pairing, list[Issue]]:
    """Pair the documents by the same rules as in memory, and give each mention its pair and block."""
    corpora = []
    for side in (key, response):
        documents = [Document("", file=side.source)]
        if "doc" in side.kinds:
            first = "MIN(place)" if side.ordered else "MIN(doc)"
            engine.define(
                f"{side.role}_documents",
                f"""SELECT doc, ROW_NUMBER() OVER (ORDER BY opening, doc) - 1 AS number
                FROM (SELECT doc, {first} AS opening FROM {side.role}_typed GROUP BY doc) documents""",
            )
            names = engine.fetch(f"SELECT CAST(doc AS STRING) AS doc FROM {side.role}_documents ORDER BY number")
            documents = [Document(str(name), file=side.source) for name in names["doc"]]
        corpora.append(_corpus(side, documents))
    pairing, issues = pair(corpora[0], corpora[1], options)
    for side, rows in zip((key, response), (pairing.key_row, pairing.response_row), strict=True):
        kept = ", ".join(["mention", "entity", *(["place"] if side.ordered else [])])
        if "doc" not in side.kinds:
            query = f"SELECT 0 AS pair, 0 AS block, {kept} FROM {side.role}_typed"
        else:
            number = np.flatnonzero(rows >= 0)
            columns = {"number": number, "pair": rows[number], "block": pairing.block[rows[number]]}
            engine.register(f"{side.role}_pairs", columns)
            engine.define(
                f"{side.role}_places",
                f"""SELECT d.doc AS doc, p.pair AS pair, p.block AS block
                FROM {side.role}_documents d JOIN {side.role}_pairs p ON d.number = p.number""",
            )
            query = f"""SELECT p.pair AS pair, p.block AS block, {", ".join(f"t.{c} AS {c}" for c in kept.split(", "))}
                FROM {side.role}_typed t JOIN {side.role}_places p ON t.doc = p.doc"""
        engine.view(f"{side.role}_placed", query)
    return pairing, issues


def _corpus(side: Side, documents: list[Document]) -> Corpus:
    """A corpus without mentions, which stands for the documents of a table when they are paired."""
    none = np.zeros(0, dtype=np.int64)
    return Corpus(
        documents=documents,
        doc=none,
        start=none,
        end=none,
        entity=none,
        labels=[],
        names=[],
        line=none,
        source=side.source,
        format="table",
    )


def _named(sides: tuple[Side, Side]) -> tuple[Corpus, Corpus]:
    return _corpus(sides[0], []), _corpus(sides[1], [])


def _once(engine: Engine, side: Side, options: Options) -> Iterator[Issue]:
    """The view of the mentions of a side, each once. The policy decides about repetitions, and they are reported."""
    role, placed = side.role, f"{side.role}_placed"
    if options.singletons == "drop-before":
        engine.view(
            f"{role}_large",
            f"""SELECT p.* FROM {placed} p JOIN (SELECT block, entity FROM {placed} GROUP BY block, entity
            HAVING MIN(pair) <> MAX(pair) OR MIN(mention) <> MAX(mention)) e
            ON p.block = e.block AND p.entity = e.entity""",
        )
        placed = f"{role}_large"
    engine.define(
        f"{role}_repeated",
        f"""SELECT pair, mention, COUNT(*) AS times, MIN(entity) AS low, MAX(entity) AS high
        FROM {placed} GROUP BY pair, mention HAVING COUNT(*) > 1""",
    )
    found = engine.fetch(
        f"""SELECT COALESCE(CAST(SUM(times - 1) AS BIGINT), 0) AS extra, COUNT(CASE WHEN low <> high THEN 1 END) AS odd
        FROM {role}_repeated"""
    )
    extra, odd = int(found["extra"][0]), int(found["odd"][0])
    if not extra:
        engine.view(f"{role}_mentions", f"SELECT pair, block, mention, entity FROM {placed}")
        return
    policy = options.duplicates
    first = engine.fetch(
        f"""SELECT CAST(mention AS STRING) AS mention, CAST(low AS STRING) AS low, CAST(high AS STRING) AS high
        FROM {role}_repeated ORDER BY pair, mention LIMIT {PLACES}"""
    )
    many = f"{extra} repeated mention{'' if extra == 1 else 's'}"
    if policy == "error":
        repetitions = f"{extra} repetition{'' if extra == 1 else 's'}"
        raise InputError(
            f"mention {first['mention'][0]} occurs twice in the {role} ({repetitions} in all)",
            file=side.source,
            hint="--duplicates first scores the one that opens first",
        )
    if policy == "perl":
        hint = "--duplicates first scores the one that opens first, on every engine"
        raise UsageError(f"{many} in the {role}: --duplicates perl counts them only on --engine memory; {hint}")
    if odd and not side.ordered:
        raise InputError(
            f"{many} in the {role}, {odd} of them in several entities, and the table has no order",
            file=side.source,
            hint="--columns order=NAME names a column that orders the rows, so that there is a first one",
        )
    choice = "MIN(s.entity)" if not odd else f"{'MAX' if policy == 'last' else 'MIN'}_BY(s.entity, s.place)"
    engine.view(
        f"{role}_mentions",
        f"""SELECT s.pair AS pair, s.block AS block, s.mention AS mention, s.entity AS entity
        FROM {placed} s LEFT JOIN {role}_repeated d ON s.pair = d.pair AND s.mention = d.mention WHERE d.pair IS NULL
        UNION ALL SELECT s.pair, MIN(s.block), s.mention, {choice}
        FROM {placed} s JOIN {role}_repeated d ON s.pair = d.pair AND s.mention = d.mention
        GROUP BY s.pair, s.mention""",
    )
    places = tuple(
        f"{side.source}: mention {mention}" + (f" in {low} and {high}" if low != high else f", twice in {low}")
        for mention, low, high in zip(first["mention"], first["low"], first["high"], strict=True)
    )
    yield Issue(
        f"duplicates-{role}", f"{many} in the {role}: repetitions left out (--duplicates {policy})", extra, places
    )


def _confined(engine: Engine, options: Options) -> list[Issue]:
    """A note if a wider scope changes little because no entity has mentions in two documents."""
    for role in SIDES:
        wide = engine.fetch(
            f"""SELECT COUNT(*) AS wide FROM (SELECT block, entity FROM {role}_mentions
            GROUP BY block, entity HAVING MIN(pair) <> MAX(pair)) wide"""
        )
        if int(wide["wide"][0]):
            return []
    message = f"no entity of either side has mentions in two documents, so --scope {options.scope} changes little"
    return [Issue("scope", message)]


def _checked(whole: Groups, response: Side, options: Options) -> list[Issue]:
    """Report empty sides, sides that share no mention, and singletons on one side only, as in memory."""
    totals = [int((rows["size"] * rows["weight"]).sum()) for rows in (whole.keys, whole.responses)]
    singles = [int(rows["weight"][rows["size"] == 1].sum()) for rows in (whole.keys, whole.responses)]
    issues = [
        Issue(f"empty-{role}", f"the {role} has no mentions at all")
        for role, total in zip(SIDES, totals, strict=True)
        if not total
    ]
    common = int((whole.cells["n"] * whole.cells["weight"]).sum())
    if totals[0] and not common:
        none = f"no mention in common: none of {totals[1]} response mentions is among {totals[0]} key mentions"
        if options.no_common == "refuse" or (options.no_common == "judge" and totals[1]):
            why = "are these the same documents, with mentions named alike?; " if totals[1] else ""
            raise InputError(none, file=response.source, hint=f"{why}--no-common score scores it as 0")
        if totals[1]:
            issues.append(Issue("twinless", f"{none}: every mention is twinless"))
    return [*issues, *no_singletons((singles[0], totals[0]), (singles[1], totals[1]))]
