"""Command lines of every command that read all kinds of input and write all kinds of output, for `bench/faults.py`.

`EXAMPLES` has at least one line per command of the registry. Inputs are below in/ and outputs below out/. What a line
finds in out/ before it runs is in `EARLIER`. A file that is not named there holds `OLD`, unless the line is in `FRESH`.
"""

from __future__ import annotations

import gzip
import re
import zipfile
from pathlib import Path

import click

import option_cases
from databases import key as layered
from registry import commands

OLD = b"what was there before\n"

_LINES = """
score in/large/key.conll in/large/response.conll --by genre --save-counts out/x.counts --rate-plot out/r.svg
score in/plain/key.conll in/plain/response.conll --window 4,all --plot out/x.svg --jobs 2
score in/tables/key.csv in/tables/response.csv --engine duckdb
score in/large/key.conll.gz in/large/response.zip --by document
explain in/plain/key.conll in/plain/response.conll
diagnose in/large/key.conll in/large/response.conll --write out/errors.conll --jobs 2
view in/large/key.conll in/large/response.conll in/large/other.conll out/page.html --jobs 2
pair in/plain/key.conll in/plain/response.conll --twinless out/twinless.csv
compare in/large/key.conll in/large/response.conll in/large/other.conll --plot out/x.svg --jobs 2
compare in/sets/key.d in/sets/response.d in/sets/other.d --save-counts out/counts
correlate in/plain/key.conll in/plain/response.conll in/plain/other.conll same=in/plain/key.conll --plot out/x.svg
counts merge in/response.counts in/shard.counts out/all.counts
history add out/history.jsonl in/response.counts --label v3 --date 2020-01-01
history show in/history.jsonl
history plot in/history.jsonl out/history.svg
check-submission in/plain/key.conll in/plain/response.conll
bundle in/plain/key.conll out/bundle.zip
validate in/large/response.conll in/plain/response.conll --jobs 2
convert in/large/key.conll out/x.jsonl
convert in/large/key.conll out/x.jsonl.gz
convert in/plain/key.conll out/brat/ --to brat
convert in/plain/key.conll out/xmi/ --to xmi
convert in/plain/key.conll out/prompts.jsonl --to prompts
describe in/large/response.conll --against in/large/key.conll --jobs 2
db build out/new.duckdb key=in/plain/key.conll --response a=in/plain/response.conll --jobs 2
db add out/old.duckdb --response b=in/plain/other.conll
db replace out/old.duckdb key=in/plain/key.conll
db remove out/old.duckdb key nw/a_0
db query in/plain.duckdb entities-by-size --format csv -o out/answer.csv
db query in/plain.duckdb entities-by-size -o out/answer.parquet --format parquet
db recipes
db check in/plain.duckdb
task layers in/layered out/layers
task join in/layers out/joined.conll
task assemble in/skeletons in/trees out/assembled --jobs 1
task split in/ids.txt out/lists
task skeleton in/layered out/skeletons
task conditions in/layered/a.v4_gold_conll out/mentions.conll --condition gold-mentions+gold-layers
agree in/plain/key.conll in/plain/response.conll --by document --plot out/agreement.svg
quiz make in/plain/key.conll out/quiz.jsonl
quiz score in/quiz.jsonl in/quiz-answers.jsonl
resolve in/large/key.conll out/x.conll --system sieve --jobs 2
resolve --train in/plain/key.conll --system mention-pair --model out/model.json
resolve in/plain/key.conll out/x.conll --system mention-pair --model in/model.json
tune in/plain/key.conll --system sieve --param window=0,1,2,3,4 --trials out/trials.jsonl --plot out/x.svg
tune in/large/key.conll --system sieve --param window=0,1,2 --trials out/trials.jsonl --jobs 2
ablate in/plain/key.conll --system sieve --parts exact,pronoun --plot out/x.svg
curve in/truth.csv in/pairs.csv --score probability --plot out/x.svg
sample in/samples/response.csv out/s.csv -n 6
estimate in/samples/key.csv in/samples/response.csv --by record --plot out/x.svg
plan in/samples/key.csv in/samples/response.csv --by record
minimal-pairs in/plain/key.conll in/plain/response.conll --labels in/items.csv --template id --factor pronoun
sweep in/plain/key.conll in/plain/response.conll --steps 1 --repeats 2 -m conll --plot out/x.svg
sweep in/plain/key.conll in/plain/response.conll --steps 1 --repeats 2 -m conll --write out/steps
probe in/plain/key.conll --samples 5 --chains 2 -m bcub --plot out/x.svg
probe in/plain/key.conll --samples 5 --chains 2 -m bcub --write out/probes
list metrics
show ceafe
demo --write out
conll-scorer all in/plain/key.conll in/plain/response.conll
corefud-scorer in/zeros/key.conllu in/zeros/response.conllu
"""
EXAMPLES = tuple(_LINES.strip().splitlines())

# Commands that read, in damaged form, what is not text: {} is the damaged file.
READERS = {
    "in/table.parquet": "score {} in/tables/response.csv",
    "in/table.arrow": "score {} in/tables/response.csv",
    "in/table.parquet ": "score {} in/tables/response.csv --engine duckdb",
    "in/plain.duckdb": "score {}:key in/plain/response.conll",
    "in/large/key.conll.gz": "score {} in/large/response.conll",
    "in/large/response.zip": "score in/large/key.conll {}",
    "in/model.json": "resolve in/plain/key.conll out/x.conll --system mention-pair --model {}",
    "in/response.counts": "compare {} in/other.counts",
    "in/history.jsonl": "history show {}",
}

# An output that is continued or changed → what it is before.
EARLIER = {"out/history.jsonl": "in/history.jsonl", "out/old.duckdb": "in/plain.duckdb"}
LOGS = ("history.jsonl", "trials.jsonl")
# Lines whose outputs may not exist: they keep or refuse what is there.
FRESH = ("db build", "task assemble", "tune", "counts merge")
# Of the store, whose own tests go through its faults.
STORE = ("db build", "db add", "db replace", "db remove")


def command_of(line: str) -> str:
    """The command of a line, as the registry has it."""
    words = line.split()
    known = commands()
    two = " ".join(words[:2])
    return two if two in known else words[0]


def write_inputs(home: Path) -> None:
    """Write all inputs below a directory, but for those that need libraries with threads."""
    option_cases.write_inputs(home)
    source = home / "in"
    large = source / "large"
    large.mkdir()
    for side in option_cases.SIDES:
        text = (source / "plain" / f"{side}.conll").read_text("utf-8")
        copies = (re.sub(r"\b(nw|bc)/", rf"\1/{number}", text) for number in range(60))
        (large / f"{side}.conll").write_text("".join([text, *copies]), "utf-8")
    (large / "key.conll.gz").write_bytes(gzip.compress((large / "key.conll").read_bytes()))
    with zipfile.ZipFile(large / "response.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(large / "response.conll", "response.conll")
    layers = source / "layered"
    layers.mkdir()
    for name in "abc":
        (layers / f"{name}.v4_gold_conll").write_text(layered(f"nw/{name}"), "utf-8")
    (source / "ids.txt").write_text("bc/cctv/00/cctv_0000\nbc/cctv/00/cctv_0001\nnw/wsj/00/wsj_0001\n")
    (source / "skeletons").mkdir()
    (source / "trees" / "nw").mkdir(parents=True)
    for name in "abc":
        skeleton = f"#begin document (nw/{name}); part 000\nnw/{name} 0 0 [WORD] NN (1)\n\n#end document\n"
        (source / "skeletons" / f"{name}.v4_gold_skel").write_text(skeleton)
        (source / "trees" / "nw" / f"{name}.parse").write_text("(TOP (NN dog))\n")


def write_tables(home: Path) -> None:
    """Write the tables of pyarrow, which starts threads."""
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet

    source = home / "in"
    rows = [line.split(",") for line in (source / "tables" / "key.csv").read_text().splitlines()]
    table = pyarrow.table({name: [row[n] for row in rows[1:]] for n, name in enumerate(rows[0])})
    pyarrow.parquet.write_table(table, source / "table.parquet")
    pyarrow.feather.write_feather(table, source / "table.arrow")


# Lines that make further inputs.
MADE = (
    "db build in/plain.duckdb key=in/plain/key.conll --response a=in/plain/response.conll",
    "task layers in/layered in/layers",
    "resolve --train in/plain/key.conll --system mention-pair --model in/model.json",
)


def lacking(known: dict[str, click.Command]) -> list[str]:
    """The commands without an example."""
    return sorted(set(known) - {command_of(line) for line in EXAMPLES})
