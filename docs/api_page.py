"""The API reference, from signatures and docstrings: every public name, and what the functions return."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import coreflens as cl
from coreflens.cli.reference import OPTIONS, hyphens

# What the page shows, and in which order. Names with dots are no public names of `coreflens`.
GROUPS: dict[str, tuple[str, ...]] = {
    "Scoring": (
        *("score", "Scorer", "Accumulator", "Result", "Scores", "Score", "Coverage", "Options", "Signature"),
        "partitions",
    ),
    "Intervals, tests and saved counts": ("Intervals", "Interval", "PairedTest", "Counts", "load_counts"),
    "Comparing systems": ("compare", "Comparison", "comparison.Section", "System", "published"),
    "Explaining": ("explain", "Explanation", "explanation.Step", "explanation.Sheet"),
    "Diagnosing": (
        *("diagnose", "Diagnosis", "diagnosis.findings.Error", "diagnosis.findings.Link", "diagnosis.findings.Repair"),
        *(
            "diagnosis.findings.ClassPrice",
            "diagnosis.findings.CausePrice",
            "diagnosis.findings.Loss",
            "diagnosis.account.Cell",
        ),
    ),
    "Viewing": ("view", "View"),
    "Reading, writing and checking": (
        *("read", "write", "convert", "validate", "Problem", "describe", "Description", "pair", "Pairs"),
        *(
            "corpora.compatibility.Pair",
            "check_submission",
            "Submission",
            "corpora.submission.Finding",
            "resolve",
            "limits",
        ),
    ),
    "Language models": ("repair", "prompts", "join", "make_quiz", "score_quiz", "Quiz", "studies.quiz.Accuracy"),
    "What a corpus is": ("Corpus", "Document", "Mention", "Text", "Relation"),
    "The database": (
        *("open_db", "Database", "store.queries.Answer", "store.views.DocumentView", "store.views.SentenceView"),
        *("store.views.TokenView", "store.views.MentionView", "store.views.EntityView", "store.views.NodeView"),
        "store.views.NameView",
    ),
    "Studies": (
        *("agree", "studies.agreement.Agreement", "studies.agreement.Group", "studies.agreement.Disagreement"),
        *("correlate", "studies.correlation.Correlations", "studies.correlation.Correlation"),
        *("stats.coefficients.Coefficient", "sweep", "studies.sweeps.Sweep", "curve", "Curve"),
        *("minimal_pairs", "MinimalPairs", "studies.minimal_pairs.Share", "studies.minimal_pairs.Difference"),
        *(
            "major",
            "Major",
            "studies.major.Found",
            "windows",
            "Ranges",
            "studies.ranges.Range",
            "scoring.windows.Links",
        ),
    ),
    "Samples": (
        *("sample", "SampleTable", "estimate", "Estimates", "estimates.Estimate", "estimates.SystemDifference"),
        *("estimates.SystemEstimates", "plan", "Plan", "estimates.planning.DesignPlan", "estimates.planning.Needed"),
    ),
    "Experiments": (
        *("tune", "Tuning", "experiments.tuning.Fold", "experiments.trials.Trial"),
        *("ablate", "Ablation", "experiments.ablation.Part"),
        *("probe", "Probe", "experiments.probing.Steps", "experiments.probing.Counterexample"),
    ),
    "Errors and issues": ("CoreflensError", "UsageError", "InputError", "MissingFile", "Suspicion", "Issue"),
    "Types for annotations": (
        *("Input", "formats.inputs.Clusters", "formats.inputs.Entities", "Settings", "Policies"),
        *("scoring.settings.Metrics", "matching.labels.By", "comparison.systems.Output", "comparison.systems.Systems"),
        *("studies.scoreboard.Tables", "diagnosis.results.Only"),
    ),
}
# Types that are a fixed set of values.
_LITERALS: tuple[tuple[str, str], ...] = (
    ("protocols", "ProtocolName"),
    ("formats.registry", "FormatName"),
    ("matching.twinless", "TwinlessPolicy"),
    ("stats.paired", "Test"),
    ("stats.multiple", "Correction"),
    ("stats.bootstrap", "IntervalKind"),
    ("stats.sample", "Unit"),
    ("resolvers.registry", "SystemName"),
    ("resolvers.registry", "Mentions"),
    ("studies.damage", "DamageName"),
    ("experiments.search", "SearchName"),
    ("formats.reading", "Role"),
)
_LINKED = {name.rpartition(".")[2] for names in GROUPS.values() for name in names if name[0].isupper()}
_CALLED = ("__call__", "__getitem__")  # of the methods with underscores, those that have a docstring
_WIDTH = 100
_ITEM = re.compile(r"(\S+(?:, \S+)*) {2,}(\S.*)")

_INTRO = """\
The names in this table are imported from `coreflens`; the other classes below are parts of what functions return. The
[options](options.md), [metrics](metrics.md) and [formats](formats.md) have pages of their own. The package is typed: an
editor completes the names and values of options, and mypy rejects those that do not exist."""


def page() -> str:
    listed = [name for names in GROUPS.values() for name in names if "." not in name]
    missing = {*cl.__all__, *listed} - ({*cl.__all__} & {*listed}) - {"__version__"}
    if missing:
        raise ValueError(f"GROUPS of docs/api_page.py and the public names differ in {', '.join(sorted(missing))}")
    parts = ["# Python API", _INTRO, _contents()]
    for title, names in GROUPS.items():
        parts.append(f"## {title}")
        for name in names:
            parts += _section(name)
    parts += ["### Names with a fixed set of values", _named_values()]
    return "\n\n".join(parts) + "\n"


def _contents() -> str:
    rows = []
    for title, names in GROUPS.items():
        links = [f"[`{name}`](#{_anchor(name)})" for name in names if "." not in name]
        rows.append(f"| {title} | {' '.join(links)} |")
    return "\n".join(["| | |", "|---|---|", *rows])


def _section(name: str) -> Iterator[str]:
    thing = _found(name)
    yield f"({_anchor(name)})=\n### `{_short(name)}`"
    if inspect.isfunction(thing):
        yield _code(_signature(name, thing))
        yield _prose(thing)
    elif not inspect.isclass(thing):
        source, about = _alias(name)
        yield _code(source)
        yield _markdown(about)
    elif hasattr(thing, "__total__"):  # a TypedDict
        yield _prose(thing)
        yield _keywords(thing)
    else:
        yield from _class(name, thing)


def _class(name: str, thing: type) -> Iterator[str]:
    hidden = "typing", "coreflens.presentation"  # what says how, not what
    ours = (base for base in thing.__bases__ if base is not object and base.__module__ not in hidden)
    bases = [base.__name__ for base in ours if base.__module__.startswith("coreflens") or issubclass(base, Exception)]
    short = _short(name)
    above = f"({', '.join(bases)})" if bases else ""
    if (fields := _fields(thing)) is not None:
        yield _code("\n".join([f"class {short}{above}:", *(f"    {field}" for field in fields)]))
    else:
        yield _code(_signature(short, thing) if "__init__" in vars(thing) else f"class {short}{above}")
    yield _prose(thing)
    if shown := [base for base in bases if base in _LINKED]:
        yield f"It has everything that {' and '.join(_linked(f'`{base}`') for base in shown)} has."
    for member, value in vars(thing).items():
        if member.startswith("_") and not (member in _CALLED and value.__doc__):
            continue
        if isinstance(value, (property, cached_property)):
            function = value.fget if isinstance(value, property) else value.func
            assert function is not None
            yield f"#### `{short}.{member}`"
            yield _code(f"{member}: {_type(inspect.signature(function).return_annotation)}")
            yield _prose(function, name, member)
        elif inspect.isfunction(value) or isinstance(value, classmethod):
            function = value.__func__ if isinstance(value, classmethod) else value
            yield f"#### `{short}.{member}`"
            yield _code(("@classmethod\n" if isinstance(value, classmethod) else "") + _signature(member, function))
            yield _prose(function, name, member)


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _anchor(name: str) -> str:
    """Where the page has a name; anchors know no capitals, so that `score` and `Score` need different ones."""
    return f"{'class' if _short(name)[0].isupper() else 'function'}-{_short(name).lower()}"


def _found(name: str) -> Any:
    if "." not in name:
        return getattr(cl, name)
    module, _, last = name.rpartition(".")
    return getattr(import_module(f"coreflens.{module}"), last)


def _fields(thing: type) -> list[str] | None:
    """The fields of a dataclass or a named tuple, as they are written."""
    none = dataclasses.MISSING
    if dataclasses.is_dataclass(thing):
        return [
            f"{f.name}: {_type(f.type)}{_default(f.default_factory if f.default is none else f.default)}"
            for f in dataclasses.fields(thing)
            if not f.name.startswith("_")
        ]
    if issubclass(thing, tuple):
        defaults: dict[str, Any] = getattr(thing, "_field_defaults", {})
        hints: dict[str, Any] = thing.__annotations__
        return [f"{n}: {_type(hint)}{_default(defaults.get(n, none))}" for n, hint in hints.items()]
    return None


def _default(value: Any) -> str:
    if value is dataclasses.MISSING:
        return ""
    return f" = {value.__name__}()" if inspect.isclass(value) else f" = {value!r}"


def _type(annotation: Any) -> str:
    """As it is written in the source, without the quotes of a forward reference."""
    if annotation is inspect.Signature.empty:
        return ""
    text = getattr(annotation, "__forward_arg__", annotation)
    return text.strip("'\"") if isinstance(text, str) else getattr(text, "__name__", str(text))


def _signature(name: str, function: Any) -> str:
    """One line if it fits, else one parameter per line."""
    found = inspect.signature(function)
    shown = list(_parameters(found.parameters.values()))
    result = _type(found.return_annotation)
    arrow = f" -> {result}" if result and not inspect.isclass(function) else ""
    line = f"{name}({', '.join(shown)}){arrow}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {parameter}," for parameter in shown), f"){arrow}"])


def _parameters(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for p in parameters:
        if p.name == "self" or p.name == "cls":
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        stars = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        starred = starred or p.kind is p.VAR_POSITIONAL
        default = "" if p.default is p.empty else f" = {_written(p.default)}"
        yield f"{stars}{p.name}: {_type(p.annotation)}{default}"


def _written(default: Any) -> str:
    if inspect.isfunction(default):
        return "..."  # a function that does nothing
    if inspect.isbuiltin(default):
        return default.__name__
    return f'"{default}"' if isinstance(default, str) else repr(default)


def _keywords(thing: Any) -> str:
    """The keys of a TypedDict, and what each may be."""
    rows = []
    hints = get_type_hints(thing)
    order = [f.name for f in dataclasses.fields(cl.Options)]
    for key in sorted(hints, key=lambda key: order.index(key) if key in order else len(order)):
        link = f"[`{key}`](options.md#{hyphens(key)})" if hyphens(key) in OPTIONS else f"`{key}`"
        values = "a name of the [formats](formats.md)" if key.endswith("_format") else _quoted(hints[key])
        rows.append(f"| {link} | `{_type(thing.__annotations__[key])}` | {values} |".replace(" | None", ""))
    return "\n".join(["| keyword | type | values, the default first |", "|---|---|---|", *rows])


def _values(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [value for part in get_args(hint) for value in _values(part)]


def _quoted(hint: Any) -> str:
    return " ".join(f'`"{value}"`' for value in _values(hint))


def _named_values() -> str:
    rows = []
    for module, name in _LITERALS:
        rows.append(f"| `{name}` | {_quoted(_found(f'{module}.{name}'))} |")
    return "\n".join(["| type | values |", "|---|---|", *rows])


def _alias(name: str) -> tuple[str, str]:
    """A type alias as its module writes it, and the string below it."""
    module, last = name.rpartition(".")[::2]
    path = Path(sys.modules[f"coreflens.{module}" if module else f"coreflens.{_HOMES[name]}"].__file__ or "")
    source = path.read_text("utf-8")
    body = ast.parse(source).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == last:
            about = ""
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                about = inspect.cleandoc(str(after.value.value))
            assert node.value is not None
            return f"{last} = {ast.unparse(node.value)}", about
    raise ValueError(f"{name} is not a type alias of {path}")


_HOMES = {"Input": "formats.inputs"}


def _code(text: str) -> str:
    return f"```{{code-block}} python\n{text}\n```"


def _prose(thing: Any, owner: str = "", member: str = "") -> str:
    about = inspect.getdoc(thing)
    if not about:
        where = f"{owner}.{member}" if owner else thing.__name__
        raise ValueError(f"{where} has no docstring, which docs/api_page.py needs")
    return _markdown(about)


def _markdown(about: str) -> str:
    """A docstring: paragraphs, `name  meaning` lines as a table, and indented examples as code."""
    blocks: list[tuple[str, list[str]]] = []
    for line in about.splitlines():
        kind = "text"
        last = blocks[-1][0] if blocks else ""
        if not line.strip():
            kind = "blank"
        elif last == "item" and line.startswith("  "):
            blocks[-1][1][-1] += " " + line.strip()
            continue
        elif line.startswith("    "):
            kind = "code"
        elif _ITEM.fullmatch(line):
            kind = "item"
        if blocks and last == kind:
            blocks[-1][1].append(line)
        else:
            blocks.append((kind, [line]))
    return "\n\n".join(_block(kind, lines) for kind, lines in blocks if kind != "blank")


def _linked(text: str) -> str:
    """Names of this page in backticks become links."""
    return re.sub(r"`(\w+)`", lambda m: f"[{m[0]}](#{_anchor(m[1])})" if m[1] in _LINKED else m[0], text)


def _block(kind: str, lines: list[str]) -> str:
    if kind == "code":
        return _code(inspect.cleandoc("\n" + "\n".join(lines)))
    if kind == "item":
        rows = []
        for line in lines:
            match = _ITEM.fullmatch(line)
            assert match
            names = ", ".join(f"`{name}`" for name in match[1].split(", "))
            rows.append(f"| {names} | {_linked(match[2])} |")
        return "\n".join(["| | |", "|---|---|", *rows])
    return _linked("\n".join(lines))
