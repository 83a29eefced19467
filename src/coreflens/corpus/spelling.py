"""One common spelling, in which texts are compared."""

from __future__ import annotations

import re
import unicodedata

from .model import Corpus

# Different spellings, and the one that is compared. Quotation marks become one or two apostrophes, character by
# character, so that ``, '' and " are the same for any tokenisation. Brackets lose the escapes of the Penn Treebank, as
# do \/ and \*.
SPELLING: dict[str, str] = (
    dict.fromkeys("`‘’‚‛´", "'")
    | dict.fromkeys('"“”„‟«»', "''")
    | {"–": "-", "—": "--", "…": "..."}
    | dict.fromkeys("\u00ad\u200b\ufeff", "")
)
_ESCAPES = {"LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}"}
_TABLE = str.maketrans(SPELLING)
ESCAPE = r"-(?:([LR][RSC]B)|([lr][rsc]b))-|\\([/*])"


def common_spelling(text: str) -> str:
    """The text without blanks, in the spelling that is compared."""
    text = re.sub(ESCAPE, _unescaped, text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return "".join(text.translate(_TABLE).split())


def _unescaped(match: re.Match[str]) -> str:
    return match[3] or _ESCAPES[(match[1] or match[2]).upper()]


def content(corpus: Corpus, d: int) -> str:
    """The written text of a document, for any tokenisation."""
    text = corpus.text
    if text.raw is not None:
        return common_spelling(text.raw[d])
    words = text.words[text.document(d)]
    if text.empty is not None:
        words = [word for word, empty in zip(words, text.empty[text.document(d)], strict=True) if not empty]
    return common_spelling(" ".join(words))
