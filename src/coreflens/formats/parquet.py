"""Tables in a Parquet, Arrow or Feather file: mentions, or OntoNotes as Hugging Face publishes it.

A table of mentions has the columns of the format `table`: doc (which may be missing), mention or a span, entity. The
other layout is that of conll2012_ontonotesv5:

    document_id  string
    sentences    list of
        part_id        number
        words          list of strings
        coref_spans    list of [cluster, first word, last word], counted in the sentence from 0, both ends included
        speaker        string
        pos_tags, named_entities, parse_tree, predicate_lemmas, predicate_framenet_ids, word_senses, srl_frames

A row holds a document with all its parts, which are documents here. The numbers of clusters start again in each part.
Layers: speaker, and pos, names (named entities), lemma, frameset if they are words. If they are numbers of classes,
they are left out and named, because the classes are not in the file. Trees, senses and frames are left out.

Numbers in a table of mentions are read as they are written. Fractions, lists and similar values can't identify
anything.

The table of mentions has the columns of `table`: doc, part if there are any, mention or span, entity, attributes.

Reading and writing need pyarrow: pip install 'coreflens[parquet]'. Messages name rows, counted from 1, instead of
lines.

Definition: the features in the dataset's card on the Hugging Face hub. No real file of this layout was tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..corpus.columns import TextColumn, release
from ..corpus.model import Corpus, IntArray
from ..errors import InputError
from . import table as mention_table
from .shared.builder import Builder
from .shared.cells import NO_ROWS
from .shared.source import Source
from .table import from_cells, needed

UNITS = mention_table.UNITS  # the same as for the table of mentions
HOLDS = mention_table.HOLDS

_LAYERS = {
    "pos_tags": "pos",
    "named_entities": "names",
    "predicate_lemmas": "lemma",
    "predicate_framenet_ids": "frameset",
}
_READ = {"part_id", "words", "coref_spans", "speaker"}
_NUMBER = 1 << 40


def looks_like(head: bytes) -> bool:
    return head.startswith((b"PAR1", b"ARROW1", b"FEA1")) or (
        head.startswith(b"\xff\xff\xff\xff")
        and b"coref_spans" in head  # a stream of Arrow, as in the caches of `datasets`
    )


def read(source: Source) -> Corpus:
    table = _load(source)
    is_ontonotes = {"document_id", "sentences"} <= set(table.column_names)
    if not is_ontonotes and needed(table.column_names):
        cells = _cells(source, table, needed)
        del table  # numbers are copied, and need the memory of the table no more
        release()
        return from_cells(source, *cells)
    rows = _documents(source, table)
    builder = Builder(source, "parquet")
    left_out: Counter[str] = Counter()
    for number, row in enumerate(rows, start=1):
        _document(builder, source, row, number, left_out)
    if left_out:
        fields = ", ".join(f"{field} ({count})" for field, count in sorted(left_out.items()))
        source.report("left-out", f"fields of sentences: {fields[:200]}")
    return builder.build()


def _document(builder: Builder, source: Source, row: dict[str, object], number: int, left_out: Counter[str]) -> None:
    """Add the parts of a document."""
    sentences, name = row.get("sentences"), row.get("document_id")
    if not isinstance(sentences, list) or not isinstance(name, str):
        source.report("syntax", "this row has no document_id and sentences", line=number)
        return
    part: int | None = None
    started = False
    for sentence in sentences:
        if not isinstance(sentence, dict) or not isinstance(sentence.get("words"), list):
            source.report("syntax", f"a sentence of '{name:.60}' has no words", line=number)
            continue
        its_part = sentence.get("part_id")
        if not started or its_part != part:
            started, part = True, its_part
            part_number = int(its_part) if isinstance(its_part, (int, float)) else None
            builder.document(name, part_number, line=number)
        _sentence(builder, source, sentence, number, left_out)
    if not started:
        builder.document(name, line=number)


def _load(source: Source) -> Any:
    """The table of pyarrow."""
    try:
        import pyarrow
        from pyarrow import feather, ipc, parquet
    except ModuleNotFoundError:
        hint = "pip install 'coreflens[parquet]'"
        source.fail("reading Parquet and Arrow needs pyarrow, which is not installed", hint=hint, code="input")
    data = pyarrow.py_buffer(source.data)
    with _sound(source):
        if source.data.startswith(b"PAR1"):
            table = parquet.read_table(pyarrow.BufferReader(data))
        elif source.data.startswith(b"FEA1"):
            table = feather.read_table(pyarrow.BufferReader(data))
        elif source.data.startswith(b"ARROW1"):
            table = ipc.open_file(data).read_all()
        else:
            table = ipc.open_stream(data).read_all()
        table.validate(full=True)  # offsets of a damaged file may point anywhere
        list(table.column_names)  # and its names may not be text
    return table


@contextmanager
def _sound(source: Source) -> Iterator[None]:
    """Turn an error of pyarrow about a damaged file into an InputError."""
    import pyarrow

    try:
        yield
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError, SystemError) as error:
        reason = str(error).strip().split("\n")[0]
        source.fail(
            f"this Parquet or Arrow file is damaged: {reason:.120}", hint="is the file cut off?", code="truncated"
        )


def _documents(source: Source, table: Any) -> list[dict[str, Any]]:
    missing = [name for name in ("document_id", "sentences") if name not in table.column_names]
    if missing:
        found = ", ".join(table.column_names)[:120]
        hint = (
            "a table of mentions has the columns mention and entity; `score --columns mention=NAME,entity=NAME` takes "
            "others"
        )
        what = f"there is no column {', '.join(missing)} (columns: {found})"
        source.fail(what, code="syntax", line=1, hint=hint)
    with _sound(source):
        rows: list[dict[str, Any]] = table.select(["document_id", "sentences"]).to_pylist()
    return rows


def load_cells(
    source: Source, needed: Callable[[Sequence[str]], set[int]]
) -> tuple[list[str], IntArray, list[Sequence[str]]]:
    """The header, the number of each row, and the columns of cells, as for a table in text."""
    cells = _cells(source, _load(source), needed)
    release()
    return cells


def _cells(
    source: Source, table: Any, needed: Callable[[Sequence[str]], set[int]]
) -> tuple[list[str], IntArray, list[Sequence[str]]]:
    header = list(table.column_names)
    if not table.num_rows:
        source.fail("this table has no rows", line=1, code=NO_ROWS)
    for place in needed(header):
        kind = str(table.schema.field(place).type)
        if kind.startswith(("float", "double", "halffloat", "list", "large_list", "struct", "map", "binary")):
            message = (
                f"the column {header[place][:60]} has values of the type {kind[:60]}, which can't identify anything"
            )
            source.fail(message, line=1, hint="use whole numbers or text")
    with _sound(source):
        cells = [_column(column) for column in table.columns]
    return header, np.arange(1, table.num_rows + 1), cells


def _column(values: Any) -> Sequence[str]:
    """A column as text: numbers and text stay in Arrow, and values of other types, which are rare, become Python's."""
    from pyarrow import types

    kind = values.type.value_type if types.is_dictionary(values.type) else values.type
    if types.is_integer(kind) or types.is_string(kind) or types.is_large_string(kind):
        return TextColumn.of_arrow(values.cast(kind))
    return ["" if value is None else str(value) for value in values.to_pylist()]


def _sentence(builder: Builder, source: Source, sentence: dict[str, Any], row: int, left_out: Counter[str]) -> None:
    """Add the words and mentions of a sentence."""
    words = [str(word) for word in sentence["words"]]
    layers = _layers(sentence, len(words), left_out)
    builder.sentence()
    first = 0
    for place, word in enumerate(words):
        layer_values = {name: values[place] for name, values in layers.items() if values[place]}
        token = builder.token(word, row, False, **layer_values)
        if place == 0:
            first = token
    for span in sentence.get("coref_spans") or ():
        if not _is_span(span):
            source.report("syntax", f"{span!r:.60} is not [cluster, first, last]", line=row)
            continue
        cluster, start, end = span
        if end < start:
            source.report("span-order", f"the span {span} ends before it starts", line=row)
        elif start < 0 or end >= len(words):
            message = f"the span {span} is not within the {len(words)} words of its sentence"
            source.report("span-range", message, line=row)
        else:
            builder.mention(first + start, first + end, cluster, line=row)


def _layers(sentence: dict[str, Any], size: int, left_out: Counter[str]) -> dict[str, list[str]]:
    """The layers of a sentence. Fields with values that are not read are counted."""
    layers: dict[str, list[str]] = {}
    for field, values in sentence.items():
        if field in _LAYERS and _are_words(values, size):
            layers[_LAYERS[field]] = ["" if value is None else value for value in values]
        elif field not in _READ and values:
            left_out[field] += 1
    speaker = sentence.get("speaker")
    if isinstance(speaker, str) and speaker:
        layers["speaker"] = [speaker] * size
    return layers


def _are_words(values: object, size: int) -> bool:
    """Whether these are words, or nothing, for that many tokens."""
    if not isinstance(values, list) or len(values) != size:
        return False
    return all(value is None or isinstance(value, str) for value in values)


def _is_span(span: object) -> bool:
    if not isinstance(span, (list, tuple)) or len(span) != 3:
        return False
    return all(type(number) is int and abs(number) < _NUMBER for number in span)


def write(corpus: Corpus) -> Iterator[bytes]:
    """The table of mentions that `table` writes, with offsets and parts as whole numbers and other cells as text."""
    import io

    from ..extras import extra

    pa = extra("pyarrow", "Parquet", "parquet")
    from pyarrow.parquet import write_table

    header, prefix = mention_table.identified(corpus)
    mention_table.check_attributes(corpus)
    labels = mention_table.labels_of(corpus)
    rows = list(prefix)
    columns: dict[str, object] = {}
    for place, name in enumerate(header):
        cells = [row[place] for row in rows]
        if name in ("doc", "mention"):
            columns[name] = pa.array(cells)
        else:
            columns[name] = pa.array([int(cell) if cell else None for cell in cells], pa.int64())
    columns["entity"] = pa.array([labels[entity] for entity in corpus.entity.tolist()], pa.string())
    for title, values in corpus.attributes.items():
        columns[title] = pa.array([str(value) for value in values], pa.string())
    sink = io.BytesIO()
    write_table(pa.table(columns), sink, compression="zstd")
    yield sink.getvalue()
