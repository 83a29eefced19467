"""The former place of `CorefMetric`, which is now in `coreflens.integrations`."""

from __future__ import annotations

from ..integrations import CorefMetric

__all__ = ["CorefMetric"]
