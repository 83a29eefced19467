"""Two systems: which is better, with intervals, as an Arrow table for polars."""

import polars as pl

import coreflens as cl

gold = {str(n): [["a", "b", "c"], ["d", "e"]] for n in range(20)}
one = {str(n): [["a", "b"], ["d", "e"]] for n in range(20)}
two = {str(n): [["a", "b"], ["d", "e"]] if n % 2 else [["a", "b", "d"]] for n in range(20)}

comparison = cl.compare(gold, {"one": one, "two": two}, metrics="conll", resamples=200)
table = pl.from_arrow(comparison.to_arrow())
assert isinstance(table, pl.DataFrame)
print(table.filter(pl.col("metric") == "conll")["system"].to_list())
print(cl.score(gold, two).bootstrap(200).main("conll").low < cl.score(gold, one).conll)
