"""Everything a run learns from outside, in one place, and what a run is: a function of it and the question. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from toolrag.answer.extractive import Extractive
from toolrag.answer.types import Answer
from toolrag.config import Settings
from toolrag.ports import ChatModel, Clock, DocumentSource, Journal, Retriever, Scope, SpanParser


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

    @property
    def model_name(self) -> str:
        """As `Answer.model` has it."""
        return "extractive" if self.model is None else self.model.id


Run = Callable[[Outside, str, Scope], Awaitable[Answer]]
"""Answers a question within a scope by these ports and nothing else."""


async def run_extractive(outside: Outside, question: str, scope: Scope) -> Answer:
    """The run without a model."""
    return await Extractive(
        outside.retriever, outside.documents, outside.parser, outside.clock, outside.settings, outside.journal
    ).answer(question, scope)
