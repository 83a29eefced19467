"""The front of all XML readers: pieces in order, with places; nothing that explodes, nothing from outside."""

from __future__ import annotations

import pytest

from coreflens.errors import InputError
from coreflens.formats import recognise
from coreflens.formats.shared.source import Source
from coreflens.formats.shared.xml import elements, root


def read(text: str | bytes, *containers: str) -> list[tuple[str, str, int, int]]:
    data = text if isinstance(text, bytes) else text.encode()
    return [(e.tag, e.text, e.line, e.column) for e in elements(Source(data, "a.xml"), containers)]


def refused(text: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        read(text, "r")
    assert caught.value.file == "a.xml"
    return caught.value


def test_containers_come_when_they_open_and_the_rest_when_it_is_complete() -> None:
    text = "<r a='1'>\n <x>ab<y>c</y>d</x>\n <é/><s><x>e</x></s>\n</r>"
    assert read(text, "r", "s") == [
        ("r", "", 1, 1),
        ("x", "abd", 2, 2),
        ("é", "", 3, 2),
        ("s", "", 3, 6),
        ("x", "e", 3, 9),
    ]
    whole = list(elements(Source(text.encode(), ""), {"r"}))
    assert whole[1].value("y") == "c"
    assert whole[1].find("z") is None
    assert [(e.tag, e.parent) for e in whole[3].children] == [("x", "s")]


def test_content_in_its_order_and_depth() -> None:
    text = "<r>a<x>b<y>c</y>d<y/><z><y>e</y>f</z></x>g</r>"
    (_, x) = elements(Source(text.encode(), ""), {"r"})
    assert (x.content, x.text, x.depth) == ("bcdef", "bd", 1)
    assert [(child.at, child.depth) for child in x.children] == [(1, 2), (2, 2), (2, 2)]


def test_a_container_within_something_else_is_a_part_of_it() -> None:
    assert [e[0] for e in read("<r><x><r><x/></r></x></r>", "r")] == ["r", "x"]


@pytest.mark.slow
def test_a_file_longer_than_a_chunk() -> None:
    text = "<r>\n" + "<x>é</x>\n" * 300_000 + "</r>"
    found = read(text, "r")
    assert len(found) == 300_001
    assert found[-1] == ("x", "é", 300_001, 1)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "no element found"),
        ("<r><x>", 1, 7, "no element found"),
        ("<r>\n<x></r>", 2, 6, "mismatched tag"),
        ("<r>\n<x", 2, 1, "unclosed token"),
        (b"<r>\n a\xe9</r>", 2, 3, "byte 0xe9 is not UTF-8"),
        ("<r>\n&nbsp;</r>", 2, 1, "undefined entity"),
        ('<!DOCTYPE r SYSTEM "r.dtd">\n<r>\n &nbsp;</r>', 3, 2, "'&nbsp;' is not declared"),
        ('<!DOCTYPE r SYSTEM "r.dtd">\n<r a="&nbsp;"/>', 2, 7, "'&nbsp;' is not declared"),
        ("<r>" + "<x>" * 300, 1, 601, "more than the limit of 200 levels"),
    ],
)
def test_what_is_wrong_is_an_error_with_its_place(text: str | bytes, line: int, column: int, message: str) -> None:
    error = refused(text)
    assert message in error.message
    assert (error.line, error.column) == (line, column)


def test_entities_are_refused_before_they_grow() -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<r>&b;</r>'
    assert "entity 'a' is declared: refused" in refused(bomb).message
    outside = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<r>&a;</r>'
    assert "entity 'a' is declared: refused" in refused(outside).message


@pytest.mark.slow
def test_one_piece_is_bounded() -> None:
    assert "more than 1,048,576 elements within one" in refused("<r><x>" + "<y/>" * 1_100_000 + "</x></r>").message


def test_the_declared_encoding_is_used_unless_the_file_is_utf_8() -> None:
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?><r><x>é</x></r>'
    assert read(declared.encode("latin-1"), "r")[1][1] == "é"
    assert read(declared.encode(), "r")[1][1] == "é"
    unknown = declared.replace("ISO-8859-1", "klingon").encode("latin-1")
    assert "encoding" in refused(unknown).message


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<article>FoLiA is not &lt;FoLiA</article>", "XML"),
    ],
)
def test_what_is_not_read_is_called_by_its_name(text: str, name: str) -> None:
    with pytest.raises(InputError) as caught:
        recognise(Source(text.encode(), "x"))
    assert caught.value.message == f"this looks like {name}, which coreflens does not read"


def test_root() -> None:
    assert root(b'<?xml version="1.0"?>\n<!DOCTYPE words SYSTEM "w.dtd">\n<!-- a > b -->\n<words x="1">') == b"words"
    assert root(b"  <KAF/>") == b"KAF"
    assert root(b"#begin document") == b""
    assert root(b"<!--" + b"-" * 60_000) == b""
