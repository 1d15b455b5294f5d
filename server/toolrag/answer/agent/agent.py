"""Questions answered by a model that reads through tools. Pure; awaits ports.

It takes the same way as the answerer without a model: candidates are hints, `read_range` makes evidence, every claim is
verified against texts read after the model's last word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolrag.answer.agent import prompt
from toolrag.answer.agent.claims import NOTHING, Claims
from toolrag.answer.agent.run import Conversation
from toolrag.answer.agent.spending import Spending
from toolrag.answer.citations import written
from toolrag.answer.earlier import Earlier, read_again
from toolrag.answer.journal import events
from toolrag.answer.prose import markdown
from toolrag.answer.reading import RangeReader
from toolrag.answer.tools.toolbox import Toolbox
from toolrag.answer.types import Answer, Outcome, Reason
from toolrag.answer.verify import Verified
from toolrag.answer.watch import SILENT, Watch
from toolrag.chat import Reply
from toolrag.config import Settings
from toolrag.ports import ChatModel, Clock, DocumentSource, Journal, Retriever, Scope, SearchResult, SpanParser

EVERYWHERE = Scope()
N_CANDIDATES = 8
"""Hints that a model gets, and candidates that an answer carries."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Answers questions about one workspace."""

    retriever: Retriever
    documents: DocumentSource
    parser: SpanParser
    clock: Clock
    settings: Settings
    model: ChatModel
    journal: Journal

    async def answer(
        self, text: str, scope: Scope = EVERYWHERE, watch: Watch = SILENT, earlier: Earlier | None = None
    ) -> Answer:
        """An answer to any question; `notFound` with a reason where nothing that was said stands."""
        reader = RangeReader(self.documents, self.parser, self.settings.read, self.settings.budget)
        spending = Spending(self.settings.budget, self.clock, reader)
        wanted = text if earlier is None else earlier.in_full(text)
        found = await self.retriever.search(wanted, N_CANDIDATES, scope)
        reader.expect(found.candidates)
        toolbox = Toolbox(reader, self.retriever, self.documents, self.parser, scope, self.clock)
        claims = Claims(reader, self.documents, watch, toolbox.symbol_of)
        talk = Conversation(self.model, toolbox, reader, claims, spending, self.clock, watch, self.journal)
        before = ""
        if earlier is not None:
            before = prompt.follow_up(
                earlier.question, earlier.claims, await read_again(earlier, reader, self.documents)
            )
        rows = await toolbox.hints(found.candidates)
        ended = await talk.talk(prompt.opening(text, rows, before), list(map(prompt.hint_of, rows)))
        verified = await self._leaving(claims, talk, ended)
        self._tell(verified, claims.failed)
        outcome, reason = _outcome(verified, [why for _, why in claims.failed], ended, found)
        return Answer(
            id=_answer_id(text, verified, reader, found, talk.replies),
            question=text,
            outcome=outcome,
            # It repeats what the model, a file or a service said, and is shown as Markdown too.
            reason=None if reason is None else replace(reason, message=markdown(reason.message)),
            model=self.model.id,
            claims=verified.claims,
            citations=verified.citations,
            candidates=found.candidates,
            searched=found.searched,
            usage=spending.usage(),
        )

    def _tell(self, verified: Verified, failed: Sequence[tuple[str, str]]) -> None:
        """Each claim of the last word, and whether it stands."""
        citations = {citation.id: written(citation) for citation in verified.citations}
        for claim in verified.claims:
            self.journal.record(*events.verify(claim.text, [citations[cited] for cited in claim.citations]))
        for text, why in failed:
            self.journal.record(*events.verify(text, (), why))

    async def _leaving(self, claims: Claims, talk: Conversation, ended: Reason | None) -> Verified:
        """What stands now, after the last word."""
        if ended is None:
            return await claims.check()
        claims.forget()
        if talk.is_mending:
            return await claims.check()
        claims.forget_all()
        return NOTHING


def _outcome(
    verified: Verified, whys: Sequence[str], ended: Reason | None, found: SearchResult
) -> tuple[Outcome, Reason | None]:
    """`whys`: for each claim that did not stand, why."""
    if verified.claims:
        if ended is not None:
            return "partial", ended
        if whys:
            many = "1 claim was" if len(whys) == 1 else f"{len(whys)} claims were"
            return "partial", Reason("unverified_answer", f"{many} left out that did not stand: {whys[0]}")
        return "answered", None
    if ended is not None:
        if ended.code == "no_evidence" and not found.candidates and not found.searched.complete:
            return "notFound", Reason("not_indexed_yet", "The index is not complete yet. Ask again when it is.")
        return "notFound", ended
    why = whys[0] if whys else "it said nothing."
    return "notFound", Reason("unverified_answer", f"What the model said did not stand: {why}")


def _answer_id(
    question: str, verified: Verified, reader: RangeReader, found: SearchResult, replies: Sequence[Reply]
) -> str:
    """The same for the same question, texts and replies."""
    parts = [question]
    for path, sha in [
        *((one.snapshot.path, one.snapshot.sha) for one in verified.citations),
        *((one.snapshot.path, one.snapshot.sha) for one in reader.evidence),
        *((one.path, one.sha) for one in found.candidates),
    ]:
        parts += [path, sha]
    for reply in replies:
        parts += [reply.text, json.dumps([[call.name, call.arguments] for call in reply.calls], sort_keys=True)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
