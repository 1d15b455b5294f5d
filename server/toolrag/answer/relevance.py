"""How well some text fits a question: the share of its words, by rarity, that the text holds. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from typing import Final

from toolrag.answer.question import Question
from toolrag.retrieval.kin import KIN
from toolrag.retrieval.tokens import identifier_tokens, name_token, tokens

MISSING_VERB: Final = 0.1
_VERB_ENDINGS: Final = ("ed", "ing", "ly", "ful")
KINDRED: Final = 0.5
"""What a word counts where only a kindred one is there."""
PREFIX_LETTERS: Final = 4
"""`auth` fits `authentication`; shorter beginnings fit too much."""


class Relevance:
    """Measures texts against one question.

    `idf` gives the rarity of a token among the passages; `missing` are the question's words that are in no file.
    """

    def __init__(self, question: Question, idf: Callable[[str], float], missing: Collection[str] = ()) -> None:
        self._question = question
        self._missing = frozenset(missing)
        stems = {word: _stems(word) for word in question.words}
        rarity = {word: max(map(idf, found)) for word, found in stems.items() if found}
        # A word that is nowhere is not rarer than the rarest that is somewhere: it must not drown the others.
        highest = max((rarity[word] for word in rarity if word not in self._missing), default=1.0)
        self._words = {word: (stems[word], self.weight(word) * min(rarity[word], highest)) for word in rarity}
        self._stems = {stem: self.weight(word) for word, (found, _) in self._words.items() for stem in found}
        self._kin = {word: _kin(found) for word, (found, _) in self._words.items()}
        self._all_kin = frozenset[str]().union(*self._kin.values())
        self._total = sum(weight for _, weight in self._words.values()) or 1.0
        self._rare = {word for word in self._words if self.weight(word) == 1.0}

    def weight(self, word: str) -> float:
        """What a word counts beside its rarity: vague verbs little, and verbs that are nowhere in the files too."""
        if word in self._missing and word.islower() and word.endswith(_VERB_ENDINGS):
            return min(MISSING_VERB, self._question.weight(word))
        return self._question.weight(word)

    def lacks(self) -> tuple[str, ...]:
        """The words that are in no file and say what the question is about."""
        return tuple(word for word in self._words if word in self._missing and self.weight(word) == 1.0)

    def share(self, texts: Iterable[str]) -> float:
        """The share of the question's weight whose words are in these texts, 0 to 1; less for kindred words."""
        found = _tokens(texts)
        held = self._held(found)
        kindred = [word for word, kin in self._kin.items() if word not in held and not kin.isdisjoint(found)]
        return self.weight_of(held) + KINDRED * self.weight_of(kindred)

    def name_fit(self, name: str) -> float:
        """How well a name and the question fit, 0 to 1.

        The geometric mean of two shares: of the name's words that the question says (vague ones a quarter), and of the
        question that the name says. A name that says a small part of it exactly fits less than one that says it all.
        """
        return math.sqrt(self._precision(name) * self.share([name]))

    def _precision(self, name: str) -> float:
        words = [token for token in dict.fromkeys(tokens(name)) if token != name.lower().strip("_")] or list(
            tokens(name)
        )
        if not words:
            return 0.0
        return sum(self._stems.get(word, KINDRED * (word in self._all_kin)) for word in words) / len(words)

    def does(self, texts: Iterable[str]) -> bool:
        """Whether a vague verb of the question, or a kindred one, is in these texts."""
        found = _tokens(texts)
        vague = [word for word in self._words if word not in self._rare]
        return any(not found.isdisjoint((*self._words[word][0], *self._kin[word])) for word in vague)

    def weight_of(self, words: Iterable[str]) -> float:
        """The share of the question's weight that these of its words have, 0 to 1."""
        return sum(self._words[word][1] for word in words if word in self._words) / self._total

    def matched(self, texts: Iterable[str]) -> frozenset[str]:
        """The question's words that are in these texts, by stem or beginning."""
        return self._held(_tokens(texts))

    def _held(self, found: frozenset[str]) -> frozenset[str]:
        return frozenset(
            word
            for word, (stems, _) in self._words.items()
            if not found.isdisjoint(stems) or (word in self._missing and any(_begins(stem, found) for stem in stems))
        )

    def names_topic(self, texts: Iterable[str]) -> bool:
        """Whether a word that says what the question is about is in these texts (any word, where none does)."""
        return bool(self.matched(texts) & (self._rare or self._words.keys()))


def _tokens(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(token for text in texts for token in tokens(text))


def _kin(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(kin for stem in stems for kin in KIN.get(stem, ()))


def _stems(word: str) -> tuple[str, ...]:
    """What stands for a word in a text: its tokens, or the whole alone where it is written like a name of code."""
    name = name_token(word)
    return (name,) if name is not None else identifier_tokens(word)


def _begins(stem: str, found: frozenset[str]) -> bool:
    """Whether a word that is nowhere whole has its beginning here, or is the beginning of one: `configur`, `config`."""
    if len(stem) < PREFIX_LETTERS:
        return False
    return any(len(token) >= PREFIX_LETTERS and (token.startswith(stem) or stem.startswith(token)) for token in found)
