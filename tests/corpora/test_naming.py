"""Names of systems and annotators: short, and telling them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from coreflens.comparison.systems import from_arguments
from coreflens.corpora.naming import named, numbered, told_apart


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ("", ""),
        ("x/ann.conll", "ann"),
        ("a/lee.conll b/clark.conll.gz", "lee clark"),
        ("lee/out.conll clark/out.conll", "lee clark"),
        ("lee/run/out.conll clark/run/out.conll", "lee clark"),
        ("/runs/lee/out.conll /runs/clark/out.conll /runs/base.conll", "lee clark base"),
        ("lee/out.conll clark/out.json", "lee clark"),
        ("run.span.conll run.span.json", "run.span.conll run.span.json"),
        ("m1/dev m1/test m2/dev", "m1/dev m1/test m2/dev"),
        ("runs/m1/dev.conll runs/m1/test.conll runs/m2/dev.conll", "m1/dev m1/test m2/dev"),
        ("m1/dev m1/test m2/dev m2/test", "m1/dev m1/test m2/dev m2/test"),
        ("m1/a/dev m1/b/test m2/a/dev other/base", "m1/a/dev m1/b/test m2/a/dev base"),
        ("lee/out.conll clark/out.conll lee.conll", "lee/out clark/out lee"),
        ("dev.conll /m1/dev.conll", "dev m1/dev"),
        ("a/x.conll a/x.json b/x.conll", "x.conll x.json x"),
    ],
)
def test_paths_are_told_apart(paths: str, names: str) -> None:
    assert told_apart(paths.split()) == names.split()
    assert list(named(paths.split())) == numbered(paths.split(), "response") == names.split()
    assert told_apart(paths.split()[::-1]) == names.split()[::-1]


def test_what_nothing_tells_apart() -> None:
    twice = ["out.conll", "base.conll", "out.conll"]
    assert told_apart(twice) == ["out", "base", "out"]
    assert numbered(twice, "response") == ["out 1", "base", "out 3"]
    with pytest.raises(cl.UsageError, match="two of them have the name 'out'"):
        named(twice)


def test_sources_without_a_path() -> None:
    assert numbered([[["a"]]], "response") == ["response"]
    assert numbered([[["a"]], "x/lee.conll", [["b"]]], "response") == ["response 1", "lee", "response 3"]
    assert list(named([[["a"]], "x/lee.conll", [["b"]]])) == ["1", "lee", "3"]


def test_a_directory_has_its_whole_name(tmp_path: Path) -> None:
    for name in ("v1.0", "v1.1", "old/v1.0"):
        (tmp_path / name).mkdir(parents=True)
    assert told_apart([str(tmp_path / name) for name in ("v1.0", "v1.1")]) == ["v1.0", "v1.1"]
    assert told_apart([str(tmp_path / name) for name in ("v1.0", "old/v1.0")]) == ["v1.0", "old/v1.0"]


def test_view_and_compare_agree_on_names(tmp_path: Path) -> None:
    text = "#begin document (d);\nd 0 0 a (1)\nd 0 1 b (1)\n\n#end document\n"
    paths = [tmp_path / name for name in ("key.conll", "m1/dev.conll", "m1/test.conll", "m2/dev.conll")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    key, *responses = map(str, paths)
    seen = [system.name for system in cl.view(key, *responses).content.systems]
    assert seen == [system.name for system in from_arguments(responses)] == ["m1/dev", "m1/test", "m2/dev"]
