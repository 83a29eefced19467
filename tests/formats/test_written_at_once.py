"""Lines and lists that are written for many documents at once: the same as one by one, and as made by hand."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chance import examples
from coreflens.corpus.model import Corpus
from coreflens.formats import conll, jsonlines, read
from coreflens.formats.conll import sheet
from coreflens.formats.conll.coref_cells import written
from coreflens.formats.jsonlines import writer
from coreflens.formats.shared.excerpts import Excerpts
from roundtrip import corpora

CELLS = st.text('ab"\\é漢', min_size=1, max_size=4)
LINES = st.lists(st.tuples(CELLS, st.sampled_from(["-", "", "x", '"y"'])), min_size=1, max_size=4)
DOCUMENTS = st.lists(st.lists(LINES, max_size=3), min_size=1, max_size=4)


def file(documents: list[list[list[tuple[str, str]]]], path: Path) -> Corpus:
    """Documents of sentences of words, each with a speaker, as CoNLL-2012 with tabs."""
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write("#begin document (a); part 000\na\t0\t0\tw\tNN\t(S*)\t-\t-\t-\ts\t*\t(0)\n\n#end document\n")
        for d, sentences in enumerate(documents):
            out.write(f"#begin document (d{d}); part 000\n")
            for sentence in sentences:
                for n, (word, who) in enumerate(sentence):
                    out.write(f"d{d}\t0\t{n}\t{word}\tNN\t-\t-\t-\t-\t{who}\t*\t-\n")
                out.write("\n")
            out.write("#end document\n")
    return read(path)


@examples(60)
@given(DOCUMENTS)
def test_json_lists_have_the_words_and_speakers(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[list[tuple[str, str]]]]
) -> None:
    corpus = file(documents, tmp_path_factory.mktemp("made") / "made.conll")
    records = [json.loads(line) for line in jsonlines.write(corpus)]
    assert [record["sentences"] for record in records[1:]] == [
        [[word for word, _ in sentence] for sentence in sentences] for sentences in documents
    ]
    for record, sentences in zip(records[1:], documents, strict=True):
        speakers = [[who.replace("-", "") for _, who in sentence] for sentence in sentences]
        assert record.get("speakers") == (speakers if any(map(any, speakers)) else None)


@examples(40)
@given(DOCUMENTS)
def test_documents_are_written_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[list[tuple[str, str]]]]
) -> None:
    corpus = file(documents, tmp_path_factory.mktemp("made") / "made.conll")
    at_once = ["".join(module.write(corpus)) for module in (conll, jsonlines)]
    with pytest.MonkeyPatch.context() as patched:
        for module in (sheet, writer):
            patched.setattr(module, "_TOKENS", 1)
        assert ["".join(module.write(corpus)) for module in (conll, jsonlines)] == at_once


def test_a_control_character_in_a_word_is_escaped_in_json(tmp_path: Path) -> None:
    corpus = file([[[("a\x0bb", "x")]]], tmp_path / "made.conll")
    assert json.loads([*jsonlines.write(corpus)][1])["sentences"] == [["a\x0bb"]]


def test_values_are_counted_without_reading_them(tmp_path: Path) -> None:
    corpus = file([[[("a", "-"), ("b", ""), ("c", "x")]]], tmp_path / "made.conll")
    speakers = corpus.text.layers["speaker"]
    assert isinstance(speakers, Excerpts)
    assert speakers.filled() == sum(map(bool, speakers)) == 2
    assert speakers.empty().tolist() == [not value for value in speakers]


def cells_by_hand(corpus: Corpus, d: int, labels: list[str]) -> dict[int, str]:
    """Token by token: ends of entities that begin again, what begins, what ends."""
    rows = [row for row in range(len(corpus)) if corpus.doc[row] == d]
    spans = {row: (int(corpus.start[row]), int(corpus.end[row]), labels[corpus.entity[row]]) for row in rows}
    found: dict[int, str] = {}
    pieces = defaultdict[int, list[str]](list)
    for token in sorted({token for start, end, _ in spans.values() for token in (start, end)}):
        begin = [(end == token, len(label), label, row) for row, (start, end, label) in spans.items() if start == token]
        end = [(len(name), name, start, row) for row, (start, stop, name) in spans.items() if start < stop == token]
        again = {label for alone, _, label, _ in begin if not alone}
        ends = [(f"{label})", label in again) for _, label, _, _ in sorted(end, reverse=True)]
        pieces[token] = [text for text, first in ends if first]
        pieces[token] += [f"({label})" if alone else f"({label}" for alone, _, label, _ in sorted(begin)]
        pieces[token] += [text for text, first in ends if not first]
        found[token] = "|".join(pieces[token])
    return found


@examples(200)
@given(corpora(conll.HOLDS - {"names"}, same_entity_crossing=False))
def test_cells_are_those_made_by_hand(corpus: Corpus) -> None:
    labels = [str(label) for label in corpus.labels]
    if len({*labels}) < len(labels):
        return
    cells = written(corpus, labels)
    for d in range(len(corpus.documents)):
        assert cells.of(d) == cells_by_hand(corpus, d, labels)
