"""`toolrag verify`: re-check the citations of texts and of saved answers, say how they stand, and mend what moved."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toolrag.answer.checking import CheckedAnswer, CheckedText, check_answer, check_text, is_answer
from toolrag.answer.checking_wire import answer_wire, text_wire
from toolrag.answer.citations import place_of
from toolrag.answer.mending import mended_answer, mended_text
from toolrag.answer.prose import plain, visible
from toolrag.app import OwnFile, Place
from toolrag.errors import ConfigError, ReadError
from toolrag.render import Look
from toolrag.text import LineRange, Text, TextSnapshot

ORDER = ("verified", "unpinned", "moved", "changed", "gone")
"""As they are counted, best first."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One file, checked: a text, or an answer."""

    file: OwnFile
    found: list[CheckedText] | CheckedAnswer
    is_fixed: bool = False
    """Its moved citations were written anew, as the file has them now."""

    def standings(self) -> list[str]:
        """How each citation stands, in order; before it was mended."""
        if isinstance(self.found, CheckedAnswer):
            return [one.located.standing for one in self.found.citations]
        return [one.verdict for one in self.found]

    @property
    def n_unsupported(self) -> int:
        """Claims that their citations no longer hold up."""
        return len(self.found.unsupported) if isinstance(self.found, CheckedAnswer) else 0

    @property
    def n_fixed(self) -> int:
        """Citations that were written anew."""
        return self.standings().count("moved") if self.is_fixed else 0

    def passes(self, allow_moved: bool) -> bool:
        """Whether nothing of it is to be put right by hand."""
        bad = {"changed", "gone"} if allow_moved or self.is_fixed else {"moved", "changed", "gone"}
        return not bad & set(self.standings()) and not self.n_unsupported

    def wire(self) -> dict[str, object]:
        """`{file, kind, fixed, citations, unsupported}`."""
        is_one = isinstance(self.found, CheckedAnswer)
        found = (
            answer_wire(self.found, "utf-16")
            if isinstance(self.found, CheckedAnswer)
            else text_wire(self.file.text, self.found, "utf-16")
        )
        return {"file": self.file.name, "kind": "answer" if is_one else "text", "fixed": self.n_fixed, **found}


async def check(file: OwnFile, place: Place) -> Checked:
    """Check one file. Raises ConfigError when it is a saved answer that cannot be read as one."""
    answer = _answer_in(file)
    if answer is None:
        folder = "" if file.name == "-" else place.folder_of(file.name)
        return Checked(file, await check_text(file.text, place.documents, folder))
    try:
        return Checked(file, await check_answer(answer, place.documents, place.files))
    except ValueError as error:
        raise ConfigError(f"{_label(file)} is not a saved answer: {error}") from None


def fix(checked: Checked) -> Checked:
    """Write the moved citations of a file anew, and nothing else. Raises ConfigError or OSError."""
    if "moved" not in checked.standings():
        return checked
    if isinstance(checked.found, CheckedAnswer):
        text = mended_answer(checked.file.text, checked.found)
    else:
        text = mended_text(checked.file.text, checked.found)
    checked.file.replace_text(text)
    return replace(checked, is_fixed=True)


def lines(checked: Sequence[Checked], look: Look) -> Iterator[str]:
    """A line for each citation, one for each claim without support, and a last one that counts."""
    for one in checked:
        name = visible(one.file.name)
        found = one.found
        if isinstance(found, CheckedAnswer):
            for item in found.citations:
                located = item.located
                state = _state(located.standing, located.snapshot, located.lines, located.error, one.is_fixed)
                yield _line(f"{name}: {item.id}", item.cited.written, state, look)
            for claim in found.unsupported:
                said = visible(" ".join(plain(claim.text).split()))
                yield f"{name}: {visible(claim.id)}  {look.strong('unsupported')}  {visible(claim.why)}  {said}"
            continue
        text = Text(one.file.text)
        for written in found:
            state = _state(written.verdict, written.snapshot, written.lines, written.error, one.is_fixed)
            yield _line(f"{name}:{text.line_at(written.written.start) + 1}", written.written.text, state, look)
    counts = Counter(standing for one in checked for standing in one.standings())
    total = [f"{counts[standing]:,} {standing}" for standing in ORDER if counts[standing]]
    n_fixed = sum(one.n_fixed for one in checked)
    total += [f"{n_fixed:,} of them mended"] if n_fixed else []
    n_unsupported = sum(one.n_unsupported for one in checked)
    total += [f"{n_unsupported:,} claim{'' if n_unsupported == 1 else 's'} without support"] if n_unsupported else []
    if total:
        yield look.dim(f"{', '.join(total)}.")


State = tuple[str, str]
"""A standing, and what there is to say of it."""


def _state(
    standing: str, snapshot: TextSnapshot | None, where: LineRange | None, error: ReadError | None, is_fixed: bool
) -> State:
    if standing == "moved" and snapshot is not None and where is not None:
        return standing, f"{'→' if not is_fixed else 'mended →'} {visible(place_of(snapshot.path, where))}"
    if error is not None:
        return standing, f"{error.code}: {visible(error.message)}"
    return standing, {
        "changed": "other lines stand there",
        "gone": "no such lines" if snapshot is not None else "",
        "unpinned": "its lines exist; more cannot be said",
    }.get(standing, "")


def _line(where: str, written: str, state: State, look: Look) -> str:
    standing, rest = state
    paint = look.good if standing == "verified" else str if standing == "unpinned" else look.strong
    return f"{visible(where)}  {look.link(visible(written))}  {paint(standing)}  {rest}".rstrip()


def _answer_in(file: OwnFile) -> object | None:
    """The answer that a file holds as JSON; None for a text. Raises ConfigError for half an answer, or several.

    As texts they would cite nothing, and pass.
    """
    text = file.text.lstrip(" \t\r\n")
    if not text.startswith(("{", "[")):
        return None
    has_citations = '"linesSha"' in text
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        if has_citations or file.name.lower().endswith(".json"):
            raise ConfigError(f"{_label(file)} is not whole JSON: {error}.") from None
        return None
    if is_answer(value):
        return value
    if has_citations:
        raise ConfigError(f"{_label(file)} holds citations, but is not one saved answer. Give each a file of its own.")
    return None


def _label(file: OwnFile) -> str:
    return "What is piped in" if file.name == "-" else file.name


def read_all(names: Sequence[str]) -> list[OwnFile]:
    """The files a user named, `-` for what is piped in, each once. Raises ConfigError for one that cannot be read."""
    once: dict[str, str] = {}
    for name in names:
        once.setdefault(name if name == "-" else os.path.realpath(name), name)
    return [OwnFile.from_stream(sys.stdin.buffer) if name == "-" else OwnFile.read(name) for name in once.values()]
