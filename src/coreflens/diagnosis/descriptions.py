"""Errors in words: what each is about, where it is, and the features of its first mention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .classes import CLASSES, ON_RESPONSE, SPAN, Errors
from .evidence import Evidence
from .fields import Values, at_head
from .findings import Error

FEATURES = ("type", "length", "size", "distance", "position")


def described(
    evidence: Evidence, errors: Errors, features: Mapping[str, Values], numbers: Sequence[int]
) -> list[Error]:
    """Errors by their numbers. `features` has the values of `FEATURES` for all errors."""
    leads = errors.lead[numbers].tolist() if len(numbers) else []
    rows = [errors.of(number).tolist() for number in numbers]
    is_span = [bool(errors.kind[number] == SPAN) for number in numbers]
    placed = [own[0] if span else lead for own, span, lead in zip(rows, is_span, leads, strict=True)]
    texts = [evidence.text(lead) for lead in leads]
    of = [evidence.text(int(errors.anchors[number])) for number in numbers]
    mentions = [tuple(evidence.text(row) for row in own) for own in rows]
    contexts = [evidence.context(lead) for lead in leads]
    places = [evidence.place(row, "response") for row in placed]
    speakers = [at_head(evidence, "speaker", lead) or "none" for lead in leads]
    return [
        Error(
            kind=CLASSES[errors.kind[number]],
            document=evidence.documents[int(evidence.row[leads[n]])].label,
            text=texts[n],
            context=contexts[n],
            place=places[n],
            entity=label_of_entity(evidence, errors, number),
            of=of[n],
            mentions=mentions[n],
            features={
                **{field: labels[codes[number]] for field, (codes, labels) in features.items()},
                "speaker": speakers[n],
            },
            number=number,
        )
        for n, number in enumerate(numbers)
    ]


def label_of_entity(evidence: Evidence, errors: Errors, number: int) -> str:
    """The name of the entity of an error on its side."""
    side = "response" if errors.kind[number] in ON_RESPONSE else "key"
    rows = (*errors.of(number).tolist(), int(errors.anchors[number]))
    labels = (evidence.label(side, row) for row in rows)
    return next(filter(None, labels), "")
