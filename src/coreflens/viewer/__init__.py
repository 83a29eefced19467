"""`view`: one HTML file in which key and responses can be explored down to single mentions.

passages.py   the text and the places of its mentions      entities.py   overlaps, alignments, cores, credit
faults.py     errors in sentences, with their prices       derivations.py   how scores are derived
links.py      bridging and split antecedents               systems.py    what is known about a response
content.py    the JSON of corpus and documents             sharing.py    documents in several processes
page.py       the file, made from page/: HTML, style, ES modules
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Unpack

from ..corpora.naming import numbered
from ..corpus.model import Corpus
from ..diagnosis import diagnosed
from ..errors import Issue, UsageError
from ..explanation import case_of, is_small
from ..files.writing import save
from ..formats import Input, read
from ..keywords import known_keywords
from ..scoring.scorer import Scorer
from ..scoring.scores import is_number
from ..scoring.settings import Metrics, ViewSettings
from ..stats.bootstrap import Intervals
from ..stats.swapping import Progress
from .content import Content
from .page import build
from .sharing import Again, packed
from .systems import ViewedSystem


@dataclass(frozen=True, eq=False)
class View:
    """A page. A notebook shows it inline, `save` writes it to a file, and `open` shows it in the browser."""

    content: Content
    progress: Progress = iter
    jobs: int | None = 1
    again: Again | None = None  # how another process makes the same content

    @cached_property
    def html(self) -> str:
        """The page as text: what all documents share, the corpus, the documents, and the file of all these."""
        self.content.prepare()
        index = self.content.index()
        chunks = packed(self.content, self.progress, self.jobs, self.again)
        return build(index, chunks)

    @property
    def issues(self) -> list[Issue]:
        """The messages about the input, for all systems."""
        found = (issue for system in self.content.systems for issue in system.issues)
        return list({str(issue): issue for issue in found}.values())

    def save(self, path: str | Path) -> Path:
        """Write the page to a file."""
        save([self.html], path)
        return Path(path)

    def open(self, path: str | Path | None = None) -> Path:
        """Write the page, by default to a temporary file, and show it in the browser."""
        import tempfile
        import webbrowser

        target = Path(tempfile.mkdtemp(prefix="coreflens-")) / "view.html" if path is None else Path(path)
        self.save(target)
        webbrowser.open(target.resolve().as_uri())
        return target

    def _repr_html_(self) -> str:
        frame = 'sandbox="allow-scripts" style="width:100%;height:720px;border:1px solid #8888" title="coreflens view"'
        return f'<iframe {frame} srcdoc="{html.escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        names = ", ".join(system.name for system in self.content.systems)
        return f"<View of {names}: {len(self.content.documents)} documents>"


@known_keywords
def view(
    key: Input,
    *responses: Input,
    names: Iterable[str] = (),
    title: str = "",
    metrics: Metrics | None = None,
    bootstrap: int | None = None,
    progress: Progress = iter,
    jobs: int | None = 1,
    **settings: Unpack[ViewSettings],
) -> View:
    """Show a key and one or several responses in one self-contained page.

    names      names of the systems; by default those of their files
    bootstrap  resamples for intervals of the scores
    progress   wraps the documents as they are processed, such as tqdm
    jobs       processes that make the documents of the page; the page is the same. None is one per core for a large
               page. Where processes can't be copied (no Linux, or threads), they are used only for files, which each of
               them reads again
    All other settings are those of `score`.

        view("key.conll", "response.conll").save("view.html")
    """
    if not responses:
        raise UsageError("there is no response to show: view(key, response, ...)")
    if jobs is not None and jobs < 1:
        raise UsageError("jobs must be a number of processes, at least 1")
    again = None if jobs in (None, 1) else Again.of(view, key, responses, metrics, {**settings})
    form, encoding = settings.pop("response_format", None), settings.pop("encoding", None)
    gold = read(key, format=settings.pop("key_format", None), encoding=encoding, role="key")
    scorer = Scorer(gold, metrics=metrics, **settings)
    corpora = [read(response, format=form, encoding=encoding, role="response") for response in responses]
    given = list(names) or numbered(corpora, "response")
    if len(given) != len(responses):
        raise UsageError(f"there are {len(responses)} responses, but {len(given)} names")
    systems = [_system(scorer, name, corpus, bootstrap) for name, corpus in zip(given, corpora, strict=True)]
    return View(Content(systems, numbered([gold], "key")[0], title), progress, jobs, again)


def _system(scorer: Scorer, name: str, response: Corpus, bootstrap: int | None) -> ViewedSystem:
    """A response: matched, then scored, then diagnosed."""
    matched = scorer.match(response)
    scorer.exact = is_small(matched)
    case = case_of(scorer, matched)
    intervals = {} if bootstrap is None else _limits(case.result.bootstrap(bootstrap))
    diagnosis = diagnosed(matched, scorer.metrics)
    return ViewedSystem(name, case, diagnosis, intervals)


def _limits(drawn: Intervals) -> dict[str, tuple[float, float]]:
    """The intervals that are defined."""
    found = {name: (drawn.main(name).low, drawn.main(name).high) for name in drawn}
    return {name: (low, high) for name, (low, high) in found.items() if is_number(low) and is_number(high)}


__all__ = ["View", "view"]
