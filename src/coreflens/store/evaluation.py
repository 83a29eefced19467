"""The evaluation of a response as rows: matched mentions, scores by document, errors and their prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..database.schema import OF_A_RESPONSE
from ..database.sides import document_ids, side_corpus
from ..diagnosis import Diagnosis, diagnosed
from ..errors import InputError, Issue
from ..matching.matched import Matched
from ..matching.matchers import BY
from ..scoring.result import Result
from ..scoring.scorer import Scorer
from ..scoring.scores import Scores, is_number
from .columns import arrow, optional

if TYPE_CHECKING:
    import pyarrow
    from duckdb import DuckDBPyConnection


def forget(connection: DuckDBPyConnection, response: str) -> None:
    """Remove the evaluation of a response, because the response or its key is about to change."""
    for table in OF_A_RESPONSE:
        connection.execute(f'DELETE FROM "{table}" WHERE response = ?', [response])
    connection.execute("UPDATE side SET signature = NULL WHERE name = ?", [response])


def evaluate(connection: DuckDBPyConnection, path: str, response: str, settings: dict[str, Any]) -> tuple[Issue, ...]:
    """Match, score and diagnose a response, in one transaction. What can't be compared is reported and left out."""
    (key,) = connection.execute("SELECT key FROM side WHERE name = ?", [response]).fetchone() or ("",)
    corpora = [side_corpus(connection, path, name) for name in (key, response)]
    ids = [document_ids(connection, name) for name in (key, response)]
    try:
        scorer = Scorer(corpora[0], **settings)
        matched = scorer.match(corpora[1])
        result = scorer.result(matched)
        found = diagnosed(matched, scorer.metrics)
        tables = {
            "alignment": _alignment(matched, response, ids),
            "score": _scores(result, matched, response, ids),
            "error": _errors(found, response, ids),
        }
    except InputError as error:
        return (Issue("unscored", f"'{response}' can't be scored against '{key}': {error.message}"),)
    connection.execute("BEGIN")
    forget(connection, response)
    for name, rows in tables.items():  # DuckDB finds `rows` by the name of the variable
        if rows is not None and len(rows):
            connection.execute(f'INSERT INTO "{name}" SELECT * FROM rows')
    connection.execute("UPDATE side SET signature = ? WHERE name = ?", [str(result.signature), response])
    connection.execute("COMMIT")
    return ()


def _documents(matched: Matched, ids: list[IntArray]) -> IntArray:
    """The number in the database for each pair of documents: the key's, or the response's if the key lacks it."""
    pairing = matched.pairing
    found = np.full(len(pairing.documents), -1, dtype=np.int64)
    for rows, numbers in ((pairing.response_row, ids[1]), (pairing.key_row, ids[0])):
        here = np.flatnonzero(rows[: len(numbers)] >= 0)
        found[rows[here]] = numbers[here]
    return found


def _within(corpus: Corpus, row: IntArray) -> IntArray:
    """Numbers of mentions within their documents, −1 for none."""
    if not len(corpus):
        return np.full(len(row), -1, dtype=np.int64)
    return np.where(row >= 0, row - corpus.bounds[corpus.doc[row]], -1)


def _alignment(matched: Matched, response: str, ids: list[IntArray]) -> pyarrow.Table:
    alignment, pairing = matched.alignment, matched.pairing
    rows = alignment.key_rows, alignment.response_rows
    origins = [
        np.where(r >= 0, side.origin[r] if len(side.origin) else -1, -1)
        for r, side in zip(rows, alignment.sides, strict=True)
    ]
    key, other = matched.key, matched.response
    pair = np.where(
        origins[0] >= 0,
        pairing.key_row[key.doc[origins[0]]] if len(key) else -1,
        pairing.response_row[other.doc[origins[1]]] if len(other) else -1,
    )
    ways = alignment.matching.by.astype(np.int64)  # bytes can't hold -1
    by = np.where(rows[1] >= 0, ways[rows[1]] if len(ways) else -1, -1)
    met = (rows[0] >= 0) & (rows[1] >= 0)
    return arrow(
        "alignment",
        {
            "response": [response] * len(pair),
            "document": _documents(matched, ids)[pair],
            "key_row": optional(_within(key, origins[0])),
            "response_document": optional(
                np.where(origins[1] >= 0, ids[1][other.doc[origins[1]]] if len(other) else -1, -1)
            ),
            "response_row": optional(_within(other, origins[1])),
            "by": [BY[b] if m else None for b, m in zip(by.tolist(), met.tolist(), strict=True)],
        },
    )


def _scores(result: Result, matched: Matched, response: str, ids: list[IntArray]) -> pyarrow.Table:
    numbers = _documents(matched, ids).tolist()
    groups: list[tuple[int | None, Scores]] = [(None, result)]
    groups += list(zip(numbers, result.by_document().values(), strict=True))
    columns: dict[str, list[Any]] = {name: [] for name in ("response", "document", "metric", "counts")}
    values = ("recall", "precision", "f1", "value")
    columns |= {value: [] for value in values}
    for document, scores in groups:
        for metric, score in scores.items():
            columns["response"].append(response)
            columns["document"].append(document)
            columns["metric"].append(metric)
            columns["counts"].append([(name, float(n)) for name, n in score.counts.items() if is_number(n)])
            for value in values:
                number = getattr(score, value)
                columns[value].append(float(number) if number is not None and is_number(number) else None)
    return arrow("score", columns)


def _errors(found: Diagnosis, response: str, ids: list[IntArray]) -> pyarrow.Table | None:
    errors = found.errors()
    if not errors:
        return None
    evidence = found.evidence
    lead = found.found.lead
    origin = {side: evidence.origin(side)[lead] for side in ("key", "response")}
    names = evidence.names
    turns = [0] * len(errors)
    for identity, number in found.identities.items():
        turns[number] = int(identity[-1])  # type: ignore[call-overload]
    spans = names is None
    return arrow(
        "error",
        {
            "response": [response] * len(errors),
            "document": _documents(evidence.matched, ids)[evidence.row[lead]],
            "number": [error.number for error in errors],
            "kind": [error.kind for error in errors],
            "turn": turns,
            **({"start": optional(evidence.start[lead]), "end": optional(evidence.end[lead])} if spans else {}),
            **({} if names is None else {"mention": [str(names[row]) for row in lead.tolist()]}),
            "key_row": optional(_within(evidence.key, origin["key"])),
            "response_row": optional(_within(evidence.response, origin["response"])),
            "mentions": [len(error.mentions) for error in errors],
            **{
                name: [getattr(error, name) or None for error in errors]
                for name in ("text", "entity", "of", "context", "place")
            },
            **{
                name: [error.features[name] for error in errors]
                for name in ("type", "length", "size", "distance", "position", "speaker")
            },
            "price": found.gains,
        },
    )
