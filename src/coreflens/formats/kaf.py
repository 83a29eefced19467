"""KAF, the format of KYOTO and OpeNER and predecessor of NAF: layers over word forms and terms (Bosma et al. 2009).

    <KAF xml:lang="it" version="2.0">
      <kafHeader><fileDesc filename="a.txt"/></kafHeader>
      <text><wf wid="w1" sent="1" para="1" offset="0" length="2">La</wf> ...</text>
      <terms><term tid="t1" type="close" lemma="La" pos="D" morphofeat="ART"><span><target id="w1"/></span></term> ...
      <coreferences><coref coid="co1"><span><target id="t108"/><target id="t109"/></span> ...</coref> ...

Only the names differ from those of `naf`, which explains how the layers are read and written. In older files the spans
of a coref are inside <references>.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..corpus.model import Corpus
from .naf import HOLDS, KAF, read_as, write_as
from .shared.source import Source
from .shared.xml import root

__all__ = ["HOLDS", "looks_like", "read", "write"]


def looks_like(head: bytes) -> bool:
    return root(head) == b"KAF"


def read(source: Source) -> Corpus:
    return read_as(source, "kaf", KAF)


def write(corpus: Corpus) -> Iterator[str]:
    return write_as(corpus, KAF)
