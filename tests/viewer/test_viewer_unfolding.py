"""The page writes the rows of derivations that are folded in its data. They have to be those of `explain`."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import coreflens as cl
from coreflens.viewer.derivations import derivations
from coreflens.viewer.page import asset
from viewing import Show

pytest_plugins = ("browsing",)
pytest.importorskip("playwright.sync_api", reason="THE PAGE IS NOT TESTED: no playwright")
MODULES = ("data", "state", "colours", "model", "unfold")
WORDS = ["he", "it", "the", "lamp", "a", "Constantinopolitan", "fox", "小", "明", "école", "𝄞𝄞", "ليلى", "big", "house"]


def code() -> str:
    """The modules that unfold, as the body of a function that gives all derivations of all documents."""
    text = "\n".join(asset(f"{name}.js") for name in MODULES)
    plain = re.sub(r"^export ", "", re.sub(r"^import .*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return f"""async () => {{
        {plain}
        const every = [];
        for (let d = 0; d < index.documents.length; d++) {{
            const raw = await unpacked(d);
            const steps = (n, all) => Object.entries(all).map(([name, one]) => [name, unfolded(viewOf(raw, n), one)]);
            every.push(raw.systems.map((system, n) => Object.fromEntries(steps(n, system.derivations))));
        }}
        return JSON.stringify(every);
    }}"""


def tale(rng: random.Random, name: str, mentions: int, entities: int) -> tuple[dict[str, Any], ...]:
    """A text with annotations of the key and of two systems: nested, crossing and twinless mentions, singletons."""
    sentences = [[rng.choice(WORDS) for _ in range(rng.randint(1, 40))] for _ in range(max(mentions // 6, 1))]
    size = sum(map(len, sentences))
    spans: set[tuple[int, int]] = set()
    for _ in range(mentions):
        start = rng.randrange(size)
        spans.add((start, min(size - 1, start + rng.choice([0, 0, 1, 2, 9]))))

    def annotated(wrong: float, lost: float) -> dict[str, Any]:
        clusters: dict[int, list[tuple[int, int]]] = {}
        for number, span in enumerate(sorted(spans)):
            home = number * 7 % entities if rng.random() >= wrong else rng.randrange(entities)
            moved = (max(span[0] - 1, 0), span[1]) if rng.random() < lost / 2 else span
            if rng.random() >= lost and all(moved not in cluster for cluster in clusters.values()):
                clusters.setdefault(home, []).append(moved)
        for cluster in clusters.values():
            rng.shuffle(cluster)
        return {"doc_key": name, "sentences": sentences, "clusters": [*clusters.values()]}

    return annotated(0, 0), annotated(0.3, 0.2), annotated(0.8, 0.7)


def with_gaps(corpus: cl.Corpus) -> cl.Corpus:
    """Long mentions with an odd start lose what is between their first and last word."""
    spans = enumerate(zip(corpus.start.tolist(), corpus.end.tolist(), strict=True))
    parts = {row: ((start, start), (end, end)) for row, (start, end) in spans if end - start > 1 and start % 2}
    return replace(corpus, parts=parts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{}, {"metrics": "all"}, {"singletons": "drop"}, {"match": "head"}, {"undefined": "nan"}], ids=str
)
def test_what_the_page_unfolds_is_what_explain_writes(
    settings: dict[str, Any], show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coreflens.explanation._EXACT", 0)  # as if the corpus were large: decimals, not fractions
    rng = random.Random(str(settings))
    sizes = [(0, 1), (1, 1), (3, 2), (5, 5), (9, 3), (12, 4), (14, 3), (24, 9), (40, 3), (90, 60), (200, 7), (300, 40)]
    sizes += [(4, 2)] * 30  # some of them have the same derivations
    tales = [tale(rng, f"nw/d{n}", *size) for n, size in enumerate(sizes)]
    paths = [tmp_path / f"{side}.jsonlines" for side in ("key", "one", "two")]
    for path, side in zip(paths, zip(*tales, strict=True), strict=True):
        path.write_text("\n".join(map(json.dumps, side)), encoding="utf-8")
    view = cl.view(*(with_gaps(cl.read(path)) for path in paths), **settings)
    schema = json.loads(asset("../schema.json"))
    index, chunks = view.content.index(), [*map(view.content.chunk, view.content.chunks)]
    for name, data in (("index", index), *(("chunk", chunk) for chunk in chunks)):
        checked = jsonschema.Draft202012Validator(schema | {"$ref": f"#/$defs/{name}"})
        checked.validate(json.loads(json.dumps(data)))
    page = show(view)
    for d, systems in enumerate(json.loads(page.evaluate(code()))):
        for system, found in zip(view.content.systems, systems, strict=True):
            expected = json.loads(json.dumps(derivations(system.named, d)))
            assert found.keys() == expected.keys()
            for metric, derivation in expected.items():
                assert found[metric] == derivation["steps"], (d, metric)
    assert view.content.systems[0].named.folding["bcub"] == ("singletons" not in settings)
    small = [answer["derivations"] for document in chunks[-1]["documents"][-20:] for answer in document["systems"]]
    assert (len({*small}) < len(small)) == all(view.content.systems[0].named.folding.values())
