"""Values of the tokens of a text that are read when they are needed: one at a time, or all at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

_OFTEN = 8  # reading one value alone costs as much as this many when all are read at once


class Unread(Sequence[str]):
    """One value per token. Usually few are needed; after many have been read one by one, all are read at once."""

    _looks = 0

    @abstractmethod
    def read_one(self, place: int) -> str:
        """One of the values."""

    @abstractmethod
    def read_all(self) -> list[str]:
        """All values."""

    def forms(self) -> bytes | None:
        """The written words as bytes, with a tab after each, to compare two texts; None if they are unknown."""
        return None

    def written(self, places: slice) -> bytes | None:
        """Some values as they are in the file, with one byte after each; None if the file has other text for them."""
        return None

    def filled(self) -> int:
        """How many values are not empty."""
        return sum(map(bool, self))

    @cached_property
    def _values(self) -> list[str]:
        return self.read_all()

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if "_values" in self.__dict__:
            return self._values[place]
        places = range(len(self))[place]
        self._looks += 1 if isinstance(places, int) else len(places)
        if self._looks * _OFTEN > len(self):
            return self._values[place]
        return self.read_one(places) if isinstance(places, int) else list(map(self.read_one, places))

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._values)
