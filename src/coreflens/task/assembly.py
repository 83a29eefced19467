"""Puts the words of a licensed copy of the treebank back into skeletons, which have none.

A skeleton is a .conll file with `[WORD]` in place of every word. The words are the leaves of the document's tree file,
`<document id>.parse` anywhere below the treebank's directory, sentence by sentence through all the parts of the
document. Traces are not words. Leaves of EDITED phrases are not words either, unless the skeleton's own trees have such
phrases. Tags of the skeleton must be those of the tree. Nothing but `[WORD]` is changed, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..corpus.treebank import TRACE, Leaf, read_trees
from ..errors import InputError
from ..files.encoding import content as content_of
from ..files.opening import run
from ..files.writing import make_directory, save
from ..formats.conll.columns import name_and_part
from ..processes import cores, each

WORD = "[WORD]"
_BEGIN = re.compile(r"#\s*begin document(.*)")
_TAG = 4  # the column


@dataclass
class Assembled:
    """The results of assembly: files written, files that already existed, and errors."""

    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    failed: list[InputError] = field(default_factory=list)


class _Job(NamedTuple):
    skeleton: str
    target: str


def assemble(
    skeletons: str | Path,
    treebank: str | Path,
    out: str | Path,
    *,
    jobs: int | None = None,
    again: bool = False,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> Assembled:
    """Assemble every skeleton below a directory; existing files are kept unless `again`, so that a run that was
    stopped can continue. A file that fails is reported, and the others are assembled.
    """
    work = _jobs(Path(skeletons), Path(out))
    trees = _tree_files(Path(treebank))
    make_directory(Path(out))
    found = Assembled()
    todo = []
    for job in work:
        if Path(job.target).exists() and not again:
            found.kept.append(job.target)
        else:
            todo.append(job)
    for done, (job, error) in enumerate(_run(todo, trees, jobs or cores()), start=1):
        if error is None:
            found.written.append(job.target)
        else:
            found.failed.append(error)
        progress(done, len(todo))
    return found


def _run(work: list[_Job], trees: dict[str, str], jobs: int) -> Iterator[tuple[_Job, InputError | None]]:
    one = partial(_assemble_file, trees)
    if jobs == 1 or len(work) < 2:
        yield from zip(work, map(one, work), strict=True)
        return
    yield from zip(work, each(one, work, jobs), strict=True)


def _jobs(skeletons: Path, out: Path) -> list[_Job]:
    if not skeletons.is_dir():
        raise InputError("no such directory", file=str(skeletons))
    files = sorted(f for f in skeletons.rglob("*") if f.is_file() and "skel" in f.name)
    if not files:
        raise InputError("no skeleton here", file=str(skeletons), hint="their names end in _skel or .skel")
    return [_Job(str(f), str(out / f.relative_to(skeletons).with_name(_named(f.name)))) for f in files]


def _named(skeleton: str) -> str:
    """`x.v4_gold_skel` → `x.v4_gold_conll`."""
    return re.sub(r"skel(?=$|\.)", "conll", skeleton)


def _tree_files(treebank: Path) -> dict[str, str]:
    """Every .parse file by the ends of its path, `cctv_0000`, `00/cctv_0000` and so on; "" if two have that end."""
    if not treebank.is_dir():
        raise InputError("no such directory", file=str(treebank))
    found: dict[str, str] = {}
    for file in treebank.rglob("*.parse"):
        parts = file.relative_to(treebank).with_suffix("").parts
        for length in range(1, min(len(parts), 6) + 1):
            end = "/".join(parts[-length:])
            found[end] = "" if end in found else str(file)
    if not found:
        raise InputError("no .parse file below this directory", file=str(treebank))
    return found


def _assemble_file(trees: dict[str, str], job: _Job) -> InputError | None:
    try:
        with run():
            content = content_of(job.skeleton)
            make_directory(Path(job.target).parent)
            save(list(_filled(content, job.skeleton, trees)), job.target)
    except InputError as error:
        return error
    return None


def _filled(content: str, name: str, trees: dict[str, str]) -> Iterator[str]:
    """The lines of a skeleton with their words."""
    edited = "(EDITED" in content
    documents: dict[str, _Words] = {}
    words: _Words | None = None
    sentence: list[tuple[int, str]] = []
    for number, line in enumerate(content.splitlines(keepends=True), start=1):
        begin = _BEGIN.match(line)
        if begin:
            document = name_and_part(begin[1])[0]
            words = documents.get(document) or _Words(document, trees, edited, name, number)
            documents[document] = words
        if line.strip() and not line.startswith("#"):
            sentence.append((number, line))
            continue
        yield from _sentence(sentence, words, name)
        sentence = []
        yield line
    yield from _sentence(sentence, words, name)
    for words in documents.values():
        words.check_end(name)


class _Words:
    """The sentences of a document, one after the other."""

    def __init__(self, document: str, trees: dict[str, str], edited: bool, skeleton: str, line: int) -> None:
        file = trees.get(document)
        if not file:
            why = "several tree files have the name of" if file == "" else "there is no tree file of"
            raise InputError(f"{why} document '{document}'", file=skeleton, line=line, hint=f"it is {document}.parse")
        self.file, self.document, self.count = file, document, 0
        content = content_of(file)
        without = (TRACE,) if edited else (TRACE, "EDITED")
        self._sentences = (leaves for leaves in read_trees(content, file, without=without) if leaves)

    def next(self, skeleton: str, line: int) -> list[Leaf]:
        self.count += 1
        leaves = next(self._sentences, None)
        if leaves is None:
            what = f"sentence {self.count} of document '{self.document}' is not in its tree file, {self.file}"
            raise InputError(what, file=skeleton, line=line)
        return leaves

    def check_end(self, skeleton: str) -> None:
        more = next(self._sentences, None)
        if more is not None:
            what = f"document '{self.document}' has {self.count} sentences here and more in its tree file"
            raise InputError(what, file=skeleton, hint=f"the next is at {self.file}:{more[0].line}")


def _sentence(lines: list[tuple[int, str]], words: _Words | None, name: str) -> Iterator[str]:
    if not lines:
        return
    if words is None:
        raise InputError("a token before any #begin document", file=name, line=lines[0][0])
    leaves = words.next(name, lines[0][0])
    where = f"sentence {words.count} of document '{words.document}'"
    for place, (number, line) in enumerate(lines):
        columns = line.split()
        if place >= len(leaves):
            what = f"{where} has {len(lines)} tokens here and {len(leaves)} in its tree"
            raise InputError(what, file=name, line=number, hint=f"the tree is at {words.file}:{leaves[0].line}")
        leaf = leaves[place]
        if WORD not in columns:
            raise InputError(f"{where}, token {place + 1}: there is no {WORD}", file=name, line=number)
        tag = columns[_TAG] if len(columns) > _TAG else "-"
        if tag not in (leaf.tag, "-", "XX"):
            what = f"{where}, token {place + 1} is tagged {tag} here and {leaf.tag} in its tree"
            raise InputError(what, file=name, line=number, hint=f"the word is at {words.file}:{leaf.line}")
        yield line.replace(WORD, leaf.word, 1)
    if len(leaves) > len(lines):
        what = f"{where} has {len(lines)} tokens here and {len(leaves)} in its tree"
        raise InputError(what, file=name, line=lines[-1][0], hint=f"the tree is at {words.file}:{leaves[0].line}")
