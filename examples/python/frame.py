"""A DataFrame with a row per mention, and the scores as a DataFrame."""

import pandas as pd

import coreflens as cl

gold = pd.DataFrame({"doc": ["a", "a", "a", "b"], "mention": ["x", "y", "z", "x"], "entity": [1, 1, 2, 1]})
predicted = gold.assign(entity=[1, 1, 1, 1])

result = cl.score(gold, predicted)
print(result.to_frame()[["recall", "precision", "f1"]].round(3))
