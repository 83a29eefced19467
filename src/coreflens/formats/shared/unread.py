"""Values of the tokens of a text that are read when they are asked for: one by itself, or all of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

_OFTEN = 8  # one value read by itself costs as much as so many of all


class Unread(Sequence[str]):
    """One value per token, of which few are ever looked at; all are read once many have been."""

    _looks = 0

    @abstractmethod
    def read_one(self, place: int) -> str:
        """One of the values."""

    @abstractmethod
    def read_all(self) -> list[str]:
        """All values."""

    def forms(self) -> bytes | None:
        """The words that are written, as bytes with a tab behind each, to compare those of two texts; None: unknown."""
        return None

    def written(self, places: slice) -> bytes | None:
        """Some values as they stand in the file, one byte behind each; None where that is not what they are."""
        return None

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
