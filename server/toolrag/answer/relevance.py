"""How well some text fits a question: the share of its words, by rarity, that the text holds. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

from toolrag.answer.question import Question
from toolrag.retrieval.tokens import identifier_tokens, tokens

PREFIX_LETTERS: Final = 4
"""`auth` fits `authentication`; shorter beginnings fit too much."""


class Relevance:
    """Measures texts against one question. `idf` gives the rarity of a token among the passages."""

    def __init__(self, question: Question, idf: Callable[[str], float]) -> None:
        self._words = {
            word: (stems, question.weight(word) * max(idf(stem) for stem in stems))
            for word in question.words
            if (stems := identifier_tokens(word))
        }
        self._stems = {stem: question.weight(word) for word, (stems, _) in self._words.items() for stem in stems}
        self._total = sum(weight for _, weight in self._words.values()) or 1.0
        self._rare = {word for word in self._words if question.weight(word) == 1.0}

    def share(self, texts: Iterable[str]) -> float:
        """The share of the question's weight whose words are in these texts, 0 to 1."""
        return self.weight_of(self.matched(texts))

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
        return sum(self._stems.get(word, 0.0) for word in words) / len(words)

    def weight_of(self, words: Iterable[str]) -> float:
        """The share of the question's weight that these of its words have, 0 to 1."""
        return sum(self._words[word][1] for word in words if word in self._words) / self._total

    def matched(self, texts: Iterable[str]) -> frozenset[str]:
        """The question's words that are in these texts, by stem or beginning."""
        found = frozenset(token for text in texts for token in tokens(text))
        return frozenset(word for word, (stems, _) in self._words.items() if any(_in(stem, found) for stem in stems))

    def names_topic(self, texts: Iterable[str]) -> bool:
        """Whether a word that says what the question is about is in these texts (any word, where none does)."""
        return bool(self.matched(texts) & (self._rare or self._words.keys()))


def _in(stem: str, found: frozenset[str]) -> bool:
    if stem in found:
        return True
    if len(stem) < PREFIX_LETTERS:
        return False
    return any(len(token) >= PREFIX_LETTERS and (token.startswith(stem) or stem.startswith(token)) for token in found)
