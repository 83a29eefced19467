"""One HTML file made from the page's parts and the data. It fetches nothing, and only the page's own script can run.

The modules in `page/` are plain ES modules. A file opened from disk cannot import another file, so they are joined in
the order of their imports. The names in all modules are unique, so `import` lines and `export` are simply removed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

MODULES = (
    "dom",
    "data",
    "state",
    "colours",
    "virtual",
    "model",
    "clicks",
    "unfold",
    "anaphora",
    "text",
    "projections",
    "errors",
    "detail",
    "scores",
    "documents",
    "search",
    "main",
)
_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"), allow_nan=False)
_LEVEL = 5  # 9 takes half as long again, and saves 2 % of the page
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def script() -> str:
    """All modules as one."""
    parts = (asset(f"{name}.js") for name in MODULES)
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", part)) for part in parts)


def asset(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


def build(index: dict[str, Any], chunks: Iterable[str]) -> str:
    """The page, of the index and of documents that are packed. Text is data: JSON without any `<`, and base64."""
    code, style = script(), asset("style.css")
    policy = f"default-src 'none'; script-src '{_digest(code)}'; style-src '{_digest(style)}'; base-uri 'none'"
    packed = "\n".join(f'<script type="text/plain" class="chunk">{chunk}</script>' for chunk in chunks)
    parts = {
        "policy": html.escape(policy),
        "title": html.escape(index["title"] or index["key"]),
        "style": style,
        "index": plain(index),
        "chunks": packed,
        "script": code,
    }
    pieces = re.split(r"\{\{(\w+)\}\}", asset("page.html"))  # one pass: inserted text is not searched again
    return "".join(parts[piece] if n % 2 else piece for n, piece in enumerate(pieces))


def plain(data: Any) -> str:
    """JSON that an HTML parser cannot mistake for markup."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def pack(data: Any) -> str:
    """gzip and base64. Surrogates of broken text become U+FFFD, as in a browser."""
    text = _JSON.encode(data)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), _LEVEL, mtime=0)).decode("ascii")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"
