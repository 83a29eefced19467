"""The typed face: right calls pass mypy, wrong ones do not, and no list of values stands in two places unequal."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import coreflens as cl
from coreflens.formats import FORMATS
from coreflens.formats.registry import FormatName
from coreflens.matching.twinless import POLICIES, TwinlessPolicy
from coreflens.options import ABOUT, CHOICES, HANDLING
from coreflens.order import STEPS
from coreflens.protocols import PROTOCOLS, ProtocolName
from coreflens.resolvers import MENTIONS, SYSTEMS, Mentions, SystemName
from coreflens.scoring import settings
from coreflens.stats import INTERVALS, TESTS, Correction, IntervalKind, Test, Unit, bootstrap, jackknife
from coreflens.stats.multiple import CORRECTIONS
from coreflens.stats.sample import UNITS
from coreflens.studies.damage import DAMAGES, DamageName
from places import ROOT

# Each line that is marked must be refused with that code, every other must pass.
SNIPPET = """
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import coreflens as cl

spans: list[list[tuple[int, int]]] = [[(0, 1), (5, 5)], [(3, 3)]]
documents = {"a": [["x", "y"], ["z"]], "b": [["v", "w"]]}
entities = {"x": 1, "y": 1, "z": 2}
settings: cl.Settings = {"metrics": ["muc", "lea"], "singletons": "drop", "weights": {"muc": 2.0, "bcub": 1.0}}

def scored(key: cl.Input, response: cl.Input, **options: Any) -> cl.Result:
    result: cl.Result = cl.score(key, response, **options)
    return result

# inputs
cl.score("key.conll", Path("response.conll"))
cl.score([{"a", "b"}, {"c"}], [["a"], ["b", "c"]])
cl.score(spans, spans)
cl.score([documents["a"], documents["b"]], [documents["a"], documents["b"]])
cl.score([{"mention": "x", "entity": 1}], {"mention": ["x"], "entity": [1]})
cl.score([[[0, 1], [5, 5]]], ([m] for m in ("a", "b")))
cl.score(documents, documents)
cl.score(entities, entities)
cl.score({"a": entities}, {"a": np.array([1, 1, 2])})
cl.score(np.array([1, 1, 2]), np.array([1, 2, 2]))
cl.score(cl.read("key.conll"), "-")
cl.score(1, "response.conll")  # call-overload
cl.score(["a", "b"], None)  # call-overload
cl.score([1, 2, 3], [[1], [2, 3]])  # arg-type
cl.score(b"key", "response.conll")  # arg-type
cl.read(3.5)  # arg-type

# options and settings
cl.score("k", "r", **settings)
cl.score("k", "r", metrics="conll", protocol="conll-2012", match="head-word", scope="topics.csv", duplicates=None)
cl.Scorer("k", undefined="nan", exact=True)("r").conll
f1: float = cl.score("k", "r")["muc"].f1
rounded = round(100 * cl.score("k", "r", exact=False).conll, 2)
fraction: Fraction = cl.score("k", "r", exact=True)["muc"].f1
denominator = cl.score("k", "r", exact=True, singletons="drop").conll.denominator
cl.score("k", "r")["muc"].f1.denominator  # attr-defined
cl.Accumulator(metrics="muc", blanc="perl").update([{"a"}], [{"a"}], name="d")
cl.score("k", "r", singeltons="drop")  # call-overload
cl.score("k", "r", singletons="dropp")  # call-overload
cl.score("k", "r", protocol="conll-2021")  # call-overload
cl.score("k", "r", key_format="conl")  # call-overload
cl.score("k", "r", metrics=3)  # call-overload
cl.Scorer("k", mach="exact")  # call-arg
cl.Accumulator(average="mean")  # arg-type
wrong: cl.Settings = {"singeltons": "drop"}  # typeddict-unknown-key

# the other functions
cl.compare("k", {"a": "a.conll", "b": spans}, match=["exact", "head-word"], test="wilcoxon", extra="ignore")
cl.compare("k", {"a": "a.conll"}, test="wilcox")  # arg-type
cl.compare("k", {"a": "a.conll"}, extras="ignore")  # call-arg
cl.explain("k", "r", "muc", protocol="conll-2011", entity="K1").score.f1
cl.explain("k", "r", metrics="muc")  # call-arg
cl.diagnose("k", "r", against="s", pair="file").errors(kind=["span error"], type="pronoun")
cl.diagnose("k", "r", pair="files")  # arg-type
cl.view("k", "r", "s", names=["one", "two"], align="characters").save("v.html")
cl.view("k", "r", aling="characters")  # call-arg
cl.pair("k", "r", align="characters").ok
cl.pair("k", "r", align="character")  # arg-type
cl.describe("k", spans, by="genre", against="g")
cl.describe("k", format="xml")  # arg-type
cl.agree("ann", "bob", adjudicated="gold", singletons="drop").alpha
cl.agree({"ann": spans, "bob": spans}).to_dict()
cl.agree("ann", "bob", singleton="drop")  # call-arg
cl.sweep("k", "r", damage="merge", protocol="conll-2012")["muc"].mean()
cl.sweep("k", [Path("1.conll"), Path("2.conll")])
cl.sweep("k", "r", damage="marge")  # arg-type
cl.correlate("scores.csv")["muc", "lea"].pearson.value
cl.correlate("k", {"a": "a.conll"}, against="muc", exact=True)
cl.correlate("k", ["a.conll"], agianst="muc")  # call-arg
cl.partitions("k", "r", policy="rn")["key_p"]
cl.partitions("k", "r", policy="nr")  # arg-type
cl.convert("a.conll", "b.jsonl", to="jsonlines", lossy=True)
cl.convert("a.conll", "b.jsonl", to="jsonl")  # arg-type
cl.validate("a", Path("b"), format="conllu")
cl.validate(["a", "b"])  # arg-type
cl.write(cl.resolve(cl.read("a"), "head-match"), "b.conll", format="conll")
cl.resolve(cl.read("a"), "headmatch")  # arg-type
cl.score("k", "r").bootstrap(1000, interval="bca", unit="part", by="genre").main("muc").low
cl.score("k", "r").bootstrap(1000, interval="bcea")  # arg-type
cl.score("k", "r").jackknife(confidenc=0.9)  # call-arg
"""


@pytest.mark.slow
def test_mypy_takes_right_calls_and_refuses_wrong_ones(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy is not installed: the typed face is not checked")
    snippet = tmp_path_factory.mktemp("typed") / "snippet.py"
    snippet.write_text(SNIPPET, "utf-8")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    out, err, _ = api.run(["--config-file", str(ROOT / "pyproject.toml"), "--hide-error-context", str(snippet)])
    assert not err
    found = {(int(line), code) for line, code in re.findall(r"snippet\.py:(\d+): error: .*\[([\w-]+)\]$", out, re.M)}
    marked = {
        (number, line.rpartition("# ")[2])
        for number, line in enumerate(SNIPPET.splitlines(), start=1)
        if re.search(r"\)  # |\}  # |denominator  # ", line)
    }
    assert found == marked, out


def values_of(hint: Any) -> list[str]:
    """The values of the Literals in a type."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [value for part in get_args(hint) for value in values_of(part)]


@pytest.mark.parametrize(
    ("type_", "known"),
    [
        (ProtocolName, PROTOCOLS),
        (FormatName, FORMATS),
        (TwinlessPolicy, POLICIES),
        (DamageName, DAMAGES),
        (SystemName, SYSTEMS),
        (Mentions, MENTIONS),
        (Test, TESTS),
        (IntervalKind, INTERVALS),
        (Unit, UNITS),
        (Correction, CORRECTIONS),
    ],
)
def test_a_type_names_what_there_is(type_: Any, known: Collection[str]) -> None:
    assert values_of(type_) == list(known)


def test_every_option_has_a_keyword_its_values_and_their_meanings() -> None:
    keywords, names = get_type_hints(cl.Policies), [f.name for f in fields(cl.Options)]
    assert sorted(keywords) == sorted(names)
    assert set(CHOICES | HANDLING) <= set(names)
    assert set(CHOICES | HANDLING) == set(ABOUT)
    assert set(names) <= {option for step in STEPS for option in step.options}, "no step of the order reads it"
    for name, hint in keywords.items():
        values = values_of(hint)
        assert values == list((CHOICES | HANDLING).get(name, ())), f"{name}: CHOICES and the type have other values"
        assert not values or values[0] == getattr(cl.Options(), name), f"{name}: the default comes first"
        assert type(None) in get_args(hint), f"{name}: None leaves it as the protocol has it"
    settled = get_type_hints(cl.Options)
    for name in (CHOICES | HANDLING).keys() - {"scope", "only", "without"}:  # any label, or several
        assert values_of(settled[name]) == values_of(keywords[name])


def parameters(function: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def test_settings_are_what_a_scorer_takes() -> None:
    named = [p.name for p in parameters(cl.Scorer) if p.kind is p.KEYWORD_ONLY]
    assert set(get_type_hints(cl.Settings)) == {*named, *get_type_hints(cl.Policies)}
    assert set(get_type_hints(settings.ComparisonSettings)) | {"match", "metrics"} == set(get_type_hints(cl.Settings))


def test_intervals_take_the_same_from_a_result() -> None:
    for method, function in ((cl.Result.bootstrap, bootstrap), (cl.Result.jackknife, jackknife)):
        assert parameters(method)[1:] == parameters(function)[1:]


def test_no_public_function_takes_just_anything() -> None:
    for name in cl.__all__:
        found = getattr(cl, name)
        if inspect.isfunction(found) or name in ("Scorer", "Accumulator"):
            for parameter in parameters(found):
                assert parameter.annotation not in ("Any", "object", parameter.empty), f"{name}({parameter.name})"
