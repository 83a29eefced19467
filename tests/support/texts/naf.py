"""A document in NAF and, with other names, in KAF: a term of two words, a head, pieces, a word without a term."""

from __future__ import annotations

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<NAF xml:lang="en" version="v3">
<nafHeader><fileDesc title="x" filename="texts/fox.txt"/><public publicId="fox-1"/>
<linguisticProcessors layer="text"><lp name="x"/></linguisticProcessors></nafHeader>
<raw><![CDATA[New York's fox ate. It & he slept.]]></raw>
<text>
<wf id="w1" sent="1" para="1" offset="0" length="3">New</wf>
<wf id="w2" sent="1" para="1" offset="4" length="4">York</wf>
<wf id="w3" sent="1" para="1" offset="8" length="2">'s</wf>
<wf id="w4" sent="1" para="1" offset="11" length="3">fox</wf>
<wf id="w5" sent="1" para="1" offset="15" length="3">ate</wf>
<wf id="w6" sent="2" para="1" offset="20" length="2">It</wf>
<wf id="w7" sent="2" para="1" offset="23" length="1">&amp;</wf>
<wf id="w8" sent="2" para="1" offset="25" length="2">he</wf>
<wf id="w9" sent="2" para="1" offset="28" length="5">slept</wf>
</text>
<terms>
<term id="t1" lemma="New York" pos="R" morphofeat="NP"><span><target id="w1"/><target id="w2"/></span></term>
<term id="t2" lemma="'s" pos="O"><span><target id="w3"/></span></term>
<term id="t3" type="open" lemma="fox" pos="N" morphofeat="NN"><span><target id="w4"/></span></term>
<term id="t4" lemma="it"><span><target id="w6"/></span></term>
<term id="t5" lemma="&amp;"><span><target id="w7"/></span></term>
<term id="t6" lemma="he"><span><target id="w8"/></span></term>
</terms>
<deps><dep from="t3" to="t1" rfunc="nmod"/></deps>
<coreferences>
<coref id="co1" type="entity">
<span><target id="t1"/><target id="t2"/><target id="t3" head="yes"/></span>
<span><target id="t4"/></span>
<externalReferences><externalRef resource="dbpedia" reference="http://dbpedia.org/resource/Fox"/></externalReferences>
</coref>
<coref id="cob"><references><span><target id="t6"/><target id="t4"/></span></references></coref>
<coref id="co_x0020_c"><span><target id="w9"/></span></coref>
</coreferences>
</NAF>
"""

KAF = (
    DOCUMENT.replace("NAF", "KAF")
    .replace("nafHeader", "kafHeader")
    .replace("<wf id", "<wf wid")
    .replace("<term id", "<term tid")
    .replace("<coref id", "<coref coid")
)
