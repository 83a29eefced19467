"""Random tables of mentions and options, to compare engines: what one scores, the others score alike or refuse.

python tests/support/engine_cases.py 2000          compares memory with DuckDB on so many cases
python tests/support/engine_cases.py 30 spark 500  with Spark, from case 500 on
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import coreflens as cl
from coreflens.engines.scored import MEMORY_ONLY
from coreflens.metrics import METRICS, Metric
from coreflens.scoring.settings import EngineName

Cells = Sequence[str]
SETS = (
    "mentions,muc,bcub,ceafe,ceafm,lea,blanc",
    "conll",
    "bcub-sys,ceafe-sys,ceafm-sys",
    "muc,pairs,bcub-all,singletons",
    "mela",
    ",".join(
        name
        for name, metric in METRICS.items()
        if name not in MEMORY_ONLY and not (isinstance(metric, Metric) and metric.equal_mentions)
    ),
)
# Names that only some readers take for the same: leading zeros, blanks, marks, cases, signs, accents.
ODD_NAMES: tuple[str, ...] = (
    "1",
    "01",
    "1.0",
    " 1",
    "1 ",
    "m",
    "M",
    "a,b",
    'a"b',
    "x\ny",
    "é",
    "e\u0301",
    "NULL",
    "nan",
    "null",
    "-1",
    "#1",
)
ODD_NAMES += ("\u00a0m", "true", "True", "a'b", "a\\b", "1e3", "2020-01-01", "[x]", "{y}", "%s", "a\tb")
BAD_NAMES = ("", " ", "\t", "\u00a0")
STEMS = ("a", "b", "c d", "e.f", "d1", "d2", "part-00000", "part-00001", "données")


@dataclass
class Side:
    """Files by their names, each with its header and rows; one file may stand alone."""

    files: dict[str, tuple[Cells, list[Cells]]]
    alone: bool
    kind: str
    odd: bool = False  # numbers that are not text, in Parquet and JSON
    junk: bool = False  # a file that is not a table lies beside the others


@dataclass
class Case:
    key: Side
    response: Side
    settings: dict[str, Any] = field(default_factory=dict)


def random_case(seed: int) -> Case:
    rng = random.Random(seed)
    universe = _names(rng)
    documents = rng.sample(["d1", "d2", "d3", "a", "b", "part-00000"], rng.choice([1, 1, 2, 3]))
    with_documents = rng.random() < 0.65
    alone = rng.random() < 0.5
    kind = rng.choice(["csv", "csv", "tsv", "json", "jsonl", "parquet", "parquet", "csv.gz"])
    sides = []
    stems = rng.sample(STEMS, rng.choice([1, 2, 2, 3]))
    for role in range(2):
        one = alone if rng.random() < 0.95 else not alone
        has_documents = with_documents if rng.random() < 0.95 else not with_documents
        own = kind if rng.random() < 0.8 else rng.choice(["csv", "json", "parquet"])
        names = stems if rng.random() < 0.85 else rng.sample(STEMS, rng.choice([1, 2]))
        rows = _rows(rng, universe, documents if has_documents else [""], role)
        sides.append(_side(rng, rows, names, one, own, has_documents))
    return Case(sides[0], sides[1], _settings(rng))


def _names(rng: random.Random) -> list[str]:
    number = rng.choice([2, 4, 8, 15])
    plain = [str(n) for n in range(number)] if rng.random() < 0.5 else [f"m{n}" for n in range(number)]
    odd = rng.sample(ODD_NAMES, rng.choice([0, 0, 1, 3]))
    bad = [rng.choice(BAD_NAMES)] if rng.random() < 0.04 else []
    return [*plain, *odd, *bad]


def _rows(rng: random.Random, universe: list[str], documents: list[str], role: int) -> list[Cells]:
    """Rows doc, mention, entity, in any order; some mentions are repeated, in the same entity or another."""
    entities = [str(n) for n in range(rng.choice([1, 2, 4, 8]))]
    if rng.random() < 0.3:
        entities = [rng.choice("exyz") + entity for entity in entities]
    if rng.random() < 0.15:
        entities += rng.sample(ODD_NAMES, 2)
    shift = "other " if rng.random() < 0.05 and role else ""
    repeated = rng.choice([0, 0, 0.2, 0.5])
    rows: list[Cells] = []
    for document in documents:
        document = document if rng.random() < 0.97 else rng.choice(["", "extra", " d1"])
        for name in universe:
            times = (rng.random() < 0.8) + (rng.random() < repeated) + (rng.random() < repeated / 3)
            rows += [(document, shift + name, rng.choice(entities)) for _ in range(times)]
    if rng.random() < 0.3:
        rng.shuffle(rows)
    if rng.random() < 0.1 and role:  # singletons only
        rows = [(d, m, f"s{n}") for n, (d, m, _) in enumerate(rows)]
    return rows or [(documents[0], universe[0], entities[0])]


def _side(rng: random.Random, rows: list[Cells], stems: list[str], alone: bool, kind: str, has_documents: bool) -> Side:
    headers: list[Cells] = [
        ("doc", "mention", "entity"),
        ("document_id", "record_id", "cluster_id"),
        ("Doc", "ID", "Label"),
    ]
    headers += [("entity", "mention", "doc"), ("doc", "mention", "entity", "note", "referring")]
    header = headers[0] if rng.random() < 0.6 else rng.choice(headers)
    order = _order(header)
    if alone:
        stems = stems[:1]
    files: dict[str, tuple[Cells, list[Cells]]] = {}
    spread = rng.random() < 0.5  # a document in several files
    for place, stem in enumerate(stems):
        chosen = [
            row
            for n, row in enumerate(rows)
            if (n % len(stems) if spread or not has_documents else hash_of(row[0]) % len(stems)) == place
        ]
        here = header if rng.random() < 0.9 or alone else rng.choice(headers[:3])
        table = [_widened(rng, row, here, _order(here) if here is not header else order) for row in chosen]
        drop = None if has_documents else _order(here).index(0)
        kept = [c for c in range(len(here)) if c != drop]
        folder = rng.choice(["", "", "", "sub/"]) if not alone else ""
        files[folder + stem] = [here[c] for c in kept], [[row[c] for c in kept] for row in table]
    return Side(files, alone, kind, rng.random() < 0.3, rng.random() < 0.1)


def hash_of(text: str) -> int:
    return sum(text.encode())


def _order(header: Cells) -> list[int]:
    """Which of doc, mention, entity each column is; 3 is a note, 4 a mark."""
    meant = {
        "doc": 0,
        "document_id": 0,
        "mention": 1,
        "record_id": 1,
        "id": 1,
        "entity": 2,
        "cluster_id": 2,
        "label": 2,
    }
    return [{**meant, "note": 3, "referring": 4}[name.lower()] for name in header]


def _widened(rng: random.Random, row: Cells, header: Cells, order: list[int]) -> list[str]:
    cells = [*row, rng.choice(["", "x", 'say "x"', "a, b"]), rng.choice(["", "no", "yes"])]
    return [cells[place] for place in order]


def _settings(rng: random.Random) -> dict[str, Any]:
    settings: dict[str, Any] = {"metrics": rng.choice(SETS), "exact": rng.random() < 0.3}
    for name, values in {
        "duplicates": ("first", "last", "error", "perl"),
        "singletons": ("keep", "drop", "drop-response", "drop-before", "drop-before", "e2e"),
        "scope": ("document", "corpus"),
        "extra": ("error", "ignore", "count", "count"),
        "average": ("micro", "macro"),
        "undefined": ("zero", "nan", "popescu-belis"),
        "blanc": ("luo2014", "perl", "ua"),
        "mean": ("harmonic", "arithmetic"),
        "no_common": ("judge", "score", "score", "refuse"),
        "without": ("none", "nonreferring"),
    }.items():
        if rng.random() < 0.3:
            settings[name] = rng.choice(values)
    if "blanc" not in settings["metrics"].split(","):
        settings.pop("blanc", None)  # it would have no effect
    if settings.get("scope") == "corpus":
        settings["ids"] = rng.choice(["check", "local", "global"])
    if rng.random() < 0.25:
        settings["columns"] = rng.choice(["doc=", "doc=", "doc=doc", "mention=mention", "entity=entity"])
    return settings


# ------------------------------------------------------------------------------------------------------------ files


def write(side: Side, folder: Path) -> str:
    """The files of a side below a folder; the path that is scored."""
    folder.mkdir(parents=True)
    for name, (header, rows) in side.files.items():
        path = folder / f"{name}.{side.kind}"
        path.parent.mkdir(exist_ok=True)
        _WRITERS[side.kind](path, header, rows, side.odd)
    if side.alone:
        return str(path)
    if side.junk:
        (folder / "README.txt").write_text("Nothing to see here.\n", "utf-8")
        (folder / "_SUCCESS").write_text("", "utf-8")
    return str(folder)


def _as_csv(header: Cells, rows: list[Cells], delimiter: str, odd: bool) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n" if odd else "\n")
    writer.writerows([header, *rows])
    return ("\ufeff" if odd and len(rows) % 2 else "") + out.getvalue()


def _write_csv(path: Path, header: Cells, rows: list[Cells], odd: bool) -> None:
    path.write_bytes(_as_csv(header, rows, ",", odd).encode())


def _write_tsv(path: Path, header: Cells, rows: list[Cells], odd: bool) -> None:
    path.write_bytes(_as_csv(header, rows, "\t", odd).encode())


def _write_gzip(path: Path, header: Cells, rows: list[Cells], odd: bool) -> None:
    path.write_bytes(gzip.compress(_as_csv(header, rows, ",", odd).encode()))


def _records(header: Cells, rows: list[Cells], odd: bool) -> list[dict[str, Any]]:
    return [
        {name: _value(cell, odd) for name, cell in zip(header, row, strict=True) if cell or not odd} for row in rows
    ]


def _value(cell: str, odd: bool) -> Any:
    plain = cell.isascii() and cell.isdecimal() and str(int(cell)) == cell
    return (int(cell) if plain else cell) if odd else cell


def _write_json(path: Path, header: Cells, rows: list[Cells], odd: bool) -> None:
    path.write_text(json.dumps(_records(header, rows, odd), ensure_ascii=odd), "utf-8")


def _write_jsonl(path: Path, header: Cells, rows: list[Cells], odd: bool) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in _records(header, rows, odd)), "utf-8")


def _write_parquet(path: Path, header: Cells, rows: list[Cells], odd: bool) -> None:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    columns: dict[str, Any] = {}
    for place, name in enumerate(header):
        cells = [row[place] for row in rows]
        values = [None if odd and not cell else _value(cell, odd) for cell in cells]
        numbers = all(value is None or isinstance(value, int) for value in values) and any(map(bool, cells))
        columns[name] = pa.array(
            values if numbers else [None if odd and not c else c for c in cells], pa.int64() if numbers else pa.string()
        )
    write_table(pa.table(columns), path)


_WRITERS = {
    "csv": _write_csv,
    "tsv": _write_tsv,
    "csv.gz": _write_gzip,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
}

# -------------------------------------------------------------------------------------------------------- comparison


@dataclass
class Outcome:
    """What an engine did: a result, or an error."""

    error: cl.CoreflensError | None = None
    values: Any = None
    labels: list[str] = field(default_factory=list)
    scores: Any = None
    issues: list[tuple[str, str, int]] = field(default_factory=list)


def outcome(paths: tuple[str, str], settings: dict[str, Any], engine: EngineName) -> Outcome:
    try:
        result = cl.score(*paths, engine=engine, **settings)
    except cl.CoreflensError as error:
        return Outcome(error)
    told = [i for i in result.issues if i.code != "left-out-metrics"]
    # Memory says why a side scores 0: an engine has no words to compare.
    issues = [(i.code, i.message, i.count) for i in told]
    labels = [*map(str, result.counts.labels), *(d.label for d in result.counts.documents)]
    return Outcome(None, result.counts.values.tolist(), labels, result.to_dict()["scores"], issues)


class Compared(NamedTuple):
    """How an engine differs from memory, and what was done: `scored`, `refused` or `wrong input`."""

    how: str
    difference: str = ""


def compare(case: Case, folder: Path, engine: EngineName) -> Compared:
    """Score a case in memory and by an engine. A usage error of the engine is no difference."""
    paths = write(case.key, folder / "k"), write(case.response, folder / "r")
    ours, theirs = outcome(paths, case.settings, "memory"), outcome(paths, case.settings, engine)
    if isinstance(theirs.error, cl.UsageError):
        return Compared("refused")
    if ours.error and theirs.error and isinstance(ours.error, cl.InputError):
        return Compared("wrong input")
    if ours.error or theirs.error:
        return Compared("different", f"memory: {ours.error or 'scores'}; {engine}: {theirs.error or 'scores'}")
    if ours.labels != theirs.labels:
        return Compared("different", f"names {ours.labels} and {theirs.labels}")
    if not _close(ours.values, theirs.values) or repr_of(ours.scores) != repr_of(theirs.scores):
        return Compared("different", f"numbers {ours.values} and {theirs.values}")
    if ours.issues != theirs.issues:
        return Compared("different", f"notes {ours.issues} and {theirs.issues}")
    return Compared("scored")


def _close(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(_close, ours, theirs))
    return bool(ours == theirs or (ours != ours and theirs != theirs) or abs(ours - theirs) <= 1e-9 * abs(ours))


def repr_of(scores: Any) -> Any:
    """Scores without the last bits of floats, which depend on the order of sums."""
    if isinstance(scores, dict):
        return {name: repr_of(value) for name, value in scores.items()}
    return round(float(scores), 9) if isinstance(scores, (int, float)) else repr(scores)


def main(number: int, engine: EngineName = "duckdb", first: int = 0) -> None:
    """Compare so many cases, and write the differences."""
    found = Counter[str]()
    for seed in range(first, first + number):
        case = random_case(seed)
        with tempfile.TemporaryDirectory() as folder:
            compared = compare(case, Path(folder), engine)
        found[compared.how] += 1
        if compared.difference:
            sys.stdout.write(f"{seed}: {case.settings}\n    {compared.difference[:1500]}\n")
    sys.stdout.write(f"{number} cases: {dict(found)}\n")


if __name__ == "__main__":
    given = [*sys.argv[1:], "duckdb", "0"]
    main(int(given[0]), "spark" if given[1] == "spark" else "duckdb", int(given[2]) if len(sys.argv) > 3 else 0)
