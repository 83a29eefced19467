"""A training loop: one document at a time, the key first; or batches, predictions first."""

import coreflens as cl
from coreflens.integrations import CorefMetric

gold = [[["John", "he"], ["Mary", "she"]], [["Ann", "her", "she"]]]


def predict(epoch: int) -> list[list[list[str]]]:
    """A model that learns."""
    return gold if epoch == 2 else [[["John", "Mary"]], [["Ann", "she"]]] if epoch == 1 else [[], []]


metric = CorefMetric(metrics="conll")
for epoch in range(3):
    accumulator = cl.Accumulator(metrics="conll")
    for key, response in zip(gold, predict(epoch), strict=True):
        accumulator.update(key, response)
    metric.reset()
    metric.update(predict(epoch), gold)
    assert metric.compute()["conll"] == accumulator.compute().conll
    print(epoch, f"{accumulator.compute().conll:.3f}")
