"""WebAnno TSV: chains, and relations between spans."""

from __future__ import annotations

CHAINS = r"""#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|coarseValue|PosValue
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Lemma|value
#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation
#T_RL=de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency|DependencyType|BT_x.POS


#Text=He shot his dog .
1-1 0-2 He PRON PRP he pr[1] coref->1-1 nsubj 1-2
1-2 3-7 shot VERB VBD shoot _ _ root 1-2
1-3 8-11 his PRON PRP$ he pr[1]|*[2] ana->1-2|*->2-1 poss 1-4
1-4 12-15 dog NOUN NN dog *[2] *->2-1 obj 1-2
1-5 15-16 \\ PUNCT . \_ _ _ punct 1-2

#Text=He wept .
2-1 17-19 He PRON PRP he pr\_x[1] *->1-3 nsubj 2-2
2-2 20-24 wept VERB VBD weep _ _ root 2-2
2-3 25-26 . PUNCT . . _ _ punct 2-2
""".replace(" ", "\t").replace("#FORMAT=WebAnno\tTSV\t3.3", "#FORMAT=WebAnno TSV 3.3")

LINKS = """#FORMAT=WebAnno TSV 3.2
#T_SP=webanno.custom.Referent|entity|infstat
#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent


#Text=Mary met Mr. Fox 's wife , and she met them .
1-1 0-4 Mary person new coref|bridge:aggr 1-9|1-11[0_0]
1-2 5-8 met _ _ _ _
1-3 9-12 Mr. person[2]|person[3] new[2]|new[3] bridge:aggr 1-11[0_3]
1-4 13-16 Fox person[2]|person[3] new[2]|new[3] _ _
1-5 17-19 's person[2]|person[3] new[2]|new[3] _ _
1-6 20-24 wife person[3] new[3] _ _
1-7 25-26 , _ _ _ _
1-8 27-30 and _ _ _ _
1-9 31-34 she person giv:act ana 2-1[4_0]
1-10 35-38 met _ _ _ _
1-11 39-43 them person giv _ _

#Text=The girl 's hat
2-1 44-47 The person[4]|object[5] giv[4]|new[5] bridge:def 2-1[5_4]
2-2 48-52 girl person[4]|object[5] giv[4]|new[5] _ _
2-3 53-55 's person[4]|object[5] giv[4]|new[5] _ _
2-4 56-59 hat object[5] new[5] _ _
""".replace(" ", "\t").replace("#FORMAT=WebAnno\tTSV\t3.2", "#FORMAT=WebAnno TSV 3.2")
