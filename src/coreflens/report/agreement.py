"""Agreement between annotators, on paper."""

from __future__ import annotations

from ..paper.writers import written
from ..studies.agreement import Agreement
from .study_tables import agreed
from .study_tables import agreed_records as records

__all__ = ["records"]


def text(agreement: Agreement) -> str:
    """The matrices and groups, for a terminal."""
    return written(agreed(agreement), "table", agreement.signature)
