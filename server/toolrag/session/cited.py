"""A document that answers cite: what has happened to it, and how its citations stand after that.

What happens is taken down on the event loop as steps, and done on a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from toolrag.answer.edits import Edit
from toolrag.answer.following import Following
from toolrag.answer.placing import Sought
from toolrag.answer.types import Citation
from toolrag.session.types import Stood
from toolrag.text import LineRange, Text

_BOM: Final = "\ufeff"

Key = tuple[str, str]
"""An answer's id, and a citation's in it."""
Step = Callable[[Following[Key]], None]
"""Something that happens to a document."""


@dataclass(slots=True)
class CitedDocument:
    """A document that is cited."""

    uri: str
    first: Text
    """The text that was cited first."""
    sha: str
    """Of the file's text that was seen last; empty where it is to be seen anew."""
    steps: list[Step] = field(default_factory=list)
    """What has happened to it since it was last looked at."""
    cited: dict[Key, Citation] = field(default_factory=dict)
    following: Following[Key] | None = None
    """From that text on; made and touched by the thread alone."""
    is_lost: bool = False
    """There is no such document any more that may be read."""
    refuges: frozenset[str] = frozenset()
    """Identities of the documents that have its lines since."""


def _lines(content: str) -> list[str]:
    text = Text(content.removeprefix(_BOM))
    return text.lines(LineRange(0, text.n_lines))


def followed(work: Sequence[tuple[str, CitedDocument, Sequence[Step]]]) -> dict[Key, tuple[str, Stood]]:
    """How the citations of some documents stand after what has happened to them, each with its document's identity.

    For the thread.
    """
    found = {}
    for identity, one, steps in work:
        if one.following is None:
            one.following = Following(_lines(one.first.content))
        for step in steps:
            step(one.following)
        for key, (standing, lines) in one.following.standings().items():
            if lines is None:
                found[key] = identity, Stood(key[1], standing)
            else:
                found[key] = identity, Stood(key[1], standing, one.uri, lines, one.following.texts[lines.end - 1])
    return found


def follow(key: Key, citation: Citation, following: Following[Key]) -> None:
    """It is cited."""
    text, lines = citation.snapshot.text, citation.lines
    sought = Sought(lines, tuple(text.lines(lines)), citation.anchor)
    following.follow(key, sought, _lines(text.content))


def forget(key: Key, following: Following[Key]) -> None:
    """A citation's answer is kept no more."""
    following.forget(key)


def see(content: str, following: Following[Key]) -> None:
    """It has this text, and came to it by no edit."""
    following.see(_lines(content))


def replace_all(content: str, following: Following[Key]) -> None:
    """It has this text by an edit of which no more is known."""
    following.replace(_lines(content))


def edit(edits: Sequence[Edit], following: Following[Key]) -> None:
    """It was edited."""
    following.edit(edits)
