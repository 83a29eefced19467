"""Hostile input, small or large: refused or read, in bounded memory and without hanging."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable

import pytest

from command import conll
from coreflens.errors import InputError
from coreflens.formats import FORMATS
from coreflens.formats.shared.source import Source

N = 20_000  # deep enough for any recursion, and for what grows with the square to need more than a minute
LONG = 50 * N
BOMB = "<!DOCTYPE a [<!ENTITY a0 'x'>" + "".join(f"<!ENTITY a{i + 1} '{f'&a{i};' * 10}'>" for i in range(9)) + "]>\n"
UD = "# newdoc id = a\n# global.Entity = eid\n"
UA = "# global.columns = ID FORM MISC IDENTITY\n# newdoc id = d\n"
TSV = "#FORMAT=WebAnno TSV 3.3\n#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|a|b\n\n\n"
ECB = '<?xml version="1.0"?>\n<Document doc_name="a">'


def row(number: int, word: str, misc: str) -> str:
    return f"{number}\t{word}" + "\t_" * 7 + f"\t{misc}\n"


# name → format, and the file
HOSTILE: dict[str, tuple[str, Callable[[], str]]] = {
    "bomb ecb": ("ecb", lambda: f'<?xml version="1.0"?>\n{BOMB}<Document doc_name="a">&a9;</Document>'),
    "bomb corenlp": ("corenlp", lambda: f'<?xml version="1.0"?>\n{BOMB}<root><document>&a9;</document></root>'),
    "bomb knowtator": (
        "knowtator",
        lambda: f'<?xml version="1.0"?>\n{BOMB}<knowtator-project>&a9;</knowtator-project>',
    ),
    "bomb mmax2": ("mmax2", lambda: f'<?xml version="1.0"?>\n{BOMB}<mmax_project><words>&a9;</words></mmax_project>'),
    "bomb muc": ("muc", lambda: f"{BOMB}<DOC><TXT><COREF ID=1>&a9;</COREF></TXT></DOC>"),
    "external": (
        "ecb",
        lambda: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Document doc_name="a">&b;</Document>',
    ),
    "nested conll": ("conll", lambda: conll("(1" * N, "1)" * N)),
    "nested conll, other entities": (
        "conll",
        lambda: conll("|".join(f"({i}" for i in range(N)), "|".join(f"{i})" for i in range(N))),
    ),
    "nested conll, never closed": ("conll", lambda: conll("(1" * N)),
    "nested conllu": ("conllu", lambda: UD + row(1, "a", "Entity=" + "(e1" * N) + row(2, "b", "Entity=" + "e1)" * N)),
    "nested conllua": ("conllua", lambda: f"{UA}1 a _ {'(EntityID=1|MarkableID=m' * N}\n2 b _ {')' * N}\n"),
    "nested inline": ("inline", lambda: "[" * N + "x" + "](1)" * N),
    "nested inline, open": ("inline", lambda: "[" * N + "x](1)"),
    "nested muc": ("muc", lambda: "<DOC><TXT>" + "<COREF ID=1>" * N + "x" + "</COREF>" * N + "</TXT></DOC>"),
    "nested sacr": ("sacr", lambda: "{a " * N + "x" + "}" * N),
    "nested xrenner": ("xrenner", lambda: '<referent id="a" group="1">\n' * N + "x\n" + "</referent>\n" * N),
    "nested ecb": ("ecb", lambda: ECB + "<a>" * N + "</a>" * N + "</Document>"),
    "nested corenlp xml": ("corenlp", lambda: "<?xml version='1.0'?><root><document>" + "<a>" * N + "</a>" * N),
    "nested knowtator": ("knowtator", lambda: "<knowtator-project>" + "<document>" * N),
    "nested json": ("jsonlines", lambda: '{"doc_key": "a", "clusters": ' + "[" * N + "]" * N + "}\n"),
    "nested json corenlp": ("corenlp", lambda: '{"sentences": ' + "[" * N + "]" * N + ', "corefs": {}}'),
    "nested json clusters": ("clusters", lambda: '{"a": ' + '{"a": ' * N + "1" + "}" * N + "}"),
    "wide conll": ("conll", lambda: "#begin document (a); part 000\n" + "a\t" * (LONG // 2) + "(1)\n#end document\n"),
    "long conll": ("conll", lambda: f"#begin document (a); part 000\na\t0\t0\t{'x' * LONG}\t(1)\n#end document\n"),
    "long cell": ("conll", lambda: conll("(" + "1" * LONG + ")")),
    "long conllu": ("conllu", lambda: UD + row(1, "x" * LONG, "Entity=(e1)")),
    "wide conllu": ("conllu", lambda: UD + "1" + "\t_" * (LONG // 2) + "\n"),
    "long conllua": ("conllua", lambda: f"{UA}1 {'x' * LONG} _ (EntityID=1|MarkableID=m)\n"),
    "wide conllua": ("conllua", lambda: f"{UA}1 a _ {'_ ' * (LONG // 2)}\n"),
    "wide webanno": ("webanno", lambda: f"{TSV}#Text=a\n1-1\t0-1\ta\t" + "_\t" * (LONG // 2) + "\n"),
    "long inline": ("inline", lambda: f"[{'x' * LONG}](1)"),
    "long brat": ("brat", lambda: f"T1\tA 0 1\t{'x' * LONG}\n"),
    "pieces brat": ("brat", lambda: "T1\tA " + ";".join(f"{2 * i} {2 * i + 1}" for i in range(N)) + "\ta\n"),
    "wide table": ("table", lambda: "doc,mention,entity" + ",x" * (LONG // 2) + "\n"),
    "long table": ("table", lambda: f"doc,mention,entity\na,{'x' * LONG},1\n"),
    "huge table": ("table", lambda: f"doc,start,end,entity\na,0,{'9' * 15},1\na,5,{'9' * 15},1\n"),
    "huge neleval": ("neleval", lambda: f"a\t0\t{'9' * 15}\te\n"),
    "huge booknlp": ("booknlp", lambda: f"COREF\tstart_token\tend_token\tprop\tcat\ttext\n1\t0\t{'9' * 15}\tP\tP\tx\n"),
    "huge jsonlines": (
        "jsonlines",
        lambda: json.dumps({"doc_key": "a", "sentences": [["a"]], "clusters": [[[0, 10**30]]]}),
    ),
    "huge digits": ("jsonlines", lambda: '{"doc_key": "a", "clusters": [[[0, ' + "9" * LONG + "]]]}"),
    "huge part": ("conll", lambda: f"#begin document (a); part {'9' * LONG}\na 0 0 x (1)\n#end document\n"),
    "long label": ("labels", lambda: "x" * LONG + "\ny\n"),
    "quotes": ("table", lambda: 'doc,mention,entity\na,"' + '""' * (LONG // 2)),
    "fields conllu": (
        "conllu",
        lambda: "# newdoc id = a\n# global.Entity = eid" + "-x" * N + "\n" + row(1, "a", "Entity=(e1)"),
    ),
    "parts conllu": ("conllu", lambda: UD + row(1, "a", "Entity=(e1[1/999999999])")),
}


KINDS = sorted({name.partition(" ")[0] for name in HOSTILE})


@pytest.mark.slow
@pytest.mark.parametrize("size", [N, pytest.param(200_000, marks=pytest.mark.endurance)])
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files(kind: str, size: int) -> None:
    """Each in a process of its own, with a limit to its time and memory; read strictly and as `validate` does."""
    script = f"import test_hostile as t; t.N, t.LONG = {size}, {50 * size}; t.attempt_all({kind!r})"
    command = [sys.executable, "-c", script]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert run.returncode == 0, run.stderr[-2000:]


def attempt_all(kind: str) -> None:
    """Try the files of a kind, each in a child of this process, which has loaded what they need."""
    failed = []
    for name in HOSTILE:
        if name.partition(" ")[0] != kind:
            continue
        child = os.fork()
        if not child:
            attempt(name)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            failed.append(name)
    assert not failed, failed


def attempt(name: str) -> None:
    from coreflens.corpora.validation import _in_corpus
    from coreflens.formats.shared.features import held

    format, content = HOSTILE[name]
    data = content().encode()
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    for lenient in (False, True):
        source = Source(data, "a.x", lenient=lenient)
        try:
            corpus = FORMATS[format].module.read(source)
        except InputError as error:
            assert len(str(error)) < 2000  # the message does not repeat the file
            continue
        assert not name.startswith(("bomb", "external")) or format == "muc"
        try:
            held(corpus)
        except InputError:  # of its text, which is read when it is asked for
            continue
        assert all(len(problem.message) < 2000 for problem in _in_corpus(source, corpus))


def test_bombs_do_not_expand() -> None:
    format, content = HOSTILE["bomb muc"]
    corpus = FORMATS[format].module.read(Source(content().encode(), "a.sgml"))
    assert all(len(raw) < 5000 for raw in corpus.text.raw or ())
