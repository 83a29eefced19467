"""The sieve: a case for and a case against each pass, what mentions are like, and what holds on any text."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

import coreflens as cl
from coreflens.corpus.candidates import apart
from coreflens.corpus.model import Corpus
from coreflens.resolvers import resolve
from coreflens.resolvers.analysis import Phrase, read_phrases
from coreflens.resolvers.lexicon import lexicon
from coreflens.resolvers.passes import PASSES, PassName
from coreflens.resolvers.traits import NOTHING, Traits, agree, compatible
from places import DATA, ROOT
from sentences import corpus, entities

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no third-party data in ../shared/data")


def phrases(text: Corpus) -> dict[str, Phrase]:
    found = apart(text)
    return {found.words(p.row): p for p in read_phrases(found, lexicon("english")).phrases}


# ------------------------------------------------------------------------------------------------------- attributes


def test_values_agree_unless_each_has_another() -> None:
    one, two = frozenset(("singular",)), frozenset(("plural",))
    assert agree(one, one) and agree(one, NOTHING) and agree(one | two, two)
    assert not agree(one, two)
    assert compatible(Traits(gender=frozenset(("male",))), Traits(number=one))
    assert not compatible(Traits(gender=frozenset(("male",))), Traits(gender=frozenset(("female",))))


@pytest.mark.parametrize(
    ("mention", "number", "gender", "animacy", "type_"),
    [
        ("[she/PRP/0/root]", {"singular"}, {"female"}, {"animate"}, set()),
        ("[it/PRP/0/root]", {"singular"}, {"neuter"}, {"inanimate"}, set()),
        ("[they/PRP/0/root]", {"plural"}, set(), set(), set()),
        ("[the/DT/2/det king/NN/0/root]", {"singular"}, {"male"}, {"animate"}, {"person"}),
        ("[the/DT/2/det queens/NNS/0/root]", {"plural"}, {"female"}, {"animate"}, {"person"}),
        ("[the/DT/2/det doctor/NN/0/root]", {"singular"}, set(), {"animate"}, {"person"}),
        ("[the/DT/2/det team/NN/0/root]", {"singular", "plural"}, {"neuter"}, {"inanimate"}, {"organization"}),
        ("[the/DT/2/det table/NN/0/root]", {"singular"}, {"neuter"}, {"inanimate"}, set()),
        ("[Anna/NNP/0/root Berg/NNP/1/flat]", {"singular"}, {"female"}, {"animate"}, {"person"}),
        ("[Mr./NNP/2/compound Ortega/NNP/0/root]", {"singular"}, {"male"}, {"animate"}, {"person"}),
        ("[John/NNP/3/nmod 's/POS/1/case book/NN/0/root]", {"singular"}, {"neuter"}, {"inanimate"}, set()),
        ("[Anna/NNP/0/root and/CC/3/cc Tom/NNP/1/conj]", {"plural"}, set(), set(), set()),
        ("[resigned/VBD/0/root]", {"singular"}, {"neuter"}, {"inanimate"}, set()),
    ],
)
def test_attributes(mention: str, number: set[str], gender: set[str], animacy: set[str], type_: set[str]) -> None:
    (phrase,) = phrases(corpus(mention)).values()
    assert phrase.traits.number == number
    assert phrase.traits.gender == gender
    assert phrase.traits.animacy == animacy
    assert phrase.traits.type == type_


def test_person_and_named_types() -> None:
    assert phrases(corpus("[I/PRP/0/root]"))["I"].traits.person == {"first"}
    assert phrases(corpus("[Acme/NNP/0/root]", names={"Acme": "ORG"}))["Acme"].traits.type == {"organization"}


def test_a_gender_table_tells_the_gender_of_names() -> None:
    found = apart(corpus("[Quillan/NNP/0/root]"))
    (known,) = read_phrases(found, lexicon("english"), {"quillan": (1, 30, 2, 0)}).phrases
    (unknown,) = read_phrases(found, lexicon("english"), {"quillan": (9, 10, 2, 0)}).phrases
    assert known.traits.gender == {"female"}
    assert unknown.traits.gender == NOTHING


def test_other_languages_have_morphological_features() -> None:
    text = corpus("[elle/PRON/0/root]", "[la/DET/2/det table/NOUN/0/root]")
    layers = {**text.text.layers, "feats": ["Gender=Fem|Number=Sing|Person=3", "", "Gender=Fem|Number=Sing"]}
    text = replace(text, texts=replace(text.text, layers=layers))
    she, table = read_phrases(apart(text), lexicon("none")).phrases
    assert she.traits.gender == table.traits.gender == {"female"}
    assert she.traits.person == {"third"}


# ----------------------------------------------------------------------------------------------------------- passes

CASES: dict[PassName, tuple[tuple[tuple[str, ...], dict[str, object], set[frozenset[str]]], ...]] = {
    "speaker": (
        (
            ("[I/PRP/2/nsubj] know/VBP/0/root [you/PRP/2/obj]", "[I/PRP/2/nsubj] know/VBP/0/root"),
            {"speakers": ("Ann", "Ann")},
            {frozenset({"I@0", "I@3"})},
        ),
        (
            ("[I/PRP/2/nsubj] know/VBP/0/root [you/PRP/2/obj]", "[I/PRP/2/nsubj] know/VBP/0/root"),
            {"speakers": ("Ann", "Bob")},
            {frozenset({"you@2", "I@3"})},
        ),
        (
            ("``/``/0/root [I/PRP/3/nsubj] sleep/VBP/5/ccomp ''/''/3/punct said/VBD/0/root [Ann/NNP/5/nsubj]",),
            {},
            {frozenset({"I@1", "Ann@5"})},
        ),
    ),
    "exact": (
        (("[The/DT/2/det cat/NN/0/root]", "[the/DT/2/det cat/NN/0/root]"), {}, {frozenset({"The cat@0", "the cat@2"})}),
        (
            ("[the/DT/2/det cat/NN/0/root]", "[a/DT/2/det cat/NN/0/root]", "[it/PRP/0/root]", "[it/PRP/0/root]"),
            {},
            set(),
        ),
    ),
    "relaxed": (
        (
            ("[the/DT/2/det man/NN/0/root from/IN/4/case Rome/NNP/2/nmod]", "[The/DT/2/det man/NN/0/root]"),
            {},
            {frozenset({"the man from Rome@0", "The man@4"})},
        ),
        (("[the/DT/3/det old/JJ/3/amod man/NN/0/root]", "[the/DT/2/det man/NN/0/root]"), {}, set()),
    ),
    "precise": (
        (
            ("[Anna/NNP/0/root] ,/,/4/punct [the/DT/4/det mayor/NN/1/appos]",),
            {},
            {frozenset({"Anna@0", "the mayor@2"})},
        ),
        (
            ("[Anna/NNP/4/nsubj] is/VBZ/4/cop [a/DT/4/det mayor/NN/0/root]",),
            {},
            {frozenset({"Anna@0", "a mayor@2"})},
        ),
        (
            ("[the/DT/2/det man/NN/0/root] [who/WP/4/nsubj] left/VBD/2/acl:relcl",),
            {},
            {frozenset({"the man@0", "who@2"})},
        ),
        (
            ("[United/NNP/2/amod Nations/NNPS/0/root]", "[UN/NNP/0/root]", "[UK/NNP/0/root]"),
            {},
            {frozenset({"United Nations@0", "UN@2"})},
        ),
        (("[Norway/NNP/0/root]", "[Norwegians/NNPS/0/root]"), {}, {frozenset({"Norway@0", "Norwegians@1"})}),
        (("[Anna/NNP/2/nsubj] saw/VBD/0/root [the/DT/4/det mayor/NN/2/obj]",), {}, set()),
    ),
    "head-a": (
        (
            ("[the/DT/3/det big/JJ/3/amod dog/NN/0/root]", "[this/DT/2/det dog/NN/0/root]"),
            {},
            {frozenset({"the big dog@0", "this dog@3"})},
        ),
        (("[this/DT/2/det dog/NN/0/root]", "[the/DT/3/det big/JJ/3/amod dog/NN/0/root]"), {}, set()),
        (("[the/DT/2/det dog/NN/0/root of/IN/5/case [the/DT/5/det dog/NN/2/nmod]]",), {}, set()),
    ),
    "head-b": (
        (
            (
                "[the/DT/2/det plan/NN/0/root for/IN/5/case big/JJ/5/amod cities/NNS/2/nmod]",
                "[the/DT/3/det big/JJ/3/amod plan/NN/0/root]",
            ),
            {},
            {frozenset({"the plan for big cities@0", "the big plan@5"})},
        ),
        (("[the/DT/2/det plan/NN/0/root]", "[the/DT/3/det big/JJ/3/amod plan/NN/0/root]"), {}, set()),
    ),
    "head-c": (
        (
            ("[this/DT/2/det plan/NN/0/root]", "[the/DT/2/det plan/NN/0/root for/IN/4/case cities/NNS/2/nmod]"),
            {},
            {frozenset({"this plan@0", "the plan for cities@2"})},
        ),
        (("[the/DT/2/det plan/NN/0/root]", "[new/JJ/2/amod plan/NN/0/root]"), {}, set()),
        (
            ("[a/DT/2/det plan/NN/0/root]", *["no/DT/0/root"] * 3, "[the/DT/3/det new/JJ/3/amod plan/NN/0/root]"),
            {},
            set(),
        ),
    ),
    "proper": (
        (
            ("[Berg/NNP/0/root]", "[Anna/NNP/0/root Berg/NNP/1/flat]"),
            {},
            {frozenset({"Berg@0", "Anna Berg@1"})},
        ),
        (("[Korea/NNP/0/root]", "[South/NNP/2/compound Korea/NNP/0/root]"), {}, set()),
        (("[Anna/NNP/0/root Berg/NNP/1/flat]", "[Tom/NNP/0/root Berg/NNP/1/flat]"), {}, set()),
    ),
    "relaxed-head": (
        (
            ("[Delta/NNP/2/compound Airlines/NNP/0/root]", "[Delta/NNP/0/root]"),
            {},
            {frozenset({"Delta Airlines@0", "Delta@2"})},
        ),
        (("[Delta/NNP/2/compound Airlines/NNP/0/root]", "[United/NNP/0/root]"), {}, set()),
    ),
    "pronoun": (
        (
            (
                "[The/DT/2/det queen/NN/3/nsubj] met/VBD/0/root [the/DT/5/det king/NN/3/obj]",
                "[She/PRP/2/nsubj] spoke/VBD/0/root",
            ),
            {},
            {frozenset({"The queen@0", "She@5"})},
        ),
        (("[Anna/NNP/2/nsubj] saw/VBD/0/root [her/PRP/2/obj]",), {}, set()),
        (("[Anna/NNP/2/nsubj] saw/VBD/0/root [herself/PRP/2/obj]",), {}, {frozenset({"Anna@0", "herself@2"})}),
        (
            ("They/PRP/2/nsubj [won/VBD/0/root] [the/DT/4/det race/NN/2/obj]", "[That/DT/2/nsubj] helped/VBD/0/root"),
            {},
            {frozenset({"won@1", "That@4"})},
        ),
    ),
}


@pytest.mark.parametrize("name", PASSES)
def test_passes(name: PassName) -> None:
    for sentences, layers, expected in CASES[name]:
        text = corpus(*sentences, **layers)  # type: ignore[arg-type]
        assert entities(text, passes=name) == expected, (name, sentences)


def test_every_pass_has_its_cases() -> None:
    assert set(CASES) == set(PASSES) == set(get_args(PassName))


def test_pronouns_look_back_as_far_as_the_window() -> None:
    text = corpus("[Anna/NNP/0/root]", "no/DT/0/root", "no/DT/0/root", "[she/PRP/0/root]")
    assert entities(text, window=3)
    assert not entities(text, window=2)


def test_attributes_of_an_entity_unify() -> None:
    """Berg may be anyone, until a first pass has made her Anna Berg; then "he" is nobody's."""
    text = corpus("[Anna/NNP/0/root Berg/NNP/1/flat]", "[Berg/NNP/0/root]", "[he/PRP/0/root]")
    assert entities(text) == {frozenset({"Anna Berg@0", "Berg@2"})}
    assert entities(text, passes="pronoun") == {frozenset({"Berg@2", "he@3"})}


def test_trees_do_where_there_are_no_dependencies() -> None:
    text = corpus("[Anna/NNP/(TOP(NP(NP*)] ,/,/* [the/DT/(NP* mayor/NN/*)))]", trees=True)
    assert entities(text, passes="precise") == {frozenset({"Anna@0", "the mayor@2"})}


# ------------------------------------------------------------------------------------------------------ on any text


@needs_data
def test_no_passes_no_links() -> None:
    key = cl.read(DATA / "ontogum" / "conllu" / "GUM_bio_byron.conllu")
    response = resolve(key, "sieve", parameters={"passes": ""})
    assert len(set(response.entity.tolist())) == len(response) == len(key)


@needs_data
def test_scores_on_texts_that_nothing_was_tuned_on() -> None:
    key = cl.read(DATA / "ontogum" / "conllu")
    sieve, oracle = (cl.score(key, resolve(key, system)).conll for system in ("sieve", "oracle"))
    assert oracle == 1
    assert 0.74 <= sieve < oracle


@needs_data
def test_the_order_of_documents_and_other_documents_change_nothing() -> None:
    whole = cl.read(DATA / "ontogum" / "conllu")
    response = resolve(whole, "sieve")
    for d in (0, 5):
        alone = resolve(whole.only(d), "sieve")
        one, other = ({frozenset(c) for c in found.values()} for found in (alone.clusters(0), response.clusters(d)))
        assert one == other


def test_word_lists_are_ours_and_do_not_contradict_themselves() -> None:
    folder = ROOT / "src" / "coreflens" / "resolvers" / "words"
    for file in folder.glob("*.txt"):
        head = " ".join(line.lstrip("# ") for line in file.read_text("utf-8").splitlines() if line.startswith("#"))
        assert "Origin: written for coreflens" in head, file
        assert "Apache-2.0" in head, file
    words = lexicon("english")
    for name in ("persons", "names"):
        assert not words.section(name, "male") & words.section(name, "female")
    assert "american" in words.named("united states") and "company" in words.synonyms("firm")
    assert lexicon("none").section("persons", "male") == lexicon("none").named("france") == frozenset()
