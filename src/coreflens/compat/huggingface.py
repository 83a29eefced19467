"""The call of HuggingFace's `evaluate.load("coval")`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

from ..engines.choice import score
from ..errors import InputError, Issue, UsageError
from ..formats import conll
from ..formats.shared.source import Source

Documents: TypeAlias = dict[str, tuple[int | None, list[list[Hashable]]]]

_METRICS = ("mentions", "muc", "bcub", "ceafe", "lea", "conll")


class Coval:
    """Mentions, MUC, B³, CEAFe, LEA and the CoNLL average of CoNLL lines.

        coval = Coval()
        coval.compute(predictions=[sentence, ...], references=[sentence, ...])["conll_score"]

    A sentence is a list of CoNLL lines, whose last column is coreference. All sentences are one document, as
    in the original, unless `#begin document` lines among them say otherwise. `conll_score` is in points, the rest
    between 0 and 1.

    In contrast to the original, the two sides may split sentences differently, repeated mentions count once, and a
    bracket that is never closed is an error. Options that need parse trees (`NP_only`, `min_span`) and `remove_nested`
    are refused. `issues` lists notes on the lines scored last.
    """

    issues: Sequence[Issue] = ()

    def compute(
        self,
        *,
        predictions: Iterable[Iterable[str]],
        references: Iterable[Iterable[str]],
        keep_singletons: bool = True,
        NP_only: bool = False,
        min_span: bool = False,
        remove_nested: bool = False,
    ) -> dict[str, float]:
        """The dictionary of the original: `muc/recall`, `muc/precision`, `muc/f1`, ..., `conll_score`."""
        asked = {"NP_only": NP_only, "min_span": min_span, "remove_nested": remove_nested}
        refused = [name for name, value in asked.items() if value]
        if refused:
            raise UsageError(f"{', '.join(refused)}: coreflens has no such filter, and does not ignore it silently")
        key, response = _read(references, "references"), _read(predictions, "predictions")
        for label in key.keys() & response.keys():
            counts = [side[label][0] for side in (key, response)]
            if counts[0] != counts[1]:
                raise InputError(f"document '{label}' has {counts[0]} tokens in the references, {counts[1]} predicted")
        sides = (
            {label: [c for c in clusters if keep_singletons or len(c) > 1] for label, (_, clusters) in side.items()}
            for side in (key, response)
        )
        result = score(*sides, metrics=_METRICS)
        self.issues = result.issues
        parts = {f"{name}/{part}": float(x) for name in _METRICS[:-1] for part, x in result[name].numbers().items()}
        return parts | {"conll_score": 100 * float(result.conll)}


def _read(sentences: Iterable[Iterable[str]], name: str) -> Documents:
    """Number of tokens and entities, by document."""
    text = "\n\n".join("\n".join(line.rstrip("\n") for line in sentence) for sentence in sentences)
    if "#begin document" not in text:
        text = f"#begin document (lines); part 000\n{text}\n#end document\n"
    corpus = conll.read(Source(text.encode(), name))
    return {
        document.label: (document.tokens, list(corpus.clusters(d).values()))
        for d, document in enumerate(corpus.documents)
    }
