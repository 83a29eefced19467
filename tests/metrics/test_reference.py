"""coreflens against the naive reference: 1,000 random corpora, every metric and variant, under random options.

The corpora have nested and crossing spans, singletons, mentions repeated within and across entities, empty sides, and
documents that one side lacks. They reach coreflens as Python clusters, mention → entity maps, jsonlines or CoNLL files.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest

import coreflens as cl
import reference
from chance import SEED, seeds
from coreflens.metrics import METRICS, Metric
from reference import Outcome, Settings

CORPORA, CHUNK = 500, 25
Span: TypeAlias = tuple[int, int]
Side: TypeAlias = dict[str, dict[int, list[Span]]]  # document → entity → mentions, in order


@dataclass(frozen=True)
class Example:
    key: Side
    response: Side
    tokens: dict[str, int]
    settings: Settings
    route: str
    exact: bool


# ---- random corpora


def example(seed: int) -> Example:
    random = Random(seed)
    documents = [f"{random.choice('abc')}/{number}" for number in range(random.choice((1, 1, 2, 3, 5)))]
    tokens = {document: random.randint(1, 9) for document in documents}
    equal, repeated = random.random() < 0.4, random.random() < 0.4
    key: Side = {}
    response: Side = {}
    for document in documents:
        spans = [(a, b) for a in range(tokens[document]) for b in range(a, min(a + 4, tokens[document]))]
        pool = random.sample(spans, min(len(spans), random.randint(0, 9)))
        key[document] = partition(random, pool if equal else subset(random, pool))
        if random.random() < 0.3:  # a response that is nearly right
            response[document] = {label: list(entity) for label, entity in key[document].items()}
            if not equal:
                response[document] = partition(random, subset(random, pool), response[document])
        else:
            response[document] = partition(random, pool if equal else subset(random, pool))
        if repeated:
            repeat(random, key[document])
            repeat(random, response[document])
    extra = "error"
    if len(documents) > 1:
        if random.random() < 0.2:
            del response[random.choice(documents)]
        if random.random() < 0.2:
            del key[random.choice([d for d in documents if d in response])]
            extra = random.choice(("ignore", "count"))
            if not key.keys() & response.keys():  # nothing would be paired
                key = {document: {} for document in documents}
    settings = Settings(
        duplicates=random.choice(("first", "last")),
        singletons=random.choice(("keep", "keep", "drop", "drop-response")),
        blanc=random.choice(("luo2014", "perl")),
        undefined=random.choice(("zero", "zero", "nan", "popescu-belis")),
        average=random.choice(("micro", "macro")),
        extra=extra,
        scope=random.choice(("document", "document", "corpus", "genre")),
        weights=tuple((name, random.choice((0.0, 0.5, 1.0, 3.0))) for name in ("muc", "lea", "blanc", "pairs")),
    )
    if not any(weight for _, weight in settings.weights):
        settings = replace(settings, weights=Settings.weights)
    case = Example(key, response, tokens, settings, "clusters", random.random() < 0.2)
    routes = [route for route in ("clusters", "map", "jsonlines", "conll", "mixed") if possible(case, route)]
    if settings.scope != "document" and random.random() < 0.8:
        routes = [route for route in routes if route in LABELLED] or routes
    return replace(case, route=random.choice(routes))


def subset(random: Random, pool: list[Span]) -> list[Span]:
    share = random.choice((0.0, 0.5, 0.8, 1.0))
    return [span for span in pool if random.random() < share]


def partition(random: Random, mentions: list[Span], near: dict[int, list[Span]] | None = None) -> dict[int, list[Span]]:
    """A partition of the mentions, close to another one if there is one; entities may be empty."""
    home = {mention: label for label, entity in (near or {}).items() for mention in entity}
    entities = random.randint(1, 4)
    found: dict[int, list[Span]] = {label: [] for label in range(entities)}
    for mention in random.sample(mentions, len(mentions)):
        label = home.get(mention, random.randrange(entities)) if random.random() < 0.8 else len(found)
        found.setdefault(label, []).append(mention)
    return dict(sorted(found.items()))


def repeat(random: Random, entities: dict[int, list[Span]]) -> None:
    """Put up to three mentions a second time, into their own or another entity."""
    mentions = [mention for entity in entities.values() for mention in entity]
    for mention in random.choices(mentions, k=random.randint(0, 3)) if mentions else ():
        entity = entities[random.choice(list(entities))]
        entity.insert(random.randint(0, len(entity)), mention)


# ---- the ways into coreflens

LABELLED = ("map", "conll")  # an entity of one name in two documents is the same where the scope allows it


def all_mentions(side: Side) -> list[tuple[str, Span]]:
    return [(document, m) for document, entities in side.items() for e in entities.values() for m in e]


def repeats(side: Side) -> bool:
    return len(set(all_mentions(side))) < len(all_mentions(side))


def crosses(a: Span, b: Span) -> bool:
    return a[0] < b[0] <= a[1] < b[1] or b[0] < a[0] <= b[1] < a[1]


def possible(case: Example, route: str) -> bool:
    if route == "clusters":
        return True
    if route == "map":
        return not repeats(case.key) and not repeats(case.response)
    if not set(all_mentions(case.key)) & set(all_mentions(case.response)):
        return False  # files with no mention in common are refused
    # brackets pair last in, first out, so that mentions of one entity can't cross
    return route != "conll" or not any(
        crosses(a, b)
        for side in (case.key, case.response)
        for entities in side.values()
        for entity in entities.values()
        for a, b in combinations(entity, 2)
    )


def as_jsonlines(side: Side, tokens: dict[str, int]) -> str:
    lines = [
        {"doc_key": document, "sentences": [["x"] * tokens[document]], "clusters": list(entities.values())}
        for document, entities in side.items()
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def as_conll(side: Side, tokens: dict[str, int]) -> str:
    lines = []
    for document, entities in side.items():
        lines.append(f"#begin document ({document});")
        mentions = [(mention, label) for label, entity in entities.items() for mention in entity]
        for token in range(tokens[document]):
            closing = [f"{label})" for (a, b), label in mentions if a < b == token]
            opening = [
                f"({label}" + (")" if a == b else "")
                for (a, b), label in sorted(mentions, key=lambda m: -m[0][1])
                if a == token
            ]
            lines.append(f"{document}\t{token}\tx\t" + ("|".join(closing + opening) or "-"))
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


def as_input(case: Example, role: str, folder: Path) -> Any:
    side = case.key if role == "key" else case.response
    route = case.route if case.route != "mixed" else ("clusters" if role == "key" else "jsonlines")
    if route == "clusters":
        return {document: list(entities.values()) for document, entities in side.items()}
    if route == "map":
        maps: dict[str, Any] = {d: {m: label for label, e in es.items() for m in e} for d, es in side.items()}
        return maps | ({next(iter(maps)): []} if not any(maps.values()) else {})  # else it is one map, not documents
    text = as_jsonlines(side, case.tokens) if route == "jsonlines" else as_conll(side, case.tokens)
    path = folder / f"{role}.{route}"
    path.write_text(text, encoding="utf-8")
    return path


def expected_of(case: Example) -> dict[str, Outcome | None]:
    return reference.score(labelled(case, case.key), labelled(case, case.response), case.settings)


def labelled(case: Example, side: Side) -> reference.Corpus:
    """The side with labels that mean something, or with some that can't."""
    if case.route in LABELLED:
        return side
    return {d: {(d, label): e for label, e in es.items()} for d, es in side.items()}


def scored(case: Example, folder: Path) -> cl.Result:
    options = asdict(case.settings) | {"ids": "global"}  # ids here mean what they say
    key, response = (as_input(case, role, folder) for role in ("key", "response"))
    return cl.score(key, response, metrics="all", exact=case.exact, **options)


# ---- comparison


def check(found: cl.Score, expected: Outcome | None, exact: bool) -> None:
    metric = METRICS[found.metric]
    numbers = found.numbers()
    assert tuple(numbers) == metric.values
    if expected is None:  # it needs equal mention sets
        assert all(x != x for x in numbers.values()), found
        assert found.undefined == set(metric.values), found
        return
    assert numbers.keys() == expected.numbers.keys()
    assert found.undefined == expected.undefined, (found, expected)
    assert found.label == (" and ".join(sorted(expected.labels)) or None), (found, expected)
    for name, x in expected.numbers.items():
        ours = numbers[name]
        if x != x:
            assert ours != ours, (found, expected)
        elif exact and not getattr(metric, "irrational", False):
            assert isinstance(ours, Fraction), (found, name)
            assert ours == x, (found, expected)
        else:
            assert abs(float(ours) - float(x)) <= 1e-12, (found, expected)


def check_all(found: cl.Scores, expected: dict[str, Outcome | None], exact: bool) -> None:
    assert found.keys() == expected.keys() == METRICS.keys()
    for name, score in found.items():
        assert score.metric == name
        check(score, expected[name], exact)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, len(seeds(CORPORA)), CHUNK))
def test_random_corpora(start: int, tmp_path: Path) -> None:
    for seed in range(SEED + start, SEED + start + CHUNK):
        case = example(seed)
        try:
            result = scored(case, tmp_path)
            expected = expected_of(case)
            check_all(result, expected, case.exact)
            reported = Counter({issue.code: issue.count for issue in result.issues})
            assert reported["missing-documents"] == len(case.key.keys() - case.response.keys())
            assert reported["extra-documents"] == len(case.response.keys() - case.key.keys())
            refused = [issue for issue in result.issues if issue.code == "unequal-mentions"]
            assert len(refused) == list(expected.values()).count(None)
            if case.settings.scope == "document":
                check_views(case, result)
        except Exception as error:
            error.add_note(f"seed {seed}: {case}")
            raise


def check_views(case: Example, result: cl.Result) -> None:
    """By document and by genre: as if these were all there is."""
    alone = replace(case.settings, average="micro")
    documents = list(result.counts.labels)
    assert list(result.by_document()) == documents
    for document, scores in result.by_document().items():
        key, response = ({document: side.get(document, {})} for side in (case.key, case.response))
        check_all(scores, reference.score(labelled(case, key), labelled(case, response), alone), case.exact)
    genres = result.group_by("genre")
    assert genres.keys() == {document.split("/")[0] for document in documents}
    for genre, scores in genres.items():
        key, response = (
            {d: side.get(d, {}) for d in documents if d.split("/")[0] == genre} for side in (case.key, case.response)
        )
        check_all(scores, reference.score(labelled(case, key), labelled(case, response), case.settings), case.exact)


@pytest.mark.parametrize("start", range(0, len(seeds(CORPORA)), 10 * CHUNK))
def test_metrics_that_need_equal_mentions_refuse_others(start: int, tmp_path: Path) -> None:
    for seed in range(SEED + start, SEED + start + CHUNK):
        case = example(seed)
        given = asdict(case.settings) | ({"ids": "global"} if case.settings.scope != "document" else {})
        key, response = (as_input(case, role, tmp_path) for role in ("key", "response"))
        expected = expected_of(case)
        for name, metric in METRICS.items():
            if isinstance(metric, Metric) and metric.equal_mentions:
                idle = {"weights"} if name == "blanc-gold" else {"weights", "blanc"}
                options = {option: value for option, value in given.items() if option not in idle}
                if expected[name] is None:
                    with pytest.raises(cl.UsageError, match=f"{name} needs the same mentions"):
                        cl.score(key, response, metrics=[name], **options)
                else:
                    check(cl.score(key, response, metrics=[name], **options)[name], expected[name], False)


def test_the_corpora_have_everything() -> None:
    """What the docstring promises, and every option and outcome, occurs at least a few dozen times."""
    seen: Counter[str] = Counter()
    for seed in range(SEED, SEED + CORPORA):
        case = example(seed)
        seen[case.route] += 1
        seen[f"exact {case.exact}"] += 1
        for option, value in asdict(case.settings).items():
            if option not in ("weights", "extra"):
                seen[f"{option} {value}"] += 1
        if case.settings.scope != "document" and case.route in LABELLED:
            labels = [{label for label, e in es.items() if e} for es in case.key.values()]
            seen["entity in two documents"] += any(a & b for a, b in combinations(labels, 2))
        if case.key.keys() != case.response.keys():
            seen["missing" if case.key.keys() - case.response.keys() else f"extra {case.settings.extra}"] += 1
        seen["several documents"] += len(case.key) > 2
        for side in (case.key, case.response):
            entities = [set(e) for es in side.values() for e in es.values()]
            seen["empty document"] += any(not any(es.values()) for es in side.values())
            seen["singleton"] += any(len(e) == 1 for e in entities)
            seen["empty entity"] += any(not e for e in entities)
            seen["repeated within"] += any(len(set(e)) < len(e) for es in side.values() for e in es.values())
            seen["repeated across"] += any(
                set(a) & set(b) for es in side.values() for a, b in combinations(es.values(), 2)
            )
            for entities_of in side.values():
                spans = [m for e in entities_of.values() for m in e]
                seen["crossing"] += any(crosses(a, b) for a, b in combinations(spans, 2))
                seen["nested"] += any(a[0] < b[0] and b[1] < a[1] for a in spans for b in spans)
        seen["empty key"] += not all_mentions(case.key)
        seen["empty response"] += not all_mentions(case.response)
        seen["equal mentions"] += set(all_mentions(case.key)) == set(all_mentions(case.response))
    assert len(seen) == 37
    assert min(seen.values()) >= 12, seen.most_common()[-3:]


# ---- scorer.pl's way with repeated mentions


def chains(random: Random, mentions: list[int]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(random.randint(1, 4))]
    for mention in mentions:
        random.choice(found).append(mention)
    return [chain for chain in found if chain]


@pytest.mark.parametrize("seed", seeds(8))
def test_repeated_mentions_as_scorer_pl_counts_them(seed: int) -> None:
    """MUC and B³ of responses that repeat key mentions and spurious ones, within chains and across.

    The key may repeat a mention within a chain; one in two chains of the key has no meaning in any scorer.
    """
    random = Random(seed)
    differs = 0
    for _ in range(50):
        key = chains(random, random.sample(range(10), 7))
        for chain in key:
            chain += random.choices(chain, k=random.choice((0, 0, 0, 1, 2)))
        response = chains(random, random.choices(range(10), k=random.randint(1, 14)))
        result = cl.score(key, response, metrics=["muc", "bcub"], protocol="conll-2012", exact=True)
        for name, counts in (("muc", reference.perl_muc(key, response)), ("bcub", reference.perl_bcub(key, response))):
            assert result[name].counts == counts._asdict(), (name, key, response)
        plain = cl.score(key, response, metrics=["muc", "bcub"], exact=True)
        differs += any(plain[name].counts != result[name].counts for name in ("muc", "bcub"))
    assert differs > 10
