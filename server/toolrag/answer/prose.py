"""Words of a file as safe Markdown, and Markdown as words for a terminal. Pure.

What a file says is data: nothing in it becomes markup, a link or an image in an answer. What is written here means the
same to CommonMark 0.31 and to GitHub's dialect, which also links bare addresses.
Absent on purpose: a Markdown parser. A file's words keep their code spans and lose every other meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

CODE_SPAN: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
"""A code span as CommonMark 6.1 has it: closed by the next run of exactly as many backticks as opened it."""

# Lengths are bounded so that no text, however made, takes more than linear time.
_LINK: Final = re.compile(r"(?<![\w)\]])!?\[([^\[\]]{0,300})\]\([^()\n]{0,500}\)")
_ADDRESS: Final = re.compile(
    r"""(?: (?<![a-z0-9+.-])[a-z][a-z0-9+.-]*+:// | (?:https?|ftp):// | (?:www\.|mailto:|xmpp:)(?=[^\W_])
          | (?<![\w.+-])[\w.+-]++@(?=[^\W_]) )
        [^\s<>`]* [^\s<>`.,;:!?'")\]*_~]""",
    re.IGNORECASE | re.VERBOSE,
)
# An underscore within a word is no markup (CommonMark 6.2), and names are easier to read without backslashes.
_SPECIAL: Final = re.compile(r"[\\<>\[\]*~|#!&]|(?<![^\W_])(?<!_)_+|_++(?![^\W_])")
_BLOCK_MARK: Final = re.compile(r"(?:[-+=]|\d{1,9}[.)])")
"""What begins a list, a rule or an underline when it stands first."""
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")

_WRITTEN_OUT: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Categories of controls, of formats such as direction marks and zero-width characters, of lone surrogates, and of
line ends no editor shows."""
_INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0d\U000e0100-\U000e01ef]")
"""Letters and marks without a shape of their own: fillers, and selectors that can carry a hidden text."""

TYPE_ONLY: Final = ("rtype", "type ")
"""Doc entries that say a type, which the signature says better."""
_POINTERS: Final = ("See ", "versionadded", "versionchanged", "deprecated:", "TODO", "FIXME", "XXX", "meta ")


def markdown(words: str) -> str:
    """A file's words as Markdown that shows them and does nothing: code stays code, all else is escaped.

    White space is folded to single blanks; of a link only its text is shown, and an address as code.
    """
    pieces: list[str] = []
    at = 0
    flat = visible(" ".join(words.split()))
    for match in CODE_SPAN.finditer(flat):
        pieces += [_escaped(flat[at : match.start()]), match[0]]
        at = match.end()
    text = _joined([*pieces, _escaped(flat[at:])])
    mark = _BLOCK_MARK.match(text)
    return f"{text[: mark.end() - 1]}\\{text[mark.end() - 1 :]}" if mark else text


def code(text: str) -> str:
    """Text as a code span on one line, whatever backticks it holds, with what hides written out; "" for blank text."""
    text = visible(re.sub(r"\s", " ", text.strip()))
    if not text:
        return ""
    runs = set(map(len, re.findall(r"`+", text)))
    mark = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    # CommonMark takes one blank off either side, so that code may begin and end with a backtick.
    return f"{mark} {text} {mark}" if text[0] == "`" or text[-1] == "`" else f"{mark}{text}{mark}"


def plain(text: str) -> str:
    """Markdown of an answer as a terminal shows it: escapes off, code as it is, backticks kept."""
    pieces: list[str] = []
    at = 0
    for match in CODE_SPAN.finditer(text):
        pieces += [_ESCAPED.sub(r"\1", text[at : match.start()]), match[0]]
        at = match.end()
    return "".join([*pieces, _ESCAPED.sub(r"\1", text[at:])])


def visible(text: str, keep: str = "") -> str:
    """Text with what steers a terminal or hides from a reader written out (`\\x1b`), but for the characters in `keep`.

    Written out are control characters, direction marks, zero-width and other invisible characters, lone surrogates.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in keep or not _hides(character) else _written_out(character) for character in text
    )


def _hides(character: str) -> bool:
    return unicodedata.category(character) in _WRITTEN_OUT or bool(_INVISIBLE.match(character))


def _written_out(character: str) -> str:
    value = ord(character)
    if value < 0x100:
        return f"\\x{value:02x}"
    return f"\\u{value:04x}" if value < 0x10000 else f"\\U{value:08x}"


def _escaped(words: str) -> str:
    """Words without a code span; the only ones afterwards are those put around addresses."""
    words = _LINK.sub(r"\1", words.replace("`", "'"))
    pieces: list[str] = []
    at = 0
    for match in _ADDRESS.finditer(words):
        pieces += [_without_markup(words[at : match.start()]), f"`{match[0]}`"]
        at = match.end()
    return _joined([*pieces, _without_markup(words[at:])])


def _without_markup(words: str) -> str:
    return _SPECIAL.sub(lambda match: "".join(f"\\{character}" for character in match[0]), words)


def _joined(pieces: list[str]) -> str:
    """The pieces in a row; two code spans that touch would be one, so a blank parts them."""
    text = ""
    for piece in pieces:
        text += f" {piece}" if text.endswith("`") and piece.startswith("`") else piece
    return text


def first_sentences(sentences: Sequence[str], limit: int = 240) -> str:
    """As many whole sentences as fit; at least one."""
    kept = ""
    for sentence in sentences:
        if kept and len(kept) + len(sentence) >= limit:
            break
        kept = f"{kept} {sentence}".strip()
    return kept


def says_something(sentence: str) -> bool:
    """Whether a doc's sentence stands by itself: not a type, a pointer elsewhere, or the head of a list."""
    return not points(sentence) and not sentence.rstrip().endswith(":")


def points(sentence: str) -> bool:
    """Whether a doc's sentence says a type, or where or since when something is, and nothing of what it does."""
    return sentence.startswith((*TYPE_ONLY, *_POINTERS))


def ended(text: str) -> str:
    """A claim's text with a mark at its end."""
    return text if text.rstrip("`*\"'”)").endswith((".", "!", "?", ":")) else f"{text}."
