"""Fixtures that several test files use."""

from __future__ import annotations

import gc
import io
import re
import signal
import sys
from typing import Any

import pytest
from hypothesis import settings

import chance  # noqa: F401  (its profiles)
from command import Ran, Run
from coreflens.cli import main

_REAL = re.compile(r"shared/data|real data|third-party data")  # what the reasons say of tests without such files


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("coreflens")
    group.addoption("--fast", action="store_true", help="leave out what is marked as slow, and try less at random")
    group.addoption("--explore", action="store_true", help="try something new at random, and more of it")


def pytest_configure(config: pytest.Config) -> None:
    """Before tests are collected: they take the number of examples from the profile."""
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # started in the background: programs of tests would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("explore" if config.option.explore else "fast" if config.option.fast else "same")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whatever is done in a browser is slow, and whatever needs real files, for they are many.

    Slow tests come first, so that no process ends with one while the others have nothing to do.
    """
    for item in items:
        reasons = (str(mark.kwargs.get("reason", "")) for mark in item.iter_markers("skipif"))
        if "browser" in getattr(item, "fixturenames", ()) or any(map(_REAL.search, reasons)):
            item.add_marker(pytest.mark.slow)
    if config.option.fast:
        _leave_out("slow", config, items)
    if not config.option.explore:
        _leave_out("endurance", config, items)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def _leave_out(marker: str, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests with a marker."""
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker(marker)])
    items[:] = [item for item in items if not item.get_closest_marker(marker)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """For several processes."""
    from spreading import Grouped

    return Grouped(config, log)


def pytest_collection_finish() -> None:
    """What was collected stays until the end: without this, every collection of garbage would look at all of it."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # or DuckDB would complain of what it leaves behind


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
