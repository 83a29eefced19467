"""Bad input: a message with file:line:column where there is one, exit code 3, nothing on stdout, never a traceback."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import random
import re
from functools import partial
from pathlib import Path

import pytest

import coreflens as cl
from command import Run, conll
from places import DATA
from samples import paths


@pytest.fixture
def run(run: Run) -> Run:
    """`coreflens score ARGS`."""
    return partial(run, "score")


def jsonl(clusters: object, **more: object) -> str:
    return json.dumps({"doc_key": "nw/a_0", "sentences": [["a", "b"], ["c", "d"]], "clusters": clusters, **more}) + "\n"


def packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # the same bytes, and so the same test, in every process


GOOD = conll("(1)", "(2", "2)|(1)", "(2)")
GOOD_JSON = jsonl([[[0, 0], [2, 2]], [[1, 2], [3, 3]]])
GOOD_TABLE = "doc,mention,entity\nnw/a,m1,e1\nnw/a,m2,e1\nnw/b,m1,e2\n"
FOREVER = "x" * 200_000


# name → content, where the trouble is (":line:column", ":line" or "" where there is no line), a pattern of the message
BAD: dict[str, tuple[str | bytes, str, str]] = {
    "empty": ("", "", "empty"),
    "blank": (" \n\n\t\n", "", "empty"),
    "prose": ("It was a dark night.\nThe fox (an old one) slept.\n", ":1", "format"),
    "prose, one line": ("It was a dark night", ":1", "format"),
    "binary": (bytes(range(256)) * 20, "", "binary"),
    "no token": ("#begin document (a); part 000\n#end document\n", "", "no token"),
    "unclosed": (conll("(1)", "(2", "-"), ":3:13", "mention 2, opened here, is never closed"),
    "unclosed, two": (conll("(1", "(2", "-"), ":2:13", "mention 1, opened here, is never closed"),
    "unopened": (conll("(1)", "-", "2)"), ":4:13", "mention 2 is closed but was never opened"),
    "closed in the next document": (conll("(1") + conll("1)", name="nw/b"), ":[26]:13", "never closed|never opened"),
    "wrong order": (conll("1)", "(1"), ":2:13", "never opened"),
    "no bracket": (conll("(1)", "1", "-"), ":3:13", "'1'"),
    "empty bracket": (conll("(1)", "()", "-"), ":3:13", r"'\(\)'"),
    "two pipes": (conll("(1)", "(2)||(3)", "-"), ":3:13", r"\(2\)\|\|\(3\)"),
    "last column is something else": (conll("(1)", "noun", "-"), ":3:13", "noun"),
    "cut in the last line": (GOOD.split("nw/a\t0\t3")[0] + "nw/a\t0", ":5", "cut off"),
    "token outside a document": (GOOD + "nw/a\t0\t9\tw\t-\n", ":8", "outside|document"),
    "duplicate document": (GOOD + GOOD, ":8", "nw/a_0.* line 1"),
    "duplicate document, other spelling": (GOOD + GOOD.replace("part 000", "part 0"), ":8", "nw/a_0"),
    "Latin-1": (GOOD.replace("w1", "é").encode("latin-1"), ":3:10", "not UTF-8"),
    "NUL": (GOOD.replace("w1", "w\0"), ":3:11", "NUL"),
    "UTF-16 without mark": (GOOD.encode("utf-16-le"), "", "binary|UTF-16|utf-16"),
    "CR only": (GOOD.replace("\n", "\r"), "", "CR"),
    "gzip, cut": (packed(GOOD.encode())[:-12], "", "gzip"),
    "gzip, head only": (packed(GOOD.encode())[:5], "", "gzip"),
    "gzip, damaged": (packed(GOOD.encode())[:40] + b"\0" * 20 + packed(GOOD.encode())[60:], "", "gzip"),
    "gzip, of nothing": (packed(b""), "", "empty"),
    "bzip2": (bz2.compress(GOOD.encode()), "", "b(inary|zip|z2)"),
    "one huge line": ("x" * 3_000_000, ":1", "format"),
    "one huge cell": (f"#begin document (a);\nx\t{'(' * 1_000_000}\n", ":2:3", "not understood"),
    "JSON, broken": (GOOD_JSON + '{"doc_key": "b", "clusters": [[[0,\n', ":2:35", "JSON"),
    "JSON, cut": (GOOD_JSON[:-9], r":1:\d+", "JSON"),
    "JSON, several lines": (json.dumps(json.loads(GOOD_JSON), indent=1), r":1:\d+", "one .*line"),
    "JSON, a list": (GOOD_JSON + "[1, 2]\n", ":2", "list"),
    "JSON, no clusters": ('{"doc_key": "a", "sentences": [["a"]]}\n', ":1", "clusters"),
    "JSON, clusters are a number": (jsonl(3), ":1", "clusters"),
    "JSON, clusters are a dict": (jsonl({"1": [[0, 1]]}), ":1", "clusters"),
    "JSON, a cluster is a number": (jsonl([3]), ":1", "cluster"),
    "JSON, a mention is a number": (jsonl([[3]]), ":1", "mention"),
    "JSON, a mention is a word": (jsonl([["ab"]]), ":1", "mention"),
    "JSON, one number per mention": (jsonl([[[3]]]), ":1", "mention"),
    "JSON, a span of words": (jsonl([[["0", "1"]]]), ":1", "mention"),
    "JSON, the end first": (jsonl([[[2, 1]]]), ":1", r"\[2, 1\]"),
    "JSON, before the document": (jsonl([[[-1, 1]]]), ":1", r"\[-1, 1\]"),
    "JSON, behind the document": (GOOD_JSON + jsonl([[[0, 4]]], doc_key="b"), ":2", r"\[0, 4\].* 4 tokens"),
    "JSON, far behind": (jsonl([[[0, 10**30]]]), ":1", r"10{5}"),
    "JSON, far behind what is unknown": ('{"clusters": [[[0, 1' + "0" * 30 + "]]]}", ":1", r"10{5}"),
    "JSON, endless number": ('{"clusters": [[[0, 1' + "0" * 5000 + "]]]}", ":1", ""),
    "JSON, too deep": ('{"clusters": ' + "[" * 100_000 + "]" * 100_000 + "}", ":1", "nest"),
    "JSON, sentences are words": (jsonl([], sentences=["a b", "c"]), ":1", "sentences"),
    "JSON, Latin-1": (GOOD_JSON.replace("a", "é").encode("latin-1"), r":1:\d+", "not UTF-8"),
    "JSON, document twice": (GOOD_JSON * 2, ":2", "nw/a_0.* twice|already"),
    "JSON, other": ('{"type": "tree", "clusters": {"1": ["a", "b"]}}', "", "clusters"),
    "table, short row": (GOOD_TABLE + "nw/b,m2\n", ":5", "columns"),
    "table, no entity": (GOOD_TABLE + "nw/b,m2,\n", ":5", "empty"),
    "table, no mention": (GOOD_TABLE + "nw/b,,e1\n", ":5", "empty"),
    "table, no row": ("doc,mention,entity\n", ":1", "no row"),
    "table, cut in a quoted cell": (GOOD_TABLE + 'nw/b,m2,"e1', ":5", ""),
    "table, other columns": ("doc,word,colour\nnw/a,x,red\n", ":1", "format|column"),
    "table, NUL": (GOOD_TABLE + "nw/b,m\0,e1\n", ":5", "NUL"),
    "table, Latin-1": (GOOD_TABLE.encode() + b"nw/b,m\xe9,e1\n", ":5:7", "not UTF-8"),
    "table, huge cell": (GOOD_TABLE + f"nw/b,{FOREVER},e1\n", ":5", ""),
    "table, header never closed": ('mention,entity,"x\n' + "a,b,c\n" * 40_000, ":1", ""),
}


@pytest.mark.parametrize("side", ["key", "response"])
@pytest.mark.parametrize("case", BAD)
def test_bad_content(run: Run, tmp_path: Path, case: str, side: str) -> None:
    content, place, message = BAD[case]
    bad, good = tmp_path / "bad.input", tmp_path / "good"
    bad.write_bytes(content.encode() if isinstance(content, str) else content)
    good.write_text({"J": GOOD_JSON, "t": GOOD_TABLE}.get(case[0], GOOD), encoding="utf-8")
    ran = run(*((bad, good) if side == "key" else (good, bad)))
    assert (ran.code, ran.out) == (3, "")
    first = ran.err.splitlines()[0]
    assert re.match(rf"coreflens: error: {re.escape(str(bad))}{place}(:\d+)*: ", first), first[:400]
    assert re.search(message, first.split(": ", 3)[3] + ran.err.partition("hint:")[2]), ran.err[:400]
    assert len(first) < 600, "not the whole file"
    assert len(ran.err.splitlines()) <= 2


def test_missing(run: Run, tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text(GOOD, encoding="utf-8")
    for absent in (tmp_path / "absent", good / "below", tmp_path / ("x" * 5000)):
        for pair in ((absent, good), (good, absent)):
            ran = run(*pair)
            assert (ran.code, ran.out) == (3, "")
            assert str(absent)[:50] in ran.err


def test_no_path(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unset variable of the shell is no reason to read the current directory."""
    good = tmp_path / "good"
    good.write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for pair in (("", good), (good, "")):
        ran = run(*pair)
        assert ran.code in (2, 3)
        assert ran.out == ""
    with pytest.raises(cl.CoreflensError):
        cl.read("")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that can't be read, whoever one is")
def test_unreadable(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good").write_text(GOOD, encoding="utf-8")
    directory = tmp_path / "directory"
    directory.mkdir()
    (directory / "unreadable").symlink_to("/proc/self/mem")
    for unreadable in ("/proc/self/mem", directory / "unreadable", directory):
        ran = run(tmp_path / "good", unreadable)
        assert (ran.code, ran.out) == (3, "")
        assert str(unreadable) in ran.err
        assert "can't be read" in ran.err


def test_directories(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good").write_text(GOOD, encoding="utf-8")
    directory = tmp_path / "directory"
    directory.mkdir()

    def refused(*message: str) -> None:
        for pair in ((directory, tmp_path / "good"), (tmp_path / "good", directory)):
            ran = run(*pair)
            assert (ran.code, ran.out) == (3, "")
            assert all(part in ran.err for part in message), ran.err

    refused(str(directory), "no coreference file")
    (directory / "README").write_text("What this is.\n", encoding="utf-8")
    (directory / "empty.conll").write_bytes(b"")
    refused(str(directory), "no coreference file", "2 files")
    (directory / "bad.conll").write_text(conll("(1"), encoding="utf-8")
    refused("bad.conll:2:13: ", "never closed")
    (directory / "bad.conll").write_bytes(packed(GOOD.encode())[:-9])
    refused("bad.conll: ", "gzip")
    (directory / "bad.conll").write_text(GOOD, encoding="utf-8")
    (directory / "worse.conll").write_text(GOOD, encoding="utf-8")
    refused("worse.conll:1: ", "nw/a_0", "bad.conll:1")
    (directory / "worse.conll").write_text(GOOD_TABLE, encoding="utf-8")
    refused("name", "span")


# ----------------------------------------------------------------------------------------------------- other encodings


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.encode("utf-16"),
        GOOD.replace("\n", "\r\n").encode(),
        packed(GOOD.encode()),
        packed(GOOD[:40].encode()) + packed(GOOD[40:].encode()),
        packed(GOOD.encode("utf-16")),
        GOOD.replace("w1", "Zoë").encode(),
        GOOD.removesuffix("\n").encode(),
        GOOD.removesuffix("\n#end document\n").encode(),
    ],
    ids=["BOM", "UTF-16", "CRLF", "gzip", "two gzips", "UTF-16 in gzip", "UTF-8", "no newline", "no end"],
)
def test_odd_but_good(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "good").write_text(GOOD, encoding="utf-8")
    (tmp_path / "odd").write_bytes(content)
    ran = run(tmp_path / "good", tmp_path / "odd", "-m", "bcub", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["scores"]["bcub"]["f1"] == 1


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize(
    "text", [GOOD.replace("w1", "é"), GOOD_JSON.replace("c", "é"), GOOD_TABLE.replace("m1", "é")], ids="cjt"
)
def test_encoding(run: Run, tmp_path: Path, encoding: str, text: str) -> None:
    text = text.replace("élusters", "clusters").replace("sentenées", "sentences").replace("doé", "doc")
    (tmp_path / "file").write_bytes(text.encode(encoding))
    ran = run(tmp_path / "file", tmp_path / "file", "-m", "bcub", "--encoding", encoding)
    assert ran.code == 0
    assert all("[same-file]" in line for line in ran.err.splitlines()), ran.err
    if encoding in ("latin-1", "cp1252"):
        ran = run(tmp_path / "file", tmp_path / "file")
        assert (ran.code, ran.out) == (3, "")
        assert "--encoding latin-1" in ran.err
        ran = run(tmp_path / "file", tmp_path / "file", "--encoding", "ascii")
        assert (ran.code, ran.out) == (3, "")
        assert str(tmp_path / "file") in ran.err


def test_encoding_of_a_lie(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(GOOD, encoding="utf-8")
    ran = run(tmp_path / "file", tmp_path / "file", "--encoding", "utf-16")
    assert (ran.code, ran.out) == (3, "")
    ran = run(tmp_path / "file", tmp_path / "file", "--encoding", "rot13")
    assert (ran.code, ran.out) == (2, "")
    assert "rot13" in ran.err


# --------------------------------------------------------------------------------------------- files that do not belong


@pytest.mark.parametrize(
    ("key", "response", "messages"),
    [
        (conll("(1)", name="a"), conll("(1)", name="b"), ["response:1: ", "'a_0'", "'b_0'", "--pair file"]),
        (conll("(1)"), conll("(1)", part=1), ["response:1: ", "'nw/a_0'", "'nw/a_1'", "--pair file"]),
        (GOOD + conll("-", name="c"), conll("(1)", name="b"), ["response:1: ", "'nw/a_0'", "'b_0'"]),
        (conll("(1)", "-", "-"), conll("-", "(1", "1)").replace("w1", "x"), ["response", "no mention in common"]),
        (conll("(1)", "(1)"), conll("(1)", "(1)", "-"), ["response:1: ", "2 tokens in the key", "3 in the response"]),
        (GOOD, jsonl([[[0, 1]]], sentences=[["a", "b"]]), ["response:1: ", "4 tokens in the key", "2 in the response"]),
        (GOOD_TABLE, "doc,mention,entity\nx,m1,e1\n", ["response:2: ", "'nw/a'", "'x'"]),
        (GOOD_TABLE, "doc,mention,entity\nnw/a,x,e1\nnw/b,y,e1\n", ["response", "no mention in common"]),
        (GOOD, "doc,mention,entity\nnw/a,x,e1\n", ["key", "response", "name", "span"]),
        (GOOD_TABLE.replace("nw/b", "nw/a"), conll("(1)"), ["key", "response", "name", "span"]),
        (GOOD, GOOD + conll("(1)", name="nw/b"), ["response:8: ", "'nw/b_0'", "--extra"]),
        (jsonl([]), jsonl([]) + jsonl([], doc_key="x") * 2, ["response", "'x'"]),
    ],
    ids=[
        *("other name", "other part", "no document in common", "no mention in common", "tokens", "tokens of jsonlines"),
        *("table: no document in common", "table: no mention in common", "spans and names", "names and spans"),
        *("extra document", "extra document twice"),
    ],
)
def test_unrelated(run: Run, tmp_path: Path, key: str, response: str, messages: list[str]) -> None:
    (tmp_path / "key").write_text(key, encoding="utf-8")
    (tmp_path / "response").write_text(response, encoding="utf-8")
    ran = run(tmp_path / "key", tmp_path / "response")
    assert (ran.code, ran.out) == (3, "")
    assert all(part in ran.err for part in messages), ran.err
    assert "hint: " in ran.err


@pytest.mark.parametrize("policy", ["ignore", "count"])
def test_document_twice_in_what_only_the_response_has(run: Run, tmp_path: Path, policy: str) -> None:
    (tmp_path / "key").write_text(GOOD_JSON, encoding="utf-8")
    (tmp_path / "response").write_text(GOOD_JSON + jsonl([], doc_key="x") * 2, encoding="utf-8")
    ran = run(tmp_path / "key", tmp_path / "response", "--extra", policy)
    assert (ran.code, ran.out) == (3, "")
    assert "response:3" in ran.err


def test_pair_file_helps(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll("(1)", "(1)", name="x") + conll("(1)", name="y"), encoding="utf-8")
    (tmp_path / "b.conll").write_text(conll("(1)", "(1)", name="v") + conll("(1)", name="w"), encoding="utf-8")
    (tmp_path / "c.conll").write_text(conll("(1)", "(1)", name="v"), encoding="utf-8")
    ran = run(tmp_path / "a.conll", tmp_path / "b.conll", "--pair", "file", "-m", "bcub", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["scores"]["bcub"]["counts"]["recall_num"] == 3
    ran = run(tmp_path / "a.conll", tmp_path / "c.conll", "--pair", "file")
    assert (ran.code, ran.out) == (3, "")
    assert "2 documents" in ran.err
    assert " 1 " in ran.err


# --------------------------------------------------------------------------------------------------------- real files

OTHERS = [
    ("xrenner_example", "*.conll10", "CoNLL-U without coreference"),
    ("corefpro_mmax2", "**/*primmark_level.xml", "a level of an MMAX2 project without its .mmax or words file,"),
]


@pytest.mark.parametrize(("directory", "pattern", "name"), OTHERS)
def test_other_formats(run: Run, tmp_path: Path, directory: str, pattern: str, name: str) -> None:
    found = sorted(p for p in (DATA / directory).glob(pattern) if p.is_file())
    if not found:
        pytest.skip(f"no {directory}/{pattern} here")
    (tmp_path / "good").write_text(GOOD, encoding="utf-8")
    for pair in ((found[0], tmp_path / "good"), (tmp_path / "good", found[0])):
        ran = run(*pair)
        assert (ran.code, ran.out) == (3, "")
        assert str(found[0]) in ran.err
        assert name in ran.err
        assert "hint: " in ran.err


@pytest.mark.slow
def test_no_real_file_breaks_it(run: Run) -> None:
    """The smallest files of every kind there is: scored or refused, and perfect against themselves."""
    if not DATA.is_dir():
        pytest.skip("no data here")
    kinds: dict[tuple[str, str], Path] = {}
    for path in sorted(paths(), key=lambda p: (p.stat().st_size, p)):
        kinds.setdefault((path.relative_to(DATA).parts[0], path.suffix), path)
    for path in kinds.values():
        if path.stat().st_size < 2_000_000:
            ran = run(path, path, "-m", "bcub,ceafe", "--format", "json")
            assert ran.code in (0, 3), path
            if "rucor" in str(path):  # holds both sides
                assert (ran.code, "left-out" in ran.err) == (0, True)
            elif path.name == "wiki-span.json":  # its two annotators are key and response
                assert ran.code == 0
            elif ran.code == 0 and "[empty-key]" not in ran.err:
                assert {s["f1"] for s in json.loads(ran.out)["scores"].values()} == {1}, path
            else:
                assert str(path) in ran.err


# --------------------------------------------------------------------------------------------------------------- fuzz

TINY = "#begin document (a);\nx (1)\ny -\nz (1)\n#end document\n"
SEEDS = [text.encode() for text in (GOOD + conll("(7", "-", "7)", name="nw/b"), TINY, GOOD_JSON * 2, GOOD_TABLE)]
PIECES = [b"(", b")", b"|", b"\t", b"\n", b"\r", b" ", b"-", b"\0", b"\xff", b'"', b",", b"[", b"]", b"{", b"}", b"#"]
PIECES += [b"1)", b"(1", b"#begin document ", b"#end document\n", b"99999999999999999999", b"\xef\xbb\xbf", b"\x1f\x8b"]
PIECES += [b"\xff\xfe", b"\xc3", b"null", b"-1", b"; part ", b"1e999", b"\\ud800", b"\x0b", b"\x85", b"\xe2\x80\xa8"]


def mutated(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        b = min(b, a + chance.choice((0, 1, 3, 40)))
        match chance.randrange(5):
            case 0:
                data = data[:a] + data[b:]
            case 1:
                data = data[:a] + chance.choice(PIECES) + data[b:]
            case 2:
                data = data[:a] + chance.randbytes(chance.randrange(4)) + data[b:]
            case 3:
                data = data[:b] + data[a:]
            case _:
                data = data[: a or None]
        data = data or b"x"
    return data


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_fuzz(run: Run, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    good, bad = tmp_path / "good", tmp_path / "bad"
    codes = []
    for _ in range(120):
        original = chance.choice(SEEDS)
        data = mutated(original, chance) if chance.random() < 0.9 else chance.randbytes(chance.randrange(1, 300))
        if chance.random() < 0.1:
            data = mutated(packed(data), chance)
        good.write_bytes(original)
        bad.write_bytes(data)
        forced = chance.choice(((), (), (), ("--response-format", chance.choice(("conll", "jsonlines", "table")))))
        sides = chance.choice(((good, bad), (bad, bad)))
        ran = run(*sides, "-m", "all", *forced, *chance.choice(((), ("--extra", "count"), ("--exact",))))
        codes.append(ran.code)
        assert ran.code in (0, 3), data
        assert (ran.out == "") == (ran.code == 3), data
        if ran.code == 3:
            assert ran.err.startswith("coreflens: error: "), data
    assert {0, 3} == set(codes)
