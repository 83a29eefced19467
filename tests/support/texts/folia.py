"""A document of FoLiA: heads, a discontinuous mention, a correction, speakers, a layer that is not coreference."""

from __future__ import annotations

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<FoLiA xmlns="http://ilk.uvt.nl/folia" version="2.5" xml:id="meeting">
<metadata><annotations><coreference-annotation set="x"/></annotations></metadata>
<text xml:id="meeting.text">
<event class="turn" speaker="Ann">
<s xml:id="s1">
<t>The old fox, she said, slept.</t>
<w xml:id="w1"><t>The</t><pos class="DT"/></w>
<w xml:id="w2"><t>old</t><t class="ocr">0ld</t></w>
<w xml:id="w3" space="no"><t>f<t-style>o</t-style>x</t><lemma class="fox"/></w>
<w xml:id="w4"><t>,</t></w>
<correction><new><w xml:id="w5"><t>she</t></w></new><original><w xml:id="w0"><t>shee</t></w></original></correction>
<w xml:id="w6" space="no"><t>slept</t><sense class="1"/></w>
<w xml:id="w7"><t>.</t></w>
<entities><entity class="animal"><wref id="w3"/></entity></entities>
</s>
</event>
<p><w xml:id="w8"><t>It</t></w><w xml:id="w9"><t>woke</t></w></p>
<coreferences>
<coreferencechain xml:id="c1" class="animal">
<coreferencelink xml:id="l1"><wref id="w1"/><wref id="w2"/><hd><wref id="w3"/></hd></coreferencelink>
<coreferencelink><wref id="w8" t="it"/><feat subset="level" class="sense"/></coreferencelink>
</coreferencechain>
<coreferencechain xml:id="c2">
<coreferencelink><hd><wref id="w5"/><wref id="w7"/></hd></coreferencelink>
</coreferencechain>
</coreferences>
</text>
</FoLiA>
"""
