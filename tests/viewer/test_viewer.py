"""What the page is told, and that nothing in it can act: the JSON, the numbers, the file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import random
import re
import webbrowser
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from anaphora_cases import Doc, Markable, written
from chance import examples
from command import Run
from coreflens.viewer.page import MODULES, asset, script
from coreflens.viewer.passages import passage
from viewing import ARABIC, CHINESE, HOSTILE, NEW, OLD, RIGHT, TOY, ZERO, conll, hostile, pair

MARKS = {"ceafm": 1, "ceafe": 2, "key core": 4, "response core": 8, "exclusive": 16}


def index_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', page, re.DOTALL)
    assert found
    plain: dict[str, Any] = json.loads(found[1])
    return plain


def chunks_of(page: str) -> list[dict[str, Any]]:
    packed = re.findall(r'<script type="text/plain" class="chunk">(.*?)</script>', page)
    return [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]


def documents_of(page: str) -> list[dict[str, Any]]:
    """The documents of all chunks, each with its derivations."""
    found: list[dict[str, Any]] = []
    for first, chunk in zip(index_of(page)["chunks"], chunks_of(page), strict=True):
        assert first == len(found)
        for document in chunk["documents"]:
            for system in document["systems"]:
                system["derivations"] = chunk["derivations"][system["derivations"]]
            found.append(document)
    return found


def meets(answer: dict[str, Any], key: dict[str, Any]) -> set[tuple[str, str, int]]:
    return {(key["entities"][i]["name"], answer["entities"][j]["name"], n) for i, j, n, *_ in answer["cells"]}


def test_the_example_of_1998() -> None:
    document = documents_of(cl.view(*TOY).html)[0]
    found = meets(document["systems"][0], document["key"])
    # the paper's R1 is aligned with its K3, so it is R3 here; R2 is aligned with K2 and R3 with K4
    assert {r for k, r, _ in found if k == "K3"} == {"R3", "R2"}
    assert {k for k, r, _ in found if r == "R3"} == {"K1", "K3"}
    assert ("K3", "R3", 5) in found
    exclusive = sum(n for _, _, n, marks, *_ in document["systems"][0]["cells"] if marks & MARKS["exclusive"])
    assert exclusive == 9  # 9/17, Table 3 of the paper


partition = st.lists(st.integers(0, 4), min_size=1, max_size=14)


def clusters(labels: list[int], left_out: set[int] = frozenset()) -> list[list[str]]:  # type: ignore[assignment]
    groups: dict[int, list[str]] = {}
    for mention, label in enumerate(labels):
        if mention not in left_out:
            groups.setdefault(label, []).append(f"m{mention}")
    return list(groups.values())


@examples(60)
@given(st.data())
def test_credit_sums_to_the_counts_of_the_metrics(data: st.DataObject) -> None:
    labels = data.draw(partition)
    other = data.draw(st.lists(st.integers(0, 4), min_size=len(labels), max_size=len(labels)))
    gone = data.draw(st.sets(st.integers(0, len(labels) - 1), max_size=3))
    key, response = clusters(labels), clusters(other, gone)
    if not response:
        return
    scores = cl.score(key, response, metrics="muc,bcub,ceafm,ceafe,lea,xcore")
    document = documents_of(cl.view(key, response).html)[0]
    answer = document["systems"][0]
    n = np.array([cell[2] for cell in answer["cells"]], dtype=float)
    marks = np.array([cell[3] for cell in answer["cells"]], dtype=int)
    columns = np.array([cell[4:] for cell in answer["cells"]], dtype=float).reshape(-1, 5).T
    sums = {
        ("bcub", "recall"): (n * columns[0]).sum(),
        ("bcub", "precision"): (n * columns[1]).sum(),
        ("ceafm", "recall"): (n * ((marks & 1) > 0)).sum(),
        ("ceafe", "recall"): (n * columns[4]).sum(),
        ("muc", "recall"): sum(filter(None, answer["key_muc"])),
        ("muc", "precision"): sum(filter(None, answer["muc"])),
    }
    for (metric, part), total in sums.items():
        counts = list(scores[metric].counts.values())
        assert total == pytest.approx(float(counts[0 if part == "recall" else 2]), abs=2e-3), metric
    # LEA weighs entities by size, as mentions do
    assert (n * columns[2]).sum() == pytest.approx(float(next(iter(scores["lea"].counts.values()))), abs=2e-3)
    if not gone:
        exclusive = (n * ((marks & MARKS["exclusive"]) > 0)).sum()
        assert exclusive == pytest.approx(float(next(iter(scores["xcore"].counts.values()))))
    names = [entity["name"] for entity in answer["entities"]]
    assert [set(c) for c in response] == [
        {m for m, e in zip(answer["names"], answer["entity"], strict=True) if e == number}
        for number in range(len(names))
    ]
    sets = {f"K{i + 1}": set(c) for i, c in enumerate(key)}, dict(zip(names, map(set, response), strict=True))
    aligned = {(i, j) for i, j, _, mark, *_ in answer["cells"] if mark & MARKS["ceafe"]}
    assert all(document["key"]["entities"][i]["name"][1:] == names[j][1:] for i, j in aligned)
    others = [name for j, name in enumerate(names) if j not in {j for _, j in aligned}]
    assert others == [f"R{len(key) + n}" for n in range(1, len(others) + 1)]
    assert meets(answer, document["key"]) == {
        (k, r, len(a & b)) for k, a in sets[0].items() for r, b in sets[1].items() if a & b
    }


def test_a_mean_with_an_undefined_part_is_told_apart() -> None:
    """A document of singletons has no MUC."""
    key = {"chain": [["a", "b"]], "singletons": [["a"], ["b"]], "empty": []}
    index = index_of(cl.view(key, key).html)
    assert [document["partly"] for document in index["documents"]] == [[False], [True], [False]]
    (parts,) = [metric["parts"] for metric in index["metrics"] if metric["name"] == "conll"]
    assert parts == ["muc", "bcub", "ceafe"]


@examples(30)
@given(st.data())
def test_derivations_of_documents(data: st.DataObject) -> None:
    """They add up to what a document by itself has, and show the alignment that the page marks."""
    labels = st.lists(st.integers(0, 3), min_size=1, max_size=9)
    key, response = {}, {}
    for name in "abc":
        ours = data.draw(labels)
        theirs = data.draw(st.lists(st.integers(0, 3), min_size=len(ours), max_size=len(ours)))
        key[name] = clusters(ours, data.draw(st.sets(st.integers(0, 2), max_size=2)))
        response[name] = clusters(theirs, data.draw(st.sets(st.integers(3, 5), max_size=2)))
    metrics = ["muc", "bcub", "bcub-sys", "ceafm", "ceafe", "blanc", "lea", "xcore", "overlap", "pairs"]
    shown = documents_of(cl.view(key, response, metrics=metrics).html)
    for chunk, name in zip(shown, key, strict=True):
        answer = chunk["systems"][0]
        for metric in answer["derivations"]:
            alone = cl.explain({name: key[name]}, {name: response[name]}, metric)
            ends = {step.title: list(step.after) for step in alone.steps}
            for step in answer["derivations"][metric]["steps"]:
                assert step["after"] == ends[step["title"]], (metric, step["title"])
        for metric, mark in (("ceafm", 1), ("ceafe", 2)):
            best = next(s for s in answer["derivations"][metric]["steps"] if s["title"] == "Best alignment")
            aligned = {(row[0], row[1]) for row in best.get("rows", [])[:-1] if row[-1]}
            names = [[e["name"] for e in side["entities"]] for side in (chunk["key"], answer)]
            marked = {(names[0][i], names[1][j]) for i, j, _, marks, *_ in answer["cells"] if marks & mark}
            assert aligned == marked


def test_small_documents_are_packed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coreflens.viewer.content._CHUNK", 100)
    small, large = [["x", "y"]], [[f"m{n}" for n in range(20)]]
    corpus = {"a": small, "b": small, "c": large, "d": small, "e": small}
    page = cl.view(corpus, corpus).html
    assert index_of(page)["chunks"] == [0, 2, 3]
    assert [document["label"] for document in documents_of(page)] == list(corpus)


@pytest.mark.slow
def test_several_processes_make_the_same_page(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of files; other input is not sent to another process."""
    monkeypatch.setattr("coreflens.viewer.content._CHUNK", 1)  # one document each
    paths = []
    for side, texts in enumerate(((RIGHT, NEW), (OLD, RIGHT))):
        paths.append(tmp_path / f"side{side}.conll")
        paths[-1].write_text("".join(conll(text, f"d{n}") for n, text in enumerate(texts * 3)), encoding="utf-8")
    pages = []
    for jobs in ("1", "2"):
        pages.append(tmp_path / f"{jobs}.html")
        code, _, err = run("view", *map(str, (*paths, pages[-1])), "--jobs", jobs, "--max-nesting", "100")
        assert code == 0, err
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert len(chunks_of(pages[1].read_text())) == 6
    plain = {"a": [["x", "y"]], "b": [["z"]]}
    assert cl.view(plain, plain, jobs=2).html == cl.view(plain, plain).html
    with pytest.raises(cl.UsageError, match="at least 1"):
        cl.view(plain, plain, jobs=0)


def test_the_index_says_what_score_and_diagnose_say(tmp_path: Path) -> None:
    key, response = pair(tmp_path, ARABIC)
    for path, other in zip((key, response), pair(tmp_path, CHINESE, "other"), strict=True):
        path.write_text(path.read_text(encoding="utf-8") + other.read_text(encoding="utf-8"), encoding="utf-8")
    page = cl.view(key, response, bootstrap=50).html
    conforming(page)
    index = index_of(page)
    assert (index["schema"], index["version"]) == ("coreflens-view", 3)
    scores, found = cl.score(key, response), cl.diagnose(key, response)
    system = index["systems"][0]
    assert system["signature"] == str(scores.signature)
    for name, score in scores.items():
        assert system["scores"][name][2] == pytest.approx(float(score.main), abs=1e-6)
        assert system["intervals"][name][0] <= system["scores"][name][2] <= system["intervals"][name][1]
    assert [c["errors"] for c in system["classes"]] == list(found.counts().values())
    assert sum(document["errors"][0] for document in index["documents"]) == len(found.errors())
    by_document = [float(scores.conll) for scores in scores.by_document().values()]
    assert [document["conll"][0] for document in index["documents"]] == pytest.approx(by_document, abs=1e-6)


def conforming(page: str) -> None:
    """The data of a page is what its schema says."""
    schema = json.loads(asset("../schema.json"))
    for name, data in (("index", index_of(page)), *(("chunk", chunk) for chunk in chunks_of(page))):
        jsonschema.Draft202012Validator(schema | {"$ref": f"#/$defs/{name}"}).validate(data)


def test_the_data_has_a_schema(tmp_path: Path) -> None:
    key, *responses = pair(tmp_path, (RIGHT, OLD, NEW))
    page = cl.view(key, *responses).html
    conforming(page)
    conforming(cl.view(*TOY).html)
    conforming(cl.view(key, responses[0], scope="corpus", singletons="drop").html)
    conforming(cl.view([["a"]], [], undefined="nan").html)
    broken = index_of(page) | {"version": 2}
    with pytest.raises(jsonschema.ValidationError):
        schema = json.loads(asset("../schema.json")) | {"$ref": "#/$defs/index"}
        jsonschema.Draft202012Validator(schema).validate(broken)


def test_links_of_other_anaphora(tmp_path: Path) -> None:
    """Ends are mentions of the page, or words where an expression is not a mention; what is wrong says so."""
    marks = [Markable(f"m{n}", ((n, n),), e) for n, e in enumerate(["1", "2", "3", "4", "9-Pseudo"])]
    key = Doc("d", 6, marks, [("3", "1"), ("3", "2")], [("m3", "m0")])
    response = Doc("d", 6, marks, [("3", "1"), ("3", "2")], [("m3", "m1")])
    paths = [written(doc, tmp_path / f"{name}.CONLLUA") for name, doc in (("k", key), ("r", response))]
    page = cl.view(*paths, protocol="ua").html
    conforming(page)
    found = documents_of(page)[0]["systems"][0]["links"]
    assert [(link["what"], link["kind"], link["key"], link["response"]) for link in found] == [
        ("bridging", "wrong anchor", ["k3", "k0"], ["r3", "r1"]),
        ("split", "", ["k2", "k0", "k1"], ["r2", "r0", "r1"]),
        ("nonreferring", "", ["w4-4"], []),
    ]
    assert found[0]["said"] == "“w3” → “w0”, not “w1”"


def test_prices_and_sentences_of_errors(tmp_path: Path) -> None:
    key, response = pair(
        tmp_path, ("[1 Ida] met [2 Bo] .\n[1 She] greeted [2 him] .", "[1 Ida] met [2 Bo] .\n[1 She] greeted him .")
    )
    (error,) = documents_of(cl.view(key, response).html)[0]["systems"][0]["errors"]
    assert error["said"] == "The response lacks “him”, a mention of “Bo”."
    assert error["price"] == pytest.approx(1 - float(cl.score(key, response).conll), abs=1e-6)


def test_what_is_not_there_is_not_divided(tmp_path: Path) -> None:
    """It has a class of its own, on the page as well."""
    right = "[1 Ida] met [2 Bo] .\n[1 She] saw [2 him] and [1 her] cat ."
    key, response = pair(tmp_path, (right, right.replace("[1 Ida]", "Ida")))
    errors = documents_of(cl.view(key, response).html)[0]["systems"][0]["errors"]
    assert [error["said"] for error in errors] == ["The response lacks “Ida”, the antecedent of “She” and 1 more."]
    assert index_of(cl.view(key, response).html)["classes"][errors[0]["kind"]] == "missing antecedent"


def test_singletons_that_are_left_out_are_said() -> None:
    key, response = [["a", "b"], ["c"], ["d"]], [["a", "b"], ["c"]]
    page = cl.view(key, response, singletons="drop").html
    said = " ".join(index_of(page)["systems"][0]["issues"])
    assert "2 singletons of the key" in said and "1 singleton of the response" in said
    assert len(documents_of(page)[0]["key"]["entities"]) == 1


def test_entities_over_documents() -> None:
    """An error with mentions in two documents is shown in the first, with those that are there."""
    key = {"a": {1: "x", 2: "x"}, "b": {1: "x", 2: "y"}}
    response = {"a": {1: "x", 2: "x", 3: "z"}, "b": {1: "x", 3: "z"}}
    page = cl.view(key, response, scope="corpus").html
    conforming(page)
    first, second = (chunk["systems"][0] for chunk in documents_of(page))
    (extra,) = (error for error in first["errors"] if error["said"].startswith("The response has an entity"))
    assert extra["mentions"] == ["r2"] and extra["said"] not in {error["said"] for error in second["errors"]}
    assert first["sizes"] == [3, 2] and second["sizes"] == [3, 2]


@pytest.mark.slow
def test_intervals_that_are_not_defined_are_left_out() -> None:
    key = {"d": [["a", "b"]], "e": [["c", "d"]]}
    page = cl.view(key, {"d": [["a", "b"]], "e": [["c", "x"]]}, metrics="all", bootstrap=20).html
    conforming(page)
    (system,) = index_of(page)["systems"]
    assert "muc" in system["intervals"] and "rand" not in system["intervals"]


def test_a_document_without_scores_has_no_difference() -> None:
    key = {"d": [["a", "b"]], "e": []}
    documents = index_of(cl.view(key, {"d": [["a"]], "e": []}, key).html)["documents"]
    assert [document["conll"][1] for document in documents] == [1, None]
    assert documents[0]["differences"][1][0] > 0 and documents[1]["differences"][1] == [None]


def test_quotations_are_spaced_as_the_text_is(tmp_path: Path) -> None:
    key, response = pair(tmp_path, (CHINESE[0], CHINESE[0].replace("[2 河 边 的 村子]", "河 边 的 村子")))
    (document,) = documents_of(cl.view(key, response).html)
    assert "“河边的村子”" in " ".join(error["said"] for error in document["systems"][0]["errors"])


# Machado, Oliveira & Fernandes 2009: what people without one kind of cone see, in linear light
SIGHT = {
    "every cone": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def linear(colour: str) -> np.ndarray:
    share = np.array([int(colour[n : n + 2], 16) for n in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def oklab(light: np.ndarray) -> np.ndarray:
    """Ottosson's OKLab of linear sRGB."""
    cones = np.array(
        [[0.41222147, 0.53633254, 0.05144599], [0.2119035, 0.68069955, 0.10739696], [0.08830246, 0.28171884, 0.6299787]]
    )
    mixed = np.array(
        [
            [0.21045426, 0.79361779, -0.00407205],
            [1.9779985, -2.42859221, 0.45059371],
            [0.02590404, 0.78277177, -0.80867577],
        ]
    )
    found: np.ndarray = np.cbrt(light @ cones.T) @ mixed.T
    return found


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_stay_apart_for_every_kind_of_sight(theme: int) -> None:
    style = asset("style.css")
    shades = {
        name: (light, dark)[theme] for name, light, dark in re.findall(r"--(\w+): light-dark\((\S+), (\S+)\)", style)
    }
    hues = np.array([linear(shades[name]) for name in (*(f"c{n}" for n in range(8)), "none")])
    for sight, matrix in SIGHT.items():
        seen = oklab(np.clip(hues @ np.array(matrix).T, 0, 1))
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=-1)[np.triu_indices(len(hues), 1)]
        assert apart.min() >= 0.1, sight
    for ground in ("bg", "panel"):
        luminance = np.array([0.2126, 0.7152, 0.0722])
        behind = linear(shades[ground]) @ luminance
        contrast = [(max(x, behind) + 0.05) / (min(x, behind) + 0.05) for x in hues @ luminance]
        assert min(contrast) >= 3, ground


def test_differences_are_the_librarys(tmp_path: Path) -> None:
    key, *responses = pair(tmp_path, (RIGHT, OLD, NEW))
    page = cl.view(key, *responses).html
    old, new = (cl.score(key, response) for response in responses)
    first, second = index_of(page)["systems"]
    assert first["differences"] == []
    for name, score in new.items():
        assert second["differences"][0][name] == pytest.approx(float(score.main) - float(old[name].main), abs=1e-6)
    assert index_of(page)["documents"][0]["differences"][1][0] == second["differences"][0]["conll"]


def test_two_systems_share_errors(tmp_path: Path) -> None:
    right = "[1 Ida] met [2 Bo] .\n[1 She] greeted [2 him] ."
    old, new = right.replace("[2 him]", "him").replace("[1 She]", "She"), right.replace("[2 him]", "him")
    key, *responses = pair(tmp_path, (right, old, new))
    page = cl.view(key, *responses, names=["old", "new"]).html
    answers = documents_of(page)[0]["systems"]
    assert [[e["shared"] for e in answer["errors"]] for answer in answers] == [[[], [1]], [[0]]]
    difference = cl.diagnose(key, responses[1], against=responses[0]).difference
    assert len(difference.repaired) == 1 and not difference.broken


def test_words_sentences_and_direction(tmp_path: Path) -> None:
    (arabic,) = documents_of(cl.view(*pair(tmp_path, ARABIC, "a")).html)
    assert arabic["text"]["rtl"] and arabic["text"]["sentences"] == [0, 8]
    (chinese,) = documents_of(cl.view(*pair(tmp_path, CHINESE, "c")).html)
    assert not chinese["text"]["rtl"] and 0 in chinese["text"]["glued"]


def test_text_that_counts_characters_is_cut_at_mentions() -> None:
    raw = "Rotkehlchen, die\nsingen. 小明"
    text = cl.Text([], np.array([0, 0]), np.array([], dtype=np.int64), raw=[raw])
    none = np.zeros(0, dtype=np.int64)
    corpus = cl.Corpus([cl.Document("d")], none, none, none, none, [], unit="character", texts=text)
    found = passage(corpus, 0, [(3, 10), (13, 15)])
    assert found is not None
    assert found.words == ["Rot", "kehlchen", ",", "die", "singen.", "小", "明"]
    assert (found.glued, found.sentences) == ([0, 1, 5], [0, 4])
    assert found.span((3, 10)) == (1, 1) and found.span((0, 10)) == (0, 1) and found.span((25, 26)) == (5, 6)


def test_a_zero_that_the_key_lacks_stands_between_words(tmp_path: Path) -> None:
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text(ZERO.format(zero="", entity="Entity=(e2-x-1-)"), encoding="utf-8")
    empty = "0.1\t_\t_\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-x-1-)\n"
    response.write_text(ZERO.format(zero=empty, entity="Entity=(e2-x-1-)"), encoding="utf-8")
    (document,) = documents_of(cl.view(key, response).html)
    answer = document["systems"][0]
    spans = sorted(zip(answer["start"], answer["end"], strict=True))
    assert spans == [(0, 0), (2, 1), (2, 2)]  # nothing between its ends: it stands before the third word
    assert "∅" in {error.text for error in cl.diagnose(key, response).errors()}
    assert document["text"]["speakers"] == [[0, "Ana"], [1, "Eva"]]
    (other,) = documents_of(cl.view(response, key).html)
    assert other["text"]["empty"] == [2]


def test_text_is_data(tmp_path: Path) -> None:
    page = hostile(tmp_path)
    for word in HOSTILE[:2]:
        assert word not in page
    scripts = re.findall(r"<script([^>]*)>", page.split("<style>")[0] + page.split("</style>")[1])
    assert scripts == [' type="application/json" id="index"', ' type="text/plain" class="chunk"', ' type="module"']
    (document,) = documents_of(page)
    assert [w for w in document["text"]["words"] if w in HOSTILE] == HOSTILE
    assert "</script" not in script() and "</style" not in asset("style.css")


def test_only_the_pages_own_script_may_run(tmp_path: Path) -> None:
    page = hostile(tmp_path)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])  # type: ignore[index]
    code = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]  # type: ignore[index]
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "http" not in policy


def test_modules_join_into_one() -> None:
    names = re.findall(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", script(), re.MULTILINE)
    assert len(names) == len(set(names)), sorted({n for n in names if names.count(n) > 1})
    assert not re.search(r"^(import|export) ", script(), re.MULTILINE)
    place = {name: n for n, name in enumerate(MODULES)}
    for module in MODULES:
        for imported in re.findall(r'from "\./(\w+)\.js"', asset(f"{module}.js")):
            assert place[imported] < place[module], f"{module} needs {imported} before it"
        for line in re.findall(r'^import \{ (.*) \} from "\./(\w+)\.js";$', asset(f"{module}.js"), re.MULTILINE):
            for name in line[0].split(", "):
                assert re.search(rf"^export .*\b{name}\b", asset(f"{line[1]}.js"), re.MULTILINE), (module, name)


@pytest.mark.slow
def test_a_corpus_of_350_documents_is_a_small_file(tmp_path: Path) -> None:
    rng = random.Random(7)
    nouns = ["house", "river", "miller", "fox", "lamp", "garden", "letter", "winter", "stone", "road", "bridge"]
    verbs = ["sees", "finds", "leaves", "takes", "hears", "draws", "keeps", "wants"]

    def tale() -> tuple[str, str]:
        key, response = [], []
        for _ in range(40):
            words = [rng.choice(nouns) + str(rng.randrange(30)) for _ in range(3)]
            who = [rng.randrange(12) for _ in range(3)]
            line = f"[{{}} the {words[0]}] {rng.choice(verbs)} [{{}} a {words[1]}] near [{{}} {words[2]}] ."
            key.append(line.format(*who))
            response.append(line.format(*(w if rng.random() < 0.8 else rng.randrange(12) for w in who)))
        return "\n".join(key), "\n".join(response)

    tales = [tale() for _ in range(350)]
    sides = ["".join(conll(t[side], f"nw/tale{n}") for n, t in enumerate(tales)) for side in (0, 1)]
    paths = [tmp_path / "key.conll", tmp_path / "response.conll"]
    for path, text in zip(paths, sides, strict=True):
        path.write_text(text, encoding="utf-8")
    page = cl.view(*paths).save(tmp_path / "page.html")
    assert page.stat().st_size <= 3 * sum(path.stat().st_size for path in paths)
    assert index_of(page.read_text())["documents"][3]["genre"] == "nw"


def test_the_command(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = pair(tmp_path, ARABIC)
    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: shown.append(address))
    out = tmp_path / "page.html"
    assert run("view", key, response, out, "--title", "Tale").code == 0
    assert index_of(out.read_text(encoding="utf-8"))["title"] == "Tale"
    assert not shown
    assert run("view", key, response, out, "--open").code == 0
    assert shown == [out.resolve().as_uri()]


def test_a_page_without_a_name_replaces_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, response = pair(tmp_path, ARABIC)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "tale0.html").write_text("mine")
    (folder / "tale0-2.html").symlink_to("nowhere")  # a broken link is also something
    for name in ("tale0-3.html", "tale0-4.html"):
        ran = run("view", key, response)
        assert ran.code == 0 and ran.out.strip() == str(folder / name)
        assert index_of((folder / name).read_text(encoding="utf-8"))["key"] == "tale0"
    assert (folder / "tale0.html").read_text() == "mine" and not (folder / "nowhere").exists()
    assert run("view", f"{tmp_path}/tale*0.conll", response).out.strip() == str(folder / "tale_0.html")
    assert run("view", key, "none.conll").code == 3
    assert len(list(folder.iterdir())) == 5


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("key",), 2, "RESPONSE"),
        (("key", "out.html"), 2, "a response"),
        (("key", "response", "out.txt"), 3, "the page to write, whose name ends in .html"),
        (("key", "none.conll", "out.html"), 3, "none.conll"),
        (("key", "response", "no/such/out.html"), 3, "can't be written"),
    ],
)
def test_mistakes(run: Run, tmp_path: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    key, response = pair(tmp_path, ARABIC)
    given = {"key": key, "response": response}
    ran = run("view", *(given.get(a, tmp_path / a) for a in arguments))
    assert ran.code == code and says in ran.err


def test_a_notebook_shows_it(tmp_path: Path) -> None:
    page = cl.view(*pair(tmp_path, ARABIC))
    frame = page._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts"')
    assert html.unescape(frame.split('srcdoc="')[1].rsplit('"></iframe>')[0]) == page.html
    assert repr(page) == "<View of tale1: 1 documents>"


def test_a_value_from_0_over_0_is_not_shown_as_0() -> None:
    page = cl.view([["a"]], [["a"]], metrics="rand,muc").html
    scores = index_of(page)["systems"][0]["scores"]
    assert cl.score([["a"]], [["a"]], metrics="rand")["rand"].undefined == {"value"}
    assert scores["rand"] == [None, None, "n/a"] and scores["muc"] == ["n/a"] * 3
