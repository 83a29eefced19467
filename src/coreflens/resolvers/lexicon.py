"""The word lists in words/: small files of coreflens, each with its origin, in sections of lower-case words.

    [male]                  lexicon("english").section("persons", "male")
    man boy king ...

They contain all knowledge about English, except for a few function words in the rules. With `words` = "none" all lists
are empty, and the resolvers use only the tags and morphological features of a mention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, TypeAlias

Words: TypeAlias = Literal["english", "none"]
WORDS: dict[Words, str] = {
    "english": "the English word lists of coreflens",
    "none": "only tags and morphological features, for other languages",
}
_FILES = ("pronouns", "persons", "groups", "names", "nations", "function_words", "synonyms")


@dataclass(frozen=True, eq=False)
class Lexicon:
    """File → section → words. Without lists every section is empty."""

    sections: Mapping[str, Mapping[str, frozenset[str]]]

    def section(self, file: str, name: str) -> frozenset[str]:
        """The words of a section."""
        return self.sections[file][name] if self.sections else frozenset()

    def sections_of(self, file: str) -> Mapping[str, frozenset[str]]:
        """All sections of a file."""
        return self.sections[file] if self.sections else {}

    def named(self, word: str) -> frozenset[str]:
        """Other words for a country, its people and things: american, u.s. for united states."""
        return _nations().get(word, frozenset()) if self.sections else frozenset()

    def synonyms(self, word: str) -> frozenset[str]:
        """The synonyms of a word, itself included."""
        return _synonyms().get(word, frozenset((word,))) if self.sections else frozenset((word,))


@lru_cache(maxsize=2)
def lexicon(words: Words) -> Lexicon:
    """The lists of a language."""
    if words == "none":
        return Lexicon({})
    return Lexicon({name: _read(name) for name in _FILES if name not in ("nations", "synonyms")})


def _lines(name: str) -> list[str]:
    text = (files(__package__) / "words" / f"{name}.txt").read_text("utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _read(name: str) -> dict[str, frozenset[str]]:
    found: dict[str, list[str]] = {}
    here: list[str] = []
    for line in _lines(name):
        if line.startswith("["):
            here = found.setdefault(line.strip("[]"), [])
        else:
            here.extend(line.split())
    return {section: frozenset(members) for section, members in found.items()}


@lru_cache(maxsize=1)
def _nations() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _lines("nations"):
        for entry in line.split() if not line.startswith("[") else ():
            country, _, others = entry.replace("_", " ").partition(":")
            alike = frozenset((country, *others.split(",")))
            for word in alike:
                found[word] = found.get(word, frozenset()) | alike
    return found


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _lines("synonyms"):
        alike = frozenset(line.split())
        for word in alike:
            found[word] = found.get(word, frozenset()) | alike
    return found
