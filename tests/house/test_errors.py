"""Names that are almost right."""

from __future__ import annotations

import pytest

from coreflens.errors import UsageError, choose, did_you_mean


def test_did_you_mean() -> None:
    assert did_you_mean("muk", ["bcub", "muc"]) == "; did you mean 'muc'?"
    assert did_you_mean("xyzzy", ["bcub", "muc"]) == did_you_mean("muk", []) == ""
    assert did_you_mean("bcubd", iter(["bcubed", "lea"]), {"bcubed": "bcub"}) == "; did you mean 'bcub'?"
    assert did_you_mean("leaa", ["bcubed", "lea"], {"bcubed": "bcub"}) == "; did you mean 'lea'?"


def test_a_choice_among_known_names() -> None:
    assert choose("drop", ("keep", "drop"), "value") == "drop"
    with pytest.raises(UsageError, match=r"^unknown value 'dorp'; did you mean 'drop'\? \(known: keep, drop\)$"):
        choose("dorp", iter(("keep", "drop")), "value")
