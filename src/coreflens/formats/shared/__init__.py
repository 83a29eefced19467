"""What several formats are read and written with; none of these modules is a format."""

__all__ = ["builder", "cells", "concatenation", "features", "problems", "repairs", "source", "streaming", "unread"]
