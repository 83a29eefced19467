"""CAS as XMI: chains and relations over tokens, and the types of CorefAnnotator over characters."""

from __future__ import annotations

_DKPRO = "http:///de/tudarmstadt/ukp/dkpro/core/api"
_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:tcas="http:///uima/tcas.ecore"
 xmlns:type="{_DKPRO}/coref/type.ecore" xmlns:type2="{_DKPRO}/metadata/type.ecore"
 xmlns:type4="{_DKPRO}/segmentation/type.ecore" xmlns:pos="{_DKPRO}/lexmorph/type/pos.ecore"
 xmlns:custom="http:///webanno/custom.ecore"
 xmlns:v1="http:///de/unistuttgart/ims/coref/annotator/api/v1.ecore"
 xmlns:v2="http:///de/unistuttgart/ims/coref/annotator/api/v2.ecore" xmi:version="2.0">
<cas:NULL xmi:id="0"/>
"""
_TOKENS = """<type2:DocumentMetaData xmi:id="1" sofa="12" begin="0" end="30" documentTitle="fox.txt" documentId="me"/>
<type4:Sentence xmi:id="2" sofa="12" begin="0" end="17"/>
<type4:Sentence xmi:id="3" sofa="12" begin="18" end="29"/>
<pos:POS xmi:id="4" sofa="12" begin="0" end="3" PosValue="DT"/>
<type4:Lemma xmi:id="5" sofa="12" begin="4" end="9" value="fox"/>
<type4:Token xmi:id="20" sofa="12" begin="0" end="3" pos="4"/>
<type4:Token xmi:id="21" sofa="12" begin="4" end="9" lemma="5"/>
<type4:Token xmi:id="22" sofa="12" begin="10" end="16"/>
<type4:Token xmi:id="23" sofa="12" begin="16" end="17"/>
<type4:Token xmi:id="24" sofa="12" begin="18" end="20"/>
<type4:Token xmi:id="25" sofa="12" begin="21" end="24"/>
<type4:Token xmi:id="26" sofa="12" begin="25" end="28"/>
<type4:Token xmi:id="27" sofa="12" begin="28" end="29"/>
"""
_SOFA = """<cas:Sofa xmi:id="12" sofaNum="1" sofaID="_InitialView" mimeType="text"
 sofaString="The &#128522;fox smiled.&#10;It saw him."/>
"""
CHAINS = f"""{_HEAD}{_TOKENS}\
<type:CoreferenceLink xmi:id="30" sofa="12" begin="0" end="9" next="31" referenceType="nam"/>
<type:CoreferenceLink xmi:id="31" sofa="12" begin="18" end="20" referenceType="pro"/>
<type:CoreferenceLink xmi:id="32" sofa="12" begin="25" end="28" referenceType="pro"/>
<type:CoreferenceLink xmi:id="33" sofa="12" begin="21" end="24"/>
<type:CoreferenceChain xmi:id="40" sofa="12" first="30"/>
<type:CoreferenceChain xmi:id="41" sofa="12" first="32"/>
<custom:Note xmi:id="42" sofa="12" begin="0" end="3"/>
{_SOFA}<cas:View sofa="12" members="1 2 3 4 5 20 21 22 23 24 25 26 27 30 31 32 40 41 42"/>
</xmi:XMI>
"""
RELATIONS = f"""{_HEAD}{_TOKENS}\
<custom:Referent xmi:id="30" sofa="12" begin="0" end="9" entity="animal" generic="false"/>
<custom:Referent xmi:id="31" sofa="12" begin="18" end="20" entity="animal"/>
<custom:Referent xmi:id="32" sofa="12" begin="25" end="27" entity="person"/>
<custom:Bond xmi:id="50" sofa="12" begin="0" end="20" Governor="30" Dependent="31" kind="Koreferenz"/>
<custom:Bond xmi:id="51" sofa="12" begin="0" end="28" Governor="30" Dependent="32" kind="part"/>
{_SOFA}</xmi:XMI>
"""
ANNOTATOR = f"""{_HEAD}<v1:Entity xmi:id="60" Label="the  fox" Color="1" Flags=""/>
<v1:Entity xmi:id="61" Label="he" Hidden="false"/>
<v1:EntityGroup xmi:id="62" Label="he" Members="60 61 0"/>
<v1:Flag xmi:id="63" Label="Generic" Key="gen"/>
<v1:Mention xmi:id="70" sofa="12" begin="0" end="9" Entity="60" Discontinuous="80"><Flags>gen</Flags><Flags>x</Flags>
</v1:Mention>
<v1:Mention xmi:id="71" sofa="12" begin="18" end="20" Entity="60"/>
<v1:Mention xmi:id="72" sofa="12" begin="25" end="28" Entity="61"/>
<v1:Mention xmi:id="73" sofa="12" begin="18" end="28" Entity="62"/>
<v1:DetachedMentionPart xmi:id="80" sofa="12" begin="10" end="16" Mention="70"/>
{_SOFA}<cas:View sofa="12" members="60 61 62 63 70 71 72 73 80"/>
</xmi:XMI>
"""
SURFACES = f"""{_HEAD}<v2:Entity xmi:id="60" Label="fox"/>
<v2:Flag xmi:id="63" Label="generic"/>
<cas:NonEmptyFSList xmi:id="64" head="63" tail="65"/>
<cas:EmptyFSList xmi:id="65"/>
<v2:Mention xmi:id="70" Entity="60" Flags="64" Surface="81 82"/>
<v2:Mention xmi:id="71" Entity="60" Surface="83"/>
<v2:MentionSurface xmi:id="81" sofa="12" begin="0" end="3" Mention="70"/>
<v2:MentionSurface xmi:id="82" sofa="12" begin="10" end="16" Mention="70"/>
<v2:MentionSurface xmi:id="83" sofa="12" begin="18" end="20" Mention="71"/>
{_SOFA}</xmi:XMI>
"""
