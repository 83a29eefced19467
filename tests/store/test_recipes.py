"""Every recipe against a plain count in Python over the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreflens.store import ask, build
from coreflens.store.queries import recipes
from databases import files
from places import DATA
from recipe_counts import OF_A_RESPONSE, OF_A_SIDE, alike

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

BERKELEY = "berkeley_ontonotes_sample"
CORPORA = {
    "gold": f"{BERKELEY}/gold/nw/wsj/00/*gold_conll",
    "auto": f"{BERKELEY}/gold/nw/wsj/00/*auto_conll",
    "ontogum": "ontogum/conllu",
    "ontogum-train": "ontogum_train/conllu",
    "gum": "gum/dep",
    "litbank": "litbank/conll",
    "craft": "craft",
    "ecb": "ecbplus_xml",
}
NEEDS_WORDS = {"verbs-that-head-mentions", "heads", "first-persons", "longest-entities", "entities-over-speakers"}


def test_every_recipe_has_a_count() -> None:
    assert set(recipes()) == {*OF_A_SIDE, *OF_A_RESPONSE}
    assert len(recipes()) >= 20
    for recipe in recipes().values():
        assert recipe.title.endswith("?"), recipe.name
        assert set(recipe.defaults) <= set(recipe.parameters), recipe.name


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    folder = tmp_path_factory.mktemp("recipes")
    key, response = files(folder)
    build(str(folder / "a.duckdb"), {"key": str(key)}, {"a": str(response), "b": str(key)})
    return str(folder / "a.duckdb"), str(key), str(response)


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_A_SIDE)
def test_of_a_side(name: str, ours: tuple[str, str, str]) -> None:
    path, key, _ = ours
    found = ask(path, name)
    alike(found.rows, OF_A_SIDE[name](key))
    empty = {"mentions-no-constituent", "nested-same-entity", "discontinuous-mentions", "links", "names-never-linked"}
    assert len(found) or name in empty | {"cataphora", "same-words-apart"}


@pytest.mark.parametrize("name", OF_A_RESPONSE)
def test_of_a_response(name: str, ours: tuple[str, str, str]) -> None:
    path, key, response = ours
    found = ask(path, name)
    alike(found.rows, OF_A_RESPONSE[name](key, response, key))
    assert len(found)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_of_real_sides(corpus: str, tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip("../shared/data is absent")
    source = str(DATA / CORPORA[corpus])
    path = str(tmp_path / "a.duckdb")
    build(path, {"key": source})
    for name, count in OF_A_SIDE.items():
        if corpus == "craft" and name in NEEDS_WORDS:
            continue  # it counts characters, and has no tokens
        alike(ask(path, name).rows, count(source))


@pytest.mark.slow
def test_of_a_real_response(tmp_path: Path) -> None:
    folder = DATA / BERKELEY
    if not folder.is_dir():
        pytest.skip("../shared/data is absent")
    key, first = str(folder / "classified/stanford.gold"), str(folder / "homogenised/stanford.homogenised.out")
    second = str(folder / "classified/stanford.corrected.span_errors")
    path = str(tmp_path / "a.duckdb")
    build(path, {"key": key}, {"a": first, "b": second})
    for name, count in OF_A_RESPONSE.items():
        alike(ask(path, name).rows, count(key, first, second))
