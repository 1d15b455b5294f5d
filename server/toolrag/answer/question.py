"""What a question asks for. Pure: words and their order, no grammar and no model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from toolrag.retrieval.query import distinct_names, parse_query
from toolrag.retrieval.tokens import question_words

QuestionKind = Literal["where", "what", "how", "callers", "when", "other"]

_NAME: Final = r"`?(?P<name>[^\W\d][\w.]*)`?(?:\(\))?"
_ARTICLE: Final = r"(?:the |a |an )?(?:(?:function|method|class|constant|symbol|decorator|module) )?"
_CALLERS: Final = (
    re.compile(rf"\b(?:who|what|which|where)\b(?:\s+\w+){{0,3}}?\s+(?:calls?|invokes?)\s+{_ARTICLE}{_NAME}", re.I),
    re.compile(rf"\b(?:who|what|where|which)\b.*?\b(?:is|are|gets?)\s+{_ARTICLE}{_NAME}\s+(?:called|invoked)\b", re.I),
    re.compile(rf"\b(?:callers|calls|call sites|usages|uses)\s+(?:of|to)\s+{_ARTICLE}{_NAME}", re.I),
    re.compile(rf"\bwho\s+uses\s+{_ARTICLE}{_NAME}", re.I),
    re.compile(rf"\bwhere\s+is\s+{_ARTICLE}{_NAME}\s+used\b", re.I),
)
_SUBJECT: Final = (
    re.compile(
        rf"\bwhat\s+(?:does|do|did)\s+{_ARTICLE}{_NAME}\s+(?:\w+\s+)?(?:do|mean|return|give|raise|yield)\b", re.I
    ),
    re.compile(rf"\bwhat(?:\s+is|'s|\s+are)\s+{_ARTICLE}{_NAME}(?:\s+(?:for|about))?\s*\??$", re.I),
    re.compile(rf"\bwhere(?:\s+is|'s|\s+are)\s+{_ARTICLE}{_NAME}(?:\s+(?:defined|declared|implemented))?\s*\??$", re.I),
    re.compile(rf"\bhow\s+(?:does|do)\s+{_ARTICLE}{_NAME}\s+works?\b", re.I),
)
_KINDS: Final[tuple[tuple[QuestionKind, re.Pattern[str]], ...]] = (
    ("when", re.compile(r"\bwhat\s+(?:happens|will happen|would happen)\b|\bwhat\s+if\b", re.I)),
    ("where", re.compile(r"\bwhere\b|\bin\s+which\s+(?:file|module|class|function)\b", re.I)),
    ("how", re.compile(r"\bhow\b|\bwhy\b", re.I)),
    ("what", re.compile(r"\bwhat\b|\bwhich\b|\bexplain\b|\bdescribe\b", re.I)),
)
_VAGUE: Final = frozenset(
    """
    add added apply applied build builds built calculate calculated call called change changed check checked checks
    choose chosen code compute computed configure configured create created creates decide decided decides declared
    default defaults define defined definition determine determined file find found function get gets happen located
    look made make makes method module parse parsed pick picked place process processed produce produced read reads
    registered resolve resolved run runs set sets setting settings start started store stored take taken turn turned
    value values write written class
    """.split()
)
"""Words that say what is done rather than to what: an answer may lack them."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the extractive answerer sees it."""

    text: str
    kind: QuestionKind
    subject: str
    """The name it is about, when it is about one; it need not exist."""
    explicit: bool
    """The subject is written as a name (backticks, dots, capitals, underscores): no other word will do."""
    words: tuple[str, ...]
    """Its words that carry meaning, as written."""

    wants_tests: bool
    """It asks for tests: else what a test says is not an answer while product code has one."""

    def weight(self, word: str) -> float:
        """How much of a share a word has in whether the question is answered: vague verbs count little."""
        return 0.25 if word.lower() in _VAGUE else 1.0


def parse_question(text: str) -> Question:
    """Read a question. Any text is one; a bare name asks what it is."""
    stripped = " ".join(text.split())
    names = distinct_names(stripped)
    words = tuple(question_words(stripped))
    wants = parse_query(stripped).wants_tests
    for pattern in _CALLERS:
        if match := pattern.search(stripped):
            return Question(text, "callers", match["name"].rstrip("."), True, words, wants)
    bare = stripped.rstrip("?!. ").removesuffix("()")
    if re.fullmatch(r"`?[^\W\d][\w.]*`?", bare):
        return Question(text, "what", bare.strip("`"), bool(names), words, wants)
    kind: QuestionKind = next((kind for kind, pattern in _KINDS if pattern.search(stripped)), "other")
    for pattern in _SUBJECT:
        if match := pattern.search(stripped):
            name = match["name"].rstrip(".")
            return Question(text, kind, name, name in names, words, wants)
    return Question(text, kind, names[0] if names else "", bool(names), words, wants)
