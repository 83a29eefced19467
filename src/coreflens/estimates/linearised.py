"""Values of ratios and of F1 from draws, with the standard error and the bias of their first and second order."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, sqrt

from .draws import Draws
from .ratios import Numbers, Ratio


@dataclass(frozen=True, eq=False)
class Linear:
    """A value and its linearised value z for each draw, so that se = √V(z, z).

    bias        of the second order
    effective   effective draws of the denominator
    """

    value: float
    z: Numbers
    se: float
    bias: float
    effective: float


def of_ratio(draws: Draws, ratio: Ratio) -> Linear | None:
    """X̂/D̂ with z = (x − v·y)/D̂ and the bias −V(z, y)/D̂. None if the denominator is 0."""
    whole = draws.total(ratio.denominator)
    if not whole > 0:
        return None
    value = draws.total(ratio.numerator) / whole
    z: Numbers = (ratio.numerator - value * ratio.denominator) / whole
    bias = -draws.covariance(z, ratio.denominator) / whole
    return Linear(value, z, _root(draws.covariance(z, z)), bias, draws.effective(ratio.denominator))


def of_f1(draws: Draws, recall: Linear, precision: Linear) -> Linear:
    """2PR/(P+R) with z = h_P z_P + h_R z_R, h_P = 2R²/(P+R)², h_R = 2P²/(P+R)². 0 without error if P = R = 0."""
    r, p = recall.value, precision.value
    both = p + r
    effective = min(recall.effective, precision.effective)
    if both == 0:
        nothing = float("nan") if draws.lonely else 0.0
        return Linear(0.0, 0 * recall.z, nothing, nothing, effective)
    h_p, h_r = 2 * r * r / both**2, 2 * p * p / both**2
    z: Numbers = h_p * precision.z + h_r * recall.z
    v_pp = draws.covariance(precision.z, precision.z)
    v_pr = draws.covariance(precision.z, recall.z)
    v_rr = draws.covariance(recall.z, recall.z)
    curved = (-4 * r * r * v_pp + 8 * p * r * v_pr - 4 * p * p * v_rr) / (2 * both**3)
    bias = h_p * precision.bias + h_r * recall.bias + curved
    return Linear(2 * p * r / both, z, _root(draws.covariance(z, z)), bias, effective)


def _root(variance: float) -> float:
    return variance if isnan(variance) else sqrt(max(variance, 0.0))
