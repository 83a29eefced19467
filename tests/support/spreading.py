"""Which process runs which test: any process any test, but one process all tests of Spark, which is started once.

pytest-xdist has marks for groups of tests, which newer versions of pytest ignore without a word. So the tests of Spark
are known by their names.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling


class OneSpark(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Tests go to processes one by one, and all of those with "spark" in their name to one of them."""

    def _split_scope(self, nodeid: str) -> str:
        return "spark" if "spark" in nodeid.rpartition("/")[2] else nodeid
