"""A row for every option of every command: a value, and an input made for it, so that one sees whether it acts.

`CASES` lists the commands with their modes. `ROWS` has the tries of each option: the option acts if one of its tries
changes what the command prints or writes. A row for one command alone is named `command option`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import anaphora_cases
import corefud_cases
from coreflens.corpora.conversion import convert
from coreflens.corpora.prompts import prompts
from coreflens.engines.choice import score
from coreflens.estimates import sample
from coreflens.experiments.history import add_stage
from coreflens.studies.questions import make_quiz
from corefud_damage import conllu


class Try(NamedTuple):
    """An option with a value; `base` is what it needs, and `files` names the input."""

    given: str
    base: str = ""
    files: str = "plain"


class Case(NamedTuple):
    """A command in one of its modes. `arguments` has {key}, {response} and {other}, and writes below out/."""

    command: str
    arguments: str
    mode: str = ""  # the name of the mode's class, for commands that have several
    options: str = ""  # what asks for the mode
    files: str = ""  # the input of all tries, if it is not that of the try


def document(name: str, *sentences: str, part: int = 0) -> str:
    """A CoNLL document. Each word of a sentence is followed by / and its cell, if it has one."""
    lines = [f"#begin document ({name}); part {part:03}"]
    for sentence in sentences:
        for place, word in enumerate(sentence.split()):
            form, _, cell = word.partition("/")
            lines.append("\t".join((name, str(part), str(place), form, cell or "-")))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


_PLAIN = (
    document("nw/a", "Ann/(0) met Bob/(1) .", "She/(0) gave him/(1) the/(2 book/2) .", "It/(2) was torn/(3) .")
    + document("bc/b", "The/(0 dog/0) saw a/(1 cat/1) .", "It/(0) ran .", "The/(1 cat/1) slept on it/(2) .")
    + document("nw/c", "Rain/(0) fell .", "It/(0) stopped at/(1 noon/1) .")
    + document("bc/d", "Sue/(0) and Tom/(1) sang .", "She/(0) liked him/(1) .", "He/(1) did not like her/(0) .")
)
_PLAIN_RESPONSE = (
    document("nw/a", "Ann/(0) met Bob/(1) .", "She/(0) gave him/(0) the/(2 book/2) .", "It/(2) was/(4) torn .")
    + document("bc/b", "The/(0 dog/0) saw a/(1 cat/1) .", "It/(1) ran .", "The cat/(1) slept on it/(2) .")
    + document("nw/c", "Rain/(0) fell .", "It/(1) stopped at/(1 noon/1) .")
    + document("bc/d", "Sue/(0) and Tom/(0) sang .", "She/(0) liked him/(1) .", "He/(1) did not like her/(0) .")
)
_PLAIN_OTHER = (
    _PLAIN_RESPONSE.replace("him\t(0)", "him\t(1)").replace("Tom\t(0)", "Tom\t(3)").replace("was\t(4)", "was\t-")
)
_MEN = document("nw/a", "He/(0) saw him/(1) .", "They/(2) ran .")

_TABLE = "doc,mention,entity\n" + "".join(
    f"{genre}/{name},m1,{name}1\n{genre}/{name},m2,{name}1\n{genre}/{name},m3,{name}2\n"
    for genre, name in (("nw", "a"), ("bc", "b"), ("nw", "c"), ("bc", "d"), ("nw", "e"))
)
_RECORDS = "record_id,entity_id,name,surname\nr1,e1,Ann,Lee\nr2,e1,Anna,Lee\nr3,e2,Ann,Lee\nr4,e3,Bob,Ray\n"

_FOUND = "record,cluster,name,kind\n" + "".join(f"r{k},c{k // 3},name {k // 4} x{k},{'ab'[k > 9]}\n" for k in range(16))
_FOUND_TOO = _FOUND.replace("r3,c1", "r3,c0")
_LABELLED = "record,entity,hits\n" + "".join(f"r{k},e{k // 4},{int(k in (1, 6, 13))}\n" for k in range(16))
_BY_CLUSTER = "record,entity,hits\n" + "".join(f"r{k},e{k // 4},{int(k // 3 in (1, 4))}\n" for k in range(16))
_BY_ENTITY = "record,entity\n" + "".join(f"r{k},e{k}\n" if k < 2 else f"r{k},e{k // 4}\n" for k in range(8))

_ANSWER = "[Ann](1) met [Bob](2) . [She](1) saw [him](2) and"


def _many(text: str, *others: str) -> str:
    """Documents of several texts, those of the first one three times, under other names."""
    texts = zip(("", "x", "y", "z"), (text, text, text, *others), strict=False)
    return "".join(some.replace("nw/", f"nw/{n}").replace("bc/", f"bc/{n}") for n, some in texts)


# name → the texts of key, response and another response
TEXTS: dict[str, tuple[str, str, str]] = {
    "plain.conll": (_PLAIN, _PLAIN_RESPONSE, _PLAIN_OTHER),
    "unlinked.conll": (_MEN, _MEN.replace("(2)", "-"), _MEN),
    "lonely.conll": (document("nw/a", "Rain/(0) fell ."),) * 3,
    "tables.csv": (_TABLE, _TABLE.replace("m3,a2", "m3,a1").replace("m2,c1", "m2,c2"), _TABLE),
    "named.csv": (_TABLE.replace("mention,entity", "x,group"),) * 3,
    "tables-repeats.csv": (_TABLE, _TABLE + "nw/a,m1,a2\n", _TABLE),
    "tables-lonely.csv": ("doc,mention,entity\nnw/a,m1,1\n",) * 3,
    "tables-unlinked.csv": (
        "doc,mention,entity\nnw/a,m1,1\nnw/a,m2,2\n",
        "doc,mention,entity\nnw/a,m1,1\n",
        "doc,mention,entity\nnw/a,m1,1\n",
    ),
    "tables-extra.csv": (_TABLE, _TABLE + "nw/z,m1,7\n", _TABLE),
    "tables-apart.csv": (_TABLE, _TABLE.replace(",m1", ",n1").replace(",m2", ",n2").replace(",m3", ",n3"), _TABLE),
    "tables-wide.csv": (_TABLE.replace("m1,b1", "m1,a1"), _TABLE, _TABLE),
    "records.csv": (_RECORDS, _RECORDS, _RECORDS),
    "samples.csv": (_LABELLED, _FOUND, _FOUND_TOO),
    "samples-clusters.csv": (_BY_CLUSTER, _FOUND, _FOUND_TOO),
    "samples-entities.csv": (_BY_ENTITY, _FOUND, _FOUND_TOO),
    "samples-named.csv": (_LABELLED.replace("record,entity", "x,group"), _FOUND, _FOUND_TOO),
    "samples-found.csv": (
        _LABELLED,
        _FOUND.replace("record,cluster", "x,group"),
        _FOUND_TOO.replace("record,cluster", "x,group"),
    ),
    "linked.conll": (
        _MEN,
        document("nw/a", "He/(0) saw him/(0) .", "They/(2) ran ."),
        document("nw/a", "He/(0) saw him/(0) .", "They/(0) ran ."),
    ),
    "missing.conll": (
        document("nw/a", "Ann/(0) left .", "She/(0) saw rain/(1) and/(2) ."),
        document("nw/a", "Ann/(0) left .", "She/(0) saw rain/(1) and/(1) ."),
        document("nw/a", "Ann/(0) left .", "She/(0) saw rain/(1) and/(1) ."),
    ),
    "many.conll": (_many(_PLAIN, _PLAIN), _many(_PLAIN_RESPONSE, _PLAIN), _many(_PLAIN_OTHER, _PLAIN)),
    "repeats.conll": (
        document("nw/a", "Ann/(0) met Bob/(1) .", "She/(0) saw him/(1) ."),
        document("nw/a", "Ann/(0)|(1) met Bob/(1) .", "She/(0) saw him/(1) ."),
        document("nw/a", "Ann/(0)|(1) met Bob/(0) .", "She/(0) saw him/(1) ."),
    ),
    "warned.conll": (document("nw/a", *["He/(0)|(1) saw him/(2)|(3) ."] * 4),) * 3,
    "several.conll": (
        document("nw/a", "Ann/(0)|(1) met Bob/(1) .", "She/(0) saw him/(1) ."),
        document("nw/a", "Ann/(0)|(1) met Bob/(1) .", "She/(0) saw him/(0) ."),
        document("nw/a", "Ann/(0)|(1) met Bob/(0) .", "She/(0) saw him/(1) ."),
    ),
    "swapped.conll": (
        document("nw/a", "Ann/(0)|(1) met Bob/(1) .", "She/(0) saw him/(1) ."),
        document("nw/a", "Ann/(1)|(0) met Bob/(1) .", "She/(0) saw him/(1) ."),
        document("nw/a", "Ann/(1)|(0) met Bob/(0) .", "She/(0) saw him/(1) ."),
    ),
    "wide.conll": (
        document("nw/a", "Ann/(7) met Bob/(4) .", "She/(7) saw him/(4) .")
        + document("nw/b", "Ann/(7) saw Sue/(9) .", "She/(9) left ."),
        document("nw/a", "Ann/(7) met Bob/(4) .", "She/(7) saw him/(4) .")
        + document("nw/b", "Ann/(4) saw Sue/(9) .", "She/(9) left ."),
        document("nw/a", "Ann/(7) met Bob/(4) .", "She/(7) saw him/(7) .")
        + document("nw/b", "Ann/(4) saw Sue/(9) .", "She/(9) left ."),
    ),
    "apart.conll": (
        document("nw/a", "Ann/(0) met Bob .", "She/(0) saw him ."),
        document("nw/a", "Ann met Bob/(0) .", "She saw him/(0) ."),
        document("nw/a", "Ann met Bob/(0) .", "She saw him/(1) ."),
    ),
    "renamed.conll": (_PLAIN, _PLAIN_RESPONSE.replace("nw/", "x/"), _PLAIN_OTHER.replace("nw/", "x/")),
    "extra.conll": (
        _PLAIN,
        _PLAIN_RESPONSE + document("nw/z", "Zoe/(0) left .", "She/(0) ran ."),
        _PLAIN_OTHER + document("nw/z", "Zoe/(0) left .", "She/(1) ran ."),
    ),
    "tokens.conll": (
        document("nw/a", "Ann/(0) can't see him/(1) .", "She/(0) saw him/(1) ."),
        document("nw/a", "Ann/(0) ca n't see him/(1) .", "She/(0) saw him/(1) ."),
        document("nw/a", "Ann/(0) ca n't see him/(0) .", "She/(0) saw him/(1) ."),
    ),
}

_CATEGORIES = (
    "place,kind,document,mention,words,context,entity,linked to,linked words,at,in,not in,category\n"
    "k:1,mention,a,12,torn,It was [torn],3,,,,key,response,span\n"
    "k:2,mention,a,13,old,It was [old],4,,,,key,response,noun\n"
    "k:3,mention,a,14,new,It was [new],5,,,,key,response,noun\n"
)
_PUBLISHED = (
    "system,track,MUC recall,MUC precision,MUC,AVG\nlee,closed,61.8,57.5,59.57,51.54\nsapena,closed,55,58,56.46,50\n"
)
_SCORES = "system,muc,bcub,lea\na,50,60,70\nb,51,61,71\nc,49,66,68\nd,47,60,61\n"
_ITEMS = "document,id,pronoun\n" + "".join(
    f"nw/{n}a,{n}one,she\nbc/{n}b,{n}one,it\nnw/{n}c,{n}two,it\nbc/{n}d,{n}two,she\n" for n in ("", "x", "y", "z")
)
_EDGES = (
    "doc,id1,id2,probability\n"
    + "".join(
        f"{doc},r1,r2,0.9\n{doc},r2,r3,0.4\n{doc},r3,r4,0.8\n{doc},r1,r4,0.{n}\n"
        for n, doc in enumerate(("bc/a", "bc/b", "mz/c"), 1)
    )
    + "nw/d,r1,r2,0.5\n"
)
_TRUTH = (
    "doc,record_id,entity_id\n"
    + "".join(
        f"{doc},r1,{doc}1\n{doc},r2,{doc}1\n{doc},r3,{doc}2\n{doc},r4,{doc}{n}\n"
        for n, doc in enumerate(("bc/a", "bc/b", "mz/c"), 1)
    )
    + "nw/d,r1,x\nnw/d,r2,y\nnw/d,r3,z\n"
)

# Other files, by their paths.
FILES = {
    "in/labels.csv": "document,topic\nnw/a,x\nbc/b,y\nnw/c,x\nbc/d,y\n",
    "in/entities.txt": "0\n",
    "in/categories.csv": _CATEGORIES,
    "in/published.csv": _PUBLISHED,
    "in/beside.csv": _PUBLISHED.replace("59.57", "49.57").replace("51.54", "49.9"),
    "in/scores.csv": _SCORES,
    "in/items.csv": _ITEMS,
    "in/pairs.csv": _EDGES,
    "in/truth.csv": _TRUTH,
    "in/prompt.txt": "Read this: {text}",
}


def write_inputs(home: Path) -> None:
    """Write all inputs below a directory."""
    for name, texts in TEXTS.items():
        folder, suffix = name.split(".")
        _write_sides(home / "in" / folder, suffix, texts)
    for path, text in FILES.items():
        (home / path).write_text(text, "utf-8")
    zeros = [conllu([doc]) for doc in corefud_cases.met_otherwise()]
    _write_sides(home / "in" / "zeros", "conllu", (*zeros, zeros[0]))
    ties = [conllu([doc]) for doc in corefud_cases.pair(30)]
    _write_sides(home / "in" / "ties", "conllu", (*ties, ties[0]))
    split = [anaphora_cases.conllua([doc]) for doc in anaphora_cases.pair(0)]
    _write_sides(home / "in" / "split", "CONLLUA", (*split, split[0]))
    deixis = [anaphora_cases.conllua([doc], deixis=True) for doc in anaphora_cases.pair(5)]
    _write_sides(home / "in" / "deixis", "CONLLUA", (*deixis, deixis[0]))
    _write_others(home)
    _write_pairs(home)
    _write_saved(home)
    _write_samples(home)


def _write_pairs(home: Path) -> None:
    """Inputs with at least two documents, which have labels, for minimal pairs: `pairs-` and the name of another."""
    for folder in [*(home / "in").iterdir()]:
        if folder.name in ("sets", "packed", "json", "digits", "cut", "cut-key", "records") or not folder.is_dir():
            continue
        for path in folder.iterdir():
            text = re.sub(r"newdoc id = \S+", "newdoc id = nw/a", path.read_text("utf-8"))
            target = home / "in" / f"pairs-{folder.name}" / path.name
            target.parent.mkdir(exist_ok=True)
            alone = "bc/b" not in text
            target.write_text(text + text.replace("nw/a", "bc/b") if alone else text, "utf-8")


def _write_others(home: Path) -> None:
    """The plain input as datasets, packed, and as JSON; a long number; and an answer that was cut off."""
    for side, text in zip(SIDES, TEXTS["plain.conll"], strict=True):
        folder = home / "in" / "sets" / f"{side}.d"
        folder.mkdir(parents=True)
        (folder / "a.conll").write_text(text, "utf-8")
        (folder / "b.conll").write_text(text.replace("nw/", "wb/").replace("bc/", "mz/"), "utf-8")
        for name in ("packed", "json", "digits", "cut", "cut-key"):
            (home / "in" / name).mkdir(exist_ok=True)
        (home / "in" / "packed" / f"{side}.conll.gz").write_bytes(gzip.compress(text.encode()))
        convert(home / "in" / "plain" / f"{side}.conll", home / "in" / "json" / f"{side}.jsonl")
        words = ["Ann", "met", "Bob", "she", "saw", "him"]
        long = {"sentences": [words], "clusters": [[[0, 0], [3, 3]], [[2, 2], [5, 5]]], "note": int("7" * 700)}
        lines = [json.dumps({"doc_key": name, **long}) + "\n" for name in ("nw/a", "bc/b")]
        (home / "in" / "digits" / f"{side}.jsonl").write_text("".join(lines), "utf-8")
        for name in ("cut", "cut-key"):
            (home / "in" / name / f"{side}.md").write_text(f"{_ANSWER} [her", "utf-8")
    (home / "in" / "cut" / "key.md").write_text(f"{_ANSWER} [her](1)", "utf-8")


def _write_samples(home: Path) -> None:
    """An earlier sample, and links between its records."""
    folder = home / "in" / "samples"
    sample(folder / "response.csv", 3).write(home / "in" / "sample.csv")
    links = "".join(f"r{k},r{(5 * k + 4) % 16},0.{k},0.{99 - k}\n" for k in range(16))
    (home / "in" / "sample-links.csv").write_text(f"id1,id2,score,other\n{links}", "utf-8")


def _write_sides(folder: Path, suffix: str, texts: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for side, text in zip(SIDES, texts, strict=True):
        (folder / f"{side}.{suffix}").write_text(text, "utf-8")


def _write_saved(home: Path) -> None:
    """Counts of results, also in windows, prompts and answers, a model, a database, a history and a quiz."""
    plain = home / "in" / "plain"
    prompts(plain / "key.conll", home / "in" / "prompts.jsonl", chunk=8, overlap=2)
    lines = (home / "in" / "prompts.jsonl").read_text("utf-8").splitlines()
    marked = {line["id"]: re.sub(r"\b(It|She|cat|him)\b", r"[\1](1)", line["text"]) for line in map(json.loads, lines)}
    answers = [{"id": name, "answer": text} for name, text in marked.items()]
    (home / "in" / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers), "utf-8")
    windows = score(plain / "key.conll", plain / "other.conll", metrics="default,lea", window=4)
    windows.save_counts(home / "in" / "windows.counts")
    shard = [home / "in" / "sets" / f"{side}.d" / "b.conll" for side in ("key", "response")]
    score(*shard, metrics="default,lea").save_counts(home / "in" / "shard.counts")
    make_quiz(plain / "key.conll", home / "in" / "quiz.jsonl")
    questions = map(json.loads, (home / "in" / "quiz.jsonl").read_text("utf-8").splitlines())
    answered = [json.dumps({"id": question["id"], "answer": "A"}) + "\n" for question in questions]
    (home / "in" / "quiz-answers.jsonl").write_text("".join(answered), "utf-8")
    tables = home / "in" / "tables"
    score(tables / "key.csv", tables / "other.csv").save_counts(home / "in" / "tables.counts")
    for side in SIDES:
        score(plain / "key.conll", plain / f"{side}.conll", metrics="default,lea").save_counts(
            home / f"in/{side}.counts"
        )
    for label, side in (("v1", "response"), ("v2", "other")):
        add_stage(home / "in" / "history.jsonl", home / f"in/{side}.counts", label, "2020-01-01")


def side_path(home: Path, files: str, side: str) -> str:
    """The path of a side of an input, from the directory of all inputs."""
    (found,) = (home / "in" / files).glob(f"{side}.*")
    return str(found.relative_to(home))


SIDES = ("key", "response", "other")

CASES = (
    Case("score", "{key} {response}", "OneScore"),
    Case("score", "{key} {response}", "OneScore", "--window 4 --by document"),
    Case("score", "{key} {response}", "SeveralMatches", "--match exact,head-word"),
    Case("score", "{key} {response}", "WindowTable", "--window 4,all"),
    Case("score", "{key} {response}", "MajorEntities", "--major 3"),
    Case("score", "{key} {response}", "LeniencyTable", "--leniency --scope genre --ids global"),
    Case("score", "{key} {response}", "Supplement", "--supplement --protocol corefud"),
    Case("score", "{key} {response}", "OtherEngine", "--engine duckdb", "tables"),
    Case("explain", "{key} {response}"),
    Case("diagnose", "{key} {response}"),
    Case("view", "{key} {response} out/page.html"),
    Case("compare", "{key} {response} {other} same={key}", "ScoredSystems"),
    Case("compare", "in/response.counts in/other.counts in/key.counts", "SavedCounts"),
    Case("compare", "", "PublishedTable", "--from-table in/published.csv"),
    Case("pair", "{key} {response}"),
    Case("validate", "{response}"),
    Case("convert", "{key} out/x.jsonl", "Conversion"),
    Case("convert", "{key} out/x.jsonl", "Prompts", "--to prompts"),
    Case("convert", "in/answers.jsonl out/x.conll", "Join", "--join --prompts in/prompts.jsonl"),
    Case("describe", "{response}", "Description"),
    Case("describe", "{response}", "Description", "--against {key}"),
    Case("describe", "A={response} B={other}", "Taggers", "--against {key}"),
    Case("agree", "{key} {response}", "Scores"),
    Case("agree", "{key} {response}", "Differences", "--differences"),
    Case("agree", "", "Categories", "--categories in/categories.csv"),
    Case("correlate", "{key} {response} {other} same={key}", "OfSystems"),
    Case("correlate", "in/scores.csv", "FromTables", "--tables"),
    Case("sweep", "{key} {response}", options="--steps 1 --repeats 2 -m conll"),
    Case("resolve", "{key} out/x.conll", "Resolving", "--system sieve"),
    Case("resolve", "", "Training", "--train {key} --system mention-pair --model out/m.json"),
    Case("tune", "{key}", options="--system sieve --param window=0,1,2,3,4"),
    Case("ablate", "{key}", options="--system sieve --parts exact,pronoun"),
    Case("probe", "{key}", options="--samples 5 --chains 2 -m bcub"),
    Case("curve", "in/truth.csv in/pairs.csv", options="--score probability"),
    Case("sample", "{response} out/s.csv", options="-n 6", files="samples"),
    Case("estimate", "{key} {response}", options="--by record", files="samples"),
    Case("plan", "{key} {response}", options="--by record", files="samples"),
    Case("plan", "{response}", options="--assume {other}", files="samples"),
    Case(
        "minimal-pairs",
        "{key} {response}",
        options="--labels in/items.csv --template id --factor pronoun",
        files="pairs",
    ),
    Case("bundle", "{key} out/b.zip"),
    Case("check-submission", "{key} {response}"),
    Case("counts merge", "in/response.counts in/shard.counts out/all.counts"),
    Case("history add", "out/h.jsonl in/response.counts", options="--label v1 --date 2020-01-01"),
    Case("history show", "in/history.jsonl"),
    Case("history plot", "in/history.jsonl out/h.svg"),
    Case("quiz make", "{key} out/q.jsonl"),
    Case("quiz score", "in/quiz.jsonl in/quiz-answers.jsonl"),
    Case("demo", ""),
)

_OWN = "few options of its own, each with tests of its own"
_WRITES = "a database, whose bytes differ from run to run; the refusals are in test_modes.py"
_OTHER_SCORER = "the options of another scorer, which are tested against it"

# Commands that are not in `CASES` → why.
LEFT_OUT = {
    **{f"db {name}": _WRITES for name in ("build", "add", "replace", "remove")},
    **{f"db {name}": _OWN for name in ("query", "recipes", "check")},
    **{f"task {name}": _OWN for name in ("layers", "join", "assemble", "split", "skeleton", "conditions")},
    "list": _OWN,
    "show": _OWN,
    "conll-scorer": _OTHER_SCORER,
    "corefud-scorer": _OTHER_SCORER,
}

# option → its tries
ROWS: dict[str, tuple[Try, ...]] = {
    # how files are read
    "key-format": (Try("--key-format jsonlines"),),
    "response-format": (Try("--response-format jsonlines"),),
    "input-format": (Try("--input-format jsonlines"),),
    "coref-column": (Try("--coref-column 4"),),
    "encoding": (Try("--encoding utf-16"),),
    "pair": (Try("--pair file", files="renamed"),),
    "align": (Try("--align characters", files="tokens"),),
    "extra": (Try("--extra ignore", files="extra"),),
    "layer": (Try("--layer deixis", files="deixis"),),
    "max-unpacked": (Try("--max-unpacked 10", files="packed"),),
    "max-total": (Try("--max-total 10", files="packed"),),
    "max-line": (Try("--max-line 5"),),
    # policies
    "protocol": (Try("--protocol corefud"), Try("--protocol conll-2011")),
    "match": (Try("--match head", files="zeros"),),
    "min-share": (Try("--min-share 0.9", "--match share", "zeros"),),
    "ties": (Try("--ties scipy", "--match head", "ties"), Try("--ties scipy", files="ties")),
    "zeros": (
        Try("--zeros linear", files="zeros"),
        Try("--zeros drop", files="zeros"),
        Try("--zeros linear", "--match head", "zeros"),
        Try("--zeros linear", "--plot out/x.svg", "zeros"),
    ),
    "duplicates": (Try("--duplicates last", files="repeats"),),
    "singletons": (Try("--singletons drop"), Try("--singletons drop-before")),
    "blanc": (
        Try("--blanc ua", "-m blanc", "lonely"),
        Try("--blanc ua", "-m blanc,muc", "lonely"),
        Try("--blanc ua", "-m blanc --format json", "lonely"),
        Try("--blanc perl", "-m blanc,bcub", "unlinked"),
        Try("--blanc luo2014", files="lonely"),
    ),
    "undefined": (
        Try("--undefined nan", files="unlinked"),
        Try("--undefined popescu-belis", files="unlinked"),
        Try("--undefined nan", "--format json", "unlinked"),
    ),
    "average": (Try("--average macro"), Try("--average macro", "--format json")),
    "mean": (Try("--mean arithmetic"), Try("--mean arithmetic", "--format json")),
    "scope": (Try("--scope corpus", files="wide"),),
    "ids": (Try("--ids local", "--scope corpus"), Try("--ids local", "--scope corpus", "wide")),
    "split-antecedents": (
        Try("--split-antecedents drop", files="split"),
        Try("--split-antecedents keep", files="split"),
    ),
    "multi": (
        Try("--multi each", files="several"),
        Try("--multi each", files="swapped"),
        Try("--multi each", "--plot out/x.svg", "several"),
    ),
    "only": (Try("--only mention.length=1"),),
    "without": (Try("--without mention.length=1"),),
    "on": (Try("--on key", "--only mention.length=1"),),
    "no-common": (Try("--no-common refuse", files="apart"), Try("--no-common score", files="apart")),
    # shape
    "format": (Try("--format json"),),
    "digits": (Try("--digits 5"),),
    "signature": (Try("--signature full"),),
    "width": (Try("--width page", "--format latex"), Try("--width column", "--format latex")),
    # what is computed
    "metrics": (Try("-m lea"), Try("-m lea", "--format json")),
    "metric": (Try("-m muc"),),
    "weights": (Try("--weights muc=2,bcub=1,ceafe=1", "-m mela"),),
    "exact": (Try("--exact"),),
    "by": (Try("--by genre"), Try("--by genre", "--format json")),
    "rpf": (Try("--rpf", "--by genre"), Try("--rpf")),
    "window": (
        Try("--window 4", "--by document"),
        Try("--window 4"),
        Try("--window all", "--by document"),
        Try("--window 9,all"),
    ),
    "plot": (Try("--plot out/x.svg", "--window 4,all"), Try("--plot out/x.svg"), Try("--plot out/x.svg", "--by genre")),
    "excerpt": (Try("--excerpt 1:5"),),
    "heads": (
        Try("--heads in/zeros/key.conllu", "--match head", "zeros"),
        Try("--heads in/zeros/key.conllu", files="zeros"),
    ),
    "alignment": (Try("--alignment", "--format json"),),
    "rate-plot": (Try("--rate-plot out/x.svg"),),
    "major": (Try("--major 1"),),
    "entities": (Try("--entities in/entities.txt"),),
    "leniency": (Try("--leniency", files="wide"),),
    "supplement": (Try("--supplement", "--protocol corefud", "zeros"),),
    # draws and gates
    "bootstrap": (Try("--bootstrap 20"),),
    "interval": (Try("--interval bca", "--bootstrap 50"), Try("--interval bca", "--baseline response")),
    "confidence": (Try("--confidence 50", "--bootstrap 50"), Try("--confidence 50")),
    "seed": (Try("--seed 7", "--bootstrap 50"), Try("--seed 7"), Try("--seed 7", "--test bootstrap --resamples 50")),
    "stratify": (Try("--stratify genre", "--bootstrap 50"),),
    "unit": (
        Try("--unit topic:in/labels.csv", "--bootstrap 50"),
        Try("--unit genre", "--bootstrap 50"),
        Try("--unit genre"),
    ),
    "fail-under": (Try("--fail-under conll=99.9"),),
    "against": (Try("--against in/other.counts"),),
    "fail-if-worse": (
        Try("--fail-if-worse 0", "--against in/key.counts"),
        Try("--fail-if-worse 0", "--against in/windows.counts"),
        Try("--fail-if-worse 0", "--against in/tables.counts"),
    ),
    "save-counts": (Try("--save-counts out/x"),),
    # engines
    "engine": (Try("--engine duckdb", "--format json", "tables"),),
    "columns": (Try("--columns mention=x,entity=group", files="named"),),
    "no-ceaf": (Try("--no-ceaf", "--engine duckdb", "tables"),),
    "master": (),
    # explain
    "document": (Try("--document nw/a_0"),),
    "entity": (Try("--entity K1", "--document nw/a_0"), Try("--entity K1")),
    "limit": (Try("--limit 1"),),
    "paper-rounding": (Try("--paper-rounding", "-m muc"), Try("--paper-rounding")),
    "explain exact": (Try("--float"), Try("--exact")),
    "explain weights": (Try("--weights muc=2,bcub=1,ceafe=1", "-m mela"),),
    # diagnose
    "diagnose against": (Try("--against {other}"),),
    "diagnose by": (Try("--by type"),),
    "diagnose metrics": (Try("-m lea", "--show prices"),),
    "diagnose blanc": (Try("--blanc ua", "-m blanc --format json", "lonely"),),
    "show": (Try("--show prices"),),
    "errors": (Try("--errors class=missing-mention"),),
    "write": (Try("--write out/x.conll"),),
    "count": (Try("-n 1"),),
    # view
    "open": (),
    "title": (Try("--title Stories", "--format markdown"), Try("--title Stories")),
    "name": (Try("--name Mine"),),
    # compare
    "baseline": (Try("--baseline response"),),
    "macro": (Try("--macro dataset", files="sets"),),
    "compare show": (Try("--show all", "--by genre"),),
    "test": (Try("--test wilcoxon"), Try("--test t")),
    "resamples": (Try("--resamples 0"),),
    "max-pairs": (Try("--max-pairs 1"),),
    "correction": (Try("--correction none"),),
    "compare by": (Try("--by genre"),),
    "compare plot": (Try("--plot out/x.svg"),),
    "from-table": (Try("--from-table in/beside.csv"),),
    "beside": (Try("--beside in/beside.csv", "-m conll"), Try("--beside in/beside.csv")),
    # pair, validate, convert
    "twinless": (Try("--twinless out/x.csv"),),
    "severity": (Try("--severity remark", files="repeats"),),
    "ignore": (Try("--ignore two-entities", files="repeats"),),
    "details": (Try("--details", files="warned"),),
    "strict": (Try("--strict", files="zeros"),),
    "to": (Try("--to conll"), Try("--to jsonlines")),
    "add-singletons": (Try("--add-singletons"),),
    "blind": (Try("--blind"),),
    "chunk": (Try("--chunk 8", "--overlap 1"),),
    "overlap": (Try("--overlap 0", "--chunk 10 --overlap 1"),),
    "template": (Try("--template in/prompt.txt"),),
    # describe, agree
    "describe against": (Try("--against {key}"),),
    "rate": (Try("--rate"),),
    "describe categories": (Try("--categories ontonotes", files="zeros"),),
    "names": (Try("--names surname", files="records"),),
    "adjudicated": (Try("--adjudicated {other}"),),
    "differences": (Try("--differences"),),
    "categories": (Try("--categories in/categories.csv"),),
    # correlate
    "tables": (Try("--tables"),),
    "correlate against": (Try("--against lea", "-m muc,lea,bcub"), Try("--against lea")),
    "max-nesting": (Try("--max-nesting 1", files="json"),),
    "max-digits": (Try("--max-digits 640", files="digits"),),
    "repair": (Try("--repair", "--pair file", "cut"), Try("--repair", files="cut-key")),
    "memory-limit": (),
    "spill": (),
    "jobs": (),
    "allow-outside": (),
    "lossy": (),
    "validate severity": (Try("--severity remark"), Try("--severity error", files="repeats")),
    "validate strict": (Try("--strict", files="repeats"),),
    "check-submission strict": (Try("--strict", files="repeats"), Try("--strict", files="apart")),
    "join": (Try("--join"),),
    "prompts": (Try("--prompts in/answers.jsonl"),),
    "convert ids": (Try("--ids document"),),
    "convert only": (Try("--only mention.length=1"),),
    "describe by": (Try("--by document"),),
    "correlate metrics": (Try("-m lea,muc"),),
    "damage": (Try("--damage split"),),
    "steps": (Try("--steps 2"),),
    "repeats": (Try("--repeats 3", "--damage move"),),
    "sweep write": (Try("--write out/steps"),),
    "sweep seed": (Try("--seed 7", "--damage move"),),
    "retrain": (Try("--retrain mention-pair", files="plain"),),
    "system": (Try("--system head-match"), Try("--system salience")),
    "set": (Try("--set passes=exact"), Try("--set window=1"), Try("--set features=distance")),
    "mentions": (Try("--mentions detected"),),
    "trees": (Try("--trees in/trees"),),
    "gender": (Try("--gender in/gender.txt"),),
    "key": (Try("--key {other}", "--system oracle"),),
    "train": (Try("--train {response}"),),
    "model": (Try("--model in/model.json", "--system mention-pair"), Try("--model out/n.json")),
    "run": (),
    "time-limit": (),
    "param": (Try("--param max_sentences=0,1"),),
    "objective": (Try("--objective muc"),),
    "search": (Try("--search ascent"),),
    "tries": (Try("--tries 1", "--search random"),),
    "folds": (Try("--folds 2"),),
    "held-out": (Try("--held-out nw/a"),),
    "trials": (Try("--trials out/t.jsonl"),),
    "parts": (Try("--parts exact,head"), Try("--parts relaxed-head,pronoun")),
    "leave-out": (Try("--leave-out"),),
    "alone": (Try("--alone"),),
    "ablate train": (),
    "ablate errors": (Try("--no-errors"),),
    "samples": (Try("--samples 9"),),
    "chains": (Try("--chains 5"),),
    "max-mentions": (Try("--max-mentions 1"),),
    "missing": (Try("--missing"),),
    "score": (Try("--score id2"),),
    "distances": (Try("--distances"),),
    "minimal-pairs template": (Try("--template pronoun --factor id"),),
    "factor": (Try("--factor pronoun,document"),),
    "labels": (Try("--labels in/labels.csv"),),
    "start": (Try("--start 2030-01-01"),),
    "docker-image": (Try("--docker-image me/x:1"),),
    "lenient": (Try("--lenient"),),
    "curve seed": (Try("--seed 7"),),
    "sweep duplicates": (Try("--duplicates last", "--damage drop", "repeats"),),
    "sweep scope": (Try("--scope corpus", "--damage drop", "wide"),),
    "sweep multi": (Try("--multi each", "--damage drop", "several"),),
    "sweep layer": (Try("--layer deixis", "--damage drop", "deixis"),),
    "sweep split-antecedents": (Try("--split-antecedents drop", "--damage drop", "split"),),
    "sweep blanc": (Try("--blanc perl", "--damage drop -m blanc", "lonely"),),
    "sweep undefined": (Try("--undefined nan", "--damage drop -m muc", "unlinked"),),
    "correlate blanc": (Try("--blanc perl", "-m blanc,bcub", "linked"),),
    "tune search": (Try("--search ascent"),),
    "describe pair": (Try("--pair file", files="renamed"), Try("--pair file", "--against {key}", "renamed")),
    "describe align": (
        Try("--align characters", files="tokens"),
        Try("--align characters", "--against {key}", "tokens"),
    ),
    "ablate set": (Try("--set window=0"), Try("--set window=1")),
    "ablate seed": (Try("--seed 7", "--format json", "many"),),
    "curve undefined": (Try("--undefined nan", "--only genre=nw -m muc"),),
    "curve only": (Try("--only genre=nw"),),
    "curve without": (Try("--without genre=nw"),),
    "curve on": (Try("--on key", "--only genre=bc"),),
    "curve average": (Try("--average macro"),),
    "minimal-pairs bootstrap": (Try("--bootstrap 100", files="many"),),
    "minimal-pairs seed": (Try("--seed 7", files="many"),),
    "minimal-pairs singletons": (Try("--singletons drop-before", files="missing"),),
    "minimal-pairs on": (Try("--on key", "--match head --only mention.length=1,3", "zeros"),),
    "label": (Try("--label v2"),),
    "date": (Try("--date 2020-02-02", "--date 2020-01-01"),),
    "history show metrics": (Try("-m lea"),),
    "history plot metrics": (Try("-m lea"),),
    "history show seed": (Try("--seed 7", "--format json"),),
    "history plot seed": (Try("--seed 7"),),
    "types": (Try("--types name"),),
    "options": (Try("--options 2"),),
    "none": (Try("--none"),),
    "context": (Try("--context 0"),),
    "quiz make count": (Try("-n 1"),),
    "quiz make seed": (Try("--seed 7"),),
    "words": (Try("--words none"),),
    "quiz score bootstrap": (Try("--bootstrap 20"),),
    "quiz score confidence": (Try("--confidence 50"),),
    "quiz score seed": (Try("--seed 7", "--bootstrap 20"),),
    "demo write": (Try("--write out"),),
    "demo answers": (Try("--answers", "--write out"),),
    "sweep align": (Try("--align characters", "--damage drop", "tokens"),),
    "sweep repair": (Try("--repair", "--damage drop --pair file", "cut"),),
    "sweep max-digits": (Try("--max-digits 640", "--damage drop", "digits"),),
    "full-key": (Try("--full-key"),),
    "draws": (Try("-n 8"),),
    "sample by": (Try("--by cluster", "-n 4"),),
    "size": (Try("--size records", "--by cluster"),),
    "strata": (Try("--strata size", "-n 4"),),
    "allocate": (Try("--allocate equal", "--strata kind"),),
    "without-clusters": (Try("--without-clusters", "-n 2"),),
    "extend": (Try("--extend in/sample.csv"),),
    "links": (Try("--links in/sample-links.csv", "-n 2"),),
    "link-score": (Try("--link-score other", "--links in/sample-links.csv -n 2"),),
    "fields": (Try("--fields name", "-n 2"),),
    "sample seed": (Try("--seed 7"),),
    "score key-columns": (Try("--key-columns mention=mention,entity=x --engine memory", files="tables"),),
    "score response-columns": (Try("--response-columns mention=mention,entity=x --engine memory", files="tables"),),
    "key-columns": (Try("--key-columns mention=x,entity=group", files="named"),),
    "response-columns": (Try("--response-columns mention=x,entity=group", files="found"),),
    "precision-from": (Try("--precision-from cluster"),),
    "completed": (Try("--completed", "--by cluster", "clusters"),),
    "population": (Try("--population 4", "--by entity", "entities"),),
    "correct": (Try("--correct"),),
    "estimate by": (Try("--by record"),),
    "plan by": (Try("--by record"),),
    "estimate weights": (Try("--weights size", "--by entity", "entities"),),
    "plan weights": (Try("--weights size", "--by entity", "entities"),),
    "estimate interval": (Try("--interval normal"),),
    "estimate bootstrap": (Try("--bootstrap 50", "--interval percentile"),),
    "estimate seed": (Try("--seed 7", "--interval percentile"),),
    "estimate metrics": (Try("-m lea"),),
    "plan metrics": (Try("-m lea"),),
    "half-width": (Try("--half-width 9"),),
    "assume": (Try("--assume {other}"),),
    "minimal-pairs protocol": (Try("--protocol corefud", files="zeros"),),
}

# Options that ask for a mode. In another mode they change the mode, or are refused.
ASKING = frozenset(
    {"match", "window", "major", "entities", "leniency", "supplement", "engine", "from-table", "join", "to"}
    | {"differences", "categories", "tables", "train", "against"}
)

_NOTHING = "§5: the input gives it nothing to do"
_CASE = "§5: a policy whose case does not occur, here in a response that a system of coreflens makes from the key"
_NAMES = "§5: a policy whose case does not occur in a table of records"
_ELSEWHERE = "it starts other programs or learns, and has tests of its own"

# Options that change nothing and are not refused: `option`, `command option` or `command mode option` → why.
EXEMPT: dict[str, str] = {
    **{
        f"score --window 4 --by document {side}-columns": "records have no text, so both runs are errors"
        for side in ("key", "response")
    },
    "full-key": "it removes a note, and no number",
    "jobs": "§5 and law 2: it changes nothing but the time",
    "memory-limit": _NOTHING,
    "spill": _NOTHING,
    "allow-outside": _NOTHING,
    "lossy": "law 2: a default given by name",
    "open": "it opens a browser",
    "master": "law 2, and Spark takes long to start",
    "run": _ELSEWHERE,
    "time-limit": _ELSEWHERE,
    "ablate train": _ELSEWHERE,
    "compare SavedCounts max-unpacked": _NOTHING,
    "compare SavedCounts max-total": _NOTHING,
    "compare SavedCounts max-digits": _NOTHING,
    "score --window 4 --by document columns": "records have no text, so both runs are errors",
    **{
        f"{command} {limit}": _NOTHING
        for command in ("history add", "history show", "history plot", "quiz score")
        for limit in ("max-unpacked", "max-total", "max-digits", "repair")
    },
    "bundle max-unpacked": "a packed key can't be bundled, so both runs are errors",
    "bundle max-total": "a packed key can't be bundled, so both runs are errors",
    "minimal-pairs repair": "an answer of a model is one document, and a pair has two",
    "curve on": _NAMES,
    **{
        f"{command} {limit}": _NOTHING
        for command in ("sample", "estimate", "plan")
        for limit in ("max-unpacked", "max-total", "max-nesting", "max-digits")
    },
    "convert Join max-unpacked": _NOTHING,
    "convert Join max-total": _NOTHING,
    "convert Join max-digits": _NOTHING,
    "convert Join repair": _NOTHING,
    **{
        f"{command} {policy}": _CASE
        for command in ("tune", "ablate")
        for policy in ("match", "ties", "min-share", "duplicates", "extra", "pair", "align", "on", "no-common")
    },
    "tune blanc": _CASE,
    **{f"curve {policy}": _NAMES for policy in ("duplicates", "blanc", "split-antecedents", "multi")},
}

_WINDOWS = "windows cut documents, and leave out split antecedents"
_TABLES = "tables of mentions have no words: other values are refused, as on no other engine"
_NEEDS = "it needs another option, which asks for another mode"
_ONE = "settings and parts are compared by document"

# Options whose result is a message, and not on stdout.
MESSAGES = frozenset({"score against"})

# Options that are taken, but refused with the value that is tried here: as in `EXEMPT`, or `command, what asks for the
# mode, option` → why.
BY_VALUE: dict[str, str] = {
    **{
        f"score --window 4 --by document {option}": _WINDOWS
        for option in ("plot", "scope", "ids", "split-antecedents", "engine", "no-ceaf")
    },
    "score WindowTable scope": _WINDOWS,
    "score WindowTable ids": _WINDOWS,
    "score MajorEntities entities": "a number of entities, or their names",
    "plan --by record assume": "labels are given, and it takes their place",
    **{
        f"plan --assume {{other}} {option}": "it describes labels, and there are none"
        for option in ("completed", "weights", "population", "key-columns")
    },
    "compare SavedCounts macro": "it needs counts of several datasets",
    **{f"score OtherEngine {option}": _TABLES for option in ("match", "multi", "only", "without")},
    **{f"convert Conversion {option}": _NEEDS for option in ("chunk", "overlap", "template", "prompts", "ids")},
    "tune response-format": "it needs --run",
    "ablate response-format": "it needs --run",
    "ablate model": "systems with parts learn again",
    **{f"{command} {option}": _ONE for command in ("tune", "ablate") for option in ("scope", "ids")},
}
