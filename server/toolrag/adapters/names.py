"""File names as people and URIs have them: quoted for a sentence, and to and from `file:` URIs. Pure.

Absent on purpose: any decoding of plain paths. A percent sign in a path is a percent sign.
"""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

_SHOWN_CHARACTERS: Final = 200
_FILE_URI: Final = re.compile(r"file:(?://(?P<host>[^/?#]*)|(?!//))(?P<path>/[^?#]*)", re.IGNORECASE | re.DOTALL)
_DRIVE: Final = re.compile(r"/([A-Za-z]):(?=/|$)")


def shown(name: str) -> str:
    """A name in quotes for a sentence; what does not print is escaped: it cannot act on a terminal or forge a line."""
    if len(name) > _SHOWN_CHARACTERS:
        name = f"{name[:_SHOWN_CHARACTERS]}…"
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name) + '"'


def is_file_uri(text: str) -> bool:
    """Whether `text` is meant as a `file:` URI."""
    return text[:5].lower() == "file:"


def file_uri(path: str, windows: bool = os.name == "nt") -> str:
    """The `file:` URI of an absolute path. Names that are not UTF-8 keep their bytes (surrogateescape)."""
    if windows:
        path = path.replace("\\", "/")
        if path.startswith("//"):
            return "file:" + quoted(path)
        path = f"/{path}"
    return "file://" + quoted(path)


def path_of_uri(uri: str, windows: bool = os.name == "nt") -> str | None:
    """The path a `file:` URI names, percent-decoded exactly once; a drive letter comes back in upper case.

    None for another scheme, another host, a relative path, or a query or fragment, which a file does not have.
    """
    match = _FILE_URI.fullmatch(uri)
    if match is None:
        return None
    host = match["host"] or ""
    path = unquote_to_bytes(match["path"]).decode("utf-8", "surrogateescape")
    if host.lower() == "localhost":
        host = ""
    if not windows:
        return None if host else path
    if host:
        return f"//{host}{path}".replace("/", "\\")
    drive = _DRIVE.match(path)
    if drive is None:
        return None
    return f"{drive[1].upper()}:{path[drive.end() :] or '/'}".replace("/", "\\")


def quoted(path: str) -> str:
    """A path percent-encoded for a URI; names that are not UTF-8 keep their bytes (surrogateescape)."""
    return quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe="/:~")
