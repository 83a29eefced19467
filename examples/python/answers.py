"""Answers of a language model as JSON: a pair of documents at a time; what can't be read is told."""

import json

import coreflens as cl

gold = {"q1": [["John", "he"], ["Mary"]], "q2": [["Ann", "she", "her"]]}
answers = {"q1": '[["John", "he", "Mary"]]', "q2": '[["Ann", {"she": "her"}]]'}

accumulator = cl.Accumulator(metrics="conll")
for name, key in gold.items():
    try:
        accumulator.update(key, json.loads(answers[name]), name=name)
    except cl.InputError as error:
        print(f"{name}: {error.message}")
        accumulator.update(key, [], name=name)
print(f"{accumulator.compute().conll:.3f}")
