"""Arrays of cluster labels, as of a clustering of scikit-learn."""

import numpy as np

import coreflens as cl

truth = np.array([0, 0, 1, 1, 2, 2])
found = np.array([5, 5, 5, 3, 1, 1])
result = cl.score(truth, found, metrics="ari,vmeasure,bcub")
print({name: round(score.main, 3) for name, score in result.items()})
