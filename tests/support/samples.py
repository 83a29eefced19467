"""A small file of ours in every format, with its neighbours, and the real ones: what is fuzzed and converted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from posixpath import normpath

from command import conll
from coreflens.errors import InputError
from coreflens.files.finding import find
from coreflens.formats import recognise
from coreflens.formats.reading import opened
from coreflens.formats.shared.source import Source
from places import ROOT
from texts import (
    ace,
    booknlp,
    brat,
    conllu,
    conllua,
    corenlp,
    ecb,
    folia,
    gap,
    knowtator,
    knp,
    labelstudio,
    mmax2,
    modelbased,
    muc,
    naf,
    native,
    ontonotes,
    preco,
    prodigy,
    sacr,
    tei,
    webanno,
    xmi,
)


@dataclass(frozen=True)
class Sample:
    """A file in memory; neighbours by their paths."""

    format: str
    data: bytes
    name: str = "a.x"
    neighbours: Mapping[str, bytes] = field(default_factory=dict)
    sibling: Callable[[str], bytes | None] | None = None

    def source(self, data: bytes | None = None, lenient: bool = False) -> Source:
        def neighbours(pattern: str) -> list[str]:
            return [path for path in self.neighbours if fnmatchcase(path, normpath(pattern))]

        return Source(
            self.data if data is None else data,
            self.name,
            "key",
            self.sibling or self.neighbours.get,
            lenient,
            neighbours=neighbours,
        )


_SEMEVAL = "#begin document a\n" + "".join(
    "\t".join((f"{n}", f"w{n}", *"_" * 15, f"{cell}\n")) for n, cell in enumerate(("(1", "(2)|1)", "_", "(2)"), start=1)
)
_JSON = {"doc_key": "nw/a_0", "sentences": [["a", "b"], ["c", "d"]], "speakers": [["x", "x"], ["y", "y"]]}
_CHARACTERS = {"doc_key": "b", "text": "Ann said \u00e9 she", "clusters": [[[0, 2], [11, 13]]]}
_CRAC = [{"doc_id": "d", "tokens": ["a", "b", "##"], "clusters_token_offsets": [[[0, 1], [2, 2]], [[1, 1]]]}]
_SCORCH = {"type": "graph", "mentions": ["a", "b", "c"], "links": [["a", "b"]]}
_PROJECT = mmax2.PROJECT | {
    f"Markables/t_{level}_level.xml": f"{mmax2.XML}<markables>\n{markables}\n</markables>"
    for level, markables in (("coref", mmax2.SETS), ("groups", mmax2.GROUPS))
}
_OWN: tuple[tuple[str, str, str, Mapping[str, str]], ...] = (
    ("conll", "a.conll", conll("(1)|(2", "(3)", "2)", "-", "(1)") + conll("(1|(1", "1)", "1)", name="b", part=2), {}),
    ("conll", "b.conll", "#begin document (x);\nm1\t(1)\nm2\t(2)\nm3\t(1)\n#end document\n", {}),
    ("semeval", "a.semeval", _SEMEVAL + "\n#end document a\n", {}),
    ("conllu", "a.conllu", conllu.FULL, {}),
    ("conllua", "a.CONLLUA", conllua.FULL, {}),
    ("korkor", "a.conllup", conllua.POINTERS, {}),
    ("webanno", "a.tsv", webanno.CHAINS, {}),
    ("webanno", "b.tsv", webanno.LINKS, {}),
    ("ecb", "1.xml", ecb.DOCUMENT.replace("{n}", "1"), {}),
    ("mmax2", "t.mmax", _PROJECT["t.mmax"], _PROJECT),
    ("corenlp", "a.json", json.dumps(corenlp.document()), {}),
    ("corenlp", "a.xml", corenlp.XML, {}),
    ("folia", "a.folia.xml", folia.DOCUMENT, {}),
    ("naf", "a.naf", naf.DOCUMENT, {}),
    ("kaf", "a.kaf", naf.KAF, {}),
    ("tei", "a.xml", tei.PLAY, {}),
    ("ace", "x.apf.xml", ace.XML, {"x.sgm": ace.SGM}),
    ("xmi", "a.xmi", xmi.CHAINS, {}),
    ("xmi", "b.xmi", xmi.RELATIONS, {}),
    ("xmi", "c.xmi", xmi.ANNOTATOR, {}),
    ("xmi", "d.xmi", xmi.SURFACES, {}),
    ("jsonlines", "a.jsonl", json.dumps({**_JSON, "clusters": [[[0, 0], [2, 2]], [[1, 2], [3, 3]]]}) + "\n", {}),
    ("jsonlines", "b.jsonl", json.dumps(_CHARACTERS) + "\n" + json.dumps({**_CHARACTERS, "doc_key": "c"}) + "\n", {}),
    (
        "brat",
        "a.ann",
        brat.ann(*brat.MENTIONS, "R1 | Coref Arg1:T2 Arg2:T1", "* | Coref T3 T5", "A1 | Number T1 one"),
        {"a.txt": brat.TEXT},
    ),
    ("ontonotes", "a.coref", native.FILES["a.coref"], native.FILES),
    ("muc", "a.sgml", muc.MUC, {}),
    ("xrenner", "a.sgml", muc.XRENNER_TEXT, {}),
    ("sacr", "a.sacr", sacr.SACR.replace("{set}", "set").replace("{1}", "1"), {}),
    ("booknlp", "a.entities", booknlp.ENTITIES, {"a.tokens": booknlp.TOKENS}),
    ("knowtator", "9.xml", knowtator.XML, {"9.txt": knowtator.TEXT}),
    (
        "litbank",
        "a.ann",
        "MENTION\tT0\t0\t0\t0\t1\ta b\tPER\tNOM\nMENTION\tT1\t1\t0\t1\t0\tc\tPER\tPRON\n"
        "MENTION\tT2\t0\t1\t0\t1\tb\tLOC\tNOM\n"
        "COREF\tT0\ta-1\nCOREF\tT1\ta-1\nAPPOS\tT2\tT1\n",
        {"a.txt": "a b x\nc d\n"},
    ),
    ("gap", "gap.tsv", gap.TSV, {}),
    ("modelbased", "a.json", modelbased.JSON, {}),
    ("knp", "a.knp", knp.KNP, {}),
    ("preco", "dev.jsonl", preco.JSONL, {}),
    ("prodigy", "a.jsonl", prodigy.JSONL, {}),
    ("labelstudio", "a.json", labelstudio.JSON, {}),
    ("links", "a.csv", "doc,anaphor,antecedent\na,m2,m1\na,m3,m2\nb,m2,m1\n", {}),
    ("table", "a.csv", 'doc,start,end,entity,type\na,0,1,e1,PER\na,4,4,e1,"x ""y"""\nb,0,0,e1,\n', {}),
    ("table", "b.tsv", "doc\tmention\tentity\na\tm1\te1\na\tm2\te1\nb\tm1\te2\n", {}),
    ("clusters", "a.json", '{"e1": ["a", "b"], "e2": [1, "c"]}', {}),
    ("clusters", "b.json", json.dumps(_SCORCH), {}),
    ("clusters", "c.txt", "1, 2\n3, 4, 5\n6\n", {}),
    ("labels", "a.txt", "335\n248\n335\n", {}),
    ("neleval", "a.tsv", "a b\t2\t3\tJapan\t0.5\na b\t16\t19\tU A E\t0.4\tLOC\na b\t20\t21\t\t\n", {}),
    ("rucor", "a.tsv", "3\tGS\t1\t1\t10\tx\ty\n3\tGS\t1\t2\t20\tx\ty\n\n3\tSYS\t2\t1\t10\tx\ty\n", {}),
    ("crac-text", "a.txt", "The|[e1 fox|e1] of her|[e2] mother|[e1] ##|[e1],[e2] ##x .\n\nIt|[e1] a|b\n", {}),
    ("crac-json", "a.json", json.dumps(_CRAC), {}),
    ("inline", "b.md", "Sure:\n```\n[Ada]_1 met [[her]_1 aunt]_2 [x]3\n```\n", {}),
    ("inline", "a.md", "# doc a; part 1\n[[His](1) mother](2)'s car\n\n[that [she](2)\nsaw](4), [1] \\[x\\](y)\n", {}),
)
OWN = [
    Sample(format, text.encode(), name, {path: content.encode() for path, content in neighbours.items()})
    for format, name, text, neighbours in _OWN
]
OWN += [
    Sample("parquet", data, "a.bin") for data in (ontonotes.parquet(), ontonotes.arrow(), ontonotes.arrow(stream=True))
]


def paths() -> list[Path]:
    """The files of ../shared/data that docs/real-files.md lists."""
    sys.path.append(str(ROOT / "docs"))  # a script has no pytest to find it
    import data_page

    return data_page.settled()


def real() -> Iterator[Sample]:
    """Those of a known format."""
    for path in paths():
        source = opened(find(str(path))[0][0])
        try:
            format = recognise(source).name
        except InputError:
            continue
        yield Sample(format, source.data, source.name, sibling=source.sibling)
