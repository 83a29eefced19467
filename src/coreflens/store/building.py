"""Build a database from files, and change it: add, replace, remove.

`build` writes to `OUT.duckdb.building`, a file next to its target, which replaces the target at the end. Files are
loaded in batches, each of which is one transaction, so an interrupted build leaves a sound file, and the same command
continues from there. The other commands change a copy, `FILE.duckdb.changing`, which replaces the database at the end.
The scores and errors of a response depend on several documents. They are removed before the first change and computed
again after the last. The last step marks every side that has changed as complete.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import __version__
from ..database.connection import changing, create, info, is_database, set_info, writing
from ..database.copies import discard, locked, replace_by, settle, working_file
from ..database.marks import mark, unmark
from ..database.refusals import failures
from ..database.sides import sides
from ..errors import InputError, Issue, UsageError, choose
from ..files.opening import run
from .evaluation import evaluate, forget
from .loading import Mode, Reading, delete_documents, load

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NAME = re.compile(r"[\w.+-]{1,100}")
Watch = Callable[[Iterable[Any]], Iterator[Any]]


class Built(NamedTuple):
    """The contents of a database after it was built or changed (side → documents), and the issues found."""

    documents: dict[str, int]
    issues: tuple[Issue, ...]


@run()
def build(
    path: str,
    keys: Mapping[str, str],
    responses: Mapping[str, str] | None = None,
    *,
    key: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    watch: Watch = iter,
) -> Built:
    """Build a database from corpora and from responses of systems to one of them, each given by a name and a path.

    key        the corpus that the responses are scored against, if there are several
    settings   as in `score`, for the tables of scores and errors: metrics, protocol, policies
    """
    responses = responses or {}
    against = _against(keys, responses, key)
    _check_target(path)
    plan = json.dumps([path, dict(keys), dict(responses), against, format, encoding, dict(settings or {})])
    working = working_file(path, "building")
    with locked(path):
        issues = _begin(working, path, plan, dict(settings or {}))
        given = [("key", *side) for side in keys.items()] + [("response", *side) for side in responses.items()]
        try:
            with writing(working, path) as connection:
                for role, name, where in given:
                    _side(connection, name, role, against, where)
                    reading_ = Reading(where, role, format, encoding)
                    issues += load(connection, name, reading_, jobs=jobs, watch=watch)
                issues += _evaluate_all(connection, path)
                _complete(connection, sides(connection))
                documents = _documents(connection)
        except InputError as error:
            if error.code == "damaged":  # nothing can be continued with it
                discard(working)
            raise
        with suppress(InputError):  # an earlier database may be damaged
            settle(path)
        replace_by(working, path)
    return Built(documents, tuple(issues))


@run()
def change(
    path: str,
    mode: Mode,
    keys: Mapping[str, str],
    responses: Mapping[str, str] | None = None,
    *,
    key: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
    jobs: int = 1,
    watch: Watch = iter,
) -> Built:
    """Add documents or a whole side to a database, or replace documents with the same names."""
    responses = responses or {}
    for name in (*keys, *responses):
        _check_name(name)
    issues: list[Issue] = []
    with changing(path) as connection:
        changed: set[str] = set()
        for role, given in (("key", keys), ("response", responses)):
            for name, where in given.items():
                have = {n: (r, k) for n, r, k in connection.execute("SELECT name, role, key FROM side").fetchall()}
                if name not in have and mode == "replace":
                    choose(name, have, "side")
                if name in have and have[name][0] != role:
                    raise UsageError(f"'{name}' is a {have[name][0]} in {path}, not a {role}")
                against = have[name][1] if name in have else None
                if role == "response" and name not in have:
                    known = [n for n, (r, _) in have.items() if r == "key"]
                    against = _against(known, {name: where}, key)
                _side(connection, name, role, against, where)
                changed |= _unsettle(connection, name)
                issues += load(
                    connection, name, Reading(where, role, format, encoding), mode=mode, jobs=jobs, watch=watch
                )
                _tidy(connection, name)
        issues += _evaluate_all(connection, path)
        _complete(connection, changed)
        return Built(_documents(connection), tuple(issues))


@run()
def remove(path: str, side: str, documents: Sequence[str] = ()) -> Built:
    """Remove a side, or some of its documents by their labels or names."""
    with changing(path) as connection:
        choose(side, sides(connection), "side")
        answers = [name for (name,) in connection.execute("SELECT name FROM side WHERE key = ?", [side]).fetchall()]
        if answers and not documents:
            message = f"'{side}' is the key of {', '.join(answers)}"
            raise UsageError(f"{message}: remove the responses first (`coreflens db remove {path} {answers[0]}`)")
        wanted = connection.execute("SELECT id, label, name FROM document WHERE side = ?", [side]).fetchall()
        if documents:
            known = {text for _, label, name in wanted for text in (label, name)}
            for document in documents:
                choose(document, known, f"document of '{side}'")
            wanted = [row for row in wanted if row[1] in documents or row[2] in documents]
        changed = _unsettle(connection, side)
        delete_documents(connection, [document for document, _, _ in wanted])
        _tidy(connection, side)
        if not documents:
            connection.execute("DELETE FROM source WHERE side = ?", [side])
            connection.execute("DELETE FROM side WHERE name = ?", [side])
            changed.remove(side)
        issues = _evaluate_all(connection, path)
        _complete(connection, changed)
        return Built(_documents(connection), issues)


def _against(keys: Iterable[str], responses: Mapping[str, str], key: str | None) -> str | None:
    """The side that responses are scored against."""
    names = list(keys)
    for name in (*names, *responses):
        _check_name(name)
    if twice := set(names) & set(responses):
        raise UsageError(f"two sides are named '{min(twice)}'")
    if key is not None:
        return choose(key, names, "key")
    if not responses:
        return None
    if len(names) != 1:
        known = f"there are several: {', '.join(names)}" if names else "there is none"
        raise UsageError(f"which key are the responses scored against? --key NAME ({known})")
    return names[0]


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"'{name[:60]}' can't be the name of a side: use only letters, digits, and . _ + -")


def _check_target(path: str) -> None:
    """Refuse to replace a file that is not a database."""
    if os.path.isdir(path):
        raise InputError("can't be written: this is a directory", file=path)
    if os.path.exists(path) and os.path.getsize(path) and not is_database(path):
        hint = "the first argument is the database to build: db build OUT.duckdb NAME=PATH"
        raise InputError("this file is not a database, so it is not replaced by one", file=path, hint=hint)
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise InputError("there is no such directory", file=os.path.dirname(path))


def _begin(working: str, path: str, plan: str, settings: Mapping[str, Any]) -> list[Issue]:
    """The file to work in: the one of an interrupted build with the same inputs, or a new one."""
    issues = []
    if os.path.exists(working):
        try:
            with writing(working, path) as connection:
                if info(connection).get("plan") == plan:
                    found = connection.execute("SELECT count(*) FROM document").fetchone()
                    message = f"continuing an interrupted build: {(found or (0,))[0]} documents are already there"
                    return [Issue("resumed", message)]
            reason = "it had other files or settings"
        except InputError as error:
            if error.code == "in-use":
                raise
            reason = error.message
        issues.append(Issue("restarted", f"an unfinished build can't be continued; the build starts again: {reason}"))
    discard(working)
    noted = {"program": f"coreflens {__version__}", "state": "building", "plan": plan}
    with failures(path):
        create(working, noted | {"settings": json.dumps(dict(settings))})
    return issues


def _side(connection: DuckDBPyConnection, name: str, role: str, key: str | None, path: str) -> None:
    """Add the row of a side, unless it exists."""
    if connection.execute("SELECT 1 FROM side WHERE name = ?", [name]).fetchone() is None:
        connection.execute(
            "INSERT INTO side SELECT ?, ?, ?, ?, coalesce(max(number) + 1, 0), NULL, NULL FROM side",
            [name, role, key if role == "response" else None, path],
        )


def _unsettle(connection: DuckDBPyConnection, side: str) -> set[str]:
    """Remove the scores and errors of the responses that depend on a side. The sides that change by that, and it."""
    responses = connection.execute(
        "SELECT name FROM side WHERE role = 'response' AND (name = ? OR key = ?)", [side, side]
    ).fetchall()
    changed = {side, *(name for (name,) in responses)}
    for (response,) in responses:
        forget(connection, response)
    for name in changed:
        unmark(connection, name)
    return changed


def _complete(connection: DuckDBPyConnection, changed: Iterable[str]) -> None:
    """The last step: mark the sides, and give this state of the database a name that no other one has."""
    connection.execute("BEGIN")
    for side in changed:
        mark(connection, side)
    set_info(connection, "changes", secrets.token_hex(8))
    set_info(connection, "state", "complete")
    connection.execute("COMMIT")


def _tidy(connection: DuckDBPyConnection, side: str) -> None:
    """Remove files that have no document left."""
    connection.execute(
        "DELETE FROM source WHERE side = ? AND state = 'read' AND id NOT IN (SELECT source FROM document)", [side]
    )


def _evaluate_all(connection: DuckDBPyConnection, path: str) -> tuple[Issue, ...]:
    """Compute the scores and errors of all responses that have none."""
    settings = json.loads(info(connection).get("settings") or "{}")
    found = connection.execute(
        "SELECT name FROM side WHERE role = 'response' AND signature IS NULL ORDER BY number"
    ).fetchall()
    return tuple(issue for (name,) in found for issue in evaluate(connection, path, name, settings))


def _documents(connection: DuckDBPyConnection) -> dict[str, int]:
    rows = connection.execute(
        "SELECT s.name, count(d.id) FROM side s LEFT JOIN document d ON d.side = s.name"
        " GROUP BY s.name, s.number ORDER BY s.number"
    ).fetchall()
    return dict(rows)
