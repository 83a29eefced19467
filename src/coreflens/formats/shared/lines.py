"""Line and column of a place in a text."""

from __future__ import annotations


class Lines:
    """The lines of a text, in one pass: `place` must be called with ascending places."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line, self._start, self._at = 1, 0, 0

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, from 1."""
        if newlines := self.text.count("\n", self._at, at):
            self.line += newlines
            self._start = self.text.rindex("\n", self._at, at) + 1
        self._at = at
        return self.line, at - self._start + 1
