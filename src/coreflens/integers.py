"""Functions of numpy that take no integers wider than those of the platform.

Our columns have 64 bits everywhere. Where the platform's own integer has 32 (WebAssembly), numpy refuses such columns
as counts and as places, because some value might not fit. All of ours fit: they are below the length of an array in
memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_Array = npt.NDArray[Any]


def places(values: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Counts or places in an array, as wide as the platform wants them."""
    return np.asarray(values).astype(np.intp, copy=False)


def repeat(values: npt.ArrayLike, times: npt.ArrayLike, axis: int | None = None) -> _Array:
    """`np.repeat`: each value so many times."""
    return np.repeat(values, places(times), axis)


def bincount(codes: npt.ArrayLike, weights: npt.ArrayLike | None = None, minlength: int = 0) -> _Array:
    """`np.bincount`: how often each code occurs, or the sum of its weights. Counts have 64 bits."""
    if weights is not None:
        return np.bincount(places(codes), weights, minlength)
    return np.bincount(places(codes), minlength=minlength).astype(np.int64, copy=False)
