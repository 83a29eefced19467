"""How much of the key's text a response has. A language model may leave out, cut off or reword text.

A document is answered if the response has it. Its words are reached up to the last one that the response reproduces.
A word is reproduced if the response has it in the right order. A mention is lost if the other side's text lacks its
first or its last word. A string of a list of clusters is lost if it has no place in the text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus, IntArray
from ..corpus.spelling import common_spelling
from ..errors import PLACES, Issue, counted
from ..options import Options
from .documents import Pairing
from .places import Common, matched, written_before
from .strings import ANSWERS

Bools = npt.NDArray[np.bool_]


class Kept(NamedTuple):
    """What is left of the key's text and of the mentions of both sides.

    words       for each key document: how many words it has, how many are reached, and how many are reproduced
    answered    which key documents the response has
    lost        which mentions of the key, and of the response, have no counterpart in the other's text
    compared    whether the texts were compared. If not, the words of a document that is answered count as reached
    """

    words: IntArray
    answered: Bools
    lost: tuple[Bools, Bools]
    compared: bool


def kept(key: Corpus, response: Corpus, pairing: Pairing, place: Common, nowhere: Bools | None) -> Kept | None:
    """What is left. None if nothing is known to be lost and the response does not come from a language model.

    `nowhere`: which strings of the response have no place.
    """
    usual = response.format not in ANSWERS and nowhere is None
    pairs = matched(pairing)
    answered = np.zeros(len(key.documents), dtype=bool)
    answered[pairs[:, 0]] = True
    differs = place.kept is not None and bool((place.kept[pairs[:, 0], 2] < place.kept[pairs[:, 0], 0]).any())
    if usual and not differs and answered.all():
        return None
    lost_key, lost_response = place.lost or (np.zeros(len(key), bool), np.zeros(len(response), bool))
    if nowhere is not None:
        lost_response = lost_response | nowhere
    words = place.kept
    compared = words is not None
    if words is None:
        words, compared = _by_place(key, response, pairs)
    return Kept(words, answered, (lost_key | ~answered[key.doc], lost_response), compared)


def other_words(key: Corpus, found: Kept | None, options: Options) -> list[Issue]:
    """A note if an answer has as many words as the key, but different words: then places were compared, not words."""
    if found is None or not found.compared or options.align != "none":
        return []
    odd = np.flatnonzero(found.answered & (found.words[:, 2] < found.words[:, 0])).tolist()
    if not odd:
        return []
    message = (
        f"{counted(odd, 'document')} with different words in key and response: the mentions were compared by "
        "their places; --align characters compares the words"
    )
    return [Issue("other-words", message, len(odd), tuple(key.documents[d].label for d in odd[:PLACES]))]


def _by_place(key: Corpus, response: Corpus, pairs: IntArray) -> tuple[IntArray, bool]:
    """The words of the key. If the response has as many words: the words that are the same at the same place."""
    if key.has_text and key.unit == "token":
        sizes = np.diff(written_before(key.text)[key.text.first])
    else:
        sizes = np.array([d.tokens or 0 for d in key.documents], dtype=np.int64)
    words = np.stack((sizes, np.zeros_like(sizes), np.zeros_like(sizes)), axis=1)
    words[pairs[:, 0], 1:] = sizes[pairs[:, 0]][:, None]
    compared = response.format in ANSWERS and all(c.has_text and c.unit == "token" for c in (key, response))
    for k, r in pairs.tolist() if compared else ():
        ours, theirs = _words(key, k), _words(response, r)
        same = [
            place
            for place, (a, b) in enumerate(zip(ours, theirs, strict=False), start=1)
            if a == b or common_spelling(a) == common_spelling(b)
        ]
        words[k, 1:] = (same[-1] if same else 0), len(same)
    return words, compared


def _words(corpus: Corpus, d: int) -> list[str]:
    text, here = corpus.text, corpus.text.document(d)
    words = list(text.words[here])
    if text.empty is None:
        return words
    return [word for word, empty in zip(words, text.empty[here].tolist(), strict=True) if not empty]
