"""Small CorefUD documents, and pairs of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

from corefud_damage import Doc, Mention, Token, conllu, copied, damage

# The README is older than one-to-one matching; these are the numbers of corefud-scorer 1.2, by its own unit tests.
NEWER: dict[str, dict[str, tuple[float, float]]] = {
    "TC-OLMC-2": {"muc": (1 / 2, 2 / 3), "bcub": (1 / 2, 4 / 5)},
    "TC-OLMC-5": {"muc": (1, 2 / 3), "bcub": (1, 17 / 30)},
    "TC-OLMC-6": {"muc": (1, 2 / 3), "bcub": (1, 17 / 30)},
    "TC-OLMC-7": {"muc": (1, 1 / 2), "bcub": (1, 11 / 30)},
}


def document(random: Random, sentences: int = 2) -> Doc:
    """A small document with zeros, discontinuous and nested mentions."""
    doc = Doc("d", [])
    for _ in range(sentences):
        tokens = [Token(f"w{i}") for i in range(random.randint(2, 6))]
        for _ in range(random.randint(0, 3)):
            zero = Token("_", "PRON", random.choice(tokens), random.choice(("nsubj", "obj")), empty=True)
            tokens.insert(random.randint(0, len(tokens)), zero)
        doc.sentences.append(tokens)
    doc.entities = [[] for _ in range(3)]
    for _ in range(random.randint(1, 7)):
        sentence = random.choice(doc.sentences)
        a = random.randrange(len(sentence))
        b = min(len(sentence) - 1, a + random.choice((0, 0, 0, 1, 2, 3)))
        random.choice(doc.entities).append(Mention([(sentence[a], sentence[b])], sentence[random.randint(a, b)]))
    damage(doc, random, 0)  # leaves out what the format can't hold
    return doc


def pair(seed: int) -> tuple[Doc, Doc]:
    """A document, and the same one damaged."""
    random = Random(seed)
    doc = document(random)
    other = copied(doc)
    if other.entities:
        damage(other, random, random.choice((0.2, 0.5, 0.9)))
    return doc, other


def rotated() -> tuple[Doc, Doc]:
    """Three zeros, and the same ones in another order."""
    words = [Token(word) for word in "abcdefg"]
    zeros = [Token("_", "PRON", words[2 + n], "nsubj", empty=True) for n in range(3)]
    entities = [[(words[0], zeros[0])], [(words[1], zeros[1])], [(words[5], zeros[2])]]
    mentions = [[Mention([(t, t)], t) for pair in entity for t in pair] for entity in entities]
    sides = [
        Doc("d", [[*words[:2], *(zeros[n] for n in order), *words[2:]]], mentions) for order in ((0, 1, 2), (1, 2, 0))
    ]
    return sides[0], sides[1]


def written(doc: Doc | list[Doc], path: Path) -> Path:
    """The file of a document, or of several."""
    path.write_text(conllu(doc if isinstance(doc, list) else [doc]), "utf-8")
    return path


def met_otherwise() -> tuple[Doc, Doc]:
    """`the big dog`, met by its head as `big dog`, and a zero met by its dependencies at another place."""

    def side(begin: int, zero_at: int) -> Doc:
        words = [Token(word) for word in ("the", "big", "dog", "barked", "and", "slept", "and", "it", "ate")]
        zero = Token("_", "PRON", words[5], "nsubj", empty=True)
        sentence = [*words[:zero_at], zero, *words[zero_at:]]
        mentions = [Mention([(words[begin], words[2])], words[2]), Mention([(zero, zero)], zero)]
        return Doc("d", [sentence], [[*mentions, Mention([(words[7], words[7])], words[7])]])

    return side(0, 5), side(1, 6)
