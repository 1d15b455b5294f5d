"""The answerer without a model: reads the best candidates and cuts its claims from what it read. Pure; awaits ports.

It takes the same way as a model does: candidates are hints, `read_range` makes evidence, every claim is verified
against texts read after it was written. It claims nothing that no line says, so it would rather find nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolrag.answer.callers import draft_callers
from toolrag.answer.citations import place_of, written
from toolrag.answer.earlier import Earlier
from toolrag.answer.gather import read_candidate
from toolrag.answer.journal import events
from toolrag.answer.journal.reads import JournaledReader
from toolrag.answer.question import Question, parse_question
from toolrag.answer.raisers import with_raisers
from toolrag.answer.reading import RangeReader
from toolrag.answer.relevance import Relevance
from toolrag.answer.select import about_symbol, about_topic, preferred
from toolrag.answer.types import Answer, Callers, Draft, Outcome, Reason
from toolrag.answer.units import Reading
from toolrag.answer.verify import EXTRACTIVE_MAX_LINES, Verified, verify
from toolrag.answer.watch import SILENT, Watch
from toolrag.config import Settings
from toolrag.errors import ReadError
from toolrag.ports import (
    NO_JOURNAL,
    Candidate,
    Clock,
    DocumentSource,
    Journal,
    Retriever,
    Scope,
    Searched,
    SearchResult,
    SpanParser,
)
from toolrag.retrieval.corpus import last_name
from toolrag.symbols import Span

EVERYWHERE = Scope()
MODEL = "extractive"
N_CANDIDATES = 8
"""Candidates an answer carries."""
N_SEARCHED = 60
"""Candidates that are looked at by their names and scores."""
N_READ = 16
"""Candidates that are read."""
MISSING_SHARE = 0.15
"""An answer is partial when words of this share of the question's weight occur in no file."""
PART = 0.2
"""Where nothing holds enough of a question, what holds so much of it is told as a part of an answer."""
TOO_MUCH_MISSING = 0.4
"""There is none when words of this share do."""


@dataclass(frozen=True, slots=True)
class Extractive:
    """Answers questions about one workspace."""

    retriever: Retriever
    documents: DocumentSource
    parser: SpanParser
    clock: Clock
    settings: Settings
    journal: Journal = NO_JOURNAL

    async def answer(
        self, text: str, scope: Scope = EVERYWHERE, watch: Watch = SILENT, earlier: Earlier | None = None
    ) -> Answer:
        """An answer to any question; `notFound` with a reason where no line supports one.

        Of an `earlier` answer that it follows, only the name of what it was about is used: "who calls it?".
        """
        began = self.clock.now()
        asked, text = text, text if earlier is None else earlier.in_full(text)
        question = parse_question(text)
        reader = JournaledReader(self.documents, self.parser, self.settings, self.journal)
        wide = await self.retriever.search(text, N_SEARCHED, scope)
        found = SearchResult(wide.candidates[:N_CANDIDATES], wide.searched)
        relevance = Relevance(question, self.retriever.idf, wide.searched.missing)
        callers: Callers | None = None
        drafts: Sequence[Draft] = ()
        is_partly = False
        definitions = await self._definitions(question, scope)
        reader.expect([*definitions, *wide.candidates])
        if question.kind == "callers":
            drafts, callers = await draft_callers(question, definitions, self.retriever, reader, scope)
            if callers is not None and not found.searched.complete:
                callers = replace(callers, complete=False)
        elif definitions and question.only and (question.kind != "when" or definitions[0].span in _doing(definitions)):
            drafts = about_symbol(question, relevance, await self._read(reader, definitions), self.retriever.defines)
        if not drafts and not _is_about_what_is_missing(question, relevance, definitions):
            chosen = preferred(question, relevance, wide.candidates, N_READ)
            if question.kind == "when":
                chosen = await with_raisers(chosen, self.retriever, scope)
                reader.expect(chosen)
            readings = await self._read(reader, chosen)
            drafts = about_topic(question, relevance, readings)
            if not drafts:
                drafts, is_partly = about_topic(question, relevance, readings, PART), True
        verified = await verify(drafts, reader.evidence, self.documents, EXTRACTIVE_MAX_LINES)
        _tell(self.journal, verified)
        outcome, reason = _outcome(question, relevance, verified, found.searched, callers)
        if outcome == "answered" and is_partly:
            outcome, reason = "partial", Reason("nothing_found", "No lines hold more than a part of the question.")
        watch.claims(verified.claims, verified.citations, ())
        return Answer(
            id=_answer_id(text, verified, found.candidates),
            question=asked,
            outcome=outcome,
            reason=reason,
            model=MODEL,
            claims=verified.claims,
            citations=verified.citations,
            candidates=found.candidates,
            searched=found.searched,
            usage=reader.usage(self.clock.now() - began),
            callers=callers,
        )

    async def _definitions(self, question: Question, scope: Scope) -> tuple[Candidate, ...]:
        if not question.subject:
            return ()
        return await self.retriever.definitions(question.subject, 3, scope)

    async def _read(self, reader: RangeReader, candidates: Sequence[Candidate]) -> list[Reading]:
        readings = []
        for candidate in candidates:
            try:
                reading = await read_candidate(reader, candidate)
                reading.units()  # between two reads: all at once would hold up whoever shares the thread
                readings.append(reading)
            except ReadError as error:
                if error.code == "budget_spent":
                    break
                # Changed or gone since it was found: such a candidate is not mentioned.
        return readings


def _tell(journal: Journal, verified: Verified) -> None:
    """Each claim that was drafted, and whether it stands."""
    citations = {citation.id: written(citation) for citation in verified.citations}
    for claim in verified.claims:
        journal.record(*events.verify(claim.text, [citations[cited] for cited in claim.citations]))
    for one in verified.dropped:
        places = [place_of(cut.evidence.snapshot.path, cut.lines) for cut in one.draft.cuts]
        journal.record(*events.verify(one.draft.text, places, one.why))


def _doing(definitions: Sequence[Candidate]) -> list[Span]:
    """Those that run: what happens when a value is exceeded is said where it is used, not where it is defined."""
    spans = [one.span for one in definitions if one.span is not None]
    return [span for span in spans if span.kind in ("class", "function", "method")]


def _is_about_what_is_missing(question: Question, relevance: Relevance, definitions: Sequence[Candidate]) -> bool:
    """Whether the question is about a name, or mostly about words, that no file holds: nothing else may stand in."""
    lacking = relevance.lacks()
    if definitions or not lacking:
        return False
    name = last_name(question.subject)
    return (question.explicit and name in lacking) or relevance.weight_of(lacking) >= TOO_MUCH_MISSING


def _outcome(
    question: Question, relevance: Relevance, verified: Verified, searched: Searched, callers: Callers | None
) -> tuple[Outcome, Reason | None]:
    if verified.claims:
        missing = relevance.weight_of(relevance.lacks())
        uncalled = callers is not None and not callers.count
        if not uncalled and missing < MISSING_SHARE:
            return "answered", None
        if not searched.complete:
            return "partial", Reason("not_indexed_yet", "The index is not complete yet; there may be more to say.")
        if callers is not None and uncalled:
            return "partial", Reason("nothing_found", f"{_searched(searched)}; no line names `{callers.name}(`.")
        return "partial", Reason("nothing_found", _none_mentions(searched, relevance))
    if verified.dropped:
        return "notFound", Reason("unverified_answer", f"What was found did not stand: {verified.dropped[0].why}")
    if not searched.complete:
        return "notFound", Reason("not_indexed_yet", "The index is not complete yet. Ask again when it is.")
    if not question.words:
        return "notFound", Reason("nothing_found", "The question has no word to look for. Name what it is about.")
    if not searched.files:
        return "notFound", Reason(
            "nothing_found", "No file here is in a language that is indexed. Try `toolrag index`."
        )
    return "notFound", Reason("nothing_found", _none_mentions(searched, relevance))


def _none_mentions(searched: Searched, relevance: Relevance) -> str:
    words = relevance.lacks()
    if words:
        return f"{_searched(searched)}; none mentions {', '.join(f'`{word}`' for word in words)}."
    return f"{_searched(searched)}; no lines support an answer. Ask about a name, or in the code's words."


def _searched(searched: Searched) -> str:
    """What was looked at, and that there is more where there is."""
    files = f"{searched.files:,} file{' was' if searched.files == 1 else 's were'} searched"
    return (
        f"{files} ({searched.skipped:,} more are not indexed: `toolrag index` says why)" if searched.skipped else files
    )


def _answer_id(question: str, verified: Verified, candidates: Sequence[Candidate]) -> str:
    """The same for the same question about the same texts."""
    digest = hashlib.sha256(question.encode("utf-8", "surrogatepass"))
    for uri_and_sha in [
        *((citation.snapshot.path, citation.snapshot.sha) for citation in verified.citations),
        *((candidate.path, candidate.sha) for candidate in candidates),
    ]:
        digest.update("\0".join(("", *uri_and_sha)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
