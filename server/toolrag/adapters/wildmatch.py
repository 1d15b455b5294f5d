"""gitignore globs as regular expressions, matched as git's wildmatch matches them. Pure.

Two things differ from git on purpose: `?` and `[…]` stand for a character, not for a byte, and matching cannot explode.
Of several places where the text after a `*` could start, the first serves if any does, so each is an atomic group: git
and the libraries that translate to plain regular expressions take seconds over `*a*a*…*b` and a name of 32 letters.
"""

from __future__ import annotations

import re
from typing import Final

_POSIX_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\x09-\x0d\x20",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_STARS: Final = "*"
_ANY_FOLDERS: Final = "**/"
_ANY_REST: Final = "**"
_FOLDERS_WEIGHT: Final = 8
"""What `**/` adds: it is tried at each folder of a path."""


class GlobError(ValueError):
    """The glob can never match; the message says why in a few words."""


def glob_regex(glob: str) -> str:
    """The regular expression of a glob for a whole `/`-separated path; use it with `fullmatch` and `re.DOTALL`.

    `*`, `?` and `[…]` stay within one name; `**` as a whole name stands for any number of folders. Raises GlobError
    for a bracket without its end, an unknown `[:class:]` and a backslash with nothing to escape: git lets such a
    pattern match nothing, in silence.
    """
    tokens = _tokens(glob)
    regex: list[str] = []
    # One atomic group runs from each `**/` to the next: what lies between takes whole names, so its first place serves.
    open_group = False
    last_folders = max((index for index, token in enumerate(tokens) if token == _ANY_FOLDERS), default=-1)
    segment: list[str] = []
    for index, token in enumerate(tokens):
        if token in ("/", _ANY_FOLDERS, _ANY_REST):
            regex.append(_segment_regex(segment))
            segment = []
            if token == "/":
                regex.append("/")
                continue
            if open_group:
                regex.append(")")
                open_group = False
            if token == _ANY_REST:
                regex.append(".*")
            elif index == last_folders:
                regex.append("(?:.*/)?")
            else:
                regex.append("(?>(?:.*?/)??")
                open_group = True
        else:
            segment.append(token)
    regex.append(_segment_regex(segment))
    return "".join(regex)


def weight(glob: str) -> int:
    """About how much there is to try when a name is held against a glob: 1 if all is literal. Raises GlobError."""
    tokens = _tokens(glob)
    if all(len(token) == 1 or token.startswith("\\") for token in tokens) and _STARS not in tokens:
        return 1
    return len(tokens) + _FOLDERS_WEIGHT * tokens.count(_ANY_FOLDERS)


def _tokens(glob: str) -> list[str]:
    """The glob as `/`, `*`, `**/`, `**` and, for everything else, the regular expression of one character."""
    tokens: list[str] = []
    at = 0
    only_literal = True
    while at < len(glob):
        character = glob[at]
        at += 1
        if character == "/":
            tokens.append("/")
        elif character == "*":
            start = at - 1
            while at < len(glob) and glob[at] == "*":
                at += 1
            # As git does, `**` also counts right after a start without wildcards: `foo**/bar` is `foo` and any folders.
            whole_name = start == 0 or glob[start - 1] == "/" or only_literal
            if at - start > 1 and whole_name and at == len(glob):
                tokens.append(_ANY_REST)
            elif at - start > 1 and whole_name and glob[at] == "/":
                tokens.append(_ANY_FOLDERS)
                at += 1
            else:
                tokens.append(_STARS)
            only_literal = False
        elif character == "?":
            tokens.append("[^/]")
            only_literal = False
        elif character == "[":
            token, at = _bracket(glob, at)
            tokens.append(token)
            only_literal = False
        elif character == "\\":
            if at == len(glob):
                raise GlobError("it ends with a backslash")
            tokens.append("/" if glob[at] == "/" else re.escape(glob[at]))
            at += 1
            only_literal = False
        else:
            tokens.append(re.escape(character))
    return tokens


def _segment_regex(tokens: list[str]) -> str:
    """One name: `*` takes as little as lets the next piece follow, and the last one as much as is there."""
    pieces: list[list[str]] = [[]]
    for token in tokens:
        if token == _STARS:
            pieces.append([])
        else:
            pieces[-1].append(token)
    regexes = ["".join(piece) for piece in pieces]
    if len(regexes) == 1:
        return regexes[0]
    middle = "".join(f"(?>[^/]*?{piece})" for piece in regexes[1:-1] if piece)
    return f"{regexes[0]}{middle}[^/]*{regexes[-1]}"


def _bracket(glob: str, at: int) -> tuple[str, int]:
    """The regular expression of a bracket whose `[` ends at `at`, and where the glob goes on."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    first = at
    members: list[str] = []
    previous = ""
    while True:
        character = glob[at : at + 1]
        if character == "]" and at > first:
            break
        if character == "[" and glob[at + 1 : at + 2] == ":":
            end = glob.find("]", at + 2)
            if end > at + 2 and glob[end - 1] == ":":
                name = glob[at + 2 : end - 1]
                if name not in _POSIX_CLASSES:
                    raise GlobError(f"there is no character class [:{name}:]")
                members.append(_POSIX_CLASSES[name])
                previous = ""
                at = end + 1
                continue
        if character == "-" and previous and glob[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(glob, at + 1)
            if previous <= high:
                members.append(f"{_escaped(previous)}-{_escaped(high)}")
            previous = ""
            continue
        previous, at = _member(glob, at)
        members.append(_escaped(previous))
    # A bracket never stands for `/`, whatever is in it.
    if negated:
        return f"[^/{''.join(members)}]", at + 1
    if not members:
        return "(?!)", at + 1
    regex = f"[{''.join(members)}]"
    return (f"(?!/){regex}" if re.fullmatch(regex, "/") else regex), at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    """One character of a bracket, escaped or not, and where the bracket goes on."""
    if glob[at : at + 1] == "\\":
        at += 1
    if at >= len(glob):
        raise GlobError("a [ is not closed")
    return glob[at], at + 1


def _escaped(character: str) -> str:
    """A character as a regular expression's set has it."""
    return f"\\{character}" if character in r"\]^-[&~|" else character
