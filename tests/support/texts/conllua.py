"""CONLL-UA with all that it has, and KorKor's pointers."""

from __future__ import annotations

COLUMNS = "# global.columns = ID FORM MISC IDENTITY BRIDGING DISCOURSE_DEIXIS REFERENCE NOM_SEM\n"

FULL = (
    COLUMNS
    + """\
# newdoc id = x/1
# speaker = A
1     a   _  (EntityID=1|MarkableID=m1|Min=2|SemType=dn|ElementOf=5,6  _  _  _  (MarkableID=m1|Entity_Type=person
2     b   _  )  _  (EntityID=1-DD|MarkableID=dd1|Min=2  _  )
2.1   _   _  (EntityID=2|MarkableID=m2)  (MarkableID=m2|Rel=poss|MentionAnchor=m1|EntityAnchor=1)  )  _
3     c   _  (EntityID=5|MarkableID=m3(EntityID=6|MarkableID=m4  _  (EntityID=1-DD|MarkableID=m4)  _

4     d   Q=1  ))(EntityID=3-Pseudo|MarkableID=m5)  _  _
5     e   _  (EntityID=5|MarkableID=m3)  _
"""
)

POINTERS = """\
# global.columns = ID FORM LEMMA COREFHEAD COREFTYPE ZERO_SUBJ
# sent_id = 1
1\tAnna\tAnna\t_\t_\t_
2\tház\tház\t_\t_\tYES

3\tő\tő\t1:1\tprs\t_
4\tajtó\tajtó\t1:2\tholo\t_
5\tő\tő\t2:3\tcoref\t_
6\tki\tki\t_\tarb\t_
"""
