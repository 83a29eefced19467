"""Modes of commands: each takes some options, and refuses the others with its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command import Run, conll
from coreflens.cli.modes import Asked, Rule, flags, given, refuse_idle
from coreflens.errors import UsageError
from coreflens.wording import command_line

KEY = conll("(0)", "-", "(0)", "(1)", "(1)", name="nw/a") + conll("(0)", "(0)", "(1)", "(1)", name="bc/b")
RESPONSE = conll("(0)", "-", "(0)", "(1)", "(0)", name="nw/a") + conll("(0)", "(1)", "(1)", "(1)", name="bc/b")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, text in (("key", KEY), ("response", RESPONSE)):
        (tmp_path / f"{name}.conll").write_text(text)
    return str(tmp_path / "key.conll"), str(tmp_path / "response.conll")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--match exact,head --fail-under conll=99", "--fail-under can't be combined with several values of --match"),
        ("--match exact,head --by genre --rpf", "--by and --rpf can't be combined with several values of --match"),
        ("--match exact,head --save-counts x.counts", "--save-counts can't be combined with several values of --match"),
        ("--match exact,head --min-share 0.7", "--min-share needs --match share"),
        ("--window 5,9 --fail-under conll=9", "--fail-under can't be combined with a table of windows"),
        ("--window 5 --plot x.svg --by genre", "--by can't be combined with a table of windows"),
        ("--window 5 --by genre --split-antecedents keep", "--split-antecedents can't be combined with --window"),
        ("--major 3 -m muc", "--metrics can't be combined with --major"),
        ("--major 3 --average macro", "--average can't be combined with --major"),
        ("--leniency --major 3", "--major can't be combined with --leniency"),
        ("--leniency --exact", "--exact can't be combined with --leniency"),
        ("--leniency --scope document", "--scope document can't be combined with --leniency"),
        ("--supplement", "--supplement needs --protocol corefud"),
        ("--supplement --protocol corefud --match share", "--match can't be combined with --supplement"),
        ("--supplement --protocol corefud -m muc", "--metrics can't be combined with --supplement"),
        ("--engine duckdb --jobs 2 --repair", "--jobs and --repair need --engine memory"),
        ("--engine duckdb --by entity.type", "--by entity.NAME or mention.NAME needs --engine memory"),
        ("--master local", "--master needs --engine spark"),
        ("--engine memory --memory-limit 4G", "--memory-limit needs --engine duckdb"),
        ("--seed 0", "--seed needs --bootstrap N or --against FILE"),
        ("--unit document", "--unit needs --bootstrap N or --against FILE"),
        ("--stratify genre", "--stratify needs --bootstrap N"),
        ("--alignment", "--alignment needs --format json"),
        ("--rpf", "--rpf needs --by GROUP"),
        ("--window 5 --bootstrap 9 --rpf", "--rpf needs --by GROUP"),
        ("--plot x.svg", "--plot needs --window"),
        ("--width column", "--width needs --format latex"),
        ("--rate-plot x.svg --by entity.size", "--rate-plot draws documents or groups of documents"),
    ],
)
def test_what_a_mode_of_score_refuses(files: tuple[str, str], run: Run, options: str, message: str) -> None:
    ran = run("score", *files, *options.split())
    assert ran.code == 2
    assert message in ran.err
    assert not ran.out


def test_gates_groups_and_intervals_where_one_score_is_meant(files: tuple[str, str], run: Run, tmp_path: Path) -> None:
    counts = tmp_path / "a.counts"
    ran = run(
        "score", *files, "--window", "4", "--by", "document", "--bootstrap", "20", "--seed", "3",
        "--save-counts", counts, "--fail-under", "muc=99",
    )  # fmt: skip
    assert ran.code == 1
    assert "gate failed: muc" in ran.err
    assert "nw/a_0" in ran.out
    assert counts.is_file()


def test_alignment_of_named_columns(run: Run, tmp_path: Path) -> None:
    for name, rows in (("k", "a,1\nb,1\nc,2\n"), ("r", "a,1\nb,2\nc,2\n")):
        (tmp_path / f"{name}.csv").write_text("record,cluster\n" + rows)
    sides = [str(tmp_path / f"{name}.csv") for name in "kr"]
    named = ["--columns", "mention=record,entity=cluster", "--format", "json"]
    assert len(run("score", *sides, *named, "--alignment").json["alignment"]) == 3


def test_each_row_of_several_matches_has_its_signature(files: tuple[str, str], run: Run) -> None:
    matches = ("--match", "exact,share,head", "--min-share", "0.7")
    out = run("score", *files, *matches).out
    signatures = [line for line in out.splitlines() if line.startswith("coreflens:")]
    assert [line.split("|")[1] for line in signatures] == [
        "protocol:default",
        "protocol:default+match:share+min_share:0.7",
        "protocol:default+match:head",
    ]
    comments = [line for line in run("score", *files, *matches, "--format", "csv").out.splitlines() if line[0] == "#"]
    assert len(comments) == 3


def test_leniency_names_every_value_in_its_signature(run: Run, tmp_path: Path) -> None:
    for name, text in (("key", KEY), ("response", RESPONSE)):
        (tmp_path / f"{name}.conll").write_text(text)
    files = [tmp_path / f"{name}.conll" for name in ("key", "response")]
    ran = run("score", *files, "--leniency", "--scope", "genre", "--ids", "global")
    assert "|rows:scope=genre,corpus;singletons=keep,drop;mentions=predicted,gold" in ran.out
    ways = run("score", *files, "--leniency", "--scope", "genre", "--ids", "global", "--format", "json").json["ways"]
    assert len({way["signature"] for way in ways}) == len(ways) == 8


@pytest.mark.parametrize(("text", "meant"), [("conll=0.7", "70"), ("muc.recall=.555", "55.5"), ("lea=1e-3", "0.1")])
def test_shares_are_not_points(files: tuple[str, str], run: Run, text: str, meant: str) -> None:
    ran = run("score", *files, "--fail-under", text)
    assert ran.code == 2
    assert f"points are meant: did you mean {meant}?" in ran.err


@pytest.mark.parametrize("points", ["0", "1", "-3", "1.5"])
def test_small_thresholds_that_are_points(files: tuple[str, str], run: Run, points: str) -> None:
    assert run("score", *files, "--fail-under", f"conll={points}").code == 0


def test_rules_name_the_first_option_that_needs_something() -> None:
    rules = [Rule(("seed", "unit"), given("bootstrap"), "needs --bootstrap N")]
    refuse_idle(rules, Asked({}, ["unit", "bootstrap"]))
    refuse_idle(rules, Asked({}, ["by"]))
    with command_line(), pytest.raises(UsageError, match=r"^--unit needs --bootstrap N$"):
        refuse_idle(rules, Asked({}, ["by", "unit"]))


def test_several_options_in_a_message() -> None:
    assert flags(["by"]) == "--by"
    assert flags(["by", "rpf", "exact"]) == "--by, --rpf and --exact"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("explain K R -m muc --weights muc=2", "--weights needs -m mela"),
        ("explain K R --document nw/a_0 --average macro", "--average can't be combined with --document"),
        ("diagnose K R -m lea", "--metrics needs --show prices or --format json"),
        ("diagnose K R --show errors -n 3", "--count needs a list that is cut"),
        ("diagnose K R --show errors --format json", "--show can't be combined with --format json"),
        ("view K R out.html --signature full", "No such option"),
        ("compare K R --show all", "--show needs groups"),
        ("compare K R --title x", "--title needs a caption"),
        ("compare K R --resamples 0 --test t", "--test can't be combined with --resamples 0"),
        ("compare K R --paper-rounding --rpf", "--rpf can't be combined with --paper-rounding"),
        ("compare --from-table conll-2011/english --by genre", "--by can't be combined with --from-table"),
        ("agree K R --extra count", "No such option"),
        ("agree K R --differences -m muc", "--metrics can't be combined with --differences"),
        ("agree K R --differences --singletons drop", "--singletons can't be combined with --differences"),
        ("agree K R --plot x.svg", "--plot draws alpha by group, so it needs --by"),
        ("describe K --pair file", "--pair needs --against KEY"),
        ("describe A=K --against R --rate", "--rate can't be combined with NAME=PATH"),
        ("convert K out.jsonl --chunk 5", "--chunk needs --to prompts"),
        ("convert K out.jsonl --strict --lossy", "--lossy can't be combined with --strict"),
        ("convert K out.jsonl --to prompts --only type=x", "--only can't be combined with --to prompts"),
        ("correlate K R --tables --match head", "--match can't be combined with --tables"),
        ("sweep K R R --seed 3", "--seed needs a single RESPONSE"),
        ("resolve K out.conll --system sieve --key R", "--key needs --system oracle"),
        ("resolve K out.conll --system exact-match --gender R", "--gender needs a system that uses it: sieve"),
        ("resolve --train K --system mention-pair --model m.json --to conll", "--to can't be combined with --train"),
        ("probe K --match exact", "No such option"),
        ("tune K --system sieve --param window=1,2 --tries 3", "--tries needs --search random"),
        ("tune K --system sieve --param window=1,2 --time-limit 3", "--time-limit needs --run COMMAND"),
        ("db build out.duckdb key=K -m muc", "--metrics needs --response NAME=PATH"),
        ("db build out.duckdb key=K --protocol ua", "--protocol needs --response NAME=PATH"),
        ("task layers K out --format json", "--format needs --predicted CONLL"),
        ("demo --answers", "--answers needs --write DIR"),
    ],
)
def test_what_other_commands_refuse(
    files: tuple[str, str], run: Run, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(Path(files[0]).parent)
    named = re.sub(r"(?<![A-Z])(K|R)(?![A-Z])", lambda side: {"K": "key.conll", "R": "response.conll"}[side[1]], words)
    ran = run(*named.split())
    assert ran.code == 2
    assert message in ran.err


def test_saved_counts_take_no_policies(files: tuple[str, str], run: Run, tmp_path: Path) -> None:
    for name, response in zip("ab", files, strict=True):
        run("score", files[0], response, "--save-counts", tmp_path / f"{name}.counts")
    counts = [tmp_path / f"{name}.counts" for name in "ab"]
    assert run("compare", *counts).code == 0
    ran = run("compare", *counts, "--singletons", "drop", "--encoding", "latin-1")
    assert ran.code == 2
    assert "--singletons and --encoding can't be combined with saved counts" in ran.err
    ran = run("compare", f"x={tmp_path}/*.counts", f"y={counts[0]}", "--window", "5")
    assert "--window can't be combined with saved counts" in ran.err
