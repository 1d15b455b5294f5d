"""Words of code and of questions. Pure.

An identifier gives its parts, split at underscores and capitals and stemmed, and the whole in lower case when it has
several. Source: the recipe measured for this project (server/ARCHITECTURE.md, "Ranking").
Absent on purpose: any dictionary. The stemmer is a list of endings that occur in identifiers, not English grammar.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

IDENTIFIER: Final = re.compile(r"[^\W\d]\w*|\d+")
"""A whole identifier or number in running text, in any script."""

_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")

_NUMBERED: Final = re.compile(r"(?:[A-Z]+|[A-Z]?[a-z]+)\d+(?![a-z])")

QUESTION_STOPWORDS: Final = frozenset(
    """
    a about all an and any are as at be been being between by can code could did do does doing done each explain for
    from handle handled handles happen happened happens has have having how i if implement implementation implemented
    implements in into is it its me my means not of on one or our please should so tell than that the their them then
    there these they this those through to too us used uses using via was we were what when where whether which who whom
    whose why will with within without work works would you your
    """.split()
)
"""Words of a question that say nothing about where the answer is (dropping them: +.08 NDCG on docstrings)."""


VAGUE_WORDS: Final = frozenset(
    """
    add added answer answers applied apply build builds built calculate calculated call called change changed
    check checked checks choose chosen class code compute computed configure configured create created creates
    decide decided decides declared default defaults define defined definition determine determined file find
    found function get gets gives go goes going gone happen honor honored honour honoured keep keeps kept know
    knows let lets located look made make makes method module parse parsed pick picked place process processed
    produce produced read reads registered resolve resolved run running runs say says set sets setting settings
    start started store stored take taken tried tries try turn turned value values want wants write written
    """.split()
)
"""Words that say what is done rather than to what: an answer may lack them."""


def parts(identifier: str) -> tuple[str, ...]:
    """The words of an identifier in lower case, unstemmed: `HTTPAdapter.max_retries` part by part."""
    return tuple(match.lower() for match in _PART.findall(identifier))


@lru_cache(maxsize=200_000)
def identifier_tokens(identifier: str) -> tuple[str, ...]:
    """Tokens of one identifier: its stemmed parts, then the whole in lower case where it has several."""
    words = [stem(part) for part in parts(identifier)]
    kept = tuple(word for word in words if len(word) > 1 or word.isdigit())
    whole = identifier.strip("_").lower()
    if len(words) > 1:
        return (*kept, *_numbered(identifier), whole)
    return kept or ((whole,) if whole else ())


def _numbered(identifier: str) -> tuple[str, ...]:
    """Words with their numbers, where they are a part of the identifier: `pbkdf2` in `DEFAULT_PBKDF2_ROUNDS`."""
    whole = identifier.strip("_").lower()
    return tuple(found for match in _NUMBERED.finditer(identifier) if (found := match[0].lower()) != whole)


def name_token(word: str) -> str | None:
    """The token a word of a question must occur as when it is written like a name of code; None for other words.

    `max_retries` is not there where only `max` and `retries` are. A capital within counts too: `OAuth`, `WebSocket`.
    """
    bare = word.strip("_")
    if "_" in bare or (len(parts(word)) > 1 and not word.isupper()):
        return bare.lower()
    return None


@lru_cache(maxsize=200_000)
def plain_name(name: str) -> str:
    """A name without case, separators and plural: `maxRetries` and `MAX_RETRIES` have one. Empty for operators."""
    plain = "".join(character for character in name.lower() if character.isalnum())
    return plain.rstrip("s") or plain


def tokens(text: str) -> Iterator[str]:
    """All tokens of a text, in order."""
    for match in IDENTIFIER.finditer(text):
        yield from identifier_tokens(match[0])


def question_words(question: str) -> list[str]:
    """The words of a question that carry meaning, as written, each once, in order.

    When every word is a stopword they all count: "is" may be the name of something.
    """
    words = list(dict.fromkeys(IDENTIFIER.findall(question)))
    return [word for word in words if word.lower() not in QUESTION_STOPWORDS] or words


def question_tokens(question: str) -> list[str]:
    """Tokens of a question without stopwords, each once, in order."""
    return unique(token for word in question_words(question) for token in identifier_tokens(word))


def unique(items: Iterable[str]) -> list[str]:
    """The items, each once, in order of first appearance."""
    return list(dict.fromkeys(items))


@lru_cache(maxsize=400_000)
def term_hash(token: str) -> int:
    """A token as 64 bits, the same in every process: postings hold these instead of words.

    At 200,000 distinct tokens two share a hash with a chance of about 1 in 10^9 (birthday bound); the effect would be
    one wrong hint, and hints are read before anything is said.
    """
    digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


_VOWEL: Final = re.compile(r"[aeiouy]")
_SIBILANT_PLURALS: Final = ("sses", "xes", "ches", "shes", "zes")
_KEPT_FINAL_E: Final = frozenset(
    "base case code core date else file like line make name node none size time true type".split()
)
_NO_ENDING: Final = frozenset("author authors cursor factor mirror vector".split())
"""Words whose `or` is no ending: without it `author` would be `auth`."""
_ENDINGS: Final = (
    # ending, least length of the word, what is cut from its end
    ("ization", 8, 7),
    ("ition", 8, 5),
    ("ution", 8, 3),
    ("tion", 6, 3),
    ("sion", 6, 3),
    ("ment", 8, 4),
    ("able", 7, 4),
    ("ly", 7, 2),
    ("al", 7, 2),
)


def stem(word: str) -> str:
    """The stem of a lower-case word: plural, -ing, -ed, -er, -or, -tion, -ment, -able, -ly, -al and a final e go.

    Words that differ only in such an ending get one stem (`retries`, `retry`); it need not be a word itself.
    """
    if len(word) < 4 or not word.isascii() or word in _NO_ENDING:
        return word
    word = _singular(word)
    size = len(word)
    if size > 5 and word.endswith("ing") and _VOWEL.search(word[:-3]):
        word = _undouble(word[:-3])
    elif size > 4 and word.endswith("ed") and _VOWEL.search(word[:-2]):
        word = _undouble(word[:-2])
    if len(word) > 5 and word.endswith(("er", "or")):
        word = _undouble(word[:-2])  # `registered` is `register` by now
    elif len(word) == size:
        for ending, least, cut in _ENDINGS:
            if size >= least and word.endswith(ending):
                word = word[:-cut]
                break
    if word.endswith("e") and (len(word) > 4 or (len(word) == 4 and word not in _KEPT_FINAL_E)):
        word = word[:-1]
    if word.endswith("i") and len(word) > 3:
        word = f"{word[:-1]}y"  # verified → verifi → verify
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(_SIBILANT_PLURALS):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undouble(word: str) -> str:
    """`stopp` → `stop`; l, s and z may be double in the plain word too (`call`, `pass`)."""
    if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word
