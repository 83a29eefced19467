"""The derivations of Rand, adjusted Rand and V-measure."""

from __future__ import annotations

from math import log

from ..metrics import partitions
from ..metrics.blanc import link_counts
from .blanc import link_sets, links_of
from .scene import Scene, derives, f1_step
from .structure import Step, figure


@derives(partitions.rand)
def rand(scene: Scene) -> list[Step]:
    """Pairs of mentions that both sides treat in the same way."""
    columns = scene.once((scene.metric.name, "links"), lambda: link_counts(scene.table))
    both, _, _, apart, _, _ = (column[scene.shown].sum() for column in columns)
    c = scene.counts
    lines = [
        f"Pairs together on both sides: {figure(both)}; apart on both sides: {figure(apart)}.",
        _value(scene, f"({figure(both)} + {figure(apart)})/{figure(c['pairs'])}", c["pairs"] == 0),
    ]
    return [Step("Result", (*link_sets(scene), *lines))]


@derives(partitions.ari)
def ari(scene: Scene) -> list[Step]:
    """Pairs together on both sides, compared with the number expected by chance."""
    c = scene.counts
    common, a, b, mentions = (c[name] for name in ("common_pairs", "key_pairs", "response_pairs", "mentions"))
    pairs = mentions * (mentions - 1) / 2
    steps = [
        links_of(
            scene, half, {"common pairs": "common_pairs", "pairs": f"{half.side}_pairs"}, f"Pairs of the {half.side}"
        )
        for half in (scene.recall, scene.precision)
    ]
    expected = a * b / pairs if pairs else a * 0
    greatest = (a + b) / 2
    lines = [
        f"E = A·B/L(M) = {figure(a)} · {figure(b)} / {figure(pairs)} = {figure(expected)}",
        f"(A + B)/2 = {figure(greatest)}",
    ]
    if greatest == expected:
        lines.append("(A + B)/2 = E: the same trivial partition on both sides, which counts as 1.")
        lines.append(_value(scene, "1", mentions == 0))
    else:
        e = figure(expected)
        lines.append(_value(scene, f"({figure(common)} − {e}) / ({figure(greatest)} − {e})", False))
    return [*steps, Step("Result", tuple(lines))]


@derives(partitions.vmeasure)
def vmeasure(scene: Scene) -> list[Step]:
    """The entropies, from Σ x log x over cells and entities."""
    c = scene.counts
    steps = []
    for half in (scene.recall, scene.precision):
        names = {"Σ n log n": "common_log", f"|{half.letter}| log |{half.letter}|": f"{half.side}_log"}
        steps.append(links_of(scene, half, names, f"{half.side.capitalize()} entities"))
    n = float(c["mentions"])
    if not n:
        return [*steps, Step("Result", ("No mention: 0/0.",)), f1_step(scene)]
    h_k, h_r = (log(n) - float(c[f"{side}_log"]) / n for side in ("key", "response"))
    k_r, r_k = ((float(c[f"{side}_log"]) - float(c["common_log"])) / n for side in ("response", "key"))
    lines = [
        f"H(K) = log {n:.0f} − {float(c['key_log']):.4f}/{n:.0f} = {abs(h_k):.4f}",
        f"H(R) = log {n:.0f} − {float(c['response_log']):.4f}/{n:.0f} = {abs(h_r):.4f}",
        f"H(K|R) = ({float(c['response_log']):.4f} − {float(c['common_log']):.4f})/{n:.0f} = {abs(k_r):.4f}",
        f"H(R|K) = ({float(c['key_log']):.4f} − {float(c['common_log']):.4f})/{n:.0f} = {abs(r_k):.4f}",
    ]
    for name, letter, own, conditional, entropy in (
        ("recall", "R", "H(R)", "H(R|K)", h_r),
        ("precision", "P", "H(K)", "H(K|R)", h_k),
    ):
        value = scene.value(getattr(scene.score, name))
        lines.append(
            f"{letter} = {value}, because {own} = 0"
            if entropy < 1e-12
            else f"{letter} = 1 − {conditional}/{own} = {value}"
        )
    return [*steps, Step("Result", tuple(lines)), f1_step(scene)]


def _value(scene: Scene, sides: str, zero_over_zero: bool) -> str:
    value = scene.score.value
    assert value is not None
    if zero_over_zero:
        return f"{scene.metric.title} = 0/0, --undefined {scene.options.undefined}: {scene.value(value, True)}"
    return scene.equation(scene.metric.title, sides, value=value)
