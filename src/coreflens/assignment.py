"""The exact best one-to-one alignment of key and response entities: CEAF's assignment (Luo 2005)."""

from __future__ import annotations
from heapq import heappop, heappush
from typing import Any
import numpy as np


def align(i, j, weight, keys, responses):
    chosen = np.zeros(len(i), dtype=bool)
    cell = np.arange(len(i))
    while len(cell):
        others = _largest_other(i, weight, keys) + _largest_other(j, weight, responses)
        good = np.flatnonzero(weight >= others)
        for group, size in ((i, keys), (j, responses)):
            first = np.full(size, -1, dtype=np.int64)
            first[group[good[::-1]]] = good[::-1]
            good = good[first[group[good]] == good]
        chosen[cell[good]] = True
        free_i, free_j = np.ones(keys, dtype=bool), np.ones(responses, dtype=bool)
        free_i[i[good]] = free_j[j[good]] = False
        open_ = np.flatnonzero(free_i[i] & free_j[j])
        i, j, weight, cell = i[open_], j[open_], weight[open_], cell[open_]
        if 20 * len(good) < len(cell) or not len(good):
            break
    if len(cell):
        chosen[cell[_match(i, j, weight)]] = True
    return chosen


def _largest_other(group, weight, groups):
    top = np.full(groups, weight.dtype.type(0), dtype=weight.dtype)
    np.maximum.at(top, group, weight)
    is_top = weight == top[group]
    second = np.full(groups, weight.dtype.type(0), dtype=weight.dtype)
    np.maximum.at(second, group[~is_top], weight[~is_top])
    ties = np.bincount(group[is_top], minlength=groups) > 1
    return np.where(is_top & ~ties[group], second[group], top[group])


def _match(i, j, weight):
    rows, i = np.unique(i, return_inverse=True)
    cols, j = np.unique(j, return_inverse=True)
    n, m = len(rows), len(cols)
    order = (
        np.lexsort((-weight if weight.dtype != object else np.array([-x for x in weight]), i))
        if weight.dtype != object
        else np.argsort(i, kind="stable")
    )
    bounds = np.searchsorted(i[order], np.arange(n + 1)).tolist()
    jj, ww = j[order].tolist(), weight[order].tolist()
    adj = [list(zip(jj[a:b], ww[a:b])) for a, b in zip(bounds, bounds[1:])]
    u = [max(w for _, w in edges) for edges in adj]
    v = [0] * m
    mate, owner = [-1] * n, [-1] * m
    for r in range(n):
        for c, w in adj[r]:
            if owner[c] < 0 and w == u[r]:
                mate[r], owner[c] = c, r
                break
    scans = 0
    for root in range(n):
        if mate[root] >= 0:
            continue
        dist = {}
        pred = {}
        heap = []
        done = []
        bound, end, last = u[root], -1, root
        r, d = root, 0
        while True:
            scans += 1
            base = d + u[r]
            for c, w in adj[r]:
                x = base - w + v[c]
                if x < d:
                    x = d
                if x < bound and (c not in dist or x < dist[c]):
                    dist[c], pred[c] = x, r
                    o = owner[c]
                    if o < 0:
                        bound, end = x, c
                    else:
                        if x + u[o] < bound:
                            bound, end, last = x + u[o], -1, o
                        heappush(heap, (x, c))
            while heap:
                d, c = heappop(heap)
                if d == dist[c]:
                    break
            else:
                break
            if d >= bound:
                break
            r = owner[c]
            done.append((c, r, d))
        u[root] -= bound
        for c, r, d in done:
            if d < bound:
                u[r] -= bound - d
                v[c] += bound - d
        if end < 0:
            if last == root:
                continue
            end = mate[last]
            mate[last] = -1
        while True:
            r = pred[end]
            owner[end] = r
            mate[r], end = end, mate[r]
            if r == root:
                break
    return np.array(mate)[i] == j
