"""Which process runs which test: any process any test, and one process those that share what takes long to make.

pytest-xdist has marks for groups of tests, which newer versions of pytest ignore without a word. So the tests of a
group are known by their names.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

# What is made once → names of tests and of test files that need it.
GROUPS = {
    "a session of Spark": ("spark",),
    "a browser": ("test_viewer.py", "test_viewer_safety", "test_viewer_browser", "test_web"),
    "all real files, read": ("test_real_files",),
    "inputs of all commands": ("test_matrix",),
}


class Grouped(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Tests go to processes one by one, and those of a group to one of them."""

    def _split_scope(self, nodeid: str) -> str:
        groups = (group for group, words in GROUPS.items() if any(word in nodeid for word in words))
        return next(groups, nodeid)
