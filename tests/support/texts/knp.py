"""Two documents with the relation tags of KWDLC."""

from __future__ import annotations

KNP = """# S-ID:w1-0001-1 JUMAN:6.1 KNP:3.1
* 1D
+ 1D <ne type="PERSON" target="太郎"/>
太郎 たろう 太郎 名詞 6 人名 5 * 0 * 0
は は は 助詞 9 副助詞 2 * 0 * 0
* -1D
+ -1D <rel type="ガ" target="太郎" sid="w1-0001-1" id="0"/>
来た きた 来る 動詞 2 * 0 カ変動詞 14 タ形 10
EOS
# S-ID:w1-0001-2 JUMAN:6.1
# a note
* -1D
+ 1D <rel type="=" target="太郎" sid="w1-0001-1" id="0"/><rel type="=" mode="OR" target="著者"/>
彼 かれ 彼 名詞 6 普通名詞 1 * 0 * 0
+ -1D <rel type="=" target="著者"/>
私 わたし 私 名詞 6 普通名詞 1 * 0 * 0
@ 私 し 私 名詞 6 普通名詞 1 * 0 * 0
EOS
# S-ID:w1-0002-1 KNP:3.1
* -1D
+ -1D <rel type="=" target="著者"/>
僕 ぼく 僕 名詞 6 普通名詞 1 * 0 * 0
EOS
"""
