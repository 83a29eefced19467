"""ACE: entities in .apf.xml, and the text in the .sgm beside it."""

from __future__ import annotations

SGM = """<DOC>
<DOCID> x </DOCID>
<BODY>
<TEXT>
Ann Bell , the new director , said she
likes R&amp;D .
</TEXT>
</BODY>
</DOC>
"""
PLAIN = "\n x \n\n\nAnn Bell , the new director , said she\nlikes R&amp;D .\n\n\n\n"


def charseq(words: str, text: str = PLAIN) -> str:
    start = text.index(words)
    quoted = words if "&" in words and "&amp;" in words else words.replace("&", "&amp;")
    return f'<charseq START="{start}" END="{start + len(words) - 1}">{quoted}</charseq>'


def mention(id: str, kind: str, words: str, head: str, text: str = PLAIN) -> str:
    around = charseq(words, text)
    return (
        f'<entity_mention ID="x-{id}" TYPE="{kind}"><extent>{around}</extent>\n'
        f"<head>{charseq(head, text)}</head></entity_mention>\n"
    )


def entity(id: str, kind: str, *mentions: str) -> str:
    return f'<entity ID="x-{id}" TYPE="{kind}" SUBTYPE="Individual" CLASS="SPC">\n{"".join(mentions)}</entity>\n'


HEAD = '<?xml version="1.0"?>\n<!DOCTYPE source_file SYSTEM "apf.v5.1.1.dtd">\n'
HEAD += '<source_file URI="x.sgm" SOURCE="newswire" TYPE="text" VERSION="5.0">\n<document DOCID="x">\n'
TAIL = "</document>\n</source_file>\n"
PERSON = entity(
    "E1",
    "PER",
    mention("E1-1", "NAM", "Ann Bell", "Ann Bell"),
    mention("E1-2", "NOM", "the new director", "director"),
    mention("E1-3", "PRO", "she", "she"),
)
XML = HEAD + PERSON + '<timex2 ID="x-T1"/>\n<relation ID="x-R1"/>\n' + TAIL
