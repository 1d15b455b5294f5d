"""What a question asks for. Pure: words and their order, no grammar and no model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from toolrag.retrieval.query import distinct_names, parse_query
from toolrag.retrieval.tokens import VAGUE_WORDS, question_words

QuestionKind = Literal["where", "what", "how", "callers", "when", "other"]

_KIND_WORD: Final = "(?:function|method|class|constant|symbol|decorator|module)"
_NAME: Final = (
    r"(?!(?:the|a|an|it|this|that|they|them|these|those|what|which|who|is|are|was|were|be|made|done|being)\b"
    rf"|{_KIND_WORD}\s+(?:called|invoked|used)\b)"
    r"`?(?P<name>[^\W\d][\w.]*)`?(?:\(\)`?)?"
)
_ARTICLE: Final = rf"(?:the |a |an )?(?:{_KIND_WORD} )?"
_X: Final = rf"{_ARTICLE}{_NAME}(?:\s+{_KIND_WORD}\b)?"
_END: Final = r"(?:\s+(?:in|from|within|inside|anywhere|here)\b.{0,200})?\s*[?.!]*$"
_CALLERS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:who|what|which|where)\b(?:\s+\w+){{0,3}}?\s+(?:calls?|invokes?|calling|invoking)\s+{_X}",
        rf"\b(?:who|what|where|which)\b.{{0,80}}?\b(?:is|are|gets?)\s+{_X}\s+(?:called|invoked)\b(?!\s+(?:that|which)\b)",
        rf"\b(?:callers|calls|call sites|usages|uses|references)\s+(?:of|to)\s+{_X}",
        rf"\bcalls\s+are\s+made\s+to\s+{_X}",
        rf"\bdo(?:es)?\s+(?:any|some)(?:thing|one|body)\s+(?:call|invoke|use)\s+{_X}",
        rf"^\W*(?:is|are)\s+{_X}(?:\s+(?:ever|still|actually|really))?\s+(?:called|invoked|used)\b(?:\s+anywhere)?{_END}",
        rf"\bwho\s+uses\s+{_X}",
        rf"\b(?:what|which(?:\s+\w+){{1,2}})\s+(?:uses?|depends?\s+on)\s+{_X}{_END}",
        rf"\bwhere\s+is\s+{_X}\s+used\b",
        rf"\bwhere\s+do(?:es)?\s+\w+\s+use\s+{_X}{_END}",
    )
)
_SUBJECT: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bwhat\s+(?:\w+\s+)?(?:does|do|did|can|may|will)\s+{_X}\s+(?:\w+\s+)?"
        r"(?:do|mean|return|give|raise|throw|yield|take|accept|expect|need|call)\b",
        rf"\bwhat(?:\s+is|'s|\s+are)\s+{_X}(?:\s+(?:for|about))?\s*[?.!]*$",
        rf"\bwhere(?:\s+is|'s|\s+are)\s+{_X}(?:\s+(?:defined|declared|implemented))?\s*[?.!]*$",
        rf"\bhow\s+(?:does|do)\s+{_X}\s+works?\b",
        r"(?:\b(?:explain|describe|define|show(?:\s+me)?|tell\s+me\s+about|what\s+about)"
        rf"|\b(?:definition|purpose|signature|arguments|parameters|docs?)\s+(?:of|to|for))\s+{_X}{_END}",
    )
)
_BARE: Final = re.compile(r"[^\W\d][\w.]*")
_WHEN: Final = re.compile(
    r"\bwhat\s+(?:happens|will happen|would happen)\b|\bwhat\s+if\b"
    r"|^\W*when\b(?!.*,\s*(?:how|where|what|which|who|why)\b)"
    r"|\bunder\s+(?:what|which)\s+conditions?\b",
    re.IGNORECASE,
)
_KINDS: Final[tuple[tuple[QuestionKind, re.Pattern[str]], ...]] = (
    (
        "where",
        re.compile(
            r"\bwhere\b|\bin\s+which\s+(?:class|function)\b|\b(?:which|what)\s+(?:file|module|package|folder)\b", re.I
        ),
    ),
    ("how", re.compile(r"\bhow\b|\bwhy\b", re.I)),
    (
        "what",
        re.compile(
            r"\bwhat\b|\bwhich\b|\bexplain\b|\bdescribe\b|\bshow\b|\btell\s+me\b|\bdefin(?:e|ition)\b"
            r"|\b(?:purpose|signature|value|arguments|parameters)\s+(?:of|to)\b",
            re.I,
        ),
    ),
)

FEW_WORDS: Final = 1
"""A question that names a symbol and says no more words of weight than these is about the symbol."""


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
    wants_docs: bool = False
    """It asks for documentation."""
    only: bool = True
    """It asks about its subject and little else; else the subject is one of its words."""

    def weight(self, word: str) -> float:
        """How much of a share a word has in whether the question is answered: vague verbs count little."""
        return 0.25 if word.lower() in VAGUE_WORDS else 1.0


def parse_question(text: str) -> Question:
    """Read a question. Any text is one; a bare name asks what it is."""
    stripped = " ".join(text.split())
    names = distinct_names(stripped)
    words = tuple(question_words(stripped))
    query = parse_query(stripped)
    wants, docs = query.wants_tests, query.wants_docs
    bare = stripped.rstrip("?!. ").strip("`").removesuffix("()")
    if _BARE.fullmatch(bare):
        return Question(text, "what", bare, bool(names), words, wants, docs)
    # What happens when something is called is not asked of its callers.
    happens = _WHEN.search(stripped)
    for pattern in () if happens else _CALLERS:
        if match := pattern.search(stripped):
            return Question(text, "callers", match["name"].rstrip("."), True, words, wants, docs)
    kind: QuestionKind = next((kind for kind, pattern in _KINDS if pattern.search(stripped)), "other")
    kind = "when" if happens else kind
    for pattern in _SUBJECT:
        if match := pattern.search(stripped):
            name = match["name"].rstrip(".")
            return Question(text, kind, name, name in names, words, wants, docs)
    others = [word for word in words if word.lower() not in VAGUE_WORDS and all(word not in name for name in names)]
    only = len(others) <= FEW_WORDS
    return Question(text, kind, names[0] if names else "", bool(names), words, wants, docs, only)
