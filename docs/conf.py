"""The documentation site: `bin/docs` builds it, warnings being errors."""

from pathlib import Path

import coreflens
from coreflens import __version__

project = "coreflens"
author = copyright = "the coreflens authors"
release = version = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_extra"]
html_theme = "furo"
html_title = f"coreflens {release}"
html_show_sourcelink = False
nitpicky = True
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository that are not pages

# A live page of `coreflens view`, made again with every build of the site.
_here = Path(__file__).parent
_live = _here / "_extra" / "live"  # not in the output folder, which Sphinx 9 refuses
_live.mkdir(parents=True, exist_ok=True)
_example = _here.parent / "examples" / "conll2011"
coreflens.view(_example / "gold", _example / "systems" / "alpha.conll").save(_live / "view.html")
html_extra_path = ["_extra"]
