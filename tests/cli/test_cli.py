"""The command line as a user meets it: outputs, options, gates, exit codes, and what goes to which stream."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from html.parser import HTMLParser
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import CliRunner

import coreflens as cl
from command import Ran, Run, conll
from coreflens.cli import cli, main
from coreflens.formats import FORMATS
from coreflens.metrics import METRICS, SETS
from coreflens.options import CHOICES
from coreflens.paper.latex import tex
from coreflens.protocols import PROTOCOLS


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The bundled example, key and response."""
    directory = tmp_path_factory.mktemp("demo")
    ran = CliRunner().invoke(cli, ["demo", "--write", str(directory)])
    assert ran.exit_code == 0
    assert ran.output.split() == [str(directory / "key.conll"), str(directory / "response.conll")]
    return directory / "key.conll", directory / "response.conll"


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., tuple[Path, Path]]:
    """Write a key and a response."""

    def write(key: str, response: str) -> tuple[Path, Path]:
        (tmp_path / "key.conll").write_text(key, encoding="utf-8")
        (tmp_path / "response.conll").write_text(response, encoding="utf-8")
        return tmp_path / "key.conll", tmp_path / "response.conll"

    return write


OPTIONS = [option.replace("_", "-") for option in CHOICES]
Files: TypeAlias = Callable[[str, str], tuple[Path, Path]]

# --------------------------------------------------------------------------------------------- the example, all formats

TABLE = """\
              R      P     F1     R counts     P counts
───────────────────────────────────────────────────────
mentions  80.95  89.47  85.00        17/21        17/19
MUC       54.55  54.55  54.55         6/11         6/11
B³        59.52  64.04  61.70     12.50/21     12.17/19
CEAFm     61.90  68.42  65.00        13/21        13/19
CEAFe     55.90  69.88  62.12      5.59/10       5.59/8
BLANC     52.98  60.07  56.13  8/16, 47/84  8/16, 47/67
LEA       39.68  47.37  43.19      8.33/21         9/19
───────────────────────────────────────────────────────
CoNLL                   59.45

"""
BY_DOCUMENT = """\
F1 by group     mentions    MUC     B³  CEAFm  CEAFe  BLANC    LEA  CoNLL
─────────────────────────────────────────────────────────────────────────
stories/fox_0      90.91  66.67  71.08  72.73  74.67  64.73  55.04  70.81
letters/aunt_0     77.78  40.00  50.00  55.56  46.43  43.46  27.27  45.48
─────────────────────────────────────────────────────────────────────────
all                85.00  54.55  61.70  65.00  62.12  56.13  43.19  59.45

"""
MARKDOWN = """\
|  | R | P | F1 | R counts | P counts |
| --- | --: | --: | --: | --: | --: |
| B³ | 59.5 | 64.0 | 61.7 | 12.50/21 | 12.17/19 |
| MELA |  |  | 61.7 |  |  |

"""
LATEX = r"""
\begin{table}
\centering\small
\begin{tabular}{@{}lrrrrr@{}}
\toprule
 & R & P & F1 & R counts & P counts \\
\midrule
B$^3$ & 59.5 & 64.0 & 61.7 & 12.50/21 & 12.17/19 \\
\midrule
MELA &  &  & 61.7 &  &  \\
\bottomrule
\end{tabular}
\caption{Scores.}
\label{tab:scores}
\end{table}
"""


def test_table(run: Run, demo: tuple[Path, Path]) -> None:
    ran = run("score", *demo)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(TABLE)
    signature = ran.out.removeprefix(TABLE).removesuffix("\n")
    assert cl.Signature.parse(signature).short == signature
    assert cl.Signature.parse(signature).documents == 2


def test_table_by_document(run: Run, demo: tuple[Path, Path]) -> None:
    ran = run("score", *demo, "--by", "document")
    assert ran.out.startswith(TABLE + BY_DOCUMENT)
    assert run("score", *demo).out == TABLE + ran.out.removeprefix(TABLE + BY_DOCUMENT)


def test_markdown_and_latex(run: Run, demo: tuple[Path, Path]) -> None:
    args = ("score", *demo, "-m", "bcub,mela", "--weights", "bcub=1", "--digits", 1, "--format")
    markdown, latex = run(*args, "markdown").out, run(*args, "latex").out
    assert markdown.startswith(MARKDOWN)
    assert re.fullmatch(r"`coreflens:.*`\n", markdown.removeprefix(MARKDOWN))
    needs, comment, body = latex.split("\n", 2)
    assert needs == r"% needs \usepackage{booktabs}" and comment.startswith("% coreflens:")
    assert body == LATEX.lstrip("\n")


def test_csv(run: Run, demo: tuple[Path, Path]) -> None:
    rows = list(csv.DictReader(io.StringIO(run("score", *demo, "-m", "bcub,derror", "--format", "csv").out)))
    assert [row["metric"] for row in rows] == ["bcub", "derror"]
    assert float(rows[0]["recall"]) == pytest.approx(25 / 42, abs=1e-15)
    assert (rows[0]["value"], rows[1]["f1"]) == ("", "")
    assert float(rows[1]["value"]) == pytest.approx(3 / 7, abs=1e-15)


def test_csv_by_group_ends_with_the_corpus(run: Run, demo: tuple[Path, Path]) -> None:
    ran = run("score", *demo, "-m", "muc", "--by", "genre", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["group"] for row in rows][:2] == ["stories", "letters"]
    assert len(rows) == 3
    assert float(rows[-1]["f1"]) == pytest.approx(6 / 11, abs=1e-15)
    assert "coreflens:" in ran.out + ran.err, "a signature comes with every result"


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "meta":  # which is never closed
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


def test_html(run: Run, demo: tuple[Path, Path]) -> None:
    parser = _Cells()
    parser.feed(run("score", *demo, "-m", "bcub", "--by", "document", "--format", "html").out)
    assert not parser.open
    assert {"B³", "59.52", "64.04", "61.70", "stories/fox_0", "71.08"} <= set(parser.cells)


def test_json_has_the_agreed_shape(run: Run, demo: tuple[Path, Path]) -> None:
    plain = run("score", *demo, "-m", "all", "--format", "json").json
    assert set(plain) == {"signature", "documents", "engine", "scores", "issues"}
    assert plain["documents"] == 2
    assert list(plain["scores"]) == list(METRICS)
    extras = {"counts", "undefined"}
    for name, score in plain["scores"].items():
        values = set(METRICS[name].values) | ({"label"} if name == "derror" else set())
        assert values <= set(score) <= values | extras, name
    muc = plain["scores"]["muc"]
    assert list(muc)[:3] == ["recall", "precision", "f1"]
    assert muc["counts"] == {"recall_num": 6, "recall_den": 11, "precision_num": 6, "precision_den": 11}
    assert muc["recall"] == muc["f1"] == pytest.approx(6 / 11, abs=1e-15)
    assert set(plain["scores"]["conll"]) == {"f1"}
    assert plain["scores"]["conll"]["f1"] == pytest.approx(18280847 / 30748410, abs=1e-15)
    assert plain["scores"]["derror"]["label"] in ("precision", "recall", "precision and recall")
    assert plain["scores"]["rand"]["value"] is None, "needs equal mentions, which these are not"
    assert {i["code"] for i in plain["issues"]} == {"unequal-mentions"}
    assert all(set(i) == {"code", "message", "count", "places"} for i in plain["issues"])


@pytest.mark.parametrize(
    "extra", [(), ("--exact",), ("--by", "document"), ("--undefined", "nan", "--average", "macro")]
)
def test_json_can_be_read_back(run: Run, demo: tuple[Path, Path], extra: tuple[str, ...]) -> None:
    plain = run("score", *demo, "-m", "all", "--format", "json", *extra).json
    back = cl.Result.from_dict(plain)
    assert back.to_dict()["scores"] == plain["scores"]
    assert {label: scores.to_dict() for label, scores in back.by.items()} == plain.get("by", {})
    assert str(back.signature) == plain["signature"]
    assert [issue.to_dict() for issue in back.issues] == plain["issues"]
    assert back.conll == pytest.approx(plain["scores"]["conll"]["f1"])


def test_json_by(run: Run, demo: tuple[Path, Path]) -> None:
    plain = run("score", *demo, "-m", "muc", "--by", "document", "--format", "json").json
    assert list(plain["by"]) == ["stories/fox_0", "letters/aunt_0"]
    assert plain["by"]["stories/fox_0"]["muc"]["counts"]["recall_den"] == 6
    total = sum(group["muc"]["counts"]["recall_den"] for group in plain["by"].values())
    assert total == plain["scores"]["muc"]["counts"]["recall_den"]


def test_json_is_strict_even_where_undefined(run: Run, files: Files) -> None:
    one = conll("(1)", "-")
    text = run("score", *files(one, one), "--undefined", "nan", "--format", "json").out
    plain = json.loads(text, parse_constant=pytest.fail)
    assert plain["scores"]["muc"]["f1"] is None
    assert plain["scores"]["muc"]["undefined"] == ["f1", "precision", "recall"]
    assert plain["scores"]["conll"]["f1"] is None


NASTY = "a&b_c%d$e#f{g}h~i^j\\k<l>m|n"


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        ("table", NASTY),
        ("markdown", NASTY.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")),
        ("html", NASTY.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")),
        (
            "latex",
            r"a\&b\_c\%d\$e\#f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k\textless{}l\textgreater{}"
            r"m\textbar{}n",
        ),
        ("csv", NASTY),
    ],
)
def test_names_are_escaped(run: Run, files: Files, format_: str, expected: str) -> None:
    document = conll("(1)", "(1)", name=NASTY)
    ran = run("score", *files(document, document), "-m", "muc", "--by", "document", "--format", format_)
    assert ran.code == 0
    assert expected in ran.out


@pytest.mark.parametrize("digits", [0, 1, 4, 12])
def test_digits_round_to_nearest(run: Run, files: Files, digits: int) -> None:
    key, response = conll("(1)", "(1)", "(1)", "(1)"), conll("(1)", "(1)", "(1)", "-")
    out = run("score", *files(key, response), "-m", "muc", "--digits", digits).out
    assert out.splitlines()[2].split()[1] == f"{200 / 3:.{digits}f}"  # 66.67, where scorer.pl cuts to 66.66


def test_exact(run: Run, demo: tuple[Path, Path]) -> None:
    args = ("score", *demo, "-m", "muc,bcub,lea,overlap,derror,conll", "--exact")
    lines = {line.split()[0]: line.split() for line in run(*args).out.splitlines() if line}
    assert lines["B³"][-3:] == ["25/42", "73/114", "1825/2958"]
    assert lines["CoNLL"][-1] == "18280847/30748410"
    scores = run(*args, "--format", "json").json["scores"]
    assert scores["lea"]["exact"] == {"recall": "25/63", "precision": "9/19", "f1": "225/521"}
    assert scores["overlap"]["exact"] == {"value": "241/264"}
    assert scores["derror"]["exact"] == {"value": "3/7"}


# ------------------------------------------------------------------------------------------------------------- groups


@pytest.mark.parametrize(
    ("content", "column", "groups"),
    [
        ("doc,topic\nstories/fox,x\nletters/aunt,y\n", "", ["x", "y"]),
        ("doc,topic\nletters/aunt_0,y\nstories/fox_0,x\n", "", ["x", "y"]),
        ("doc\ttopic\nstories/fox\tx\nletters/aunt\tx\n", "", ["x"]),
        ("doc,topic,author\nstories/fox,x,p\nletters/aunt,y,p\n", ":author", ["p"]),
        ('\ufeffdoc,topic\r\n"stories/fox","x, or z"\r\nletters/aunt,y\r\n\r\nother,z\r\n', "", ["x, or z", "y"]),
    ],
)
def test_by_labels(
    run: Run, demo: tuple[Path, Path], tmp_path: Path, content: str, column: str, groups: list[str]
) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text(content, encoding="utf-8", newline="")
    by = run("score", *demo, "-m", "muc", "--format", "json", "--by", f"{labels}{column}").json["by"]
    assert list(by) == groups
    assert sum(group["muc"]["counts"]["recall_den"] for group in by.values()) == 11


@pytest.mark.parametrize(
    ("content", "column", "code", "message"),
    [
        ("doc,topic\nstories/fox,x\n", "", 3, "no label for document 'letters/aunt"),
        ("doc,topic\nstories/fox\n", "", 3, "labels.csv:2: "),
        ("doc\nstories/fox\n", "", 3, "labels.csv:1: "),
        ("", "", 3, "labels.csv"),
        ("doc,topic\nstories/fox,x\nletters/aunt,y\n", ":genre", 2, "no column 'genre'"),
        ("doc,topic\nstories/fox,x\nstories/fox,z\nletters/aunt,y\n", "", 3, "labels.csv:3: "),
        ("doc,topic\nstories/fox,\xe9\nletters/aunt,y\n", "", 3, "labels.csv:2:13: "),
        ("doc,topic\nstories/fox," + "x" * 200_000 + "\nletters/aunt,y\n", "", 3, "labels.csv"),
    ],
)
def test_bad_labels(
    run: Run, demo: tuple[Path, Path], tmp_path: Path, content: str, column: str, code: int, message: str
) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text(content, encoding="latin-1", newline="")
    ran = run("score", *demo, "-m", "muc", "--by", f"{labels}{column}")
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_by_part(run: Run, files: Files) -> None:
    text = conll("(1)", "(1)") + conll("(1)", "(1)", part=1) + conll("(1)", "-", part=1, name="nw/b")
    by = run("score", *files(text, text), "-m", "mentions", "--format", "json", "--by", "part").json["by"]
    assert {part: s["mentions"]["counts"]["recall_den"] for part, s in by.items()} == {"0": 2, "1": 3}


def test_by_genre_needs_one(run: Run, files: Files) -> None:
    text = conll("(1)", name="plain")
    ran = run("score", *files(text, text), "--by", "genre")
    assert (ran.code, ran.out) == (2, "")
    assert "'plain_0' has no genre" in ran.err
    assert "LABELS.csv" in ran.err


# -------------------------------------------------------------------------------------------------------------- gates


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["conll=59"], 0),
        (["conll=59.46"], 1),
        (["CoNLL=70"], 1),
        (["muc.recall=54.5"], 0),
        (["muc.recall=54.6"], 1),
        (["b3.precision=64"], 0),
        (["ceaf_e.f1=62"], 0),
        (["conll=50", "lea=43"], 0),
        (["conll=50", "lea=44"], 1),
        (["overlap=91"], 0),  # not among the metrics shown: it joins them
        (["overlap=92"], 1),
        (["muc=54.545454"], 0),
        (["muc = 50"], 0),
    ],
)
def test_gates(run: Run, demo: tuple[Path, Path], gates: list[str], code: int) -> None:
    ran = run("score", *demo, *(part for gate in gates for part in ("--fail-under", gate)))
    assert ran.code == code
    assert ran.out.startswith(TABLE.splitlines()[0][:10])
    assert len(ran.err.splitlines()) == code, "what failed is named, and nothing else"
    if code:
        failed = gates[-1].partition("=")
        assert failed[0] in ran.err
        assert failed[2] in ran.err


def test_gate_on_a_perfect_score(run: Run, demo: tuple[Path, Path]) -> None:
    assert run("score", demo[0], demo[0], "--fail-under", "conll=100").code == 0


def test_gate_is_checked_against_the_metric_it_names(run: Run, demo: tuple[Path, Path]) -> None:
    ran = run("score", *demo, "-m", "muc", "--fail-under", "conll=58")  # MUC is 54.55, CoNLL 59.45
    assert (ran.code, ran.err) == (0, "")
    ran = run("score", *demo, "-m", "mentions", "--fail-under", "conll=80")  # mention detection is 85.00
    assert ran.code == 1


def test_undefined_fails_the_gate(run: Run, files: Files) -> None:
    one = conll("(1)")
    for undefined in ("zero", "nan"):
        ran = run("score", *files(one, one), "--undefined", undefined, "--fail-under", "muc=1")
        assert ran.code == 1
        assert "coreflens: error: gate failed: muc is n/a (0/0), below 1" in ran.err or undefined == "zero"


@pytest.mark.parametrize(("option", "given", "meant"), [
    ("--format", "tex", "latex"), ("--format", "md", "markdown"), ("--format", "latx", "latex"),
    ("--match", "exac", "exact"),
])  # fmt: skip
def test_a_wrong_choice_gets_a_suggestion(
    run: Run, demo: tuple[Path, Path], option: str, given: str, meant: str
) -> None:
    ran = run("score", *demo, option, given)
    assert ran.code == 2
    assert f"did you mean '{meant}'?" in ran.err


def test_greek_letters_of_tables_are_commands_in_latex() -> None:
    """Without pdflatex: no letter of our own headings is left that plain pdfLaTeX does not know."""
    assert tex("α ρ τ κ") == r"$\alpha$ $\rho$ $\tau$ $\kappa$"


def test_a_failed_gate_is_an_error(run: Run, demo: tuple[Path, Path]) -> None:
    ran = run("score", *demo, "--fail-under", "conll=70", "--fail-under", "muc.recall=60")
    errors = [line for line in ran.err.splitlines() if "gate" in line]
    assert errors == [
        "coreflens: error: gate failed: conll is 59.45, below 70",
        "coreflens: error: gate failed: muc.recall is 54.55, below 60",
    ]


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("foo=1", "unknown metric 'foo'"),
        ("muk=1", "did you mean 'muc'"),
        ("conll", "conll=70"),
        ("conll=", "conll=70"),
        ("=70", ""),
        ("conll=high", "conll=70"),
        ("conll=nan", ""),
        ("conll=inf", ""),
        ("muc.rec=1", "recall, precision, f1"),
        ("conll.recall=1", "f1"),
        ("overlap.f1=1", "value"),
        ("all=1", "all"),
        ("default=1", "default"),
    ],
)
def test_bad_gates(run: Run, demo: tuple[Path, Path], gate: str, message: str) -> None:
    ran = run("score", *demo, "--fail-under", gate)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


# ------------------------------------------------------------------------------------------------------------ policies


# What a value needs in order to act, or to be accepted: the ids of the demo start again in each document.
NEEDED = {
    ("scope", "corpus"): {"ids": "global"},
    ("ties", "scipy"): {"match": "share"},
    ("on", "key"): {"only": "mention.length=1"},
}


def _flags(options: dict[str, str]) -> list[str]:
    return [word for name, value in options.items() for word in (f"--{name}", value)]


@pytest.mark.parametrize(("option", "value"), [(o, v) for o, values in CHOICES.items() for v in values])
def test_every_value_of_every_option(run: Run, demo: tuple[Path, Path], option: str, value: str) -> None:
    needed = NEEDED.get((option, value), {})
    if value == "deixis":  # of which no CoNLL file has any
        assert "--layer deixis is for CONLL-UA" in run("score", *demo, "--layer", "deixis").err
        return
    plain = run("score", *demo, "--format", "json", f"--{option.replace('_', '-')}", value, *_flags(needed)).json
    default = value == next(iter(CHOICES[option]))
    untold = default and option in ("only", "on")  # it goes without saying
    assert (f"|{option}:{value}|" in plain["signature"]) is not untold
    assert plain["documents"] == 2
    asked = needed if default else {option: value, **needed}
    changed = [f"+{name}:{asked[name]}" for name in (f.name for f in fields(cl.Options)) if name in asked]
    assert plain["signature"].split("|")[1] == f"protocol:default{''.join(changed)}"
    assert str(cl.Signature.parse(plain["signature"])) == plain["signature"]


def test_normative_choices() -> None:
    """The table "Names and defaults": values, default first."""
    table = {
        "match": ["exact"],
        "duplicates": ["first", "last", "error", "perl"],
        "singletons": ["keep", "drop", "drop-response"],
        "blanc": ["luo2014", "perl"],
        "undefined": ["zero", "nan"],
        "average": ["micro", "macro"],
        "extra": ["error", "ignore", "count"],
        "scope": ["document", "corpus"],
    }
    for option, values in table.items():
        assert list(CHOICES[option])[: len(values)] == values


def scores(ran: Ran, metric: str) -> tuple[float, float, float]:
    found = ran.json["scores"][metric]
    return found["recall"], found["precision"], found["f1"]


# Key {a}{b,c}{d,e,f}, response {a}{b,c,x}{d,e,f,x}: a spurious mention x in two entities.
DUPLICATES = (
    conll("(1)", "(2)", "(2)", "(3)", "(3)", "(3)", "-"),
    conll("(1)", "(2)", "(2)", "(3)", "(3)", "(3)", "(2)|(3)"),
)


@pytest.mark.parametrize(
    ("policy", "precision"), [("first", (1 + 4 / 3 + 3) / 7), ("last", 5.25 / 7), ("perl", (1 + 4 / 3 + 9 / 4) / 8)]
)
def test_duplicates(run: Run, files: Files, policy: str, precision: float) -> None:
    ran = run("score", *files(*DUPLICATES), "--duplicates", policy, "--format", "json")
    assert scores(ran, "bcub")[:2] == pytest.approx((1, precision), abs=1e-12)
    issues = ran.json["issues"]
    if policy == "perl":
        assert issues == []
    else:
        assert [(i["code"], i["count"]) for i in issues] == [("duplicates-response", 1)]
        assert issues[0]["places"][0].endswith("response.conll:8")


def test_duplicates_error(run: Run, files: Files) -> None:
    ran = run("score", *files(*DUPLICATES), "--duplicates", "error")
    assert (ran.code, ran.out) == (3, "")
    assert "response.conll:8" in ran.err


@pytest.mark.parametrize(
    ("policy", "recall", "precision"), [("keep", 1, 3 / 4), ("drop", 1, 1), ("drop-response", 2 / 3, 1)]
)
def test_singletons(run: Run, files: Files, policy: str, recall: float, precision: float) -> None:
    key, response = conll("(1)", "(2)", "(2)", "-"), conll("(1)", "(2)", "(2)", "(3)")
    ran = run("score", *files(key, response), "--singletons", policy, "--format", "json")
    assert scores(ran, "bcub")[:2] == pytest.approx((recall, precision), abs=1e-12)
    assert scores(ran, "mentions")[:2] == (1, 3 / 4), "mention detection comes before any singleton is dropped"


@pytest.mark.parametrize(
    ("args", "f1"),
    [
        ((), 11 / 26),
        (("--blanc", "perl"), 11 / 13),
        (("--protocol", "conll-2012"), 11 / 13),
        (("--protocol", "conll-2012", "--blanc", "luo2014"), 11 / 26),
    ],
)
def test_blanc(run: Run, files: Files, args: tuple[str, ...], f1: float) -> None:
    key = conll("(1)", "(2)", "(3)", "(4)", "(5)", "(6)")
    response = conll("(1)", "(1)", "(2)", "(2)", "(2)", "(3)")
    ran = run("score", *files(key, response), "-m", "blanc", "--format", "json", *args)
    assert scores(ran, "blanc")[2] == pytest.approx(f1, abs=1e-12)


def test_undefined(run: Run, files: Files) -> None:
    pair = files(conll("(1)", "(2)"), conll("(1)", "(2)"))
    zero = run("score", *pair, "-m", "muc,conll", "--format", "json").json["scores"]
    assert zero["muc"]["f1"] == 0
    assert zero["muc"]["undefined"] == ["f1", "precision", "recall"]
    assert zero["conll"]["f1"] == pytest.approx(2 / 3)
    for undefined in ("zero", "nan"):
        line = run("score", *pair, "-m", "muc", "--undefined", undefined).out.splitlines()[2]
        assert line.split() == ["MUC", "n/a", "n/a", "n/a", "0/0", "0/0"]


def test_macro_leaves_undefined_documents_out_and_says_so(run: Run, files: Files) -> None:
    text = conll("(1)", "(1)") + conll("(1)", name="nw/b")
    ran = run("score", *files(text, text), "-m", "muc,bcub", "--average", "macro", "--format", "json")
    muc = ran.json["scores"]["muc"]
    assert (muc["recall"], muc["precision"], muc["f1"]) == (1, 1, 1)
    table = run("score", *files(text, text), "-m", "muc,bcub", "--average", "macro").out
    muc_line, bcub_line = table.splitlines()[2:4]
    assert "mean of 2" in bcub_line
    assert "mean of 1" in muc_line, "one of them is left out"


def test_macro_is_the_mean_of_documents(run: Run, demo: tuple[Path, Path]) -> None:
    plain = run("score", *demo, "--average", "macro", "--by", "document", "--format", "json").json
    for metric in ("muc", "bcub", "ceafe", "lea"):
        for value in ("recall", "precision", "f1"):
            mean = sum(group[metric][value] for group in plain["by"].values()) / 2
            assert plain["scores"][metric][value] == pytest.approx(mean, abs=1e-12)


def test_extra_and_missing_documents(run: Run, files: Files) -> None:
    one, two = conll("(1)", "(1)"), conll("(1)", "(1)") + conll("(1)", "(1)", name="nw/b")
    ran = run("score", *files(one, two))
    assert (ran.code, ran.out) == (3, "")
    assert re.search(r"response\.conll:6: .*'nw/b_0'", ran.err)
    assert "--extra ignore" in ran.err
    assert "--extra count" in ran.err
    for policy, precision, documents in (("ignore", 1, 1), ("count", 1 / 2, 2)):
        ran = run("score", *files(one, two), "-m", "muc", "--extra", policy, "--format", "json")
        assert scores(ran, "muc")[1] == precision
        assert ran.json["documents"] == documents
        assert [(i["code"], i["count"]) for i in ran.json["issues"]] == [("extra-documents", 1)]
    ran = run("score", *files(two, one), "-m", "muc", "--format", "json")
    assert scores(ran, "muc")[:2] == (1 / 2, 1)
    assert [(i["code"], i["count"]) for i in ran.json["issues"]] == [("missing-documents", 1)]
    assert ran.json["issues"][0]["places"][0].endswith("key.conll:6")


def test_scope(run: Run, files: Files, tmp_path: Path) -> None:
    text = conll("(1)") + conll("(1)", name="nw/b") + conll("(1)", name="bc/c")
    labels = tmp_path / "labels.csv"
    labels.write_text("doc,topic\nnw/a,t\nnw/b,u\nbc/c,t\n", encoding="utf-8")
    for scope, links in (("document", 0), ("corpus", 2), ("genre", 1), (str(labels), 1), (f"{labels}:topic", 1)):
        plain = run("score", *files(text, text), "-m", "muc", "--scope", scope, "--format", "json").json
        assert plain["scores"]["muc"]["counts"]["recall_den"] == links
        assert plain["documents"] == 3
        assert f"scope:{scope}" in plain["signature"]
    ran = run("score", *files(text, text), "--scope", "topic")
    assert (ran.code, ran.out) == (2, "")


def test_pair(run: Run, files: Files) -> None:
    pair = files(conll("(1)", "(1)", name="a"), conll("(1)", "(1)", name="b"))
    ran = run("score", *pair)
    assert (ran.code, ran.out) == (3, "")
    assert "--pair file" in ran.err
    assert "'a_0'" in ran.err
    assert "'b_0'" in ran.err
    ran = run("score", *pair, "-m", "muc", "--pair", "file", "--format", "json")
    assert scores(ran, "muc") == (1, 1, 1)


def test_protocols(run: Run, demo: tuple[Path, Path]) -> None:
    def signature(*args: str) -> str:
        return str(run("score", *demo, "--format", "json", *args).json["signature"])

    assert "|protocol:conll-2012|match:exact|duplicates:perl|singletons:keep|blanc:perl|" in signature(
        "--protocol", "conll-2012"
    )
    assert "|duplicates:perl|singletons:drop-response|blanc:perl|" in signature("--protocol", "conll-2011")
    assert "|protocol:conll-2012+singletons:drop|" in signature("--protocol", "conll-2012", "--singletons", "drop")
    assert "|protocol:conll-2012|" in signature("--protocol", "conll-2012", "--duplicates", "perl")


def test_weights(run: Run, demo: tuple[Path, Path]) -> None:
    def mela(weights: str) -> float:
        plain = run("score", *demo, "-m", "mela", "--weights", weights, "--format", "json").json
        assert f"weights:{weights}" in plain["signature"]
        return float(plain["scores"]["mela"]["f1"])

    muc, lea = 6 / 11, 225 / 521
    assert mela("muc=1") == pytest.approx(muc)
    assert mela("muc=3,lea=1") == pytest.approx((3 * muc + lea) / 4)
    assert mela("muc=1,bcub=1,ceafe=1") == pytest.approx(18280847 / 30748410)
    plain = run("score", *demo, "-m", "mela", "--weights", "b3=1", "--format", "json").json
    assert plain["scores"]["mela"]["f1"] == pytest.approx(1825 / 2958)


@pytest.mark.parametrize(
    "weights", ["", "muc", "muc=x", "muc=-1", "muc=0", "muc=nan", "muc=inf", "foo=1", "overlap=1", "conll=1", "=1"]
)
def test_bad_weights(run: Run, demo: tuple[Path, Path], weights: str) -> None:
    ran = run("score", *demo, "-m", "mela", "--weights", weights)
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) <= 2


# ------------------------------------------------------------------------------------------------------------- metrics


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("muc", ["muc"]),
        ("lea,muc", ["lea", "muc"]),
        ("B3, CEAF_E ,Pairwise", ["bcub", "ceafe", "pairs"]),
        ("b_cubed,ceaf-m,B³", ["bcub", "ceafm"]),
        ("conll", ["mentions", "muc", "bcub", "ceafe", "conll"]),
        ("popescu-belis", ["muc", "core", "xcore", "overlap", "derror"]),
        ("default", ["mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "conll"]),
        ("conll,lea", ["mentions", "muc", "bcub", "ceafe", "conll", "lea"]),
    ],
)
def test_metrics(run: Run, demo: tuple[Path, Path], asked: str, names: list[str]) -> None:
    assert list(run("score", *demo, "-m", asked, "--format", "json").json["scores"]) == names


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("-m", "muk"), "did you mean 'muc'"),
        (("-m", "bcubed-sys"), "did you mean 'bcub-sys'"),
        (("-m", "xyzzy"), "list metrics"),
        (("-m", ""), "no metric"),
        (("-m", "rand"), "same mentions"),
        (("-m", "vmeasure"), "same mentions"),
        (("-m", "blanc-gold"), "same mentions"),
        (("--by", "colour"), "'colour'"),
        (("--format", "pdf"), "pdf"),
        (("--digits", "-1"), "digits"),
        (("--digits", "many"), "digits"),
        (("--protocol", "conll-2013"), "conll-2013"),
        (("--duplicates", "second"), "second"),
        (("--match", "heads"), "heads"),
        (("--singleton", "drop"), "--singletons"),
        (("--key-format", "xml"), "xml"),
        (("--response-format", "jsonline"), "jsonlines"),
        (("--encoding", "klingon"), "klingon"),
        (("--scope", "corpus", "--ids", "global", "--by", "document"), "--scope document"),
        (("third.conll",), "third.conll"),
    ],
)
def test_usage_errors(run: Run, demo: tuple[Path, Path], args: tuple[str, ...], message: str) -> None:
    ran = run("score", *demo, *args)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert len(ran.err.splitlines()) <= 6


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("scor", "k", "r"), "did you mean 'score'"),
        (("score",), "KEY"),
        (("score", "key.conll"), "RESPONSE"),
        (("score", "-", "-"), "stdin"),
        (("score", "", ""), ""),
        (("list", "metric"), "metrics"),
        (("show", "muk"), "did you mean 'muc'"),
        (("show", "xyzzy"), "xyzzy"),
        (("demo", "extra"), "extra"),
        (("--verbose",), "--verbose"),
    ],
)
def test_usage_errors_of_commands(run: Run, args: tuple[str, ...], message: str) -> None:
    ran = run(*args)
    assert ran.code in ((2, 3) if "" in args else (2,))
    assert ran.out == ""
    assert message in ran.err


# -------------------------------------------------------------------------------------------------------------- inputs


def test_stdin(run: Run, demo: tuple[Path, Path]) -> None:
    key, response = demo
    expected = run("score", *demo).out
    assert run("score", key, "-", stdin=response.read_bytes()).out == expected
    assert run("score", "-", response, stdin=key.read_bytes()).out == expected
    assert run("score", key, "-", stdin=gzip.compress(response.read_bytes())).out == expected
    ran = run("score", key, "-")
    assert (ran.code, ran.out) == (3, "")
    assert "stdin: " in ran.err


def test_gzip_and_directories(run: Run, demo: tuple[Path, Path], tmp_path: Path) -> None:
    expected = run("score", *demo).out
    for side, path in zip(("key", "response"), demo, strict=True):
        documents = path.read_text(encoding="utf-8").split("#end document\n")[:-1]
        (tmp_path / side / "deep" / "er").mkdir(parents=True)
        (tmp_path / side / "1.gz").write_bytes(gzip.compress(documents[0].encode()))
        (tmp_path / side / "deep" / "er" / "two").write_text(documents[1], encoding="utf-8")
        (tmp_path / side / ".hidden").write_bytes(b"\0not to be read")
    ran = run("score", tmp_path / "key", tmp_path / "response")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == expected
    (tmp_path / "key" / "README").write_text("What this is.\n", encoding="utf-8")
    ran = run("score", tmp_path / "key", demo[1])
    assert ran.out == expected
    assert "README" in ran.err
    assert "[skipped-files]" in ran.err


def test_forced_formats(run: Run, demo: tuple[Path, Path]) -> None:
    assert run("score", *demo, "--key-format", "conll", "--response-format", "conll").out == run("score", *demo).out
    for format_ in ("jsonlines", "table"):
        ran = run("score", *demo, "--response-format", format_)
        assert (ran.code, ran.out) == (3, "")
        assert "response.conll:1" in ran.err


# ----------------------------------------------------------------------------------------------------- list, show, demo

CONTRACT = [
    *("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "pairs", "rand", "ari", "vmeasure", "core", "xcore"),
    *("overlap", "derror", "mor", "zero", "conll", "mela", "bcub-0", "bcub-all", "bcub-rn", "bcub-sys"),
    *("ceafm-rn", "ceafm-sys", "ceafe-sys", "blanc-gold", "nonreferring"),
    *("bridging-recognition", "bridging-mention", "bridging-entity", "split"),
    *("split-muc", "split-bcub", "split-ceafm", "split-ceafe", "split-blanc", "split-lea"),
]
NAMES = list(METRICS)


def test_list(run: Run) -> None:
    listed = {what: run("list", what).out for what in ("metrics", "sets", "formats", "protocols", "options")}
    first = {what: [line.split()[0] for line in text.splitlines()] for what, text in listed.items()}
    assert sorted(first["metrics"]) == sorted(NAMES) and set(CONTRACT) <= set(NAMES)
    assert set(first["sets"]) >= {"conll", "all", "cai-strube", "popescu-belis"}
    assert set(first["formats"]) >= {"conll", "jsonlines", "table"}
    assert set(first["protocols"]) >= {"conll-2012", "conll-2011"}
    assert {f"--{option}" for option in OPTIONS} <= set(first["options"])
    for text in listed.values():
        assert all(len(line.split(maxsplit=1)) == 2 for line in text.splitlines()), "each has a line about it"


def _bibtex(text: str) -> dict[str, str]:
    """The fields of the one entry in a text; braces must be paired."""
    entry = text[text.index("@") :]
    depth = 0
    for place, char in enumerate(entry):  # noqa: B007 - where it ends is the point
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "}" and not depth:
            break
    assert depth == 0
    match = re.fullmatch(
        r"@(article|inproceedings|book|misc)\{([a-z]+\d{4}[a-z]?),\n(.*)\n\}", entry[: place + 1], re.S
    )
    assert match
    fields = dict(re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", match[3], re.M))
    assert len(fields) == len(match[3].splitlines())
    return fields


@pytest.mark.parametrize("name", NAMES)
def test_show_metric(run: Run, name: str) -> None:
    ran = run("show", name)
    assert (ran.code, ran.err) == (0, "")
    assert f"({name})" in ran.out.splitlines()[0]
    fields = _bibtex(ran.out)
    assert {"author", "title", "year"} <= set(fields)
    assert {"journal", "booktitle"} & set(fields)
    assert re.fullmatch(r"(19|20)\d\d", fields["year"])
    assert all(", " in author for author in fields["author"].split(" and "))


@pytest.mark.parametrize("name", ["muc", "bcub", "ceafe", "lea", "blanc", "core", "conll"])
def test_show_has_formula(run: Run, name: str) -> None:
    assert re.search(r"^\s+(R|CoNLL|R_c) = ", run("show", name).out, re.M)


@pytest.mark.parametrize("name", [*SETS, *FORMATS, *PROTOCOLS, *OPTIONS, *(f"--{option}" for option in OPTIONS)])
def test_show_everything_else(run: Run, name: str) -> None:
    ran = run("show", "--", name)
    assert (ran.code, ran.err) == (0, "")
    assert name.lstrip("-") in ran.out
    assert len(ran.out.split()) > 3


def test_show_takes_aliases(run: Run) -> None:
    for alias in ("b3", "B_cubed", "B³", "BCUB"):
        assert run("show", alias).out == run("show", "bcub").out


def test_show_of_a_name_with_several_meanings(run: Run) -> None:
    out = run("show", "conll").out
    assert "F1(muc)" in out, "the metric"
    assert "mentions, muc, bcub, ceafe, conll" in out, "the set"
    assert "#" in out, "the format"


def test_demo(run: Run) -> None:
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    assert TABLE in ran.out
    assert "[An old fox]0" in ran.out
    assert "coreflens score" in ran.out, "says what to try next"


def test_the_demo_adds_up_and_fits(run: Run, demo: tuple[Path, Path]) -> None:
    """The mentions that are shown are those that are counted; in 80 columns; the README has 100."""
    lines = run("demo").out.splitlines()
    assert max(map(len, lines)) <= 80
    shown: dict[str, str] = {"Key:": "", "Response:": ""}
    side = ""
    for line in lines[: lines.index(TABLE.splitlines()[0])]:
        side = line.split()[0] if line[:1].strip() else side
        shown[side] += line
    for text, counts in zip(shown.values(), ("R counts", "P counts"), strict=True):
        column = TABLE.splitlines()[0].index(counts)
        total = TABLE.splitlines()[2][column:].split()[0].split("/")[1]
        assert text.count("[") == text.count("]") == int(total), counts
    begin = next(n for n, line in enumerate(lines) if line.strip().startswith("coreflens:"))
    signature = "".join(line.strip() for line in takewhile(str.strip, lines[begin:]))
    assert signature == cl.score(*demo).signature.short
    readme = Path(__file__).parents[2] / "README.md"
    for block in re.findall(r"```console\n(.*?)```", readme.read_text("utf-8"), re.DOTALL):
        assert max(map(len, block.splitlines())) <= 100, block


def test_demo_write_refuses_what_is_no_directory(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for where in (tmp_path / "file", tmp_path / "file" / "below"):
        ran = run("demo", "--write", where)
        assert ran.code in (2, 3)
        assert ran.out == ""
        assert str(where) in ran.err


def test_commands_of_the_demo_work(run: Run, demo: tuple[Path, Path]) -> None:
    lines = [line.split("   ")[0].split() for line in run("demo").out.splitlines() if line.startswith("  coreflens")]
    assert len(lines) > 2
    for _, *args in lines:
        args = [a.replace("DIR", str(demo[0].parent)) for a in args]
        assert run(*args).code == 0, args


@pytest.mark.parametrize("args", [(), ("score",), ("list",), ("show",), ("demo",)])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help(run: Run, args: tuple[str, ...], flag: str) -> None:
    ran = run(*args, flag)
    assert (ran.code, ran.err) == (0, "")
    assert re.search("^ *(Examples|Common uses):", ran.out, re.M)
    assert len(re.findall(r"^ +(?:zcat .* \| )?coreflens ", ran.out, re.M)) >= 2
    if args == ("score",):
        assert all(f"--{option}" in ran.out for option in (*OPTIONS, "by", "digits", "exact", "fail-under", "weights"))


def test_version(run: Run) -> None:
    ran = run("--version")
    assert (ran.code, ran.err) == (0, "")
    assert cl.__version__ in ran.out


# -------------------------------------------------------------------------------------------------------------- streams


def test_oddities_go_to_stderr(run: Run, files: Files) -> None:
    for format_ in ("table", "csv", "markdown", "latex", "html", "json"):
        ran = run("score", *files(*DUPLICATES), "--format", format_)
        assert ran.code == 0
        assert re.search(r"coreflens: note: .*1 .*response\.conll:8.*\[duplicates-response\]", ran.err), format_
        if format_ != "json":
            assert "duplicates-response" not in ran.out


def test_no_colour_codes(run: Run, demo: tuple[Path, Path]) -> None:
    assert "\x1b" not in run("score", *demo).out + run("demo").out + run("show", "muc").out


def _spawn(*args: object, env: dict[str, str] | None = None, **more: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "coreflens", *map(str, args)]
    return subprocess.run(command, capture_output=True, timeout=60, env={**os.environ, **(env or {})}, **more)


@pytest.mark.slow
def test_process_exit_codes(demo: tuple[Path, Path]) -> None:
    for code, args in (
        (0, ("score", *demo)),
        (1, ("score", *demo, "--fail-under", "conll=99")),
        (2, ("score", *demo, "-m", "foo")),
        (3, ("score", demo[0], "nowhere.conll")),
    ):
        assert _spawn(*args).returncode == code


@pytest.mark.slow
def test_head_makes_no_noise(demo: tuple[Path, Path]) -> None:
    shell = f"{sys.executable} -m coreflens score {demo[0]} {demo[1]} --format html | head -c 5"
    for _ in range(2):
        ran = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=60)
        assert (ran.stdout, ran.stderr) == (b"<!doc", b"")


@pytest.mark.slow
def test_reader_that_never_reads(demo: tuple[Path, Path]) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "coreflens", "score", *map(str, demo)]
    ran = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, timeout=60)
    os.close(write)
    assert ran.stderr == b""
    assert ran.returncode in (0, 141)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
def test_terminals_that_lack_characters(demo: tuple[Path, Path], encoding: str) -> None:
    env = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    ran = _spawn("score", *demo, "-m", "bcub", env=env)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"59.52" in ran.stdout


def test_interrupt_and_bugs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], demo: tuple[Path, Path]
) -> None:
    from coreflens.cli.score import plain as module

    def outcome(error: BaseException) -> tuple[object, str]:
        def broken(*args: Any, **settings: Any) -> None:
            raise error

        monkeypatch.setattr(module, "score", broken)
        monkeypatch.setattr(sys, "argv", ["coreflens", "score", *map(str, demo)])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        return stop.value.code, err

    assert outcome(KeyboardInterrupt())[0] == 130
    assert outcome(MemoryError())[0] == 3
    code, err = outcome(ZeroDivisionError("oops"))
    assert code not in (0, 1, 2, 3), "a bug is no verdict on the input"
    assert "oops" in err
    assert "COREFLENS_DEBUG" in err
    monkeypatch.setenv("COREFLENS_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main()


def test_metrics_may_be_given_one_by_one(run: Run, demo: tuple[Path, Path]) -> None:
    several = run("score", *demo, "-m", "muc", "-m", "lea,bcub", "--format", "json").json
    assert list(several["scores"]) == ["muc", "lea", "bcub"]
