"""A file that may not be read is an error of the input, wherever a command takes one: its name, and exit code 3."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import Run, conll
from places import ROOT

# {secret} is a directory of files that nobody may read. The other files are good.
READS = """\
score {secret}/k.conll k.conll
score k.conll {secret}/k.conll
score k.conll k.conll --against {secret}/k.conll
score k.conll k.conll --heads {secret}/k.conll --match head
score k.conll k.conll --by {secret}/t.csv
score k.conll k.conll --scope {secret}/t.csv
score k.conll k.conll --entities {secret}/t.txt
explain {secret}/k.conll k.conll
diagnose {secret}/k.conll k.conll
diagnose k.conll {secret}/k.conll
diagnose k.conll k.conll --against {secret}/k.conll
view {secret}/k.conll k.conll out.html
view k.conll {secret}/k.conll out.html
pair {secret}/k.conll k.conll
pair k.conll {secret}/k.conll
compare {secret}/k.conll k.conll
compare k.conll {secret}/k.conll
compare {secret}/t.toml
compare --from-table {secret}/t.csv
correlate {secret}/k.conll k.conll k.conll
correlate --tables {secret}/t.csv
counts merge {secret}/c.counts c.counts out.counts
history add {secret}/h.jsonl c.counts --label v1
history add out.jsonl {secret}/c.counts --label v1
history show {secret}/h.jsonl
history plot {secret}/h.jsonl out.svg
check-submission {secret}/k.conll k.conll
bundle {secret}/k.conll out.zip
convert {secret}/k.conll out.jsonl
convert k.conll out.jsonl --to prompts --template {secret}/t.txt
convert a.jsonl out.conll --join --prompts {secret}/p.jsonl
describe {secret}/k.conll
describe k.conll --against {secret}/k.conll
task layers {secret}/k.conll out
task layers k.conll out --predicted {secret}/k.conll
task join {secret} out.conll
task split {secret}/t.txt out
task skeleton {secret}/k.conll out
task conditions {secret}/k.conll out.conll --condition official
task conditions k.conll out.conll --condition official --input {secret}/k.conll
agree {secret}/k.conll k.conll
agree k.conll {secret}/k.conll
agree --categories {secret}/t.csv
quiz make {secret}/k.conll out.jsonl
quiz score {secret}/q.jsonl a.jsonl
resolve {secret}/k.conll out.conll --system sieve
resolve k.conll out.conll --system sieve --gender {secret}/t.txt
resolve k.conll out.conll --system oracle --key {secret}/k.conll
resolve k.conll out.conll --system mention-pair --model {secret}/m.json
resolve --system mention-pair --train {secret}/k.conll --model out.json
tune {secret}/k.conll --system sieve --param window=0,1
tune k.conll --system sieve --param window=0,1 --trials {secret}/h.jsonl
tune k.conll --system mention-pair --model {secret}/m.json --param threshold=.1,.2
ablate {secret}/k.conll --system sieve
ablate k.conll --system mention-pair --train {secret}/k.conll
curve {secret}/t.csv t.csv --score p
curve truth.csv {secret}/t.csv --score p
minimal-pairs {secret}/k.conll k.conll --template id --factor x
minimal-pairs k.conll k.conll --template id --factor x --labels {secret}/t.csv
sweep {secret}/k.conll k.conll
sweep k.conll {secret}/k.conll
probe {secret}/k.conll
corefud-scorer {secret}/k.conllu k.conllu
""".splitlines()


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of files that may not be read, beside good ones; for root, who may read everything, there is none."""
    folder = tmp_path / "secret"
    folder.mkdir()
    good = {
        "k.conll": conll("(1)", "(1)", "(2)"),
        "t.csv": "document,topic\nnw/a,x\n",
        "truth.csv": "doc,mention,entity\nnw/a,m1,e1\nnw/a,m2,e1\n",
        "a.jsonl": '{"id": "a", "answer": "x"}\n',
    }
    for name, text in good.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in {*re.findall(r"{secret}/(\S+)", "\n".join(READS)), "a.coref", "a.parse"}:
        (folder / name).write_text(good.get(name, "x"), encoding="utf-8")
    for path in folder.iterdir():
        path.chmod(0)
    if os.access(folder / "k.conll", os.R_OK):
        pytest.skip("root may read everything; test_root_without_its_rights tries this as root")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize("command", READS)
def test_what_may_not_be_read(run: Run, secret: Path, command: str) -> None:
    if " c.counts" in command:
        run("score", "k.conll", "k.conll", "--save-counts", "c.counts")
    ran = run(*command.format(secret="secret").split())
    assert ran.code == 3, ran
    assert not ran.out or command.startswith("corefud-scorer"), "a heading, as that scorer prints it"
    refused = "can't be read" in ran.err or "can't be written" in ran.err  # a log is opened to be continued
    assert "secret" in ran.err and refused


def test_what_may_only_be_written(run: Run, secret: Path) -> None:
    target = secret.parent / "out.conll"
    target.touch()
    target.chmod(0o200)
    assert run("convert", "k.conll", "out.conll", "--to", "conll").code == 0


def test_what_may_not_be_written(run: Run, secret: Path) -> None:
    (secret.parent / "locked").mkdir(mode=0o500)
    ran = run("convert", "k.conll", "locked/out.conll", "--to", "conll")
    assert ran.code == 3 and "can't be written" in ran.err


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root reads what it may not")
def test_root_without_its_rights(tmp_path: Path) -> None:
    """The tests above, where root may no more than others."""
    if not shutil.which("setpriv"):
        pytest.skip("no setpriv here")
    rights = "-dac_override,-dac_read_search"
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--basetemp",
        str(tmp_path),
    ]
    command = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *tests, __file__, "-k", "what_may"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert f"{len(READS) + 2} passed" in ran.stdout
