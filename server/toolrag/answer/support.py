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
from toolrag.answer.naming import Vocabulary, words_meant, words_named
from toolrag.answer.ordinary import GRAMMAR
from toolrag.answer.prose import CODE_SPAN, plain
from toolrag.answer.subject import DEFINES, subjects
from toolrag.answer.types import Cut, Evidence
from toolrag.text import LineRange, Text

WIDE: Final = 12
"""Citations of more lines are held to need them."""
_WORD: Final = re.compile(r"[^\W\d]\w*|\d[\w.]*")
_MARKS: Final[Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]] = {
    mark: (re.compile(said, re.IGNORECASE), re.compile(shown))
    for mark, said, shown in (
        (
            "raise",
            r"\b(?:rais(?:e|es|ed|ing)|throws?|thrown|errors?|fails|failure)\b|\bcallers?\b.*\b(?:expect|catch|handle)\b",
            r"\b(?:raise|throw|panic)\b",
        ),
        ("return", r"\b(?:returns?|returned|(?:gives?|gets?|given|handed) back|result)\b", r"\b(?:return|yield)\b"),
        (
            "if",
            r"\b(?:if|when|whether|checks?|case|guard|condition|depends)\b",
            r"\b(?:if|elif|while|assert|case)\b|\?",
        ),
        ("is", r"\bis `?None\b", r"\bis (?!not\b)|=\s*None\b"),
        ("is not", r"\bis not `?None\b", r"\bis not\b"),
        ("in", r"\bis (?:not )?(?:in|one of|among)\b", r"^(?!\s*(?:async )?for\b).*\bin\b"),
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
_SETS: Final = re.compile(
    r"\b(?:sets?|assigned|becomes|stored|keeps|defaults?|defines|defined|starts|unless|has the value)\b"
)
_CALLED: Final = re.compile(r"(?<!def )(?<!class )(?<!func )(?<!fn )(?<!function )(?<!\w)(\w+)\(")
_SET: Final = re.compile(r"(?<!\w)(\w+)(?:\s*:[^=()]*)?\s*[-+*/|&]?=(?!=)")
_AFTER: Final[Mapping[str, re.Pattern[str]]] = {
    "raise": re.compile(r"\b(?:raise|throw(?: new)?|panic)\b[ (]*([\w.]+)"),
    "return": re.compile(r"\b(?:return|yield)\b[ (]*([\w.]+)"),
}
"""What is raised or returned itself, and not only named in what is."""
_COMMENT: Final = re.compile(r"(?:(?<=\s)|^)(?:#|//) .*")
_CLOSER: Final = "closer"
_BESIDE: Final = frozenset(("mark call", "mark set"))
"""What is said in passing where something is raised or returned."""
_SLACK: Final = 3
"""Lines at either end of a whole read that a claim may not need: a decorator, a closing bracket."""

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class _Sought:
    """What the lines of a claim should hold."""

    names: frozenset[str]
    hard: Counts
    """Its names and what it says of them, each with how often."""
    soft: frozenset[str]
    """Other words of it, in lower case."""
    meant: frozenset[str]
    """Ordinary words that are identifiers too."""


def too_wide(claim: str, cuts: Sequence[Cut], evidence: Vocabulary) -> str:
    """How a citation should be narrowed, one sentence; empty when it need not be.

    It needs the lines from the first to the last of what the claim names and says, the beginning of a definition that
    it names included. All that was read may be cited where all of it is needed.
    """
    sought = _sought(claim, evidence)
    for cut in cuts:
        if len(cut.lines) <= WIDE:
            continue
        text = cut.evidence.snapshot.text
        counts = list(_lines(text, cut.lines, sought))
        there = {what for each in counts for what in each}
        found = _tightest(counts, dict.fromkeys(there, 1))
        if cut.lines == cut.evidence.lines:
            # Words of its prose may stand anywhere in a whole definition, and are no reason to cite all of it.
            all_named = _tightest(counts, dict.fromkeys(there.intersection(sought.hard), 1))
            if all_named is None or _is_short_of(all_named, cut.lines):
                return (
                    f"It cites all {len(cut.lines)} lines of a read; "
                    "cite those that say it, in several ranges if need be."
                )
            continue
        if there and found is not None and 3 * len(found) < len(cut.lines):
            place = place_of(
                cut.evidence.snapshot.path, LineRange(cut.lines.start + found.start, cut.lines.start + found.end)
            )
            return f"It cites {len(cut.lines)} lines, but what it names stands at {place}; cite the lines that say it."
    return ""


def _is_short_of(needed: LineRange, lines: LineRange) -> bool:
    """Whether a citation goes on before or after what it needs (counted from its first line)."""
    return needed.start > _SLACK or needed.end < len(lines) - _SLACK


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
    # Lines that hold the definition which a claim names are not beaten by those of one with the same name.
    owned = any(held.get(what) for what in sought.hard if what.startswith("def "))
    size = sum(len(cut.lines) for cut in cuts)
    tight = _spread(list(_lines(cuts[0].evidence.snapshot.text, cuts[0].lines, sought)), held)
    wanted = [what for what, n in held.items() if n and what in sought.names]
    for item in evidence:
        content = item.snapshot.text.slice(item.lines)
        if any(name not in content for name in wanted):
            continue  # no run of its lines holds them all
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
            missing = {what for what, n in held.items() if window.get(what, 0) < n}
            if own.intersection(numbers[start : start + size]):
                continue
            gained = [what for what, n in sought.hard.items() if min(n, window.get(what, 0)) > held[what]]
            gained = [what for what in gained if not what.startswith("def ")]
            if missing and not (missing <= _BESIDE and any(what.startswith("that ") for what in gained)):
                continue
            meant = [word for word in sought.meant if window.get(f"meant {word}") and not here.get(f"meant {word}")]
            words = [word for word in sought.soft if window.get(word) and not here.get(word)]
            lost = [word for word in sought.soft if here.get(word) and not window.get(word)]
            if not gained and not owned and len(cuts) == 1 and _spread(lines[start : start + size], held) < tight:
                gained = [_CLOSER]
            if gained or len(words) - len(lost) >= 2 or (meant and len(words) >= len(lost)):
                place = LineRange(item.lines.start + start, min(item.lines.start + start + size, item.lines.end))
                more = dict.fromkeys(what.partition(" ")[2] or what for what in gained or words or meant)
                said = ", ".join(f"`{what}`" for what in more)
                where = place_of(item.snapshot.path, place)
                if gained == [_CLOSER]:
                    return f"What it names stands closer together at {where}; cite the lines that say it."
                return f"{where} holds what it names, and {said} too; cite the lines that say it."
    return ""


def _definitions(text: Text, lines: LineRange) -> list[int]:
    """For each line of a range the line that begins the definition it stands in; -1 above the first."""
    begins = next((at for at in range(lines.start - 1, -1, -1) if DEFINES.match(text.line(at))), -1)
    found = []
    for at, line in enumerate(text.lines(lines), lines.start):
        begins = at if DEFINES.match(line) else begins
        found.append(begins)
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
            if mark in _AFTER:
                hard[f"that {mark}"] = 1
    for pattern, what in ((_CALLS, "call"), (_SETS, "set")):
        if pattern.search(prose):
            hard[f"mark {what}"] = 1
    hard |= {f"def {word}": 1 for word in subjects(claim) if word in named}
    soft = {word.lower() for word in _WORD.findall(prose) if len(word) > 3 and word.lower() not in GRAMMAR}
    return _Sought(
        frozenset(named), hard, frozenset(soft) - {word.lower() for word in named}, words_meant(claim, evidence)
    )


def _lines(text: Text, lines: LineRange, sought: _Sought) -> Iterator[Counts]:
    """How often each line of a range holds what is sought."""
    for line in text.lines(lines):
        counts = {word: n for word, n in _counted(line).items() if word in sought.hard}
        counts |= {word: 1 for word in map(str.lower, _WORD.findall(line)) if word in sought.soft}
        code = _COMMENT.sub("", line)
        counts |= {f"meant {word}": 1 for word in _WORD.findall(code) if word in sought.meant}
        for mark, (_, shown) in _MARKS.items():
            if f"mark {mark}" in sought.hard and shown.search(code):
                counts[f"mark {mark}"] = 1
        for pattern, what in ((_CALLED, "call"), (_SET, "set")):
            if f"mark {what}" in sought.hard and not sought.names.isdisjoint(pattern.findall(code)):
                counts[f"mark {what}"] = 1
        for what, pattern in _AFTER.items():
            found = {name for chain in pattern.findall(code) for name in chain.split(".")}
            if f"that {what}" in sought.hard and not sought.names.isdisjoint(found):
                counts[f"that {what}"] = 1
        if (match := DEFINES.match(line)) and f"def {match[1]}" in sought.hard:
            counts[f"def {match[1]}"] = 1
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
