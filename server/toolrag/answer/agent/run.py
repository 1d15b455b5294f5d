"""One run with a model: turns until it has its last word, or may go on no longer. Pure; awaits ports.

What forces a model to read is a ladder, and a provider climbs down it as far as its model makes it. The guard is here:
without a successful read nothing that the model writes is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from toolrag.answer.agent import prompt
from toolrag.answer.agent.claims import Claims
from toolrag.answer.agent.failures import Failures
from toolrag.answer.agent.spending import Spending, size_of
from toolrag.answer.drafting import Drafts
from toolrag.answer.journal import events
from toolrag.answer.prose import visible
from toolrag.answer.reading import RangeReader
from toolrag.answer.tools.toolbox import Outcome, Toolbox, call_key
from toolrag.answer.types import Reason
from toolrag.answer.watch import Watch
from toolrag.chat import Choice, Hint, Message, Reply, Said, ToolCall, ToolResult, Turn
from toolrag.errors import ModelError
from toolrag.ports import ChatModel, Clock, Journal

REPLY_TOKENS: Final = 4_000
"""The longest reply: five claims and their thoughts take less than a quarter."""
LEAST_REPLY_TOKENS: Final = 256
"""What is worth asking for: a claim and its citation."""
ATTEMPTS: Final = 3
"""Requests that are made for one reply, the first included; each is a turn."""
PAUSE: Final = 1.0
"""Seconds before the second attempt, doubled before the third, where the service does not say how long it wants."""

_LAST_TURN_TOKENS: Final = size_of([Said(f"\n\n{prompt.LAST_TURN}")])

_MOST_SHOWN: Final = 80
"""Characters of a call that a person is shown while it runs."""


@dataclass(frozen=True, slots=True)
class _Next:
    """What the next turn may do."""

    choice: Choice
    tool: str
    max_tokens: int


class Conversation:
    """One run's. `talk` is called once."""

    def __init__(
        self,
        model: ChatModel,
        toolbox: Toolbox,
        reader: RangeReader,
        claims: Claims,
        spending: Spending,
        clock: Clock,
        watch: Watch,
        journal: Journal,
    ) -> None:
        self.replies: list[Reply] = []
        self._messages: list[Message] = []
        self._model = model
        self._toolbox = toolbox
        self._reader = reader
        self._claims = claims
        self._spending = spending
        self._clock = clock
        self._watch = watch
        self._journal = journal
        self._failures = Failures()
        self._hints: tuple[Hint, ...] = ()
        self._had_last_word = False
        self._is_mending = False
        self._drafts = Drafts()

    @property
    def is_mending(self) -> bool:
        """Whether there was an answer, of which a part was sent back."""
        return self._is_mending

    async def talk(self, opening: str, hints: Sequence[Hint]) -> Reason | None:
        """Why it ended without a last word of the model; None when there was one, and `claims` has it.

        With a reason of `model_error` or `model_refused` nothing may leave but what stood before it `is_mending`.
        """
        self._hints = tuple(hints)
        self._messages.append(Said(opening))
        while True:
            step = self._next()
            if isinstance(step, Reason):
                return step
            got = await self._reply(step)
            if isinstance(got, Reason):
                return got
            step, reply = got
            self.replies.append(reply)
            self._messages.append(reply)
            if reply.calls and step.choice != "answer":
                self._claims.forget()  # said on the way to a call: the answer is the last word
                self._messages.append(Said("", await self._run_calls(reply.calls)))
                continue
            if reply.calls:  # it may only answer: calls cannot be left without a result in what is sent next
                self._messages[-1] = Reply(reply.text, (), "end", reply.rung, opaque=None)
            ended, back = await self._heard(reply)
            if ended:
                return back if isinstance(back, Reason) else None
            assert isinstance(back, str)
            self._messages.append(Said(back))

    async def _heard(self, reply: Reply) -> tuple[bool, Reason | str | None]:
        """Whether a reply without calls ends the run, with why; else what is said back."""
        if reply.stop == "refused":
            return True, Reason("model_refused", "The model, or a guardrail, refused to answer. Ask in other words.")
        if not self._reader.evidence:
            self._claims.forget()
            self._failures.note("no_call")
            return False, prompt.READ_FIRST
        if self._drafts.gave_up and not self._claims.any_written:
            return True, Reason(
                "no_evidence", "The model read and found no answer in what it read. See the candidates."
            )
        if not self._claims.any_written:
            self._failures.note("empty_reply")
            return False, prompt.EMPTY_REPLY
        self._failures.note("")
        await self._claims.check()
        failed = self._claims.failed
        if not failed or self._is_mending or isinstance(self._next(), Reason):
            return True, None
        self._is_mending = True
        self._claims.keep_standing()
        return False, prompt.sent_back(failed)

    def _next(self) -> _Next | Reason:
        """What the next turn may do; a Reason where there is none. The whole budget is looked at here."""
        spending, has_evidence, over = self._spending, bool(self._reader.evidence), self._failures.over
        if over and not has_evidence:
            return Reason("no_evidence", f"The model read nothing: {over}. Another model may do better.")
        if over and self._had_last_word:
            return Reason("unverified_answer", f"The model gave no answer: {over}. Another model may do better.")
        estimate = self._estimate()
        room = spending.tokens_left - estimate - _LAST_TURN_TOKENS
        for spent, name in (
            (spending.turns_left < 1, "turns"),
            (spending.seconds_left() <= 0, "seconds"),
            (room < LEAST_REPLY_TOKENS, "tokens"),
        ):
            if spent:
                return self._spent(name)
        max_tokens = min(REPLY_TOKENS, room)
        # One more turn of calls sends everything again, and what they gave.
        is_last = spending.turns_left == 1 or bool(over) or room < estimate + 2 * max_tokens
        if has_evidence and is_last:
            return _Next("answer", "", max_tokens)
        if spending.turns_left == 1:
            return self._spent("turns")
        if not self.replies:
            return _Next("tool", "read_range" if self._hints else "search_code", max_tokens)
        return _Next("auto" if has_evidence else "any", "", max_tokens)

    def _spent(self, name: str) -> Reason:
        amount = getattr(self._spending.budget, name)
        done = "nothing was read" if not self._reader.evidence else "there was no answer"
        sentence = f"The run used up its {name} ({amount:,}) and {done}. Raise budget.{name}, or ask for less."
        return Reason("budget_spent", sentence)

    def _estimate(self) -> int:
        return size_of(self._messages, prompt.SYSTEM, self._toolbox.specs)

    async def _reply(self, step: _Next) -> tuple[_Next, Reply] | Reason:
        """A whole reply, and what its turn might do; it is asked for again while that may help and the budget lasts."""
        for attempt in range(ATTEMPTS):
            last = self._messages[-1]
            if step.choice == "answer" and isinstance(last, Said) and not last.text.endswith(prompt.LAST_TURN):
                text = f"{last.text}\n\n{prompt.LAST_TURN}" if last.text else prompt.LAST_TURN
                self._messages[-1] = Said(text, last.results)
            self._watch.spent(self._spending.usage(), self._spending.budget)
            estimate = self._estimate()
            self._spending.asked(estimate)
            try:
                reply = await self._attempt(step)
            except ModelError as error:
                self._claims.forget()
                pause = error.after if error.after is not None else PAUSE * 2**attempt
                again = self._next()  # another attempt is another turn, and may be the last
                may_wait = self._spending.seconds_left() > pause
                if not error.may_pass or attempt + 1 == ATTEMPTS or isinstance(again, Reason) or not may_wait:
                    return Reason("model_error", error.message)
                self._watch.reading(f"waiting {pause:.0f} s to ask the model again")
                await self._clock.sleep(pause)
                step = again
                continue
            if isinstance(reply, Reason):
                return reply
            self._spending.answered(estimate, reply)
            self._had_last_word = self._had_last_word or step.choice == "answer"
            return step, reply
        raise AssertionError("the last attempt returns")

    async def _attempt(self, step: _Next) -> Reply | Reason:
        """One request. Raises ModelError when no whole reply comes."""
        self._drafts = Drafts()
        turn = Turn(
            system=prompt.SYSTEM,
            messages=tuple(self._messages),
            tools=self._toolbox.specs,
            choice=step.choice,
            tool=step.tool,
            hints=self._hints,
            max_tokens=step.max_tokens,
            seconds=max(0.001, self._spending.seconds_left()),
        )
        reply: Reply | None = None
        heard: list[str] = []
        async with aclosing(self._model.reply(turn)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    reply = piece
                elif self._reader.evidence:
                    heard.append(piece)
                    await self._claims.hear(self._drafts.feed(piece))
                if self._spending.seconds_left() <= 0:
                    self._claims.forget()
                    return self._spent("seconds")
        if reply is None:
            raise ModelError("cut", "The model's reply has no end. Ask again, or ask another model.")
        if self._reader.evidence:
            if "".join(heard) != reply.text:  # the whole reply counts, not what was said on the way to it
                self._claims.forget()
                self._drafts = Drafts()
                await self._claims.hear(self._drafts.feed(reply.text))
            if reply.stop != "length":  # what was cut off is no claim
                await self._claims.hear(self._drafts.end())
        return reply

    async def _run_calls(self, calls: Sequence[ToolCall]) -> tuple[ToolResult, ...]:
        """A result for each call, in order; those beyond the budget, or after the run gets nowhere, are refused."""
        results = []
        for call in calls:
            refused = self._refusal()
            if refused is not None:
                results.append(ToolResult(call.id, json.dumps(refused), True))
                continue
            self._spending.tool_calls += 1
            self._watch.reading(_doing(call))
            outcome = await self._toolbox.run(call)
            if outcome.failure:
                self._failures.note(outcome.failure, call_key(call.name, call.arguments))
            else:
                self._failures.note("repeat" if outcome.repeats else "")
            self._journal.record(*_told(call, outcome))
            results.append(outcome.result)
        return tuple(results)

    def _refusal(self) -> dict[str, str] | None:
        """Why no call may be made any more; None while one may."""
        spending = self._spending
        if spending.tool_calls >= spending.budget.tool_calls:
            return {"error": "budget_spent", "message": "This run has used up its calls; answer from what was read."}
        if spending.seconds_left() <= 0:
            return {"error": "budget_spent", "message": "This run has used up its time."}
        if self._failures.over:
            return {"error": "no_more_calls", "message": f"No more calls: {self._failures.over}."}
        return None


def _doing(call: ToolCall) -> str:
    """A call in a few words for a person: what its first argument is."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    about = next((value for value in arguments.values() if isinstance(value, str)), "")
    words = visible(" ".join(f"{call.name.replace('_', ' ')} {about}".split()))
    return words if len(words) <= _MOST_SHOWN else f"{words[: _MOST_SHOWN - 1]}…"


def _told(call: ToolCall, outcome: Outcome) -> events.Made:
    """A call for the journal; the text that it read is in the `document` before it."""
    result = json.loads(outcome.result.text)
    wanted = call.arguments.get("expect_sha") if isinstance(call.arguments, Mapping) else None
    found = result.get("sha")
    told = {name: value for name, value in result.items() if name != "quoted_text"}
    return events.execute_tool(
        call, told, wanted if isinstance(wanted, str) else None, found if isinstance(found, str) else None
    )
