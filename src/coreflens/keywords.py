"""Keyword arguments of the public functions: one that a function does not have, or that can't act, is an error.

Python's own message for a keyword that does not exist suggests nothing, and a function with `**settings` accepts any.
`known_keywords` reads the keywords of a function from its signature and from the type of its settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS, unwrap
from typing import Any, TypeVar, cast

from .errors import UsageError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])


class KeywordError(UsageError, TypeError):
    """A keyword argument that a function does not have. Python's own error would be a TypeError."""


def known_keywords(function: Function) -> Function:
    """The function, which refuses keywords that it does not have, with the name that was probably meant."""

    @cache
    def known() -> dict[str, None]:
        return dict.fromkeys(_keywords(function))

    @wraps(function)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        if keywords and not keywords.keys() <= known().keys():
            raise KeywordError(_unknown(function, keywords, list(known())))
        return function(*arguments, **keywords)

    return cast(Function, checked)


def refuse_idle_keywords(keywords: Mapping[str, Any], idle: Iterable[str], why: str) -> None:
    """A UsageError if one of the keywords that can't act is given. None, False and () are as good as nothing."""
    nothing = (None, False, ())
    given = [name for name in idle if not any(keywords.get(name) is value for value in nothing)]
    if given:
        raise UsageError(f"{', '.join(given)} can't be given here: {why}")


def _keywords(function: Callable[..., Any]) -> Iterable[str]:
    """The names of a function's keywords, also those of the type in `**settings: Unpack[Type]`.

    They are read from the code of the function: `inspect.signature` would take a noticeable part of a short run.
    """
    function = unwrap(function)
    code = function.__code__
    named = code.co_argcount + code.co_kwonlyargcount
    positional = code.co_posonlyargcount
    yield from (name for name in code.co_varnames[positional:named] if name != "self")
    if code.co_flags & CO_VARKEYWORDS:
        several = bool(code.co_flags & CO_VARARGS)
        settings = code.co_varnames[named + several]
        name = function.__annotations__[settings].removeprefix("Unpack[").removesuffix("]")
        yield from function.__globals__[name].__annotations__


def _unknown(function: Callable[..., Any], keywords: Iterable[str], known: list[str]) -> str:
    name = next(keyword for keyword in keywords if keyword not in known)
    function_name = function.__qualname__.removesuffix(".__init__")
    return f"unknown option '{name}' of {function_name}(){did_you_mean(name, known)} (known: {', '.join(known)})"
