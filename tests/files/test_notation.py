"""JSON and tables as text: what is read, and where a mistake is."""

from __future__ import annotations

import pytest

from coreflens.errors import InputError, UsageError
from coreflens.files.limits import limits
from coreflens.files.notation import delimiter, json_value, json_value_at

LONG = "1" * 5000


def test_json_is_read() -> None:
    assert json_value('{"a": [1, 2.5, null]}', "f") == {"a": [1, 2.5, None]}
    assert json_value('{"a": 1, "a": 2}', "f", pairs=tuple) == (("a", 1), ("a", 2))
    assert json_value_at('x [1] {"b": 2}', 2, "f") == ([1], 5)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "Expecting value"),
        ('{"a": 1,\n "b": x}', 2, 7, "Expecting value"),
        ('{"ä": 1}\n{"b": 2}', 2, 1, "Extra data"),
        ('{"a": "b', 1, 7, "Unterminated string"),
        ('\n{"a": 1, "b": {"c": 1, "c": 2}}', 2, 1, "the name 'c' occurs twice in one object"),
    ],
)
def test_a_mistake_in_json_has_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError, match=f"not valid JSON: {message}") as caught:
        json_value(text, "f.json", hint="cut off?")
    error = caught.value
    assert (error.file, error.line, error.column, error.hint) == ("f.json", line, column, "cut off?")
    assert error.code == "syntax" and error.exit_code == 3
    with pytest.raises(InputError) as caught:
        json_value(text, "f.json", first=11)
    assert (caught.value.line, caught.value.column) == (line + 10, column)


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "option"),
    [
        (f'["{LONG}",\n 1.{LONG}, {LONG}.5,\n  {LONG}]', 3, 3, "a number of more than 4,300 digits", "--max-digits"),
        (f"[1, -{LONG}]", 1, 5, "a number of more than 4,300 digits", "--max-digits"),
        ("\n  " + "[" * 200_000, 2, 3, "nested too deeply", "--max-nesting"),
        ("[" * 201 + "]" * 201, 1, 1, "nested too deeply", "--max-nesting"),
        ('{"a":[' * 101 + "]}" * 101, 1, 1, "nested too deeply", "--max-nesting"),
    ],
)
def test_what_exceeds_a_limit_names_its_option(text: str, line: int, column: int, message: str, option: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        json_value(text, "f.json", hint="cut off?")
    error = caught.value
    assert (error.file, error.line, error.column, error.code) == ("f.json", line, column, "limit")
    assert option in error.hint


def test_brackets_in_strings_do_not_nest() -> None:
    inside = "[" * 500 + '\\"' + "\\\\"
    assert json_value(f'["{inside}", "{inside}", [1], "\\\\"]', "f")[2] == [1]
    assert json_value("[" + "[], " * 500 + "1]", "f")[-1] == 1


def test_limits_can_be_raised() -> None:
    deep = "[" * 1000 + "]" * 1000
    with limits(nesting=1000):
        assert len(json_value(deep, "f")) == 1
    with limits(digits=6000):
        assert json_value(f"[{LONG}]", "f") == [int(LONG[:4000]) * 10**1000 + int(LONG[4000:])]
    for text in (deep, f"[{LONG}]"):
        with pytest.raises(InputError):
            json_value(text, "f")
    with pytest.raises(UsageError, match="from 1 to 1,000"), limits(nesting=10**6):
        pass


def test_a_mistake_in_one_of_several_values_is_counted_from_the_beginning() -> None:
    for wrong, column, message in (("{x}", 4, "Expecting property name"), ("[" * 200_000, 3, "nested")):
        with pytest.raises(InputError, match=message) as caught:
            json_value_at("[1]\n  " + wrong, 6, "f.json")
        assert (caught.value.line, caught.value.column) == (2, column)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", ","),
        ("a,b\nc\td,e", ","),
        ("a\tb,c\n", "\t"),
        ("\n \n a\tb\n", "\t"),
        ("\tmuc\nlee\t61", "\t"),
        ("\t\n\na,b\n", ","),
        ("a,b\rc\td\r", ","),
    ],
)
def test_what_is_between_cells(table: str, expected: str) -> None:
    assert delimiter(table) == expected
