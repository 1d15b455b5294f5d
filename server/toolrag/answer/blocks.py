"""When a statement runs: the blocks around it, and what may have left the function before it. Pure.

Read from indentation alone. A condition that cannot be told in a few words is said to be there, never left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.answer import clauses
from toolrag.answer.statements import Statement

_IF: Final = re.compile(r"if\b")
_ELSE: Final = re.compile(r"\}?\s*else")
_ELSE_IF: Final = re.compile(r"elif\b|elsif\b|\}?\s*else if\b")
_CONTINUES: Final = re.compile(r"\}?\s*(?:else|elif|elsif|except|catch|finally|rescue|ensure)\b")
"""What goes on with the statement before it, such as the `else` of an `if`."""
_EXCEPT: Final = re.compile(r"\}?\s*(?:except|catch|rescue)\b")
_ALWAYS: Final = re.compile(r"(?:async\s+)?with\b|try\b|finally\b|match\b|switch\b|while\s+(?:True|true|1)$|do\b|\{")
"""Openers whose block runs whenever they are reached."""
_LOOP: Final = re.compile(r"(?:async\s+)?(?:for|while)\b")
_LEAVES: Final = re.compile(r"(?:return|raise|throw)\b|.*\b(?:exit|_exit|abort|fail|die|panic)\(")
_LEAVES_LOOP: Final = re.compile(r"(?:break|continue)\b")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """When a statement of a body runs."""

    first: int
    """The first statement that must be cited with it."""
    words: str
    """Such as ``when `x` ``; empty where nothing is told."""
    further: bool
    """There are conditions besides, which are not told."""
    guarded: bool
    """Something before it may leave the block, and is not told."""

    @property
    def rest(self) -> str:
        """What must be said of the conditions that are not told."""
        if self.further:
            return ", under further conditions"
        return ", if it gets there" if self.guarded else ""


def circumstances(body: Sequence[Statement], at: int, reach: Callable[[int], bool]) -> Circumstances | None:
    """When the statement at `at` runs; None when it belongs to a function or class inside the body.

    `reach` says whether a statement is near enough to be cited together with it. One condition is told, the innermost.
    """
    first, words, further, guarded = at, "", False, False
    level: int | None = at
    while level is not None:
        for guard in _guards(body, level):
            told = _unless(body, guard)
            if told and not words and not further and not guarded and reach(guard):
                first, words = guard, told
            else:
                guarded = True
        opener = opener_of(body, level)
        if opener is None:
            break
        if clauses.declares(body[opener]):
            return None
        told, head, more = _condition(body, opener, level)
        further |= more
        if told and not words and not guarded and reach(head):
            first, words = head, told
        elif told:
            further = True
        level = opener
    return Circumstances(first, words, further, guarded)


def _condition(body: Sequence[Statement], opener: int, inside: int) -> tuple[str, int, bool]:
    """What an opener says of when its block runs, the statement that says it, and whether there is more to it."""
    text = body[opener].text
    if _ELSE.fullmatch(text):
        head = _before(body, opener)
        if head is None or not _IF.match(body[head].text):
            return "", opener, True
        told = clauses.circumstance(body[head]).replace("when ", "unless ", 1)
        return ("", opener, True) if _cut(told) else (told, head, False)
    told = clauses.circumstance(body[opener])
    later = bool(_ELSE_IF.match(text)) or _is_later_except(body, opener)
    if not told:
        return "", opener, later or not _ALWAYS.match(text)
    if _cut(told) or _changed(body, opener, inside, told):
        return "", opener, True
    return told, opener, later


def _unless(body: Sequence[Statement], guard: int) -> str:
    """A guard in words, when it is an `if` without `else` whose block always leaves; else empty."""
    children = children_of(body, guard)
    simple = _IF.match(body[guard].text) and alternative_of(body, guard) is None and children
    following = next((at for at in range(guard + 1, len(body)) if _same_block(body, guard, at)), None)
    if not simple or (following is not None and _CONTINUES.match(body[following].text)):
        return ""
    if not _leaves(body, children[-1], guard):
        return ""
    told = clauses.circumstance(body[guard]).replace("when ", "unless ", 1)
    return "" if _cut(told) else told


def _guards(body: Sequence[Statement], level: int) -> Iterator[int]:
    """Statements before `level` in its block that may leave it, the nearest first."""
    chain_is_over = not _CONTINUES.match(body[level].text)
    for other in range(level - 1, -1, -1):
        if body[other].indent < body[level].indent and not body[other].is_comment:
            return
        if not _same_block(body, other, level):
            continue
        # The branches before an `else` are no guards of it: it runs when they did not.
        if chain_is_over and any(_leaves(body, below, other) for below in _below(body, other)):
            yield other
        chain_is_over |= not _CONTINUES.match(body[other].text)


def _below(body: Sequence[Statement], opener: int) -> Iterator[int]:
    for other in range(opener + 1, len(body)):
        if not body[other].is_comment:
            if body[other].indent <= body[opener].indent:
                return
            yield other


def _leaves(body: Sequence[Statement], at: int, block: int) -> bool:
    """Whether a statement below `block` leaves the block that `block` stands in."""
    text = body[at].text
    leaves_loop = _LEAVES_LOOP.match(text)
    if not leaves_loop and not _LEAVES.match(text):
        return False
    opener: int | None = at
    while opener is not None and opener != block:
        if clauses.declares(body[opener]) or (leaves_loop and _LOOP.match(body[opener].text)):
            return False
        opener = opener_of(body, opener)
    return not clauses.declares(body[block]) and not (leaves_loop and _LOOP.match(body[block].text))


def _changed(body: Sequence[Statement], opener: int, inside: int, told: str) -> bool:
    """Whether something the condition names was assigned between it and the statement."""
    names = set(re.findall(r"[^\W\d]\w*", told))
    for other in range(opener + 1, inside):
        said = None if body[other].is_comment else clauses.clause(body[other])
        if said is not None and said.target and names & set(re.findall(r"^[^\W\d]\w*", said.target)):
            return True
    return False


def _is_later_except(body: Sequence[Statement], at: int) -> bool:
    """Whether another `except` of the same `try` comes before."""
    before = _before(body, at)
    return bool(_EXCEPT.match(body[at].text) and before is not None and _EXCEPT.match(body[before].text))


def _before(body: Sequence[Statement], at: int) -> int | None:
    """The statement before the one at `at` in its block."""
    for other in range(at - 1, -1, -1):
        if body[other].is_comment or body[other].indent > body[at].indent:
            continue
        return other if body[other].indent == body[at].indent else None
    return None


def _same_block(body: Sequence[Statement], one: int, other: int) -> bool:
    return not body[one].is_comment and not body[other].is_comment and body[one].indent == body[other].indent


def _cut(told: str) -> bool:
    """Whether a condition was shortened: half a condition is none."""
    return "…" in told


def opener_of(body: Sequence[Statement], at: int) -> int | None:
    """The statement whose block holds the one at `at`; None at the top."""
    for other in range(at - 1, -1, -1):
        if not body[other].is_comment and body[other].indent < body[at].indent:
            return other
    return None


def children_of(body: Sequence[Statement], at: int) -> list[int]:
    """The statements directly inside the block that the one at `at` opens."""
    inside = []
    depth: int | None = None
    for other in _below(body, at):
        depth = body[other].indent if depth is None else depth
        if body[other].indent == depth:
            inside.append(other)
    return inside


def alternative_of(body: Sequence[Statement], at: int) -> int | None:
    """The `else` of the `if` at `at`, when nothing stands between their blocks."""
    for other in range(at + 1, len(body)):
        if body[other].is_comment or body[other].indent > body[at].indent:
            continue
        is_else = body[other].indent == body[at].indent and _ELSE.fullmatch(body[other].text)
        return other if is_else else None
    return None
