"""The CoNLL-2011 shared task as a workbench (Pradhan et al. 2011).

assembly     skeletons and a licensed treebank → .conll
layers       .conll ↔ .parse, .name, .coref
partition    Algorithm 1: training, development and test
conditions   gold mention boundaries and gold mentions, as inputs for systems
"""

__all__ = ["assembly", "conditions", "layers", "partition"]
