"""Spans with exclusive ends: a warning says so, and it can be made an error."""

import warnings

import coreflens as cl

gold = [[(0, 1), (5, 6)], [(3, 4), (8, 9)]]
exclusive = [[(start, end + 1) for start, end in cluster] for cluster in gold]

with warnings.catch_warnings():
    warnings.simplefilter("error", cl.Suspicion)
    try:
        cl.score(gold, exclusive)
    except cl.Suspicion as suspicion:
        print(suspicion)
    print(cl.score(gold, gold).conll)
