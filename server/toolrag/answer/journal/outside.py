"""Everything a run learns from outside, in one place, and what a run is: a function of it and the question. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolrag.answer.earlier import Earlier
from toolrag.answer.extractive import Extractive
from toolrag.answer.types import Answer
from toolrag.answer.watch import SILENT, Watch
from toolrag.config import Settings
from toolrag.ports import ChatModel, Clock, DocumentSource, Journal, Retriever, Scope, SpanParser

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Outside:
    """The ports of a run, its settings, and where it tells what it decides."""

    retriever: Retriever
    documents: DocumentSource
    parser: SpanParser
    clock: Clock
    settings: Settings
    journal: Journal
    model: ChatModel | None = None
    """None for a run without one."""
    watch: Watch = SILENT
    """Who is told while it runs; nothing comes back from there."""
    earlier: Earlier | None = None
    """The answer that the question follows."""

    @property
    def model_name(self) -> str:
        """As `Answer.model` has it."""
        return "extractive" if self.model is None else self.model.id


Run = Callable[[Outside, str, Scope], Awaitable[Answer]]
"""Answers a question within a scope by these ports and nothing else."""


async def answer_by(outside: Outside, question: str, scope: Scope) -> Answer:
    """The run with the model there is, or the one without."""
    ports = outside.retriever, outside.documents, outside.parser, outside.clock, outside.settings
    watch, earlier = outside.watch, outside.earlier
    if outside.model is None:
        return await Extractive(*ports, outside.journal).answer(question, scope, watch, earlier)
    from toolrag.answer.agent.agent import Agent  # a command without a model need not wait for it

    return await Agent(*ports, outside.model, outside.journal).answer(question, scope, watch, earlier)
