"""The public face of the library: its names, results and their views, accumulators, signatures, issues and errors."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coreflens as cl
from coreflens.metrics import METRICS

PUBLIC = [
    "__version__",
    *(
        "Ablation",
        "Accumulator",
        "Comparison",
        "CoreflensError",
        "Corpus",
        "Counts",
        "Description",
        "Diagnosis",
        "Document",
    ),
    *("Explanation", "Input", "InputError", "Interval", "Intervals", "Issue", "Mention", "Options", "PairedTest"),
    *(
        "Pairs",
        "Policies",
        "Probe",
        "Problem",
        "Relation",
        "Result",
        "Score",
        "Scorer",
        "Scores",
        "Settings",
        "Signature",
    ),
    *("Submission", "System", "Text", "Tuning", "UsageError", "View"),
    *(
        "ablate",
        "agree",
        "check_submission",
        "compare",
        "convert",
        "correlate",
        "describe",
        "diagnose",
        "explain",
        "limits",
    ),
    *(
        "load_counts",
        "pair",
        "partitions",
        "probe",
        "published",
        "read",
        "resolve",
        "score",
        "sweep",
        "tune",
        "validate",
    ),
    *("view", "write"),
    *("Database", "open_db"),
    *("MissingFile", "Suspicion"),
    *("Curve", "curve", "MinimalPairs", "minimal_pairs"),
    *("Ranges", "windows", "Major", "major"),
    *("Estimates", "estimate", "SampleTable", "sample", "Plan", "plan"),
    *("Coverage", "repair", "prompts", "join", "Quiz", "make_quiz", "score_quiz"),
]

KEY: dict[str, Any] = {
    "nw/a_0": [["a", "b", "c"], ["d", "e"], ["f"]],
    "nw/b_0": [["a", "b"], ["c", "d", "e", "f"]],
    "bc/a_1": [["x"], ["y"]],
}
RESPONSE: dict[str, Any] = {
    "nw/a_0": [["a", "b"], ["c", "d", "e"], ["g"]],
    "nw/b_0": [["a", "b", "c"], ["d", "e", "f"]],
    "bc/a_1": [["x"], ["y"]],
}


@pytest.fixture(scope="module")
def result() -> cl.Result:
    return cl.score(KEY, RESPONSE, metrics="all")


# -------------------------------------------------------------------------------------------------------------- names


def test_public_names() -> None:
    assert sorted(cl.__all__) == sorted(PUBLIC)
    assert len(set(cl.__all__)) == len(cl.__all__)
    for name in PUBLIC:
        assert getattr(cl, name) is not None
        assert name in dir(cl)
    with pytest.raises(AttributeError, match="scorer"):
        cl.scorer  # noqa: B018 - looked at for the error


def test_everything_public_is_documented() -> None:
    for name in set(PUBLIC) - {"__version__"}:
        assert getattr(cl, name).__doc__, name


def test_star_import() -> None:
    names: dict[str, Any] = {}
    exec("from coreflens import *", names)
    assert set(PUBLIC) <= set(names)


def _modules(code: str) -> set[str]:
    code = f"import sys; {code}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return set(ran.stdout.split())


@pytest.mark.slow
def test_importing_is_light() -> None:
    heavy = {"scipy", "pandas", "click", "duckdb", "pyspark", "rich", "matplotlib", "hypothesis"}
    assert not heavy & _modules("import coreflens")
    scored = "import coreflens as cl; cl.score([['a', 'b']], [['a'], ['b']]); repr(cl.score([['a']], [['a']]))"
    assert not heavy & _modules(scored)
    assert not (heavy - {"click"}) & _modules("import coreflens.cli.score")


def test_typed() -> None:
    assert (Path(cl.__file__).parent / "py.typed").is_file()


# ------------------------------------------------------------------------------------------------------------- results


def test_result_is_a_mapping_of_scores(result: cl.Result) -> None:
    assert list(result) == list(METRICS)
    assert len(result) == len(METRICS)
    assert all(isinstance(s, cl.Score) for s in result.values())
    muc = result["muc"]
    assert (muc.recall, muc.precision, muc.f1) == (5 / 7, 5 / 7, 5 / 7)
    assert dict(muc.counts) == {"recall_num": 5, "recall_den": 7, "precision_num": 5, "precision_den": 7}
    assert muc.label is None and dict(muc.numbers()).keys() == {"recall", "precision", "f1"}
    assert result["overlap"].f1 is None
    assert result["conll"].recall is None
    assert result.conll == result["conll"].f1 == result["conll"].main


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        *(("b3", "bcub"), ("B3", "bcub"), ("B_cubed", "bcub"), ("b-cubed", "bcub"), ("BCubed", "bcub"), ("B³", "bcub")),
        *(("ceaf", "ceafm"), ("ceaf_m", "ceafm"), ("ceaf_e", "ceafe"), ("CEAF-E", "ceafe"), ("CEAFe", "ceafe")),
        *(("MUC", "muc"), ("LEA", "lea"), ("Blanc", "blanc"), ("md", "mentions"), ("pairwise", "pairs")),
        *(("adjusted_rand", "ari"), ("v_measure", "vmeasure"), ("V-measure", "vmeasure"), ("d-error", "derror")),
        *(("exclusive_core", "xcore"), ("b3_sys", "bcub-sys"), ("ceaf_rn", "ceafm-rn"), ("b3-0", "bcub-0")),
    ],
)
def test_aliases(result: cl.Result, alias: str, name: str) -> None:
    assert result[alias] is result[name]
    assert alias in result
    if name not in ("ari", "vmeasure"):  # these need equal mentions
        assert list(cl.score(KEY, RESPONSE, metrics=[alias])) == [name]


def test_a_metric_that_was_not_scored_is_not_there() -> None:
    muc = cl.score(KEY, RESPONSE, metrics="muc")
    for name in ("conll", "lea", "all", "default", "nonsense"):
        assert name not in muc
        assert muc.get(name) is None
        with pytest.raises(LookupError):
            muc[name]
    with pytest.raises((LookupError, AttributeError)):
        muc.conll  # noqa: B018 - looked at for the error


def test_exact() -> None:
    exact = cl.score(KEY, RESPONSE, metrics="all", exact=True)
    rough = cl.score(KEY, RESPONSE, metrics="all")
    for name, score in exact.items():
        for what, number in score.numbers().items():
            other = rough[name].numbers()[what]
            if number != number:
                assert other != other
                assert name in ("rand", "ari", "vmeasure", "blanc-gold")
            else:
                assert isinstance(number, Fraction), name
                assert float(number) == pytest.approx(float(other), abs=1e-12)
    assert exact["muc"].f1 == Fraction(5, 7)
    assert isinstance(cl.score(KEY, KEY, metrics="vmeasure", exact=True)["vmeasure"].f1, float), "logarithms"
    assert cl.score(KEY, KEY, metrics="ari", exact=True)["ari"].value == 1


def test_numbers_are_plain(result: cl.Result) -> None:
    """Floats, not numpy's: they print and serialise as people expect."""
    for score in [*result.values(), *result.by_document()["nw/a_0"].values()]:
        for number in (*score.numbers().values(), *score.counts.values()):
            assert type(number) in (float, int, Fraction)


def test_repr(result: cl.Result) -> None:
    text = repr(cl.score(KEY, RESPONSE))
    assert str(cl.score(KEY, RESPONSE)) == text
    lines = text.splitlines()
    assert lines[0].split()[:3] == ["R", "P", "F1"]
    assert ["MUC", "71.43", "71.43", "71.43", "5/7", "5/7"] in [line.split() for line in lines]
    assert lines[-1] == cl.score(KEY, RESPONSE).signature.short
    assert "nan" not in repr(result)
    assert repr(result["muc"]) == "<muc: recall=0.7143, precision=0.7143, f1=0.7143>"
    undefined = cl.score({"x": [["a"]]}, {"x": [["a"]]}, undefined="nan")
    assert repr(undefined["muc"]) == "<muc: recall=n/a, precision=n/a, f1=n/a>"
    assert "nan" not in repr(undefined).removesuffix(undefined.signature.short)
    assert "muc n/a" in repr(undefined.by_document()["x"])
    assert "muc 66.67" in repr(result.by_document()["nw/a_0"])
    for thing in (cl.read(KEY), cl.Scorer(KEY), cl.Accumulator(), cl.read(KEY).documents[0], result.signature):
        assert len(repr(thing)) < 1600
        assert " at 0x" not in repr(thing)


def test_html(result: cl.Result) -> None:
    html = cl.score({"<b>&": [["a"]]}, {"<b>&": [["a"]]})._repr_html_()
    assert html.startswith("<table")
    assert html.count("<tr") == html.count("</tr>") == 9
    assert "<td" in result._repr_html_()
    assert "<script" not in html


# --------------------------------------------------------------------------------------------------- documents, groups


def test_by_document(result: cl.Result) -> None:
    documents = result.by_document()
    assert list(documents) == list(KEY)
    for name, scores in documents.items():
        alone = cl.score({name: KEY[name]}, {name: RESPONSE[name]}, metrics="all")
        for metric in set(METRICS) - {"rand", "ari", "vmeasure", "blanc-gold", "overlap", "derror"}:
            assert scores[metric].numbers() == pytest.approx(alone[metric].numbers()), (name, metric)
        assert scores.label == name
        assert scores.conll == alone.conll
    assert [s["derror"].label for s in documents.values()][2] is None


def test_counts_add(result: cl.Result) -> None:
    for metric in ("muc", "bcub", "ceafe", "blanc", "lea", "pairs"):
        for what, total in result[metric].counts.items():
            assert total == pytest.approx(sum(s[metric].counts[what] for s in result.by_document().values()))


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("genre", {"nw": 2, "bc": 1}),
        ({"nw/a_0": "x", "nw/b_0": "y", "bc/a_1": "x"}, {"x": 2, "y": 1}),
        ({"nw/a_0": 1, "nw/b_0": 1, "bc/a_1": 2}, {"1": 2, "2": 1}),
        (lambda document: document.name[:2].upper(), {"NW": 2, "BC": 1}),
    ],
)
def test_group_by(result: cl.Result, by: Any, groups: dict[str, int]) -> None:
    found = result.group_by(by)
    assert list(found) == list(groups)
    parts = {group: [name for name in KEY if name[:2].upper() == group.upper()] for group in groups}
    for group, names in parts.items():
        if names:
            alone = cl.score({n: KEY[n] for n in names}, {n: RESPONSE[n] for n in names})
            assert found[group]["ceafe"].numbers() == pytest.approx(alone["ceafe"].numbers())
    assert sum(float(s["muc"].counts["recall_den"]) for s in found.values()) == 7


def test_group_by_part(tmp_path: Path) -> None:
    text = "".join(
        f"#begin document (nw/a); part {part:03}\nnw/a\t{part}\t0\tw\t(1)\n#end document\n" for part in range(3)
    )
    (tmp_path / "a.conll").write_text(text, encoding="utf-8")
    result = cl.score(tmp_path / "a.conll", tmp_path / "a.conll")
    assert list(result.group_by("part")) == ["0", "1", "2"]
    assert list(result.group_by(lambda d: d.name)) == ["nw/a"]


@pytest.mark.parametrize("by", ["colour", "nowhere.csv", {"nw/a_0": "x"}, 3])
def test_bad_groups(result: cl.Result, by: Any) -> None:
    with pytest.raises(cl.CoreflensError):
        result.group_by(by)


def test_groups_need_documents_as_scope() -> None:
    whole = cl.score(KEY, RESPONSE, scope="corpus")
    assert whole.signature.documents == 3
    with pytest.raises(cl.UsageError, match="scope"):
        whole.by_document()


# -------------------------------------------------------------------------------------------------- leaving the library


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"exact": True},
        {"undefined": "nan"},
        {"average": "macro"},
        {"protocol": "conll-2012", "singletons": "drop"},
        {"weights": {"muc": 1 / 3, "lea": 0.1}},
        {"scope": "corpus"},
    ],
)
def test_round_trip(settings: dict[str, Any]) -> None:
    one = cl.score(KEY, RESPONSE, metrics="all", **settings)
    by = None if "scope" in settings else "document"
    plain = one.to_dict(by)
    assert json.loads(one.to_json(by)) == json.loads(json.dumps(plain)) == plain
    back = cl.Result.from_dict(plain)
    assert back.to_dict() == plain
    assert back.signature == one.signature
    assert back.options == one.options
    assert back.issues == one.issues
    assert str(back) == str(one)
    assert back._repr_html_() == one._repr_html_()
    if by:
        assert {label: s.to_dict() for label, s in back.by.items()} == plain["by"]


def test_a_result_read_back_has_no_documents() -> None:
    one = cl.score(KEY, RESPONSE)
    with pytest.raises(cl.CoreflensError):
        cl.Result.from_dict(one.to_dict()).group_by("genre")


@pytest.mark.parametrize("plain", [{}, {"signature": "x"}, {"signature": "x", "scores": {}, "issues": []}])
def test_what_is_no_result(plain: dict[str, Any]) -> None:
    with pytest.raises(cl.UsageError):
        cl.Result.from_dict(plain)


def test_to_frame(result: cl.Result) -> None:
    pytest.importorskip("pandas")
    frame = result.to_frame()
    assert list(frame.index) == list(METRICS)
    assert frame.loc["muc", "f1"] == 5 / 7
    assert frame.loc["muc", "recall_den"] == 7
    assert frame["value"].notna().sum() == 3
    frame = result.to_frame("document")
    assert frame.index.names == ["group", "metric"]
    assert frame.loc[("bc/a_1", "bcub"), "f1"] == 1
    assert len(frame) == 3 * len(METRICS)
    assert set(frame.xs("muc", level="metric").index) == set(KEY)


def test_pickle(result: cl.Result) -> None:
    again = pickle.loads(pickle.dumps(result))
    assert again.to_dict("document") == result.to_dict("document")
    unseen = cl.score(KEY, RESPONSE)  # no score of it was computed before it is pickled
    assert pickle.loads(pickle.dumps(unseen)) == cl.score(KEY, RESPONSE)
    scorer = pickle.loads(pickle.dumps(cl.Scorer(KEY)))
    assert scorer(RESPONSE).conll == cl.score(KEY, RESPONSE).conll
    for error in (
        cl.InputError("what", file="f", line=3, column=4, hint="so"),
        cl.UsageError("what"),
        cl.CoreflensError("x"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.exit_code) == (type(error), str(error), error.exit_code)


# --------------------------------------------------------------------------------------------- scorers and accumulators


def test_scorer_is_reusable() -> None:
    scorer = cl.Scorer(KEY, metrics=["muc", "lea"], singletons="drop")
    first, perfect, again = scorer(RESPONSE), scorer(KEY), scorer(RESPONSE)
    assert first.to_dict() == again.to_dict() == cl.score(KEY, RESPONSE, metrics="muc,lea", singletons="drop").to_dict()
    assert perfect["lea"].f1 == 1
    with ThreadPoolExecutor(4) as pool:
        many = list(pool.map(lambda r: scorer(r).to_dict(), [RESPONSE, KEY] * 20))
    assert many[::2] == [first.to_dict()] * 20
    assert many[1::2] == [perfect.to_dict()] * 20


def test_inputs_are_left_as_they_are() -> None:
    key, response = ([list(cluster) for cluster in side["nw/a_0"]] for side in (KEY, RESPONSE))
    before = repr((key, response))
    cl.score(key, response, metrics="all", singletons="drop", duplicates="perl")
    assert repr((key, response)) == before


def accumulated(names: list[str], **settings: Any) -> cl.Accumulator:
    accumulator = cl.Accumulator(**settings)
    for name in names:
        accumulator.update(KEY[name], RESPONSE[name], name=name)
    return accumulator


@pytest.mark.parametrize("settings", [{}, {"exact": True}, {"average": "macro"}, {"protocol": "conll-2012"}])
def test_accumulator(settings: dict[str, Any]) -> None:
    whole = cl.score(KEY, RESPONSE, **settings).to_dict("document")
    names = list(KEY)
    assert accumulated(names, **settings).compute().to_dict("document") == whole
    parts = [pickle.loads(pickle.dumps(accumulated([name], **settings))) for name in names]
    first, *others = parts
    for other in others:
        first.merge(other)
    assert len(first) == 3
    assert first.compute().to_dict("document") == whole
    assert first.compute().to_dict("document") == whole, "computing changes nothing"
    assert len(others[0]) == 1, "merging leaves the other as it was"
    first.reset()
    assert len(first) == 0
    first.update(KEY, RESPONSE)
    assert first.compute().to_dict("document") == whole


def test_accumulator_between_two_computes() -> None:
    """As in a training loop: look, go on, look again."""
    accumulator = cl.Accumulator()
    for number, name in enumerate(KEY, start=1):
        accumulator.update(KEY[name], RESPONSE[name])
        assert accumulator.compute().signature.documents == number == len(accumulator)
    assert accumulator.compute().conll == cl.score(KEY, RESPONSE).conll


def test_documents_of_one_name_are_kept_apart() -> None:
    one, other = cl.Accumulator(), cl.Accumulator()
    one.update(KEY["nw/a_0"], RESPONSE["nw/a_0"])
    other.update(KEY["nw/b_0"], RESPONSE["nw/b_0"])
    one.merge(other)
    one.update({"x": KEY["nw/b_0"]}, {"x": KEY["nw/b_0"]})
    one.update({"x": KEY["nw/b_0"]}, {"x": KEY["nw/b_0"]})
    result = one.compute()
    assert len(result.by_document()) == result.signature.documents == 4


def test_accumulator_refuses() -> None:
    with pytest.raises(cl.UsageError, match="update"):
        cl.Accumulator().compute()
    for settings in ({"metrics": "muc"}, {"singletons": "drop"}, {"exact": True}):
        with pytest.raises(cl.UsageError, match="merge"):
            cl.Accumulator(**settings).merge(cl.Accumulator())
    with pytest.raises(cl.UsageError, match="name"):
        cl.Accumulator().update(KEY, RESPONSE, name="x")


def test_accumulator_gathers_issues() -> None:
    accumulator = cl.Accumulator(metrics="all")
    accumulator.update([["a", "a", "b"]], [["a", "b"]])
    accumulator.update([["a", "b"], ["a"]], [["a", "b", "c"]])
    issues = accumulator.compute().issues
    (duplicates,) = [issue for issue in issues if issue.code == "duplicates-key"]
    assert duplicates.count == 2
    assert "2" in duplicates.message, "the message must not contradict the count"
    about = {word for issue in issues if issue.code == "unequal-mentions" for word in issue.message.split()}
    assert {"rand", "ari", "vmeasure", "blanc-gold"} <= about, "each metric that does not apply is named"


# ---------------------------------------------------------------------------------------------------------- signatures


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"protocol": "conll-2012"},
        {"protocol": "conll-2011", "singletons": "keep"},
        {"singletons": "drop", "average": "macro", "undefined": "nan"},
        {"metrics": "mela", "weights": {"muc": 1 / 3, "bcub": 1e-9, "lea": 12345678.9}},
        {"metrics": "all", "extra": "count", "pair": "file"},
    ],
)
def test_signature(settings: dict[str, Any]) -> None:
    signature = cl.score(KEY, RESPONSE, **settings).signature
    text = str(signature)
    assert cl.Signature.parse(text) == signature
    assert "\n" not in text
    assert f"coreflens:{cl.__version__}" in text
    assert "|documents:3|" in text
    assert hash(signature) == hash(cl.Signature.parse(text))


def test_signature_with_odd_labels(tmp_path: Path) -> None:
    labels = tmp_path / "a|b%7Cc+d:e=f,g.csv"
    labels.write_text("doc,topic\n" + "".join(f"{name},t\n" for name in KEY), encoding="utf-8")
    signature = cl.score(KEY, RESPONSE, scope=str(labels)).signature
    assert cl.Signature.parse(str(signature)) == signature


@pytest.mark.parametrize("text", ["", "foo", "a:b|c:d", "coreflens:0.1.0|protocol:default"])
def test_not_a_signature(text: str) -> None:
    with pytest.raises(cl.UsageError, match="signature"):
        cl.Signature.parse(text)


# -------------------------------------------------------------------------------------------------------------- issues


def codes(key: Any, response: Any, **settings: Any) -> list[tuple[str, int]]:
    return [(issue.code, issue.count) for issue in cl.score(key, response, **settings).issues]


A = [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("key", "response", "settings", "expected"),
    [
        (A, A, {}, []),
        ([["a", "a", "b"], ["b"]], A, {}, [("duplicates-key", 2)]),
        (A, [["a", "b"], ["a"], ["b", "b"]], {}, [("duplicates-response", 3)]),
        ({"x": A, "y": A, "z": A}, {"x": A}, {}, [("missing-documents", 2)]),
        ({"x": A}, {"x": A, "y": A}, {"extra": "ignore"}, [("extra-documents", 1)]),
        ({"x": A}, {"x": A, "y": A}, {"extra": "count"}, [("extra-documents", 1)]),
        ([], A, {}, [("empty-key", 1)]),
        (A, [], {}, [("empty-response", 1)]),
        ([], [], {}, [("empty-key", 1), ("empty-response", 1)]),
        (A, [["x"], ["y"]], {}, [("twinless", 1)]),
        (A, [["a", "b"]], {"metrics": "muc,all"}, [("unequal-mentions", 1)] * 4),
    ],
)
def test_issues(key: Any, response: Any, settings: dict[str, Any], expected: list[tuple[str, int]]) -> None:
    assert codes(key, response, **settings) == expected
    for issue in cl.score(key, response, **settings).issues:
        assert issue.code in str(issue)
        assert issue.to_dict() == {
            "code": issue.code,
            "message": issue.message,
            "count": issue.count,
            "places": list(issue.places),
        }


def conll(cells: str, name: str = "a") -> str:
    tokens = "".join(f"{name}\t0\t{i}\tw\t{cell}\n" for i, cell in enumerate(cells.split()))
    return f"#begin document ({name}); part 000\n{tokens}#end document\n"


def test_issues_of_files(tmp_path: Path) -> None:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    plain = write("plain", conll("(1) (1)"))
    double = write("double", conll("(1)|(2) (1)"))
    (issue,) = cl.score(plain, double).issues
    assert (issue.code, issue.places) == ("duplicates-response", (f"{double}:2",))
    (issue,) = cl.score(double, plain).issues
    assert (issue.code, issue.places) == ("duplicates-key", (f"{double}:2",))
    more = write("more", conll("(1) (1)") + conll("(1)", "b") + conll("(1)", "c"))
    (issue,) = cl.score(more, plain).issues
    assert (issue.code, issue.count, issue.places) == ("missing-documents", 2, (f"{more}:5", f"{more}:8"))
    (issue,) = cl.score(plain, more, extra="ignore").issues
    assert (issue.code, issue.count, issue.places) == ("extra-documents", 2, (f"{more}:5", f"{more}:8"))
    none = write("none", conll("- -"))
    assert codes(none, plain) == [("empty-key", 1)]
    assert codes(plain, none) == [("empty-response", 1)]
    apart = write("apart", conll("(1 1)"))
    assert codes(plain, apart) == [("twinless", 1)]
    with pytest.raises(cl.InputError, match="no mention in common"):
        cl.score(plain, apart, no_common="refuse")
    write("directory/a.conll", conll("(1) (1)"))
    skipped = write("directory/notes.txt", "Some notes.\n")
    (issue,) = cl.score(tmp_path / "directory", plain).issues
    assert (issue.code, issue.count, issue.places) == ("skipped-files", 1, (str(skipped),))


@pytest.mark.parametrize(
    ("key", "response", "swapped"),
    [
        ("system.conll", "gold.conll", True),
        ("dev.pred.jsonl", "dev.gold.jsonl", True),
        ("x.v4_auto_conll", "x.v4_gold_conll", True),
        ("response", "key", True),
        ("predictions.conll", "reference.conll", True),
        ("gold.conll", "system.conll", False),
        ("key", "response", False),
        ("a.conll", "gold.conll", False),
        ("monkey.conll", "goldfish.conll", False),
        ("gold_system.conll", "gold.conll", False),
        ("systematic.conll", "keyboard.conll", False),
    ],
)
def test_swapped(tmp_path: Path, key: str, response: str, swapped: bool) -> None:
    for name in (key, response):
        (tmp_path / name).write_text(conll("(1) (1)"), encoding="utf-8")
    assert codes(tmp_path / key, tmp_path / response) == [("swapped", 1)] * swapped


# -------------------------------------------------------------------------------------------------------------- errors


def test_error_tree() -> None:
    assert issubclass(cl.UsageError, cl.CoreflensError)
    assert issubclass(cl.InputError, cl.CoreflensError)
    assert issubclass(cl.UsageError, ValueError)
    assert (cl.UsageError.exit_code, cl.InputError.exit_code) == (2, 3)
    error = cl.InputError("what", file="f.conll", line=3, column=7, hint="do this")
    assert str(error) == "f.conll:3:7: what\n  hint: do this"
    assert (error.file, error.line, error.column, error.hint) == ("f.conll", 3, 7, "do this")
    assert str(cl.InputError("what", file="f.conll", line=3)) == "f.conll:3: what"
    assert str(cl.InputError("what")) == "what"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metrics": "muk"}, "did you mean 'muc'"),
        ({"metrics": ["bcub", "ceaf-q"]}, "ceaf-q"),
        ({"metrics": "cai-strub"}, "did you mean 'cai-strube'"),
        ({"metrics": []}, "no metric"),
        ({"metrics": ""}, "no metric"),
        ({"metrics": 5}, "metric"),
        ({"metrics": ["muc", 5]}, "metric"),
        ({"protocol": "conll2012"}, "did you mean 'conll-2012'"),
        ({"singletons": "dorp"}, "did you mean 'drop'"),
        ({"singletons": 3}, "singletons"),
        ({"singleton": "drop"}, "did you mean 'singletons'"),
        ({"nonsense": 1}, "nonsense"),
        ({"match": "nonsense"}, "nonsense"),
        ({"key_format": "nonsense"}, "nonsense"),
        ({"weights": {}}, "weight"),
        ({"weights": {"muc": "x"}}, "weight|number"),
        ({"weights": {"muc": float("nan")}}, "weight|number"),
        ({"weights": {"nonsense": 1}, "metrics": "mela"}, "nonsense"),
        ({"weights": {"muk": 1}, "metrics": "mela"}, "muk"),
        ({"weights": 3}, "weight"),
        ({"scope": "nonsense"}, "nonsense"),
        ({"metrics": "rand"}, "same mentions"),
    ],
)
def test_usage_errors(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(cl.UsageError, match=message):
        cl.score(KEY, RESPONSE, **settings)


def test_format_applies_to_files_only_but_is_checked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(conll("(1) (1)"), encoding="utf-8")
    with pytest.raises(cl.UsageError, match="jsonlines"):
        cl.read(tmp_path / "a", format="jsonline")  # type: ignore[arg-type]
    with pytest.raises(cl.InputError) as caught:
        cl.read(tmp_path / "a", format="jsonlines")
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "a"), 1)


# ------------------------------------------------------------------------------------------------ corpus and partitions


def test_corpus(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text(conll("(1 (2) 1)|(3)") + conll("- (7)", "b"), encoding="utf-8")
    corpus = cl.read(path)
    assert (len(corpus), corpus.format, corpus.source) == (4, "conll", str(path))
    assert [(d.name, d.part, d.tokens, d.label, d.place) for d in corpus.documents] == [
        ("a", 0, 3, "a_0", f"{path}:1"),
        ("b", 0, 2, "b_0", f"{path}:6"),
    ]
    assert [(m.start, m.end, m.entity, m.identity, m.place) for m in corpus] == [
        (0, 2, "1", (0, 2), f"{path}:2"),
        (1, 1, "2", (1, 1), f"{path}:3"),
        (2, 2, "3", (2, 2), f"{path}:4"),
        (1, 1, "7", (1, 1), f"{path}:8"),
    ]
    assert corpus.clusters(0) == {"1": [(0, 2)], "2": [(1, 1)], "3": [(2, 2)]}
    assert corpus.clusters(1) == {"7": [(1, 1)]}


def test_partitions_of_cai_and_strube() -> None:
    """Key {a,b,c}, response {a,b}{c,i}{j}: j goes, i joins the key for precision and goes for recall."""
    found = cl.partitions([["a", "b", "c", "d"]], [["a", "b"], ["c", "i"], ["j"]])
    plain = {name: sorted(sorted(cluster) for cluster in clusters) for name, clusters in found.items()}
    assert plain == {
        "key_p": [["a", "b", "c", "d"], ["i"]],
        "response_p": [["a", "b"], ["c", "i"], ["d"]],
        "key_r": [["a", "b", "c", "d"]],
        "response_r": [["a", "b"], ["c"], ["d"]],
    }
    with pytest.raises(cl.UsageError, match="nonsense"):
        cl.partitions(A, A, policy="nonsense")  # type: ignore[arg-type]


def test_options_show_what_was_used() -> None:
    result = cl.score(KEY, RESPONSE, protocol="conll-2011", average="macro")
    assert isinstance(result.options, cl.Options)
    assert (result.options.singletons, result.options.duplicates) == ("drop-response", "perl")
    assert (result.options.average, result.options.blanc) == ("macro", "perl")
    assert cl.Options() == cl.score(KEY, RESPONSE).options


def test_sources_may_be_scored_in_any_order_of_documents() -> None:
    mixed = {name: list(reversed(RESPONSE[name])) for name in reversed(RESPONSE)}
    expected = cl.score(KEY, RESPONSE, metrics="all").to_dict("document")
    assert cl.score(KEY, mixed, metrics="all").to_dict("document") == expected


def test_label_arrays_of_documents_keep_their_labels() -> None:
    """Label 1 is one entity over all documents where the scope says so, as in maps, however large the numbers."""
    for one, two in ((1, 2), (10**12, 2**62), (2**63 + 7, 2**64 - 1)):
        key = {"d": np.array([one, one], dtype=np.uint64), "e": np.array([one, one], dtype=np.uint64)}
        response = {"d": np.array([one, one], dtype=np.uint64), "e": np.array([two, two], dtype=np.uint64)}
        assert cl.score(key, response, metrics="bcub", scope="corpus")["bcub"].recall == 0.5
        assert cl.score(key["d"], response["e"], metrics="bcub")["bcub"].f1 == 1


def test_spans_as_numpy_makes_them(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text("#begin document (d)\nw\tx\t(1\nw\ty\t1)\nw\tz\t(1)\n#end document\n", "utf-8")
    for spans in ([[(np.int64(0), np.int64(1)), (2, 2)]], [[np.array([0, 1]), np.array([2, 2])]]):
        assert cl.score(path, {"d": spans}, metrics="muc")["muc"].f1 == 1


def test_every_document_has_a_label_of_its_own() -> None:
    acc = cl.Accumulator(metrics="muc")
    for name in ("x", "x", "x (2)", None, "4"):
        acc.update([["a", "b"]], [["a", "b"]], name=name)
    assert len(acc.compute().by_document()) == 5


def test_issues_of_many_updates_are_one() -> None:
    acc = cl.Accumulator(metrics="muc")
    assert acc.issues == []
    for key in ([["a", "b", "a"]], [["a", "b", "a", "b"]], [["a", "b"], ["a"]]):
        acc.update(key, [["a", "b"]])
    (issue,) = acc.issues
    assert issue.count == 4
    assert issue.message.startswith("4 repeated mentions in the key")


def test_an_accumulator_adds_documents_only() -> None:
    with pytest.raises(cl.UsageError, match="score"):
        cl.Accumulator(scope="corpus")


@pytest.mark.parametrize("metrics", ["default", "conll", "lea,muc"])
@pytest.mark.parametrize("options", [{}, {"singletons": "drop"}, {"protocol": "conll-2012", "match": "head-word"}])
def test_short_signature_says_as_much(metrics: str, options: dict[str, Any]) -> None:
    signature = cl.score([{"a", "b"}], [{"a", "b"}], metrics=metrics, **options).signature
    assert len(signature.short) < len(str(signature))
    assert type(signature).parse(signature.short) == signature == type(signature).parse(str(signature))
