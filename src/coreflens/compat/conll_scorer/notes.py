"""What scorer.pl v8.01 did wrong with these files, where, and the right numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import isfile
from typing import TYPE_CHECKING, TypeAlias

from ...errors import CoreflensError
from .reading import File, Mention, Reading, Stop
from .scoring import LARGEST, METRICS, Counts

if TYPE_CHECKING:
    from ...scoring.scores import Score, Scores
    from . import Run

Triple: TypeAlias = tuple[float, float, float]  # recall, precision, F1
_PLACES = 3


def notes(run: Run) -> list[str]:
    """One line each: the causes first, then every metric that comes out differently."""
    try:
        key, response = run.open(run.key), run.open(run.response)
    except Stop:
        return []  # one of them can't be opened, which has been reported
    if not set(run.asked) <= METRICS.keys():
        return []  # an unknown metric has also been reported
    names = [run.name] if run.name is not None and run.one else key.names()
    pairs = [(name, key.document(name, run.one), response.document(name, run.one)) for name in names]
    extra = [] if run.one else [name for name in response.names() if name not in set(names)]
    causes = [
        *_pairing(pairs, extra, key, response),
        *_reading(key, [k for _, k, _ in pairs]),
        *_reading(response, [r for _, _, r in pairs]),
        *_repetitions(run, pairs, key, response),
    ]
    right = _right(run, [k.line for _, k, _ in pairs if k.line], bool(extra))
    if isinstance(right, str):
        return [*causes, right]
    wrong = {metric: numbers for metric, numbers in right.items() if _differ(numbers, run.totals.get(metric))}
    if "blanc" in wrong and run.links:
        causes += _boundary(run.links)
    large = any(len(side.entities) > LARGEST for _, k, r in pairs for side in (k, r))
    if large and "ceafe" in run.asked:
        causes.append(f"ceafe of more than {LARGEST} entities: scorer.pl may print another last digit")
    return [*causes, *(_shown(metric, numbers, run.totals.get(metric)) for metric, numbers in wrong.items())]


def _pairing(
    pairs: Sequence[tuple[str, Reading, Reading]], extra: Sequence[str], key: File, response: File
) -> Iterator[str]:
    lacking = [f"{key.path}:{k.line}" for _, k, r in pairs if k.line and not r.line]
    if lacking:
        what = f"{_counted(lacking, 'document')} of the key not in the response ({_few(lacking)})"
        yield f"{what}, scored as empty; headers have to be the same to the last character"
    for name, k, _ in pairs:
        if not k.line:
            known = _few([f"'{known}'" for known in key.names()]) or "none"
            yield f"no document '{name}' in the key; a name is all that follows '#begin document ' (there: {known})"
    if extra:
        places = [f"{response.path}:{response.lines_of(name)[-1]}" for name in extra]
        what = f"{_counted(extra, 'document')} only in the response ignored ({_few(places)})"
        yield f"{what}; the numbers below count that against an empty key"
    for file in (key, response):
        for name, *_ in pairs:
            if len(lines := file.lines_of(name)) > 1:
                yield f"document '{name}' is there {len(lines)} times, and only one was scored ({file.path}:{lines[0]})"
    unequal = [(k, r) for _, k, r in pairs if r.line and k.line and k.tokens != r.tokens and not (k.stop or r.stop)]
    if unequal:
        first, second = unequal[0]
        what = f"'{first.name}' has {first.tokens} tokens in the key and {second.tokens} in the response, unnoticed"
        yield f"document {what} ({response.path}:{second.line})" + _more(unequal)


def _reading(file: File, found: Sequence[Reading]) -> Iterator[str]:
    if comments := [f"{file.path}:{line}" for each in found for line in each.comments]:
        yield f"{_counted(comments, 'line')} starting with '#' in a document counted as tokens ({_few(comments)})"
    if blanks := [f"{file.path}:{each.outside}" for each in found if each.outside]:
        yield f"no tabs, so that brackets in all columns were read as coreference ({_few(blanks)})"
    if turned := [f"{file.path}:{each.turned}" for each in found if each.turned]:
        yield f"cells that close a mention and open the next of its entity read the other way round ({_few(turned)})"
    if unclosed := [f"{file.path}:{each.unclosed}" for each in found if each.unclosed]:
        yield f"mentions that never close left out, for lack of an '#end document' line ({_few(unclosed)})"


def _repetitions(run: Run, pairs: Sequence[tuple[str, Reading, Reading]], key: File, response: File) -> Iterator[str]:
    in_key: list[Mention] = []
    matched: list[Mention] = []
    spurious: list[Mention] = []
    for _, k, r in pairs:
        known = {m.span for entity in k.entities for m in entity}
        in_key += _again(k)
        for mention in _again(r):
            (matched if mention.span in known else spurious).append(mention)
    if in_key:
        where = _few([f"{key.path}:{m.line}" for m in in_key])
        yield f"{_counted(in_key, 'repeated mention')} in the key counted each time, the last one matched ({where})"
    if spurious:
        where = _few([f"{response.path}:{m.line}" for m in spurious])
        what = _counted(spurious, "repeated mention")
        yield f"{what} in the response counted each time, for not being in the key ({where})"
    if matched:
        where = _few([f"{response.path}:{m.line}" for m in matched])
        what = f"{_counted(matched, 'repeated mention')} in the response ({where})"
        if run.stop and run.stop.code == 1:
            what += f"; refused because they are counted again by every metric, {run.repeated} until now"
        else:
            what += " left out; the copy in the entity that opens first is kept"
        yield what


def _again(found: Reading) -> list[Mention]:
    """All but the first of each mention, in the original's order."""
    mentions = [m for entity in found.entities for m in entity]
    first = {m.span: m for m in reversed(mentions)}
    return [m for m in mentions if first[m.span] is not m]


def _boundary(links: Counts) -> Iterator[str]:
    _, coref_key, _, coref_response, _, non_key, _, non_response = links
    for kind, other, in_key, in_response in (
        ("coreference", "non-coreference", coref_key, coref_response),
        ("non-coreference", "coreference", non_key, non_response),
    ):
        if not in_key and in_response:
            what = f"BLANC is its {other} part alone, because the key has no {kind} links"
            yield f"{what}; the response has {in_response}, so by Luo et al. 2014 both parts count"
    if not any((coref_key, non_key, coref_response, non_response)):
        yield "BLANC is 0 where there are no links at all; by Luo et al. 2014 it is 1 if the mentions are the same"


def _right(run: Run, lines: Sequence[int], extra: bool) -> dict[str, Triple] | str:
    """Recall, precision and F1 by coreflens' default protocol, or why there are none."""
    from ...engines.choice import score

    if (run.one and not lines) or not (isfile(run.key) and isfile(run.response)):  # a pipe can't be read again
        return {}
    try:
        result = score(run.key, run.response, metrics=["mentions", *run.asked], extra="count" if extra else None)
    except CoreflensError as error:
        return f"coreflens score refuses these files: {error}".replace("\n ", ";")
    right: Scores = result
    if run.one:
        rows = [row for row, document in enumerate(result.counts.documents) if document.line in lines]
        if not rows:
            return {}
        right = list(result.by_document().values())[rows[0]]
    return {metric: _triple(right[metric]) for metric in ("mentions", *run.asked)}


def _triple(score: Score) -> Triple:
    recall, precision, f1 = map(float, score.numbers().values())
    return recall, precision, f1


def _differ(right: Triple, printed: Triple | None) -> bool:
    return printed is None or any(abs(x - y) > 1e-9 for x, y in zip(right, printed, strict=True))


def _shown(metric: str, right: Triple, printed: Triple | None) -> str:
    values = [" ".join(f"{name} {100 * x:.2f}" for name, x in zip(("R", "P", "F1"), right, strict=True))]
    if printed is not None:
        values.append("not " + " ".join(f"{100 * x:.2f}" for x in printed))
    return f"right: {metric} {', '.join(values)}"


def _counted(things: Sequence[object], what: str) -> str:
    return f"{len(things)} {what}{'s' * (len(things) != 1)}"


def _few(places: Sequence[str]) -> str:
    return ", ".join(places[:_PLACES]) + (", ..." if len(places) > _PLACES else "")


def _more(things: Sequence[object]) -> str:
    return f", and the same in {_counted(things[1:], 'more document')}" if things[1:] else ""
