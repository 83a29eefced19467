"""Major entities: how well a response finds some entities of the key, such as the characters of a novel.

Every chosen entity of the key is assigned a different entity of the response, so that the sum of their F1 is as large
as possible. For the two, R = |K ∩ R| / |K|, P = |K ∩ R| / |R|, F1 = 2|K ∩ R| / (|K| + |R|). If no response entity is
left for an entity, it scores 0. Micro adds up the counts of all chosen entities. Macro is the mean of their R, of their
P and of their F1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack, overload

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..errors import InputError, Issue, UsageError, counted, did_you_mean
from ..files.encoding import content as content_of
from ..formats import Input
from ..keywords import known_keywords, refuse_idle_keywords
from ..matching.alignment import Alignment
from ..matching.matched import Matched
from ..metrics import METRICS, Metric
from ..metrics.assignment import assign
from ..presentation import Presented, writer_of
from ..scoring.scorer import Scorer
from ..scoring.settings import Settings

if TYPE_CHECKING:
    from ..paper.table import Table

MOST = 10
IDLE = ("metrics", "exact", "weights", "average", "mean", "undefined", "blanc", "multi", "split_antecedents", "window")
_Tallies: TypeAlias = dict[str, dict[int, Counter[int]]]  # name → block → its entities, and how often each has it
_LENGTH = 28


class Found(NamedTuple):
    """One entity of the key, and the response entity that was assigned to it.

    document   where it is; with a wider scope, the block
    entity     its id in the key
    name       the name that the key gives it (`characters` of BOOKCOREF), or else its first mention
    mentions   how many it has
    response   the id of the response entity, None if none was left
    found      how many mentions the response entity has
    common     how many mentions both have
    """

    document: str
    entity: str
    name: str
    mentions: int
    response: str | None
    found: int
    common: int

    @property
    def recall(self) -> float:
        """The share of its mentions that the response entity has."""
        return self.common / self.mentions

    @property
    def precision(self) -> float:
        """The share of the response entity's mentions that are its own; 0 without a response entity."""
        return self.common / self.found if self.found else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.common / (self.mentions + self.found)


@dataclass(frozen=True, eq=False)
class Major(Presented, Sequence[Found]):
    """The chosen entities with their scores, and the averages."""

    rows: tuple[Found, ...]
    signature: str
    issues: tuple[Issue, ...]

    @overload
    def __getitem__(self, place: int) -> Found: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Found]: ...

    def __getitem__(self, place: int | slice) -> Found | Sequence[Found]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return str(self)

    @property
    def micro(self) -> tuple[float, float, float]:
        """R, P and F1 of the counts of all chosen entities added up."""
        common, ours, theirs = (sum(getattr(row, n) for row in self.rows) for n in ("common", "mentions", "found"))
        return _share(common, ours), _share(common, theirs), _share(2 * common, ours + theirs)

    @property
    def macro(self) -> tuple[float, float, float]:
        """The mean of R, of P and of F1 over the chosen entities."""
        r, p, f = (sum(getattr(row, n) for row in self.rows) for n in ("recall", "precision", "f1"))
        return _share(r, len(self)), _share(p, len(self)), _share(f, len(self))

    def table(self, digits: int = 2) -> Table:
        """One row per entity, and the averages below."""
        found: Table = writer_of(self).table(self, digits)
        return found

    def render(self, format: str = "table", digits: int = 2) -> str:
        """The table in one of the output formats, or everything as JSON."""
        text: str = writer_of(self).render(self, format, digits)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        values = ("recall", "precision", "f1")
        return {
            "signature": self.signature,
            "entities": [{**row._asdict(), **{v: getattr(row, v) for v in values}} for row in self.rows],
            "micro": dict(zip(values, self.micro, strict=True)),
            "macro": dict(zip(values, self.macro, strict=True)),
            "issues": [issue.to_dict() for issue in self.issues],
        }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@known_keywords
def major(
    key: Input,
    response: Input,
    number: int | None = None,
    *,
    entities: str | Path | Iterable[str] | None = None,
    **settings: Unpack[Settings],
) -> Major:
    """R, P and F1 of the major entities of the key, each with the response entity that was assigned to it.

    number     how many entities of each document: those with the most mentions, of equals the earlier; by default 10
    entities   instead of number: names or ids of the key, as a list or a file with one per line; `DOCUMENT<tab>NAME`
               for one document alone

    Everything else is as for `score`.

        major("book.jsonl", "found.jsonl", 10).macro
    """
    if number is not None and entities is not None:
        raise UsageError("give either a number of entities or their names, not both")
    if number is not None and number < 1:
        raise UsageError("the number of entities per document must be at least 1")
    refuse_idle_keywords(settings, IDLE, "no number of a table of entities depends on it")
    settings["metrics"] = "ceafe"  # the measure by which entities are assigned
    scorer = Scorer(key, **settings)
    matched = scorer.match(response)
    matched.whole("a table of entities")
    ceafe = METRICS["ceafe"]
    assert isinstance(ceafe, Metric)
    alignment = matched.scored(ceafe)
    if entities is None:
        number = MOST if number is None else number
        chosen, issues = _largest(alignment, number), list(matched.issues)
    else:
        chosen, more = _Index(matched, alignment).named(entities)
        issues = [*matched.issues, *more]
    signature = scorer.result(matched).signature
    how = f"entities:{'given' if number is None else number}"
    return Major(tuple(_found(matched, alignment, chosen)), f"{signature}|{how}", tuple(issues))


def _largest(alignment: Alignment, number: int) -> IntArray:
    """The largest key entities of each block, the largest first, of equals the earlier."""
    sizes, block = alignment.sizes[0], alignment.key_block
    first = np.full(len(block), len(alignment.key), dtype=np.int64)
    has = alignment.key >= 0
    np.minimum.at(first, alignment.key[has], alignment.rank[has])
    order = np.lexsort((first, -sizes, block))
    order = order[sizes[order] > 0]
    starts = np.searchsorted(block[order], block[order])
    return order[np.arange(len(order)) - starts < number]


def _found(matched: Matched, alignment: Alignment, chosen: IntArray) -> Iterable[Found]:
    """These key entities with their assigned response entities."""
    a, b = alignment.sizes
    both = np.flatnonzero((alignment.key >= 0) & (alignment.response >= 0) & np.isin(alignment.key, chosen))
    width = max(len(b), 1)
    cells, n = np.unique(alignment.key[both] * width + alignment.response[both], return_counts=True)
    i, j = np.divmod(cells, width)
    best = assign(i, j, 2 * n / (a[i] + b[j]), len(a), len(b)) if len(cells) else np.zeros(0, dtype=bool)
    partner = {int(k): (int(r), int(common)) for k, r, common in zip(i[best], j[best], n[best], strict=True)}
    key_rows, response_rows = alignment.origins
    row_of = _first_rows(alignment.key, alignment.rank, len(a))
    response_row = _first_rows(alignment.response, alignment.rank, len(b))
    for entity in chosen.tolist():
        row = int(key_rows[row_of[entity]])
        r, common = partner.get(entity, (-1, 0))
        yield Found(
            matched.pairing.labels[int(alignment.key_block[entity])],
            str(matched.key.labels[int(matched.key.entity[row])]),
            _name(matched.key, key_rows[alignment.key == entity], row),
            int(a[entity]),
            None if r < 0 else _label(matched.response, int(response_rows[response_row[r]])),
            0 if r < 0 else int(b[r]),
            common,
        )


def _first_rows(entity: IntArray, rank: IntArray, entities: int) -> IntArray:
    """The row of the first mention of each entity."""
    rows = np.zeros(entities, dtype=np.int64)
    has = np.flatnonzero(entity >= 0)
    order = has[np.argsort(rank[has], kind="stable")][::-1]
    rows[entity[order]] = order
    return rows


def _label(corpus: Corpus, row: int) -> str:
    return str(corpus.labels[int(corpus.entity[row])])


def _name(corpus: Corpus, rows: IntArray, first: int) -> str:
    """The name that the key gives an entity, or its first mention."""
    given = corpus.attributes.get("character")
    names = Counter(given[row] for row in rows.tolist() if given[row]) if given is not None else Counter()
    if names:
        return str(names.most_common(1)[0][0])
    words: str = " ".join(corpus.words(first).split()) if corpus.has_text else corpus.mention(first).span
    return words if len(words) <= _LENGTH else f"{words[: _LENGTH - 1].rstrip()}…"


class _Index:
    """The key entities by block and id, by the names that the key gives, and by the words of their mentions."""

    def __init__(self, matched: Matched, alignment: Alignment) -> None:
        self.matched, self.alignment = matched, alignment
        rows = np.flatnonzero(alignment.key >= 0)
        self._entity, self._origin = alignment.key[rows], alignment.origins[0][rows]

    def named(self, entities: str | Path | Iterable[str]) -> tuple[IntArray, tuple[Issue, ...]]:
        """The entities that are asked for, each once, and a note on names of several entities."""
        file, lines = "", []
        if isinstance(entities, str | Path):
            file = str(entities)
            lines = content_of(file).splitlines()
        else:
            lines = [str(name) for name in entities]
        chosen: dict[int, None] = {}
        several: list[str] = []
        for number, line in enumerate(lines, start=1):
            if not line.strip() or (file and line.startswith("#")):
                continue
            document, tab, name = line.partition("\t") if file else ("", "", line)
            document, name = (document.strip(), name.strip()) if tab else ("", line.strip())
            here, ambiguous = self._one(name, document, file, number if file else None)
            several += [name] if ambiguous else []
            chosen |= dict.fromkeys(here)
        if not chosen:
            raise InputError("no entity is named here", file=file or None, hint="one name or id of the key per line")
        issues = []
        if several:
            which = f"{counted(several, 'name')} of several entities, such as '{several[0]}'"
            message = f"{which}: the entity with the most such mentions was taken; give an id of the key to choose"
            issues.append(Issue("ambiguous-name", message, len(several)))
        return np.array(list(chosen), dtype=np.int64), tuple(issues)

    def _one(self, name: str, document: str, file: str, line: int | None) -> tuple[list[int], bool]:
        """The entities of one name, at most one per block, and whether others could be meant."""
        blocks = self.matched.pairing.labels
        if document and document not in blocks:
            meant = did_you_mean(document, blocks)
            raise InputError(f"the key has no document '{document}'{meant}", file=file or None, line=line)
        for which in ("ids", "given", "texts"):
            known: _Tallies = getattr(self, which)
            wanted = [tally for b, tally in known.get(name, {}).items() if not document or blocks[b] == document]
            if wanted:
                return self._most(wanted, name, file, line)
        meant = did_you_mean(name, (*self.ids, *self.given, *self.texts))
        raise InputError(
            f"the key has no entity '{name}'{meant}",
            file=file or None,
            line=line,
            hint="give an id of the key, a name of its `characters`, or the words of a mention as they are written",
        )

    def _most(self, tallies: list[Counter[int]], name: str, file: str, line: int | None) -> tuple[list[int], bool]:
        largest, ambiguous = [], False
        for tally in tallies:
            (best, times), *others = tally.most_common(2)
            if others and others[0][1] == times:
                ids = ", ".join(self._id(entity) for entity, n in tally.items() if n == times)
                hint = "give the id of the entity that you mean"
                raise InputError(f"'{name}' may be any of the entities {ids}", file=file or None, line=line, hint=hint)
            largest.append(best)
            ambiguous |= bool(others)
        return largest, ambiguous

    def _id(self, entity: int) -> str:
        entities: IntArray = self._entity
        return _label(self.matched.key, int(self._origin[np.flatnonzero(entities == entity)[0]]))

    def _tallied(self, names: Iterable[str]) -> _Tallies:
        block = self.alignment.key_block[self._entity].tolist()
        found: _Tallies = {}
        for b, entity, name in zip(block, self._entity.tolist(), names, strict=True):
            if name:
                found.setdefault(name, {}).setdefault(b, Counter())[entity] += 1
        return found

    @cached_property
    def ids(self) -> _Tallies:
        key = self.matched.key
        return self._tallied(str(key.labels[e]) for e in key.entity[self._origin].tolist())

    @cached_property
    def given(self) -> _Tallies:
        names = self.matched.key.attributes.get("character")
        return {} if names is None else self._tallied(names[row] for row in self._origin.tolist())

    @cached_property
    def texts(self) -> _Tallies:
        key = self.matched.key
        if not key.has_text:
            return self._tallied(str(key.mention(row).span) for row in self._origin.tolist())
        return self._tallied(" ".join(key.words(row).split()) for row in self._origin.tolist())
