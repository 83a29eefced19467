"""The command and the function: parameters, mentions, trees and tables beside a text, the oracle, clear errors."""

from __future__ import annotations

from pathlib import Path

import pytest

import coreflens as cl
from command import Run
from coreflens.corpus.candidates import apart
from coreflens.errors import InputError, UsageError
from coreflens.formats import concatenate, conllu
from coreflens.formats.shared.builder import Builder
from coreflens.formats.shared.source import Source
from coreflens.resolvers import SYSTEMS, Mentions, SystemName, resolve
from coreflens.resolvers.analysis import read_phrases
from coreflens.resolvers.attachment import attach_trees, read_counts
from coreflens.resolvers.lexicon import lexicon
from coreflens.resolvers.model import Model
from coreflens.resolvers.names import names_of_text
from coreflens.resolvers.parameters import parameters, settings_of
from coreflens.resolvers.registry import candidates
from coreflens.resolvers.sieve import SieveSettings
from places import DATA, ROOT
from sentences import corpus, entities

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no third-party data in ../shared/data")
BYRON = DATA / "ontogum" / "conllu" / "GUM_bio_byron.conllu"
WSJ = DATA / "berkeley_ontonotes_sample" / "gold" / "nw" / "wsj" / "00"


# ------------------------------------------------------------------------------------------------------- parameters


def test_parameters_from_text() -> None:
    assert settings_of(SieveSettings, {}, "sieve") == SieveSettings()
    given = settings_of(SieveSettings, {"passes": "exact, pronoun", "window": "2"}, "sieve")
    assert (given.passes, given.window) == (("exact", "pronoun"), 2)
    assert settings_of(SieveSettings, {"passes": ("exact",)}, "sieve").passes == ("exact",)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("windw", "2", "did you mean 'window'"),
        ("window", "two", "window must be a whole number, 0 or more, not 'two'"),
        ("window", "1.5", "not '1.5'"),
        ("window", "-1", "window must be a whole number, 0 or more, not -1"),
        ("passes", "exact,pronouns", "did you mean 'pronoun'"),
        ("passes", "exact,exact", "contains a value twice"),
        ("words", "german", "unknown value of words 'german'"),
    ],
)
def test_broken_parameters(name: str, value: str, message: str, run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        settings_of(SieveSettings, {name: value}, "sieve")
    (tmp_path / "a.conll").write_text("#begin document (a); part 000\na 0 0 cat (1)\n\n#end document\n")
    ran = run("resolve", tmp_path / "a.conll", "-", "--system", "sieve", "--set", f"{name}={value}")
    assert (ran.code, message in ran.err) == (2, True)


def test_parameters_of_systems_without_any(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one-entity has no parameters"):
        resolve(corpus("[a/NN/0/root]"), "one-entity", parameters={"window": 3})
    (tmp_path / "a.conll").write_text("#begin document (a); part 000\na 0 0 cat (1)\n\n#end document\n")
    for wrong in ("window", "=3"):
        ran = run("resolve", tmp_path / "a.conll", "-", "--system", "sieve", "--set", wrong)
        assert (ran.code, "NAME=VALUE" in ran.err) == (2, True)


def test_systems_are_listed_and_shown(run: Run) -> None:
    listed = run("list", "systems").out
    for name, system in SYSTEMS.items():
        assert name in listed
        shown = run("show", name).out
        assert all(f"  {p.name}={p.default}" in shown and p.about in shown for p in parameters(system.settings))
    assert "lee2011" in run("show", "sieve").out


# --------------------------------------------------------------------------------------------------------- mentions


def detected(text: cl.Corpus) -> list[str]:
    found = candidates(text, "detected")
    return [found.words(row) for row in range(len(found))]


def test_detection_in_dependencies() -> None:
    text = corpus(
        "The/DT/3/det old/JJ/3/amod man/NN/6/nsubj from/IN/5/case Rome/NNP/3/nmod lost/VBD/0/root his/PRP$/8/nmod:poss "
        "hat/NN/6/obj ././6/punct"
    )
    assert detected(text) == ["The old man from Rome", "Rome", "his hat", "his"]
    text = corpus("Anna/NNP/4/nsubj and/CC/3/cc Tom/NNP/1/conj left/VBD/0/root")
    assert detected(text) == ["Anna and Tom", "Anna", "Tom"]


def test_detection_in_trees() -> None:
    text = corpus(
        "The/DT/(TOP(S(NP(NP* man/NN/*) from/IN/(PP* Rome/NNP/(NP*))) lost/VBD/(VP* his/PRP$/(NP* hat/NN/*))))",
        trees=True,
    )
    assert detected(text) == ["The man from Rome", "Rome", "his hat", "his"]


@pytest.mark.parametrize(
    "sentence",
    [
        "It/PRP/2/nsubj seems/VBZ/0/root that/IN/4/mark works/VBZ/2/ccomp",
        "It/PRP/3/nsubj is/VBZ/3/cop raining/VBG/0/root",
        "It/PRP/3/nsubj is/VBZ/3/cop clear/JJ/0/root that/IN/5/mark works/VBZ/3/csubj",
        "There/EX/2/expl is/VBZ/0/root",
        "no/DT/2/det man/NN/0/root",
        "12/CD/2/nummod %/NN/0/root",
        "someone/NN/0/root",
    ],
)
def test_what_is_no_mention(sentence: str) -> None:
    assert detected(corpus(sentence)) == []


def test_members_of_partitives_are_no_mentions() -> None:
    text = corpus("millions/NNS/0/root of/IN/3/case people/NNS/1/nmod")
    assert detected(text) == ["millions of people"]


def test_nothing_to_detect_mentions_in() -> None:
    for mentions in ("detected", "constituents", "phrases"):
        with pytest.raises(cl.InputError, match=r"no syntax|no trees"):
            resolve(corpus("[cat/NN]"), "sieve", mentions)


def test_sources_without_words_or_tokens() -> None:
    with pytest.raises(cl.InputError, match=r"no text|not spans of words"):
        resolve(cl.read([["a", "b"], ["c"]]), "sieve")


def test_what_a_source_lacks_is_reported() -> None:
    (issue, *_) = resolve(corpus("[cat/NN]"), "sieve").issues
    assert issue.code == "without"
    assert "trees and dependencies" in issue.message and "speakers" in issue.message


@needs_data
def test_mentions_detected_in_predicted_trees() -> None:
    """Within two points of the output of the Stanford system for the same two articles."""
    auto, gold = (concatenate([cl.read(f) for f in sorted(WSJ.glob(f"*{kind}_conll"))]) for kind in ("auto", "gold"))
    stanford = cl.read(DATA / "berkeley_ontonotes_sample/homogenised/stanford.homogenised.out")
    responses = [
        *(stanford, resolve(auto, "sieve", "detected"), resolve(auto, "oracle", "detected", key=gold)),
        resolve(auto, "oracle", "constituents", key=gold),
    ]
    theirs, ours, best, wider = (float(cl.score(gold, response).conll or 0) for response in responses)
    assert theirs - 0.02 <= ours < best < wider < 1


# ----------------------------------------------------------------------------------------------------------- oracle


YES, NO = {"pairs": 1, "probability": 1.0}, {"pairs": 1, "probability": 0.0}


WHATEVER = Model("tree", "english", {"tree": {"feature": "class", "above": 0.5, "yes": YES, "no": NO}}, {})
CONSTITUENTS = "berkeley_ontonotes_sample/gold/nw/wsj/00"  # files with trees


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "mentions"),
    [
        ("ontogum/conllu", "given"),
        ("ontogum/conllu", "detected"),
        ("gentle/ontogentle/conllu", "given"),
        ("gentle/ontogentle/conllu", "detected"),
        ("gentle/ontogentle/conll", "given"),
        ("gentle/ontogentle/tsv", "given"),
        ("litbank/conll", "given"),
        (CONSTITUENTS, "given"),
        (CONSTITUENTS, "detected"),
        (CONSTITUENTS, "phrases"),
    ],
)
def test_the_oracle_is_never_below_a_system(path: str, mentions: Mentions) -> None:
    """Neither over all documents nor in any of them."""
    files = sorted(f for f in (DATA / path).glob("*") if "auto" not in f.name)[:8]
    key = concatenate([cl.read(file) for file in files])
    best = cl.score(key, resolve(key, "oracle", mentions), metrics=["conll", "lea"])
    of_each = best.by_document()
    tagged = any(any(key.text.layers.get(layer, ())) for layer in ("pos", "upos"))
    for name, system in SYSTEMS.items():
        if not tagged and name in ("pronouns-together", "head-match"):
            continue  # they refuse texts without tags
        model = None if system.training is None else WHATEVER
        result = cl.score(key, resolve(key, name, mentions, model=model), metrics=["conll", "lea"])
        here = result.by_document()
        assert here.keys() == of_each.keys()
        for ours, ceiling in [(result, best), *((here[d], of_each[d]) for d in here)]:
            for metric in ("mentions", "muc", "bcub", "ceafe", "lea", "conll"):
                assert (ours[metric].main or 0) <= (ceiling[metric].main or 0), (name, metric)


ECB = DATA / "ecbplus_xml"


@pytest.mark.skipif(not ECB.is_dir(), reason="needs ../shared/data/ecbplus_xml")
@pytest.mark.parametrize("scope", ["corpus", "subtopic", "document"])
def test_the_lemma_baseline_against_a_plain_grouping(scope: str, tmp_path: Path) -> None:
    """Mentions of ECB+ by all of their words, in one dictionary."""
    key = cl.read(ECB)
    found = resolve(key, "lemma", parameters={"scope": scope, "by": "mention"})
    assert "437 mentions with words that have no lemma" in found.issues[-1].message
    kinds = key.attributes["kind"]
    groups: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
    for row, mention in enumerate(key):
        name = mention.document.name
        half = name.split("_")[0] + ("ecbplus" if name.endswith("ecbplus") else "ecb")
        where = {"corpus": "", "subtopic": half, "document": name}[scope]
        words = key.words(row).lower().replace(" ... ", " ")
        groups.setdefault((where, kinds[row], words), set()).add((name, mention.span))
    entities: dict[str, set[tuple[str, str]]] = {}
    for mention in found:
        entities.setdefault(str(mention.entity), set()).add((mention.document.name, mention.span))
    assert sorted(map(sorted, entities.values())) == sorted(map(sorted, groups.values()))
    cl.write(found, tmp_path / "out.csv")
    events = cl.score(ECB, tmp_path / "out.csv", protocol="ecbplus:event")
    assert events["mentions"].f1 == 1
    assert 0.2 < (events["muc"].f1 or 0) < 1


def test_lemmas_decide_where_there_are_some() -> None:
    words = [("ran", "run"), ("dog", "dog"), ("runs", "run"), ("cat", "")]
    tail = "X\t_\t_\t0\troot\t_\tEntity"
    lines = [f"{n}\t{word}\t{name or '_'}\t{tail}=(e{n})" for n, (word, name) in enumerate(words, 1)]
    text = "\n".join(["# global.Entity = eid", *lines, "", ""])
    found = resolve(conllu.read(Source(text.encode(), "a.conllu")), "lemma")
    entities = [str(mention.entity) for mention in found]
    assert entities[0] == entities[2]
    assert len(set(entities)) == 3
    assert found.issues[-1].message.startswith("1 mention with words that have no lemma")
    with pytest.raises(InputError, match="no words to compare lemmas"):
        resolve(cl.read([["a", "b"]]), "lemma")


def test_the_oracle_leaves_out_what_the_key_lacks_and_counts() -> None:
    key = corpus("[Anna/NNP/2/nsubj] saw/VBD/0/root [her/PRP$/4/nmod:poss cat/NN/2/obj]")
    found = resolve(key, "oracle", "detected")
    assert [found.words(row) for row in range(len(found))] == ["Anna", "her cat"]
    assert "2 of 2 mentions of the key are among the 3 available mentions" in found.issues[-1].message


def test_the_key_is_for_the_oracle_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("#begin document (a); part 000\na 0 0 cat (1)\n\n#end document\n")
    ran = run("resolve", tmp_path / "a.conll", "-", "--system", "sieve", "--key", tmp_path / "a.conll")
    assert (ran.code, "must not see the key" in ran.err) == (2, True)
    assert run("resolve", tmp_path / "a.conll", "-", "--system", "oracle", "--key", tmp_path / "a.conll").code == 0


# ------------------------------------------------------------------------------------------------ beside the text


TREE = "(ROOT\n  (NP (NP (NNP Anna))\n      (, ,) (NP (DT the) (NN mayor))))\n"


def test_trees_are_attached(tmp_path: Path) -> None:
    (tmp_path / "d.ptb").write_text(TREE)
    text = attach_trees(corpus("[Anna/NNP] ,/, [the/DT mayor/NN]"), tmp_path)
    assert list(text.text.layers["parse"]) == ["(ROOT(NP(NP*)", "*", "(NP*", "*)))"]
    assert entities(text, passes="precise")


@pytest.mark.parametrize(
    ("file", "tree", "message"),
    [
        ("e.ptb", TREE, "there are no trees for 'd'"),
        ("d.txt", TREE, "there are no trees here"),
        ("d.ptb", TREE.replace("mayor", "major"), r"d.ptb:3: the tree has 'major' where 'd' has 'mayor'"),
        ("d.ptb", TREE.replace(" (NN mayor)", ""), "end before its word 'mayor'"),
        ("d.ptb", TREE + "(X (UH oh))", "'oh' comes after the end of 'd'"),
        ("d.ptb", TREE[:-3], "never closed"),
        ("d.ptb", TREE.replace("mayor", "may(o)r"), r"d.ptb:3: a bracket inside the word 'may'"),
    ],
)
def test_trees_that_do_not_fit(file: str, tree: str, message: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(tree)
    with pytest.raises(cl.InputError, match=message):
        attach_trees(corpus("[Anna/NNP] ,/, [the/DT mayor/NN]"), tmp_path)


def test_trees_of_words_with_brackets(tmp_path: Path) -> None:
    tree = "(ROOT (NP (NNP d-LRB-ə-RRB-) (NN Governor-LRB-s-RRB-) (-RRB- 1-RRB-)))"
    (tmp_path / "d.ptb").write_text(tree, "utf-8")
    text = attach_trees(corpus("[d(ə)/NNP Governor(s)/NN 1)/CD]"), tmp_path)
    assert list(text.text.layers["parse"]) == ["(ROOT(NP*", "*", "*))"]


@pytest.mark.parametrize("bad", [TREE.replace("mayor", "major"), TREE[:-3], "(ROOT (NP (DT the) (NN d(o)g)))", None])
def test_a_bad_tree_costs_the_trees_of_one_document(bad: str | None, tmp_path: Path) -> None:
    rows = "".join(f"{{0}}\t0\t{n}\t{word}\t-\n" for n, word in enumerate(["Anna", ",", "the", "mayor"]))
    document = f"#begin document ({{0}}); part 000\n{rows}\n#end document\n"
    (tmp_path / "text.conll").write_text(document.format("a") + document.format("b"))
    trees = tmp_path / "trees"
    trees.mkdir()
    (trees / "b.ptb").write_text(TREE)
    if bad is not None:
        (trees / "a.ptb").write_text(bad)
    text = attach_trees(cl.read(tmp_path / "text.conll"), trees)
    assert list(text.text.layers["parse"]) == ["", "", "", "", "(ROOT(NP(NP*)", "*", "(NP*", "*)))"]
    (issue,) = [issue for issue in text.issues if issue.code == "trees"]
    assert "the trees of a document are left out" in issue.message


@needs_data
def test_trees_of_real_files_are_attached(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    ran = run("resolve", BYRON, out, "--system", "sieve", "--mentions", "detected", "--trees", DATA / "gum" / "const")
    assert ran.code == 0, ran.err
    assert (cl.score(BYRON, out).conll or 0) > 0.4


def test_number_and_gender_table(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("quillan\t1 30 2 0\nsomebody else\t5 5 5 5\n")
    text = corpus("[Quillan/NNP/0/root]", "[he/PRP/0/root]")
    assert entities(text)
    counts = read_counts(table, text)
    assert counts == {"quillan": [1, 30, 2, 0]}
    assert len(set(resolve(text, "sieve", counts=counts).entity.tolist())) == 2
    for wrong, message in (("quillan\t1 30\n", "table:1: not a line"), ("zora\t1 2 3 4\n", "none of the 1 line")):
        table.write_text(wrong)
        with pytest.raises(cl.InputError, match=message):
            read_counts(table, text)


@needs_data
@pytest.mark.parametrize("system", ["sieve", "oracle"])
@pytest.mark.parametrize(
    "file", ["litbank/conll/1023_bleak_house_brat.conll", "democrat_ancor/dem1921_sg.dev.conll.8docs.conll"]
)
def test_responses_of_other_texts_are_ready_to_score(run: Run, tmp_path: Path, system: SystemName, file: str) -> None:
    out = tmp_path / "out.conll"
    arguments = ["--set", "words=none"] if system == "sieve" and file.startswith("democrat") else []
    ran = run("resolve", DATA / file, out, "--system", system, *arguments)
    assert ran.code == 0, ran.err
    assert cl.score(DATA / file, out)["mentions"].recall == 1


@needs_data
def test_the_page_has_the_scores_of_today() -> None:
    """Of sieve and salience, on the texts that nothing was tuned on; python docs/resolvers_page.py writes it again."""
    page = (ROOT / "docs" / "resolvers.md").read_text("utf-8")
    key = cl.read(DATA / "ontogum" / "conllu")
    for name in ("sieve", "salience"):
        result = cl.score(key, resolve(key, name), metrics=["conll", "lea"])
        shown = [f"{100 * float(result[metric].f1 or 0):.1f}" for metric in ("muc", "bcub", "ceafe", "lea")]
        assert f"| `{name}` | {' | '.join(shown)} | {100 * float(result.conll or 0):.1f} [" in page
        assert all(p.about in page for p in parameters(SYSTEMS[name].settings))


# ------------------------------------------------------------------------------------------------------------ names


def test_a_name_that_is_not_closed_ends_nowhere_else(tmp_path: Path) -> None:
    """It is reported, and touches neither the next sentence nor the next document."""

    def document(name: str, first: str) -> str:
        rows = [("Anna", "NNP", first, "(1)"), ("left", "VBD", "*", "-"), ("Rome", "NNP", "(GPE)", "(2)")]
        rest = [("Ford", "NNP", "*", "(3)"), ("failed", "VBD", "*", "-")]
        lines = [f"#begin document ({name}); part 000"]
        for sentence in (rows, rest):
            lines += [f"{name} 0 {i} {w} {t} * - - - - {n} {c}" for i, (w, t, n, c) in enumerate(sentence)] + [""]
        return "\n".join([*lines, "#end document", ""])

    (tmp_path / "in.conll").write_text(document("a", "(PERSON*") + document("b", "*"))
    text = cl.read(tmp_path / "in.conll")
    found = names_of_text(text.text)
    assert found.types == {(2, 2): "GPE", (7, 7): "GPE"} and found.innermost() == {2: "GPE", 7: "GPE"}
    assert [
        issue.message.split("; resolved")[0] for issue in resolve(text, "sieve").issues if issue.code == "names"
    ] == ["in the column of named entities: 1 name not closed in the same sentence"]
    types = {p.words: p.traits.type for p in read_phrases(apart(text), lexicon("english")).phrases if p.doc == 1}
    assert types[("ford",)] == frozenset()


def test_nested_names() -> None:
    builder = Builder(Source(b"", "x.conll"), "conll")
    builder.document("d")
    for place, cell in enumerate(["(ORG(GPE)", "*", "*)", "*)"]):
        builder.token(f"w{place}", place + 1, False, names=cell)
    found = names_of_text(builder.build().text)
    assert found.types == {(0, 0): "GPE", (0, 2): "ORG"}
    assert found.innermost() == {0: "GPE", 1: "ORG", 2: "ORG"}
    assert "1 closing bracket without a name" in found.issues[0].message
