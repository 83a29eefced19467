"""corefud-scorer: the values its own test files state, its output by line, and the tool itself if it is available.

COREFUD_SCORER=DIR is a checkout of the tool, COREFUD_PYTHON the Python that has its requirements.
"""

from __future__ import annotations

import os
import re
import subprocess
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

import coreflens as cl
import corefud_cases as cases
from command import Run
from coreflens.compat import corefud_scorer
from coreflens.matching.matched import match as match_mentions
from places import DATA

TESTS = DATA / "scorer_tests_corefud" / "tests-corefud"
TOOL, PYTHON = os.environ.get("COREFUD_SCORER"), os.environ.get("COREFUD_PYTHON", "python3")
NAMES = {"MUC": "muc", "BCUB": "bcub", "CEAFm": "ceafm", "CEAFe": "ceafe", "BLANC": "blanc", "LEA": "lea"}
_CASE = re.compile(r"^(TC-[A-Z]+-\d+) ?(_\w+)?", re.MULTILINE)
_NUMBER = re.compile(r"[\d./()*+ -]+")
# What the README says and cannot mean: the title of the case says that the zero is not found.
MISPRINTED = {("TC-ZF-2", "_linear"), ("TC-ZF-3", "_linear")}


def stated() -> list[Any]:
    """(key, response, options, metric, recall, precision) of every value in the READMEs."""
    found = []
    for readme in sorted(TESTS.rglob("*README")) if TESTS.exists() else ():
        text = readme.read_text("utf-8")
        starts = [*_CASE.finditer(text)]
        for match, after in zip(starts, [*(m.start() for m in starts[1:]), len(text)], strict=True):
            name, suffix = match[1], match[2] or ""
            response = readme.parent / f"{name}.response"
            key = readme.parent / f"{name.rpartition('-')[0]}.key"
            if not (key.exists() and response.exists()) or (name, suffix) in MISPRINTED:
                continue
            for line in re.findall(r"^Expected: (\w+)=?.*?\[(.*)\]", text[match.start() : after], re.MULTILINE):
                numbers = dict(part.split("=")[:2] for part in re.split(r", ?", line[1]) if "=" in part)
                values = [numbers.get(n, numbers.get(n.capitalize(), "")) for n in ("recall", "prec")]
                if line[0] in NAMES and all(v and _NUMBER.fullmatch(v) for v in values):
                    for options in _options(readme.parent.name, name, suffix):
                        label = f"{name}{suffix} {options['match']} {line[0]}"
                        recall, precision = (eval(v, {"__builtins__": {}}) for v in values)  # arithmetic: see _NUMBER
                        recall, precision = cases.NEWER.get(name, {}).get(NAMES[line[0]], (recall, precision))
                        found.append(pytest.param(key, response, options, NAMES[line[0]], recall, precision, id=label))
    return found


def _options(folder: str, name: str, suffix: str) -> list[dict[str, str]]:
    """How a case is to be scored, as its README says."""
    zeros = "linear" if suffix == "_linear" or name < "TC-ZF" or folder != "zeros" else "dependent"
    if folder == "exact-match":
        matches = ["exact"]
    elif folder != "zeros":
        matches = ["partial"]
    elif suffix in ("_head", "_exact"):
        matches = [suffix[1:]]
    elif name >= "TC-ZF":
        matches = ["head"]
    else:
        matches = ["partial"] if name in ("TC-ZD-3", "TC-ZE-2") else ["exact", "partial"]
    return [{"match": m, "zeros": zeros, "singletons": "keep"} for m in matches]


@pytest.mark.skipif(not TESTS.exists(), reason="needs ../shared/data")
@pytest.mark.parametrize(("key", "response", "options", "metric", "recall", "precision"), stated())
def test_stated_values(key: Path, response: Path, options: Any, metric: str, recall: float, precision: float) -> None:
    files: Any = {"key_format": "conllu", "response_format": "conllu"}
    scorer = cl.Scorer(key, protocol="corefud", metrics=metric, **files, **options)
    found = match_mentions(scorer.key, scorer.read(response), scorer.options, lenient=True)
    score = scorer.result(found)[metric]
    assert float(score.recall or 0) == pytest.approx(recall, abs=0.006)
    assert float(score.precision or 0) == pytest.approx(precision, abs=0.006)


# ------------------------------------------------------------------------------------------------------- line for line

OUTPUT = """\
The scorer is evaluating coreferential mentions, singletons, zeros (using linear match method) using partial-corefud \
match evaluation setting.
The following metrics will be evaluated: muc, bcub, ceafe

muc
Recall: 50.00  Precision: 100.00  F1: 66.67
bcub
Recall: 44.44  Precision: 100.00  F1: 61.54
ceafe
Recall: 80.00  Precision: 80.00  F1: 80.00
CoNLL score: 69.40
"""


def test_output(run: Run, tmp_path: Path) -> None:
    row = "{0}\t{1}\t_\t_\t_\t_\t{2}\tdep\t_\t{3}\n"
    header = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n"
    for name, third in (("key", "Entity=(e1--1-)"), ("sys", "_")):
        cells = ["Entity=(e1--1-)", "Entity=(e1--1-)", third]
        text = header + "".join(row.format(n + 1, "abc"[n], n, cell) for n, cell in enumerate(cells))
        (tmp_path / f"{name}.conllu").write_text(text + "\n", "utf-8")
    paths = [str(tmp_path / f"{name}.conllu") for name in ("key", "sys")]
    ran = run("corefud-scorer", *paths, "-m", "muc", "bcub", "ceafe", "-s", "-a", "partial", "-z", "linear")
    assert (ran.code, ran.out, ran.err) == (0, OUTPUT, "")
    again = run("corefud-scorer", "-m", "muc", "bcub", "ceafe", "-s", "-a", "partial", "-z", "linear", "--", *paths)
    assert again.out == OUTPUT
    assert "using exact match" in run("corefud-scorer", *paths, "-x").out
    assert run("corefud-scorer", *paths, "-m", "mention").code == 2
    (tmp_path / "sys.conllu").write_text(text.replace("\tb\t", "\tB\t").replace("id = d", "id = e"), "utf-8")
    failed = run("corefud-scorer", *paths)
    assert failed.code == 3 and "sys.conllu" in failed.err and "'d' of the key is missing" in failed.err


def test_faults_are_told(run: Run, tmp_path: Path) -> None:
    doc, other = cases.rotated()
    paths = [str(cases.written(d, tmp_path / f"{n}.conllu")) for n, d in (("k", doc), ("s", other))]
    ran = run("corefud-scorer", *paths)
    assert "CoNLL score: 38.89" in ran.out
    assert "conll 100.00 (not 38.89)" in ran.err and "overwrite each other" in ran.err
    assert run("corefud-scorer", *paths, "--quiet").err == ""
    assert cl.score(*paths, protocol="corefud").conll == 1


@pytest.mark.slow
@pytest.mark.parametrize("match", ["exact", "partial", "head"])
@pytest.mark.parametrize("zeros", ["linear", "dependent"])
def test_the_quick_way_and_the_imitation_agree(match: Any, zeros: Any, tmp_path: Path) -> None:
    """Documents without a fault take the quick way; the sums are those of all documents imitated one by one."""
    quick = 0
    for seed in range(12):
        paths = [cases.written(d, tmp_path / f"{n}.conllu") for n, d in zip("ks", cases.pair(seed), strict=True)]
        key, system = map(cl.read, paths)
        for singletons in (True, False):
            found = corefud_scorer.found_by(key, system, [*corefud_scorer.METRICS], match, singletons, zeros)
            quick += not found.imitated
            slow = corefud_scorer.documents_of(key, system, match, singletons, zeros)
            for name, parts in found.sums.items():
                for part, whole in zip(parts, corefud_scorer.sums(slow, name), strict=True):
                    assert part == pytest.approx(whole, abs=1e-9), (name, seed)
    assert quick  # else nothing was tried


def test_an_extra_document_is_passed_over(run: Run, tmp_path: Path) -> None:
    """The original walks the documents of the key."""
    doc, other = cases.pair(3)
    key, system = (cases.written(d, tmp_path / f"{n}.conllu") for n, d in (("k", doc), ("s", other)))
    before = run("corefud-scorer", str(key), str(system))
    system.write_text(system.read_text("utf-8") + "# newdoc id = more\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    after = run("corefud-scorer", str(key), str(system))
    assert (after.code, after.out) == (0, before.out)


def test_words_are_counted_within_their_sentences(run: Run, tmp_path: Path) -> None:
    """The same words in other sentences are other words for the original, which gives 25 here."""
    row = "{0}\t{1}\t_\tX\t_\t_\t0\troot\t_\t{2}\n"
    head = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = s1\n"
    begin = head + row.format(1, "a", "Entity=(e1-x-1-") + row.format(2, "b", "Entity=e1)")
    (tmp_path / "k.conllu").write_text(begin + row.format(3, "c", "Entity=(e1-x-1-)") + "\n", "utf-8")
    split = begin + "\n# sent_id = s2\n" + row.format(1, "c", "Entity=(e1-x-1-)") + "\n"
    (tmp_path / "s.conllu").write_text(split, "utf-8")
    ran = run("corefud-scorer", str(tmp_path / "k.conllu"), str(tmp_path / "s.conllu"))
    assert "CoNLL score: 25.00" in ran.out and "conll 100.00 (not 25.00)" in ran.err
    assert "the sentences are split in other places" in ran.err


# ----------------------------------------------------------------------------------------------------------- the tool


@pytest.mark.skipif(not TOOL, reason="COREFUD_SCORER names no checkout of corefud-scorer")
@pytest.mark.parametrize("seed", range(20))
def test_the_tool_itself(seed: int, tmp_path: Path) -> None:
    """The same lines, whatever is damaged and however it is scored; bench/corefud_live.py does that on real files."""
    random = Random(seed)
    doc, other = cases.pair(seed)
    paths = [str(cases.written(d, tmp_path / f"{n}.conllu")) for n, d in (("k", doc), ("s", other))]
    match = random.choice(("exact", "partial", "head"))
    zeros = random.choice(("linear", "dependent"))
    singletons = random.random() < 0.5
    arguments = [*paths, "-a", match, "-z", zeros, *(["-s"] if singletons else [])]
    ran = subprocess.run([PYTHON, "corefud-scorer.py", *arguments], cwd=TOOL, capture_output=True, text=True)
    out = StringIO()
    how: Any = {"match": match, "zeros": zeros, "keep_singletons": singletons}
    corefud_scorer.run(paths[0], paths[1], out, **how)
    assert out.getvalue() == ran.stdout or "ZeroDivisionError" in ran.stderr
