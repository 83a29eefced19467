"""Inline brackets as language models write them, and LitBank's TSV."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coreflens as cl
from chance import examples, seeds
from command import Run, conll
from coreflens.corpus.model import Corpus
from coreflens.formats import FORMATS, read, recognise
from coreflens.formats.shared.repairs import repair
from coreflens.formats.shared.source import Source
from places import DATA
from records import again, kept, made, problems, survives, view


def corpus_of(tmp_path: Path, content: str) -> Corpus:
    """Recognised by its content."""
    (tmp_path / "story.md").write_text(content, encoding="utf-8", newline="")
    corpus = read(tmp_path / "story.md")
    assert corpus.format == "inline"
    return corpus


def mentions(corpus: Corpus) -> list[tuple[str, object]]:
    return [(corpus.words(row), mention.entity) for row, mention in enumerate(corpus)]


@pytest.mark.parametrize("label", ["1", "#1", "e1", "cluster_1", "#cluster_1", "cluster 1", "Jo-Ann", "1"])
def test_labels(tmp_path: Path, label: str) -> None:
    corpus = corpus_of(tmp_path, f"[John]({label}) said [he]( {label}) ran .\n")
    assert mentions(corpus) == [("John", label), ("he", label)]
    assert corpus.documents[0].name == "story"


def test_nesting_words_and_sentences(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "[[His](1) mother](2)'s  car\r\n\r\n[that [[she](2)](3)\nsaw](4), x\r\n")
    assert mentions(corpus) == [("His mother", "2"), ("His", "1"), ("that she saw", "4"), ("she", "3"), ("she", "2")]
    assert corpus.text.words == ["His", "mother", "'s", "car", "that", "she", "saw", ",", "x"]
    assert corpus.text.sentences.tolist() == [0, 4, 6]
    assert [m.line for m in corpus] == [1, 1, 3, 3, 3]


def test_brackets_of_the_text(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, r"[John](1) [sic] \[x\](y) \\ C:\new a] [see [him](1)] [1] (2) .")
    assert mentions(corpus) == [("John", "1"), ("him", "1")]
    words = ["John", "[sic]", "[x](y)", "\\", "C:\\new", "a]", "[see", "him", "]", "[1]", "(2)", "."]
    assert corpus.text.words == words


def test_documents(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "\n# doc a/b c; part 12\n[x](1)\n# doc d\n# doc\n\\# doc e\n# doc f\n[y](1)\n")
    assert [(d.name, d.part, d.line) for d in corpus.documents] == [("a/b c", 12, 2), ("d", None, 4), ("f", None, 7)]
    assert corpus.text.words == ["x", "#", "doc", "#", "doc", "e", "y"]


def test_unanswered_and_quoted(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "```markdown\n[Ann](#cluster_1) saw [her](#) [dog]()\n```\n")
    assert mentions(corpus) == [("Ann", "#cluster_1")]
    assert [(i.code, i.count) for i in corpus.issues] == [("left-out", 4)]


BAD = {
    "never closed": ("a [b c\n[d](1)\n", [("unclosed", 1, 3)]),
    "parenthesis": (
        "[d](1) [e](2 .\n[f](3 [g](1) [h](x (1))",
        [("unclosed", 1, 11), ("unclosed", 2, 4), ("unclosed", 2, 17)],
    ),
    "never opened": ("a b](2)\n[d](1)\n", [("unopened", 1, 4)]),
    "no words": ("x [](2) [ ](2) [d](1)\n", [("syntax", 1, 3), ("syntax", 1, 9)]),
    "text before": ("x\n# doc a\n[d](1)\n", [("syntax", 1, None)]),
    "a document twice": ("# doc a\n[d](1)\n# doc a\n[d](1)\n", [("duplicate-document", 3, None)]),
    "over documents": ("# doc a\n[d\n# doc b\nx](1)\n", [("unclosed", 2, 1), ("unopened", 4, 2)]),
}


@pytest.mark.parametrize("case", BAD)
def test_mistakes(case: str) -> None:
    content, expected = BAD[case]
    assert problems(content, "inline") == expected


def test_links_of_markdown_are_not_taken_for_mentions() -> None:
    with pytest.raises(cl.InputError, match="not a coreference format"):
        recognise(Source(b"See [the paper](https://a.b/c) and [this](docs/x.md).\n", "README.md"))
    with pytest.raises(cl.InputError, match="not a coreference format"):
        recognise(Source(b"# Contents\n[Clusters](#clusters)\n", "README.md"))


@examples(80)
@given(seed=st.integers(0, 10**6))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    corpus = made(seed, crossing=False)
    assume(corpus.has_text)
    back = again(corpus, tmp_path_factory.mktemp("a") / "a.md", "inline")
    what = ("documents", "labels", "across", "text")
    assert view(back, *what) == view(corpus, *what)
    assert kept(corpus, back, "inline")


def test_crossing_mentions_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"doc_key": "a", "tokens": ["x", "y", "z"], "clusters": [[[0, 1], [1, 2]]]}')
    corpus = read(tmp_path / "a.jsonl")
    assert mentions(again(corpus, tmp_path / "a.md", "inline")) == [("x y", "0")]
    from coreflens.formats import inline
    from coreflens.formats.shared.features import held, lost

    assert lost(held(corpus), inline.HOLDS) == {"crossing mentions": 1}


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ('{"doc_key": "a", "tokens": ["x y"], "clusters": []}', "blank"),
        ('{"doc_key": "a", "tokens": [""], "clusters": []}', "blank"),
        ('{"doc_key": "a\\nb", "tokens": ["x"], "clusters": []}', "document"),
        ('{"doc_key": "a; part 3", "tokens": ["x"], "clusters": []}', "document"),
        ('{"doc_key": "a", "clusters": []}', "text"),
    ],
)
def test_what_it_does_not_write(tmp_path: Path, record: str, what: str) -> None:
    (tmp_path / "a.jsonl").write_text(record)
    with pytest.raises(cl.InputError, match=what):
        again(read(tmp_path / "a.jsonl"), tmp_path / "a.md", "inline")


def test_a_real_text_there_and_back(tmp_path: Path) -> None:
    path = DATA / "corefconversion" / "singe.jsonlines"
    if not path.exists():
        pytest.skip("no corefconversion/singe.jsonlines here")
    corpus = read(path)
    again(corpus, tmp_path / "a.md", "inline")
    result = cl.score(path, tmp_path / "a.md", pair="file")
    assert result.conll == 1


@pytest.mark.parametrize("seed", seeds(4))
def test_fuzz(seed: int) -> None:
    survives(b"# doc a; part 1\n[John](1) \\[x\\] [[his](1) mother](#2)\n```\n# doc b\n[x\ny](3) [z]\n", "inline", seed)


@pytest.mark.slow
def test_deep_and_long() -> None:
    deep = "[" * 200_000 + "x" + "](1)" * 200_000
    assert problems(deep, "inline") == []
    assert problems("[" * 100_000, "inline")[:1] == [("unclosed", 1, 1)]
    assert problems("](" * 100_000, "inline") == []


# ---------------------------------------------------------------------------------------------------------- notations

PLAIN = "[Ada](1) wrote to [[her](1) aunt](2) 's [friend](3) ."
NOTATIONS = {
    "number": "[Ada]1 wrote to [[her]1 aunt]2 's [friend]3 .",
    "under": "[Ada]_1 wrote to [[her]_1 aunt]_2 's [friend]_3 .",
    "bar": "[Ada|1] wrote to [[her|1] aunt|2] 's [friend| 3] .",
    "tag": "<m id=1>Ada</m> wrote to <m id=\"2\"><m id='1'>her</m> aunt</m> 's <m id = 3 >friend</m> .",
    "long tag": "<mention id=1>Ada</mention> wrote to <e id=2><e id=1>her</e> aunt</e> 's <e id=3>friend</e> .",
    "labels": "[Ada]_e1 wrote to [[her]_e1 aunt]_e2 's [friend]_e3 .",
    "cluster": "[Ada|cluster_1] wrote to [[her|cluster_1] aunt|cluster_2] 's [friend|cluster_3] .",
}


@pytest.mark.parametrize("name", NOTATIONS)
@pytest.mark.parametrize(
    "around", ["{}\n", "Sure:\n\n```text\n{}\n```\n\nShall I [go] on?\n", "```\n{}", "# doc story\n{}"]
)
def test_notations(tmp_path: Path, name: str, around: str) -> None:
    """The same corpus, whichever way it is written, and whatever a model says before and after."""
    corpus = corpus_of(tmp_path, around.format(NOTATIONS[name]))
    plain = corpus_of(tmp_path, PLAIN)
    assert corpus.text.words == plain.text.words
    assert sorted(corpus.clusters().values()) == sorted(plain.clusters().values())
    assert {i.code for i in corpus.issues} <= ({"left-out"} if "`" in around else set())


def test_what_demo_prints_is_read(tmp_path: Path) -> None:
    from coreflens.cli.demo import _bracketed

    corpus = corpus_of(tmp_path, _bracketed(conll("(1", "(2)", "1)", "(1)"))[0])
    assert corpus.clusters() == {"1": [(0, 2), (3, 3)], "2": [(1, 1)]}


def test_one_notation_in_a_text(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "[Ada]_1 met [her]_1 [aunt]2 .\n")
    assert mentions(corpus) == [("Ada", "1"), ("her", "1")] and corpus.text.words[-2] == "[aunt]2"
    (issue,) = corpus.issues
    assert issue.code == "malformed" and "1 mark like [John]1 in a text with [John]_1: read as text" in issue.message


@pytest.mark.parametrize(
    "text", ["see [1]2[3] in [sic] [x] [y]\n", "[[Ada|Ada Lovelace]] met [[her|aunt]]\n", "<p id=1>Ada</p>\n"]
)
def test_what_is_no_notation(text: str) -> None:
    with pytest.raises(cl.InputError, match=r"not a coreference format|looks like XML"):
        recognise(Source(text.encode(), "a.txt"))


STRINGS = {"1": ["Ada", "her"], "2": ["her aunt"]}
LISTS = {
    "lists": ('[["Ada", "her"], ["her aunt"]]', STRINGS),
    "fence": ('Sure!\n\n```json\n{"clusters": [["Ada", "her"], ["her aunt"]]}\n```\nBye.', STRINGS),
    "talk": ('The clusters are [["Ada", "her"], ["her aunt"]]. Shall I go on?', STRINGS),
    "the last": ('```\n[["x"]]\n```\nNo, rather:\n```\n[["Ada", "her"], ["her aunt"]]\n```', STRINGS),
    "named": ('{"A": ["Ada", "her"], "B": ["her aunt"]} ', {"A": ["Ada", "her"], "B": ["her aunt"]}),
    "records": ('[{"entity": "A", "mentions": ["Ada", "her"]}]', {"A": ["Ada", "her"]}),
    "texts": ('{"entities": [{"id": 7, "mentions": [{"text": "Ada"}, {"text": "her"}]}]}', {"7": ["Ada", "her"]}),
    "spans": ("```\n[[[0, 0], [3, 3]], [[3, 4]]]\n```", {"1": [(0, 0), (3, 3)], "2": [(3, 4)]}),
    "named spans": ('Yes: {"A": [[0, 0], [3, 3]]}', {"A": [(0, 0), (3, 3)]}),
    "crac": (
        'Yes:\n```json\n[{"doc_id": "d", "tokens": ["a", "b"], "clusters_token_offsets": [[[0, 1], [1, 1]]]}]\n```',
        {"e1": [(0, 1), (1, 1)]},
    ),
    "jsonlines": (
        'Yes:\n{"doc_key": "d", "tokens": ["a", "b"], "clusters": [[[0, 1], [1, 1]]]}',
        {0: [(0, 1), (1, 1)]},
    ),
}


@pytest.mark.parametrize("case", LISTS)
def test_clusters_as_json(tmp_path: Path, case: str) -> None:
    text, expected = LISTS[case]
    (tmp_path / "a.md").write_text(text)
    corpus = read(tmp_path / "a.md")
    assert corpus.clusters() == expected
    around = any(word in text for word in ("Sure", "Shall", "rather", "Yes"))
    assert {i.code for i in corpus.issues} == ({"left-out"} if around else set())


def test_clusters_of_several_documents(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"d/1": [["Ada", "her"]], "d/2": []}')
    (tmp_path / "b.md").write_text('# doc d/1\n[["Ada", "her"]]\n# doc d/2\nThere are none.\n')
    for name in ("a.json", "b.md"):
        corpus = read(tmp_path / name)
        assert [d.name for d in corpus.documents] == ["d/1", "d/2"] and corpus.clusters(0) == {"1": ["Ada", "her"]}


# ------------------------------------------------------------------------------------------------------------- repairs

REPAIRS = {  # what a model wrote, and the same repaired by hand
    "cut off within a mention": ("[Ada](1) saw [her](1) and [the old", "[Ada](1) saw [her](1) and the old"),
    "cut off within a label": ("[Ada](1) saw [her](1", "[Ada](1) saw [her](1)"),
    "cut off before a label": ("[Ada](1) saw [her](1) [aunt", "[Ada](1) saw [her](1) aunt"),
    "never opened": ("[Ada](1) saw her](1) .", "[Ada](1) saw her ."),
    "opened twice": ("[[Ada](1) saw [her](1) .", "[Ada](1) saw [her](1) ."),
    "closed twice": ("[Ada](1)](2) saw [her](1) .", "[Ada](1) saw [her](1) ."),
    "parenthesis": ("[Ada](1 saw [her](1) .", "[Ada](1) saw [her](1) ."),
    "no words": ("[Ada](1) saw [](2) [her](1) .", "[Ada](1) saw [her](1) ."),
    "numbers never closed": ("[Ada]1 saw [her]1 and [the", "[Ada](1) saw [her](1) and the"),
    "numbers never opened": ("[Ada]1 saw her]1 .", "[Ada](1) saw her ."),
    "bars": ("[Ada|1] saw [her|1] and [him", "[Ada](1) saw [her](1) and him"),
    "tags never closed": ("<m id=1>Ada</m> saw <m id=1>her</m> and <m id=2>him", "[Ada](1) saw [her](1) and him"),
    "tags never opened": ("<m id=1>Ada</m> saw <m id=1>her</m> and him</m> .", "[Ada](1) saw [her](1) and him ."),
    "a fence never closed": ("Here:\n```\n[Ada](1) saw [her](1) [x\n", "[Ada](1) saw [her](1) x"),
}


@pytest.mark.parametrize("case", REPAIRS)
def test_a_repaired_answer_is_the_one_repaired_by_hand(case: str, tmp_path: Path, run: Run) -> None:
    written, mended = REPAIRS[case]
    for name, text in (("key", mended), ("a", written), ("b", mended)):
        (tmp_path / f"{name}.md").write_text(f"{text}\n", "utf-8")
    options = ("--pair", "file", "--format", "json")
    refused = run("score", tmp_path / "key.md", tmp_path / "a.md", *options)
    assert refused.code == 3 and "--repair" in refused.err
    repaired = run("score", tmp_path / "key.md", tmp_path / "a.md", *options, "--repair")
    assert repaired.json["scores"] == run("score", tmp_path / "key.md", tmp_path / "b.md", *options).json["scores"]
    (issue,) = [issue for issue in repaired.json["issues"] if issue["code"] == "repaired"]
    assert (
        issue["count"] >= 1 and issue["places"][0].startswith(str(tmp_path / "a.md")) and "repaired (" in repaired.err
    )
    listed = run("validate", tmp_path / "a.md", "--format", "json")
    assert listed.out.count('"severity": "error"') == issue["count"]  # each of them has its place there


@examples(60)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(NOTATIONS)))
def test_no_damage_is_silent(seed: int, name: str) -> None:
    """Cut anywhere, marks lost or doubled: it is read, or an error; what is repaired is counted."""
    chance = random.Random(seed)
    text = NOTATIONS[name]
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(text))
        text = chance.choice(
            [text[:place], text[:place] + text[place + 1 :], text[:place] + text[place] + text[place:]]
        )
    text = f"# doc a\n{text}\n"
    with suppress(cl.InputError):
        FORMATS["inline"].module.read(Source(text.encode(), "a.md"))
    with repair():
        source = Source(text.encode(), "a.md")
        corpus = FORMATS["inline"].module.read(source)
    errors = [problem for problem in source.problems if problem.severity == "error"]
    assert sum(issue.count for issue in corpus.issues if issue.code == "repaired") == len(errors)


# ------------------------------------------------------------------------------------------------------------- LitBank

ANN = (
    "MENTION\tT0\t0\t0\t0\t0\tAnn\tPER\tPROP\nMENTION\tT1\t1\t1\t1\t2\ther dog\tPER\tNOM\n"
    "COREF\tT0\tann-1\nAPPOS\tT1\tT0\n"
)


def test_litbank(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(ANN)
    (tmp_path / "a.txt").write_text("Ann ran .\nSo her dog .\n")
    corpus = read(tmp_path / "a.tsv")
    assert (corpus.format, mentions(corpus)) == ("litbank", [("Ann", "ann-1"), ("her dog", "T1")])
    assert corpus.attributes == {"id": ["T0", "T1"], "type": ["PER", "PER"], "category": ["PROP", "NOM"]}
    (relation,) = corpus.relations
    assert (relation.kind, relation.mention, relation.anchor) == ("apposition", 1, 0)


def test_litbank_without_its_text(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(ANN)
    with pytest.raises(cl.InputError, match=r"a\.txt is missing"):
        read(tmp_path / "a.tsv")


def test_mistakes_in_litbank() -> None:
    source = Source(
        (
            b"MENTION\tT0\t0\t0\t0\t0\tBob\tPER\tPROP\nMENTION\tT1\t1\t1\t0\t2\tx\tPER\tNOM\nMENTION\tT2\t7\t1\t7\t2\tx\tPER\tNOM\n"
            b"MENTION\tT3\tx\t1\t7\t2\tx\tPER\tNOM\nCOREF\tT9\te\nWHAT\tT1\n"
        ),
        "a.tsv",
        sibling={"a.txt": b"Ann ran .\nSo her dog .\n"}.get,
        lenient=True,
    )
    from coreflens.formats.litbank import read as read_litbank

    read_litbank(source)
    assert [(p.code, p.line) for p in source.problems] == [
        ("text-mismatch", 1),
        ("span-order", 2),
        ("span-range", 3),
        ("syntax", 4),
        ("syntax", 6),
        ("dangling", 5),
    ]


@pytest.mark.parametrize("seed", seeds(3))
def test_fuzz_litbank(seed: int) -> None:
    survives(ANN.encode(), "litbank", seed, txt=b"Ann ran .\nSo her dog .\n")


def test_litbank_is_its_conll() -> None:
    paths = sorted((DATA / "litbank" / "tsv").glob("*.ann"))
    if not paths:
        pytest.skip("no litbank/tsv here")
    for path in paths:
        conll = DATA / "litbank" / "conll" / f"{path.stem}.conll"
        corpus = read(path)
        assert len(corpus) == path.read_text(encoding="utf-8").count("MENTION\t")
        assert cl.score(conll, path).conll == 1
