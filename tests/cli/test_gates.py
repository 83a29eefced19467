"""The gates in a repository: the action and the hooks, run as GitHub and pre-commit run them, pass and fail."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from command import conll
from places import ROOT

KEY = conll("(1)", "-", "(1)", "(2)", "(2)", "(3)")
GOOD = conll("(1)", "-", "(1)", "(2)", "-", "(2)")
BAD = conll("(1)", "-", "(2)", "(2)", "-", "(2)")
BROKEN = conll("(1)", "-", "(1", "(2)", "-", "(2)")

pytestmark = pytest.mark.slow


class Ran(NamedTuple):
    code: int
    said: str


class Repository:
    """A git repository with a key and a response, and a PATH that has this coreflens."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repository"
        self.summary = folder / "summary.md"
        tools = folder / "tools"
        tools.mkdir()
        (tools / "coreflens").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m coreflens "$@"\n', "utf-8")
        (tools / "coreflens").chmod(0o755)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT")} | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "HOME": str(folder),
        }
        self.folder.mkdir()
        self.git("init", "-q")
        self.git("config", "user.email", "nobody@example.org")
        self.git("config", "user.name", "nobody")
        self.write("key.conll", KEY)
        self.write("response.conll", GOOD)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def run(self, *words: str, **more: str) -> Ran:
        environment = self.environment | more
        ran = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True)
        assert "Traceback" not in ran.stderr
        return Ran(ran.returncode, ran.stdout + ran.stderr)

    def git(self, *words: str) -> Ran:
        return self.run("git", *words)

    def commit(self) -> bool:
        """Whether the hooks let the commit pass."""
        self.git("add", "-A")
        return self.git("commit", "-q", "-m", "a step").code == 0


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def act(repository: Repository, **inputs: str) -> Ran:
    """The steps of the composite action, as GitHub runs them: conditions, variables, and the first failure ends it."""
    given = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    asked = {name.replace("_", "-"): value for name, value in inputs.items()}
    assert set(asked) <= set(given)
    given |= asked | {"install": "false"}
    said = ""
    for step in ACTION["runs"]["steps"]:
        ((name, operator, value),) = re.findall(r"^inputs\.(\S+) (==|!=) '(.*)'$", step["if"])
        if (given[name] == value) is not (operator == "=="):
            continue
        filled = {
            variable: re.sub(r"\$\{\{ inputs\.(\S+) \}\}", lambda found: given[found[1]], text)
            for variable, text in step["env"].items()
        }
        runner = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": str(repository.summary),
        }
        ran = repository.run("bash", "-e", "-o", "pipefail", "-c", step["run"], **runner, **filled)
        said += ran.said
        if ran.code:
            return Ran(ran.code, said)
    return Ran(0, said)


def test_the_action_passes_and_fails(repository: Repository) -> None:
    files = {"key": "key.conll", "response": "response.conll", "metrics": "conll"}
    assert repository.run("coreflens", "score", *list(files.values())[:2], "--save-counts", "last.counts").code == 0
    ran = act(repository, **files, validate="key.conll\nresponse.conll\n", fail_under="conll=60\nmentions.recall=70")
    assert ran.code == 0, ran.said
    table = repository.summary.read_text("utf-8")
    assert table.startswith("### coreflens score\n\n") and re.search(r"(?m)^\|.*\|$", table)
    assert act(repository, **files, against="last.counts", fail_if_worse="0.5").code == 0

    repository.summary.unlink()
    ran = act(repository, **files, fail_under="conll=60\nmuc.recall=100")
    assert ran.code == 1 and "::error title=coreflens::muc.recall is 50.00, below 100" in ran.said
    summary = repository.summary.read_text("utf-8")
    assert "gate failed: muc.recall is 50.00, below 100" in summary and "::error" not in summary

    repository.write("response.conll", BAD)
    ran = act(repository, **files, against="last.counts", fail_if_worse="0.5")
    assert ran.code == 1 and re.search(r"CoNLL got worse by [\d.]+ points", ran.said)
    assert act(repository, **files, against="last.counts", fail_if_worse="99").code == 0
    assert act(repository, **files, arguments="--singletons drop --duplicates error").code == 0

    repository.write("response.conll", BROKEN)
    repository.summary.unlink()
    ran = act(repository, **files, validate="key.conll\nresponse.conll")
    assert ran.code == 1 and re.search(r"::error file=response\.conll,line=4", ran.said)
    assert "never closed" in repository.summary.read_text("utf-8")
    assert act(repository, **files).code == 3

    repository.write("response.conll", GOOD)
    repository.write("last.counts", "{}")
    assert act(repository, **files, against="last.counts", fail_if_worse="1").code == 3


def test_the_action_takes_no_input_for_a_command(repository: Repository) -> None:
    for name in ("key", "response", "metrics", "fail_under", "against", "arguments", "validate"):
        inputs = {"key": "key.conll", "response": "response.conll", name: "$(touch taken); `touch taken` ; touch taken"}
        assert act(repository, **inputs).code in (2, 3) or name == "validate"
        assert not (repository.folder / "taken").exists()


HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
}
PRE_COMMIT = """#!{python}
import json, re, shlex, subprocess, sys
staged = subprocess.run(["git", "diff", "--cached", "--name-only"], capture_output=True, text=True).stdout.splitlines()
code = 0
for hook, args in json.loads({hooks!r}):
    files = [name for name in staged if hook.get("pass_filenames", True) and re.search(hook["files"], name)]
    if files or hook.get("always_run"):
        code |= subprocess.run([*shlex.split(hook["entry"]), *args, *files]).returncode
sys.exit(code)
"""


def test_the_hooks_let_pass_and_refuse(repository: Repository) -> None:
    """A hook of git that does what pre-commit does with these definitions."""
    args = ["key.conll", "response.conll", "-m", "conll", "--against", "last.counts", "--fail-if-worse", "0.5"]
    chosen = json.dumps([[HOOKS["coreflens-validate"], []], [HOOKS["coreflens-score"], args]])
    assert repository.run("coreflens", "score", *args[:4], "--save-counts", "last.counts").code == 0
    hook = repository.folder / ".git" / "hooks" / "pre-commit"
    hook.write_text(PRE_COMMIT.format(python=sys.executable, hooks=chosen), "utf-8")
    hook.chmod(0o755)
    assert repository.commit()
    repository.write("response.conll", BAD)
    assert not repository.commit()  # worse than before
    repository.write("response.conll", BROKEN)
    assert not repository.commit()  # a file with an error
    repository.write("response.conll", KEY)
    assert repository.commit()  # better
    repository.write("notes.txt", "[not](coreference")
    assert repository.commit()  # no file of the hook's
    assert repository.git("log", "--oneline").said.count("\n") == 3


@pytest.mark.parametrize("name", ["a.conll", "dev.v4_gold_conll", "x/en.conllu", "train.english.jsonlines", "a.sacr"])
def test_which_files_the_hook_looks_at(name: str) -> None:
    assert re.search(HOOKS["coreflens-validate"]["files"], name)
