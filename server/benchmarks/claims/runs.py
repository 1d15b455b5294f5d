"""What a run would have read for a claim, and true claims with the lines they cite."""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random

from claims.facts import Fact, File, Slot, Symbol
from claims.wording import Sentence, sentence

Lines = tuple[int, int]
"""First and last, 1-based and inclusive."""
MAX_CITED = 40
MAX_READ = 400
N_OTHERS = (2, 3)
"""So many functions are read beside the one a claim is about."""
BARE_SHARE = 1 / 3
MOST = 3
"""Claims of one kind that are made from one fact, in other words each time."""
_EMPTY_NAMES = frozenset(("None", "True", "False", "self", "cls", "str", "int"))


@dataclass(frozen=True, slots=True)
class Read:
    """Lines of a file that a run has read."""

    path: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class Made:
    """A claim, the lines it cites, and what the run has read. The first read holds what the claim was made from."""

    sentence: Sentence
    fact: Fact
    path: str
    cited: tuple[Lines, ...]
    reads: tuple[Read, ...]
    edited: Mapping[str, str] = field(default_factory=dict)
    """Files whose text has changed since they were read."""


class Package:
    """The files of an unpacked source distribution that a claim can be about."""

    def __init__(self, root: Path) -> None:
        self.files: dict[str, File] = {}
        for path in sorted(root.rglob("*.py")):
            relative = path.relative_to(root)
            if any(re.search(r"test|^docs?$|example|^build|^setup", part) for part in relative.parts):
                continue
            text = path.read_bytes().decode("utf-8", "replace")
            if "\r" in text or "\f" in text or "\ufffd" in text:
                continue  # `ast` and an editor count lines differently there
            try:
                self.files[relative.as_posix()] = File(relative.as_posix(), text)
            except SyntaxError:
                continue  # a template, or Python of another age

    def true_claims(self, random: Random, wanted: Callable[[Fact], bool] = lambda _: True) -> Iterator[Made]:
        """True claims of wanted facts, each family as often as any other while it lasts; of a fact at most `MOST`."""
        by_family: dict[str, list[tuple[File, Fact, int]]] = {}
        for file in self.files.values():
            for fact in file.facts:
                if fact.sayable and wanted(fact):
                    by_family.setdefault(fact.family, []).append((file, fact, 1))
        while by_family:
            family = random.choice(sorted(by_family))
            left = by_family[family]
            at = random.randrange(len(left))
            left[at], left[-1] = left[-1], left[at]
            file, fact, n_times = left.pop()
            if n_times < MOST:
                left.append((file, fact, n_times + 1))
            if not left:
                del by_family[family]
            made = self._claim(file, fact, random)
            if made is not None:
                yield made

    def _claim(self, file: File, fact: Fact, random: Random) -> Made | None:
        owner = fact.owner
        backticks = random.random() >= BARE_SHARE
        owned = owner is not None and (fact.family in ("default", "decorator", "base", "doc") or random.random() < 0.45)
        said = sentence(fact, owned, backticks, random)
        if said is None or not names_something(said):
            return None
        cited = _cited(file, fact, owned, random)
        if cited is None:
            return None
        reads = self._reads(file, fact, said, random)
        whole = reads[0].lines
        if not all(whole[0] <= first and last <= whole[1] for first, last in cited):
            return None
        return Made(said, fact, file.path, cited, reads)

    def _reads(self, file: File, fact: Fact, said: Sentence, random: Random) -> tuple[Read, ...]:
        """The symbol a fact stands in, and other functions: near ones, most of which share a name with the claim."""
        own = _span(file, fact)
        names = names_of(said)
        functions = [one for one in file.symbols if one.kind == "function" and not _meet(own, (one.first, one.last))]
        functions = [one for one in functions if one.last - one.first < MAX_READ]
        near = sorted(functions, key=lambda one: abs(one.first - fact.first))[:8]
        sharing = [one for one in near if names & tokens_of(file, (one.first, one.last))]
        chosen: list[Symbol] = []
        for one in [*random.sample(sharing, len(sharing)), *random.sample(near, len(near))]:
            if len(chosen) < random.choice(N_OTHERS) and not any(_meet_symbols(one, other) for other in chosen):
                chosen.append(one)
        reads = [Read(file.path, own), *(Read(file.path, (one.first, one.last)) for one in chosen)]
        if random.random() < 0.3:
            other = random.choice(sorted(self.files))
            symbols = [one for one in self.files[other].symbols if one.last - one.first < MAX_READ]
            if other != file.path and symbols:
                one = random.choice(symbols)
                reads.append(Read(other, (one.first, one.last)))
        return tuple(reads)


def _span(file: File, fact: Fact) -> Lines:
    """The whole function; of a class or a file's top level the part around the fact."""
    if fact.owner is not None and fact.owner.kind == "function" and fact.owner.last - fact.owner.first < MAX_READ:
        return fact.owner.first, fact.owner.last
    if fact.owner is not None:
        return fact.owner.first, min(fact.owner.last, max(fact.last + 5, fact.owner.header + 30))
    return max(1, fact.first - 15), min(len(file.lines), fact.last + 15)


def _cited(file: File, fact: Fact, owned: bool, random: Random) -> tuple[Lines, ...] | None:
    """The lines a careful model would cite: the statement's, at times with slack, and the owner's where it is named."""
    chance = random.random()
    first, last = fact.first, fact.last
    if not owned or fact.owner is None:
        if chance < 0.5:
            first = max(1 if fact.owner is None else fact.owner.first, first - random.randint(0, 3))
            last = min(len(file.lines) if fact.owner is None else fact.owner.last, last + random.randint(0, 3))
        return ((first, last),) if last - first < MAX_CITED else None
    header = fact.owner.header
    if chance < 0.5 or first <= header <= last:
        first, last = min(header, first), max(header, last)
        return ((first, last),) if last - first < MAX_CITED else None
    return (first, last), (header, header)


def names_something(said: Sentence) -> bool:
    """Whether a claim names more than what every function holds."""
    return bool(names_of(said))


def names_of(said: Sentence) -> frozenset[str]:
    """The identifiers a claim says, without `self` and the like."""
    found: set[str] = set()
    for slot in said.slots:
        if slot.kind in ("name", "code"):
            found.update(identifiers(slot.text))
    return frozenset(found) - _EMPTY_NAMES


def identifiers(code: str) -> list[str]:
    """The names in a piece of code, in order, without keywords and what stands in strings."""
    bare = re.sub(r"""(["'])(?:\\.|(?!\1).)*\1""", " ", code)
    return [name for name in re.findall(r"[^\W\d]\w*", bare) if not keyword.iskeyword(name)]


@lru_cache(maxsize=512)
def _tokens(text: str) -> Mapping[int, frozenset[str]]:
    """Names and numbers of a file by their lines; keywords left out."""
    found: dict[int, set[str]] = {}
    for one in tokenize.generate_tokens(io.StringIO(text).readline):
        if one.type in (tokenize.NAME, tokenize.NUMBER) and not keyword.iskeyword(one.string):
            found.setdefault(one.start[0], set()).add(one.string)
    return {line: frozenset(words) for line, words in found.items()}


def tokens_of(file: File, lines: Lines) -> frozenset[str]:
    """The names and numbers of code in some lines; strings and comments left out."""
    by_line = _tokens(file.text)
    none = frozenset[str]()
    return none.union(*(by_line.get(line, none) for line in range(lines[0], lines[1] + 1)))


def words_of(file: File, ranges: Sequence[Lines]) -> frozenset[str]:
    """Every word in some lines, strings and comments included."""
    return frozenset(
        word for first, last in ranges for line in file.lines[first - 1 : last] for word in re.findall(r"\w+", line)
    )


def is_true(said: Sentence, fact: Fact, file: File, cited: Sequence[Lines]) -> bool:
    """Whether some fact on the cited lines is what a sentence says: all its slots, in their roles."""
    return any(_says(said, fact.family, other, cited) for other in file.facts)


def _says(said: Sentence, family: str, other: Fact, cited: Sequence[Lines]) -> bool:
    shown = other.shown_by({slot.role for slot in said.slots})
    lies_within = any(first <= shown[0] and shown[1] <= last for first, last in cited)
    if other.family != family or not lies_within:
        return False
    for slot in said.slots:
        if slot.role == "owner":
            owner = other.owner
            if owner is None or owner.name != slot.text:
                return False
        elif not _fills(slot, other.slot(slot.role)):
            return False
    return True


def _fills(slot: Slot, other: Slot | None) -> bool:
    return other is not None and (slot.norm == other.norm or (slot.kind == "string" and slot.text in other.text))


def normal(slot: Slot, text: str) -> Slot:
    """A slot with another text, in the form facts are compared in."""
    if slot.kind == "string":
        return replace(slot, text=text, norm=text if slot.role == "sentence" else repr(text))
    try:
        return replace(slot, text=text, norm=ast.unparse(ast.parse(text, mode="eval")))
    except SyntaxError:
        return replace(slot, text=text, norm=text)


def _meet(one: Lines, other: Lines) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _meet_symbols(one: Symbol, other: Symbol) -> bool:
    return _meet((one.first, one.last), (other.first, other.last))
