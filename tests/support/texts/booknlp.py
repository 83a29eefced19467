"""BookNLP's entities, and the tokens beside them."""

from __future__ import annotations

ENTITIES = """COREF\tstart_token\tend_token\tprop\tcat\ttext
7\t0\t1\tPROP\tPER\tEmma Woodhouse
8\t3\t4\tNOM\tFAC\ther house
7\t3\t3\tPRON\tPER\ther
"""

TOKENS = """paragraph_ID\tsentence_ID\ttoken_ID_within_sentence\ttoken_ID_within_document\tword\tlemma\tPOS_tag\tfine_POS_tag\tdependency_relation\tsyntactic_head_ID\tevent
0\t0\t0\t0\tEmma\tEmma\tPROPN\tNNP\tcompound\t1\tO
0\t0\t1\t1\tWoodhouse\tWoodhouse\tPROPN\tNNP\tROOT\t1\tO
0\t1\t0\t2\t"\t"\tPUNCT\t``\tpunct\t4\tO
0\t1\t1\t3\ther\ther\tPRON\tPRP$\tposs\t4\tO
0\t1\t2\t4\thouse\thouse\tNOUN\tNN\tROOT\t4\tEVENT
"""  # noqa: E501
