"""Where things are: this checkout, and third-party data beside it, which is not part of the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "data"
SHARED = ROOT.parent / "shared"
DATA = SHARED / "data"
