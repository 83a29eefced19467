"""Measures of some mentions or entities only: singletons, names, pronouns, labels, GAP."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import coreflens as cl
from coreflens.corpus.pronouns import KINDS
from coreflens.metrics import SETS
from places import DATA

TEXT = "Ann met Bob . She gave him her book . He thanked the girl himself . This pleased them ."
TAGS = "NNP VBD NNP . PRP VBD PRP PRP$ NN . PRP VBD DT NN PRP . DT VBD PRP ."
Entities = dict[str, list[tuple[int, int]]]
KEY: Entities = {
    "Ann": [(0, 0), (4, 4), (7, 7), (12, 13)],
    "Bob": [(2, 2), (6, 6), (10, 10), (14, 14)],
    "book": [(7, 8)],
    "event": [(16, 16)],
}


def conll(entities: Entities, path: Path, tags: bool = True) -> str:
    """A CoNLL-2012 file of the text above, with tags or without."""
    words = TEXT.split()
    cells: list[list[str]] = [[] for _ in words]
    numbers = {name: n for n, name in enumerate(entities)}
    spans = [(a, b, numbers[name]) for name, found in entities.items() for a, b in found]
    for a, b, n in sorted(spans, key=lambda span: (span[0], -span[1])):
        if a == b:
            cells[a].append(f"({n})")
        else:
            cells[a].insert(0, f"({n}")
            cells[b].append(f"{n})")
    lines = ["#begin document (d); part 000"]
    for n, (word, tag, cell) in enumerate(zip(words, TAGS.split(), cells, strict=True)):
        lines.append("\t".join(["d", "0", str(n), word, tag if tags else "-", *"*--*-*", "|".join(cell) or "-"]))
        lines += [""] * (word == ".")
    path.write_text("\n".join([*lines, "#end document", ""]), encoding="utf-8")
    return str(path)


def counts(result: cl.Result, name: str) -> tuple[int, ...]:
    return tuple(int(x) for x in result[name].counts.values())


# ---- singletons


def test_singletons_are_entities_of_one_mention() -> None:
    key, response = [["a"], ["b"], ["c", "d"], ["e"]], [["a"], ["b", "e"], ["c"], ["f"]]
    for policy in ("keep", "drop", "drop-response"):
        found = cl.score(key, response, metrics="singletons", singletons=policy)
        assert counts(found, "singletons") == (1, 3, 1, 3), policy


# ---- pronouns


def test_pronouns_by_hand(tmp_path: Path) -> None:
    """She: right. him: linked to Ann, wrong. her: not found. He: the closest name is Ann, wrong, though "him" is
    closer. himself: likewise. them: spurious."""
    response = {
        "one": [(0, 0), (4, 4), (6, 6), (10, 10), (14, 14), (18, 18)],
        "two": [(2, 2)],
        "three": [(12, 13)],
    }
    key, system = conll(KEY, tmp_path / "k.conll"), conll(response, tmp_path / "r.conll")
    result = cl.score(key, system, metrics="pronouns-by-kind", exact=True)
    assert counts(result, "pronouns") == (1, 5, 1, 5)  # key: she him her he himself; response: all but her, and them
    assert counts(result, "pronouns-personal") == (1, 3, 1, 4)
    assert counts(result, "pronouns-possessive") == (0, 1, 0, 0)
    assert counts(result, "pronouns-reflexive") == (0, 1, 0, 1)
    total = [sum(column) for column in zip(*(counts(result, f"pronouns-{kind}") for kind in KINDS), strict=True)]
    assert tuple(total) == counts(result, "pronouns")


def test_a_chain_of_pronouns_alone_has_the_closest_one_as_antecedent(tmp_path: Path) -> None:
    key, response = {"a": [(6, 6), (10, 10)]}, {"a": [(6, 6), (10, 10), (14, 14)]}
    paths = conll(key, tmp_path / "k.conll"), conll(response, tmp_path / "r.conll")
    assert counts(cl.score(*paths, metrics="pronouns"), "pronouns") == (1, 1, 1, 2)


def test_a_response_without_tags_is_seen_through_the_key(tmp_path: Path) -> None:
    response = {"one": [(0, 0), (4, 4), (10, 10), (18, 18)], "two": [(2, 2), (6, 6)]}
    key = conll(KEY, tmp_path / "k.conll")
    own, lent = (conll(response, tmp_path / f"{tags}.conll", tags) for tags in (True, False))
    metrics = ("pronouns", "nec")
    a, b = (cl.score(key, system, metrics=metrics) for system in (own, lent))
    c = cl.score(conll(KEY, tmp_path / "plain.conll", False), own, metrics=metrics)
    for name in metrics:
        assert a[name].counts == b[name].counts == c[name].counts
    assert counts(a, "pronouns") == (2, 5, 2, 4)  # she, him; he is wrong, they are nobody
    nothing = cl.score(conll(KEY, tmp_path / "plain.conll", False), lent, metrics=metrics)
    assert nothing["pronouns"].undefined == nothing["nec"].undefined == {"recall", "precision", "f1"}


FEATURES = {
    "PronType=Prs|Person=3": "personal",
    "Poss=Yes|PronType=Prs": "possessive",
    "PronType=Prs|Reflex=Yes": "reflexive",
    "PronType=Dem": "demonstrative",
    "PronType=Int,Rel": "relative",
    "PronType=Ind": "other",
    "": "other",
}


@pytest.mark.parametrize(("features", "kind"), FEATURES.items())
def test_kinds_by_features(features: str, kind: str, tmp_path: Path) -> None:
    lines = ["# newdoc id = d", "# global.Entity = eid-head", "# sent_id = s", "# text = Ann it"]
    lines += ["1\tAnn\tAnn\tPROPN\t_\t_\t0\troot\t_\tEntity=(e1-1)"]
    lines += [f"2\tit\tit\tPRON\t_\t{features or '_'}\t1\tdep\t_\tEntity=(e1-1)", "", ""]
    path = tmp_path / "a.conllu"
    path.write_text("\n".join(lines), encoding="utf-8")
    result = cl.score(path, path, metrics="pronouns-by-kind")
    assert [name for name in KINDS if result[f"pronouns-{name}"].counts["recall_den"]] == [kind]


# ---- named entities


def test_nec_by_hand(tmp_path: Path) -> None:
    """Ann (4 mentions) is found with her name, Bob without it, and "the girl" is aligned with nobody."""
    response = {"one": [(0, 0), (4, 4), (18, 18)], "two": [(6, 6), (10, 10), (14, 14)], "three": [(12, 13)]}
    key, system = conll(KEY, tmp_path / "k.conll"), conll(response, tmp_path / "r.conll")
    result = cl.score(key, system, metrics="nec", exact=True)["nec"]
    assert (result.recall, result.precision, result.f1) == (Fraction(2, 8), Fraction(2, 6), Fraction(2, 7))
    assert cl.score(key, key, metrics="nec")["nec"].f1 == 1


def test_nec_takes_the_best_alignment(tmp_path: Path) -> None:
    """Two entities of the key want one of the response; the sum decides, and one entity is used once."""
    response = {"both": [(0, 0), (4, 4), (2, 2), (6, 6), (10, 10), (14, 14)]}
    key, system = conll(KEY, tmp_path / "k.conll"), conll(response, tmp_path / "r.conll")
    result = cl.score(key, system, metrics="nec", exact=True)["nec"]
    assert result.f1 == Fraction(8, 10) / 2  # Bob: 2 · 4/(4 + 6); Ann: nobody is left


# ---- labels


def test_labels_need_names() -> None:
    key, response = {"a": "Ross", "b": "Ross", "c": "Joey"}, {"a": "Ross", "b": "Joey", "c": "Joey", "d": "Phoebe"}
    metrics = ("labels", "labels-macro")
    named = cl.score(key, response, metrics=metrics, ids="global", exact=True)
    assert counts(named, "labels") == (2, 3, 2, 4)
    macro = named["labels-macro"]
    assert (macro.recall, macro.precision, macro.f1) == (Fraction(3, 4), Fraction(3, 4), Fraction(2, 3))
    for result in (cl.score(key, response, metrics=metrics), cl.score([["a"]], [["a"]], metrics=metrics, ids="global")):
        assert all(result[name].undefined == {"recall", "precision", "f1"} for name in metrics)


@pytest.mark.skipif(not (DATA / "semeval2018_task4").exists(), reason="needs ../shared/data/semeval2018_task4")
@pytest.mark.parametrize("system", ["AMORE_UPF", "Kampfpudding"])
def test_semeval_2018_task_4_as_published(system: str, tmp_path: Path) -> None:
    """The task merges all characters but the main ones, or all that its training files lack, into one name."""
    folder = DATA / "semeval2018_task4"
    published = (folder / "sys" / f"{system}.eval").read_text(encoding="utf-8").splitlines()
    figures = [line.split(":")[1].split() for line in published[:6] if ":" in line]
    names = dict(line.split("\t") for line in _lines(folder / "dat" / "friends_entity_map.txt"))
    kept_of = {
        "main": {line.split(":")[0].strip() for line in _section(published, "***** Main")},
        "all": {line.split(":")[0].strip() for line in _section(published, "********* All")},
    }
    ref = _lines(folder / "dat" / "ref.out")
    for which, (accuracy, macro) in {"main": (figures[0], figures[1]), "all": (figures[2], figures[3])}.items():
        kept = {id for id, name in names.items() if name in kept_of[which]}
        if which == "all":  # names that only the system uses are not listed, and only ##OTHERS## may merge them
            kept |= set(_lines(folder / "sys" / f"{system}.out")) - set(ref)
        paths = []
        for role, lines in (("key", ref), ("response", _lines(folder / "sys" / f"{system}.out"))):
            path = tmp_path / f"{role}.{which}"
            path.write_text("".join(f"{id if id in kept else -1}\n" for id in lines), encoding="utf-8")
            paths.append(path)
        result = cl.score(*paths, metrics="labels,labels-macro")
        score = result["labels"]
        shown = f"{100 * score.main:.2f} ({score.counts['recall_num']:.0f}/{score.counts['recall_den']:.0f})"
        assert shown == " ".join(accuracy), which
        assert f"{100 * result['labels-macro'].main:.2f}" == macro[0], which


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _section(published: list[str], title: str) -> list[str]:
    """The lines of a section of the official evaluation, up to the next title."""
    begin = next(n for n, line in enumerate(published) if line.startswith(title) and "F1 Scores" in line)
    stop = next((n for n in range(begin + 1, len(published)) if published[n].startswith("*")), len(published))
    return published[begin + 1 : stop]


# ---- GAP


def gap_table(rows: list[dict[str, str]], path: Path) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None)
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


@pytest.mark.skipif(not (DATA / "gap").exists(), reason="needs ../shared/data/gap")
def test_gap_against_a_count_of_fifty_rows(tmp_path: Path) -> None:
    """Fifty rows of the validation set, answers made up by chance, counted row by row from the table alone."""
    with (DATA / "gap" / "gap-validation.tsv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][:50]
    random = Random(2018)
    answers = []
    for row in rows:
        a, b = random.choice(
            [("TRUE", "FALSE"), ("FALSE", "TRUE"), ("FALSE", "FALSE"), (row["A-coref"], row["B-coref"])]
        )
        answers.append(row | {"A-coref": a, "B-coref": b})
    expected: dict[str, Counter[str]] = {name: Counter() for name in SETS["gap-by-gender"][:3]}
    for row, answer in zip(rows, answers, strict=True):
        gender = "feminine" if row["Pronoun"].lower() in ("she", "her", "hers") else "masculine"
        for name in ("A-coref", "B-coref"):
            cell = {("TRUE", "TRUE"): "tp", ("TRUE", "FALSE"): "fn", ("FALSE", "TRUE"): "fp"}
            for metric in ("gap", f"gap-{gender}"):
                expected[metric][cell.get((row[name], answer[name]), "tn")] += 1
    key, system = gap_table(rows, tmp_path / "key.tsv"), gap_table(answers, tmp_path / "system.tsv")
    result = cl.score(key, system, metrics="gap-by-gender", singletons="drop")  # which changes nothing here
    f1 = {}
    for name, c in expected.items():
        assert min(c.values()) > 2
        assert counts(result, name) == (c["tp"], c["tp"] + c["fn"], c["tp"], c["tp"] + c["fp"])
        f1[name] = 2 * c["tp"] / (2 * c["tp"] + c["fp"] + c["fn"])
        assert result[name].f1 == pytest.approx(f1[name])
    assert result["gap-bias"].value == pytest.approx(f1["gap-feminine"] / f1["gap-masculine"])


GAP = "ID Text Pronoun Pronoun-offset A A-offset A-coref B B-offset B-coref URL"


def test_gap_takes_the_entities_of_any_system(tmp_path: Path) -> None:
    """A response in another format, with entities of its own making; a pronoun that it lacks is no one."""
    texts = ["Ann saw Eve when she left.", "Bob saw Tom when he left."]
    lines = [GAP.replace(" ", "\t")]
    for n, text in enumerate(texts):
        a, b = text.split()[0], text.split()[2]
        pronoun = text.split()[4]
        row = [f"t-{n}", text, pronoun, str(text.index(pronoun + " ")), a, "0", "TRUE", b, "8", "FALSE", "x"]
        lines.append("\t".join(row))
    key = tmp_path / "key.tsv"
    key.write_text("\n".join(lines) + "\n", encoding="utf-8")
    system = tmp_path / "system.jsonl"
    system.write_text(
        '{"doc_key": "t-0", "text": "Ann saw Eve when she left.", "clusters": [[[0, 3], [17, 20], [8, 11]]]}\n'
        '{"doc_key": "t-1", "text": "Bob saw Tom when he left.", "clusters": [[[0, 3], [8, 11]]]}\n',
        encoding="utf-8",
    )
    result = cl.score(key, system, metrics="gap-by-gender")
    assert counts(result, "gap") == (1, 2, 1, 2)
    assert counts(result, "gap-feminine") == (1, 1, 1, 2)
    assert counts(result, "gap-masculine") == (0, 1, 0, 0)
    assert result["gap-bias"].undefined == {"value"}


def test_gap_needs_a_key_of_gap() -> None:
    result = cl.score([["a", "b"]], [["a", "b"]], metrics="gap-by-gender")
    assert all(result[name].undefined for name in SETS["gap-by-gender"])


@pytest.mark.parametrize("name", ["pronouns", "nec", "labels", "labels-macro", "gap", "gap-bias"])
def test_a_note_says_why_there_is_nothing_to_count(name: str) -> None:
    """Where the metric was asked for by its name, and not with all others."""
    asked, all_ = (cl.score([["a", "b"]], [["a", "b"]], metrics=metrics).issues for metrics in (name, "all"))
    assert [issue.code for issue in asked] == ["nothing-to-count"]
    assert asked[0].message.startswith(f"{name}: ")
    assert "nothing-to-count" not in {issue.code for issue in all_}
