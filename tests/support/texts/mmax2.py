"""A project of MMAX2, with levels of several kinds."""

from __future__ import annotations

import re
from pathlib import Path

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

WORDS = ["Mary", "saw", "Fox", "and", "the", "the", "dog", ".", "She", "smiled", "."]

PROJECT = {
    "t.mmax": XML + "<mmax_project>\n<words>t_words.xml</words>\n<keyactions></keyactions>\n</mmax_project>",
    "Basedata/t_words.xml": XML
    + '<!DOCTYPE words SYSTEM "words.dtd">\n<words>\n'
    + "\n".join(f'<word id="word_{n}" pos="P{n}">{w}</word>' for n, w in enumerate(WORDS, start=1))
    + "\n</words>",
    "Markables/t_sentence_level.xml": XML
    + '<markables xmlns="www.eml.org/NameSpaces/sentence">\n'
    + '<markable id="markable_1" span="word_1..word_8"/>\n'
    + '<markable id="markable_2" span="word_9..word_11"/>\n</markables>',
}

SETS = """<markable id="markable_1" span="word_1" coref_class="set_4" head="word_1" np_form="ne"/>
<markable id="markable_2" span="word_7,word_3..word_5" coref_class="empty" head="word_7"/>
<markable id="markable_3" span="word_9" coref_class="set_4" np_form="pper"/>
<markable id="markable_4" span="word_3" coref_class="set_12"/>"""

POINTERS = """<markable id="markable_1" span="word_1" anaphor_antecedent="empty" type="none"/>
<markable id="markable_2" span="word_9" anaphor_antecedent="markable_1" type="anaphoric"/>
<markable id="markable_3" span="word_3" anaphor_antecedent="groups:markable_1" type="anaphoric"/>
<markable id="markable_4" span="word_7" anaphor_antecedent="markable_1;markable_3" type="anaphoric"/>
<markable id="markable_5" span="word_10" anaphor_antecedent="markable_4" type="bridging"/>"""

GROUPS = """<markable id="markable_1" span="word_5,word_7"/>
<markable id="markable_2" span="word_5..word_6"/>"""


def project(folder: Path, name: str = "t", paths: dict[str, str] | None = None, **levels: str) -> Path:
    files = PROJECT | {
        f"Markables/t_{level}_level.xml": f"{XML}<markables>\n{markables}\n</markables>"
        for level, markables in levels.items()
    }
    for path, text in (files | (paths or {})).items():
        target = folder / re.sub(r"(^|/)t(?=[_.])", rf"\1{name}", path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.replace("t_words", f"{name}_words"), encoding="utf-8")
    return folder / f"{name}.mmax"
