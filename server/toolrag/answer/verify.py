"""Let a claim out only when it stands: every cited document is read again after the last word was written. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolrag.answer.citations import anchor_of, locate
from toolrag.answer.naming import Vocabulary, check_names, vocabulary
from toolrag.answer.quoting import misquoted
from toolrag.answer.subject import definition_elsewhere
from toolrag.answer.support import better_place, too_wide
from toolrag.answer.types import Citation, Claim, Cut, Draft, Evidence
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource
from toolrag.text import LineRange, TextSnapshot

EXTRACTIVE_MAX_LINES = 12
MAX_LINES = 40
"""Longest citation in an answer (PROTOCOL section 2)."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A draft that did not pass, and why: one sentence."""

    draft: Draft
    why: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What may leave: claims, their citations in order of first use, and what was dropped."""

    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    dropped: tuple[Dropped, ...]


async def verify(
    drafts: Sequence[Draft],
    evidence: Sequence[Evidence],
    documents: DocumentSource,
    max_lines: int = MAX_LINES,
    everything: Vocabulary | None = None,
) -> Verified:
    """Check every draft against the run's evidence and against texts read now.

    A cut must lie in evidence of this run and be at most `max_lines` long; its lines must be unchanged now, at their
    place or at exactly one other (then the citation carries that place); what the claim names must be in its lines.
    `everything` is the vocabulary of the evidence, where it is known already.
    """
    everything = everything or vocabulary_of(evidence)
    refusals = [_refusal(draft, evidence, everything, max_lines) for draft in drafts]
    # Only documents of this run are read again: a draft that was refused opens none.
    cuts = [cut for draft, why in zip(drafts, refusals, strict=True) if not why for cut in draft.cuts]
    texts = {uri: await _now(documents, uri) for uri in dict.fromkeys(cut.evidence.snapshot.uri for cut in cuts)}
    claims: list[Claim] = []
    citations: dict[tuple[str, LineRange], Citation] = {}
    dropped: list[Dropped] = []
    for draft, why in zip(drafts, refusals, strict=True):
        found = [] if why else [_cite(cut, texts[cut.evidence.snapshot.uri]) for cut in draft.cuts]
        standing = [citation for citation in found if citation is not None]
        if why or len(standing) < len(found):
            dropped.append(Dropped(draft, why or "A cited line has changed since it was read."))
            continue
        ids = []
        for citation in standing:
            key = (citation.snapshot.uri, citation.lines)
            known = citations.setdefault(key, replace(citation, id=f"r{len(citations) + 1}"))
            ids.append(known.id)
        claims.append(Claim(f"c{len(claims) + 1}", draft.text, tuple(dict.fromkeys(ids))))
    return Verified(tuple(claims), tuple(citations.values()), tuple(dropped))


def vocabulary_of(evidence: Sequence[Evidence]) -> Vocabulary:
    """What some evidence holds."""
    return vocabulary(item.snapshot.text.slice(item.lines) for item in evidence)


def _refusal(draft: Draft, evidence: Sequence[Evidence], everything: Vocabulary, max_lines: int) -> str:
    """Why a draft cannot stand whatever the texts say now; empty when it can."""
    if not draft.cuts:
        return "It cites nothing."
    for cut in draft.cuts:
        if cut.evidence not in evidence or cut.lines not in cut.evidence.lines or not len(cut.lines):
            return "It cites lines that were not read."
        if len(cut.lines) > max_lines:
            return f"It cites {len(cut.lines)} lines; at most {max_lines} can be cited."
        if not cut.evidence.snapshot.text.slice(cut.lines).strip():
            return "It cites blank lines, which say nothing."
    cited = vocabulary(cut.evidence.snapshot.text.slice(cut.lines) for cut in draft.cuts)
    verdict = check_names(draft.text, cited, everything)
    if verdict.invented:
        return f"It names {', '.join(verdict.invented)}, which is in no line that was read."
    if verdict.elsewhere:
        return f"It names {', '.join(verdict.elsewhere)}, which is not in the lines it cites."
    if not verdict.supported:
        return "It names nothing from the lines it cites."
    if max_lines <= EXTRACTIVE_MAX_LINES:
        return ""  # cut from the very lines it cites, token by token
    wrong = misquoted(draft.text, [cut.evidence.snapshot.text.slice(cut.lines) for cut in draft.cuts])
    if wrong:
        quotes = ", ".join(f"“{quote}”" for quote in wrong)
        return f"Its lines do not hold {quotes} as it is quoted; copy code token by token, with … for what is left out."
    return (
        definition_elsewhere(draft.text, draft.cuts, evidence, everything)
        or too_wide(draft.text, draft.cuts, everything)
        or better_place(draft.text, draft.cuts, evidence, everything)
    )


def _cite(cut: Cut, now: TextSnapshot | None) -> Citation | None:
    """The citation of a cut in the text as it is now; None when its lines no longer stand."""
    then = cut.evidence.snapshot
    if now is None or (now.uri, now.root, now.path) != (then.uri, then.root, then.path):
        return None  # equal lines elsewhere do not stand for these
    sha = then.text.sha_of(cut.lines)
    standing, lines = locate(now.text, cut.lines, sha, anchor_of(then.text, cut.lines))
    if lines is None or standing not in ("verified", "moved"):
        return None
    # A claim leaves with the place where its lines are; there they are verified.
    return Citation("", now, lines, sha, anchor_of(now.text, lines), cut.symbol, "verified")


async def _now(documents: DocumentSource, uri: str) -> TextSnapshot | None:
    try:
        return await documents.snapshot(uri)
    except ReadError:
        return None  # gone or denied since it was read: nothing may cite it any more
