"""BookNLP's `.entities`: one mention per line, and the words in the `.tokens` file beside it.

    COREF<TAB>start_token<TAB>end_token<TAB>prop<TAB>cat<TAB>text
    123<TAB>4<TAB>5<TAB>PROP<TAB>PER<TAB>Emma Woodhouse

Columns are found by their names, in any order. Tokens count from 0 over the document, both ends included. `cat` is kept
as attribute `type`, and every other column under its own name. `text` is kept only if there are no words to compare it
with. The words, sentences and columns of `.tokens` (`token_ID_within_document`, `word`, ...) become text and layers.
Without that file only the mentions are read, which is enough to score.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..corpus.model import Corpus, file_stem
from ..files import encoding
from .shared.builder import Builder
from .shared.source import Source

_NEEDED = ("COREF", "start_token", "end_token")
_TOKENS = ("sentence_ID", "token_ID_within_document", "word")
_LAYERS = {
    "lemma": "lemma",
    "POS_tag": "upos",
    "fine_POS_tag": "pos",
    "dependency_relation": "deprel",
    "event": "event",
}
_HEAD = "syntactic_head_ID"


def looks_like(head: bytes) -> bool:
    first = head.partition(b"\n")[0].rstrip(b"\r").split(b"\t")
    return all(name.encode() in first for name in _NEEDED)


def read(source: Source) -> Corpus:
    rows = _rows(source.text)
    header = next(rows, (1, []))[1]
    if missing := [name for name in _NEEDED if name not in header]:
        hint = f"the first line names the columns: {' '.join(_NEEDED)}"
        source.fail(f"there is no column {missing[0]}", line=1, hint=hint)
    builder = Builder(source, "booknlp")
    builder.document(_stem(source).removesuffix(".entities"), line=1)
    words = _words(source, builder)
    for line, cells in rows:
        if len(cells) < len(header):
            message = f"this line has {len(cells)} columns, but the first line has {len(header)}"
            source.report("syntax", message, line=line, hint="is the file cut off?")
            continue
        _mention(source, builder, dict(zip(header, cells, strict=False)), words, line)
    return builder.build()


def _mention(source: Source, builder: Builder, row: dict[str, str], words: list[str], line: int) -> None:
    entity, start, end = (row.pop(name) for name in _NEEDED)
    if not (_is_number(start) and _is_number(end) and entity):
        message = f"not a mention: entity {entity!r:.20} from {start!r:.20} to {end!r:.20}"
        source.report("syntax", message, line=line)
        return
    if words:
        _compare(source, row.pop("text", ""), words, int(start), int(end), line)
    handle = builder.mention(int(start), int(end), entity, line=line)
    for name, value in row.items():
        builder.attribute(handle, "type" if name == "cat" else name, value)


def _compare(source: Source, quoted: str, words: list[str], start: int, end: int, line: int) -> None:
    """Report a mention whose text is not that of its tokens."""
    if not quoted or not start <= end < len(words):
        return
    there = " ".join(words[start : end + 1])
    if "".join(quoted.split()) != "".join(there.split()):
        message = f"the mention has {quoted!r:.60}, but the tokens are {there!r:.60}"
        source.report("text-mismatch", message, line=line)


def _is_number(cell: str) -> bool:
    return cell.isdecimal() and len(cell) < 16


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The line number and the cells of all lines that are not empty; quotes are text."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line.removesuffix("\r").split("\t")


def _stem(source: Source) -> str:
    name = source.name.removesuffix(".gz")
    return file_stem(name) if ".entities" not in name else name.rpartition("/")[2].partition(".entities")[0]


def _words(source: Source, builder: Builder) -> list[str]:
    """The words of the .tokens file, if there is one. Its tokens are added to the builder."""
    name = f"{_stem(source)}.tokens"
    data = source.sibling(name)
    if data is None:
        return []
    rows = _rows(encoding.text(data, name))
    header = next(rows, (1, []))[1]
    if missing := [column for column in _TOKENS if column not in header]:
        source.report("missing-text", f"{name} has no column {missing[0]}", hint="is it BookNLP's?")
        return []
    places = {column: header.index(column) for column in header}
    tokens = [cells for _, cells in rows]
    firsts = _sentences(source, name, header, tokens)
    for i, first in enumerate(firsts):
        if first == i:
            builder.sentence()
        row = {column: tokens[i][place] for column, place in places.items()}
        values = {layer: row[column] for column, layer in _LAYERS.items() if column in row}
        if _is_number(row.get(_HEAD, "")):
            head = int(row[_HEAD])  # counted in the document; a root is its own head
            values["head"] = "0" if head == i else str(head - first + 1)
        builder.token(row["word"], 0, False, **values)
    return builder.words


def _sentences(source: Source, name: str, header: list[str], tokens: list[list[str]]) -> list[int]:
    """For each token the first token of its sentence; it stops at a token that is damaged or not in its place."""
    sentence, number = header.index("sentence_ID"), header.index("token_ID_within_document")
    firsts: list[int] = []
    for i, cells in enumerate(tokens):
        if len(cells) < len(header) or cells[number] != str(i):
            message = f"{name}: token {i} is missing or incomplete"
            source.report("missing-text", message, hint="tokens count from 0, with one line per token")
            return firsts
        firsts.append(firsts[-1] if i and cells[sentence] == tokens[i - 1][sentence] else i)
    return firsts
