"""Run a recorded run again and say whether it reaches the same answer, byte for byte (PROTOCOL section 5). Pure.

The same code runs: whatever it asks of the outside world, it is told what was recorded. It is recorded anew too, so
that where another answer comes out the first event that differs can be named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolrag.answer import wire
from toolrag.answer.checking import parse_answer
from toolrag.answer.journal import events, forms
from toolrag.answer.journal.chain import BrokenError, Event, canonical, opened
from toolrag.answer.journal.outside import Run
from toolrag.answer.journal.recording import Recording
from toolrag.answer.journal.replaying import DivergedError, Tape, outside_of, with_number
from toolrag.answer.types import Answer
from toolrag.ports import SpanParser


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a replay went another way, or where the journal is not what was written."""

    event: int
    """Counted from 1: a line of the journal."""
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a replay."""

    run: str
    question: str
    """As the user asked it; empty where the journal is broken."""
    model: str
    chain: str
    """`whole`, `unfinished` where there is no `run.end`, or `broken at N`, a line."""
    divergence: Divergence | None = None
    roots: tuple[str, ...] = ()
    """Real paths of the folders the run was in."""
    recorded: Mapping[str, object] | None = None
    """The recorded Answer, in the wire's form; None unless the chain is whole."""
    replayed: Answer | None = None
    """What the replay came to; None where it came to nothing."""

    @property
    def reproduced(self) -> bool:
        """The answer came out byte for byte."""
        return self.chain == "whole" and self.divergence is None

    def wire(self) -> dict[str, object]:
        """`{run, question, model, reproduced, chain, divergence?: {event, message}}`."""
        where = self.divergence
        return {
            "run": self.run,
            "question": self.question,
            "model": self.model,
            "reproduced": self.reproduced,
            "chain": self.chain,
            **({} if where is None else {"divergence": {"event": where.event, "message": where.message}}),
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """A journal whose chain was checked: what can be said of it, and its events, none where it cannot be run again."""

    report: Report
    events: tuple[Event, ...] = ()


def check(run: str, data: bytes, blob: Callable[[str], bytes | None]) -> Checked:
    """Check a journal, byte for byte. `blob` gives a kept text by its SHA-256; what it raises is raised."""
    report = Report(run, "", "", "whole")
    try:
        journal = opened(data, blob)
        start: Mapping[str, Any] = journal.events[0].attributes
        report = with_number(1, _begun, report, start)
        if not journal.is_finished:
            return Checked(_unfinished(report, journal.events))
        if start.get("toolrag.format") != events.FORMAT:
            other = "It was written by a version of toolrag that writes other journals."
            return Checked(replace(report, divergence=Divergence(1, other)))
        end: Mapping[str, Any] = journal.events[-1].attributes
        answer = with_number(len(journal.events), lambda: dict(end["toolrag.answer"]))
        with_number(len(journal.events), parse_answer, answer)
        return Checked(replace(report, recorded=answer), journal.events)
    except BrokenError as error:
        return Checked(_broken(report, error))


async def replay(checked: Checked, parser: SpanParser, run: Run) -> Report:
    """Run a checked journal again."""
    if not checked.events:
        return checked.report
    try:
        return await _run_again(checked.report, checked.events, parser, run)
    except BrokenError as error:
        return _broken(checked.report, error)


async def _run_again(report: Report, recorded: Sequence[Event], parser: SpanParser, run: Run) -> Report:
    start: Mapping[str, Any] = recorded[0].attributes
    settings = with_number(1, events.settings_of, start)
    scope = with_number(1, lambda: forms.scope_of(start["toolrag.scope"]))
    tape = Tape(recorded)
    again = Recording((recorded[0].kind, dict(start)))
    earlier = with_number(1, lambda: events.earlier_of(start))
    outside = again.outside(replace(outside_of(tape, parser, settings, report.model), earlier=earlier))
    try:
        answer = await run(outside, start["toolrag.question"], scope)
    except DivergedError as error:
        first = tape.diverged or error
        return replace(report, divergence=Divergence(first.event, first.message))
    report = replace(report, replayed=answer)
    if tape.diverged is not None:
        return replace(report, divergence=Divergence(tape.diverged.event, tape.diverged.message))
    if canonical(wire.answer(replace(answer, journal=None))) != canonical(report.recorded):
        return replace(report, divergence=_first_difference(recorded, again.events(answer)))
    return report


def _begun(report: Report, start: Mapping[str, Any]) -> Report:
    roots = tuple(str(path) for path in start["toolrag.roots"])
    return replace(report, question=str(start["toolrag.asked"]), model=str(start["toolrag.model"]), roots=roots)


def _broken(report: Report, error: BrokenError) -> Report:
    where = Divergence(error.event, error.message)
    return replace(report, chain=f"broken at {error.event}", divergence=where, recorded=None)


def _unfinished(report: Report, recorded: Sequence[Event]) -> Report:
    message = "The journal has no run.end: the run was ended before it had an answer."
    return replace(report, chain="unfinished", divergence=Divergence(len(recorded), message))


def _first_difference(recorded: Sequence[Event], again: Sequence[Event]) -> Divergence:
    """The first event that the run now writes otherwise; at the latest its end."""
    for number, (then, now) in enumerate(zip(recorded, again, strict=False), 1):
        if then.kind != now.kind:
            return Divergence(number, f"Event {number} was {then.kind} and is {now.kind} now.")
        names = sorted({*then.attributes, *now.attributes})
        others = [name for name in names if canonical(then.attributes.get(name)) != canonical(now.attributes.get(name))]
        if others and number == len(recorded):
            return Divergence(number, f"The answer is another now: {', '.join(_members(then, now))}.")
        if others:
            return Divergence(number, f"Event {number}, {then.kind}, is another now: {', '.join(others)}.")
    return Divergence(len(recorded), "The run now writes other events.")


def _members(then: Event, now: Event) -> list[str]:
    """The members of the answer that differ."""
    old, new = (one.attributes["toolrag.answer"] for one in (then, now))
    if not isinstance(old, dict) or not isinstance(new, dict):
        return ["all of it"]
    return [name for name in sorted({*old, *new}) if canonical(old.get(name)) != canonical(new.get(name))]
