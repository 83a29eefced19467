"""What scorer.pl v8.01 did wrong with these files, where, and the right numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from os.path import isfile
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...errors import CoreflensError, counted
from .reading import File, Mention, ReadDocument, Stop
from .scoring import LARGEST, METRICS, Counts
from .session import Session

if TYPE_CHECKING:
    from ...scoring.scores import Score, Scores

Triple: TypeAlias = tuple[float, float, float]  # recall, precision, F1
_PLACES = 3


class Pair(NamedTuple):
    """A document as the original reads it from both files."""

    name: str
    key: ReadDocument
    response: ReadDocument


def notes(session: Session) -> list[str]:
    """One line each: the causes first, then every metric that comes out differently."""
    try:
        key, response = session.open(session.key), session.open(session.response)
    except Stop:
        return []  # one of them can't be opened, which has been reported
    if not set(session.metrics) <= METRICS.keys():
        return []  # an unknown metric has also been reported
    pairs = _pairs(session, key, response)
    names = {pair.name for pair in pairs}
    extra_names = [] if session.is_single else [name for name in response.names() if name not in names]
    causes = [
        *_pairing(pairs, extra_names, key, response),
        *_reading(key, [pair.key for pair in pairs]),
        *_reading(response, [pair.response for pair in pairs]),
        *_repetitions(session, pairs, key, response),
    ]
    right = _right(session, [pair.key.line for pair in pairs if pair.key.line], bool(extra_names))
    if isinstance(right, str):
        return [*causes, right]
    wrong = {metric: numbers for metric, numbers in right.items() if _differ(numbers, session.totals.get(metric))}
    causes += _arithmetic(session, pairs, wrong)
    return [*causes, *(_shown(metric, numbers, session.totals.get(metric)) for metric, numbers in wrong.items())]


def _pairs(session: Session, key: File, response: File) -> list[Pair]:
    """The document asked for, or all of the key, as the original reads them."""
    single = session.is_single
    names = [session.name] if session.name is not None and single else key.names()
    return [Pair(name, key.document(name, single), response.document(name, single)) for name in names]


def _arithmetic(session: Session, pairs: Sequence[Pair], wrong: Collection[str]) -> Iterator[str]:
    """Where the original computes something else from the same links or entities."""
    if "blanc" in wrong and session.links:
        yield from _boundary(session.links)
    if "ceafe" in session.metrics and any(_is_large(pair) for pair in pairs):
        yield f"ceafe of more than {LARGEST} entities: scorer.pl may print another last digit"


def _is_large(pair: Pair) -> bool:
    """Whether a side has more entities than the original's arithmetic is followed for."""
    return max(len(pair.key.entities), len(pair.response.entities)) > LARGEST


def _pairing(pairs: Sequence[Pair], extra_names: Sequence[str], key: File, response: File) -> Iterator[str]:
    """Documents that are in one file only, or several times in one, or that have different tokens."""
    yield from _lacking(pairs, key)
    if extra_names:
        places = [f"{response.path}:{response.lines_of(name)[-1]}" for name in extra_names]
        documents = counted(extra_names, "document")
        yield (
            f"{documents} only in the response ignored ({_few(places)}); "
            "the numbers below count that against an empty key"
        )
    for file in (key, response):
        for pair in pairs:
            lines = file.lines_of(pair.name)
            if len(lines) > 1:
                place = f"{file.path}:{lines[0]}"
                yield f"document '{pair.name}' is there {len(lines)} times, and only one was scored ({place})"
    unequal = [pair for pair in pairs if _has_other_tokens(pair)]
    if unequal:
        _, first, second = unequal[0]
        yield (
            f"document '{first.name}' has {first.tokens} tokens in the key and {second.tokens} in the response, "
            f"unnoticed ({response.path}:{second.line}){_more(unequal)}"
        )


def _lacking(pairs: Sequence[Pair], key: File) -> Iterator[str]:
    """Documents that are not in the response, and documents asked for that are not in the key."""
    lacking = [f"{key.path}:{pair.key.line}" for pair in pairs if pair.key.line and not pair.response.line]
    if lacking:
        documents = counted(lacking, "document")
        yield (
            f"{documents} of the key not in the response ({_few(lacking)}), scored as empty; "
            "headers have to be the same to the last character"
        )
    for pair in pairs:
        if not pair.key.line:
            known = _few([f"'{known}'" for known in key.names()]) or "none"
            rule = "a name is all that follows '#begin document '"
            yield f"no document '{pair.name}' in the key; {rule} (there: {known})"


def _has_other_tokens(pair: Pair) -> bool:
    """Whether both sides were read to their ends, with different numbers of tokens."""
    if not (pair.key.line and pair.response.line) or pair.key.stop or pair.response.stop:
        return False
    return pair.key.tokens != pair.response.tokens


def _reading(file: File, documents: Sequence[ReadDocument]) -> Iterator[str]:
    """Lines of a file that mean something else to the original."""
    comments = [line for document in documents for line in document.comments]
    if comments:
        lines = counted(comments, "line")
        yield f"{lines} starting with '#' in a document counted as tokens ({_lines(file, comments)})"
    outside = [document.outside for document in documents if document.outside]
    if outside:
        yield f"no tabs, so that brackets in all columns were read as coreference ({_lines(file, outside)})"
    turned = [document.turned for document in documents if document.turned]
    if turned:
        where = _lines(file, turned)
        yield f"cells that close a mention and open the next of its entity read the other way round ({where})"
    unclosed = [document.unclosed for document in documents if document.unclosed]
    if unclosed:
        yield f"mentions that never close left out, for lack of an '#end document' line ({_lines(file, unclosed)})"


def _repetitions(session: Session, pairs: Sequence[Pair], key: File, response: File) -> Iterator[str]:
    in_key: list[Mention] = []
    matched: list[Mention] = []
    spurious: list[Mention] = []
    for pair in pairs:
        key_spans = {mention.span for entity in pair.key.entities for mention in entity}
        in_key += _again(pair.key)
        for mention in _again(pair.response):
            (matched if mention.span in key_spans else spurious).append(mention)
    if in_key:
        where = _lines(key, [mention.line for mention in in_key])
        mentions = counted(in_key, "repeated mention")
        yield f"{mentions} in the key counted each time, the last one matched ({where})"
    if spurious:
        where = _lines(response, [mention.line for mention in spurious])
        mentions = counted(spurious, "repeated mention")
        yield f"{mentions} in the response counted each time, for not being in the key ({where})"
    if matched:
        where = _lines(response, [mention.line for mention in matched])
        mentions = counted(matched, "repeated mention")
        if session.stop and session.stop.code == 1:
            result = f"; refused because they are counted again by every metric, {session.repeated} until now"
        else:
            result = " left out; the copy in the entity that opens first is kept"
        yield f"{mentions} in the response ({where}){result}"


def _again(document: ReadDocument) -> list[Mention]:
    """All but the first of each mention, in the original's order."""
    mentions = [m for entity in document.entities for m in entity]
    first = {m.span: m for m in reversed(mentions)}
    return [m for m in mentions if first[m.span] is not m]


def _boundary(links: Counts) -> Iterator[str]:
    _, coref_key, _, coref_response, _, non_key, _, non_response = links
    for kind, other, in_key, in_response in (
        ("coreference", "non-coreference", coref_key, coref_response),
        ("non-coreference", "coreference", non_key, non_response),
    ):
        if not in_key and in_response:
            cause = f"BLANC is its {other} part alone, because the key has no {kind} links"
            yield f"{cause}; the response has {in_response}, so by Luo et al. 2014 both parts count"
    if not any((coref_key, non_key, coref_response, non_response)):
        yield "BLANC is 0 where there are no links at all; by Luo et al. 2014 it is 1 if the mentions are the same"


def _right(session: Session, lines: Sequence[int], has_extra: bool) -> dict[str, Triple] | str:
    """Recall, precision and F1 by coreflens' default protocol, or why there are none."""
    from ...engines.choice import score

    if session.is_single and not lines:
        return {}
    if not (isfile(session.key) and isfile(session.response)):  # a pipe can't be read again
        return {}
    metrics = ["mentions", *session.metrics]
    try:
        result = score(session.key, session.response, metrics=metrics, extra="count" if has_extra else None)
    except CoreflensError as error:
        return f"coreflens score refuses these files: {error}".replace("\n ", ";")
    right: Scores = result
    if session.is_single:
        rows = [row for row, document in enumerate(result.counts.documents) if document.line in lines]
        if not rows:
            return {}
        right = list(result.by_document().values())[rows[0]]
    return {metric: _triple(right[metric]) for metric in metrics}


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


def _lines(file: File, lines: Sequence[int]) -> str:
    return _few([f"{file.path}:{line}" for line in lines])


def _few(places: Sequence[str]) -> str:
    return ", ".join(places[:_PLACES]) + (", ..." if len(places) > _PLACES else "")


def _more(things: Sequence[object]) -> str:
    return f", and the same in {counted(things[1:], 'more document')}" if things[1:] else ""
