"""A scene in TEI as GerDraCor has it, wrapped, with a mention over the end of a verse and one without words."""

from __future__ import annotations

PLAY = """<#root><?xml version="1.0" encoding="UTF-8"?>
<?xml-model href="x.rng"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="de" xml:id="fox">
<teiHeader><person xml:id="ann"><persName ref="#no">Ann</persName></person></teiHeader>
<text><!-- <rs ref="#x">no</rs> -->
<body><sp who="#ann">
<speaker><rs ref="#ann">ANN.</rs></speaker>
<l>I saw   <rs ref="#fox #animal" type="np"><emph>the</emph>
 fox</rs>, B&amp;O</l>
<l>and <rs ref="#den">the <rs ref="#fox">its</rs></l>
<l>den</rs><rs ref="#ann"> </rs>!<pb n="2"/></l>
</sp></body>
</text>
</TEI>
</#root>
"""
