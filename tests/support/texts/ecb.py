"""A document of ECB+."""

from __future__ import annotations

DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<Document doc_name="1_{n}ecb.xml" doc_id="D{n}">
<token t_id="1" sentence="0" number="0">Smith</token>
<token t_id="2" sentence="0" number="1">was</token>
<token t_id="3" sentence="0" number="2">put</token>
<token t_id="4" sentence="0" number="3">soon</token>
<token t_id="5" sentence="0" number="4">away</token>
<token t_id="6" sentence="1" number="0">He</token>
<token t_id="7" sentence="1" number="1">sat</token>
<Markables>
<ACTION_OCCURRENCE m_id="1"><token_anchor t_id="5"/><token_anchor t_id="3"/></ACTION_OCCURRENCE>
<HUMAN_PART_PER m_id="2" note="byCROMER"><token_anchor t_id="1"/></HUMAN_PART_PER>
<HUMAN_PART_PER m_id="3"><token_anchor t_id="6"/></HUMAN_PART_PER>
<NEG_ACTION_STATE m_id="4"><token_anchor t_id="7"/></NEG_ACTION_STATE>
<HUMAN_PART_PER m_id="5" RELATED_TO="" TAG_DESCRIPTOR="t1_smith" instance_id="HUM1"/>
<ACTION_OCCURRENCE m_id="6" RELATED_TO="" TAG_DESCRIPTOR="jailed"/>
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="7" note="HUM1"><source m_id="2"/><source m_id="3"/><target m_id="5"/></CROSS_DOC_COREF>
<INTRA_DOC_COREF r_id="8"><source m_id="1"/><target m_id="6"/></INTRA_DOC_COREF>
</Relations>
</Document>
"""
