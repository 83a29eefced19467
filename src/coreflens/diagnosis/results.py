"""A diagnosis: the errors of a response, what each costs, and which entities and mentions lose the points."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus.model import Corpus
from ..errors import Issue, UsageError, choose
from ..exporting import Exported
from ..integers import bincount, places
from ..matching.labels import By
from ..matching.matchers import BY
from ..presentation import Presented, writer_of
from ..scoring.scores import Scores
from .account import Account, Cell, account, cells
from .anaphora import Anaphor, AnaphorPrice, Pair, pairs
from .anaphora import errors as anaphora_errors
from .anaphora import prices as anaphora_prices
from .class_prices import cause_prices, class_prices, repair_prices
from .classes import CLASSES, ON_RESPONSE, Errors
from .descriptions import FEATURES, described, label_of_entity
from .differences import Difference, difference
from .evidence import Evidence
from .fields import BY_SIDE, Values, values
from .findings import CausePrice, Change, ClassPrice, Error, Link, Loss, Match, Repair
from .gains import gains
from .links import link_errors
from .losses import entity_losses, mention_losses
from .prices import Prices
from .repairs import corrected, correction, repaired

BoolArray: TypeAlias = npt.NDArray[np.bool_]
Only: TypeAlias = str | int | list[str] | list[int] | tuple[str | int, ...] | set[str] | set[int]
"""One value of a field, or several: `kind="missing mention"`, `type=["name", "pronoun"]`."""


class Diagnosis(Presented, Exported):
    """What is wrong with a response, and what it costs; `str()` is a summary.

    metrics   the metrics in which errors are priced
    options   all options, with their final values
    issues    messages about the input
    against   the diagnosis of the other response, if there is one

    Methods accept conditions that choose errors: `d.errors(kind="missing mention", type=["name", "pronoun"])`.
    """

    def __init__(
        self,
        evidence: Evidence,
        found: Errors,
        prices: Prices,
        issues: Sequence[Issue] = (),
        against: Diagnosis | None = None,
    ) -> None:
        self.evidence, self.found, self.prices = evidence, found, prices
        self.issues, self.against = list(issues), against
        self.options = evidence.matched.options
        self.metrics = prices.metrics
        self._fields: dict[tuple[str, str], Values] = {}

    def __repr__(self) -> str:
        return str(self)

    @property
    def scores(self) -> Scores:
        """The scores of the response as it is."""
        return self.prices.now

    @property
    def known(self) -> str:
        """Where heads and mention types come from."""
        return self.evidence.known

    # The errors.

    def counts(self, **only: Only) -> dict[str, int]:
        """Class → errors."""
        chosen = bincount(self.found.kind[self.chosen(**only)], minlength=len(CLASSES))
        return dict(zip(CLASSES, chosen.tolist(), strict=True))

    def errors(self, **only: Only) -> list[Error]:
        """The errors, all or those of a `kind`, `document`, `type`, ... (see `fields.FIELDS`), `entity` or `text`."""
        return self._described(np.flatnonzero(self.chosen(**only)).tolist())

    def error(self, number: int) -> Error:
        """An error by its number."""
        return self._described([number])[0]

    def _described(self, numbers: Sequence[int]) -> list[Error]:
        """Errors in words."""
        return described(self.evidence, self.found, self._features, numbers)

    @cached_property
    def _features(self) -> dict[str, Values]:
        return {field: self.values(field) for field in FEATURES}

    def _label(self, number: int) -> str:
        return label_of_entity(self.evidence, self.found, number)

    def anchor(self, number: int) -> int:
        """The anchor of the entity of an error."""
        return int(self.found.anchors[number])

    @cached_property
    def identities(self) -> dict[tuple[Hashable, ...], int]:
        """What identifies an error in two responses → its number. Repetitions are distinguished by their order."""
        e, found = self.evidence, self.found
        mentions, labels = e.alignment.identities(), [d.label for d in e.documents]
        columns = (x.tolist() for x in (found.kind, e.row[found.lead], found.lead))
        numbers: dict[tuple[Hashable, ...], int] = {}
        for number, (kind, document, lead) in enumerate(zip(*columns, strict=True)):
            about, turn = (kind, labels[document], mentions[lead]), 0
            while (*about, turn) in numbers:
                turn += 1
            numbers[(*about, turn)] = number
        return numbers

    def chosen(self, **only: Only) -> BoolArray:
        """Which errors are chosen; all if there is no condition."""
        mask = np.ones(len(self.found), dtype=bool)
        for field, wanted in only.items():
            allowed = {str(x) for x in (wanted if isinstance(wanted, (list, tuple, set)) else [wanted])}
            if field in ("kind", "class"):
                names = [choose(name.replace("-", " "), CLASSES, "class of errors") for name in allowed]
                mask &= np.isin(self.found.kind, [CLASSES.index(name) for name in names])
            elif field == "entity":
                mask &= np.array([self._label(n) in allowed for n in range(len(mask))], dtype=bool)
            elif field == "text":
                mask &= np.array([self.evidence.text(row) in allowed for row in self.found.lead.tolist()], dtype=bool)
            else:
                codes, labels = self.values(field)
                for value in allowed:
                    choose(value, labels, field)
                mask &= np.isin(codes, [n for n, label in enumerate(labels) if label in allowed])
        return mask

    def values(self, field: By) -> Values:
        """The value of a field for each error, taken from its first mention and from the wrong entity."""
        (key, labels), (response, _) = self._values(field, "key"), self._values(field, "response")
        lead = self.found.lead
        if field == "cause":
            return self._lost.astype(np.int64), labels
        return np.where(np.isin(self.found.kind, ON_RESPONSE), response[lead], key[lead]), labels

    @cached_property
    def _lost(self) -> BoolArray:
        """Which errors come from text that one side lacks: this side lacks the text of all their mentions, or of the
        missing antecedent."""
        e, found = self.evidence, self.found
        if not e.lost.any() or not len(found):
            return np.zeros(len(found), dtype=bool)
        lost: BoolArray = np.logical_and.reduceat(e.lost[found.rows], places(found.first[:-1]))
        missing = np.flatnonzero(found.kind == CLASSES.index("missing antecedent"))
        lost[missing] |= e.lost[found.anchors[missing]]
        return lost

    @cached_property
    def causes(self) -> dict[str, CausePrice]:
        """`wrong` and `text lost` → errors, mentions and the change of every metric when they are corrected.

        Empty if the response has all of the key's text.
        """
        if self.evidence.matched.kept is None:
            return {}
        return cause_prices(self.evidence, self.found, self.prices, self._lost)

    def _values(self, field: By, side: str) -> Values:
        if not isinstance(field, str):
            return values(self.evidence, field, side)
        which = field, side if field in BY_SIDE else ""
        if which not in self._fields:
            self._fields[which] = values(self.evidence, field, side)
        return self._fields[which]

    def count_by(self, field: By, **only: Only) -> dict[str, dict[str, int]]:
        """Value of a field → class → errors."""
        codes, labels = self.values(field)
        chosen = self.chosen(**only)
        return {
            label: dict(zip(CLASSES, counts, strict=True))
            for n, label in enumerate(labels)
            if sum(counts := bincount(self.found.kind[chosen & (codes == n)], minlength=len(CLASSES)).tolist())
        }

    @cached_property
    def links(self) -> list[Link]:
        """Links that are lost or spurious, by spanning trees."""
        e, found = self.evidence, []
        for kind, side in (("lost", "key"), ("spurious", "response")):
            for anaphor, antecedent in zip(*(rows.tolist() for rows in link_errors(e, side)), strict=True):
                document = e.documents[int(e.row[anaphor])].label
                words, types = e.text(anaphor), e.types[anaphor]
                before, other = e.text(antecedent), e.types[antecedent]
                context, place = e.context(anaphor), e.place(anaphor, side)
                found.append(Link(kind, document, words, before, types, other, context, place))
        return found

    def link_counts(self) -> dict[tuple[str, str], dict[str, int]]:
        """(type of the anaphor, type of the antecedent) → lost and spurious links."""
        counts: dict[tuple[str, str], dict[str, int]] = {}
        for kind, side in (("lost", "key"), ("spurious", "response")):
            for pair in zip(*(rows.tolist() for rows in link_errors(self.evidence, side)), strict=True):
                types = tuple(self.evidence.types[row] or "unknown" for row in pair)
                counts.setdefault((types[0], types[1]), {"lost": 0, "spurious": 0})[kind] += 1
        return dict(sorted(counts.items(), key=lambda item: -sum(item[1].values())))

    @cached_property
    def met(self) -> dict[str, int]:
        """How many mentions were matched in which way: `exact`, `head`, `zero`, ..."""
        counts = bincount(self.evidence.whole.by, minlength=len(BY)).tolist()
        return {name: n for name, n in zip(BY, counts, strict=True) if name and n}

    @property
    def met_by(self) -> str:
        """`126 exact, 9 head, 4 zero`; empty if all matched mentions are the same."""
        return ", ".join(f"{n} {name}" for name, n in self.met.items()) if {*self.met} - {"exact"} else ""

    def matches(self) -> list[Match]:
        """The matched mentions that are not the same, in the order of the text, and how they were matched."""
        e, m = self.evidence, self.evidence.whole
        found = []
        for row in m.elsewhere.tolist():
            key, response = (
                corpus.words(origin) if corpus.has_text else str(corpus.mention(origin).identity)
                for corpus, origin in ((e.key, e.origin_of("key", row)), (e.response, e.origin_of("response", row)))
            )
            document, place = e.documents[int(e.row[row])].label, e.place(row, "response")
            found.append(Match(document, key, response, BY[m.by[row]], place))
        return found

    @cached_property
    def beside(self) -> list[Pair]:
        """What both sides say about bridging, split antecedents and non-referring expressions, right and wrong."""
        return pairs(self.evidence.matched)

    @cached_property
    def anaphora(self) -> list[Anaphor]:
        """The errors of bridging, split antecedents and non-referring expressions, if a side has any."""
        return anaphora_errors(self.evidence.matched, self.beside)

    @cached_property
    def anaphora_classes(self) -> list[AnaphorPrice]:
        """Their classes, and what each costs in its own metric."""
        return anaphora_prices(self.evidence.matched, self.beside)

    # What they cost.

    def price(self, **only: Only) -> Change:
        """The change of every metric when the chosen errors are corrected; without a choice, all errors."""
        return self.prices.changes([correction(self.evidence, self.found, self.chosen(**only))])[0]

    def after(self, chosen: BoolArray) -> Scores:
        """The scores when the errors marked in an array, one element per error, are corrected."""
        return self.prices.scores(correction(self.evidence, self.found, chosen))

    @cached_property
    def classes(self) -> list[ClassPrice]:
        """Each class, in the order in which they are corrected. The changes in turn sum to the whole gap."""
        return class_prices(self.evidence, self.found, self.prices)

    @cached_property
    def gains(self) -> npt.NDArray[np.float64]:
        """What the CoNLL average gains (0–1) when one error alone is corrected, for each error by its number."""
        return gains(self.evidence, self.found, self.prices)

    def repairs(self, count: int = 10) -> list[Repair]:
        """The repairs of single errors that raise the CoNLL average most; the best comes first."""
        gain = self.gains.round(12)  # equal gains stay in the order of their numbers
        best = [error for error in np.argsort(-gain, kind="stable")[:count].tolist() if gain[error] > 0]
        prices = repair_prices(self.evidence, self.found, self.prices, best)
        return [
            Repair(error, alone, together)
            for error, (alone, together) in zip(self._described(best), prices, strict=True)
        ]

    # Where the points are lost.

    @cached_property
    def _accounts(self) -> tuple[Account, Account]:
        return account(self.evidence, "key"), account(self.evidence, "response")

    def entities(self, count: int = 10) -> list[Loss]:
        """The entities that lose most: key entities in recall, response entities in precision, summed over MUC, B³ and
        LEA.

        The change is that of every metric when the entity is corrected. CEAF has only this change, because it is not a
        sum over entities.
        """
        return entity_losses(self.evidence, self.found, self.prices, self._accounts, count)

    def mentions(self, count: int = 10) -> list[Loss]:
        """The mentions that lose most, in recall and precision together."""
        return mention_losses(self.evidence, self.found, self.prices, self._accounts, count)

    def scores_by(self, field: By) -> list[Cell]:
        """Scores of the mentions of each value of a field, with their numbers. CEAF and BLANC are not sums over
        mentions.

        Recall is that of the key's mentions and precision that of the response's. A MUC link counts for its later
        mention. The counts of all values sum to those of the corpus.
        """
        (of_key, labels), (of_response, _) = self._values(field, "key"), self._values(field, "response")
        return cells(*self._accounts, of_key, of_response, list(labels), self.prices.options.mean)

    # Output.

    def corrected(self, **only: Only) -> Corpus:
        """The response with the chosen errors corrected (`kind=[...]` and the like), for `coreflens.write`."""
        return corrected(self.evidence, repaired(self.evidence, self.found, self.chosen(**only)))

    @cached_property
    def difference(self) -> Difference:
        """What the response repaired and broke against another one."""
        if self.against is None:
            raise UsageError("there is no other response to compare with: diagnose(key, response, against=other)")
        return difference(self.against, self)

    def tables(self, show: Sequence[str] = ("classes", "repairs"), **settings: Any) -> dict[str, Any]:
        """Title → table. `show` takes the same names as `coreflens diagnose --show`."""
        found: dict[str, Any] = writer_of(self).tables(self, show, **settings)
        return found

    def records(self) -> list[dict[str, Any]]:
        """One row per error."""
        return [asdict(error) for error in self.errors()]

    def to_dict(self, by: Sequence[By] = (), count: int = 10, **only: Only) -> dict[str, Any]:
        """Everything, for JSON, with scores and changes in 0–1. Conditions limit the errors, and add their price."""
        plain: dict[str, Any] = {
            "known": self.known,
            "scores": {name: float(score.main) for name, score in self.scores.items()},
            "classes": [asdict(price) for price in self.classes],
            **({"causes": {cause: asdict(price) for cause, price in self.causes.items()}} if self.causes else {}),
            "repairs": [asdict(repair) for repair in self.repairs(count)],
            "entities": [asdict(loss) for loss in self.entities(count)],
            "mentions": [asdict(loss) for loss in self.mentions(count)],
            "errors": [asdict(error) for error in self.errors(**only)],
            "links": [asdict(link) for link in self.links],
            "anaphora_classes": [asdict(price) for price in self.anaphora_classes],
            "anaphora": [asdict(anaphor) for anaphor in self.anaphora],
            "met": self.met,
            "matches": [asdict(match) for match in self.matches()],
            "errors_by": {str(field): self.count_by(field, **only) for field in by},
            "scores_by": {str(field): [asdict(cell) for cell in self.scores_by(field)] for field in by},
            "issues": [issue.to_dict() for issue in self.issues],
        }
        if only:
            plain["price"] = self.price(**only)
        if self.against is not None:
            plain["against"] = self.difference.to_dict()
        return plain
