"""Cited lines are followed through edits as a model says that gives every line an identity (`following_reference`).

Edits go the whole way: an editor's changes, `lsp.sync`, and `answer.following`. TOOLRAG_FOLLOW_SEQUENCES tries more
sequences, TOOLRAG_FOLLOW_TWINS more files with duplicated lines, TOOLRAG_FOLLOW_SEED the same ones again.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from dataclasses import dataclass

import pytest
from following_reference import Citation, Line, Reference, State, certain, places
from toolrag.answer import edits as edits_module
from toolrag.answer.citations import anchor_of, locate
from toolrag.answer.edits import Edit, agreed
from toolrag.answer.following import Following
from toolrag.answer.placing import Lines, Sought
from toolrag.lsp.editor_params import Change
from toolrag.lsp.sync import OpenDocuments
from toolrag.text import LineRange, Position, Text, lines_sha, units

URI = "untitled:a"
N_SEQUENCES = int(os.environ.get("TOOLRAG_FOLLOW_SEQUENCES", "1000"))
N_TWINS = int(os.environ.get("TOOLRAG_FOLLOW_TWINS", "200"))
SEED = int(os.environ.get("TOOLRAG_FOLLOW_SEED", str(time.time_ns())))
WORDS = ("a", "b", "return x", "}", "", "  ", "é\U0001f600", "def f():", "x = 1")


def position(line: int, text: str, characters: int) -> Position:
    return Position(line, units(text[:characters], "utf-16"))


@dataclass
class Undone:
    """How a notification's lines came, so that it can be taken back."""

    before: list[str]
    after: list[str]


class Editor:
    """An editor's document beside the model's and ours."""

    def __init__(self, chance: random.Random, texts: list[str]) -> None:
        self.chance = chance
        self.reference = Reference(texts)
        self.documents = OpenDocuments()
        self.documents.open(URI, "\n".join(texts), 0)
        self.following: Following[int] = Following(texts)
        self.changes: list[Change] = []
        self.undo: list[Undone] = []
        self.redo: list[Undone] = []
        self.sought: list[Sought] = []
        self.cited_in: list[State] = []
        """The text that each citation is of."""
        self.twins_then: list[set[Line]] = []

    # One edit each: as an editor sends it, and as the model has it.

    def replace(self, start: int, end: int, new: list[str]) -> None:
        """Whole lines for whole lines, in one of the ways in which editors say so."""
        now = self.reference.texts
        first = Position(start, 0)
        ways: list[tuple[Position, Position, str]] = []
        if end < len(now):
            ways.append((first, Position(end, 0), "".join(f"{line}\n" for line in new)))
        if start and now[start - 1]:  # an empty line's end is its beginning, and would say another thing
            before = position(start - 1, now[start - 1], len(now[start - 1]))
            last = position(end - 1, now[end - 1], len(now[end - 1]))
            ways.append((before, last, "".join(f"\n{line}" for line in new)))
        if new and start + 1 < end and now[end - 1]:
            ways.append((first, position(end - 1, now[end - 1], len(now[end - 1])), "\n".join(new)))
        if not ways:
            self.put_whole([*now[:start], *new, *now[end:]] or [""])
            return
        one, other, text = self.chance.choice(ways)
        at = (other, one) if self.chance.random() < 0.1 else (one, other)
        self.changes.append(Change(at, text))
        self.reference.replace(start, end, new)

    def put_whole(self, new: list[str]) -> None:
        end = self.chance.choice(("\n", "\r\n", "\r"))
        self.changes.append(Change(None, end.join(new)))
        self.reference.replace(0, len(self.reference.lines), new)

    def write(self, at: int, text: str) -> None:
        """Within a line: only what differs, or all of it."""
        now = self.reference.texts[at]
        top = len(os.path.commonprefix((now, text))) if self.chance.random() < 0.5 else 0
        self.changes.append(Change((position(at, now, top), position(at, now, len(now))), text[top:]))
        self.reference.write(at, text)

    def split(self, at: int) -> None:
        now = self.reference.texts[at]
        if len(now) > 1:
            middle = self.chance.randrange(1, len(now))
            self.changes.append(Change((position(at, now, middle),) * 2, "\n"))
            self.reference.replace(at + 1, at + 1, [now[middle:]])
            self.reference.write(at, now[:middle])

    def join(self, at: int) -> None:
        now = self.reference.texts
        if at + 1 < len(now) and now[at]:
            self.changes.append(Change((position(at, now[at], len(now[at])), Position(at + 1, 0)), ""))
            self.reference.replace(at + 1, at + 2, [])
            self.reference.write(at, now[at] + now[at + 1])

    def some(self) -> tuple[int, int]:
        """Some lines."""
        n_lines = len(self.reference.lines)
        start = self.chance.randrange(n_lines)
        return start, min(n_lines, start + self.chance.choice((1, 1, 1, 2, 3, 5)))

    def typed(self) -> list[str]:
        new = self.chance.choices(WORDS, k=self.chance.choice((1, 1, 2, 3)))
        return [f"{line}{self.chance.randrange(50)}" if self.chance.random() < 0.5 else line for line in new]

    def insert(self, at: int, new: list[str]) -> None:
        self.replace(at, at, new)

    def edit_once(self) -> None:
        """Any edit."""
        start, end = self.some()
        now = self.reference.texts
        match self.chance.choice(
            ("insert", "insert", "delete", "replace", "move", "copy", "write", "write", "split", "join", "whole", "tidy")
        ):
            case "insert":
                self.insert(start, self.typed())
            case "delete":
                self.replace(start, end, [])
            case "replace":
                new = [line for line in now[start:end] if self.chance.random() < 0.6] + self.typed()
                if self.chance.random() < 0.3:
                    self.chance.shuffle(new)
                self.replace(start, end, new)
            case "move" if end - start < len(now):
                self.replace(start, end, [])
                self.insert(self.chance.randrange(len(self.reference.lines) + 1), now[start:end])
            case "copy":
                self.insert(self.chance.randrange(len(now) + 1), now[start:end])
            case "write":
                self.write(start, self.chance.choice(self.typed()))
            case "split":
                self.split(start)
            case "join":
                self.join(start)
            case "whole":
                new = [line for line in now if self.chance.random() < 0.8]
                new[start:start] = self.typed()
                self.put_whole(new)
            case "tidy":  # a formatter, line by line
                for at in range(start, end):
                    self.write(at, "  " + now[at] if self.chance.random() < 0.7 else now[at].strip())

    def notify(self) -> None:
        """One notification: an edit or several, or one that is taken back or made again."""
        state, before = self.reference.state(), self.reference.texts
        what = self.chance.random()
        if what < 0.2 and self.undo:
            done = self.undo.pop()
            self.redo.append(done)
            self.return_to(done.before)
        elif what < 0.3 and self.redo:
            done = self.redo.pop()
            self.undo.append(done)
            self.return_to(done.after)
        else:
            for _ in range(self.chance.choice((1, 1, 1, 1, 2, 3))):
                self.edit_once()
            self.undo.append(Undone(before, self.reference.texts))
            self.redo.clear()
        self.send(state)

    def return_to(self, texts: list[str]) -> None:
        """What differs, put back in one edit."""
        now = self.reference.texts
        top = 0
        while top < min(len(now), len(texts)) and now[top] == texts[top]:
            top += 1
        bottom = 0
        while bottom < min(len(now), len(texts)) - top and now[-1 - bottom] == texts[-1 - bottom]:
            bottom += 1
        if top < len(now) - bottom or top < len(texts) - bottom:
            self.replace(top, len(now) - bottom, texts[top : len(texts) - bottom])

    def send(self, state: State) -> None:
        edited = self.documents.change(URI, self.changes, None, "utf-16")
        self.changes = []
        self.reference.finish(state)
        assert list(lines_of(edited.text)) == self.reference.texts, "the model and the editor have one text"
        self.following.edit(edited.edits)
        assert list(self.following.texts) == self.reference.texts

    def cite(self, state: State | None = None) -> Citation:
        """Some lines of the text as it is, or was."""
        state = state or self.reference.state()
        texts = [text for _, text in state]
        # The citation says which text it is of, and not when it was that for the last time.
        state = next(one for one in self.reference.newest_first() if [text for _, text in one] == texts)
        start = self.chance.randrange(len(state))
        size = min(len(state) - start, self.chance.choice((1, 1, 2, 3, 4)))
        self.sought.append(sought_in(texts, start, size))
        self.cited_in.append(state)
        citation = self.reference.cite(start, size, state)
        copies = {line for at in places(texts, citation.texts) for line, _ in state[at : at + size]}
        self.twins_then.append(copies - {*citation.lines})
        self.following.follow(len(self.sought) - 1, self.sought[-1], texts)
        return citation

    def standings(self) -> list[tuple[str, int | None]]:
        found = self.following.standings()
        return [
            (standing, None if lines is None else lines.start)
            for standing, lines in (found[key] for key in range(len(self.reference.citations)))
        ]

    def wanted(self) -> list[tuple[str, int | None]]:
        return [self.reference.standing(one) for one in self.reference.citations]


def lines_of(content: str) -> list[str]:
    text = Text(content)
    return text.lines(LineRange(0, text.n_lines))


def sought_in(texts: list[str], start: int, size: int) -> Sought:
    lines = LineRange(start, start + size)
    return Sought(lines, tuple(texts[start : start + size]), anchor_of(Text("\n".join(texts)), lines))


def check_alone(editor: Editor, key: int, sought: Sought, again: str) -> None:
    """`locate`, which knows no edits, says what the table says, and does not take a twin for the cited lines."""
    reference = editor.reference
    citation, text = reference.citations[key], Text("\n".join(reference.texts))
    standing, lines = locate(text, sought.lines, lines_sha(sought.texts), sought.anchor)
    assert (standing, None if lines is None else lines.start) == reference.told_alone(citation), again
    assert Lines(reference.texts).standing(sought, lambda _: True) == (standing, lines), again
    if standing == "moved" and lines is not None:
        here = reference.lines[lines.start : lines.end]
        around = reference.lines[max(0, lines.start - 3) : lines.start] + reference.lines[lines.end : lines.end + 3]
        is_all_old = {*around} <= {line for line, _ in editor.cited_in[key]}
        assert not ({*here} & editor.twins_then[key] and is_all_old), again


def test_any_edits_give_the_model_s_standings() -> None:
    """Typed, deleted, pasted, moved and replaced lines, whole texts, several edits at once, undo and redo."""
    met: Counter[str] = Counter()
    for number in range(N_SEQUENCES):
        seed = f"{SEED}/{number}"
        chance = random.Random(seed)
        texts = [
            f"line {at}" if chance.random() < 0.4 else chance.choice(WORDS) for at in range(chance.randrange(1, 13))
        ]
        editor = Editor(chance, texts)
        for _ in range(chance.randrange(1, 5)):
            editor.cite()
        for step in range(chance.randrange(1, 12)):
            editor.notify()
            again = f"TOOLRAG_FOLLOW_SEED={SEED} finds it again: {seed}, notification {step}"
            assert editor.standings() == editor.wanted(), again
            for key, sought in enumerate(editor.sought):
                check_alone(editor, key, sought, again)
            met.update(standing for standing, _ in editor.wanted())
            if chance.random() < 0.2:
                editor.cite(chance.choice(editor.reference.earlier))
                assert editor.standings() == editor.wanted(), again
    assert all(met[standing] > sum(met.values()) / 100 for standing in ("verified", "moved", "changed", "gone")), met


def test_undoing_everything_verifies_every_citation() -> None:
    """However it was edited, step by step back to the text that was cited, each citation stands where it stood."""
    for number in range(N_SEQUENCES // 10):
        seed = f"{SEED}/undo/{number}"
        chance = random.Random(seed)
        texts = chance.choices(WORDS, k=chance.randrange(1, 10))
        editor = Editor(chance, texts)
        for _ in range(4):
            editor.cite()
        while len(editor.undo) < 8:
            editor.notify()
        while editor.undo:
            state = editor.reference.state()
            editor.return_to(editor.undo.pop().before)
            editor.send(state)
        wanted = [("verified", one.start) for one in editor.reference.citations]
        assert editor.standings() == wanted, f"TOOLRAG_FOLLOW_SEED={SEED} finds it again: {seed}"
