"""`coreflens describe`: its figures against counts made another way, a tagger's by hand, every output."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coreflens as cl
from anaphora_cases import Doc, Markable, written
from command import Run, conll
from coreflens.corpora.description import BINS
from places import DATA


class Naive(NamedTuple):
    """What a plain reading of a CoNLL file counts, line by line."""

    documents: int
    sentences: int | None  # None: no document has a border between two
    tokens: int
    sizes: Counter[int]
    lengths: Counter[int]


def naive(text: str) -> Naive:
    documents: set[str] = set()
    sentences = tokens = before = 0
    entities: Counter[tuple[str, str]] = Counter()
    lengths: Counter[int] = Counter()
    opened: dict[str, list[int]] = defaultdict(list)
    document, within, bordered = "", False, False
    for line in text.splitlines():
        if line.startswith("#begin"):
            document, before = line, sentences
            documents.add(line.split("(")[1].split(")")[0])
        elif not line.strip() or line.startswith("#"):
            within = False
        else:
            sentences += not within
            within = True
            bordered |= sentences > before + 1
            for open_, label, close in re.findall(r"(\()?([^()|]+)(\))?", line.split()[-1].replace("-", "")):
                if open_:
                    opened[label].append(tokens)
                if close:
                    lengths[tokens - opened[label].pop() + 1] += 1
                    entities[document, label] += 1
            tokens += 1
    return Naive(len(documents), sentences if bordered else None, tokens, Counter(entities.values()), lengths)


def agrees(path: Path) -> cl.Description:
    found, expected = cl.describe(path), naive(path.read_text("utf-8"))
    total = found.total
    assert (total.documents, total.sentences, total.tokens) == expected[:3]
    assert found.entity_sizes == expected.sizes
    assert found.mention_lengths == expected.lengths
    assert total.mentions == expected.lengths.total()
    assert total.entities == expected.sizes.total()
    assert total.links == sum((size - 1) * n for size, n in expected.sizes.items())
    assert total.singletons == expected.sizes[1]
    return found


@pytest.fixture
def example(run: Run, tmp_path: Path) -> Path:
    assert run("demo", "--write", tmp_path / "example").code == 0
    return tmp_path / "example"


def test_the_example(example: Path) -> None:
    found = agrees(example / "key.conll")
    assert list(found.groups) == ["stories", "letters"]  # by genre, as the names have one
    assert [g.mentions for g in found.groups.values()] == [11, 10]


def test_a_file_without_sentences_has_none(run: Run, tmp_path: Path) -> None:
    """Two documents of tokens without a blank line between them are no two sentences."""
    (tmp_path / "flat.conll").write_text(conll("(1)", "-", "(1)", name="a") + conll("(1)", "(1)", name="b"))
    assert cl.describe(tmp_path / "flat.conll").total.sentences is None
    ran = run("describe", tmp_path / "flat.conll")
    assert "sentences" not in ran.out
    assert "tokens" in ran.out
    assert run("describe", tmp_path / "flat.conll", "--format", "json").json["total"]["sentences"] is None


@given(st.lists(st.lists(st.sampled_from(["-", "(1)", "(2)", "(3", "3)", "(1)|(2)"]), min_size=1), min_size=1))
def test_any_corpus(tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]]) -> None:
    text = ""
    for n, cells in enumerate(documents):
        open_ = 0
        fitting = []
        for cell in cells:
            fits = not open_ if cell == "(3" else open_ if cell == "3)" else True
            open_ += (cell == "(3") - (cell == "3)") if fits else 0
            fitting.append(cell if fits else "-")
        text += conll(*fitting, *["3)"] * open_, name=f"nw/{n // 2}", part=n % 2)
    path = tmp_path_factory.mktemp("any") / "a.conll"
    path.write_text(text)
    found = agrees(path)
    assert found.total.parts == len(documents)


@pytest.mark.parametrize("name", ["wsj_0020.v2_gold_conll", "wsj_0037.v2_gold_conll"])
def test_real_files(name: str) -> None:
    path = DATA / "berkeley_ontonotes_sample" / "gold" / "nw" / "wsj" / "00" / name
    if not path.exists():
        pytest.skip(f"no third-party data: {path}")
    found = agrees(path)
    assert sum(found.mention_types.values()) == sum(found.categories.values()) == found.total.mentions
    lines = [line.split() for line in path.read_text("utf-8").splitlines() if line and line[0] != "#"]
    alone = [columns[4:6] for columns in lines for _ in re.findall(r"\(\d+\)", columns[-1])]
    phrases = [tag for tag, bit in alone if "(NP*)" in bit and not tag.startswith("PRP")]
    tags = Counter(tag for tag, _ in alone) - Counter(phrases)
    for tag, n in tags.items():  # mentions of one word have its tag, unless they are noun phrases and no pronouns
        assert found.categories[tag] == n
    assert found.categories["NP"] >= len(phrases) > 0


PARSED = """\
#begin document (nw/a); part 000
nw/a 0 0 The DT (TOP(S(NP* - - - - * (1
nw/a 0 1 cat NN *) - - - - * 1)
nw/a 0 2 of IN (PP* - - - - * -
nw/a 0 3 Ann NNP (NP*)) - - - - * (2)
nw/a 0 4 saw VBD (VP* - - - - * -
nw/a 0 5 her PRP (NP*) - - - - * (2)
nw/a 0 6 today RB (ADVP*)))) - - - - * (3

nw/a 0 0 It PRP (TOP(S(NP*) - - - - * -
nw/a 0 1 ran VBD (VP*))) - - - - * 3)

#end document
"""


def test_types_and_categories(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(PARSED)
    found = cl.describe(tmp_path / "a.conll")
    assert found.mention_types == {"name": 1, "nominal": 1, "pronoun": 1, "verb": 1}
    assert found.categories == {"NP": 2, "PRP": 1, "no constituent": 1}  # "Ann" is a noun phrase of one word


def test_groups(run: Run, example: Path) -> None:
    key = example / "key.conll"
    (example / "labels.csv").write_text("document,topic\nstories/fox,animals\nletters/aunt,people\n")
    for by, labels in (
        ("document", ["stories/fox_0", "letters/aunt_0"]),
        ("part", ["0"]),
        (str(example / "labels.csv"), ["animals", "people"]),
    ):
        found = cl.describe(key, by=by)
        assert list(found.groups) == labels
        assert sum(g.entities for g in found.groups.values()) == found.total.entities == 10
    assert cl.describe(key, by=lambda d: d.name[:1]).groups.keys() == {"s", "l"}
    assert run("describe", key, "--by", "nonsense").code == 2


KEY = conll("(1", "1)", "-", "(2)", "-", "(1", "-", "-", "1)", "(2)")
TAGGED = conll("(1", "1)", "(2", "2)", "(3)", "(4", "-", "4)", "(5)", "-")


def test_a_mention_tagger_by_hand(run: Run, tmp_path: Path) -> None:
    """Last words are heads, of the key 1 3 8 9, of the output 1 3 4 7 8: three are common, one mention is a twin."""
    for name, text in (("key", KEY), ("tagged", TAGGED)):
        (tmp_path / f"{name}.conll").write_text(text)
    found = cl.describe(tmp_path / "tagged.conll", against=tmp_path / "key.conll").tagger
    assert found == {
        "key mentions": 4,
        "mentions": 5,
        "twins": 1,
        "key mentions whose head is found": 3,
        "mentions with a head of the key": 3,
        "heads of the key from": "last token",
        "heads from": "last token",
    }
    ran = run("describe", tmp_path / "tagged.conll", "--against", tmp_path / "key.conll")
    shares = dict(re.findall(r"^(twins .*?\)|head coverage|accuracy) +\d+ +([\d.]+)$", ran.out, re.M))
    assert shares == {
        "twins (of the mentions)": "20.0",
        "twins (of the key's)": "25.0",
        "head coverage": "75.0",
        "accuracy": "60.0",
    }


def conllu(*lines: str) -> str:
    return "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n" + "".join(
        "\t".join(line.split()) + "\n" for line in (*lines, "")
    )


def test_heads_where_empty_nodes_differ(tmp_path: Path) -> None:
    """What the key has as an empty node before them does not move the heads away from each other."""
    zero = "0.1 _ _ PRON _ _ _ _ _ Entity=(e1-person-1)"
    words = (
        "1 Ann _ PROPN _ _ 2 nsubj _ _",
        "2 saw _ VERB _ _ 0 root _ _",
        "3 her _ PRON _ _ 2 obj _ Entity=(e1-person-1)",
    )
    (tmp_path / "key.conllu").write_text(conllu(zero, *words))
    (tmp_path / "system.conllu").write_text(conllu(*words))
    found = cl.describe(tmp_path / "system.conllu", against=tmp_path / "key.conllu").tagger
    assert (found["twins"], found["key mentions whose head is found"], found["mentions with a head of the key"]) == (
        1,
        1,
        1,
    )


def test_zeros_are_no_words(tmp_path: Path) -> None:
    """Tokens are those that are written; a zero has no length, and one within a mention adds none."""
    lines = (
        "1 Ann _ PROPN _ _ 2 nsubj _ Entity=(e1-person-1",
        "1.1 _ _ PRON _ _ _ _ _ Entity=(e2-person-1)",
        "2 Lee _ PROPN _ _ 0 root _ Entity=e1)",
        "3 ran _ VERB _ _ 2 dep _ _",
    )
    (tmp_path / "a.conllu").write_text(conllu(*lines))
    found = cl.describe(tmp_path / "a.conllu")
    assert found.total.tokens == 3
    assert found.mention_lengths == {0: 1, 2: 1}
    assert [row[:2] for row in found.tables()["Mentions by length"].rows] == [["0", "1"], ["1", "0"], ["2", "1"]]
    assert found.features["zeros"] == 1


def test_other_words_are_carried_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "key.md").write_text("# doc a\n[Ann](1) said that [she](1) ran .\n")
    (tmp_path / "llm.md").write_text("# doc a\n[Ann](1) said [she](1) ran .\n")
    refused = run("describe", tmp_path / "llm.md", "--against", tmp_path / "key.md")
    assert refused.code == 3
    assert "--align characters" in refused.err
    ran = run("describe", tmp_path / "llm.md", "--against", tmp_path / "key.md", "--align", "characters")
    assert ran.code == 0, ran.err
    assert re.search(r"^accuracy +2 +100\.0$", ran.out, re.M)


def test_without_words_nothing_is_said_of_heads(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"e": ["m1", "m2"], "f": ["m3"]}')
    found = cl.describe(tmp_path / "a.json", against=tmp_path / "a.json")
    assert (found.total.tokens, found.total.sentences, found.mention_lengths) == (None, None, {})
    assert found.tagger["twins"] == 3
    assert found.tagger["heads from"] is None
    assert [row[0] for row in found.tables()["As a mention tagger"].rows][-1].startswith("twins")


def test_documents_that_are_there_twice_are_told(run: Run, example: Path) -> None:
    ran = run("describe", example)
    assert ran.code == 0
    assert "2 documents more than once" in ran.err
    assert "key.conll:1" in ran.err
    assert "response.conll:1" in ran.err


def test_files_left_out_are_told(run: Run, example: Path) -> None:
    (example / "response.conll").write_text("")
    ran = run("describe", example, "--format", "json")
    assert [issue["code"] for issue in ran.json["issues"]] == ["skipped-files"]
    assert "response.conll" in ran.err


def test_json_has_every_count(run: Run, example: Path) -> None:
    found = run("describe", example / "key.conll", "--format", "json").json
    assert found["total"]["links"] == sum(g["links"] for g in found["groups"].values()) == 11
    assert sum(int(size) * n for size, n in found["entity_sizes"].items()) == found["total"]["mentions"]


def test_csv_is_for_programs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(conll(*["(1)", "(2)"] * 1000))
    ran = run("describe", tmp_path / "a.conll", "--format", "csv")
    tables = [list(csv.reader(io.StringIO(part)))[1:] for part in ran.out.strip().split("\n\n")]
    assert tables[0][1][tables[0][0].index("mentions")] == "2000"
    assert tables[1][-1] == ["100+", "2", "100.0"]
    assert "█" not in ran.out


def test_latex_has_no_bars_and_markdown_a_table(run: Run, example: Path) -> None:
    latex = run("describe", example / "key.conll", "--format", "latex").out
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 3
    assert latex.isascii()
    markdown = run("describe", example / "key.conll", "--format", "markdown").out
    assert "| stories | 1 | 3 | 43 | 11 | 5 | 6 | 2 |" in markdown
    page = run("describe", example / "key.conll", "--format", "html").out
    assert page.count("<table") == page.count("</table>") == 3


def test_bars_are_as_long_as_their_numbers(run: Run, tmp_path: Path) -> None:
    """Eight pairs, four triples, one of four: bars of 40, 20 and 5 characters."""
    sizes = [2] * 8 + [3] * 4 + [4]
    cells = [f"({entity})" for entity, size in enumerate(sizes) for _ in range(size)]
    (tmp_path / "a.conll").write_text(conll(*cells))
    out = run("describe", tmp_path / "a.conll").out
    found = re.findall(
        r"^(\d) +(\d+) +([\d.]+)(?: +(█+))?$", out.partition("Entities by size")[2].partition("\n\n")[0], re.M
    )
    assert [(size, n, len(bar)) for size, n, _, bar in found] == [
        ("1", "0", 0),
        ("2", "8", 40),
        ("3", "4", 20),
        ("4", "1", 5),
    ]
    assert [share for _, _, share, _ in found] == ["0.0", "61.5", "30.8", "7.7"]


def test_bins_leave_no_size_out() -> None:
    for (_, last), (first, _) in pairwise(BINS):
        assert last is not None
        assert first == last + 1
    assert BINS[0][0] == 0
    assert BINS[-1][1] is None


def test_nothing_to_describe(run: Run) -> None:
    with pytest.raises(cl.UsageError):
        cl.describe()
    assert run("describe").code == 2


def test_a_word_that_is_a_noun_phrase_counts_as_one() -> None:
    """Counts made by hand from the trees of the two articles: 73.7 % NP, 95.4 % with pronouns and their possessives."""
    path = DATA / "berkeley_ontonotes_sample" / "gold" / "nw" / "wsj" / "00"
    if not path.is_dir():
        pytest.skip("../shared is absent")
    found = cl.describe(*sorted(path.glob("*gold_conll")), pool="ontonotes", by="document")
    total = sum(found.categories.values())
    assert round(100 * found.categories["NP"] / total, 1) == 73.7
    assert round(100 * sum(found.categories[c] for c in ("NP", "PRP", "PRP$")) / total, 1) == 95.4
    assert found.categories["V*"] == 4
    for category, number in found.categories.items():
        assert sum(counts.get(category, 0) for counts in found.by_category.values()) == number


TREES = (
    ("John", "NNP", "(TOP(S(NP*)", "(1)"),
    ("saw", "VBD", "(VP*", "(2)"),
    ("him", "PRP", "(NP*)", "(1)"),
    ("run", "VB", "(S(VP*)))", "(2)|(3"),
    (".", ".", "*))", "3)"),
)


def test_entities_by_what_they_contain_and_the_rate(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    lines = "".join(f"nw/a\t0\t{i}\t{w}\t{t}\t{b}\t-\t-\t-\t-\t*\t{c}\n" for i, (w, t, b, c) in enumerate(TREES))
    path.write_text(f"#begin document (nw/a); part 000\n{lines}\n#end document\n")
    found = run("describe", str(path), "--format", "json").json
    assert found["containing"] == {"a name": 1, "a pronoun": 1, "a verb": 2}
    assert found["total"]["rate"] == 5 / 3
    assert found["categories"] == {"VBD": 1, "VB": 1, "NP": 1, "PRP": 1, "no constituent": 1}
    ran = run("describe", str(path), "--rate", "--categories", "ontonotes")
    assert "mentions per entity" in ran.out
    assert "1.67" in ran.out
    assert "V*" in ran.out


def test_several_taggers_are_rows_of_one_table(run: Run, tmp_path: Path) -> None:
    cells = {"key": ("(1)", "(1)", "-"), "a": ("(1)", "-", "(1)"), "b": ("(1)", "(1)", "-")}
    for name, row in cells.items():
        text = conll(*row, name="nw/x") + conll("(1)", "(1)", name="bc/y")
        (tmp_path / f"{name}.conll").write_text(text)
    files = [f"{name}={tmp_path / name}.conll" for name in "ab"]
    found = run("describe", *files, "--against", str(tmp_path / "key.conll"), "--by", "genre", "--format", "json").json
    assert {n: {g: f["twins"] for g, f in groups.items()} for n, groups in found["taggers"].items()} == {
        "a": {"nw": 1, "bc": 2, "all": 3},
        "b": {"nw": 2, "bc": 2, "all": 4},
    }
    for name in "ab":  # one at a time, they have the same figures
        alone = run(
            "describe", str(tmp_path / f"{name}.conll"), "--against", str(tmp_path / "key.conll"), "--format", "json"
        )
        assert alone.json["tagger"] == found["taggers"][name]["all"]
    table = run("describe", *files, "--against", str(tmp_path / "key.conll")).out
    assert [line.split()[:4] for line in table.splitlines()[2:]] == [["a", "4", "4", "3"], ["b", "4", "4", "4"]]
    assert run("describe", *files).code == 2


def test_other_anaphora_is_counted(tmp_path: Path) -> None:
    """An anaphor with two anchors is one, a plural with two parts is one with two."""
    marks = [Markable(f"m{n}", ((n, n),), e) for n, e in enumerate(["1", "2", "3", "4", "9-Pseudo"])]
    doc = Doc("d", 6, marks, [("3", "1"), ("3", "2")], [("m3", "m0"), ("m3", "m1"), ("m1", "m0")])
    path = written(doc, tmp_path / "k.CONLLUA")
    found = cl.describe(path)
    counts = {"bridging anaphors": 2, "split antecedents": 1, "parts of them": 2, "non-referring": 1}
    assert {kind: n for kind, n in found.anaphora["all"].items() if n} == counts
    assert found.tables()["Other anaphora"].rows == [["all", "2", "1", "2", "1"]]
    assert not cl.describe([["a"]]).anaphora
    deictic = cl.describe(written(doc, tmp_path / "d.CONLLUA", deixis=True)).anaphora["all"]
    assert (deictic["deictic mentions"], deictic["deictic entities"]) == (5, 5)
