"""Stand-off and inline formats together: recognised by content and nothing else, robust against any bytes, and fast."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from command import Run, conll
from coreflens.errors import InputError
from coreflens.files.finding import find
from coreflens.formats import FORMATS, read, recognise
from coreflens.formats.reading import opened
from coreflens.formats.shared.source import Source
from places import DATA
from samples import paths
from standoff import real
from texts import booknlp, brat, knowtator, muc, sacr

OWN = {
    "brat": brat.ann(*brat.MENTIONS, "R1 | Coref Arg1:T2 Arg2:T1", "* | Coref T3 T5", "A1 | Number T1 one"),
    "muc": muc.MUC,
    "xrenner": muc.XRENNER_TEXT,
    "sacr": sacr.SACR.replace("{set}", "set").replace("{1}", "1"),
    "booknlp": booknlp.ENTITIES,
    "knowtator": knowtator.XML,
}
NEIGHBOURS = {"a.txt": brat.TEXT, "9.txt": knowtator.TEXT, "a.tokens": booknlp.TOKENS}
REAL = {
    "litbank": "brat",
    "fr_litbank/brat": "brat",
    "fr_litbank/sacr": "sacr",
    "xrenner_example": "xrenner",
    "corefconversion": "sacr",
    "booknlp": "booknlp",
    "craft/coreference-annotation": "knowtator",
}


def attempt(format: str, data: bytes) -> None:
    """Strict, then lenient: an InputError is all that may come of it."""
    for lenient in (False, True):
        found = {name: text.encode() for name, text in NEIGHBOURS.items()}
        try:
            FORMATS[format].module.read(Source(data, "a.x", "", found.get, lenient))
        except InputError as error:
            assert error.message


@pytest.mark.parametrize("format", OWN)
def test_own_files_are_recognised(format: str) -> None:
    claimed = [name for name, f in FORMATS.items() if f.module.looks_like(OWN[format].encode())]
    assert claimed == [format]


@pytest.mark.parametrize("format", OWN)
def test_mutated_files_end_in_input_errors(format: str) -> None:
    chance = random.Random(format)
    text = OWN[format].encode()
    bits = [*(bytes([byte]) for byte in b'\0\xff\t\n {}<>";:'), b"&#x110000;", b"T1", b"99999999999999999999", b"-1"]
    for _ in range(400):
        data = bytearray(text)
        for _ in range(chance.randint(1, 4)):
            a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
            match chance.randrange(4):
                case 0:
                    data[a : min(b, a + 5)] = chance.choice(bits)
                case 1:
                    data[a:a] = chance.choice(bits)
                case 2:
                    data[a:a] = data[a:b]
                case _:
                    del data[a : min(b, a + 9)]
        attempt(format, bytes(data))
    for cut in range(0, len(text), 7):
        attempt(format, text[:cut])


N = 60_000
MENTIONS = "".join(f"T{i}\tA {i} {i + 1}\n" for i in range(N))
SPANS = '<annotation id="a"><class id="Noun Phrase"/>' + '<span start="1" end="2"/>' * N + "</annotation>"
HUGE = {
    "brat links": ("brat", MENTIONS + "".join(f"R{i}\tCoref Arg1:T{i + 1} Arg2:T{i}\n" for i in range(N - 1))),
    "brat equivalence": ("brat", MENTIONS + "*\tCoref " + " ".join(f"T{i}" for i in range(N))),
    "brat pieces": ("brat", "T1\tA " + ";".join(f"{2 * i} {2 * i + 1}" for i in range(N)) + "\tx\n"),
    "muc nested": ("muc", "".join(f'<COREF ID="{i}">' for i in range(N)) + "x" + "</COREF>" * N),
    "muc on one line": ("muc", "".join(f'<COREF ID="{i}">x</COREF> ' for i in range(N))),
    "muc tags without end": ("muc", '<COREF ID="1">x</COREF>' + "<a" * N),
    "muc quotes without end": ("muc", '<COREF ID="1">x</COREF>' + '<COREF ID="' * N),
    "muc attributes": ("muc", "<COREF ID=1 " + "a=" * N + ">x</COREF>"),
    "muc quotes": ("muc", "<COREF ID=1 " + '"' * N + ">x</COREF>"),
    "xrenner nested": ("xrenner", '<referent id="a">\n' * N + "x\n" + "</referent>\n" * N),
    "muc name": ("muc", "<" + "a" * N * 10),
    "sacr nested": ("sacr", "{A:b=c " * N + "x" + "}" * N),
    "sacr unclosed": ("sacr", "{A:b=c " * N),
    "sacr quotes": ("sacr", '{A:b="' * N),
    "sacr braces": ("sacr", "{" * N * 10),
    "sacr paragraphs": ("sacr", "{A:b=c x}\n\n" * N),
    "sacr blank lines": ("sacr", "{A:b=c x}" + "\n" * N * 10 + "x"),
    "booknlp": ("booknlp", booknlp.ENTITIES + "1\t0\t0\ta\tb\tEmma\n" * N),
    "knowtator spans": ("knowtator", knowtator.HEAD + SPANS + "<graph-space>" + knowtator.TAIL),
    "knowtator attribute": ("knowtator", f'<knowtator-project><document id="{"a" * N * 10}"/></knowtator-project>'),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
def test_large_and_odd_files_end(name: str) -> None:
    """Sixty thousand of a thing take a second; what grows with the square would hang here."""
    format, text = HUGE[name]
    FORMATS[format].module.looks_like(text.encode()[: 1 << 16])
    attempt(format, text.encode())


@real
def test_no_other_real_file_is_claimed() -> None:
    wrong = []
    for path in sorted(p for p in paths() if not p.name.endswith((".gz", ".zip"))):
        with open(path, "rb") as file:
            head = file.read(1 << 16)
        claimed = [name for name in OWN if FORMATS[name].module.looks_like(head)]
        place = path.relative_to(DATA).as_posix()
        if claimed and not any(place.startswith(start) and claimed == [format] for start, format in REAL.items()):
            wrong.append((place, claimed))
    assert wrong == []


@real
@pytest.mark.parametrize("folder", REAL)
def test_real_files_are_recognised(folder: str) -> None:
    suffixes = (".ann", ".sacr", ".sgml", ".xml", ".first3000lines")
    paths = [p for p in (DATA / folder).rglob("*") if p.suffix in suffixes and "tsv" not in p.parts]
    assert paths
    for path in paths:
        assert recognise(opened(find(str(path))[0][0])).name == REAL[folder]


@real
def test_a_directory_of_brat_with_its_texts() -> None:
    corpus = read(DATA / "litbank" / "brat")
    assert len(corpus.documents) == 6
    assert corpus.has_text
    assert not [issue for issue in corpus.issues if issue.code == "skipped-files"]


@real
def test_texts_elsewhere_are_no_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """CRAFT's articles are found from its annotation, whatever way its directory is called."""
    monkeypatch.chdir(DATA)
    for path in ("craft", "./craft", "craft/../craft", DATA / "craft"):
        corpus = read(path)
        assert len(corpus.documents) == 2
        assert corpus.has_text
        assert not [issue for issue in corpus.issues if issue.code == "skipped-files"]


def test_the_command_line(run: Run, tmp_path: Path) -> None:
    """Files are scored whatever they are, and what is wrong with one is reported with its place."""
    for format, text in OWN.items():
        path = tmp_path / format / "a.x"
        path.parent.mkdir()
        path.write_text(text)
        for name, words in NEIGHBOURS.items():
            (path.parent / name).write_text(words)
        assert run("score", path, path).code == 0, format
        path.write_text(text + "\nT1\tx {A:b <COREF ID=3> }\n</referent>\n</knowtator-project>\n")
        ran = run("score", path, path)
        assert ran.code == 3, format
        assert f"{path}:" in ran.err
    other = tmp_path / "b.conll"
    other.write_text(conll("(1)", "-", "(1)"))
    (tmp_path / "a.ann").write_text(OWN["brat"].encode("latin-1").decode() + "T9\tA 0 1\t\xe9\n", encoding="latin-1")
    ran = run("score", tmp_path / "a.ann", other)
    assert ran.code == 3
    assert "UTF-8" in ran.err
