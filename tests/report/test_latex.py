"""LaTeX of every command that offers it: a new command without a case here fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from command import Run, conll
from coreflens.cli import cli
from tex import HAS_TEX, check, compile_page

# A case is named by its command; words in brackets tell two cases of one command apart.
CASES: dict[str, str] = {
    "score": "KEY RESPONSE -m all",
    "score (by)": "KEY RESPONSE --by document --bootstrap 100",
    "score (rpf)": "KEY RESPONSE --by document --rpf",
    "score (column)": "KEY RESPONSE --by document --rpf --width column",
    "score (page)": "KEY RESPONSE --by document --rpf --width page",
    "score (matchings)": "KEY RESPONSE --match exact,partial",
    "explain": "KEY RESPONSE -m bcub",
    "explain (ceafe)": "KEY RESPONSE -m ceafe",
    "diagnose": "KEY RESPONSE",
    "diagnose (column)": "KEY RESPONSE --width column",
    "diagnose (all)": "KEY RESPONSE --show classes,errors,links --by document",
    "compare": "KEY RESPONSE OTHER --baseline response",
    "compare (two)": "KEY RESPONSE OTHER",
    "compare (many)": "KEY RESPONSE OTHER OTHERS --title Fables",
    "compare (runs)": "KEY RUNS OTHER --by document",
    "compare (column)": "KEY RESPONSE OTHER --width column --rpf --by document",
    "compare (page)": "KEY RESPONSE OTHER --width page --rpf --match exact,partial",
    "compare (macro)": "DATASETS --macro dataset",
    "compare (macro, column)": "DATASETS --macro dataset --width column",
    "agree": "KEY RESPONSE --by document",
    "agree (differences)": "KEY RESPONSE --differences",
    "correlate": "--tables TABLES",
    "sweep": "KEY RESPONSE --steps 2 --repeats 1",
    "describe": "KEY",
    "describe (column)": "KEY RESPONSE --width column",
    "describe (two)": "KEY RESPONSE",
    "tune": "KEY --system salience --param window=1..3 --folds 2",
    "ablate": "KEY --system sieve -m bcub",
    "probe": "KEY -m muc,bcub --samples 20 --chains 5",
    "history show": "HISTORY",
    "task layers": "LAYERED OUT --predicted LAYERED",
    "db query": "DATABASE entities-by-size",
    "quiz score": "QUESTIONS ANSWERS --bootstrap 50",
    "counts merge": "COUNTS OUT/merged.json",
    "curve": "TRUTH EDGES --score score",
    "estimate": "LABELLED CLUSTERS --by record",
    "plan": "LABELLED CLUSTERS --by record",
    "minimal-pairs": "ITEMS ITEMS --labels LABELS --template id --factor pronoun",
}


def offered(command: click.Command = cli, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The commands that have --format latex."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from offered(found, (*path, name))
    elif any("--format" in p.opts and "latex" in getattr(p.type, "choices", ()) for p in command.params):
        yield " ".join(path)


def test_every_command_with_latex_has_a_case() -> None:
    found = set(offered())
    assert found == {name.split(" (")[0] for name in CASES}
    assert len(found) > 15


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands read, in files whose names LaTeX can't show as they are."""
    place = tmp_path_factory.mktemp("latex")
    for name in ("runs", "keys", "a", "b_&_c", "out"):
        (place / name).mkdir()
    for k, response in enumerate((("(0)", "(0)", "-", "(1)"), ("(0)", "-", "(0)", "(0)"))):
        key = conll("(0)", "(0)", "(0)", "(1)", name=f"nw/{k}")
        for where, text in (("keys", key), ("a", conll(*response, name=f"nw/{k}")), ("b_&_c", key)):
            (place / where / f"set_{k}.conll").write_text(text)
    for n, values in enumerate(("0.1,0.51", "0.3,0.53", "0.2,0.52")):
        (place / f"t{n}.csv").write_text(f"system,muc,bcub\nsystem_{n},{values}\n")
    questions, answers = [], []
    for k, kind in enumerate(("pronoun", "nominal", "pronoun", "nominal")):
        about = {"id": f"q{k}", "doc": f"d{k % 2}", "type": kind, "nesting": "inside", "distance": k}
        questions.append(json.dumps(about | {"options": {"A": "Ada", "B": "the aunt"}, "answer": "A"}))
        answers.append(json.dumps({"id": f"q{k}", "answer": "AB"[k % 3 == 0]}))
    (place / "questions.jsonl").write_text("\n".join(questions))
    (place / "answers.jsonl").write_text("\n".join(answers))
    (place / "truth.csv").write_text("id,entity\n" + "".join(f"r{k},e{k // 2}\n" for k in range(8)))
    edges = "".join(f"r{k},r{k + 1},0.{9 - k}\n" for k in range(7))
    (place / "edges.csv").write_text("id1,id2,score\n" + edges)
    (place / "clusters.csv").write_text("mention,entity\n" + "".join(f"r{k},c{k // 3}\n" for k in range(12)))
    (place / "labelled.csv").write_text("record,entity,hits\n" + "".join(f"r{k},e{k // 2},1\n" for k in range(6)))
    variants = [(f"t{t}_{who}", str(t), who) for t in range(6) for who in ("she", "he")]
    (place / "items.conll").write_text("".join(conll("(0)", "(1)", "(0)", name=name) for name, _, _ in variants))
    (place / "labels.csv").write_text("document,id,pronoun\n" + "".join(f"{','.join(row)}\n" for row in variants))
    word = "bc/x/00/x_0001   0   {}   {}   {}   {}   {}   {}   {}   Ann   *   {}\n"
    rows = [("The", "DT", "(TOP(S(NP*", "-", "-", "-", "(0"), ("cat", "NN", "*)", "-", "-", "-", "0)")]
    rows += [("slept", "VBD", "(VP*)))", "sleep", "01", "1", "-")]
    text = "".join(word.format(k, *row) for k, row in enumerate(rows))
    (place / "x.gold_conll").write_text(f"#begin document (bc/x/00/x_0001); part 000\n{text}\n#end document\n")
    return place


def arguments(asked: str, folder: Path, run: Run, out: Path) -> list[str]:
    """The arguments of a case; what other commands have to write first is written here."""
    run("demo", "--write", out / "demo")
    key, response = out / "demo" / "key.conll", out / "demo" / "response.conll"
    words: dict[str, list[object]] = {
        "KEY": [key],
        "RESPONSE": [response],
        "OTHER": [f"second & third_one={key}"],
        "OTHERS": [f"system {n} of 100%={(key, response)[n % 2]}" for n in range(12)],
        "DATASETS": [folder / "keys", folder / "a", folder / "b_&_c"],
        "TABLES": [folder / f"t{n}.csv" for n in range(3)],
        "LAYERED": [folder / "x.gold_conll"],
        "QUESTIONS": [folder / "questions.jsonl"],
        "ANSWERS": [folder / "answers.jsonl"],
        "TRUTH": [folder / "truth.csv"],
        "EDGES": [folder / "edges.csv"],
        "LABELLED": [folder / "labelled.csv"],
        "CLUSTERS": [folder / "clusters.csv"],
        "ITEMS": [folder / "items.conll"],
        "LABELS": [folder / "labels.csv"],
        "OUT": [out / "out"],
        "OUT/merged.json": [out / "merged.json"],
    }
    if "RUNS" in asked:
        for n, source in enumerate((key, response)):
            (out / f"run{n}.conll").write_text(source.read_text())
        words["RUNS"] = [f"seeds={out}/run*.conll"]
    if "COUNTS" in asked:
        words["COUNTS"] = [out / f"{n}.json" for n in range(2)]
        for n in range(2):
            shard = folder / "keys" / f"set_{n}.conll", folder / "a" / f"set_{n}.conll"
            assert run("score", *shard, "--save-counts", out / f"{n}.json").code == 0
    if "HISTORY" in asked:
        words["HISTORY"] = [out / "history.jsonl"]
        for source, label in ((key, "a_1"), (response, "b & c")):
            counts = out / f"{source.stem}.json"
            assert run("score", key, source, "--save-counts", counts, "-m", "conll").code == 0
            assert run("history", "add", out / "history.jsonl", counts, "--label", label).code == 0
    if "DATABASE" in asked:
        pytest.importorskip("duckdb")
        assert run("db", "build", out / "x.duckdb", f"key={key}").code == 0
        words["DATABASE"] = [out / "x.duckdb"]
    return [str(argument) for word in asked.split() for argument in words.get(word, [word])]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_latex_compiles(run: Run, folder: Path, tmp_path: Path, case: str) -> None:
    """Its syntax holds, and where there is a TeX it compiles with no more packages than it names."""
    given = arguments(CASES[case], folder, run, tmp_path)
    ran = run(*case.split(" (")[0].split(), *given, "--format", "latex")
    assert ran.code == 0, ran.err
    assert ran.out.isascii()
    check(ran.out)
    assert r"\begin{tabular}" in ran.out and "% needs \\usepackage{booktabs" in ran.out
    if not case.startswith("explain"):  # a text with formulas
        assert r"\caption{" in ran.out and r"\label{tab:" in ran.out
    if "--title" in given:
        assert rf"\caption{{{given[given.index('--title') + 1]}. " in ran.out
    if HAS_TEX:
        log = compile_page(ran.out, tmp_path, columns=1 if case.startswith("explain") else 2)
        for fault in ("Overfull", "Float too large"):
            assert fault not in log, log[log.index(fault) :][:200]
