"""What the client is told while work goes on: of an ask, by its own tokens; of indexing, by tokens of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from toolrag.answer import wire
from toolrag.answer.types import Citation, Claim, Usage
from toolrag.config import Budget
from toolrag.lsp.params import Token
from toolrag.lsp.protocol import Call, Protocol
from toolrag.text import PositionEncoding

Work = Callable[[], Coroutine[None, None, None]]

_REPORT_SECONDS: Final = 0.1
"""Reports of one phase that come faster than this are left out: nobody can read them."""


class AskProgress:
    """Sends what an ask tells while it runs. Nothing after the ask is answered or cancelled."""

    def __init__(self, call: Call, work: Token | None, partial: Token | None, encoding: PositionEncoding) -> None:
        self._call = call
        self._work = work
        self._partial = partial
        self._encoding = encoding
        self._spent = ""
        call.token = work
        call.before_close = self._end
        self._send_work({"kind": "begin", "title": "toolrag", "message": "Searching", "cancellable": True})

    def reading(self, message: str) -> None:
        """What is being read."""
        self._send_work({"kind": "report", "message": f"{message}{self._spent}"})

    def spent(self, usage: Usage, budget: Budget) -> None:
        """What a run with a model has spent."""
        self._spent = (
            f" · turn {usage.turns + 1} of {budget.turns}, {usage.reads} of {budget.reads} reads, "
            f"{usage.input_tokens + usage.output_tokens:,} of {budget.tokens:,} tokens"
        )
        self.reading("waiting for the model")

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        """Claims that were just verified, and what no longer is."""
        if self._partial is not None:
            value = {
                "claims": [wire.claim(one) for one in claims],
                "citations": [wire.citation(one, self._encoding) for one in citations],
                "withdrawn": list(withdrawn),
            }
            self._call.notify("$/progress", {"token": self._partial, "value": value})

    def _end(self) -> None:
        self._send_work({"kind": "end"})

    def _send_work(self, value: dict[str, object]) -> None:
        if self._work is not None:
            self._call.notify("$/progress", {"token": self._work, "value": value})


class _Phase:
    """One bar of the client's."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.done = 0
        self.total = 0
        self.begun = False
        self.over = False
        self.told_at = 0.0

    def share(self) -> dict[str, object]:
        """How far it is."""
        percentage = 100 * self.done // self.total if self.total else 100
        return {"message": f"{self.done:,}/{self.total:,}", "percentage": percentage}


class PhaseProgress:
    """A bar in the client for each phase of the session's own work, where the client has bars."""

    def __init__(self, protocol: Protocol, behind: Callable[[Work, str], object]) -> None:
        """`behind` runs something in the background, and says in the log what it is when it fails."""
        self._protocol = protocol
        self._behind = behind
        self._phases: dict[str, _Phase] = {}
        self._count = 0

    def __call__(self, phase: str, done: int, total: int) -> None:
        """How far a phase is; one that has nothing left to do ends, and shows nothing if it never began."""
        bar = self._phases.get(phase)
        if bar is None:
            if done >= total:
                return
            self._count += 1
            bar = self._phases[phase] = _Phase(f"toolrag/{self._count}")
            self._behind(partial(self._begin, phase, bar), "Showing progress")
        bar.done, bar.total = done, total
        if done >= total:
            bar.over = True
            del self._phases[phase]
        if bar.begun:
            self._tell(bar)

    async def _begin(self, phase: str, bar: _Phase) -> None:
        create = types.WorkDoneProgressCreateParams(token=bar.token)
        try:
            await self._protocol.ask_client(types.WINDOW_WORK_DONE_PROGRESS_CREATE, create)
        except JsonRpcException:  # the client would rather not
            return
        bar.begun = True
        self._send(bar, {"kind": "begin", "title": phase, "cancellable": False, **bar.share()})
        if bar.over:
            self._tell(bar)

    def _tell(self, bar: _Phase) -> None:
        now = asyncio.get_running_loop().time()
        if bar.over:
            self._send(bar, {"kind": "end"})
        elif now - bar.told_at >= _REPORT_SECONDS and not self._protocol.busy:
            bar.told_at = now
            self._send(bar, {"kind": "report", **bar.share()})

    def _send(self, bar: _Phase, value: dict[str, object]) -> None:
        self._protocol.notify("$/progress", {"token": bar.token, "value": value})
