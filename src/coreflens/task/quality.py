"""How good predicted layers are, compared with gold ones on the same tokens: Tables 5 to 10 of Pradhan et al. 2011.

    tags         by token
    phrases      labelled constituents (Table 5)
    senses       words with a sense in gold: right if it is the same (Table 7)
    framesets    predicates with their frameset
    arguments    labelled arguments of a predicate, without the predicate, as in the CoNLL-2005 scorer (Table 8)
    names        labelled spans, also by type (Table 10)
Polysemy (Tables 6 and 9) says how many lemmas have one, two or more senses, or framesets, in the gold layers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.brackets import names, propositions
from ..corpus.model import Corpus, Text
from ..corpus.trees import trees
from ..errors import InputError, UsageError, did_you_mean
from ..integers import repeat
from ..matching.labels import By, labels_of, number_labels

Item: TypeAlias = tuple[Any, ...]  # the token that it begins with, and all that has to be the same


class Agreed(NamedTuple):
    """How many items both have, gold has, and are predicted."""

    common: int
    gold: int
    predicted: int

    @property
    def f1(self) -> float:
        """2 common / (gold + predicted); nan without items."""
        return 2 * self.common / (self.gold + self.predicted) if self.gold + self.predicted else float("nan")


def _tags(corpus: Corpus) -> Iterable[Item]:
    return ((token, tag) for token, tag in enumerate(corpus.text.layers.get("pos", ())) if tag)


def _phrases(corpus: Corpus) -> Iterable[Item]:
    parsed = trees(corpus)
    if parsed is None:
        return ()
    labels = np.array(parsed.labels)[parsed.label].tolist()
    return zip(parsed.start.tolist(), parsed.end.tolist(), labels, strict=True)


def _senses(corpus: Corpus) -> Iterable[Item]:
    return ((token, sense) for token, sense in enumerate(corpus.text.layers.get("sense", ())) if sense)


def _framesets(corpus: Corpus) -> Iterable[Item]:
    return ((token, frame) for token, frame in enumerate(corpus.text.layers.get("frameset", ())) if frame)


def _arguments(corpus: Corpus) -> Iterable[Item]:
    return (
        (proposition.token, *argument)
        for proposition in propositions(corpus.text)
        for argument in proposition.arguments
        if argument.label != "V"
    )


def _names(corpus: Corpus) -> Iterable[Item]:
    return (tuple(name) for name in names(corpus.text))


LAYERS: dict[str, Callable[[Corpus], Iterable[Item]]] = {
    "tags": _tags,
    "phrases": _phrases,
    "senses": _senses,
    "framesets": _framesets,
    "arguments": _arguments,
    "names": _names,
}
SHOWN = (*LAYERS, "polysemy")


def agreement(gold: Corpus, predicted: Corpus, by: By | None = None) -> dict[str, dict[str, Agreed]]:
    """Group → layer → agreement of the predicted layer; `all` is last. Layers that a side lacks are left out.

    Names are also there by type, as `names: ORG`.
    """
    check_words(gold, predicted)
    text = gold.text
    group, labels = number_labels(labels_of(gold.documents, by)) if by is not None else (np.zeros(0, np.int64), [])
    of_token = repeat(group, np.diff(text.first)) if labels else group
    found: dict[str, dict[str, Agreed]] = {label: {} for label in (*labels, "all")}
    for name, items in LAYERS.items():
        ours, theirs = (Counter(items(corpus)) for corpus in (gold, predicted))
        if not ours or not theirs:
            continue
        _add(found["all"], name, ours, theirs)
        for g, label in enumerate(labels):
            _add(found[label], name, *(_within(side, of_token == g) for side in (ours, theirs)))
    return found


def _within(items: Counter[Item], tokens: npt.NDArray[np.bool_]) -> Counter[Item]:
    chosen = tokens.tolist()
    return Counter({item: n for item, n in items.items() if chosen[item[0]]})


def _add(found: dict[str, Agreed], layer: str, ours: Counter[Item], theirs: Counter[Item]) -> None:
    found[layer] = Agreed((ours & theirs).total(), ours.total(), theirs.total())
    if layer == "names":
        for kind in sorted({item[-1] for side in (ours, theirs) for item in side}):
            g, p = (Counter({item: n for item, n in side.items() if item[-1] == kind}) for side in (ours, theirs))
            found[f"names: {kind}"] = Agreed((g & p).total(), g.total(), p.total())


def check_words(gold: Corpus, predicted: Corpus) -> None:
    """Layers can be compared, and exchanged, only if the tokens are the same."""
    ours, theirs = gold.text, predicted.text
    if list(ours.words) == list(theirs.words):
        return
    place = next((i for i, (a, b) in enumerate(zip(ours.words, theirs.words, strict=False)) if a != b), -1)
    place = min(len(ours.words), len(theirs.words)) if place < 0 else place
    line = None if theirs.line is None or not len(theirs.line) else int(theirs.line[min(place, len(theirs.line) - 1)])
    words = (text.words[place] if place < len(text.words) else "nothing" for text in (ours, theirs))
    message = "gold and predicted layers have different words: token {} is '{}' in gold and '{}' here"
    raise InputError(message.format(place + 1, *words), file=predicted.source or None, line=line)


def polysemy(text: Text) -> dict[str, dict[int, int]]:
    """`senses` and `framesets` → how many different ones a lemma has → lemmas; a lemma without any is not counted."""
    lemmas = text.layers.get("lemma", ())
    found = {}
    for what, layer in (("senses", "sense"), ("framesets", "frameset")):
        values: dict[str, set[str]] = {}
        for lemma, value in zip(lemmas, text.layers.get(layer, ()), strict=False):
            if lemma and value:
                values.setdefault(lemma, set()).add(value)
        if values:
            found[what] = dict(sorted(Counter(map(len, values.values())).items()))
    return found


def shown(names: Collection[str] | None) -> list[str]:
    """The layers that were asked for, all by default; an unknown one is an error."""
    for name in names or ():
        if name not in SHOWN:
            raise UsageError(f"no layer '{name}'{did_you_mean(name, SHOWN)} (there are {', '.join(SHOWN)})")
    return [name for name in SHOWN if not names or name in names]
