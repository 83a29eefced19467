"""A corpus: a list of documents, or a dict from names to documents."""

import coreflens as cl

gold = [[[(0, 1), (2, 3)], [(5, 6), (7, 8)]], [[(0, 1), (4, 5)], [(8, 9), (10, 11)]]]
predicted = [[[(0, 1), (2, 3)], [(5, 6), (7, 8)]], [[(0, 1)], [(4, 5), (8, 9), (10, 11)]]]

listed = cl.score(gold, predicted)
named = cl.score({"news": gold[0], "story": gold[1]}, {"news": predicted[0], "story": predicted[1]})
print(listed.conll == named.conll, f"{named.conll:.3f}")
for name, scores in named.by_document().items():
    print(name, f"{scores.conll:.3f}")
