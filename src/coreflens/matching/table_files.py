"""Tables in several files without a column of documents: each file is a document, and often none was meant to be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..corpus.model import Corpus
from ..errors import Issue

# part-00000, part-00000-<uuid>-c000.snappy, shard-3-of-8, data_0, 0000
_PART = (
    r"part-\d{4,}.*|(part|shard|chunk|split|piece|data|file|block|batch|segment|output)[-_. ]?\d+([-_. ]of[-_. ]\d+)?"
    r"|\d+[-_. ]of[-_. ]\d+|0\d{3,}"
)


def only_files(key: Corpus, response: Corpus) -> bool:
    """Whether each side is one file without a column of documents: their names need not be the same."""
    return key.by_file and response.by_file and len(key.documents) == len(response.documents) == 1


def table_remedies(key: Corpus, response: Corpus) -> list[str]:
    """Hints for documents that do not pair, if they are named after files."""
    whole = "`score --columns doc=` reads each side as one document"
    if key.by_file and response.by_file:
        return [f"without a column of documents each file is a document: {whole}"]
    if not (key.by_file or response.by_file):
        return []
    named, nameless = ("response", "key") if key.by_file else ("key", "response")
    has = f"the {named} has a column of documents, but the {nameless} has none"
    return [f"{has}: `score --columns doc=NAME` names it, and {whole}"]


def parts_of_a_table(key: Corpus, response: Corpus) -> Iterator[Issue]:
    """Files that are scored as documents, although their names are those of the parts of one table."""
    for corpus, side in ((key, "key"), (response, "response")):
        if not corpus.by_file:
            continue
        names = [document.name for document in corpus.documents]
        if len(names) > 1 and all(re.fullmatch(_PART, name, re.IGNORECASE) for name in names):
            message = f"the {len(names)} files of the {side} look like parts of one table, such as '{names[0]}', but "
            remedy = "each is scored as a document: `score --columns doc=` reads them as one"
            yield Issue("table-parts", message + remedy, len(names))
