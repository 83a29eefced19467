"""Saved counts: a small file without any text, for later comparisons, for sums, or for a gate in CI.

It is a JSON object, gzipped if the name ends in `.gz`:

    {"coreflens-counts": 2,                      the version of this format, and always the first member
     "signature": "coreflens:...|protocol:...",  how the counts came about: options, metrics, number of documents
     "columns": ["muc.recall_num", ...],
     "documents": [["bc/cctv/00", 0], ...],      name and part (or null) of each row; `labels` if rows are wider blocks
     "values": [[12, 17, ...], ...],             one row per document; null: the metric does not apply; "1/3": exact
     "checksum": "sha256:..."}                   of all the bytes before the comma that precedes this last member

A gate must not pass because its baseline was cut off or edited. So the checksum is compared, and the counts must be
plausible. Version 1 had no checksum. It can still be read, with a note.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..corpus.model import Document
from ..errors import InputError, Issue, UsageError
from ..files.encoding import text, unpacked
from ..files.gzipped import Unzipped
from ..files.notation import json_value
from ..files.opening import load, open_file
from ..files.writing import save
from ..metrics import METRICS
from ..metrics.contingency import Array
from .counts import Counts, needed
from .plausible import check_columns, check_plausible, check_rows
from .scores import whole_or_none
from .signature import Signature

if TYPE_CHECKING:
    from .result import Result

VERSION = 2
_CHECKSUM = b',\n"checksum": "sha256:'
_END = b'"}\n'
DAMAGE = (KeyError, TypeError, ValueError, OverflowError, UsageError)
_ANEW = "save the counts again with --save-counts"
_HEAD = b'{"coreflens-counts":'


def save_counts(result: Result, path: str | Path) -> None:
    """Write the counts of a result. `load_counts` reads them back."""
    counts = result.counts
    if not len(counts):
        raise UsageError("no counts to save: this result was read back from JSON")
    plain = plain_counts(counts)
    rows = plain.pop("values")
    head = {"coreflens-counts": VERSION, "signature": str(result.signature), **plain}
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    start = json.dumps(head, ensure_ascii=False)[:-1]
    data = f'{start},\n"values": [\n{lines}\n]'.encode()
    save([data, _CHECKSUM, sha256(data).hexdigest().encode(), _END], path)


def plain_counts(counts: Counts) -> dict[str, Any]:
    """Counts for JSON: columns, documents (or labels, if rows are wider blocks) and values."""
    rows: dict[str, Any] = {"labels": list(counts.labels)}
    if len(counts.documents) == len(counts):
        rows = {"documents": [[d.name, d.part] for d in counts.documents]}
    return {"columns": list(counts.columns), **rows, "values": [[_written(x) for x in row] for row in counts.values]}


def counts_of(plain: Mapping[str, Any], signature: Signature, *, repeated: bool = False) -> Counts:
    """Counts from JSON. A ValueError or similar says what is wrong, for instance that a document is `repeated`."""
    unknown = [metric for metric in signature.metrics if metric not in METRICS]
    if unknown:
        raise ValueError(f"unknown metric {unknown[0]}")
    columns = tuple(plain["columns"])
    check_columns(columns, needed(signature.metrics, signature.options))
    documents = [_document(*row) for row in plain.get("documents", ())]
    labels = [d.label for d in documents] or [str(label) for label in plain["labels"]]
    check_rows(plain["values"], labels, columns, repeated=repeated)
    values = _values(plain["values"], len(columns))
    check_plausible(values, labels, columns, signature.options)
    return Counts(labels, columns, values, documents)


def are_counts(path: str | Path) -> bool:
    """Whether this is a file that `save_counts` wrote."""
    if not Path(path).is_file():  # a pipe can be read only once
        return False
    try:
        with open_file(path) as file:
            head = file.read(64)
            if head.startswith(b"\x1f\x8b"):
                file.seek(0)
                head = Unzipped(file, str(path), owns=False).read(64)
    except (OSError, InputError):  # the reader reports what is wrong
        return False
    return head.startswith(_HEAD)


def read_counts(path: str | Path) -> tuple[Counts, Signature, list[Issue]]:
    """Counts, how they came about, and notes on the file."""
    name = str(path)
    data = unpacked(load(path), name, None)
    if not data.startswith(_HEAD):
        raise InputError("not a file of saved counts", file=name, hint="--save-counts FILE writes one")
    try:
        plain = json_value(text(data, name), name)
    except InputError as error:
        message = f"damaged counts: {error.message}"
        raise InputError(message, file=name, line=error.line, column=error.column) from None
    version = plain["coreflens-counts"]
    if version not in (1, VERSION) or isinstance(version, bool):
        raise InputError(f"coreflens {__version__} can't read counts of format {version!s:.40}", file=name)
    if version == VERSION:
        _check_sum(data, name)
    try:
        signature = Signature.parse(plain["signature"])
        counts = counts_of(plain, signature)
    except DAMAGE as error:
        raise InputError(f"damaged counts: {wrong(error)}", file=name, hint=_ANEW) from None
    issues = []
    if version == 1:
        message = "counts of format 1, which has no checksum: a changed number would not be noticed"
        issues.append(Issue("no-checksum", message, places=(name,)))
    if signature.version != __version__:
        message = f"the counts were made by coreflens {signature.version}, but this is coreflens {__version__}"
        issues.append(Issue("other-version", message, places=(name,)))
    return counts, signature, issues


def wrong(error: Exception) -> str:
    """The message of an error of `DAMAGE`."""
    return f"no {error}" if isinstance(error, KeyError) else str(error)


def _written(x: Any) -> Any:
    return str(x) if isinstance(x, Fraction) else whole_or_none(x)


def _check_sum(data: bytes, name: str) -> None:
    """Check that the bytes are those that were written. This finds accidents, not forgeries."""
    counts, _, rest = data.rpartition(_CHECKSUM)
    if rest.removesuffix(_END).decode(errors="replace") != sha256(counts).hexdigest():
        message = "damaged counts: the checksum does not fit the content"
        raise InputError(message, file=name, hint=f"was the file cut off, or edited? If so, {_ANEW}")


def _document(name: Any, part: Any) -> Document:
    if not isinstance(name, str) or not (part is None or type(part) is int):
        raise ValueError(f"a document is [name, part], not [{name!r:.40}, {part!r:.40}]")
    return Document(name, part)


def _values(rows: Sequence[Sequence[Any]], width: int) -> Array:
    """Floats, or Fractions where they were saved as text."""
    exact = any(isinstance(x, str) for row in rows for x in row)
    found = [[np.nan if x is None else _fraction(x) if exact else x for x in row] for row in rows]
    return np.array(found, dtype=object if exact else np.float64).reshape(len(rows), width)


def _fraction(x: Any) -> Fraction:
    if isinstance(x, str) and not re.fullmatch(r"[0-9]{1,4000}(?:/0*[1-9][0-9]{0,4000})?", x):
        raise ValueError(f"'{x[:40]}' is not a fraction")
    return Fraction(x)
