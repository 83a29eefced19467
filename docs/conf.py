"""The documentation site: `bin/docs` builds it, warnings being errors."""

from coreflens import __version__

project = "coreflens"
author = copyright = "the coreflens authors"
release = version = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"coreflens {release}"
html_show_sourcelink = False
nitpicky = True
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository that are not pages
