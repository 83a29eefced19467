"""coreflens beside corefud-scorer on real files with damaged responses: thousands of runs, all settings.

    COREFUD_SCORER=DIR COREFUD_PYTHON=PYTHON python bench/corefud_live.py 500 FILE.conllu ...

COREFUD_SCORER is a checkout of the tool and COREFUD_PYTHON the Python that has its requirements. `coreflens
corefud-scorer` is to give its numbers always, and `--protocol corefud` wherever no fault of the tool is met. A run that
differs is explained only if the tool's own pairs of mentions give our numbers once its faults are mended one after the
other: ties (`--ties scipy` gives the tool's number then), one table for both directions, the place of a zero looked at
before its counterpart. Mentions in two entities have no defined number. Whatever has none of these is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import coreflens as cl
from coreflens.compat import corefud_scorer
from coreflens.compat.corefud_scorer.matching import Document
from coreflens.compat.corefud_scorer.mentions import Mention
from corefud_damage import Doc, conllu, copied, damage, documents, make_zeros

# Run by the tool's Python: it answers a line of JSON with a line of JSON.
DRIVER = """
import json, logging, sys
logging.disable(logging.CRITICAL)
sys.path.insert(0, ".")
from scorer.corefud.reader import CorefUDReader
from scorer.eval import evaluator as e
metrics = {"muc": e.muc, "bcub": e.b_cubed, "ceafe": e.ceafe, "ceafm": e.ceafm, "blanc": [e.blancc, e.blancn],
           "lea": e.lea, "mor": e.mention_overlap, "zero": e.als_zeros}
for line in sys.stdin:
    how = json.loads(line)
    paths = how.pop("paths")
    try:
        reader = CorefUDReader(keep_zeros=True, format="corefud", **how)
        reader.get_coref_infos(*paths)
        found = {n: list(map(float, e.evaluate_documents(reader.doc_coref_infos, m))) for n, m in metrics.items()}
    except BaseException as error:
        found = {"error": repr(error)}
    print(json.dumps(found), flush=True)
"""


def main(pairs: int, paths: list[str], seed: int = 0) -> int:
    """Compare so many damaged excerpts in all twelve settings; the number of runs that can't be explained."""
    python, tool = os.environ["COREFUD_PYTHON"], os.environ["COREFUD_SCORER"]
    ran = subprocess.Popen([python, "-c", DRIVER], cwd=tool, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert ran.stdin is not None
    assert ran.stdout is not None
    random, tally = Random(seed), Counter[str]()
    docs = [doc for path in paths for doc in documents(cl.read(path))]
    for _ in range(pairs):
        doc = copied(random.choice(docs))
        begin = random.randrange(max(1, len(doc.sentences) - 20))
        doc.sentences = doc.sentences[begin : begin + random.randint(3, 20)]
        here = doc.sentence_of()
        doc.entities = [e for entity in doc.entities if (e := [m for m in entity if m.head in here])]
        make_zeros(doc, random, random.random())
        damage(doc, random, 0)
        if not doc.entities:
            continue
        other = copied(doc)
        damage(other, random, random.choice((0.05, 0.15, 0.3, 0.6)))
        if random.random() < 0.75:  # a mention in two entities is another question, and hides the others
            for side in (doc, other):
                unrepeated(side)
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder, name)) for name in ("key.conllu", "system.conllu")]
            for file, side in zip(files, (doc, other), strict=True):
                Path(file).write_text(conllu([side]), "utf-8")
            for match in ("head", "partial", "exact"):
                for singletons in (True, False):
                    for zeros in ("dependent", "linear"):
                        named = {"partial": "partial-corefud"}.get(match, match)
                        how = {"match": named, "keep_singletons": singletons, "zero_match_method": zeros}
                        ran.stdin.write(json.dumps({"paths": files, **how}) + "\n")
                        ran.stdin.flush()
                        tally[_verdict(json.loads(ran.stdout.readline()), files, match, singletons, zeros)] += 1
    ran.stdin.close()
    print(*(f"{count:6} {what}" for what, count in tally.most_common()), sep="\n")
    return tally["other than the tool"] + tally["unexplained"]


def unrepeated(doc: Doc) -> None:
    """Leave out the mentions whose words are those of one before."""
    seen: set[frozenset[Any]] = set()
    for entity in doc.entities:
        for mention in list(entity):
            words = frozenset(doc.words(mention))
            if words in seen:
                entity.remove(mention)
            seen.add(words)
    doc.entities = [entity for entity in doc.entities if entity]


class _Mended(Document):
    """A document with a table for each direction, in which a mention that met nobody stands for nobody."""

    @cached_property
    def tables(self) -> tuple[dict[Mention, Mention], dict[Mention, Mention]]:
        return dict(self.pairs), {s: k for k, s in self.pairs}

    def of_key(self, mention: Mention) -> Any:
        return self.tables[0].get(mention)

    def of_response(self, mention: Mention) -> Any:
        return self.tables[1].get(mention)


class _MendedZeros(_Mended):
    """And its zeros are looked up there as well."""

    def of_zero(self, mention: Mention) -> Mention | None:
        return self.tables[0].get(mention)


def _verdict(tool: dict[str, Any], files: list[str], match: Any, singletons: bool, zeros: Any) -> str:
    if "error" in tool:
        return f"the tool fails: {tool['error'].partition('(')[0]}"
    key, system = map(cl.read, files)
    sums = corefud_scorer.found_by(key, system, list(tool), match, singletons, zeros).sums
    if _differ(tool, {name: corefud_scorer.scores(parts) for name, parts in sums.items()}):
        return "other than the tool"
    docs = corefud_scorer.documents_of(key, system, match, singletons, zeros)
    if _differ(tool, _scores(docs, tool)):
        return "other than the tool"
    kept: Any = "keep" if singletons else "drop-before"
    how: Any = {"protocol": "corefud", "match": match, "zeros": zeros, "singletons": kept, "no_common": "score"}
    ours: dict[str, dict[str, Any]] = {}
    for ties in ("definition", "scipy"):
        found = cl.score(key, system, metrics=list(tool), ties=ties, **how)
        ours[ties] = {name: tuple(float(x) for x in found[name].numbers().values()) for name in tool}
        if not _differ(tool, ours[ties]):
            return "equal" if ties == "definition" else "a tie"
    if any(issue.code.startswith("duplicates") for issue in found.issues):
        return "mentions in two entities"
    what = "zero alone" if _differ(tool, ours["scipy"]) == ["zero"] else "several scores"
    for kind, why in ((_Mended, "one table"), (_MendedZeros, "zeros by place")):
        mended = [kind(**{f.name: getattr(doc, f.name) for f in fields(doc)}) for doc in docs]
        if not _differ(_scores(mended, tool), ours["scipy"]):
            return f"{what}: {why}"
    print(match, singletons, zeros, tool, ours, *(Path(file).read_text("utf-8") for file in files))
    return "unexplained"


def _scores(docs: Sequence[Document], names: Iterable[str]) -> dict[str, Any]:
    return {name: corefud_scorer.scores(corefud_scorer.sums(docs, name)) for name in names}


def _differ(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    return [n for n in ours if any(abs(a - b) > 1e-9 for a, b in zip(ours[n], theirs[n], strict=True))]


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), sys.argv[2:], int(os.environ.get("SEED", "0")))))
