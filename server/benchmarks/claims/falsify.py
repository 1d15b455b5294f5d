"""False claims of each kind, made from true ones; None where a claim cannot be made false in that way.

What would still be true of the lines it cites, by the facts of the file, is never returned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

from claims.facts import Fact, File, Slot
from claims.runs import MAX_CITED, Lines, Made, identifiers, is_true, names_of, normal, tokens_of, words_of

Maker = Callable[[Made, Mapping[str, File], Random], Made | None]
MIN_WHOLE = 13
"""A whole read of fewer lines is a fair citation."""
MAX_SLACK = 3
"""True claims cite so many lines more than they need at either end (`runs`): such a whole read is theirs."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_CODE_TOKEN = re.compile(r"\w+(?:\.\d+)?|[-+*/%<>=!&|^~]+|[^\w\s]")
_TEXT_TOKEN = re.compile(r"\w+")
_COMPARED = re.compile(r"[<>=!]=?")


def wrong_lines(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """The same claim, citing equally many lines of another function that was read and shares a name with it.

    Half of the time any such lines, else those that share the most names.
    """
    file = files[made.path]
    names = names_of(made.sentence)
    length = made.cited[0][1] - made.cited[0][0] + 1
    places: list[tuple[int, tuple[Lines, ...]]] = []
    for read in made.reads[1:]:
        first, last = read.lines
        if read.path != made.path:
            continue
        for start in range(first, last - length + 2):
            shared = names & tokens_of(file, (start, start + length - 1))
            header = _header(file, read.lines)
            also = ((header, header),) if len(made.cited) > 1 else ()
            if shared:
                places.append((len(shared), ((start, start + length - 1), *also)))
    places = [one for one in places if not is_true(made.sentence, made.fact, file, one[1])]
    if not places:
        return None
    if random.random() < 0.5:
        most = max(shared for shared, _ in places)
        places = [one for one in places if one[0] == most]
    return replace(made, cited=random.choice(places)[1])


def swapped_name(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """One identifier of the claim replaced by another that was read in the same file."""
    slots = [slot for slot in made.sentence.slots if slot.kind in ("name", "code") and identifiers(slot.text)]
    if not slots:
        return None
    slot = random.choice(slots)
    old = random.choice(identifiers(slot.text))
    pool = sorted({name for name in _read(made, files) if not name[:1].isdigit()} - {old, "self", "cls"})
    if not pool:
        return None
    return _changed(made, files, slot, re.sub(rf"(?<!\w){old}(?!\w)", random.choice(pool), slot.text))


def wrong_number(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """One number of the claim replaced: by a near one, a multiple, or another that was read."""
    slots = [slot for slot in made.sentence.slots if _NUMBER.search(slot.text)]
    if not slots:
        return None
    slot = random.choice(slots)
    match = random.choice(list(_NUMBER.finditer(slot.text)))
    old = float(match[0])
    near = [old + 1, max(0, old - 1), old * 2, old * 10, old + 10]
    pool = [f"{value:g}" for value in near] + sorted(n for n in _read(made, files) if re.fullmatch(r"\d+", n))
    pool = [text for text in pool if float(text) != old]
    return _changed(made, files, slot, slot.text[: match.start()] + random.choice(pool) + slot.text[match.end() :])


def stale_text(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """A true claim whose cited statement was edited on disk after it was read.

    Lines that stand elsewhere in the edited file as they were have moved (PROTOCOL section 2), which is no false claim.
    """
    file = files[made.path]
    lines = list(file.lines)
    at = random.randint(made.fact.first, made.fact.last) - 1
    tokens = list(_CODE_TOKEN.finditer(lines[at]))
    if not tokens:
        return None
    chance = random.random()
    if chance < 0.15:
        del lines[at]
    else:
        token = random.choice(tokens)
        other = random.choice(sorted(_read(made, files) - {token[0]}) or ["other"])
        lines[at] = lines[at][: token.start()] + other + lines[at][token.end() :]
    if chance > 0.85:
        # The old line goes on to stand elsewhere in the file.
        lines.append(file.lines[at])
    stands = all(_holds(lines, file.lines[first - 1 : last]) for first, last in made.cited)
    return None if stands else replace(made, edited={made.path: "\n".join(lines)})


def invented_quote(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """A quoted string or piece of code of the claim, altered by one token so that no cited line holds it."""
    slots = [slot for slot in made.sentence.slots if slot.kind in ("string", "code")]
    slots = [slot for slot in slots if len(_quote_tokens(slot).findall(slot.text)) >= 3]
    if not slots:
        return None
    slot = random.choice(slots)
    tokens = list(_quote_tokens(slot).finditer(slot.text))
    at = random.randrange(1, len(tokens) - 1)
    token = tokens[at]
    how = random.choice(("replaced", "dropped", "exchanged", "inserted"))
    other = random.choice(sorted(_read(made, files)))
    if how == "replaced" and _COMPARED.fullmatch(token[0]):
        other = random.choice(["<", ">", "==", "!="])
    text = slot.text
    if how == "exchanged":
        after = tokens[at + 1]
        text = text[: token.start()] + after[0] + text[token.end() : after.start()] + token[0] + text[after.end() :]
    else:
        new = {"replaced": other, "dropped": "", "inserted": f"{token[0]} {other}"}[how]
        text = text[: token.start()] + new + text[token.end() :]
    text = re.sub(r"\s+", " ", text).strip()
    file = files[made.path]
    cited = " ".join(line for first, last in made.cited for line in file.lines[first - 1 : last])
    if _run(text) in _run(cited) or "`" in text or '"' in text:
        return None
    said = replace(made.sentence.with_slot(normal(slot, text)), quoted=slot.role)
    return None if is_true(said, made.fact, file, made.cited) else replace(made, sentence=said)


def whole_read(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """A true claim that cites all that was read, where that is more than from the owner it names to what it says."""
    del files, random
    first, last = made.reads[0].lines
    owner = made.fact.owner
    named = owner is not None and any(slot.role == "owner" for slot in made.sentence.slots)
    needed = owner.header if owner is not None and named else made.fact.first
    is_needed = needed - first <= MAX_SLACK and last - made.fact.last <= MAX_SLACK
    return None if last - first + 1 < MIN_WHOLE or is_needed else replace(made, cited=((first, last),))


def negated(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """The claim denied."""
    del files, random
    return replace(made, sentence=replace(made.sentence, denied=True)) if "[" in made.sentence.template else None


def swapped_arguments(made: Made, files: Mapping[str, File], random: Random) -> Made | None:
    """Two things that the claim names, exchanged."""
    slots = [slot for slot in made.sentence.slots if slot.kind in ("name", "code", "number")]
    if len(slots) < 2:
        return None
    one, other = random.sample(slots, 2)
    said = made.sentence.with_slot(replace(other, role=one.role)).with_slot(replace(one, role=other.role))
    same = one.norm == other.norm or is_true(said, made.fact, files[made.path], made.cited)
    return None if same else replace(made, sentence=said)


KINDS: Mapping[str, Maker] = {
    "wrong lines": wrong_lines,
    "identifiers swapped": swapped_name,
    "wrong numbers": wrong_number,
    "stale text": stale_text,
    "invented quotes": invented_quote,
    "whole-read citations": whole_read,
    "negated": negated,
    "arguments swapped": swapped_arguments,
}
"""Those with a target first."""
BESIDE = ("negated", "arguments swapped", "name of the lines swapped in", "number of the lines put in")
"""All words are in the cited lines and the meaning is wrong: measured without a target."""


def kind_of(name: str, before: Made, after: Made, files: Mapping[str, File]) -> str:
    """Under which kind a false claim counts: one whose new word is in the cited lines counts beside the others."""
    if name not in ("identifiers swapped", "wrong numbers"):
        return name
    held = words_of(files[after.path], after.cited)
    old = {word for slot in before.sentence.slots for word in re.findall(r"\w+", slot.text)}
    new = {word for slot in after.sentence.slots for word in re.findall(r"\w+", slot.text)} - old
    if new and not new <= held:
        return name
    return BESIDE[2] if name == "identifiers swapped" else BESIDE[3]


def has_number(fact: Fact) -> bool:
    """Whether a claim about a fact can say a number."""
    return any(_NUMBER.search(slot.text) for slot in fact.slots)


def _changed(made: Made, files: Mapping[str, File], slot: Slot, text: str) -> Made | None:
    changed = normal(slot, text)
    said = made.sentence.with_slot(changed)
    if changed.norm == slot.norm or is_true(said, made.fact, files[made.path], made.cited):
        return None
    return replace(made, sentence=said)


def _read(made: Made, files: Mapping[str, File]) -> frozenset[str]:
    """The names and numbers of code that the run has read in the claim's file."""
    reads = [read for read in made.reads if read.path == made.path]
    return frozenset[str]().union(*(tokens_of(files[read.path], read.lines) for read in reads))


def _holds(lines: list[str], part: list[str]) -> bool:
    return any(lines[at : at + len(part)] == part for at in range(len(lines) - len(part) + 1))


def _quote_tokens(slot: Slot) -> re.Pattern[str]:
    return _TEXT_TOKEN if slot.kind == "string" else _CODE_TOKEN


def _run(text: str) -> str:
    """The tokens of a text in a row, without quotes."""
    return " " + " ".join(token for token in _CODE_TOKEN.findall(text) if token not in "\"'") + " "


def _header(file: File, lines: Lines) -> int:
    return next(one.header for one in file.symbols if (one.first, one.last) == lines)


assert MIN_WHOLE < MAX_CITED
