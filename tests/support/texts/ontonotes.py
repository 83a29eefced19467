"""Documents in the layout of Hugging Face's OntoNotes, as Parquet and as Arrow."""

from __future__ import annotations

import io
from typing import Any

ROWS: list[dict[str, Any]] = [
    {
        "document_id": "nw/a",
        "sentences": [
            {
                "part_id": 0,
                "words": ["Ann", "Bell", "left"],
                "pos_tags": ["NNP", "NNP", "VBD"],
                "named_entities": [1, 2, 0],
                "parse_tree": "(S)",
                "speaker": "x",
                "coref_spans": [[5, 0, 1]],
            },
            {
                "part_id": 0,
                "words": ["She", "slept"],
                "pos_tags": ["PRP", "VBD"],
                "named_entities": [0, 0],
                "parse_tree": None,
                "speaker": None,
                "coref_spans": [[5, 0, 0], [7, 0, 1]],
            },
            {
                "part_id": 1,
                "words": ["It"],
                "pos_tags": ["PRP"],
                "named_entities": [0],
                "parse_tree": None,
                "speaker": None,
                "coref_spans": [[5, 0, 0]],
            },
        ],
    },
]


def table(rows: list[dict[str, Any]]) -> Any:
    import pyarrow

    return pyarrow.Table.from_pylist(rows)


def parquet(rows: list[dict[str, Any]] = ROWS) -> bytes:
    from pyarrow import parquet as writer

    out = io.BytesIO()
    writer.write_table(table(rows), out)
    return out.getvalue()


def arrow(rows: list[dict[str, Any]] = ROWS, stream: bool = False) -> bytes:
    from pyarrow import ipc

    out = io.BytesIO()
    given = table(rows)
    with (ipc.new_stream if stream else ipc.new_file)(out, given.schema) as writer:
        writer.write_table(given)
    return out.getvalue()
