"""CoNLL-U with all that CorefUD has."""

from __future__ import annotations

FULL = """\
# newdoc id = first
# global.Entity = eid-etype-head-minspan-link
# sent_id = 1
# text = The cat's own
1\tThe\tthe\tDET\tDT\tA=b\t2\tdet\t2:det\tEntity=(e1-animal-2-2-x:y(e2-person-1
2-3\tcat's\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tcat\tcat\tNOUN\tNN\t_\t0\troot\t0:root\tAlign=1|Entity=e2)e1)|Gloss=c
3\t's\t's\tPART\tPOS\t_\t2\tcase\t2:case\t_
3.1\t_\t_\tPRON\t_\t_\t_\t_\t2:nsubj\tBridge=e1<e3:part,e2<e3|Entity=(e3--1)

# sent_id = 2
1\tThey\tthey\tPRON\tPRP\t_\t0\troot\t0:root\tEntity=(e4[1/2]-person-2)|SplitAnte=e1<e4,e2<e4
2\tboth\tboth\tADV\tRB\t_\t1\tadvmod\t1:advmod\t_
3\town\town\tADJ\tJJ\t_\t1\tamod\t1:amod\tEntity=(e4[2/2]-person-2)

# newdoc id = second
# meta = x
1\tHe\the\tPRON\tPRP\t_\t0\troot\t0:root\tEntity=(e1-animal-1)

"""
