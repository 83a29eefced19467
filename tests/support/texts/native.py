"""A document in the files in which OntoNotes is distributed, one per layer; written by us."""

from __future__ import annotations

_NAME = "bc/x/00/x_0001@0001@x@bc@en@on"

FILES: dict[str, str] = {
    "a.parse": """\
(TOP (S (NP-SBJ-1 (NNP Ann)
                  (NNP Bell))
        (VP (VBD tried)
            (S (NP-SBJ (-NONE- *PRO*-1))
               (VP (TO to)
                   (VP (VB help)
                       (NP (NNP Acme) (CC &) (NNP Co))))))
        (. .)))

(TOP (S (NP-SBJ (PRP She))
        (VP (VBD failed))
        (. .)))

(TOP (S (NP-SBJ (PRP I))
        (VP (VBD knew)
            (NP (PRP it)))
        (. .)))
""",
    "a.name": f"""\
<DOC DOCNO="{_NAME}">
<ENAMEX TYPE="PERSON">Ann Bell</ENAMEX> tried to help <ENAMEX TYPE="ORG">Acme -AMP- Co</ENAMEX> .
She failed .
I knew it .
</DOC>
""",
    "a.prop": f"""\
{_NAME} 0 2 gold try-v try.01 ----- 2:0-rel 0:1-ARG0 3:2-ARG1
{_NAME} 0 5 gold help-v help.01 ----- 5:0-rel 3:0*0:1-ARG0 6:1-ARG1 3:0*0:1-LINK-PRO
{_NAME} 1 1 gold fail-v fail.02 ----- 1:0-rel 0:1-ARG1
""",
    "a.sense": f"""\
{_NAME} 0 2 try-v 1
{_NAME} 0 5 help-v 1,2 2
{_NAME} 2 1 know-v 3
""",
    "a.speaker": """\
0.0 1.5 anchor female native
1.5 2.0 anchor female native
2.0 3.0 guest male native
""",
    "a.coref": f"""\
<DOC DOCNO="{_NAME}">
<TEXT PARTNO="000">
<COREF ID="1" TYPE="IDENT">Ann Bell</COREF> tried <COREF ID="1" TYPE="IDENT">*PRO*-1</COREF> to help \
<COREF ID="7" TYPE="APPOS" SUBTYPE="HEAD">Acme -AMP- Co</COREF> .
<COREF ID="1" TYPE="IDENT">She</COREF> <COREF ID="2" TYPE="IDENT">failed</COREF> .
</TEXT>
<TEXT PARTNO="001">
<COREF ID="3" TYPE="IDENT" SPEAKER="guest">I</COREF> knew <COREF ID="2" TYPE="IDENT">it</COREF> .
</TEXT>
</DOC>
""",
}
