"""Written citations in any text: `path:12`, `path:12-18`, `path#L12-L18`, each with or without `@` and a pin. Pure.

Found are also `path:12:5` (a column: line 12), `path#L12C3-L14C5`, a dash that an editor made long, paths with blanks
where code marks or a Markdown link hold nothing else, and Windows drive paths. What only looks like one is left alone:
addresses (`http://host:80/x`), times, ratios, tags (`org/image:12`), and members (`self.x:3`). An unpinned path must
therefore say that it is one: by a folder and a suffix, by the suffix of a language or another well-known one, or by a
name such as `Makefile`. A pinned one needs nothing more.

Lines that cannot be (line 0, an end before its start) are found nevertheless: somebody meant to cite, and must be
told that nothing stands there. More than nine digits, or a path of over 1,000 characters, is no citation.
Time is linear in the text: each piece of it is looked at for one mark only, and a look back for an address is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolrag.answer.citations import PIN_DIGITS
from toolrag.retrieval.languages import ANY_TEXT, language_of
from toolrag.text import LineRange

_MARK: Final = re.compile(
    r"""(?>
          (?: :(?P<colon>(?P<a>[0-9]{1,9})(?:[-–](?P<b>[0-9]{1,9}))?) (?![0-9]) (?: :[0-9]{1,9}(?![0-9]) )?
            | \#(?P<hash>L(?P<c>[0-9]{1,9})(?:C[0-9]{1,9})?(?:[-–]L?(?P<d>[0-9]{1,9})(?:C[0-9]{1,9})?)?) (?![0-9]) )
          (?: @(?P<pin>[0-9A-Fa-f]{1,64}+)(?![0-9A-Za-z]) )?
        )
        (?! [0-9A-Za-z/\\] | _++[0-9A-Za-z] | \.[0-9] )""",
    re.VERBOSE,
)
# A line holds every mark of its citation. Neither pattern looks at a character twice.
_CODE: Final = re.compile(r"(?<!`)(`{1,2})(?!`)\ ?([^`\n\r]{1,1200}?)\ ?\1(?!`)")
_ANGLE: Final = re.compile(r"\]\(<([^<>\n\r]{1,1200})>")
_ENDS_A_PATH: Final = frozenset(
    " \t\n\r\f\v`\"'<>|,;*?!&=^{}:#“”‘’«»‹›„「」『』【】（）〈〉《》，。、；：！？…→\u00a0\u3000\u2028\u2029\u0085"
)
_MAX_PATH: Final = 1_000
_LOOK_BACK: Final = 2_000
"""How far before a path an address may begin of which it is a part."""
_BRACKETS: Final = {")": "(", "]": "["}
_NOT_IN_ADDRESS: Final = re.compile(r"[\s<>\"'`)\]|“”‘’«»（）。，、；：]")
_SUFFIX: Final = re.compile(r"[^./\\]\.[A-Za-z][\w+-]{0,15}\Z")
_DRIVE: Final = re.compile(r"(?<![^\W_])[A-Za-z]:\Z")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_PERCENT: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_CONTROL: Final = re.compile("[\0-\x1f\x7f]")
_FILE_NAMES: Final = frozenset(
    """
    makefile gnumakefile dockerfile containerfile rakefile gemfile procfile vagrantfile jenkinsfile brewfile justfile
    build workspace license licence readme changelog copying notice authors codeowners kconfig pipfile podfile fastfile
    """.split()
)
_SUFFIXES: Final = frozenset(
    """
    txt cfg ini conf env html htm xml css scss sass less vue svelte dart r mm pm t vb fs fsx clj cljs cljc edn erl
    hrl groovy gradle ps1 bat cmd csv tsv proto thrift graphql gql tf hcl nix cmake tex bib rst adoc ipynb lock patch
    diff properties plist svg jinja j2 tmpl tpl erb haml slim pug mdx fish zsh awk sed vim lisp scm rkt f90 f95 pas
    ada adb nim cr sv vhd vhdl sol wat asm cu cuh glsl hlsl metal wgsl gd qml bzl bazel snap
    """.split()
)
"""Of files that are no source, or of languages without a grammar here; none that is as often a domain or a member."""


@dataclass(frozen=True, slots=True)
class Written:
    """A citation as it stands in a text."""

    start: int
    """Character offset at which it begins."""
    end: int
    """The offset after its last character, pin included."""
    text: str
    """The characters from `start` to `end`."""
    paths: tuple[str, ...]
    """What its path may mean, likeliest first: several where blanks, escapes or percent signs leave a doubt."""
    first: int
    last: int
    """The line numbers, as written."""
    pin: str
    """The hex digits after `@`, in lower case; empty for an unpinned one."""
    lines_at: tuple[int, int]
    """Where in the text the line numbers stand: `12-18`, or `L12-L18`."""
    is_link: bool
    """It is a Markdown link's destination, which may be meant from the text's own folder."""

    @property
    def lines(self) -> LineRange | None:
        """Its lines; None for numbers that name none: line 0, or an end before the start."""
        return LineRange(self.first - 1, self.last) if 0 < self.first <= self.last else None

    @property
    def is_pin_whole(self) -> bool:
        """Whether the pin has at least the digits a pin has; a shorter one proves nothing."""
        return len(self.pin) >= PIN_DIGITS

    def with_lines(self, lines: LineRange) -> str:
        """The line numbers as this citation writes them, for other lines."""
        mark = "L" if self.text[self.lines_at[0] - self.start] == "L" else ""
        last = f"-{mark}{lines.end}" if len(lines) > 1 else ""
        return f"{mark}{lines.start + 1}{last}"


def find_written(text: str) -> Iterator[Written]:
    """Every written citation of a text, in order; none overlaps another."""
    wholes = {match.end(2): (match.start(2), False) for match in _CODE.finditer(text)}
    wholes.update({match.end(1): (match.start(1), True) for match in _ANGLE.finditer(text)})
    floor = 0
    for mark in _MARK.finditer(text):
        whole = wholes.get(mark.end())
        found = None
        if whole is not None and floor <= whole[0] < mark.start():
            bare = _bare_start(text, whole[0], mark.start())
            found = _cited(text, mark, whole[0], bare, is_link=whole[1], is_code=not whole[1])
        if found is None:
            start = _bare_start(text, floor, mark.start())
            found = _cited(text, mark, start, start, is_link=text.endswith("](", 0, start), is_code=False)
        floor = mark.end()
        if found is not None:
            yield found


def _cited(text: str, mark: re.Match[str], start: int, bare: int, *, is_link: bool, is_code: bool) -> Written | None:
    """The citation whose path begins at `start`, or at `bare` if its blanks belong to a sentence; None for none."""
    pin = (mark["pin"] or "").lower()
    by_colon = mark["colon"] is not None
    spelt = [
        text[at : mark.start()]
        for at in dict.fromkeys((start, bare))
        if not _in_address(text, at) and _is_path(text[at : mark.start()], by_colon, len(pin) == PIN_DIGITS)
    ]
    if not spelt:
        return None
    begins = mark.start() - len(spelt[0])
    is_stressed = text.startswith("_", mark.end())
    paths = [way for path in spelt for way in _meanings(path, is_link, is_code, is_stressed)]
    numbers = "colon" if by_colon else "hash"
    first, last = (mark["a"], mark["b"]) if by_colon else (mark["c"], mark["d"])
    return Written(
        begins,
        mark.end(),
        text[begins : mark.end()],
        tuple(dict.fromkeys(paths)),
        int(first),
        int(last or first),
        pin,
        mark.span(numbers),
        is_link,
    )


def _meanings(path: str, is_link: bool, is_code: bool, is_stressed: bool) -> Iterator[str]:
    if is_stressed and path.strip("_") and path[0] == "_":
        yield path.lstrip("_")  # `_src/a.py:12_` is Markdown for a stressed citation
    if is_link and "%" in path:
        yield _PERCENT.sub(_decoded, path)
    if not is_code and "\\" in path:
        yield _ESCAPED.sub(r"\1", path)
    yield path


def _decoded(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return match[0]  # no text: then the percent signs are the name's own


def _bare_start(text: str, floor: int, end: int) -> int:
    """Where the path that ends at `end` begins, by its characters alone; `end` where there is none.

    Brackets belong to a path where they begin a name in it, as `app/[id]/page.tsx` has them.
    """
    open_closers: list[int] = []
    at = end
    while at > floor and text[at - 1] not in _ENDS_A_PATH:
        character = text[at - 1]
        if character in _BRACKETS:
            open_closers.append(at - 1)
        elif character in "([":
            is_name = open_closers and text[at - 2 : at - 1] == "/" and at - 2 >= floor
            if not is_name or _BRACKETS[text[open_closers[-1]]] != character:
                break
            open_closers.pop()
        at -= 1
    if open_closers:
        at = open_closers[0] + 1
    if end - at > _MAX_PATH:
        return end
    if text[at : at + 1] in ("/", "\\") and _DRIVE.search(text, max(floor, at - 3), at):
        return at - 2
    return at


def _in_address(text: str, start: int) -> bool:
    """Whether an address runs up to, or into, a path that begins here."""
    if text.startswith("//", start):
        return True
    scheme = text.rfind("://", max(0, start - _LOOK_BACK), start + 1)
    return scheme >= 0 and not _NOT_IN_ADDRESS.search(text, scheme, start)


def _is_path(path: str, by_colon: bool, is_pinned: bool) -> bool:
    if not path or path != path.strip() or _CONTROL.search(path) or "://" in path:
        return False
    name = re.split(r"[/\\]", path)[-1]
    if not name.strip("."):
        return False  # a folder
    if is_pinned:
        return True
    has_folder = len(name) < len(path)
    if not has_folder and "@" in path:
        return False  # user@host
    stem, dot, suffix = name.rpartition(".")
    if name.lower() in _FILE_NAMES or stem.lower() in ("dockerfile", "makefile"):
        return True
    if name[0] == "." and name[1:2].isalpha():
        return True
    if not dot or not _SUFFIX.search(name):
        return False
    return has_folder or not by_colon or suffix.lower() in _SUFFIXES or language_of(name) not in (None, ANY_TEXT)
