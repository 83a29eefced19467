"""The list of formats, and how the format of a file is recognised.

A format is a module with `looks_like(head: bytes) -> bool` and `read(source: Source) -> Corpus`. A format that can be
written also has `write(corpus: Corpus) -> Iterator[str]` (or bytes) and `HOLDS`, the features that it can hold. These
names are optional:

    UNITS      the units that the writer can count: tokens (the default) or characters
    beside     for formats with two files: suffix → pieces of the other file
    DOCUMENT   the pattern of a line that begins a document: the file can be streamed, see streaming.py
    CARRIED    the pattern of lines that hold for all documents after them
    APPENDS    several corpora written one after the other are one file
    WIDE       an entity's label means the same in every document; in other formats numbers start again in each
    NAMED      labels are names that mean the same on both sides, see the metric `labels`

One line in `FORMATS` makes a format known everywhere. Its name in `FormatName` makes it known to editors and type
checkers. `UNREAD` lists formats that coreflens recognises but does not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Literal, NamedTuple, Protocol, TypeAlias, cast

from ..corpus.model import Corpus
from ..errors import InputError, choose
from .shared.source import Source

_HEAD = 1 << 16

FormatName: TypeAlias = Literal[
    "conll", "semeval", "conllu", "conllua", "korkor", "webanno", "ecb", "mmax2", "corenlp", "folia", "naf", "kaf",
    "xmi", "tei", "ace", "prodigy", "labelstudio", "parquet", "crac-json", "preco", "jsonlines", "brat",
    "ontonotes", "muc", "xrenner", "sacr", "booknlp", "knowtator", "litbank", "gap", "modelbased", "knp", "links",
    "table", "clusters", "labels", "neleval", "rucor", "crac-text", "inline",
]  # fmt: skip


class _Module(Protocol):
    HOLDS: frozenset[str]

    def looks_like(self, head: bytes) -> bool: ...
    def read(self, source: Source) -> Corpus: ...
    def write(self, corpus: Corpus) -> Iterator[str] | Iterator[bytes]: ...
    def beside(self, corpus: Corpus) -> Mapping[str, Iterator[str]]: ...


class Format(NamedTuple):
    """A format's name, a line about it, the module that reads it, and the suffixes of its files."""

    name: FormatName
    about: str
    suffixes: tuple[str, ...] = ()

    @property
    def module(self) -> _Module:
        return cast(_Module, import_module(f"coreflens.formats.{self.name.replace('-', '_')}"))

    @property
    def writes(self) -> bool:
        return bool(self.suffixes)


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format(
            "conll",
            "CoNLL-2011/2012 columns, coreference in the last column; also two-column and mention-id files",
            (".conll", "_conll"),
        ),
        Format("semeval", "SemEval-2010 columns with tabs, and the two columns of its systems", (".semeval",)),
        Format("conllu", "CoNLL-U with the coreference of CorefUD: Entity=, Bridge=, SplitAnte= in MISC", (".conllu",)),
        Format(
            "conllua", "CONLL-UA of Universal Anaphora: IDENTITY, BRIDGING, DISCOURSE_DEIXIS columns", (".conllua",)
        ),
        Format("korkor", "CoNLL-U Plus with pointers to antecedents (COREFHEAD), as KorKor has them"),
        Format("webanno", "WebAnno and INCEpTION TSV 3.x: a chain layer, or relations between spans (GUM)"),
        Format("ecb", "ECB+ XML: events and entities, with coreference across documents"),
        Format("mmax2", "MMAX2 projects: words and levels of markables, with sets or pointers"),
        Format("corenlp", "Stanford CoreNLP output, JSON or XML"),
        Format("folia", "FoLiA XML: words in the text, chains of coreference in a layer"),
        Format("naf", "NAF XML of NewsReader: words, terms, and corefs of their spans", (".naf",)),
        Format("kaf", "KAF XML of OpeNER, the predecessor of NAF", (".kaf",)),
        Format(
            "xmi", "UIMA CAS XMI of INCEpTION, WebAnno and CorefAnnotator: entities, chains or relations", (".xmi",)
        ),
        Format("tei", "TEI with <rs ref> in the text, as GerDraCor-Coref publishes its plays"),
        Format("ace", "ACE's .apf.xml: entities and mentions with heads, the text in the .sgm beside it"),
        Format("prodigy", "Prodigy's JSONL with relations, as coref.manual writes it"),
        Format("labelstudio", "Label Studio's JSON export: regions of a text and relations between them"),
        Format(
            "parquet",
            "tables of mentions, or OntoNotes of Hugging Face, as Parquet or Arrow; needs pyarrow",
            (".parquet",),
        ),
        Format(
            "crac-json",
            "JSON of the CRAC tasks for language models: doc_id, tokens, clusters_token_offsets",
            (".crac.json",),
        ),
        Format("preco", "PreCo's JSONL: id, sentences, mention_clusters of [sentence, first, end]"),
        Format(
            "jsonlines",
            "one document per line: doc_key, sentences or text, clusters of [start, end] spans",
            (".jsonlines", ".jsonl"),
        ),
        Format("brat", "brat stand-off: .ann with T, R and * lines, the text in the .txt beside it", (".ann",)),
        Format(
            "ontonotes", "OntoNotes as distributed: .coref, with .parse, .name, .prop, .sense and .speaker beside it"
        ),
        Format("muc", "MUC SGML: <COREF ID REF TYPE MIN> in the text", (".sgml", ".sgm")),
        Format("xrenner", "xrenner's SGML: <referent group> in a text of one token per line"),
        Format("sacr", 'SACR: {Entity:property="value" words {nested}} in the text'),
        Format("booknlp", "BookNLP's .entities, the words in the .tokens beside it"),
        Format("knowtator", "CRAFT's Knowtator-2 XML, the text in ../../articles/txt or beside it"),
        Format("litbank", "LitBank's TSV of mentions and their entities, with the tokens in a .txt beside it"),
        Format("gap", "GAP's TSV: a text, a pronoun and two names per line"),
        Format(
            "modelbased", "JSON of model-based annotation: mentions and the words of their antecedents (wiki-span.json)"
        ),
        Format("knp", "KNP with relation tags, as KWDLC has them"),
        Format("links", "CSV or TSV of coreference links: doc, anaphor, antecedent", (".links.csv",)),
        Format(
            "table",
            "CSV or TSV with a header and one mention per row: doc, mention or start and end, entity",
            (".csv",),
        ),
        Format(
            "clusters", "clusters of names: JSON {entity: [mention, ...]}, scorch's JSON, or `id, id` lines", (".json",)
        ),
        Format("labels", "one entity per line; the number of the line is the mention"),
        Format("neleval", "entity links as neleval reads them: doc, start, end, id, score"),
        Format("rucor", "chains of RuCor systems: doc, GS or SYS, chain, mention, offset, lemma, form"),
        Format(
            "crac-text",
            "text of the CRAC tasks for language models: `word|[e1 word|e1]`, one document per line",
            (".crac.txt",),
        ),
        Format(
            "inline",
            "output of language models: brackets in running text, `[John](1) said [he](1)`, or clusters as JSON",
            (".md",),
        ),
    )
}

_PACKED = ((b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"PK\3\4", "a zip archive"), (b"\x28\xb5\x2f\xfd", "zstandard"))


UNREAD: tuple[tuple[str, bytes], ...] = (
    ("CoNLL-U without coreference", rb"(?m)^\d+\t[^\t\n]*(\t[^\t\n]*){8}$"),
    ("CoNLL-U Plus without coreference", rb"(?m)^# global\.columns"),
    ("WebAnno TSV older than 3", rb"^(#FORMAT=WebAnno| ?# (de\.tudarmstadt|webanno\.custom)\.)"),
    (
        "a level of an MMAX2 project without its .mmax or words file",
        rb"<!DOCTYPE markables|<markables[\s>]",
    ),
    ("XML", rb"^\s*<\?xml|^\s*<[a-zA-Z][^>]*>"),
    ("a JSON array of neither documents nor mentions", rb"^\s*\[\s*\{"),
    ("JSON that is neither jsonlines nor clusters", rb"^\s*\{\s*\""),
    (
        "a table without columns for mentions and entities",
        rb'^(?:"?[A-Za-z_][\w. ]{0,40}"?[,\t;] ?)+"?[A-Za-z_][\w. ]{0,40}"?\r?\n[^\n]*[,\t;]',
    ),
)


OTHER_NAMES = {"corefud": "conllu", "conll-u": "conllu", "conll-2012": "conll", "conll2012": "conll"}
"""Names that people try, and the format that they mean."""


def choose_format(format: str | None) -> FormatName | None:
    """A format by its name or another one; a UsageError if there is none. `conll:4` has coreference in column 4."""
    if format is None or (format.startswith(("conll:", "semeval:")) and format.partition(":")[2]):
        return cast(FormatName | None, format)
    return cast(FormatName, choose(OTHER_NAMES.get(format, format), FORMATS, "format"))


def prepared(source: Source, format: str | None) -> tuple[Format, Source]:
    """The format of a file, given or recognised, and the file with its coreference in the last column."""
    name, _, column = (format or "").partition(":")
    if column:
        from .conll.coref_column import put_last

        source = replace(source, data=put_last(source.data, column, source.name), again=None)
    return FORMATS[name] if name else recognise(source), source


def recognise(source: Source) -> Format:
    """The format of a file by its first bytes; otherwise an InputError that says what the file looks like."""
    head, name = source.data[:_HEAD], source.name
    if not head or source.data.isspace():
        raise InputError("the file is empty", file=name, hint="was the system's output written?", code="empty-file")
    for format in FORMATS.values():
        if format.module.looks_like(head):
            return format
    known = f"coreflens reads {', '.join(FORMATS)} (`coreflens show table` says what one needs)"
    packed = next((what for magic, what in _PACKED if head.startswith(magic)), None)
    if packed:
        message = f"this is {packed}, which coreflens does not unpack"
        raise InputError(message, file=name, hint="coreflens unpacks gzip and zip", code="unknown-format")
    if b"\0" in head:
        hint = f"{known}; --encoding utf-16-le if it is text"
        raise InputError("this is a binary file", file=name, hint=hint, code="unknown-format")
    for title, pattern in UNREAD:
        if re.search(pattern, head):
            message = f"this looks like {title}, which coreflens does not read"
            raise InputError(message, file=name, line=1, hint=known, code="unknown-format")
    from .conll.coref_column import likely_column

    if column := likely_column(head[: head.rfind(b"\n") + 1]):
        message = f"the last column is not coreference, but column {column} looks like it"
        raise InputError(message, file=name, line=1, hint=f"--coref-column {column}", code="unknown-format")
    message = "this is not a coreference format that coreflens knows"
    raise InputError(message, file=name, line=1, hint=known, code="unknown-format")


def writer(format: str) -> _Module:
    """The module that writes a format."""
    choose(format, [f.name for f in FORMATS.values() if f.writes], "format to write")
    return FORMATS[format].module


def format_of(path: str) -> FormatName:
    """The format to write by the suffix of a file's name."""
    plain = path.removesuffix(".gz").lower()
    for format in FORMATS.values():
        if plain.endswith(format.suffixes):
            return format.name
    known = {suffix: f.name for f in FORMATS.values() for suffix in f.suffixes}
    raise InputError(
        "the name does not say which format to write",
        file=path,
        hint=f"give --to FORMAT, or one of {', '.join(f'{s} ({n})' for s, n in known.items())}",
    )
