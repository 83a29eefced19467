"""Tools that several formats share for reading and writing; none of these modules is a format."""

__all__ = ["builder", "cells", "concatenation", "features", "problems", "repairs", "source", "streaming", "unread"]
