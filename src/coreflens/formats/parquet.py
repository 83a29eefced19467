"""OntoNotes as Hugging Face publishes it (conll2012_ontonotesv5), in a Parquet, Arrow or Feather file.

    document_id  string
    sentences    list of
        part_id        number
        words          list of strings
        coref_spans    list of [cluster, first word, last word], counted in the sentence from 0, both ends included
        speaker        string
        pos_tags, named_entities, parse_tree, predicate_lemmas, predicate_framenet_ids, word_senses, srl_frames

A row holds a document with all its parts, which are documents here; clusters are numbered anew in each part. Layers:
speaker, and pos, names (named entities), lemma, frameset if they are words; where they are numbers of classes they are
left out and named, because the classes are not in the file. Trees, senses and frames are left out.

Reading needs pyarrow: pip install 'coreflens[parquet]'. Places are rows, counted from 1, as lines are elsewhere.

Definition: the features in the dataset's card on the Hugging Face hub. No real file of this layout was tried.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..corpus.model import Corpus
from .shared.builder import Builder
from .shared.source import Source

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
        head.startswith(b"\xff\xff\xff\xff") and b"coref_spans" in head  # a stream of Arrow, as datasets caches are
    )


def read(source: Source) -> Corpus:
    rows = _rows(source)
    builder = Builder(source, "parquet")
    left_out: Counter[str] = Counter()
    for number, row in enumerate(rows, start=1):
        sentences = row.get("sentences")
        name = row.get("document_id")
        if not isinstance(sentences, list) or not isinstance(name, str):
            source.report("syntax", "a row without document_id and sentences", line=number)
            continue
        part: int | None = None
        started = False
        for sentence in sentences:
            if not isinstance(sentence, dict) or not isinstance(sentence.get("words"), list):
                source.report("syntax", f"a sentence of '{name:.60}' without words", line=number)
                continue
            here = sentence.get("part_id")
            if not started or here != part:
                started, part = True, here
                builder.document(name, int(here) if isinstance(here, (int, float)) else None, line=number)
            _sentence(builder, source, sentence, number, left_out)
        if not started:
            builder.document(name, line=number)
    if left_out:
        found = ", ".join(f"{field} ({count})" for field, count in sorted(left_out.items()))
        source.report("left-out", f"fields of sentences: {found[:200]}")
    return builder.build()


def _rows(source: Source) -> list[dict[str, Any]]:
    try:
        import pyarrow
        from pyarrow import feather, ipc, parquet
    except ImportError:
        hint = "pip install 'coreflens[parquet]'"
        source.fail("reading Parquet and Arrow needs pyarrow, which is not installed", hint=hint, code="input")
    data = pyarrow.py_buffer(source.data)
    try:
        if source.data.startswith(b"PAR1"):
            table = parquet.read_table(pyarrow.BufferReader(data))
        elif source.data.startswith(b"FEA1"):
            table = feather.read_table(pyarrow.BufferReader(data))
        elif source.data.startswith(b"ARROW1"):
            table = ipc.open_file(data).read_all()
        else:
            table = ipc.open_stream(data).read_all()
        table.validate(full=True)  # offsets of a damaged file may point anywhere
        missing = [name for name in ("document_id", "sentences") if name not in table.column_names]
        if missing:
            found = ", ".join(table.column_names)[:120]
            source.fail(f"no column {', '.join(missing)} here, but {found}", code="syntax", line=1)
        rows: list[dict[str, Any]] = table.select(["document_id", "sentences"]).to_pylist()
        return rows
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError, MemoryError, SystemError) as error:
        what = str(error).strip().split("\n")[0]
        source.fail(f"not a sound Parquet or Arrow file: {what:.120}", hint="is the file cut off?", code="truncated")


def _sentence(builder: Builder, source: Source, sentence: dict[str, Any], row: int, left_out: Counter[str]) -> None:
    words = [str(word) for word in sentence["words"]]
    layers: dict[str, list[str]] = {}
    for field, values in sentence.items():
        layer = _LAYERS.get(field)
        aligned = isinstance(values, list) and len(values) == len(words)
        if layer and aligned and all(value is None or isinstance(value, str) for value in values):
            layers[layer] = ["" if value is None else value for value in values]
        elif field not in _READ and values:
            left_out[field] += 1
    speaker = sentence.get("speaker")
    if isinstance(speaker, str) and speaker:
        layers["speaker"] = [speaker] * len(words)
    builder.sentence()
    first = 0
    for place, word in enumerate(words):
        at = builder.token(
            word, row, False, **{name: values[place] for name, values in layers.items() if values[place]}
        )
        first = at if not place else first
    for span in sentence.get("coref_spans") or ():
        if (
            not isinstance(span, (list, tuple))
            or len(span) != 3
            or not all(type(n) is int and abs(n) < _NUMBER for n in span)
        ):
            source.report("syntax", f"{span!r:.60} is no [cluster, first, last]", line=row)
            continue
        cluster, start, end = span
        if end < start:
            source.report("span-order", f"the span {span} ends before it starts", line=row)
        elif start < 0 or end >= len(words):
            source.report(
                "span-range", f"the span {span} is outside of the {len(words)} words of its sentence", line=row
            )
        else:
            builder.mention(first + start, first + end, cluster, line=row)
