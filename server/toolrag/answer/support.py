"""Whether a claim cites the lines that say it, among all that were read: narrow ones, and the right ones. Pure.

All that a claim names may stand in the wrong lines too. So its lines are compared with every other place that was read:
where one of no more lines holds the same names, and beside them what the claim says of them (that something is raised,
returned, called, set, compared), the claim is sent there. Absent on purpose: any reading of whether a claim is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolrag.answer.citations import place_of
from toolrag.answer.naming import Vocabulary, words_named
from toolrag.answer.ordinary import GRAMMAR
from toolrag.answer.prose import CODE_SPAN, plain
from toolrag.answer.types import Cut, Evidence
from toolrag.text import LineRange, Text

WIDE: Final = 12
"""Citations of more lines are held to need them."""
_WORD: Final = re.compile(r"[^\W\d]\w*|\d[\w.]*")
_MARKS: Final[Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]] = {
    mark: (re.compile(said, re.IGNORECASE), re.compile(shown))
    for mark, said, shown in (
        ("raise", r"\b(?:rais(?:e|es|ed|ing)|throws?|thrown|errors?|fails|failure)\b", r"\b(?:raise|throw|panic)\b"),
        ("return", r"\b(?:returns?|returned|(?:gives?|gets?|given|handed) back|result)\b", r"\b(?:return|yield)\b"),
        (
            "if",
            r"\b(?:if|when|whether|checks?|case|guard|condition|depends)\b",
            r"\b(?:if|elif|while|assert|case)\b|\?",
        ),
        ("is", r"\bis (?:not )?`?None\b", r"\bis\b"),
        ("is not", r"\bis not `?None\b", r"\bis not\b"),
        ("==", r"\bequals\b|\bis equal to\b", r"==|\bis\b"),
        ("!=", r"\bdiffers\b|\bis not equal\b", r"!="),
        (">", r"\b(?:greater|more|larger|longer|higher) than\b|\bexceeds\b", r">"),
        ("<", r"\b(?:less|fewer|smaller|shorter|lower) than\b", r"<"),
        (">=", r"\bat least\b", r">=|<"),
        ("<=", r"\bat most\b", r"<=|>"),
        ("@", r"\bdecorat", r"^\s*@"),
        ("class", r"\b(?:subclass|derives|inherits|extends)\b", r"\b(?:class|struct|interface|extends)\b"),
        ("instance", r"\b(?:instance|type|tested for being)\b", r"\bis_?instance|instanceof|\btype\("),
    )
}
"""What a claim may say happens, and how code says it."""
_CALLS: Final = re.compile(r"\b(?:calls?|called|calling|invok\w+|delegat\w+|passe[sd]|handed|receives|relies|gets)\b")
_SETS: Final = re.compile(r"\b(?:sets?|assigned|becomes|stored|keeps|defaults?|defines|defined|starts|unless)\b")
_CALLED: Final = re.compile(r"(?<!def )(?<!class )(?<!func )(?<!fn )(?<!function )(?<!\w)(\w+)\(")
_SET: Final = re.compile(r"(?<!\w)(\w+)(?:\s*:[^=()]*)?\s*[-+*/|&]?=(?!=)")
_DEFINES: Final = re.compile(r"\s*(?:\w+ )*(?:def|class|func|fn|function|interface|struct|trait|impl|module)\b")
_CLOSER: Final = "closer"

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class _Sought:
    """What the lines of a claim should hold."""

    names: frozenset[str]
    hard: Counts
    """Its names and what it says of them, each with how often."""
    soft: frozenset[str]
    """Other words of it, in lower case."""


def too_wide(claim: str, cuts: Sequence[Cut], evidence: Vocabulary) -> str:
    """How a citation should be narrowed, one sentence; empty when it need not be."""
    for cut in cuts:
        if len(cut.lines) <= WIDE:
            continue
        if cut.lines == cut.evidence.lines:
            return (
                f"It cites all {len(cut.lines)} lines of a read; cite those that say it, in several ranges if need be."
            )
        text = cut.evidence.snapshot.text
        names = dict.fromkeys(words_named(claim, evidence), 1)
        counts = [{word: n for word, n in _counted(line).items() if word in names} for line in text.lines(cut.lines)]
        there = {word for each in counts for word in each}
        found = _tightest(counts, dict.fromkeys(there, 1))
        if there and found is not None and 3 * len(found) < len(cut.lines):
            place = place_of(
                cut.evidence.snapshot.path, LineRange(cut.lines.start + found.start, cut.lines.start + found.end)
            )
            return f"It cites {len(cut.lines)} lines, but what it names stands at {place}; cite the lines that say it."
    return ""


def better_place(claim: str, cuts: Sequence[Cut], evidence: Sequence[Evidence], everything: Vocabulary) -> str:
    """Where else what was read fits a claim better than the lines it cites, one sentence; empty when nowhere.

    Another place is one in another definition: within one, a reader who opens the citation sees what is beside it.
    """
    sought = _sought(claim, everything)
    if not sought.names:
        return ""
    here: Counts = {}
    for cut in cuts:
        for counts in _lines(cut.evidence.snapshot.text, cut.lines, sought):
            _add(here, counts)
    held = {what: min(n, here.get(what, 0)) for what, n in sought.hard.items()}
    size = sum(len(cut.lines) for cut in cuts)
    tight = _spread(list(_lines(cuts[0].evidence.snapshot.text, cuts[0].lines, sought)), held)
    for item in evidence:
        own = {
            number
            for cut in cuts
            if cut.evidence.snapshot.uri == item.snapshot.uri
            for number in _definitions(item.snapshot.text, cut.lines)
        }
        lines = list(_lines(item.snapshot.text, item.lines, sought))
        header = lines[:3] if len(cuts) > 1 else []
        numbers = _definitions(item.snapshot.text, item.lines)
        for start, window in _windows(lines, size):
            for counts in header if start >= len(header) else ():
                window = _sum(window, counts)
            if any(window.get(what, 0) < n for what, n in held.items()):
                continue
            if own.intersection(numbers[start : start + size]):
                continue
            gained = [what for what, n in sought.hard.items() if min(n, window.get(what, 0)) > held[what]]
            words = [word for word in sought.soft if window.get(word) and not here.get(word)]
            lost = [word for word in sought.soft if here.get(word) and not window.get(word)]
            if not gained and len(cuts) == 1 and _spread(lines[start : start + size], held) < tight:
                gained = [_CLOSER]
            if gained or len(words) - len(lost) >= 2:
                place = LineRange(item.lines.start + start, min(item.lines.start + start + size, item.lines.end))
                said = ", ".join(what.partition(" ")[2] or what for what in gained or words)
                where = place_of(item.snapshot.path, place)
                if gained == [_CLOSER]:
                    return f"What it names stands closer together at {where}; cite the lines that say it."
                return f"{where} holds what it names, and {said} too; cite the lines that say it."
    return ""


def _definitions(text: Text, lines: LineRange) -> list[int]:
    """For each line of a range the number of the definition it stands in, counted from the top of the text."""
    number = sum(_DEFINES.match(text.line(at)) is not None for at in range(lines.start))
    found = []
    for line in text.lines(lines):
        number += _DEFINES.match(line) is not None
        found.append(number)
    return found


def _sought(claim: str, evidence: Vocabulary) -> _Sought:
    hard: Counts = {}
    named = words_named(claim, evidence)
    for word in named:
        _add(hard, {word: 1})
    prose = plain(CODE_SPAN.sub(" ` ", claim))
    whole = claim.replace("`", "")
    for mark, (said, _) in _MARKS.items():
        if said.search(whole):
            hard[f"mark {mark}"] = 1
    for pattern, what in ((_CALLS, "call"), (_SETS, "set")):
        if pattern.search(prose):
            hard[f"mark {what}"] = 1
    soft = {word.lower() for word in _WORD.findall(prose) if len(word) > 3 and word.lower() not in GRAMMAR}
    return _Sought(frozenset(named), hard, frozenset(soft) - {word.lower() for word in named})


def _lines(text: Text, lines: LineRange, sought: _Sought) -> Iterator[Counts]:
    """How often each line of a range holds what is sought."""
    for line in text.lines(lines):
        counts = {word: n for word, n in _counted(line).items() if word in sought.hard}
        counts |= {word: 1 for word in map(str.lower, _WORD.findall(line)) if word in sought.soft}
        for mark, (_, shown) in _MARKS.items():
            if f"mark {mark}" in sought.hard and shown.search(line):
                counts[f"mark {mark}"] = 1
        for pattern, what in ((_CALLED, "call"), (_SET, "set")):
            if f"mark {what}" in sought.hard and not sought.names.isdisjoint(pattern.findall(line)):
                counts[f"mark {what}"] = 1
        yield counts


def _windows(lines: Sequence[Counts], size: int) -> Iterator[tuple[int, Counts]]:
    """Each run of `size` lines, by where it begins; the whole where it is shorter."""
    window: Counts = {}
    for at, counts in enumerate(lines):
        _add(window, counts)
        if at >= size:
            _add(window, lines[at - size], -1)
        if at + 1 >= size or at + 1 == len(lines):
            yield max(0, at + 1 - size), window


def _tightest(lines: Sequence[Counts], wanted: Counts) -> LineRange | None:
    """The fewest lines in a row that hold all that is wanted."""
    best: LineRange | None = None
    window: Counts = {}
    start = 0
    for at, counts in enumerate(lines):
        _add(window, counts)
        while start <= at and all(window.get(what, 0) >= n for what, n in wanted.items()):
            if best is None or at + 1 - start < len(best):
                best = LineRange(start, at + 1)
            _add(window, lines[start], -1)
            start += 1
    return best


def _spread(lines: Sequence[Counts], wanted: Counts) -> int:
    """Over how many lines all that is wanted is spread."""
    found = _tightest(lines, wanted)
    return len(lines) if found is None else len(found)


def _counted(line: str) -> Counts:
    counts: Counts = {}
    for word in _WORD.findall(line):
        counts[word] = counts.get(word, 0) + 1
    return counts


def _add(counts: Counts, more: Counts, times: int = 1) -> None:
    for what, n in more.items():
        counts[what] = counts.get(what, 0) + times * n


def _sum(counts: Counts, more: Counts) -> Counts:
    total = dict(counts)
    _add(total, more)
    return total
