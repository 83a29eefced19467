"""Keyword arguments of the functions that score, as types.

The options themselves are `Policies`, in options.py. A set here adds how to read files and what to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict

from ..formats import FormatName, Unlabelled
from ..options import Policies, PoliciesButMatch
from ..protocols import ProtocolName

Metrics: TypeAlias = str | Iterable[str]
"""Names, aliases or sets of metrics, as a list or separated by commas: `"muc,lea"`, `["conll", "blanc"]`."""


EngineName: TypeAlias = Literal["auto", "memory", "duckdb", "spark"]
ENGINES = {
    "auto": "memory, or duckdb if the inputs are tables that would not fit into memory; a note says so",
    "memory": "in this process, for any format",
    "duckdb": "tables in files or in DuckDB, in this process, using the disk if memory is short",
    "spark": "tables on Spark: on this machine or on a cluster",
}


class ReadSettings(TypedDict, total=False):
    """How files are read: their encoding if it is not UTF-8, their formats if they are not recognised."""

    encoding: str | None
    key_format: FormatName | None
    response_format: FormatName | None


class Recipe(TypedDict, total=False):
    """The protocol that sets the options, and whether to compute with fractions instead of floats."""

    protocol: ProtocolName | None
    exact: bool


class ViewSettings(Policies, ReadSettings, total=False):
    """What `explain` and `view` accept in addition to their own arguments."""

    protocol: ProtocolName | None


class AgreementSettings(Policies, Recipe, total=False):
    """What `agree` accepts in addition to its own arguments."""


class ComparisonSettings(PoliciesButMatch, ReadSettings, Recipe, total=False):
    """What `compare` accepts in addition to its own arguments."""

    unlabelled: Unlabelled


class StudySettings(Policies, ReadSettings, Recipe, total=False):
    """What `sweep` and `correlate` accept in addition to their own arguments."""


class Settings(StudySettings, total=False):
    """Everything that `score` accepts in addition to key and response.

        settings: Settings = {"metrics": "conll", "singletons": "drop"}
        score(key, response, **settings)

    metrics          names, aliases or sets, as a list or separated by commas; by default the default set
    protocol         a recipe that sets every option; an explicit option wins
    exact            compute with fractions instead of floats
    encoding         the encoding of the files, if it is not UTF-8
    key_format       the format of the key, if it is not recognised; `response_format` is that of the response
    unlabelled       "absent" leaves out mentions whose label is None or NaN; otherwise they are an error
    match, ...       the options, each as in `Options`; None keeps the value of the protocol
    """

    metrics: Metrics | None
    unlabelled: Unlabelled


class EngineSettings(TypedDict, total=False):
    """Where `score` computes, for inputs that are tables of mentions.

    engine         `auto`, `memory`, `duckdb` or `spark`; see docs/scale.md
    columns        the names of the columns, if they are not the usual ones: `{"mention": "record_id", "entity":
                   "cluster"}`; `doc` is the document, and "" means that there is none; `order` gives the order of rows
                   `src+id`: both together are one id (in memory)
    key_columns    the names of the key's columns alone; `response_columns` are those of the response
    memory_limit   for DuckDB: bytes, or text such as "4G"
    spill          for DuckDB: the folder for data that does not fit into memory; by default the one for temporary files
    master         for Spark: the master; by default `local[*]`, and `sc://HOST` is Spark Connect
    session        for Spark: an existing session
    ceaf           False leaves out CEAF, and averages that need it
    say            a function that is called with messages about progress
    """

    engine: EngineName
    columns: Mapping[str, str] | str | None
    key_columns: Mapping[str, str] | str | None
    response_columns: Mapping[str, str] | str | None
    memory_limit: int | str | None
    spill: str | PathLike[str] | None
    master: str | None
    session: Any
    ceaf: bool
    say: Callable[[str], None] | None


class ScoreSettings(Settings, EngineSettings, total=False):
    """Everything that `score` accepts in addition to key and response: `Settings`, and where to compute."""


class ExactSettings(Policies, ReadSettings, EngineSettings, total=False):
    """The same without `exact`, which gives the result its type."""

    protocol: ProtocolName | None
    metrics: Metrics | None
    unlabelled: Unlabelled
