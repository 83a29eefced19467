"""Tags in running text, and names of characters such as `&amp;`."""

from __future__ import annotations

import re

# A tag (closing, name, attributes), a declaration or comment, or a character's name. Each ends before the next `<`.
MARK = re.compile(r"<(/?)([A-Za-z][\w.:-]*)((?:\s[^<>]*)?)>|<[!?][^<>]*>|&(#?\w{1,12});")
_ATTRIBUTE = re.compile(r"""([^\s=<>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?\s*|(\S)""")
_CHARACTER = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def attributes(text: str) -> dict[str, str] | None:
    """The attributes of a tag, with or without quotes around values; None if they can't be read."""
    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text.strip().removesuffix("/")):
        if match[5]:
            return None
        attributes[match[1]] = unescaped(next((v for v in match.groups()[1:4] if v is not None), ""))
    return attributes


def character(name: str) -> str | None:
    """The character with this name between `&` and `;`; None if there is none, and the name is plain text."""
    if name.startswith("#"):
        digits = name[1:].lower()
        base = 16 if digits.startswith("x") else 10
        try:
            number = int(digits.removeprefix("x"), base)
        except ValueError:
            return None
        return chr(number) if 0 < number < 0xD800 or 0xDFFF < number < 0x110000 else None
    return _CHARACTER.get(name.lower())


def unescaped(value: str) -> str:
    return re.sub(r"&(#?\w{1,12});", lambda m: character(m[1]) or m[0], value) if "&" in value else value


def escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if '"' in text else text
