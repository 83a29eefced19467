"""The CoNLL-2011 shared task as a workbench (Pradhan et al. 2011).

assembly     skeletons and a licensed treebank → .conll
layers       .conll ↔ .parse, .name, .coref
quality      predicted layers compared with gold ones
skeletons    .conll without its words
partition    Algorithm 1: training, development and test
conditions   what systems are given: predicted layers, gold boundaries or gold mentions
"""

__all__ = ["assembly", "conditions", "layers", "partition", "quality", "skeletons"]
