"""The derivation of BLANC: link sets, their counts, and the boundary case if there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from ..corpus.model import IntArray
from ..metrics import blanc as metric
from ..metrics.links import links
from ..scoring.scores import Number, rounded
from .scene import Details, Scene, derives, entity_sheet, paper_f1, scalar, shares
from .structure import Cell, Sheet, Step, figure, figures
from .trace import Half

LINK_SETS = "{link sets}"  # for a page, which writes these lines
_LISTED = 12  # up to this number of mentions, the links are listed one by one


@derives(metric.blanc, folds=True)
def blanc(scene: Scene) -> list[Step]:
    """Link sets and counts, R, P and F of either kind, and their means or the boundary case (Luo et al. 2014)."""
    c = scene.counts
    parts = {kind: _part(c[f"{kind}_common"], c[f"{kind}_key"], c[f"{kind}_response"]) for kind in ("coref", "non")}
    rows: list[tuple[Cell, ...]] = [
        (letter, *(c[f"{kind}_{side}"] for side in ("key", "response", "common")), *parts[kind])
        for letter, kind in (("C", "coref"), ("N", "non"))
    ]
    sheet = Sheet(("links", "key", "response", "common", "R", "P", "F"), tuple(rows))
    what = "C: links inside an entity; N: links across entities of one side."
    lists = link_sets(scene)
    entities = [] if lists else _by_entity(scene)
    counts = Step("Links", (what, *lists), sheet, tuple(_paper_parts(scene, parts)) if scene.paper else ())
    return [*entities, counts, *_fates(scene), Step("Result", tuple(_means(scene, parts)))]


def _part(common: Number, key: Number, response: Number) -> tuple[Number, Number, Number]:
    """R, P, F of one kind of link. 0/0 is 0."""
    pairs = ((common, key), (common, response), (2 * common, key + response))
    r, p, f = (x / y if y else x * 0 for x, y in pairs)
    return r, p, f


def _fates(scene: Scene) -> list[Step]:
    """Where the links of each kind are on the other side: the sets of eq. 9 to 14 of Luo et al. (2014).

    T: all links of a side. A link of C_k is in C_r, in N_r, or in neither if one of its mentions is missing there.
    Nothing is shown if repetitions count as in scorer.pl, because then a link may be in both C and N.
    """
    if scene.repeating:
        return []
    t, c = scene.table, scene.counts
    common = scene.once(
        (scene.metric.name, "common"),
        lambda: [t.cells(links(t.n)), t.keys(links(t.key_common)), t.responses(links(t.response_common))],
    )
    both, kept_key, kept_response = (scalar(x[scene.shown].sum()) for x in common)
    split, merged = kept_key - both, kept_response - both
    rows: tuple[tuple[Cell, ...], ...] = (
        ("C_k", both, split, c["coref_key"] - kept_key, c["coref_key"]),
        ("N_k", merged, c["non_common"], c["non_key"] - merged - c["non_common"], c["non_key"]),
        ("not in T_k", c["coref_response"] - kept_response, c["non_response"] - split - c["non_common"], "", ""),
    )
    total = ("sum", c["coref_response"], c["non_response"], "", "")
    what = "How the response treats each link of the key. T_k and T_r are all links of a side."
    return [Step("Links of both sides", (what,), Sheet(("", "C_r", "N_r", "not in T_r", "sum"), rows, total))]


def link_sets(scene: Scene) -> list[str]:
    """`C_k = {ab, ac, bc}` and so on, for few mentions."""
    alignment, names = scene.recall.alignment, scene.names
    if len(scene.shown) > 1 or len(scene.rows(alignment)) > _LISTED:
        return []
    if scene.folded:
        return [LINK_SETS]
    rows = scene.rows(alignment).tolist()
    called = {row: names.mention(alignment, row) for row in rows}
    joint = "" if all(len(name) == 1 for name in called.values()) else "–"
    mention = {row: row for row in rows}
    if scene.repeating:  # the repetitions of a mention count as one mention
        first = {int(alignment.mention[row]): row for row in reversed(rows)}
        mention = {row: first[int(alignment.mention[row])] for row in rows}
    key = _linked(alignment.key, rows, mention)
    response = _linked(alignment.response, rows, mention)
    lines = []
    for kind in "CN":
        sets = {"k": key[kind], "r": response[kind], f"k ∩ {kind}_r": key[kind] & response[kind]}
        for side, links_of_side in sets.items():
            pairs = [joint.join(called[row] for row in pair) for pair in sorted(links_of_side)]
            lines.append(f"{kind}_{side} = " + (f"{{{', '.join(pairs)}}}" if pairs else "∅"))
    return lines


def _linked(entity: IntArray, rows: Sequence[int], mention: Mapping[int, int]) -> dict[str, set[tuple[int, int]]]:
    """The links of a side among some mentions: C inside an entity, N across entities. A pair is in the order of its
    mentions."""
    of = dict(zip(rows, entity[rows].tolist(), strict=True))
    found: dict[str, set[tuple[int, int]]] = {"C": set(), "N": set()}
    for a, b in combinations([row for row in rows if of[row] >= 0], 2):
        first, second = sorted((mention[a], mention[b]))
        found["C" if of[a] == of[b] else "N"].add((first, second))
    return found


def _by_entity(scene: Scene) -> list[Step]:
    """Coreference links of each entity: those that are kept, and all."""
    steps = []
    for half in (scene.recall, scene.precision):
        names = {"links kept": "coref_common", "links": f"coref_{half.side}"}
        steps.append(links_of(scene, half, names, f"Coreference links of the {half.side}"))
    return steps


def links_of(scene: Scene, half: Half, names: dict[str, str], title: str) -> Step:
    adds = shares(half, names)
    kept, every = (share.values for share in adds.values())
    sizes = Details([f"|{half.letter}|"], lambda half, entities: [[int(half.sizes[e])] for e in entities], ("size",))
    loss = scene.once((scene.metric.name, half.which, "loss"), lambda: every - kept)
    return Step(title, (), entity_sheet(scene, half, adds, loss, sizes))


def _paper_parts(scene: Scene, parts: dict[str, tuple[Number, Number, Number]]) -> list[str]:
    return [paper_f1(scene, name, *parts[kind][:2]) for name, kind in (("F_c", "coref"), ("F_n", "non"))]


def _means(scene: Scene, parts: dict[str, tuple[Number, Number, Number]]) -> list[str]:
    c, by_key = scene.counts, scene.options.blanc == "perl"
    none = {k: c[f"{k}_key"] == 0 and (by_key or c[f"{k}_response"] == 0) for k in ("coref", "non")}
    rule = f"--blanc {scene.options.blanc}"
    lines = []
    if all(none.values()):
        same = c["mentions_common"] == c["mentions_key"] == c["mentions_response"]
        if by_key:
            lines.append(f"Boundary case ({rule}): the key has no link at all, and the score is 0.")
        else:
            lines.append(
                f"Boundary case ({rule}): neither side has a link; 1 if the mentions are the same, else 0. "
                f"They are{'' if same else ' not'}."
            )
    elif none["coref"] or none["non"]:
        left, kind = ("N", "coreference") if none["coref"] else ("C", "non-coreference")
        who = "the key has" if by_key else "both sides have"
        lines.append(f"Boundary case ({rule}): {who} no {kind} link, and only {left} counts.")
    for name, letter, place in (("recall", "R", 0), ("precision", "P", 1), ("f1", "F", 2)):
        title = "BLANC" if name == "f1" else letter
        value = getattr(scene.score, name)
        if any(none.values()):
            only = "" if all(none.values()) else f"{letter}_{'n' if none['coref'] else 'c'}"
            lines.append(scene.equation(title, *([only] if only else [figure(value)]), value=value))
            continue
        x, y = parts["coref"][place], parts["non"][place]
        if scene.paper:
            value = _paper_mean(scene, parts, place)
            shown = [f"{float(v):.{scene.digits}f}" for v in _paper_pair(scene, parts, place)]
            lines.append(f"{title} = ({shown[0]} + {shown[1]})/2 = {scene.value(value)} of the rounded parts")
        else:
            sides = figures((x, y), decimals=4)
            lines.append(
                scene.equation(title, f"({letter}_c + {letter}_n)/2", f"({sides[0]} + {sides[1]})/2", value=value)
            )
    return lines


def _paper_pair(scene: Scene, parts: dict[str, tuple[Number, Number, Number]], place: int) -> list[Fraction]:
    """R_c and R_n, P_c and P_n, or F_c and F_n as a paper prints them: rounded, F from rounded R and P."""
    found = []
    for kind in ("coref", "non"):
        r, p = (rounded(x, scene.digits) for x in parts[kind][:2])
        f = rounded(2 * r * p / (r + p), scene.digits) if r + p else Fraction(0)
        found.append((r, p, f)[place])
    return found


def _paper_mean(scene: Scene, parts: dict[str, tuple[Number, Number, Number]], place: int) -> Fraction:
    return rounded(sum(_paper_pair(scene, parts, place), Fraction(0)) / 2, scene.digits)
