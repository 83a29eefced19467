"""MUC's SGML, and xrenner's."""

from __future__ import annotations

MUC = """<DOC>
<DOCID> wsj-1 </DOCID>
<HL><COREF ID="9" STATUS="OPT">Keys</COREF> &amp; locks</HL>
<TXT>
<COREF ID="0" MIN="Alice">Alice Bell of AT&T</COREF> lost <COREF ID=2 TYPE=IDENT REF="9"><COREF ID='1' type="IDENT" REF="0">her</COREF>
keys</COREF>, <COREF ID="3" REF="0" TYPE="PART">an arm</COREF> and <ENAMEX TYPE="ORG">&MD; &#65;</ENAMEX>.
</TXT>
</DOC>
<DOC><DOCNO>wsj-2</DOCNO><TXT><COREF ID="0">It</COREF> is 1 < 2.</TXT></DOC>
"""  # noqa: E501

XRENNER_TEXT = (
    '<referent id="r1" entity="time" group="6">\nMay\n7\n</referent>\n&amp;\n'
    '<referent id="r2" group="6" antecedent="r1" type="ana">\nit\n</referent>\n'
)
