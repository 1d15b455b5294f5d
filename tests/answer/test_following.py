"""Cited lines are followed through edits as a model says that gives every line an identity (`following_reference`).

Edits go the whole way: an editor's changes, `lsp.sync`, and `answer.following`. TOOLRAG_FOLLOW_SEQUENCES tries more
sequences, TOOLRAG_FOLLOW_TWINS more files with duplicated lines, TOOLRAG_FOLLOW_SEED the same ones again.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Sequence

import pytest
from following_reference import Citation, Line, Reference, State, certain, places
from toolrag.answer import edits as edits_module
from toolrag.answer.citations import anchor_of, locate
from toolrag.answer.edits import Edit, agreed
from toolrag.answer.following import MOST_BINDINGS, Following
from toolrag.answer.placing import Lines, Sought
from toolrag.lsp.editor_params import Change
from toolrag.lsp.sync import OpenDocuments
from toolrag.text import LineRange, Position, Text, lines_sha, units

URI = "untitled:a"
N_SEQUENCES = int(os.environ.get("TOOLRAG_FOLLOW_SEQUENCES", "1000"))
N_TWINS = int(os.environ.get("TOOLRAG_FOLLOW_TWINS", "200"))
SEED = int(os.environ.get("TOOLRAG_FOLLOW_SEED", str(time.time_ns())))
WORDS = ("a", "b", "return x", "}", "", "  ", "é\U0001f600", "def f():", "x = 1")


def same_at_the_start(one: Sequence[object], other: Sequence[object]) -> int:
    differing = (at for at, (this, that) in enumerate(zip(one, other, strict=False)) if this != that)
    return next(differing, min(len(one), len(other)))


def position(line: int, text: str, characters: int) -> Position:
    return Position(line, units(text[:characters], "utf-16"))


Back = tuple[int, int, list[str]]
"""Lines from one to another that are put back to what they were."""


class Editor:
    """An editor's document beside the model's and ours. `by_texts`: it compares texts, and sends what differs."""

    def __init__(self, chance: random.Random, texts: list[str], by_texts: bool) -> None:
        self.by_texts = by_texts
        self.is_exact = not by_texts
        """Every edit said which lines it meant."""
        self.chance = chance
        self.reference = Reference(texts)
        self.documents = OpenDocuments()
        self.documents.open(URI, "\n".join(texts), 0)
        self.following: Following[int] = Following(texts)
        self.end = "\n"
        self.changes: list[Change] = []
        self.back: list[Back] = []
        """What takes back the edits of this notification, the last one first to be."""
        self.undo: list[list[Back]] = []
        self.redo: list[list[Back]] = []
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
            ways.append((first, Position(end, 0), "".join(f"{line}{self.end}" for line in new)))
        # An empty line's end is its beginning, and would say another thing.
        if start and now[start - 1] and (now[end - 1] or not new):
            before = position(start - 1, now[start - 1], len(now[start - 1]))
            last = position(end - 1, now[end - 1], len(now[end - 1]))
            ways.append((before, last, "".join(f"{self.end}{line}" for line in new)))
        if new and start + 1 < end and now[end - 1]:
            ways.append((first, position(end - 1, now[end - 1], len(now[end - 1])), self.end.join(new)))
        if not ways:
            self.put_whole([*now[:start], *new, *now[end:]] or [""])
            return
        one, other, text = self.chance.choice(ways)
        at = (other, one) if self.chance.random() < 0.1 else (one, other)
        self.changes.append(Change(at, text))
        self.reference.replace(start, end, new)
        self.back.append((start, start + len(new), now[start:end]))

    def put_whole(self, new: list[str]) -> None:
        self.is_exact = False
        if not self.by_texts:
            self.end = self.chance.choice(("\n", "\r\n", "\r"))
        self.changes.append(Change(None, self.end.join(new)))
        self.back.append((0, len(new), self.reference.texts))
        self.reference.replace(0, len(self.reference.lines), new)

    def write(self, at: int, text: str) -> None:
        """Within a line: only what differs, or all of it."""
        now = self.reference.texts[at]
        top = same_at_the_start(now, text) if self.chance.random() < 0.5 else 0
        self.changes.append(Change((position(at, now, top), position(at, now, len(now))), text[top:]))
        self.back.append((at, at + 1, [now]))
        self.reference.write(at, text)

    def split(self, at: int) -> None:
        now = self.reference.texts[at]
        if len(now) > 1:
            middle = self.chance.randrange(1, len(now))
            self.changes.append(Change((position(at, now, middle),) * 2, self.end))
            self.reference.replace(at + 1, at + 1, [now[middle:]])
            self.reference.write(at, now[:middle])
            self.back.append((at, at + 2, [now]))

    def join(self, at: int) -> None:
        now = self.reference.texts
        if at + 1 < len(now) and now[at]:
            self.changes.append(Change((position(at, now[at], len(now[at])), Position(at + 1, 0)), ""))
            self.reference.replace(at + 1, at + 2, [])
            self.reference.write(at, now[at] + now[at + 1])
            self.back.append((at, at + 1, now[at : at + 2]))

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
            (
                "insert",
                "insert",
                "delete",
                "replace",
                "move",
                "copy",
                "write",
                "write",
                "split",
                "join",
                "whole",
                "tidy",
            )
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
        what = self.chance.random()
        if what < 0.2 and self.undo:
            self.take_back(self.undo, self.redo)
        elif what < 0.3 and self.redo:
            self.take_back(self.redo, self.undo)
        else:
            state = self.reference.state()
            for _ in range(self.chance.choice((1, 1, 1, 1, 2, 3))):
                self.edit_once()
            self.send(state, self.undo)
            self.redo.clear()

    def take_back(self, done: list[list[Back]], undone: list[list[Back]]) -> None:
        """The last notification, in one."""
        state = self.reference.state()
        for start, end, texts in reversed(done.pop()):
            if end - start == len(texts) == 1:
                self.write(start, texts[0])
            else:
                self.replace(start, end, texts)
        self.send(state, undone)

    def return_to(self, texts: list[str]) -> None:
        """What differs, put back in one edit."""
        now = self.reference.texts
        top = same_at_the_start(now, texts)
        bottom = same_at_the_start(now[top:][::-1], texts[top:][::-1])
        if top < len(now) - bottom or top < len(texts) - bottom:
            self.replace(top, len(now) - bottom, texts[top : len(texts) - bottom])

    def send(self, state: State, done: list[list[Back]]) -> None:
        if self.by_texts:
            texts = self.reference.texts
            self.reference.return_to(state)
            self.changes, self.back = [], []
            self.return_to(texts)
        done.append(self.back)
        self.back = []
        edited = self.documents.change(URI, self.changes, None, "utf-16")
        self.changes = []
        self.reference.finish(state)
        assert list(lines_of(edited.text)) == self.reference.texts, "the model and the editor have one text"
        self.following.edit(edited.edits)
        assert list(self.following.texts) == self.reference.texts

    def cite(self, state: State | None = None, part: tuple[int, int] | None = None) -> Citation:
        """Some lines of the text as it is, or was: any, or so many from one on."""
        state = state or self.reference.state()
        texts = [text for _, text in state]
        # The citation says which text it is of, and not when it was that for the last time.
        state = next(one for one in self.reference.newest_first() if [text for _, text in one] == texts)
        start = self.chance.randrange(len(state))
        size = min(len(state) - start, self.chance.choice((1, 1, 2, 3, 4)))
        start, size = part or (start, size)
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
            f"line {at}" if chance.random() < 0.6 else chance.choice(WORDS) for at in range(chance.randrange(1, 13))
        ]
        editor = Editor(chance, texts, by_texts=chance.random() < 0.2)
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
    assert all(met[standing] > N_SEQUENCES // 50 for standing in ("verified", "moved", "changed", "gone")), met


def test_undoing_everything_verifies_every_citation() -> None:
    """However it was edited, step by step back to the text that was cited, each citation stands where it stood."""
    for number in range(N_SEQUENCES // 10):
        seed = f"{SEED}/undo/{number}"
        chance = random.Random(seed)
        texts = chance.choices(WORDS, k=chance.randrange(1, 10))
        editor = Editor(chance, texts, by_texts=number % 2 == 0)
        for _ in range(4):
            editor.cite()
        for _ in range(8):
            editor.notify()
        while editor.undo:
            editor.take_back(editor.undo, editor.redo)
        wanted = [("verified", one.start) for one in editor.reference.citations]
        assert editor.standings() == wanted, f"TOOLRAG_FOLLOW_SEED={SEED} finds it again: {seed}"


def test_of_duplicated_lines_the_deleted_copy_never_moves_onto_another() -> None:
    """Whatever else is edited, before and after, and with equal lines around the copies too."""
    for number in range(N_TWINS):
        seed = f"{SEED}/twins/{number}"
        chance = random.Random(seed)
        block, around = (chance.choices(WORDS, k=chance.randrange(1, most)) for most in (4, 5))
        texts = [f"line {at}" for at in range(chance.randrange(6))]
        for _ in range(chance.randrange(2, 4)):
            at = chance.randrange(len(texts) + 1)
            texts[at:at] = [*around, *block, *around] if chance.random() < 0.5 else block
        start = chance.choice(places(texts, block))
        editor = Editor(chance, texts, by_texts=chance.random() < 0.2)
        citation = editor.cite(part=(start, len(block)))
        for _ in range(chance.randrange(3)):
            state = editor.reference.state()
            top = chance.randrange(len(texts) + 1)
            editor.insert(top, [f"typed {number}"])
            editor.send(state, editor.undo)
        state = editor.reference.state()
        first, last = (editor.reference.lines.index(citation.lines[at]) for at in (0, -1))
        editor.replace(first, last + 1, [])
        editor.send(state, editor.undo)
        again = f"TOOLRAG_FOLLOW_SEED={SEED} finds it again: {seed}"
        assert editor.standings() == editor.wanted(), again
        (found,) = editor.standings()
        assert found[0] in ("changed", "gone") or not editor.is_exact, again
        assert found[0] != "moved", again
        check_alone(editor, 0, editor.sought[0], again)
        sought, text = editor.sought[0], Text("\n".join(editor.reference.texts))
        assert locate(text, sought.lines, lines_sha(sought.texts), sought.anchor)[0] != "moved", again


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        pytest.param("abc", "abc", "00 11 22", id="nothing changed"),
        pytest.param("xx", "x", "", id="one of two equal lines went: which one, nobody knows"),
        pytest.param("axxb", "axb", "00 32", id="what is around them is known"),
        pytest.param("abc", "axbc", "00 12 23", id="one came"),
        pytest.param("abcde", "xbdy", "11 32", id="some stay among others"),
        pytest.param("ab", "ba", "", id="of two that changed places either may have moved"),
        pytest.param("", "a", "", id="from nothing"),
    ],
)
def test_lines_stay_the_same_where_nothing_else_can_be_meant(old: str, new: str, pairs: str) -> None:
    wanted = [(int(pair[0]), int(pair[1])) for pair in pairs.split()]
    assert agreed(old, new) == wanted
    assert certain(old, new) == wanted


def test_lines_of_a_large_text_stay_the_same_by_those_that_stand_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A formatter changes every third of 3,000 lines, and puts a blank one after every tenth."""
    old = [f"line {at}" if at % 2 else "}" for at in range(3_000)]
    new: list[str] = []
    wanted = []
    for at, line in enumerate(old):
        if at % 3:
            wanted.append((at, len(new)))
        new.append(line if at % 3 else f"    {line}")
        new += [] if at % 10 else [""]
    began = time.process_time()
    assert agreed(old, new) == wanted
    assert time.process_time() - began < 2
    monkeypatch.setattr(edits_module, "MOST_CELLS", 0)
    assert {*agreed(old, new)} < {*wanted}, "where less is compared, less is known"


@pytest.mark.parametrize("most_cells", [0, 4, 16])
def test_where_lines_stand_once_less_comparing_points_to_no_other(
    most_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits_module, "MOST_CELLS", most_cells)
    for number in range(300):
        chance = random.Random(f"{SEED}/cells/{number}")
        old = [f"line {at}" for at in range(chance.randrange(12))]
        new = [line for line in old if chance.random() < 0.7]
        new[:0] = ["new"] * chance.randrange(3)
        found = agreed(old, new)
        assert all(old[i] == new[j] for i, j in found)
        assert found == sorted(found)


def test_undo_after_very_many_edits_says_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many earlier texts are kept: after that a line typed again is looked for by its text."""
    monkeypatch.setattr("toolrag.answer.following.MOST_TEXTS", 5)
    texts = ["a", "b", "c"]
    for n_between, wanted in ((2, "verified"), (9, "moved")):
        following: Following[str] = Following(texts)
        following.follow("r1", sought_in(texts, 1, 1), texts)
        following.edit([Edit(LineRange(0, 0), ("typed",))])
        following.edit([Edit(LineRange(2, 3), ())])
        for n in range(n_between):
            following.edit([Edit(LineRange(0, 1), (f"typed {n}",), is_within=True)])
        following.edit([Edit(LineRange(0, 1), ("typed",), is_within=True)])
        following.edit([Edit(LineRange(2, 2), ("b",))])
        assert following.standings()["r1"] == (wanted, LineRange(2, 3))
        following.edit([Edit(LineRange(0, 1), ())])
        assert following.standings()["r1"] == ("verified", LineRange(1, 2))


class TestTextsThatCameByNoEdit:
    """A file that somebody else wrote: a branch, a formatter."""

    TEXTS = ("p", "q", "cited", "}", "r", "}", "s")

    def test_an_earlier_text_has_its_own_lines_again(self) -> None:
        """Of two equal lines each is itself again, which no other text could say."""
        texts = [*self.TEXTS]
        following: Following[int] = Following(texts)
        for key, at in enumerate((3, 5)):
            following.follow(key, sought_in(texts, at, 1), texts)
        other = ["new", *texts]
        following.see(other)
        assert [found[0] for found in following.standings().values()] == ["gone", "gone"]
        following.edit([Edit(LineRange(0, 0), ("typed",))])
        following.see(texts)
        assert [*following.standings().values()] == [("verified", LineRange(3, 4)), ("verified", LineRange(5, 6))]
        following.edit([Edit(LineRange(3, 4), ())])
        assert [*following.standings().values()] == [("changed", None), ("verified", LineRange(4, 5))]

    def test_what_moved_is_followed_from_there_and_stays_moved(self) -> None:
        texts = [*self.TEXTS]
        following: Following[str] = Following(texts)
        following.follow("r1", sought_in(texts, 2, 1), texts)
        following.see(["new", *texts])
        assert following.standings()["r1"] == ("moved", LineRange(3, 4))
        following.edit([Edit(LineRange(0, 0), ("typed", "typed"))])
        assert following.standings()["r1"] == ("moved", LineRange(5, 6))
        following.edit([Edit(LineRange(5, 6), ("cited by nobody",), is_within=True)])
        assert following.standings()["r1"] == ("changed", None)
        following.edit([Edit(LineRange(5, 6), ("cited",), is_within=True)])
        following.edit([Edit(LineRange(0, 3), ())])
        assert following.standings()["r1"] == ("verified", LineRange(2, 3))

    def test_a_citation_of_a_text_that_nobody_has_seen_is_looked_for(self) -> None:
        texts = [*self.TEXTS]
        following: Following[str] = Following(["new", *texts])
        following.follow("r1", sought_in(texts, 2, 1), texts)
        following.follow("r2", sought_in(texts, 3, 1), texts)
        assert following.standings() == {"r1": ("moved", LineRange(3, 4)), "r2": ("gone", None)}
        following.forget("r1")
        following.forget("r1")
        assert following.keys == {"r2"}


def test_a_byte_order_mark_is_no_text() -> None:
    following: Following[str] = Following(["a", "b"])
    following.follow("r1", sought_in(["a", "b"], 0, 1), ["a", "b"])
    following.edit([Edit(LineRange(0, 1), ("\ufeffa",), is_within=True)])
    assert following.standings()["r1"] == ("verified", LineRange(0, 1))
    following.replace(["\ufeffa", "x"])
    assert following.standings()["r1"] == ("verified", LineRange(0, 1))


def test_a_forgotten_citation_is_nobody_s_after_any_number_of_texts() -> None:
    texts = ["a", "b", "c"]
    following: Following[str] = Following(texts)
    following.follow("r1", sought_in(texts, 1, 1), texts)
    following.follow("r2", sought_in(texts, 2, 1), texts)
    for number in range(3 * MOST_BINDINGS):
        following.see([f"text {number}", *texts])
    following.forget("r1")
    following.see(["other"])
    following.see(["text 0", *texts])
    following.edit([Edit(LineRange(0, 2), ()), Edit(LineRange(0, 1), ("d",), is_within=True)])
    assert following.standings() == {"r2": ("moved", LineRange(1, 2))}
    following.see(texts)
    following.edit([Edit(LineRange(0, 1), ())])
    assert following.standings() == {"r2": ("verified", LineRange(1, 2))}


def test_twins_are_known_after_a_text_came_back_too() -> None:
    """Deleted, closed without saving, copied, and the original deleted: the copy is not the cited line."""
    texts = ["p", "cited", "q"]
    following: Following[str] = Following(texts)
    following.follow("r1", sought_in(texts, 1, 1), texts)
    following.edit([Edit(LineRange(1, 2), ())])
    following.see(texts)
    assert following.standings()["r1"] == ("verified", LineRange(1, 2))
    following.edit([Edit(LineRange(0, 0), ("cited", "typed"))])
    following.edit([Edit(LineRange(3, 4), ())])
    assert following.standings()["r1"] == ("changed", None)
