"""Texts for the tests of the viewer, written for this project: every kind of mention, and three scripts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import coreflens as cl

Show: TypeAlias = Callable[..., Any]  # opens a page: see browsing.py
PATIENCE = 30_000  # milliseconds: a busy machine is no failure

# [3 the old fox] is a mention of entity 3; sentences end with a line.
ARABIC = (
    "[1 ليلى] تعيش في [2 بيت قديم] قرب [3 البحر] .\n[1 هي] تحب [2 البيت] لكن [4 أخوها] يخاف من [3 الأمواج] .",
    "[1 ليلى] تعيش في [2 بيت قديم] قرب [3 البحر] .\n[1 هي] تحب [3 البيت] لكن [4 أخوها] يخاف من الأمواج .",
)
HEBREW = (
    "[1 דנה] קנתה [2 כלב קטן] בשוק New York של [3 העיר] .\n[1 היא] קראה ל [2 כלב] בשם [2 רקס] .",
    "[1 דנה] קנתה [2 כלב קטן] בשוק New York של [3 העיר] .\n[2 היא] קראה ל [2 כלב] בשם רקס .",
)
CHINESE = (
    "[1 小明] 住 在 [2 河 边 的 村子] 里 。\n[1 他] 每天 去 [2 那里] 看 [3 他 的 奶奶] 。",
    "[1 小明] 住 在 [2 河 边 的 村子] 里 。\n[1 他] 每天 去 [3 那里] 看 [3 他 的 奶奶] 。",
)
RIGHT = "[1 Ida] met [2 the old [3 miller]] .\n[1 She] greeted [2 him] .\n[3 He] gave [1 her] [4 a cake] ."
OLD = "[1 Ida] met [2 the old miller] .\n[2 She] greeted him .\n[3 He] gave [1 her] a cake ."
NEW = "[1 Ida] met [2 the old [3 miller]] .\n[1 She] greeted him .\n[3 He] gave [3 her] [4 a cake] ."
HOSTILE = [
    "</script><script>document.title='run'</script>",
    "<img/src=x/onerror=document.title='run'>",
    "{{script}}",
    "\u202eevil\u202c",
    "a\u0007b\u001bc",
    "<!--",
    "&amp;",
    "𝄞",
    "https://example.org/x",
]
TOY = (
    [["1", "2"], ["3", "4", "5"], ["6", "7", "8", "9", "10", "11", "12"], ["13", "14", "15", "16", "17"]],
    [["1", "2", "6", "7", "8", "9", "10"], ["3", "4", "5", "11", "12", "13", "14", "15", "16"], ["17"]],
)  # Popescu-Belis & Robba 1998, Table 1


def until(page: Any, expression: str) -> None:
    """Wait until an expression holds; the page's policy forbids what playwright has for this."""
    stop = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < stop, expression
        page.wait_for_timeout(50)


def conll(text: str, name: str = "tale") -> str:
    """Bracketed text as CoNLL, nested brackets allowed."""
    lines = [f"#begin document ({name}); part 000"]
    for sentence in text.splitlines():
        words: list[str] = []
        cells: list[list[str]] = []
        ends: dict[int, list[str]] = {}
        opened: list[tuple[str, int]] = []
        for piece in re.findall(r"\[\S+|\]|[^\s\[\]]+", sentence):
            if piece.startswith("["):
                opened.append((piece[1:], len(words)))
            elif piece == "]":
                entity, start = opened.pop()
                last = len(words) - 1
                cells[start].append(f"({entity})" if start == last else f"({entity}")
                if start < last:
                    ends.setdefault(last, []).append(f"{entity})")
            else:
                words.append(piece)
                cells.append([])
        for n, word in enumerate(words):
            lines.append(f"{name}\t0\t{n}\t{word}\t{'|'.join(cells[n] + ends.get(n, [])) or '-'}")
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def pair(directory: Path, texts: Sequence[str], name: str = "tale") -> list[Path]:
    """The key and its responses as files."""
    paths = []
    for n, text in enumerate(texts):
        path = directory / f"{name}{n}.conll"
        path.write_text(conll(text, name), encoding="utf-8")
        paths.append(path)
    return paths


ZERO = """# newdoc id = d
# global.Entity = eid-etype-head-other
# sent_id = 1
# speaker = Ana
1	Ana	Ana	PROPN	_	_	2	nsubj	_	Entity=(e1-x-1-)
2	canta	cantar	VERB	_	_	0	root	_	_

# sent_id = 2
# speaker = Eva
{zero}1	Baila	bailar	VERB	_	_	0	root	_	{entity}
2	bien	bien	ADV	_	_	1	advmod	_	_

"""


def hostile(directory: Path) -> str:
    words = [word.replace("[", "").replace("]", "") for word in HOSTILE]
    text = "\n".join(f"[{n} {word}] and [{n} it] ." for n, word in enumerate(words))
    paths = pair(directory, (text, text.replace("[3 it]", "it")), "x")
    return cl.view(*paths, title="</title><script>1</script>", names=['<b>&"']).html
