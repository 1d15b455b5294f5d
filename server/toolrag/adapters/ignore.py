"""Ignore files: gitignore(5) syntax, one file's rules, and the stack of nested files above a path. Pure.

Two kinds share the syntax. `.gitignore` only keeps files out of the walk. `.toolragignore` and the user's own globs
deny: what they match is never read. So where a denying rule leaves room it takes the larger set: it matches in any case
and Unicode form, since some file systems open a file under any, and a line that means nothing denies what starts so.
Absent on purpose: any file access, which is the fence's, and `git_excludes`' for the files outside a root.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolrag.adapters.names import shown
from toolrag.adapters.wildmatch import GlobError, glob_regex, weight

GIT_IGNORE: Final = ".gitignore"
TOOLRAG_IGNORE: Final = ".toolragignore"
MAX_IGNORE_BYTES: Final = 64 * 1024
"""A larger ignore file is not used; the largest in github/gitignore has 31 kB (Joomla's)."""
MAX_WEIGHT: Final = 20_000
"""What the ignore files that hold in a folder may weigh together (`wildmatch.weight`): each name is held against all.

The heaviest in github/gitignore weighs 7,312 (Joomla's), the next 2,134. Lines like `*a*a*a*b` cost a name of 255
letters half a millisecond then, and the worst that were found, made for such a name or for a path of 4,000, 20 to 40.
"""

_FIRST_WILDCARD: Final = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file."""

    regex: str
    """For the whole name or, when `is_path`, for the whole path below the ignore file's folder."""
    is_path: bool
    only_folders: bool
    ignores: bool
    """False for a line that starts with `!`."""
    weight: int = 1


class Rules:
    """The rules of one ignore file, compiled."""

    def __init__(self, rules: Iterable[Rule], problems: Iterable[str] = ()) -> None:
        compiled = [(rule, re.compile(rule.regex, re.DOTALL)) for rule in rules]
        self.weight: Final = sum(rule.weight for rule, _ in compiled)
        self._last_first: Final = compiled[::-1]
        # Most names match nothing: one search over all rules answers for them.
        self._any_name: Final = _any_of(rule.regex for rule, _ in compiled if not rule.is_path)
        self._any_path: Final = _any_of(rule.regex for rule, _ in compiled if rule.is_path)
        self.problems: Final = tuple(problems)
        """A sentence for each line that could not be used as written."""

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last rule that matches ignores `path`; None when none matches.

        `path` is relative to the ignore file's folder. Only the path itself is matched: a caller asks for each folder
        above it first, since nothing below an ignored folder can be taken back in.
        """
        name = path.rpartition("/")[2]
        if not (self._any_name and self._any_name.fullmatch(name)) and not (
            self._any_path and self._any_path.fullmatch(path)
        ):
            return None
        for rule, regex in self._last_first:
            if (is_folder or not rule.only_folders) and regex.fullmatch(path if rule.is_path else name):
                return rule.ignores
        return None


@dataclass(frozen=True, slots=True)
class IgnoreStack:
    """The rules that hold in a folder: those of its own ignore file, then those of the folders above it."""

    rules: Rules
    folder: str
    """Where the ignore file lies, relative to the root: empty, or with a trailing `/`."""
    outer: IgnoreStack | None = None
    above: str = ""
    """For a file that lies above the root: the way from its folder down to `folder`, with a trailing `/`."""

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether `path`, relative to the root and below `folder`, is ignored: the innermost file that says so wins."""
        stack: IgnoreStack | None = self
        while stack is not None:
            verdict = stack.rules.verdict(stack.above + path[len(stack.folder) :], is_folder)
            if verdict is not None:
                return verdict
            stack = stack.outer
        return False


def stacked(
    rules: Rules, folder: str, outer: IgnoreStack | None, name: str, *, denies: bool, above: str = ""
) -> IgnoreStack:
    """The stack with one more file's rules, `name` being what problems call the file.

    Where all weigh too much together, the file counts as one that cannot be used: each name is held against all rules.
    """
    total, stack = rules.weight, outer
    while stack is not None:
        total, stack = total + stack.rules.weight, stack.outer
    if total > MAX_WEIGHT:
        rules = _too_heavy(f"With the ignore files above it, {name}", total, denies)
    return IgnoreStack(rules, folder, outer, above)


def parse_rules(text: str, name: str, denies: bool) -> Rules:
    """The rules of an ignore file's text; `name` is what its problems call it.

    A line that can match nothing is left out and named as a problem; where the rules deny, it is replaced by one that
    matches whatever starts with the text before its first wildcard. A text that weighs too much is not used at all.
    """
    rules: list[Rule] = []
    total = 0
    problems: list[str] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        pattern = line.removesuffix("\r").partition("\0")[0]  # to git, a NUL is a line's end
        if pattern.startswith("#"):
            continue
        pattern = _without_trailing_blanks(pattern)
        if denies:
            pattern = folded(pattern)
        try:
            rule = _rule(pattern, denies)
        except GlobError as error:
            where = f"Line {number} of {name}, {shown(pattern)}, is not a pattern ({error})"
            if denies and not pattern.startswith("!"):
                start = _FIRST_WILDCARD.split(pattern, maxsplit=1)[0]
                rule = _rule(f"{start}*", denies)
                problems.append(f"{where}; until it is mended, all that starts with {shown(start)} is denied.")
            else:
                rule = None
                problems.append(f"{where}; it is left out. Mend or remove it.")
        if rule is not None:
            rules.append(rule)
            total += rule.weight
    if total > MAX_WEIGHT:
        return _too_heavy(name[:1].upper() + name[1:], total, denies)
    return Rules(rules, problems)


def _too_heavy(subject: str, weight: int, denies: bool) -> Rules:
    problem = (
        f"{subject} has too many wildcards to hold every name against: it weighs {weight:,}, and {MAX_WEIGHT:,} is "
        f"the most. It is not used{', and nothing in its folder is read' if denies else ''}; make it shorter."
    )
    return deny_all(problem) if denies else Rules((), [problem])


def deny_all(problem: str) -> Rules:
    """The rules of an ignore file that denies and cannot be used: nothing in its folder may be read."""
    return Rules([Rule(".*", is_path=False, only_folders=False, ignores=True)], [problem])


def git_text(data: bytes) -> str:
    """The text of one of git's ignore files. git compares bytes: those that are not UTF-8 stay, as in names.

    A file in another encoding means little to git, and the same to us: a comment in it costs no other line.
    """
    return data.decode("utf-8", "surrogateescape")


def folded(path: str) -> str:
    """A path as denying rules compare it: in Unicode form C. They ignore case by themselves."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def folders_above(path: str) -> Iterator[str]:
    """Each folder on the way to `path`, from the outside in: `a`, `a/b` for `a/b/c`."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


@lru_cache(maxsize=4_096)
def _rule(pattern: str, denies: bool) -> Rule | None:
    """The rule of one line without its end; None for a blank one. As git's `parse_path_pattern` (dir.c) reads it."""
    ignores = not pattern.startswith("!")
    if not ignores:
        pattern = pattern[1:]
    only_folders = pattern.endswith("/")
    if only_folders:
        pattern = pattern[:-1]
    is_path = "/" in pattern
    if is_path:
        pattern = pattern.removeprefix("/")
    if not pattern:
        return None
    regex = glob_regex(pattern)
    if denies and ignores:
        regex = f"(?i:{regex})"
    return Rule(regex, is_path, only_folders, ignores, weight(pattern))


def _without_trailing_blanks(pattern: str) -> str:
    """The pattern without trailing spaces, unless a backslash quotes them (git's `trim_trailing_spaces`)."""
    stripped = pattern.rstrip(" ")
    n_backslashes = len(stripped) - len(stripped.rstrip("\\"))
    if n_backslashes % 2 and len(stripped) < len(pattern):
        return pattern[: len(stripped) + 1]
    return stripped


def _any_of(regexes: Iterable[str]) -> re.Pattern[str] | None:
    joined = "|".join(f"(?:{regex})" for regex in dict.fromkeys(regexes))
    return re.compile(joined, re.DOTALL) if joined else None
