"""Two lists of clusters, as spans of words."""

import coreflens as cl

gold = [[(0, 1), (5, 5), (9, 9)], [(3, 3), (7, 8)]]
predicted = [[(0, 1), (5, 5)], [(3, 3), (7, 8), (9, 9)]]

result = cl.score(gold, predicted, metrics="conll")
print(result)
print(f"MUC F1 {result['muc'].f1:.3f}, CoNLL {result.conll:.3f}")
