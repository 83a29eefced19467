"""Two tables of mentions as one contingency table, in SQL that DuckDB and Spark both accept.

    key_placed, response_placed       pair, block, mention, entity, perhaps place: the rows of paired documents
    key_once, response_once           pair, block, mention, entity: the same with each mention once
    key_mentions, response_mentions   the same without the singletons that the options leave out before the match
    cells                             block, i, j, n: how many mentions i and j share; no j, no i: the twinless ones
    keys, responses                   block, i (or j), size, common, largest: one row per entity

The engine joins and counts everything, and only adds whole numbers. It returns the table grouped by sizes (`Groups`).
The length of this table depends on how many different sizes there are, not on the number of entities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..corpus.model import Corpus, Document, IntArray, file_stem
from ..errors import PLACES, InputError, Issue, UsageError
from ..formats.shared.repairs import repairing
from ..matching.documents import Pairing, pair
from ..matching.suspicions import CONVENTIONS, more_without_blanks, no_singletons, same_path, sampled_key, swapped
from ..metrics.contingency import Array
from ..options import Options
from .grouped import CELLS, ENTITIES, Groups, Rows
from .solving import Similarity

SIDES = ("key", "response")
BLANKS = "".join(character for character in map(chr, range(0x3001)) if character.isspace())


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
class TableSide:
    """A table of mentions as an engine has opened it: its rows are in the view `<role>_rows`.

    source      its name in messages
    kinds       the types of the columns doc (if there is one), mention and entity: `integer` or `text`
    ordered     whether there is a column `place` that orders the rows
    files       the files with rows, if there are several: a column `stem` names the file of each row
    by_file     whether no file has a column of documents
    nameless    the files with rows that have no column of documents
    marked      whether there is a column `marked` for mentions that refer to nothing
    spellings   types of columns, such as dates, whose values are compared as text that the engine makes from them
    issues      about the files
    """

    role: str
    source: str
    kinds: Mapping[str, str]
    ordered: bool
    files: tuple[str, ...] | None = None
    by_file: bool = False
    nameless: tuple[str, ...] = ()
    marked: bool = False
    spellings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()

    @property
    def has_documents(self) -> bool:
        """Whether the rows have a document, in a column or by their file. Otherwise all are one document."""
        return "doc" in self.kinds or self.files is not None


@dataclass(frozen=True, eq=False)
class Related:
    """Two matched tables: the views of the mentions of both sides, and the table `cells`, are in the engine."""

    engine: Engine
    pairing: Pairing
    options: Options
    issues: tuple[Issue, ...]

    def groups(self, cells: str) -> Groups:
        """A table of cells, grouped by sizes; `entities` must have run before."""
        columns = self.engine.fetch(
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
        return Groups(_sorted(columns, CELLS), keys, responses, self.pairing.blocks)


def relate(engine: Engine, key: TableSide, response: TableSide, options: Options) -> tuple[Related, Groups, Groups]:
    """Match the mentions of two tables: the match, the table of all mentions, and the table for coreference.

    The second table lacks the singletons that the options drop. Mention detection is counted on the first.
    """
    sides = (key, response)
    issues = [*key.issues, *response.issues]
    nameless = [_check_filled(engine, side) for side in sides]
    _type(engine, key, response, as_text=any(nameless))
    pairing, notes = _place(engine, key, response, options)
    issues += notes
    for side in sides:
        issues += _nonreferring(engine, side, options)
    for side in sides:
        issues += _once(engine, side, options)
        _without_singletons(engine, side.role, options)
    issues += _confined(engine, options)
    engine.define(
        "cells",
        """SELECT COALESCE(k.block, r.block) AS block, k.entity AS i, r.entity AS j, COUNT(*) AS n
        FROM key_mentions k FULL OUTER JOIN response_mentions r ON k.pair = r.pair AND k.mention = r.mention
        GROUP BY COALESCE(k.block, r.block), k.entity, r.entity""",
    )
    related = Related(engine, pairing, options, ())
    entities(engine, "cells")
    whole = related.groups("cells")
    issues += _checked(engine, sides, whole, options)
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


def _check_filled(engine: Engine, side: TableSide) -> bool:
    """Check that every row has a mention and an entity, as for a table that is read into memory.

    Returns whether some row has no document, although there is a column for it.
    """
    empty = [f"{c} IS NULL" + (f" OR {_is_blank(c)}" if side.kinds[c] == "text" else "") for c in ("mention", "entity")]
    bad = " OR ".join(empty)
    nameless = "COUNT(CASE WHEN doc IS NULL THEN 1 END)" if "doc" in side.kinds else "0"
    rows = f"{side.role}_rows"
    answer = engine.fetch(
        f"SELECT COUNT(*) AS total, COUNT(CASE WHEN {bad} THEN 1 END) AS bad, {nameless} AS nameless FROM {rows}"
    )
    if not int(answer["total"][0]):
        raise InputError("the table has no rows", file=side.source)
    if count := int(answer["bad"][0]):
        if repairing():
            raise UsageError(f"{side.source}: --repair leaves out rows only with --engine memory")
        shown = ["doc", "mention", "entity"] if "doc" in side.kinds else ["mention", "entity"]
        cast = ", ".join(f"CAST({c} AS STRING) AS {c}" for c in shown)
        first = engine.fetch(f"SELECT {cast} FROM {rows} WHERE {bad} ORDER BY {', '.join(shown)} LIMIT {PLACES}")
        examples = "; ".join(_spelled({c: first[c][row] for c in shown}) for row in range(len(first["entity"])))
        many = f"{count} rows with an" if count > 1 else "a row with an"
        raise InputError(f"{many} empty mention or entity: {examples}", file=side.source, code="syntax")
    return bool(int(answer["nameless"][0]))


def _bare(column: str) -> str:
    """Text without the blanks at its ends, as Python's strip() removes them. This is slow."""
    return f"TRIM(BOTH '{BLANKS}' FROM {column})"


def _is_blank(column: str) -> str:
    """Whether a text is empty or has only blanks. Most texts begin with a character of ASCII, and have not."""
    return f"CASE WHEN {column} >= '!' AND {column} <= '~' THEN FALSE ELSE {_bare(column)} = '' END"


def _is_padded(column: str) -> str:
    """Whether a text begins or ends with a blank. Most texts begin and end with a character of ASCII, and do not."""
    inside = f"{column} >= '!' AND {column} <= '~' AND RIGHT({column}, 1) >= '!' AND RIGHT({column}, 1) <= '~'"
    return f"CASE WHEN {inside} THEN FALSE ELSE {column} <> {_bare(column)} END"


def _spelled(row: Mapping[str, object]) -> str:
    """A row of the table for a message."""
    return ", ".join(f"{name} {'(empty)' if value is None else repr(str(value))}" for name, value in row.items())


def _type(engine: Engine, key: TableSide, response: TableSide, as_text: bool) -> None:
    """The views with comparable columns: numbers are compared with numbers, everything else as text.

    A row without a document has the name of its file, if there are several files. `as_text`: there are such rows.
    """
    sides = (key, response)
    _check_spellings(key, response)
    numbers = not as_text and all(side.kinds.get("doc") == "integer" for side in sides)
    mixed = key.kinds["mention"] != response.kinds["mention"]
    for side in sides:
        columns = ["entity AS entity", *(["place AS place"] if side.ordered else [])]
        if side.marked:
            columns.append("marked AS marked")
        if side.has_documents:
            columns.append(f"{'doc' if numbers else _name_of_document(side)} AS doc")
        columns.append("CAST(mention AS STRING) AS mention" if mixed else "mention AS mention")
        engine.view(f"{side.role}_typed", f"SELECT {', '.join(columns)} FROM {side.role}_rows")


def _check_spellings(key: TableSide, response: TableSide) -> None:
    """Check that values such as dates are compared only with values of the same type: others may be spelled otherwise
    in memory."""
    for column in ("doc", "mention"):
        types = key.spellings.get(column, frozenset()) | response.spellings.get(column, frozenset())
        if types and key.spellings.get(column) != response.spellings.get(column):
            shown = ", ".join(sorted(types))[:60]
            raise UsageError(f"the column of {column} is {shown} on one side only: this needs --engine memory")


def _name_of_document(side: TableSide) -> str:
    """The document of a row as text. An empty name falls back to that of the file, if there are several."""
    if "doc" not in side.kinds:
        return "stem"
    name = "CAST(doc AS STRING)"
    return f"COALESCE({name}, '')" if side.files is None else f"COALESCE(NULLIF({name}, ''), stem)"


def _place(engine: Engine, key: TableSide, response: TableSide, options: Options) -> tuple[Pairing, list[Issue]]:
    """Pair the documents by the same rules as in memory, and give each mention its pair and block."""
    corpora = []
    for side in (key, response):
        documents = [Document("", file=side.source)]
        if side.has_documents:
            first = "MIN(place)" if side.ordered else "MIN(doc)"
            engine.define(
                f"{side.role}_documents",
                f"""SELECT doc, ROW_NUMBER() OVER (ORDER BY opening, doc) - 1 AS number
                FROM (SELECT doc, {first} AS opening FROM {side.role}_typed GROUP BY doc) documents""",
            )
            names = engine.fetch(f"SELECT CAST(doc AS STRING) AS doc FROM {side.role}_documents ORDER BY number")
            documents = [Document(str(name), file=side.source) for name in names["doc"]]
        corpora.append(_corpus(side, [*documents, *_same_stems(side)]))
    pairing, issues = pair(corpora[0], corpora[1], options)
    apart = options.ids == "local" and pairing.blocks < len(pairing.documents)
    for side, rows in zip((key, response), (pairing.key_row, pairing.response_row), strict=True):
        here, block, source = "p.pair", "p.block", f"{side.role}_typed t"
        if not side.has_documents:  # one document, which is paired, or `pair` would have refused it
            here, block = str(int(rows[0])), str(int(pairing.block[rows[0]]))
        else:
            number = np.flatnonzero(rows >= 0)
            places = {"number": number, "pair": rows[number], "block": pairing.block[rows[number]]}
            engine.register(f"{side.role}_pairs", places)
            engine.define(
                f"{side.role}_places",
                f"""SELECT d.doc AS doc, p.pair AS pair, p.block AS block
                FROM {side.role}_documents d JOIN {side.role}_pairs p ON d.number = p.number""",
            )
            source += f" JOIN {side.role}_places p ON t.doc = p.doc"
        entity = f"CONCAT(CAST({here} AS STRING), ' ', CAST(t.entity AS STRING))" if apart else "t.entity"
        others = ["mention", *(["place"] if side.ordered else []), *(["marked"] if side.marked else [])]
        columns = [f"{here} AS pair", f"{block} AS block", f"{entity} AS entity", *(f"t.{c} AS {c}" for c in others)]
        engine.view(f"{side.role}_placed", f"SELECT {', '.join(columns)} FROM {source}")
    return pairing, issues


def _same_stems(side: TableSide) -> list[Document]:
    """Files without a column of documents that have the name of another one: `pair` refuses them as in memory."""
    stems = Counter(file_stem(file) for file in side.nameless)
    return [Document(file_stem(file), file=file) for file in side.nameless if stems[file_stem(file)] > 1][1:]


def _corpus(side: TableSide, documents: list[Document]) -> Corpus:
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
        by_file=side.by_file,
    )


def _nonreferring(engine: Engine, side: TableSide, options: Options) -> Iterator[Issue]:
    """A note on mentions that are marked as referring to nothing, as in memory. To leave them out needs memory."""
    if not side.marked:
        return
    marked = engine.fetch(f"SELECT COUNT(*) AS marked FROM {side.role}_placed WHERE marked")
    if not (count := int(marked["marked"][0])):
        return
    if "nonreferring" in options.without:
        raise UsageError(
            f"{side.source}: --without nonreferring needs --engine memory, because some mentions are marked"
        )
    message = f"{count} non-referring expression{'' if count == 1 else 's'} of the {side.role} counted as mentions"
    hint = "--without nonreferring, or --protocol ua, leaves them out"
    yield Issue(f"non-referring-{side.role}", f"{message}: {hint}", count)


def _once(engine: Engine, side: TableSide, options: Options) -> Iterator[Issue]:
    """The view of the mentions of a side, each once. The policy decides about repetitions, and they are reported."""
    role, placed = side.role, f"{side.role}_placed"
    engine.define(
        f"{role}_repeated",
        f"""SELECT pair, mention, COUNT(*) AS times, MIN(entity) AS low, MAX(entity) AS high
        FROM {placed} GROUP BY pair, mention HAVING COUNT(*) > 1""",
    )
    answer = engine.fetch(
        f"""SELECT COALESCE(CAST(SUM(times - 1) AS BIGINT), 0) AS extra, COUNT(CASE WHEN low <> high THEN 1 END) AS odd
        FROM {role}_repeated"""
    )
    extra, odd = int(answer["extra"][0]), int(answer["odd"][0])
    if not extra:
        engine.view(f"{role}_once", f"SELECT pair, block, mention, entity FROM {placed}")
        return
    policy = options.duplicates
    first = engine.fetch(
        f"""SELECT pair, CAST(mention AS STRING) AS mention, CAST(low AS STRING) AS low, CAST(high AS STRING) AS high
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
        f"{role}_once",
        f"""SELECT s.pair AS pair, s.block AS block, s.mention AS mention, s.entity AS entity
        FROM {placed} s LEFT JOIN {role}_repeated d ON s.pair = d.pair AND s.mention = d.mention WHERE d.pair IS NULL
        UNION ALL SELECT s.pair, MIN(s.block), s.mention, {choice}
        FROM {placed} s JOIN {role}_repeated d ON s.pair = d.pair AND s.mention = d.mention
        GROUP BY s.pair, s.mention""",
    )
    places = tuple(
        f"{side.source}: mention {mention}" + (f" in {low} and {high}" if low != high else f", twice in {low}")
        for mention, low, high in zip(
            first["mention"], _own_names(first, "low", options), _own_names(first, "high", options), strict=True
        )
    )
    yield Issue(
        f"duplicates-{role}", f"{many} in the {role}: repetitions left out (--duplicates {policy})", extra, places
    )


def _own_names(rows: Mapping[str, Array], column: str, options: Options) -> list[str]:
    """Names of entities without the number of the document that `--ids local` puts before them."""
    local = options.ids == "local"
    return [
        str(name).removeprefix(f"{pair} ") if local else str(name)
        for pair, name in zip(rows["pair"], rows[column], strict=True)
    ]


def _without_singletons(engine: Engine, role: str, options: Options) -> None:
    """The view of the mentions that count. Under `drop-before` an entity with one mention is gone on its side."""
    if options.singletons != "drop-before":
        engine.view(f"{role}_mentions", f"SELECT pair, block, mention, entity FROM {role}_once")
        return
    engine.view(
        f"{role}_mentions",
        f"""SELECT o.pair AS pair, o.block AS block, o.mention AS mention, o.entity AS entity FROM {role}_once o
        JOIN (SELECT block, entity FROM {role}_once GROUP BY block, entity HAVING COUNT(*) > 1) e
        ON o.block = e.block AND o.entity = e.entity""",
    )


def _confined(engine: Engine, options: Options) -> list[Issue]:
    """A note if a wider scope changes little because no entity has mentions in two documents."""
    if options.scope == "document":
        return []
    for role in SIDES:
        wide = engine.fetch(
            f"""SELECT COUNT(*) AS wide FROM (SELECT block, entity FROM {role}_mentions
            GROUP BY block, entity HAVING MIN(pair) <> MAX(pair)) wide"""
        )
        if int(wide["wide"][0]):
            return []
    message = f"no entity of either side has mentions in two documents, so --scope {options.scope} changes little"
    return [Issue("scope", message)]


def _checked(engine: Engine, sides: tuple[TableSide, TableSide], whole: Groups, options: Options) -> list[Issue]:
    """Report empty sides, sides that share no mention, and likely mistakes, as in memory."""
    key, response = sides
    entities_of = (whole.keys, whole.responses)
    totals = [int((entities["size"] * entities["weight"]).sum()) for entities in entities_of]
    singles = [int(entities["weight"][entities["size"] == 1].sum()) for entities in entities_of]
    issues = [
        Issue(f"empty-{side.role}", f"the {side.role} has no mentions left after --singletons {options.singletons}")
        for side, total in zip(sides, totals, strict=True)
        if not total
    ]
    suspected = [
        *swapped(_corpus(key, []), _corpus(response, [])),
        *same_path(key.source, response.source),
        *more_without_blanks(_more_without_blanks(engine, sides)),
        *no_singletons((singles[0], totals[0]), (singles[1], totals[1])),
        *sampled_key(totals[0], totals[1], int((whole.cells["n"] * whole.cells["weight"]).sum())),
    ]
    if not len(whole.cells["n"]):
        if _has_common_at_first(engine):
            left = "no mention in common is left after the options, so every mention is twinless"
            issues += [] if issues else [Issue("none-left", left)]
        else:
            issues.append(_nothing_in_common(engine, response, suspected, options))
    return issues + suspected


def _has_common_at_first(engine: Engine) -> bool:
    """Whether both sides have a mention in common, before singletons are left out."""
    found = engine.fetch(
        "SELECT COUNT(*) AS common FROM key_once k JOIN response_once r ON k.pair = r.pair AND k.mention = r.mention"
    )
    return bool(int(found["common"][0]))


def _nothing_in_common(engine: Engine, response: TableSide, suspected: list[Issue], options: Options) -> Issue:
    """The message about sides that share no mention, or an error, unless the options say that it scores."""
    ours, theirs = (int(engine.fetch(f"SELECT COUNT(*) AS n FROM {role}_placed")["n"][0]) for role in SIDES)
    none = f"no mention in common: none of {theirs} response mentions is among {ours} key mentions"
    if options.no_common == "score":
        return Issue("twinless", f"{none}: every mention is twinless")
    wrong = "; ".join(issue.message for issue in suspected if issue.code not in CONVENTIONS)
    hint = wrong or "are these the same documents, with mentions named alike?"
    raise InputError(none, file=response.source, hint=f"{hint}; --no-common score scores it as 0")


def _more_without_blanks(engine: Engine, sides: tuple[TableSide, TableSide]) -> int:
    """How many more mentions both sides would have without the blanks at the ends of names."""
    texts = [side.role for side in sides if side.kinds["mention"] == "text"]
    padded = (
        engine.fetch(f"SELECT COUNT(*) AS padded FROM {role}_placed WHERE {_is_padded('mention')}") for role in texts
    )
    if not any(int(answer["padded"][0]) for answer in padded):
        return 0
    common = []
    for name in ("mention", _bare("mention")):
        key, response = (
            f"(SELECT DISTINCT pair, CAST({name} AS STRING) AS mention FROM {role}_placed)" for role in SIDES
        )
        answer = engine.fetch(
            f"SELECT COUNT(*) AS n FROM {key} k JOIN {response} r ON k.pair = r.pair AND k.mention = r.mention"
        )
        common.append(int(answer["n"][0]))
    return common[1] - common[0]
