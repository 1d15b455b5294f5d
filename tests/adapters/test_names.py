"""File names survive the way into a URI and back, and cannot act where they are quoted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.adapters.names import file_uri, path_of_uri, shown

names = st.binary(max_size=40).map(lambda data: data.replace(b"\0", b"").decode("utf-8", "surrogateescape"))


@given(names)
def test_any_posix_path_round_trips(name: str) -> None:
    """Every byte but NUL may be in a name: `#`, `%`, `?`, blanks, line feeds, and what is not UTF-8."""
    uri = file_uri(f"/ws/{name}", windows=False)
    assert uri.isascii()
    assert uri.isprintable()
    assert path_of_uri(uri, windows=False) == f"/ws/{name}"


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/x%20y.py", "C:\\x y.py"),
        ("file:///C:/x y.py", "C:\\x y.py"),
        ("FILE:///c:/x y.py", "C:\\x y.py"),
        ("file://localhost/c:/a", "C:\\a"),
        ("file:///c:", "C:\\"),
        ("file://server/share/a.py", "\\\\server\\share\\a.py"),
        ("file:///no/drive", None),
    ],
)
def test_windows_spellings_of_one_file(uri: str, path: str | None) -> None:
    """Drive letters in either case and either encoding; a host is a share."""
    assert path_of_uri(uri, windows=True) == path


@pytest.mark.parametrize("path", ["C:\\x y#.py", "\\\\server\\share\\a%b.py"])
def test_windows_paths_round_trip(path: str) -> None:
    """A drive's path and a share's."""
    assert path_of_uri(file_uri(path, windows=True), windows=True) == path


@pytest.mark.parametrize(
    "uri",
    ["untitled:x", "file:x", "file://host/x", "file:///a?b", "file:///a#b", "file:", "file://", "http://h/a", "/a", ""],
)
def test_what_names_no_file_here(uri: str) -> None:
    """Other schemes and hosts, relative paths, and queries and fragments, which files do not have."""
    assert path_of_uri(uri, windows=False) is None


def test_a_uri_is_decoded_exactly_once() -> None:
    """`%252e` is `%2e`, in either case of its digits."""
    assert path_of_uri("file:///%252e%2E%2f%41", windows=False) == "/%2e./A"
    assert path_of_uri("file:///%zz%", windows=False) == "/%zz%"


@given(st.text())
def test_a_quoted_name_cannot_act(name: str) -> None:
    """Nothing in a sentence moves a cursor, ends a line or turns the reading direction."""
    assert shown(name).isprintable()
    assert len(shown("x" * 10_000)) < 250
