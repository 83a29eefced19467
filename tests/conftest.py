"""Fixtures that several test files use."""

from __future__ import annotations

import io
import sys

import pytest

from command import Ran, Run
from coreflens.cli import main


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`coreflens ARGS` in this process; whatever happens, no traceback and no "bug in coreflens" is shown."""

    def call(*args: object, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "argv", ["coreflens", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code: object = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert "bug in coreflens" not in err, err
        assert code in (0, 1, 2, 3)
        return Ran(int(str(code)), out, err)

    return call
