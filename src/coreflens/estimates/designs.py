"""From labelled records to draws: what was drawn, what each draw adds, and how much it weighs.

by record     a draw adds y_i/m_i of its record's entity i; precision may come from its cluster: y_j/b_j
by entity     a draw adds y_i
by cluster    a draw adds y_j to precision, and Σ_i n_ij/m_i · y_i to recall if the entities were completed

Summed over the whole frame, each is Σ_i y_i. So with weights 1/(expected hits) every sum is unbiased.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..corpus.columns import numbered
from ..corpus.model import IntArray
from ..errors import InputError, Issue, UsageError
from ..integers import bincount, repeat
from .clustering import Clustering
from .draws import Draws
from .labels import WEIGHING, Labels, Mask
from .ratios import (
    ESTIMATED,
    Cells,
    Numbers,
    Ratio,
    Ratios,
    cluster_precisions,
    cluster_recalls,
    entity_ratios,
    spurious_ratios,
)

By: TypeAlias = Literal["record", "cluster", "entity"]
BY: tuple[By, ...] = ("record", "cluster", "entity")
UNITS: dict[By, str] = {"record": "records", "cluster": "clusters", "entity": "entities"}
SHARED = ("hits", *WEIGHING, "stratum")  # what all records of a drawn entity or cluster must have alike
NOT_COMPLETED = "inside a cluster, labels do not tell whether an entity has records elsewhere: complete the entities"
NOT_EXACT = "whether a cluster is a whole entity is only known if entities are completed (--completed)"
NOT_ALONE = "whether a cluster of one record is a whole entity is only known if entities are completed (--completed)"


@dataclass(frozen=True)
class Design:
    """How a sample was drawn and labelled.

    by              what was drawn: records, clusters of the response, or entities
    from_clusters   by record: precision comes from the clusters of the drawn records
    completed       by cluster: all records of the entities met are labelled
    weights         by entity: `uniform`, `size` (1/size), or the weight of each entity
    population      how many units there are, if it is given
    """

    by: By
    from_clusters: bool = False
    completed: bool = False
    weights: Literal["uniform", "size"] | Mapping[str, float] | None = None
    population: int | None = None

    @property
    def name(self) -> str:
        """As the column `by` spells it."""
        return "record+cluster" if self.from_clusters else self.by


class _Units(NamedTuple):
    """The units of a design that were drawn.

    row      a labelled row of each, which has its weight and its stratum
    hits     how often each was drawn
    frame    how many units there are; None if the response does not say
    """

    row: IntArray
    hits: IntArray
    frame: int | None


@dataclass(frozen=True, eq=False)
class Sampled:
    """A labelled sample beside one response.

    place    the place of each labelled record in the response, −1 if it is not there
    cells    what entities and clusters share
    """

    labels: Labels
    response: Clustering
    design: Design
    place: IntArray
    cells: Cells

    @classmethod
    def of(cls, labels: Labels, response: Clustering, design: Design) -> Sampled:
        """The labels placed in the response, and checked."""
        place = response.places(labels.records, labels.docs)
        entity, names = labels.entity
        if not names:
            raise labels.fail("no record has an entity: nothing is labelled")
        has = entity >= 0
        cluster = np.where(place >= 0, response.cluster[place], -1)
        cells = Cells.of(entity[has], cluster[has], len(names), response.sizes)
        return cls(labels, response, design, place, cells)

    @property
    def cluster(self) -> IntArray:
        """The cluster of each labelled record, −1 if the response lacks the record."""
        return np.where(self.place >= 0, self.response.cluster[self.place], -1)

    def draws(self) -> Draws:
        """The draws of the design."""
        maker = {"record": self._by_record, "entity": self._by_entity, "cluster": self._by_cluster}
        return maker[self.design.by]()

    def _by_record(self) -> Draws:
        drawn = self._drawn_rows()
        self._check_present(drawn)
        self._check_labelled(drawn)
        if self.design.from_clusters:
            self._check_whole_clusters(drawn)
        entity = self.labels.entity[0][drawn]
        cluster = self.cluster[drawn]
        ratios = self._of_records(entity, cluster)
        if self.design.from_clusters:
            in_clusters = cluster_precisions(self.cells)
            size = self.response.sizes[cluster]
            ratios |= {name: ratio.take(cluster).over(size) for name, ratio in in_clusters.items()}
        units = _Units(drawn, self.labels.hits[drawn], len(self.response))
        return self._weighted(units, ratios, {}, np.ones(len(drawn)))

    def _of_records(self, entity: IntArray, cluster: IntArray) -> Ratios:
        """y_i/m_i of each drawn record; a record of no entity adds to the denominators of precision alone."""
        m = np.maximum(self.cells.m, 1)
        of_entities = {name: ratio.over(m) for name, ratio in entity_ratios(self.cells).items()}
        alone = spurious_ratios(self.response.sizes[cluster])
        spurious = entity < 0
        ratios: Ratios = {}
        for name, ratio in of_entities.items():
            own = ratio.take(np.where(spurious, 0, entity))
            ratios[name] = Ratio(
                np.where(spurious, alone[name].numerator, own.numerator),
                np.where(spurious, alone[name].denominator, own.denominator),
            )
        return ratios

    def _by_entity(self) -> Draws:
        entity, names = self.labels.entity
        if (without := np.flatnonzero(entity < 0)).size:
            message = f"the record {self.labels.records[int(without[0])]} has no entity"
            raise self.labels.fail(message, int(without[0]), "by entity, only drawn entities belong in the table")
        _, first = np.unique(entity, return_index=True)
        for column in ("hits", "weight", "probability", "population", "stratum"):
            self._check_alike(
                column, entity, first, [f"the entity {name}" for name in names], np.ones(len(entity), bool)
            )
        hits = self.labels.hits[first] if "hits" in self.labels.others else np.ones(len(first), dtype=np.int64)
        drawn = np.flatnonzero(hits)
        ratios = {name: ratio.take(drawn) for name, ratio in entity_ratios(self.cells).items()}
        return self._weighted(_Units(first[drawn], hits[drawn], None), ratios, {}, self.cells.m[drawn])

    def _by_cluster(self) -> Draws:
        rows = self._drawn_rows()
        self._check_present(rows)
        cluster = self.cluster
        drawn, first = np.unique(cluster[rows], return_index=True)
        first = rows[first]
        inside = np.isin(cluster, drawn)
        of_cluster = np.searchsorted(drawn, np.where(inside, cluster, drawn[0]))
        names = [f"the cluster of the record {self.labels.records[row]}" for row in first.tolist()]
        for column in SHARED:
            self._check_alike(column, of_cluster, first, names, inside)
        self._check_clusters_of_table(rows)
        self._check_whole_clusters(rows)
        self._check_labelled(np.flatnonzero(inside))
        ratios = {name: ratio.take(drawn) for name, ratio in cluster_precisions(self.cells).items()}
        why: dict[tuple[str, str], str] = {}
        if self.design.completed:
            ratios |= {name: ratio.take(drawn) for name, ratio in cluster_recalls(self.cells).items()}
        else:
            why = {(metric, "recall"): NOT_COMPLETED for metric in ESTIMATED}
            why["entities", "precision"] = NOT_EXACT
            if (self.response.sizes[drawn] == 1).any():
                why["lea", "precision"] = NOT_ALONE
        units = _Units(first, self.labels.hits[first], self.response.clusters)
        return self._weighted(units, ratios, why, self.response.sizes[drawn])

    # Weights

    def _weighted(self, units: _Units, ratios: Ratios, why: dict[tuple[str, str], str], records: Numbers) -> Draws:
        """The draws of units, each as often as it was hit, with weights and strata."""
        strata, names = self._strata(units)
        counts = bincount(strata, units.hits, minlength=len(names)).astype(np.int64)
        population = self._population(units, strata, counts, names)
        weight, finite = self._weight(units, strata, counts, population)
        again = repeat(np.arange(len(units.row)), units.hits)
        return Draws(
            weight=weight[again],
            scaled=self._is_scaled(population),
            stratum=strata[again],
            population=population,
            finite=finite and not (units.hits > 1).any(),
            ratios={name: ratio.take(again) for name, ratio in ratios.items() if name not in why},
            why=why,
            records=records[again],
        )

    def _is_scaled(self, population: Numbers) -> bool:
        """Whether the weights add up to the population."""
        own = self.labels.weighing()
        if self.design.weights is not None:
            return False
        return own is not None or not np.isnan(population).any()

    def _strata(self, units: _Units) -> tuple[IntArray, list[str]]:
        if "stratum" not in self.labels.others:
            return np.zeros(len(units.row), dtype=np.int64), [""]
        cells = self.labels.others["stratum"]
        codes, names = numbered([cells[row] for row in units.row.tolist()])
        return codes, [str(name) for name in names]

    def _population(self, units: _Units, strata: IntArray, counts: IntArray, names: list[str]) -> Numbers:
        """Units of each stratum, as far as they are known."""
        own, given = self.labels.weighing(), self.design.population
        if own is not None and own[0] != "population":
            if given is not None:
                raise UsageError(f"--population can't be combined with a column {own[0]}")
            return np.full(len(names), np.nan)
        if self.design.weights is not None and own is not None:
            raise UsageError("--weights can't be combined with a column population")
        if own is not None:
            if given is not None:
                raise UsageError("--population can't be combined with a column population")
            population = self._stated(own[1], units, strata, names)
        elif "stratum" in self.labels.others:
            if given is not None:
                raise UsageError(
                    "--population is one number, but the sample has strata: give it in a column population"
                )
            if self.design.weights is not None:
                return np.full(len(names), np.nan)
            hint = "a column population says how many units each stratum has"
            raise self.labels.fail("there are strata, but neither population nor weights", hint=hint)
        else:
            known = given if given is not None else units.frame
            population = np.array([np.nan if known is None else known], dtype=np.float64)
        has_repeats = bool((units.hits > 1).any())
        for stratum, (drawn, whole) in enumerate(zip(counts.tolist(), population.tolist(), strict=True)):
            if drawn > whole and not has_repeats:
                where = f" of the stratum {names[stratum]}" if names[stratum] else ""
                unit = UNITS[self.design.by]
                raise self.labels.fail(f"{drawn:,} {unit}{where} were drawn, but the population is {whole:,.0f}")
        return population

    def _stated(self, numbers: Numbers, units: _Units, strata: IntArray, names: list[str]) -> Numbers:
        """The column `population`, which must have one number for each stratum."""
        of_units = numbers[units.row]
        population = np.full(len(names), np.nan)
        for stratum, number, row in zip(strata.tolist(), of_units.tolist(), units.row.tolist(), strict=True):
            if np.isnan(number):
                raise self.labels.fail("population is empty", row)
            if not np.isnan(population[stratum]) and population[stratum] != number:
                where = f"the stratum {names[stratum]}" if names[stratum] else "the sample"
                raise self.labels.fail(f"{where} has two values of population", row)
            population[stratum] = number
        return population

    def _weight(self, units: _Units, strata: IntArray, counts: IntArray, population: Numbers) -> tuple[Numbers, bool]:
        """The weight of each unit, and whether the finite population counts."""
        own, asked = self.labels.weighing(), self.design.weights
        if asked is not None:
            if own is not None:
                raise UsageError(f"--weights can't be combined with a column {own[0]}")
            return self._asked_weight(units), asked == "uniform" and not np.isnan(population).any()
        if own is not None and own[0] != "population":
            numbers = own[1][units.row]
            if (empty := np.flatnonzero(np.isnan(numbers))).size:
                raise self.labels.fail(f"{own[0]} is empty", int(units.row[empty[0]]))
            return (1 / numbers if own[0] == "probability" else numbers), False
        with np.errstate(invalid="ignore"):
            weight = np.where(np.isnan(population), 1.0, population / counts)
        return weight[strata], not np.isnan(population).any()

    def _asked_weight(self, units: _Units) -> Numbers:
        """The weights that `--weights` asks for."""
        entity, names = self.labels.entity
        drawn = entity[units.row]
        asked = self.design.weights
        if asked == "uniform":
            return np.ones(len(drawn))
        if asked == "size":
            weights: Numbers = 1 / self.cells.a[drawn]
            return weights
        assert isinstance(asked, Mapping)
        lacking = [names[e] for e in drawn.tolist() if names[e] not in asked]
        if lacking:
            raise InputError(f"there is no weight of the entity {lacking[0]} ({len(lacking)} entities have none)")
        return np.array([asked[names[e]] for e in drawn.tolist()], dtype=np.float64)

    # Checks

    def _drawn_rows(self) -> IntArray:
        if "hits" not in self.labels.others:
            hint = "1 for each record that was drawn, 0 for records that were only labelled"
            raise self.labels.fail(f"by {self.design.by}, a column hits must say what was drawn", hint=hint)
        return np.flatnonzero(self.labels.hits)

    def _check_present(self, drawn: IntArray) -> None:
        missing = drawn[self.place[drawn] < 0]
        if missing.size:
            row = int(missing[0])
            message = f"the drawn record {self.labels.records[row]} is not in the response ({len(missing)} in all)"
            raise self.labels.fail(message, row, "the sample is of another response, or of another version of it")

    def _check_labelled(self, rows: IntArray) -> None:
        """Rows that must be labelled: an empty entity means none, unless `complete` is there and not ticked."""
        if "complete" not in self.labels.others:
            return
        empty = self.labels.entity[0][rows] < 0
        waiting = rows[empty & ~self.labels.ticked[rows]]
        if waiting.size:
            named = self.labels.named(waiting.tolist())
            message = f"{len(waiting)} records are not labelled yet: {named}"
            hint = "a record that belongs to no entity has an empty entity, and complete is ticked"
            raise self.labels.fail(message, int(waiting[0]), hint)

    def _check_whole_clusters(self, drawn: IntArray) -> None:
        """All records of the clusters of drawn records must be labelled."""
        cluster = self.cluster
        drawn_clusters = np.unique(cluster[drawn])
        placed = self.place[self.place >= 0]
        is_drawn = np.zeros(len(self.response.sizes), dtype=bool)
        is_drawn[drawn_clusters] = True
        counted = bincount(self.response.cluster[placed], minlength=len(is_drawn))
        part = np.flatnonzero(is_drawn & (counted < self.response.sizes))
        if not part.size:
            if self.design.from_clusters:
                self._check_labelled(np.flatnonzero((cluster >= 0) & is_drawn[cluster]))
            return
        in_part = np.zeros(len(is_drawn), dtype=bool)
        in_part[part] = True
        lacking = in_part[self.response.cluster]
        lacking[placed] = False
        rows = np.flatnonzero(lacking)
        names = ", ".join(str(self.response.names[row]) for row in rows[:5].tolist())
        more = ", ..." if len(rows) > 5 else ""
        message = (
            f"{len(part)} drawn clusters are not labelled in full: {len(rows)} records lack a label: {names}{more}"
        )
        raise self.labels.fail(message, hint="label every record of the clusters that were drawn")

    def _check_clusters_of_table(self, rows: IntArray) -> None:
        """The table's own column of clusters must fit the response."""
        if "cluster" not in self.labels.others:
            return
        cells = self.labels.others["cluster"]
        theirs: dict[str, int] = {}
        ours: dict[int, str] = {}
        for row in rows.tolist():
            name, cluster = cells[row], int(self.cluster[row])
            if theirs.setdefault(name, cluster) != cluster or ours.setdefault(cluster, name) != name:
                message = f"the cluster {name} of the sample is not a cluster of this response"
                hint = "by cluster, a sample can only be used for the response that it was drawn from"
                raise self.labels.fail(message, row, hint)

    def _check_alike(self, column: str, unit: IntArray, first: IntArray, names: list[str], inside: Mask) -> None:
        """A column must have one value for each unit: for an entity, or a cluster."""
        if column not in self.labels.others:
            return
        cells = self.labels.others[column]
        for row in np.flatnonzero(inside).tolist():
            number = int(unit[row])
            if cells[row].strip() != cells[int(first[number])].strip():
                raise self.labels.fail(f"{column} differs inside {names[number]}", row)


def notes_on(sampled: Sampled) -> list[Issue]:
    """What is unusual about the labels beside the response."""
    labels, design, cells = sampled.labels, sampled.design, sampled.cells
    entity, _ = labels.entity
    issues: list[Issue] = []
    missed = int(((sampled.place < 0) & (entity >= 0)).sum())
    if missed:
        message = f"{missed} labelled records are not in the response: they count in the size of their entity"
        issues.append(Issue("missed-records", message, missed))
    unseen = int((cells.m == 0).sum())
    if unseen and design.by != "entity":
        message = f"{unseen} labelled entities have no record in the response: by {design.by} they are not counted"
        issues.append(Issue("unseen-entities", message, unseen))
    if design.by == "entity":
        issues.append(Issue("closed-world", "precision assumes that every record of the response belongs to an entity"))
    if design.weights == "size":
        message = "weights by size are an approximation: an entity met through two records should count twice"
        issues.append(Issue("size-weights", message))
    if "complete" in labels.others and "hits" in labels.others and design.by != "entity":
        open_ = int(((labels.hits > 0) & ~labels.ticked).sum())
        if open_:
            message = f"{open_} drawn records are not ticked as complete: recall is too high if records are missing"
            issues.append(Issue("not-complete", message, open_))
    return issues
