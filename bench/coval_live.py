"""coreflens beside coval and beside the scorer of the CRAFT shared task, on damaged copies of real files with trees.

    COVAL=DIR CRAFT=DIR COVAL_PYTHON=PYTHON python bench/coval_live.py 200 FILE.v2_gold_conll ...

COVAL is a checkout of ns-moosavi/coval and COVAL_PYTHON the Python that has its requirements; CRAFT is one of
bill-baumgartner/reference-coreference-scorers, which needs Perl. Either may be left out. coval is run with all of its
switches. Three of its faults are told apart: an entity that keeps its nested mention because it would have one mention
without it; several mentions of one side with the same minimum span, which all count; and words such as `U.S.`, neither
all letters nor all digits, which are left out of a tree before a bracket. The scorer of CRAFT takes the first key
mention that fits in the order of a hash table of Perl, which changes from run to run, and response mentions in the
order of their entities; where that decides, no others can be compared with its numbers. BLANC is left out of it, whose
boundary cases are scorer.pl's.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import coreflens as cl

Span: TypeAlias = tuple[int, int]
Clusters: TypeAlias = list[list[Span]]

# Run by coval's Python: it answers a line of JSON with a line of JSON.
DRIVER = """
import contextlib, io, json, sys
sys.path.insert(0, ".")
from coval.conll.reader import get_coref_infos
from coval.eval import evaluator as e
metrics = {"mentions": e.mentions, "muc": e.muc, "bcub": e.b_cubed, "ceafe": e.ceafe, "lea": e.lea}
for line in sys.stdin:
    key, response, verbs, nested, singletons, least = json.loads(line)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            infos = get_coref_infos(key, response, verbs, nested, singletons, least)
            found = {n: list(map(float, e.evaluate_documents(infos, m))) for n, m in metrics.items()}
    except BaseException as error:
        found = {"error": repr(error)}
    print(json.dumps(found), flush=True)
"""
SETTINGS = [
    (verbs, nested, singletons, least)
    for verbs in (False, True)
    for nested in (False, True)
    for singletons in (True, False)
    for least in (False, True)
]


def main(pairs: int, paths: list[str], seed: int = 0) -> int:
    """Compare so many damaged documents; the number of runs that can't be explained."""
    random, tally = Random(seed), Counter[str]()
    documents = [document for path in paths for document in _documents(Path(path))]
    tool = None
    if "COVAL" in os.environ:
        command = [os.environ["COVAL_PYTHON"], "-c", DRIVER]
        tool = subprocess.Popen(
            command, cwd=os.environ["COVAL"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    for _ in range(pairs):
        rows, clusters = random.choice(documents)
        other = _damaged(clusters, rows, random, random.choice((0.05, 0.15, 0.4)))
        if not other:
            continue
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder, name)) for name in ("key.conll", "response.conll")]
            for file, side in zip(files, (clusters, other), strict=True):
                Path(file).write_text(_written(rows, side), "utf-8")
            for setting in SETTINGS if tool is not None else ():
                assert tool is not None
                verdict = _coval(_asked(tool, files, setting), files, *setting)
                if verdict.startswith("other") and setting[-1]:
                    plain = [_plain(Path(file)) for file in files]
                    if not _coval(_asked(tool, plain, setting), plain, *setting).startswith("other"):
                        verdict = "a word such as U.S. is left out of a tree"
                tally["coval: " + verdict] += 1
                _keep(verdict, files, "coval")
            if "CRAFT" in os.environ:
                verdict = _craft(files)
                tally["CRAFT: " + verdict] += 1
                _keep(verdict, files, "craft")
    print(*(f"{count:6} {what}" for what, count in sorted(tally.items())), sep="\n")
    return sum(count for what, count in tally.items() if "other" in what)


def _asked(tool: subprocess.Popen[str], files: list[str], setting: tuple[bool, ...]) -> dict[str, Any]:
    """What coval says."""
    assert tool.stdin is not None and tool.stdout is not None
    tool.stdin.write(json.dumps([*files, *setting]) + "\n")
    tool.stdin.flush()
    found: dict[str, Any] = json.loads(tool.stdout.readline())
    return found


def _plain(path: Path) -> str:
    """A copy of a file whose words are letters and digits alone, but for those that have none."""
    other = path.with_name(f"plain-{path.name}")
    lines = []
    for line in path.read_text("utf-8").splitlines():
        cells = line.split()
        if len(cells) > 5 and not line.startswith("#"):
            bare = "x".join(re.findall(r"[^\W_]", cells[3]))  # neither all letters nor all digits becomes letters
            cells[3] = re.sub(r"\d", "n", bare) or cells[3]
            line = " ".join(cells)
        lines.append(line)
    other.write_text("\n".join(lines) + "\n", "utf-8")
    return str(other)


def _keep(verdict: str, files: list[str], name: str) -> None:
    """Files that nothing explains, to look at in the folder KEEP."""
    if verdict.startswith("other") and "KEEP" in os.environ:
        for file in files:
            Path(os.environ["KEEP"], f"{name}-{Path(file).name}").write_bytes(Path(file).read_bytes())


def _documents(path: Path) -> list[tuple[list[str], Clusters]]:
    """The lines of each document of a file, and its entities."""
    texts = re.findall(r"^#begin document.*?^#end document[^\n]*\n", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    corpus = cl.read(path)
    found: list[tuple[list[str], Clusters]] = []
    for d, text in enumerate(texts):
        entities: dict[int, list[Span]] = {}
        for row in range(*corpus.bounds[d : d + 2].tolist()):
            entities.setdefault(int(corpus.entity[row]), []).append((int(corpus.start[row]), int(corpus.end[row])))
        found.append((text.splitlines(), list(entities.values())))
    return found


def _damaged(clusters: Clusters, rows: list[str], random: Random, rate: float) -> Clusters:
    """Mentions lost, moved, stretched, shrunk and added, each span once."""
    words = sum(1 for row in rows if row and not row.startswith("#"))
    found: Clusters = [[] for _ in clusters]
    seen: set[Span] = set()
    for number, cluster in enumerate(clusters):
        for start, end in cluster:
            chance = random.random()
            if chance < rate / 3:
                continue
            if chance < rate:
                start, end = random.choice(((start, max(start, end - 1)), (min(start + 1, end), end), (start, end)))
            home = random.randrange(len(clusters)) if random.random() < rate / 2 else number
            if (start, end) not in seen:
                seen.add((start, end))
                found[home].append((start, end))
    for _ in range(int(rate * 10)):
        start = random.randrange(words)
        if (start, start) not in seen:
            seen.add((start, start))
            found[random.randrange(len(found))].append((start, start))
    return [cluster for cluster in found if cluster]


def _written(rows: list[str], clusters: Clusters) -> str:
    """The lines with other entities in the last column."""
    cells: dict[int, list[str]] = {}
    for number, cluster in enumerate(clusters):
        for start, end in cluster:
            if start == end:
                cells.setdefault(start, []).append(f"({number})")
            else:
                cells.setdefault(start, []).insert(0, f"({number}")
                cells.setdefault(end, []).append(f"{number})")
    lines, word = [], 0
    for row in rows:
        if row and not row.startswith("#"):
            row = re.sub(r"\S+$", lambda _: "|".join(cells.get(word, ["-"])), row)  # noqa: B023
            word += 1
        lines.append(row)
    return "\n".join(lines) + "\n"


def _coval(tool: dict[str, Any], files: list[str], verbs: bool, nested: bool, singletons: bool, least: bool) -> str:
    if "error" in tool:
        return f"the tool fails: {tool['error'][:60]}"
    without = [name for name, on in (("nested", nested), ("verbs", verbs)) if on]
    how: dict[str, Any] = {"match": "mina"} if least else {}
    how |= {"without": without} if without else {}
    how |= {} if singletons else {"singletons": "drop-before"}
    found = cl.score(*files, protocol="coval", metrics=list(tool), no_common="score", **how)
    own = {name: [float(x or 0) for x in found[name].numbers().values()] for name in tool}
    differ = [n for n in tool if any(abs(a - b) > 1e-9 for a, b in zip(own[n], tool[n], strict=True))]
    if not differ:
        return "equal"
    codes = {issue.code for issue in found.issues}
    if least and codes & {"duplicates-key", "duplicates-response"}:
        return "several mentions with one minimum span"
    if nested and codes & {"without-nested-key", "without-nested-response"}:
        return "a nested mention stays"
    return f"other: {', '.join(differ)} ({verbs=} {nested=} {singletons=} {least=})"


def _craft(files: list[str]) -> str:
    names = ["muc", "bcub", "ceafm", "ceafe"]
    found = cl.score(*files, protocol="craft", metrics=names, no_common="score")
    differ = []
    for name in names:
        first = _perl(name, files, 0)
        if isinstance(first, str):
            return first
        own = [100 * float(x or 0) for x in found[name].numbers().values()]
        if not _cut(own, first):
            differ.append(name)
            if any(_perl(name, files, seed) != first for seed in range(1, 40)):
                return "the tool's numbers change from run to run"
    if differ and _contended(files):
        return "which of two response mentions is the key's depends on the order of the entities"
    return f"other: {', '.join(differ)}" if differ else "equal"


def _contended(files: list[str]) -> bool:
    """Whether a key mention that was not found exactly has several response mentions within it."""
    ours, theirs = ({*zip(c.start.tolist(), c.end.tolist(), strict=True)} for c in map(cl.read, files))
    return any(sum(a <= c and d <= b for c, d in theirs - ours) > 1 for a, b in ours - theirs)


def _perl(metric: str, files: list[str], seed: int) -> tuple[str, ...] | str:
    """Recall, precision and F1 of CRAFT's scorer, with a given order of Perl's hash tables; or why there are none."""
    command = ["perl", "scorer.pl", metric, *files, "true", "none"]
    order = {"PERL_HASH_SEED": f"0x{1 + seed * 0x1F3D5:x}", "PERL_PERTURB_KEYS": "0"}
    ran = subprocess.run(command, cwd=os.environ["CRAFT"], capture_output=True, text=True, env=os.environ | order)
    shown = re.findall(r"^Coreference: .*?([\d.]+)%.*?([\d.]+)%.*?([\d.]+)%", ran.stdout, re.MULTILINE)
    return tuple(shown[-1]) if shown else f"the tool fails: {(ran.stderr or ran.stdout).strip().splitlines()[-1][:60]}"


def _cut(own: list[float], shown: tuple[str, ...]) -> bool:
    """Whether these are the numbers, the rest of whose decimals were cut off."""
    return all(-1e-6 < a - float(b) < 0.01 + 1e-6 for a, b in zip(own, shown, strict=True))


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), sys.argv[2:], int(os.environ.get("SEED", "0")))))
