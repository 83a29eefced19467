"""Hostile submissions to a competition: each has a clear message and a failed run, and none has a score.

Each row of the table makes a folder `res` beside the key, as the platform does, and says what the team is told.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import shutil
import socket
import stat
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import coreflens as cl
from command import Run, conll
from coreflens import formats
from coreflens.formats import Input
from coreflens.integrations import codabench
from coreflens.scoring.scorer import Scorer

KEY = conll("(1)", "-", "(1)", "(2)", "(2)", "(3)") + conll("(1)", "(1)", "-", "(2)", "-", "(1)", name="nw/b")
TEAM = conll("(7)", "(7)", "(7)", "(8)", "-", "(8)") + conll("(1)", "(2)", "-", "(2)", "-", "(1)", name="nw/b")
SMALL = {"unpacked": 1 << 20, "total": 1 << 21, "line": 1 << 16}  # limits of the competition, in bytes


class Platform(NamedTuple):
    """The folders of one run, and how a run ends."""

    folder: Path

    @property
    def res(self) -> Path:
        return self.folder / "input" / "res"

    @property
    def key(self) -> Path:
        return self.folder / "input" / "ref" / "key" / "key.conll"

    def run(self) -> tuple[int, bool]:
        """The exit code, and whether there is any score."""
        output = self.folder / "output"
        code = codabench.score_folders(self.folder / "input", output)
        return code, any((output / name).exists() for name in ("scores.json", "scores.txt", "coreflens.counts"))


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    made = Platform(tmp_path / "app")
    made.key.parent.mkdir(parents=True)
    made.key.write_text(KEY, "utf-8")
    made.res.mkdir()
    (made.res / "team.conll").write_text(TEAM, "utf-8")
    settings(made)
    (tmp_path / "outside.conll").write_text(TEAM, "utf-8")
    return made


def settings(platform: Platform, lenient: bool = False, **limits: int) -> None:
    made = {"lenient": lenient, "settings": {"metrics": "conll"}, "limits": limits or SMALL}
    (platform.folder / "input" / "ref" / "settings.json").write_text(json.dumps(made), "utf-8")


Making = Callable[[Platform], object]


def link(name: str, target: str) -> Making:
    """A link of that name; KEY, REF, TMP in its target are places on the platform."""

    def make(platform: Platform) -> None:
        places = {"KEY": platform.key, "REF": platform.folder / "input" / "ref", "TMP": platform.folder.parent}
        where = target
        for word, place in places.items():
            where = where.replace(word, str(place))
        path = platform.res / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(where)

    return make


def chain(platform: Platform) -> None:
    (platform.res / "a").symlink_to("b")
    (platform.res / "b").symlink_to("../ref/key")


def hard_link(name: str) -> Making:
    def make(platform: Platform) -> None:
        (platform.res / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(platform.key, platform.res / name)

    return make


def linked_folder_with_hard_link(platform: Platform) -> None:
    hard_link(".d/k.conll")(platform)
    (platform.res / "d").symlink_to(".d")


def listening(platform: Platform) -> None:
    here = os.getcwd()
    os.chdir(platform.res)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("s.conll")
    finally:
        os.chdir(here)


def device(platform: Platform) -> None:
    try:
        os.mknod(platform.res / "zero.conll", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root may make a device")


def file(name: str | bytes, content: str | bytes = TEAM) -> Making:
    def make(platform: Platform) -> None:
        path = os.path.join(os.fsencode(platform.res), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(path, "wb") as opened:
                opened.write(content.encode() if isinstance(content, str) else content)
        except OSError:
            pytest.skip("this file system has no such names")

    return make


def only(name: str, content: str | bytes) -> Making:
    """Nothing but this file."""

    def make(platform: Platform) -> None:
        (platform.res / "team.conll").unlink()
        file(name, content)(platform)

    return make


def files(**content_by_name: str) -> Making:
    """Nothing but these files; an underscore is a point. PATH in a content is the path of the key."""

    def make(platform: Platform) -> None:
        (platform.res / "team.conll").unlink()
        for name, content in content_by_name.items():
            file(name.replace("_", "."), content.replace("PATH", str(platform.key)))(platform)

    return make


def file_instead_of_folder(platform: Platform) -> None:
    shutil.rmtree(platform.res)
    platform.res.write_text(GONE)


def link_instead_of_file(platform: Platform) -> None:
    (platform.res / "team.conll").unlink()
    link("team.conll", "KEY")(platform)


def sparse(number: int, length: int) -> Making:
    def make(platform: Platform) -> None:
        for n in range(number):
            with open(platform.res / f"{n}.conll", "wb") as opened:
                opened.truncate(length)

    return make


def many(number: int, content: str = "") -> Making:
    def make(platform: Platform) -> None:
        for n in range(number):
            (platform.res / f"{n}.conll").write_text(content)

    return make


def zipped(*names: str, mode: int = 0o100644, content: bytes = b"../ref/key/key.conll") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            member.create_system = 3  # Unix
            archive.writestr(member, content)
    return packed.getvalue()


class Malice:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("echo this must not run >pickled",)


def pickled() -> bytes:
    return pickle.dumps(Malice())


KNOWTATOR = (
    '<?xml version="1.0"?>\n<knowtator-project><document id="a" text-file="{}"><annotation id="b">'
    '<class id="NP"/><span start="0" end="3">the</span></annotation></document></knowtator-project>\n'
)
LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><knowtator-project>&b;'
    '<document id="a"/></knowtator-project>\n'
)
EXTERNAL = (
    '<?xml version="1.0"?>\n<!DOCTYPE l [<!ENTITY a SYSTEM "file://PATH">]>'
    '<knowtator-project>&a;<document id="a"/></knowtator-project>\n'
)
LEVEL = (
    '<?xml version="1.0"?>\n<markables><markable id="markable_1" span="word_1..word_2" coref_class="set_1"/>'
    "</markables>\n"
)
DEEP = '{"doc_key": "nw/a", "sentences": [["a"]], "clusters": ' + "[" * 5000 + "]" * 5000 + "}\n"
DIGITS = '{"doc_key": "nw/a", "sentences": [["a"]], "clusters": [[[0, ' + "9" * 9000 + "]]]}\n"
NEGATIVE = '{"doc_key": "nw/a", "sentences": [["w0", "w1"]], "clusters": [[[-5, -1]]]}\n'
TWICE = '{"doc_key": "nw/a", "doc_key": "nw/b", "sentences": [["w0", "w1"]], "clusters": [[[0, 1]]]}\n'
GONE = TEAM.partition("#end document\n")[0] + "#end document\n"
ZEROS = gzip.compress(b"\0" * (1 << 22))

OUT, OF_KEY, CONTROL = "leads out of the submission", "a file of the key", "control characters"
LARGE, MISSING = "are allowed", "of the task"

HOSTILE: dict[str, tuple[Making, str]] = {
    # links
    "a link to the key": (link("k.conll", "KEY"), OF_KEY),
    "the same, relative": (link("k.conll", "../ref/key/key.conll"), OF_KEY),
    "a link to the folder of the key": (link("k", "REF/key"), OUT),
    "the same, relative, as in the issue": (link("k", "../ref/key"), OUT),
    "a link in a folder": (link("a/b/c/k.conll", "KEY"), OF_KEY),
    "a hidden link": (link(".k.conll", "KEY"), OF_KEY),
    "a link in a hidden folder": (link(".git/k", "KEY"), OF_KEY),
    "a chain of links": (chain, OUT),
    "a link through /proc": (link("k.conll", "/proc/self/rootKEY"), OF_KEY),
    "a link to /proc/self/environ": (link("k.conll", "/proc/self/environ"), OUT),
    "a link to the working folder of the process": (link("k", "/proc/self/cwd"), OUT),
    "a link to an open file": (link("k.conll", "/proc/self/fd/0"), OUT),
    "a link to /": (link("k", "/"), OUT),
    "a link to the parent": (link("k", ".."), OUT),
    "a link to the settings": (link("k.conll", "REF/settings.json"), OUT),
    "a link to somebody else's submission": (link("k.conll", "TMP/outside.conll"), OUT),
    "a link to a folder with a similar name": (link("k", "../res2"), OUT),
    "a link to /dev/zero": (link("k.conll", "/dev/zero"), OUT),
    "a link to /dev/stdin": (link("k.conll", "/dev/stdin"), OUT),
    "a link to /etc/passwd as the text of a file": (link("k.txt", "/etc/passwd"), OUT),
    "a link to nothing outside": (link("k.conll", "/nowhere/at/all"), OUT),
    "a link to nothing inside": (link("k.conll", "nowhere"), "a link to nothing"),
    "a link to itself": (link("k.conll", "k.conll"), "a link to nothing"),
    "a link with a hostile name": (link("\x1b[2Jk.conll", "KEY"), CONTROL),
    "a hard link to the key": (hard_link("k.conll"), OF_KEY),
    "a hard link as a text": (hard_link("team.txt"), OF_KEY),
    "a hidden hard link": (hard_link(".x/k.conll"), OF_KEY),
    "a hard link behind a link": (linked_folder_with_hard_link, OF_KEY),
    # devices and special files
    "a pipe": (lambda p: os.mkfifo(p.res / "pipe.conll"), "a pipe"),
    "a hidden pipe": (lambda p: os.mkfifo(p.res / ".pipe"), "a pipe"),
    "a socket": (listening, "a socket"),
    "a device": (device, "a device"),
    # bombs
    "a bomb": (only("a.conll.gz", ZEROS), "more than the limit of 1 MB"),
    "many small bombs": (
        lambda p: [file(f"{n}.gz", gzip.compress(TEAM.encode() * 2000))(p) for n in range(4)],
        "more than the limit of",
    ),
    "a bomb in a bomb": (only("a.conll.gz", gzip.compress(ZEROS)), "no coreference file"),
    "laughs in XML": (only("a.xml", LAUGHS), "no coreference file"),
    "nested lists": (only("a.jsonl", DEEP), "nested"),
    "digits": (only("a.jsonl", DIGITS), "digits"),
    "a line that is too long": (only("a.conll", TEAM.replace("w1", "w" * (1 << 17), 1)), "--max-line"),
    "a large file with nothing in it": (sparse(1, (1 << 20) + 1), LARGE),
    "large files with nothing in them": (sparse(3, 1 << 20), LARGE),
    "too many files": (many(10_001), "more than 10,000 files"),
    # names
    "a name that clears the screen": (file("\x1b[2J.conll"), CONTROL),
    "a name with a line break": (file("a\naccepted.conll"), CONTROL),
    "a name that is written backwards": (file("\u202ellnoc.a"), CONTROL),
    "a name with a bell, hidden": (file(".\a"), CONTROL),
    "a folder with a return": (file("a\r/b.conll"), CONTROL),
    "a name that is not UTF-8": (file(b"\xff\xfe.conll"), CONTROL),
    "a document with a hostile name": (only("a.conll", KEY.replace("nw/a", "\x1b[31mnw/a")), "error"),
    "an archive with an absolute name": (only("a.zip", zipped("/etc/passwd", content=TEAM.encode())), "error"),
    # paths to the key elsewhere
    "the path of the key in Knowtator": (files(a_xml=KNOWTATOR.format("PATH")), "names a file in another place"),
    "a relative path in Knowtator": (
        files(a_xml=KNOWTATOR.format("../../../input/ref/key/key.conll")),
        "error",
    ),
    "the path of the key in XML": (files(a_xml=EXTERNAL), "no coreference file"),
    "the path of the key in MMAX2": (
        files(a_mmax="<mmax_project><words>PATH</words></mmax_project>", **{"a-coref-level_xml": LEVEL}),
        "error",
    ),
    "the path of the key as a document": (only("a.conll", KEY.replace("nw/a", "/app/input/ref/key")), "error"),
    "a list of files": (only("a.txt", "../ref/key/key.conll\n"), "no coreference file"),
    # contents
    "nothing": (lambda p: (p.res / "team.conll").unlink(), "no coreference file"),
    "an empty file": (only("a.conll", ""), "empty"),
    "no folder": (lambda p: shutil.rmtree(p.res), "no such file"),
    "a file that is no folder": (
        file_instead_of_folder,
        "1 document of the task is missing",
    ),
    "bytes": (only("a.conll", bytes(range(256)) * 9), "no coreference file"),
    "a NUL": (only("a.conll", TEAM.replace("w1", "w\0", 1)), "error"),
    "half a gzip": (only("a.gz", gzip.compress(TEAM.encode())[:-9]), "error"),
    "half a Parquet file": (only("a.parquet", b"PAR1" + b"\xff" * 99 + b"PAR1"), "error"),
    "a Parquet file with an absurd size": (only("a.parquet", b"PAR1" + struct.pack("<I", 1 << 31) + b"PAR1"), "error"),
    "a program": (only("a.pkl", pickled()), "error"),
    "a database": (only("a.duckdb", b"\0" * 8 + b"DUCK" + b"\0" * 4096), "error"),
    "brackets that never close": (only("a.conll", TEAM.replace("(8)", "(8" * 9, 1)), "error"),
    "a mention before the text": (only("a.jsonl", NEGATIVE), "error"),
    "a name twice in JSON": (only("a.jsonl", TWICE), "twice"),
    "one document only": (only("a.conll", GONE), "1 document of the task is missing"),
    "a document twice": (file("b.conll", TEAM), "occurs twice"),
    "other words": (only("a.conll", TEAM.replace("w1", "W", 1)), "tokens than the task"),
    "another document": (file("c.conll", conll("(1)", "(1)", name="x")), "not part of the task"),
}
BOUNDARY = [name for name, (_, told) in HOSTILE.items() if told in (OUT, OF_KEY, CONTROL, LARGE) or "a link" in told]


def fails(platform: Platform, capfd: pytest.CaptureFixture[str], told: str) -> None:
    """The run ends with an error that has these words, writes no score, and sends nothing to a terminal."""
    code, scored = platform.run()
    said = "".join(capfd.readouterr())
    assert code in (1, 3) and not scored, said
    assert told in said and ("error" in said), said
    assert all(character.isprintable() or character == "\n" for character in said)


def test_there_are_enough() -> None:
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_submission_has_a_score(platform: Platform, capfd: pytest.CaptureFixture[str], name: str) -> None:
    make, told = HOSTILE[name]
    make(platform)
    fails(platform, capfd, told)
    assert platform.key.read_text("utf-8") == KEY


@pytest.mark.parametrize("name", BOUNDARY)
def test_a_lenient_competition_has_the_same_boundary(
    platform: Platform, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    settings(platform, lenient=True)
    make, told = HOSTILE[name]
    make(platform)
    fails(platform, capfd, told)


def test_the_same_submission_without_malice_has_a_score(platform: Platform, capfd: pytest.CaptureFixture[str]) -> None:
    assert platform.run() == (0, True)
    assert "identical" not in "".join(capfd.readouterr())


def test_links_within_a_submission_are_followed(platform: Platform) -> None:
    (platform.res / "runs").mkdir()
    (platform.res / "team.conll").rename(platform.res / "runs" / "7")
    (platform.res / "runs" / "last").symlink_to("7")
    (platform.res / "runs" / "7").rename(platform.res / ".7")
    (platform.res / "runs" / "last").unlink()
    (platform.res / "runs" / "last").symlink_to("../.7")
    assert platform.run() == (0, True)


def test_the_key_as_a_response_is_scored_and_flagged(platform: Platform, capfd: pytest.CaptureFixture[str]) -> None:
    (platform.res / "team.conll").write_text(KEY.replace("(1)", "(91)"), "utf-8")
    assert platform.run() == (0, True)
    scores = json.loads((platform.folder / "output" / "scores.json").read_text())
    assert scores["conll"] == 100
    assert "[identical]" in "".join(capfd.readouterr())
    assert "identical" in (platform.folder / "output" / "detailed_results.html").read_text("utf-8")


CHANGES: dict[str, Making] = {
    "another content": lambda p: (p.res / "team.conll").write_text(KEY),
    "the same length and time": lambda p: same_length_and_time(p.res / "team.conll"),
    "another file in its place": lambda p: os.replace(shutil.copy(p.key, p.res / ".new"), p.res / "team.conll"),
    "a new file": lambda p: (p.res / "b.conll").write_text(""),
    "a file that goes": lambda p: (p.res / "team.conll").unlink(),
    "cut off": lambda p: os.truncate(p.res / "team.conll", 40),
    "a link in its place": link_instead_of_file,
}


def same_length_and_time(path: Path) -> None:
    before = path.stat()
    path.write_text(TEAM.replace("(7)", "(8)"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("moment", ["before it is scored", "while it is scored"])
@pytest.mark.parametrize("name", CHANGES)
def test_files_that_change_while_they_are_read(
    platform: Platform,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    moment: str,
) -> None:
    changed: list[int] = []

    def change() -> None:
        if not changed:
            changed.append(CHANGES[name](platform) is None)

    class Meanwhile(Scorer):
        def read(self, response: Input) -> cl.Corpus:
            if moment == "before it is scored":
                change()
            read = super().read(response)
            change()
            return read

    monkeypatch.setattr("coreflens.integrations.codabench.Scorer", Meanwhile)
    code, scored = platform.run()
    assert changed and code in (1, 3) and not scored
    assert "error" in "".join(capfd.readouterr())


def test_files_that_change_while_they_are_checked(
    platform: Platform, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(source: str, **settings: object) -> cl.Corpus:
        corpus: cl.Corpus = formats.read(source, **settings)  # type: ignore[arg-type] # as it is called
        if settings["role"] == "response":
            (platform.res / "team.conll").write_text(KEY)
        return corpus

    monkeypatch.setattr("coreflens.corpora.submission.read", read)
    fails(platform, capfd, "changed while they were read")


ARCHIVES: dict[str, tuple[bytes, str]] = {
    "a link to the key": (zipped("k.conll", mode=stat.S_IFLNK | 0o777), "a link in an archive"),
    "a link within the archive": (zipped("k.conll", mode=stat.S_IFLNK | 0o777, content=b"l"), "a link in an archive"),
    "a hidden link": (zipped(".k", mode=stat.S_IFLNK | 0o777), "a link in an archive"),
    "a device": (zipped("zero", mode=stat.S_IFCHR | 0o666), "a device"),
    "a pipe": (zipped("pipe", mode=stat.S_IFIFO | 0o666), "a pipe"),
    "a hostile name": (zipped("\x1b[2J.conll"), CONTROL),
    "an absolute name": (zipped("/etc/passwd"), "outside itself"),
    "a name that leads out": (zipped("a/../../key.conll"), "outside itself"),
    "a drive": (zipped("C:key.conll"), "outside itself"),
    "too many members": (zipped(*map(str, range(10_001)), content=b""), "more than 10,000 members"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives(run: Run, platform: Platform, name: str) -> None:
    packed, told = ARCHIVES[name]
    archive = platform.folder / "team.zip"
    archive.write_bytes(packed)
    ran = run("check-submission", platform.key, archive)
    assert ran.code in (1, 3) and told in ran.out + ran.err and "accepted\n" not in ran.out


def test_links_in_an_archive_are_left_out_of_scores_and_reported(run: Run, platform: Platform) -> None:
    packed = io.BytesIO(zipped("k.conll", mode=stat.S_IFLNK | 0o777))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("team.conll", TEAM)
    (platform.folder / "team.zip").write_bytes(packed.getvalue())
    ran = run("score", platform.key, platform.folder / "team.zip")
    assert ran.code == 0 and "k.conll: a link in an archive" in ran.err


def test_a_submission_that_is_itself_a_link(run: Run, platform: Platform) -> None:
    (platform.folder / "team").symlink_to(platform.res)
    ran = run("check-submission", platform.key, platform.folder / "team")
    assert ran.code == 1 and "this is itself a link" in ran.out and "give the path that it leads to" in ran.out
    assert run("check-submission", platform.key, platform.folder / "team", "--allow-outside").code == 0
    (platform.folder / "k").symlink_to(platform.key)
    for target in (platform.folder / "k", platform.folder / "k2"):
        ran = run("check-submission", platform.key, target, "--allow-outside")
        assert ran.code == 1 and "key-link" in ran.out
        os.link(platform.key, platform.folder / "k2") if target.name == "k" else None
    assert run("check-submission", platform.key, platform.key).code == 0  # whoever names it twice means it


def test_links_that_the_organisers_trust(run: Run, platform: Platform) -> None:
    (platform.res / "team.conll").unlink()
    link("team.conll", "TMP/outside.conll")(platform)
    assert run("check-submission", platform.key, platform.res).code == 1
    assert run("check-submission", platform.key, platform.res, "--allow-outside").code == 0
    link("k.conll", "KEY")(platform)
    ran = run("check-submission", platform.key, platform.res, "--allow-outside")
    assert ran.code == 1 and OF_KEY in ran.out


def test_limits_of_the_bundle_hold_for_submissions(run: Run, platform: Platform) -> None:
    bundle = platform.folder / "task.zip"
    assert run("bundle", platform.key, bundle, "-m", "conll", "--max-unpacked", "3M").code == 0
    with zipfile.ZipFile(bundle) as archive:
        assert json.loads(archive.read("reference_data/settings.json"))["limits"] == {"unpacked": 3 << 20}


@pytest.mark.endurance
def test_a_hundred_thousand_files(platform: Platform, capfd: pytest.CaptureFixture[str]) -> None:
    many(100_000)(platform)
    fails(platform, capfd, "more than 10,000 files")


@pytest.mark.endurance
def test_lines_of_two_gigabytes(platform: Platform, capfd: pytest.CaptureFixture[str]) -> None:
    settings(platform, line=1 << 28)
    sparse(1, (1 << 31) + 1)(platform)
    fails(platform, capfd, LARGE)
    settings(platform, unpacked=1 << 33, total=1 << 33)
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 1 << 33 and sys.maxsize > 1 << 32:
        fails(platform, capfd, "error")
