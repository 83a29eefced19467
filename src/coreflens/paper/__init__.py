"""What results are shown with: tables of cells in five formats, and drawings as SVG or PDF."""

__all__ = ["drawing", "latex", "panels", "plot", "table", "web", "writers"]
