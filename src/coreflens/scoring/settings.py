"""Keyword arguments of the functions that score: each set as a type.

The options themselves are `Policies`, in options.py. A set here adds how to read files and what to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from ..formats import FormatName, Unlabelled
from ..options import Policies, PoliciesButMatch
from ..protocols import ProtocolName

Metrics: TypeAlias = str | Iterable[str]
"""Names, aliases or sets of metrics, as a list or separated by commas: `"muc,lea"`, `["conll", "blanc"]`."""


EngineName: TypeAlias = Literal["auto", "memory", "duckdb", "spark"]
ENGINES = {
    "auto": "memory, or duckdb if the inputs are tables that would not fit into memory, which a note says",
    "memory": "in this process, for any format",
    "duckdb": "tables in files or in DuckDB, in this process, using the disk if memory is short",
    "spark": "tables on Spark: on this machine or on a cluster",
}


class Reading(TypedDict, total=False):
    """How files are read: their encoding if it is not UTF-8, their formats if they are not recognised."""

    encoding: str | None
    key_format: FormatName | None
    response_format: FormatName | None


class Recipe(TypedDict, total=False):
    """The protocol that sets the options, and whether to compute with fractions instead of floats."""

    protocol: ProtocolName | None
    exact: bool


class ViewSettings(Policies, Reading, total=False):
    """What `explain` and `view` take beside their own arguments."""

    protocol: ProtocolName | None


class AgreementSettings(Policies, Recipe, total=False):
    """What `agree` takes beside its own arguments."""


class ComparisonSettings(PoliciesButMatch, Reading, Recipe, total=False):
    """What `compare` takes beside its own arguments."""

    unlabelled: Unlabelled


class StudySettings(Policies, Reading, Recipe, total=False):
    """What `sweep` and `correlate` take beside their own arguments."""


class Settings(StudySettings, total=False):
    """Everything that `score` takes beside key and response.

        settings: Settings = {"metrics": "conll", "singletons": "drop"}
        score(key, response, **settings)

    metrics          names, aliases or sets, as a list or separated by commas; by default the default set
    protocol         a recipe that sets every option; an explicit option wins
    exact            compute with fractions instead of floats
    encoding         of the files, if it is not UTF-8
    key_format       of the key, if it is not recognised; `response_format` of the response
    unlabelled       "absent" leaves out mentions whose label is None or NaN, an error otherwise
    match, ...       the options, each as in `Options`; None keeps the value of the protocol
    """

    metrics: Metrics | None
    unlabelled: Unlabelled


class EngineSettings(TypedDict, total=False):
    """Where `score` computes, for inputs that are tables of mentions.

    engine         `auto`, `memory`, `duckdb` or `spark`; see docs/scale.md
    columns        which column is which, if names do not tell: `{"mention": "record_id", "entity": "cluster"}`;
                   `doc` is the document, and "" says that there is none; `order` says which row comes first
    memory_limit   for DuckDB: bytes, or text such as "4G"
    spill          for DuckDB: the folder for what does not fit into memory; by default that for temporary files
    master         for Spark: the master; by default `local[*]`, and `sc://HOST` is Spark Connect
    session        for Spark: a session that is there already
    ceaf           False leaves out CEAF, and averages that need it
    say            called with messages about what takes long
    """

    engine: EngineName
    columns: Mapping[str, str] | str | None
    memory_limit: int | str | None
    spill: str | Path | None
    master: str | None
    session: Any
    ceaf: bool
    say: Callable[[str], None] | None


class ScoreSettings(Settings, EngineSettings, total=False):
    """Everything that `score` takes beside key and response: `Settings`, and where to compute."""
