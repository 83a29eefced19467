"""The writer of CoNLL-2012: tabs between the columns, and a blank line after each sentence.

    #begin document (name); part 000
    document  part  number  word  pos  parse  lemma  frameset  sense  speaker  names  arguments...  coreference

There are at least twelve columns, with `-` for no value and `*` for no name, as readers of CoNLL-2012 expect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...corpus.model import Corpus, Document, Text
from ...errors import InputError
from .columns import HEADER, LABEL, name_and_part
from .coref_cells import written
from .sheet import bodies, named_columns
from .text import CONLL, CONLL_LAYERS, SAMPLE, ColumnLayout, find_layout


def write_corpus(corpus: Corpus) -> Iterator[str]:
    """The file, document by document. An InputError if the format can't hold the corpus."""
    if corpus.names is not None:
        yield from _write_names(corpus)
    elif not corpus.has_text and corpus.unit == "token" and any(d.tokens for d in corpus.documents):
        yield from _write_numbers(corpus)
    else:
        check_tokens(corpus)
        layout = _layout(corpus.text)
        yield from write_documents(corpus, layout, [_header(document) for document in corpus.documents])


def write_documents(
    corpus: Corpus, layout: ColumnLayout, headers: Sequence[str], ends: Sequence[str] = ()
) -> Iterator[str]:
    """The documents in the columns of a layout; an InputError if a reader would take these for other columns."""
    sizes = np.diff(corpus.text.first).tolist()
    done, sample, left = 0, list[str](), SAMPLE
    for some in bodies(corpus, layout, label_texts(corpus)):
        texts = []
        for d, body in enumerate(some, done):
            end = ends[d] if ends else "#end document"
            texts.append(f"{headers[d]}\n{body.decode(errors='surrogatepass')}{end}\n")
            if left > 0:
                sample.append(texts[-1])
                left -= sizes[d]
                last = left <= 0 or d == len(headers) - 1
                if last and find_layout("".join(sample).encode(errors="replace")) != layout:
                    message = "a reader would take these columns for others"
                    raise InputError(message, file=corpus.source or None, hint="the first lines decide")
        yield "".join(texts)
        done += len(some)


def check_tokens(corpus: Corpus) -> None:
    """An InputError if the corpus has no tokens or no words."""
    source = corpus.source or None
    if corpus.unit != "token":
        raise InputError(f"mentions count {corpus.unit}s here, but this format counts tokens", file=source)
    if not len(corpus.text.words):
        raise InputError("there are no words to write", file=source)


def _layout(text: Text) -> ColumnLayout:
    """The columns of CoNLL-2012, or those of layers such as `column 5`, with the word after its number."""
    taken = named_columns([*text.layers])
    if not taken:
        return CONLL
    mixed = [name for name in (*CONLL_LAYERS, "arguments") if any(text.layers.get(name, ()))]
    if not mixed:
        for layout in _possible_layouts(taken[-1] + 2):
            own = {column for column in layout[:4] if column >= 0}
            together = own.isdisjoint(taken) and own | {*taken} == {*range(len(own) + len(taken))}
            if together and (layout.part < 0 or taken[-1] < 10):
                return layout
    layers = ", ".join(mixed or [f"column {column + 1}" for column in taken])
    message = f"the layers {layers} do not make up the columns of one file"
    raise InputError(message, hint="convert the files one by one, or to a format that can hold any layer")


def _possible_layouts(width: int) -> Iterator[ColumnLayout]:
    """Those of CoNLL-2012 without its layers, of a word after its number, and of a word alone."""
    yield CONLL._replace(layers=())
    yield from (ColumnLayout(place + 1, place) for place in range(width))
    yield from map(ColumnLayout, range(width))


def label_texts(corpus: Corpus) -> list[str]:
    """The labels of entities as they are written in cells."""
    labels = ["_".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in corpus.labels]
    used = [labels[e] for e in np.unique(corpus.entity).tolist()]
    wrong = next((label for label in used if not LABEL.fullmatch(label)), None)
    if wrong is not None:
        hint = "the label of an entity can't be empty or have brackets, pipes or blanks"
        raise InputError(f"entity '{wrong:.40}' can't be written into a cell", file=corpus.source or None, hint=hint)
    if len(set(used)) < len(used):
        raise InputError("two entities have labels that are written the same way", file=corpus.source or None)
    return labels


def _header(document: Document) -> str:
    part = "" if document.part is None else f" part {document.part:03}"
    header = f"#begin document ({document.name});{part}"
    return checked_header(document, header)


def checked_header(document: Document, header: str) -> str:
    """The begin line, if it is read back as the document's name and part. A document without a name may get the name
    of its file."""
    line = HEADER.fullmatch(header.encode(errors="replace"))
    if not line or name_and_part(line[2].decode()) != document[:2] or re.search(r"[\t\0]", document.name):
        hint = "names can't have tabs, line breaks, blanks at their ends, or `; part`"
        raise InputError(f"the name of document {document.quoted} can't be written in a begin line", hint=hint)
    return header


def _write_names(corpus: Corpus) -> Iterator[str]:
    """Two columns: a mention's name, and its entities."""
    labels, names = label_texts(corpus), [str(name) for name in corpus.names or ()]
    if not names:
        raise InputError("there is no mention to write", file=corpus.source or None)
    for d, document in enumerate(corpus.documents):
        entities_of: dict[str, list[str]] = {}
        for row in range(*corpus.bounds[d : d + 2]):
            entities_of.setdefault(names[row], []).append(f"({labels[corpus.entity[row]]})")
        _check_names(list(entities_of), document)
        lines = [f"{name}\t{'|'.join(entities)}\n" for name, entities in entities_of.items()]
        yield "".join([_header(document), "\n", *lines, "#end document\n"])


def _write_numbers(corpus: Corpus) -> Iterator[str]:
    """Two columns: the numbers of the words, which the corpus does not have, and the coreference."""
    cells = written(corpus, label_texts(corpus))
    for d, document in enumerate(corpus.documents):
        if document.tokens is None:
            what = f"the number of words of document {document.quoted} is unknown"
            raise InputError(what, file=corpus.source or None)
        cell = cells.of(d)
        lines = [f"{i}\t{cell.get(i, '-')}\n" for i in range(document.tokens)]
        yield "".join([_header(document), "\n", *lines, "\n#end document\n"])


def _check_names(names: list[str], document: Document) -> None:
    wrong = next((name for name in names if not _is_cell(name)), None)
    if wrong is not None:
        hint = "names can't have tabs, line breaks, or blanks at their ends"
        raise InputError(f"mention '{wrong!r:.40}' of {document.quoted} can't be written into a column", hint=hint)
    if names and all(name.isascii() and name.isdigit() for name in names):
        hint = "give them a letter, or write a table"
        what = f"mentions of {document.quoted} have numbers as names, which would be read as tokens"
        raise InputError(what, hint=hint)


def _is_cell(name: str) -> bool:
    """Whether a name can be the first cell of a line."""
    if not name or name != name.strip() or re.search(r"[\t\n\0]", name):
        return False
    return HEADER.match(name.encode()) is None
