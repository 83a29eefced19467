"""A bundle is run as the platform runs it: unpacked, with its command, and folders for input and output."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import coreflens as cl
from command import Run, conll
from coreflens.integrations.samples import flat
from places import DATA, ROOT

KEY = conll("(1)", "-", "(1)", "(2)", "(2)", "(3)") + conll("(1)", "(1)", "-", "(2)", "-", "(1)", name="nw/b")
TEAM = conll("(7)", "(7)", "(7)", "(8)", "-", "(8)") + conll("(1)", "(2)", "-", "(2)", "-", "(1)", name="nw/b")


class Platform:
    """Codabench: it unpacks the bundle, and for each submission makes the folders and runs the command."""

    def __init__(self, bundle: Path, folder: Path) -> None:
        self.folder = folder
        with zipfile.ZipFile(bundle) as archive:
            archive.extractall(folder / "bundle")
        self.competition = yaml.safe_load((folder / "bundle" / "competition.yaml").read_text("utf-8"))
        (self.task,) = self.competition["tasks"]
        (board,) = self.competition["leaderboards"]
        self.columns: list[dict[str, Any]] = board["columns"]

    def run(self, name: str, submission: dict[str, bytes]) -> tuple[int, dict[str, float], str]:
        """Exit code, scores and what was said."""
        app = self.folder / name
        (app / "input").mkdir(parents=True)
        (app / "output").mkdir()
        (app / "program").symlink_to(self.folder / "bundle" / self.task["scoring_program"])
        (app / "input" / "ref").symlink_to(self.folder / "bundle" / self.task["reference_data"])
        for file, content in submission.items():
            (app / "input" / "res" / file).parent.mkdir(parents=True, exist_ok=True)
            (app / "input" / "res" / file).write_bytes(content)
        command = yaml.safe_load((app / "program" / "metadata.yaml").read_text("utf-8"))["command"]
        words = [re.sub("^/app/", f"{app}/", word) for word in shlex.split(command)]
        assert words[0] == "python3"
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
        ran = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, cwd=app, env=environment)
        assert "Traceback" not in ran.stderr
        scores = app / "output" / "scores.json"
        return ran.returncode, json.loads(scores.read_text()) if scores.exists() else {}, ran.stdout + ran.stderr


@pytest.mark.slow
def test_a_competition(run: Run, tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    key.write_text(KEY, "utf-8")
    asked = (
        "--protocol",
        "conll-2012",
        "-m",
        "conll,lea,derror",
        "--title",
        'Who: "who"?',
        "--docker-image",
        "me/cl:1",
    )
    ran = run("bundle", key, tmp_path / "task.zip", *asked)
    assert ran.code == 0 and not ran.err and "competition.yaml" in ran.out.splitlines()
    first = (tmp_path / "task.zip").read_bytes()
    assert run("bundle", key, tmp_path / "again.zip", *asked).code == 0
    assert (tmp_path / "again.zip").read_bytes() == first  # the same input gives the same bytes
    platform = Platform(tmp_path / "task.zip", tmp_path / "platform")
    made = platform.competition
    assert made["title"] == 'Who: "who"?' and made["docker_image"] == "me/cl:1" and made["version"] == 2
    for needed in (made["image"], made["terms"], made["pages"][0]["file"]):
        assert (platform.folder / "bundle" / needed).is_file()
    assert [c["index"] for c in platform.columns] == list(range(len(platform.columns)))
    assert platform.columns[0]["key"] == "conll" and platform.columns[0]["sorting"] == "desc"
    assert next(c for c in platform.columns if c["key"] == "derror")["sorting"] == "asc"

    team = tmp_path / "team.conll"
    team.write_text(TEAM, "utf-8")
    result = cl.score(key, team, protocol="conll-2012", metrics="conll,lea,derror")
    code, scores, said = platform.run("one", {"team.conll": TEAM.encode()})
    assert code == 0 and said.splitlines()[8] == "accepted"
    assert scores == pytest.approx({name: 100 * x for name, x in flat(result).items()}, abs=1e-12)
    assert set(scores) == {column["key"] for column in platform.columns}
    output = platform.folder / "one" / "output"
    assert (output / "scores.txt").read_text().splitlines()[0].startswith("mentions_recall: ")
    assert "<table" in (output / "detailed_results.html").read_text("utf-8")
    assert cl.load_counts(output / "coreflens.counts").conll == pytest.approx(result.conll)

    parts = re.split("(?=#begin)", TEAM)[1:]
    files = {f"team/{n}.conll": part.encode() for n, part in enumerate(parts)}
    assert platform.run("two", files | {"team/README.txt": b"us"})[1] == scores
    code, scores, said = platform.run("three", {"team.conll": parts[0].encode()})
    assert (code, scores) == (1, {}) and "1 document of the task is missing" in said and "not accepted" in said
    code, scores, said = platform.run("four", {})
    assert code == 3 and not scores and "no such file" in said


def test_lenient_bundles_and_keys_of_several_files(run: Run, tmp_path: Path) -> None:
    from coreflens.integrations.codabench import score_folders

    (tmp_path / "key" / "nw").mkdir(parents=True)
    for n, part in enumerate(re.split("(?=#begin)", KEY)[1:]):
        (tmp_path / "key" / ("nw" if n else "") / "d.conll").write_text(part, "utf-8")
    ran = run("bundle", tmp_path / "key", tmp_path / "task.zip", "--lenient", "-m", "conll")
    assert ran.code == 0 and "no --docker-image" in ran.err
    platform = Platform(tmp_path / "task.zip", tmp_path / "platform")
    res = tmp_path / "input" / "res"
    res.mkdir(parents=True)
    (res / "team.conll").write_text(re.split("(?=#begin)", TEAM)[1], "utf-8")
    (tmp_path / "input" / "ref").symlink_to(platform.folder / "bundle" / "reference_data")
    assert score_folders(tmp_path / "input", tmp_path / "output") == 0
    expected = cl.score(tmp_path / "key", res, metrics="conll").conll
    assert json.loads((tmp_path / "output" / "scores.json").read_text())["conll"] == pytest.approx(
        100 * float(expected)
    )


def test_what_can_not_be_bundled(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.conll").write_text(conll("(1)", "(1)", name=name), "utf-8")
    ran = run("bundle", tmp_path / "*" / "same.conll", tmp_path / "task.zip")
    assert ran.code == 3 and "can't be packed" in ran.err and not (tmp_path / "task.zip").exists()
    assert run("bundle", "-", tmp_path / "task.zip").code == 2
    assert run("bundle", tmp_path / "nobody", tmp_path / "task.zip").code == 3
    assert run("bundle", tmp_path / "a", tmp_path / "task.zip", "-m", "muk").code == 2
    assert run("bundle", tmp_path / "a", tmp_path / "no" / "task.zip").code == 3
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("key/a.conll", conll("(1)", "(1)"))
    (tmp_path / "key.zip").write_bytes(packed.getvalue())
    assert run("bundle", tmp_path / "key.zip", tmp_path / "task.zip").code == 0


BEYOND = DATA / "cdcr_beyond"


@pytest.mark.slow
@pytest.mark.skipif(not BEYOND.is_dir(), reason=f"no real data at {BEYOND}")
def test_published_submissions_get_the_published_digits(run: Run, tmp_path: Path) -> None:
    """Event coreference across documents of Bugert et al. 2021: one key, and the responses of two systems of it."""
    key = BEYOND / "ba2019" / "ecbp_CD_test_event_mention_based.key_conll"
    assert run("bundle", key, tmp_path / "task.zip", "-m", "conll,lea").code == 0
    platform = Platform(tmp_path / "task.zip", tmp_path / "platform")
    checked = 0
    for published in sorted(BEYOND.glob("ba2019/*/scores.txt")):
        (response,) = published.parent.glob("*.response_conll")
        code, scores, said = platform.run(published.parent.name, {response.name: response.read_bytes()})
        assert code == 0, said
        for line in published.read_text("utf-8").splitlines():
            if found := re.fullmatch(r"(\w+)\s+Recall: (\S+)\s+Precision: (\S+)\s+F1: (\S+)", line):
                for part, digits in zip(("recall", "precision", "f1"), found.groups()[1:], strict=True):
                    assert f"{scores[f'{found[1]}_{part}']:.2f}" == digits, (response, line)
                    checked += 1
            elif found := re.fullmatch(r"CoNLL score: (\S+)", line):
                assert f"{scores['conll']:.2f}" == found[1]
                checked += 1
    assert checked == 2 * 16
    for published in sorted(BEYOND.glob("feature-based/ecbp_evaluate_clustering/0/*/eval_*.txt")):
        folder = published.parent
        bundle = tmp_path / f"{folder.name}.zip"
        assert run("bundle", folder / "gold.conll", bundle, "-m", "conll,lea", "--pair", "file").code == 0
        platform = Platform(bundle, tmp_path / folder.name)
        code, scores, said = platform.run("team", {"system.conll": (folder / "system.conll").read_bytes()})
        assert code == 0, said
        for line in published.read_text("utf-8").splitlines():
            if found := re.fullmatch(r"(\w+)\s+([\d.]+)\s+(\S+)\s+(\S+)", line):
                for part, digits in zip(("f1", "precision", "recall"), found.groups()[1:], strict=True):
                    if digits != "nan":
                        name = found[1] if found[1] == "conll" else f"{found[1]}_{part}"
                        assert abs(scores[name] / 100 - float(digits)) <= 5e-7 * (1 + 1e-9), (folder, line)
                        checked += 1
    assert checked == 2 * 16 + 2 * 13
