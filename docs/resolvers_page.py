"""docs/resolvers.md: the systems, and what they score on texts they have not seen.

    python docs/resolvers_page.py

The texts are third-party data beside the repository. Training and cross-validation take a minute or two, so pages.py
does not write this page. A test compares its main numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill

import coreflens as cl
from coreflens.formats import concatenate
from coreflens.resolvers import SYSTEMS, SystemName, resolve, train
from coreflens.resolvers.attachment import attach_trees
from coreflens.resolvers.model import Model
from coreflens.resolvers.parameters import parameters
from coreflens.resolvers.passes import PASSES

DATA = Path(__file__).parents[2] / "shared" / "data"
PAGE = Path(__file__).parent / "resolvers.md"
LEARNED: SystemName = "mention-pair"
SHOWN: tuple[SystemName, ...] = ("exact-match", "head-match", "salience", "mention-pair", "sieve")
FOLDS, RESAMPLES, SEED = 5, 2000, 7
_METRICS = ("muc", "bcub", "ceafe", "conll", "lea")

INTRODUCTION = """
# Systems to evaluate

`coreflens resolve` has resolvers that are small enough to read. They are baselines and examples for teaching, not the
state of the art. With them you can repeat the experiments of the papers, get responses to compare with, and see how a
metric scores a system whose behaviour you know. `python docs/resolvers_page.py` writes this page from third-party texts
that are not part of the repository.

All systems read any format with words and use the layers that are there: tags, dependencies, trees (also trees in files
of their own, `--trees DIR`), names, speakers, and a number and gender table (`--gender FILE`). A note says which layers
are missing. The word lists are small English files of coreflens. `--set words=none` leaves them out. Texts in other
languages are resolved by their tags and morphological features alone.

`--jobs N` resolves documents in N processes. The response is the same for every N. By default `mention-pair` uses all
cores for long texts. The other systems spend most of their time on reading the text, which a single process does. So
more processes rarely help. The baselines and the oracle always use one process. On a terminal, a bar shows progress.

The cost grows with the number of mentions of a document, not with the number of their pairs. `sieve` and `salience`
look only at mentions that share what a rule asks for, or that are within the window. `mention-pair` compares a mention
with the closest one before it, then with the next closest, and stops at the first that fits. So only a mention without
an antecedent is compared with all mentions before it. For a book with 34,000 mentions in one document, `sieve` and
`salience` take less than half a minute each, and `mention-pair` takes about a minute.
"""

HONESTY = """
## What they score

Rules and parameters were chosen by their scores on the 60 texts of the training part of OntoGUM. `mention-pair` is also
trained on them. The numbers below are for the eight texts of the development part, with the mentions of the key given.
These texts were not completely unseen. They were scored a few times during development. Work on a system stopped soon
after it had reached its target. The rule for "you guys" was written after looking at their errors. So the numbers may
be somewhat too high. The numbers for cross-validation and for unseen texts below are the honest ones. CoNLL has a 95 %
interval from 2,000 bootstrap samples of documents. Eight documents are few, so the intervals are wide.
"""


def page() -> str:
    """The whole page."""
    key, seen = cl.read(DATA / "ontogum" / "conllu"), cl.read(DATA / "ontogum_train" / "conllu")
    model = train(seen, LEARNED)
    responses = {name: resolve(key, name, model=model if name == LEARNED else None) for name in SHOWN}
    results = {name: cl.score(key, response, metrics=list(_METRICS)) for name, response in responses.items()}
    parts = [INTRODUCTION, *(_system(name) for name in ("sieve", "mention-pair", "salience", "oracle"))]
    parts += [HONESTY, _overall(results), _passes(key), "### By genre", _genres(results)]
    parts += ["### Unseen texts", _unseen(model), "### Cross-validation", _validated(seen)]
    parts += ["### Mentions detected", _detected(key)]
    parts += ["### Errors by class", _errors(key, {n: responses[n] for n in ("salience", "mention-pair", "sieve")})]
    text = "\n\n".join(_wrapped(p) for part in parts for p in part.strip().split("\n\n")) + "\n"
    return text.replace("\n \n", "\n\n")  # blank lines of docstrings, which are no paragraphs of the page


def _wrapped(paragraph: str) -> str:
    if paragraph.startswith(("|", "#", "```", "    ")):
        return paragraph
    return fill(" ".join(paragraph.split()), 120, break_long_words=False, break_on_hyphens=False)


def _system(name: SystemName) -> str:
    system = SYSTEMS[name]
    rows = [[f"`{p.name}`", f"`{p.default}`", p.about] for p in parameters(system.settings)]
    table = [_table(["parameter", "default", ""], rows)] if rows else []
    if system.training is not None:
        rows = [[f"`{p.name}`", f"`{p.default}`", p.about] for p in parameters(system.training)]
        table.append(_table(["parameter of training", "default", ""], rows))
    return "\n\n".join([f"## `{name}`", f"```text\n{system.doc.strip()}\n```".replace("\n\n", "\n \n"), *table])


def _point(number: object) -> str:
    return "n/a" if number is None else f"{100 * float(number):.1f}"  # type: ignore[arg-type]


def _interval(result: cl.Result) -> str:
    found = result.bootstrap(RESAMPLES, seed=SEED).main("conll")
    return f"{_point(result.conll)} [{_point(found.low)}, {_point(found.high)}]"


def _overall(results: Mapping[SystemName, cl.Result]) -> str:
    rows = [
        [f"`{name}`", *(_point(r[m].f1) for m in ("muc", "bcub", "ceafe", "lea")), _interval(r)]
        for name, r in results.items()
    ]
    return _table(["system", "MUC", "B³", "CEAFe", "LEA", "CoNLL"], rows)


def _passes(key: cl.Corpus) -> str:
    """What the sieve scores after each of its passes."""
    rows, names = [], list(PASSES)
    for n in range(len(names) + 1):
        r = cl.score(key, resolve(key, "sieve", parameters={"passes": names[:n]}), metrics=list(_METRICS))
        muc = r["muc"]
        what = f"+ `{names[n - 1]}`" if n else "no pass"
        rows.append([what, _point(muc.recall), _point(muc.precision), *(_point(r[m].main) for m in ("bcub", "conll"))])
    text = "The sieve, one pass after the other. Recall grows. The last pass adds by far the most and costs precision."
    return f"### Pass by pass\n\n{text}\n\n" + _table(["passes so far", "MUC R", "MUC P", "B³", "CoNLL"], rows)


def _genres(results: Mapping[SystemName, cl.Result]) -> str:
    grouped = {name: result.group_by("genre") for name, result in results.items()}
    genres = list(next(iter(grouped.values())))
    rows = [[genre, *(_point(found[genre].conll) for found in grouped.values())] for genre in genres]
    text = "CoNLL for one text of each genre. With one text there is no interval."
    return f"{text}\n\n" + _table(["genre", *(f"`{name}`" for name in grouped)], rows)


def _unseen(model: Model) -> str:
    """Scores on texts that were first scored when all rules and parameters were fixed."""
    texts = {
        "OntoGENTLE: a poem and a dictionary, with dependencies": cl.read(DATA / "gentle" / "ontogentle" / "conllu"),
        "LitBank: novels, words alone": cl.read(DATA / "litbank" / "conll"),
    }
    rows = []
    for about, key in texts.items():
        of = f"{about} ({len(key.documents)} texts, {len(key):,} mentions)"
        for name in ("exact-match", "salience", "mention-pair", "sieve"):
            result = cl.score(key, resolve(key, name, model=model if name == LEARNED else None), metrics=list(_METRICS))
            rows.append([of, f"`{name}`", *(_point(result[m].f1) for m in ("muc", "bcub", "ceafe")), _interval(result)])
            of = ""
    text = """
These texts played no part in development: no rule, word list or parameter was changed after they were first scored.
Mentions are given. The genres of OntoGENTLE were chosen to be hard. Two texts say little, so the interval is only a
hint. LitBank has words and nothing else, so it shows what the systems do without tags, syntax and names. It also marks
singletons, which the training texts do not.
"""
    return text.strip() + "\n\n" + _table(["text", "system", "MUC", "B³", "CEAFe", "CoNLL"], rows)


def _validated(seen: cl.Corpus) -> str:
    """Mention pairs on the training texts, each resolved by a model that has not seen it; the others unchanged."""
    parts = []
    for fold in range(FOLDS):
        held = [d for d in range(len(seen.documents)) if d % FOLDS == fold]
        model = train(concatenate([seen.only(d) for d in range(len(seen.documents)) if d % FOLDS != fold]), LEARNED)
        parts.append(resolve(concatenate([seen.only(d) for d in held]), LEARNED, model=model))
    whole = concatenate(parts)
    responses = {
        "mention-pair": whole,
        "salience": resolve(seen, "salience"),
        "sieve": resolve(seen, "sieve"),
    }
    results = {name: cl.score(seen, response, metrics=list(_METRICS)) for name, response in responses.items()}
    grouped = {name: result.group_by("genre") for name, result in results.items()}
    genres = sorted(next(iter(grouped.values())))
    rows = [[genre, *(_point(found[genre].conll) for found in grouped.values())] for genre in genres]
    rows.append(["all", *(_interval(result) for result in results.values())])
    text = f"""
CoNLL on the 60 training texts, four of each genre. `mention-pair` is cross-validated in {FOLDS} parts: each text is
resolved by a model that has not seen it. `salience` and `sieve` learn nothing, but their rules were chosen on these
texts. So their numbers here are not numbers for unseen texts.
"""
    return text.strip() + "\n\n" + _table(["genre", *(f"`{name}`" for name in grouped)], rows)


def _detected(key: cl.Corpus) -> str:
    """Mentions found by the rules of the sieve: in predicted trees of two articles, and in dependencies and trees."""
    folder = DATA / "berkeley_ontonotes_sample"
    auto, gold = (_together(sorted((folder / "gold").rglob(f"*{kind}_conll"))) for kind in ("auto", "gold"))
    rows = []

    def add(text: str, what: str, truth: cl.Corpus, response: cl.Corpus) -> None:
        r = cl.score(truth, response)
        rows.append([text, what, *(_point(x) for x in (r["mentions"].recall, r["mentions"].precision, r.conll))])

    news = "two WSJ articles, predicted trees"
    add(news, "Stanford, as published", gold, cl.read(folder / "homogenised" / "stanford.homogenised.out"))
    add(news, "`sieve`", gold, resolve(auto, "sieve", "detected"))
    add(news, "`oracle`, mentions detected", gold, resolve(auto, "oracle", "detected", key=gold))
    add(news, "`oracle`, all constituents", gold, resolve(auto, "oracle", "constituents", key=gold))
    with_trees = attach_trees(key, DATA / "gum" / "const")
    for text, corpus in (("OntoGUM, dependencies", key), ("OntoGUM, gold trees attached", with_trees)):
        add(text, "`sieve`", key, resolve(corpus, "sieve", "detected"))
        add(text, "`oracle`, mentions detected", key, resolve(corpus, "oracle", "detected"))
    text = """
`--mentions detected` takes the mentions that the rules of the sieve find in trees or dependencies. The oracle shows
the best possible score with given candidates: the detected mentions, or all constituents of the trees. Its mention
recall is the share of the key's mentions that are among the candidates. Mentions that are not constituents are lost.
"""
    return text.strip() + "\n\n" + _table(["text", "system", "mentions R", "mentions P", "CoNLL"], rows)


def _together(files: Iterable[Path]) -> cl.Corpus:
    return concatenate([cl.read(file) for file in files])


def _errors(key: cl.Corpus, responses: Mapping[SystemName, cl.Corpus]) -> str:
    """How many errors of each class, from `coreflens diagnose`, with the mentions of the key given."""
    counts = {name: cl.diagnose(key, response).counts() for name, response in responses.items()}
    classes = list(dict.fromkeys(kind for found in counts.values() for kind in found))
    some = (kind for kind in classes if any(found[kind] for found in counts.values()))
    rows = [[kind, *(str(found[kind]) for found in counts.values())] for kind in some]
    text = """
These are the errors on the eight texts, counted by `coreflens diagnose`. With given mentions there are two classes:
entities that are divided, and entities that are conflated.
"""
    return text.strip() + "\n\n" + _table(["class", *(f"`{name}`" for name in counts)], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    numbers = ["---" if i == 0 else "---:" for i in range(len(head))]
    if head[1] in ("default", "system"):
        numbers[1] = "---"
    if head[-1] == "":
        numbers[-1] = "---"
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, numbers, *rows])


if __name__ == "__main__":
    if not DATA.is_dir():
        sys.exit("docs/resolvers.md needs the texts in ../shared/data")
    PAGE.write_text(page(), "utf-8")
