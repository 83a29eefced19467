"""coreflens beside the scorers of Universal Anaphora, on random documents and on damaged real ones.

    UA_SCORER=DIR UA_PYTHON=PYTHON python bench/anaphora_live.py 500 [FILE.CONLLUA ...]

UA_SCORER is a checkout of corefud-scorer, which holds the Universal Anaphora scorer 2.0, and UA_PYTHON the Python that
has its requirements. Every pair is scored in six settings. BLANC with split antecedents has two faults in the tool: a
link counts f only if the split antecedent happens to come first in a list, and one that met nobody counts as the equal
one of the response, which may have met another. It is computed twice, as the tool does it and with both mended.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import coreflens as cl
from anaphora_cases import damaged, document, documents, written

# Run by the tool's Python: it answers a line of JSON with a line of JSON.
DRIVER = """
import json, logging, sys
logging.disable(logging.CRITICAL)
sys.path.insert(0, ".")
from scorer.ua.reader import UAReader
from scorer.eval import evaluator as e
def same(clusters, alignment):
    return {frozenset(alignment.get(m, m) for m in cluster) for cluster in clusters}
def mended(inside):  # every link by the product of what its ends share; a split antecedent that met nobody has no link
    def blanc(response, key, home, alignment, sets={}):
        if key and not any(isinstance(c, list) for c in key) and same(key, alignment) == same(response, {}):
            return 1 + 1e-12, 1, 1 + 1e-12, 1  # equal sets of antecedents, which go first where sums are equal
        ends = []
        for number, cluster in enumerate(key):
            for m in cluster:
                other, weight = sets.get(m, (None, 0)) if m.is_split_antecedent else (alignment.get(m, m), 1)
                ends.append((number, home.get(other), weight if other in home else 0))
        pairs = ((a, b) for i, a in enumerate(ends) for b in ends[i + 1 :] if (a[0] == b[0]) == inside)
        common = sum(a[2] * b[2] for a, b in pairs if (a[1] == b[1]) == inside)
        links = []
        for side in (response, key):
            n, within = sum(map(len, side)), sum(len(c) * (len(c) - 1) / 2 for c in side)
            links.append(within if inside else n * (n - 1) / 2 - within)
        return common, links[0], common, links[1]
    return blanc
metrics = {"muc": e.muc, "bcub": e.b_cubed, "ceafe": e.ceafe, "ceafm": e.ceafm, "blanc": [e.blancc, e.blancn]}
metrics["lea"] = e.lea
for line in sys.stdin:
    how = json.loads(line)
    paths = how.pop("paths")
    try:
        reader = UAReader(format="ua", **how)
        reader.get_coref_infos(*paths)
        infos = reader.doc_discourse_deixis_infos if "evaluate_discourse_deixis" in how else reader.doc_coref_infos
        found = {n: list(map(float, e.evaluate_documents(infos, m))) for n, m in metrics.items()}
        order = False
        if "keep_split_antecedents" in how:
            as_it_is, own = found["blanc"], (e.blancc, e.blancn)
            e.blancc, e.blancn = mended(True), mended(False)  # the tool knows its metrics by these names
            found["blanc"] = list(map(float, e.evaluate_documents(infos, [e.blancc, e.blancn])))
            e.blancc, e.blancn = own
            order = any(abs(a - b) > 1e-9 for a, b in zip(found["blanc"], as_it_is))
            for n, m in metrics.items():
                found["split-" + n] = list(map(float, e.evaluate_documents(infos, m, only_split_antecedent=True)))
        if "keep_bridging" in how:
            names = ("bridging-recognition", "bridging-mention", "bridging-entity")
            found |= dict(zip(names, map(list, e.evaluate_bridgings(reader.doc_bridging_infos))))
            found["nonreferring"] = list(e.evaluate_non_referrings(reader.doc_non_referring_infos))
    except BaseException as error:
        found = {"error": repr(error)}
    print(json.dumps([found, order] if "error" not in found else [found, False]), flush=True)
"""
BESIDE = {"keep_bridging": True, "keep_non_referring": True}
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "split": ({"keep_singletons": True, "keep_split_antecedents": True}, {}),
    "plain": ({"keep_singletons": True, **BESIDE}, {"split_antecedents": "drop"}),
    "singletons": ({**BESIDE}, {"split_antecedents": "drop", "singletons": "drop-before"}),
    "min": ({"keep_singletons": True, "match": "partial-corefud"}, {"split_antecedents": "drop", "match": "min"}),
    "craft": ({"keep_singletons": True, "match": "partial-craft"}, {"split_antecedents": "drop", "match": "craft"}),
    "deixis": (
        {"keep_singletons": True, "keep_split_antecedents": True, "evaluate_discourse_deixis": True},
        {"layer": "deixis"},
    ),
}


def main(pairs: int, paths: list[str], seed: int = 0) -> int:
    """Compare so many pairs; the number of runs that can't be explained."""
    python, tool = os.environ["UA_PYTHON"], os.environ["UA_SCORER"]
    ran = subprocess.Popen([python, "-c", DRIVER], cwd=tool, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert ran.stdin is not None
    assert ran.stdout is not None
    random, tally = Random(seed), Counter[str]()
    real = [doc for path in paths for doc in documents(cl.read(path)) if doc.markables]
    for number in range(pairs):
        docs = [random.choice(real)] if real and number % 4 == 0 else [document(random, f"d{n}") for n in range(2)]
        others = [damaged(doc, random, random.choice((0.1, 0.3, 0.6))) for doc in docs]
        if not all(doc.markables for doc in (*docs, *others)):
            continue
        for name, (theirs, ours) in SETTINGS.items():
            with tempfile.TemporaryDirectory() as folder:
                files = [
                    written(d, Path(folder, f"{n}.CONLLUA"), name == "deixis")
                    for n, d in zip("kr", (docs, others), strict=True)
                ]
                ran.stdin.write(json.dumps({"paths": list(map(str, files)), **theirs}) + "\n")
                ran.stdin.flush()
                tool_says, order = json.loads(ran.stdout.readline())
                verdict = _verdict(tool_says, files, ours)
                verdict += " once BLANC is mended" * (order and verdict == "equal")
                tally[f"{name}: {verdict}"] += 1
                if verdict.startswith("other") and tally[f"{name}: {verdict}"] < 2 and "KEEP" in os.environ:
                    for n, file in zip("kr", files, strict=True):
                        Path(os.environ["KEEP"], f"{name}-{n}.CONLLUA").write_bytes(file.read_bytes())
    ran.stdin.close()
    print(*(f"{count:6} {what}" for what, count in sorted(tally.items())), sep="\n")
    return sum(count for what, count in tally.items() if ": other" in what)


def _verdict(tool: dict[str, Any], files: list[Path], how: dict[str, Any]) -> str:
    if "error" in tool:
        return f"the tool fails: {tool['error'][:60]}"
    found = cl.score(*files, protocol="ua", metrics=list(tool), no_common="score", **how)
    differ = []
    for name, numbers in tool.items():
        own = [float(x or 0) for x in found[name].numbers().values()]
        if any(abs(a - b) > 1e-9 for a, b in zip(own, numbers, strict=True)):
            differ.append(name)
    if not differ:
        return "equal"
    return f"other: {', '.join(differ)}"


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), sys.argv[2:], int(os.environ.get("SEED", "0")))))
