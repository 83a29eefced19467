"""The same scores from tables of any size: DuckDB in this process, Spark on a cluster."""

__all__ = [
    "ceaf",
    "choice",
    "components",
    "duck",
    "grouped",
    "loaded",
    "relational",
    "scored",
    "solving",
    "sources",
    "spark",
]
