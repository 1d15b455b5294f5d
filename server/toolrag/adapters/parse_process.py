"""Parse in a process of its own: the parent's side. A crash, a hang or the interpreter's lock stay over there.

One child, started by `asyncio.create_subprocess_exec` with pipes and the frames of `parse_wire`, not by
`multiprocessing`: that leaves a resource tracker behind when the parent is killed, hands the child descriptors it
should not have, and pickles. Absent on purpose: a pool. One core for parsing keeps the others for the person.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from toolrag.adapters import parse_wire
from toolrag.adapters.codec import decode_analysis
from toolrag.retrieval.languages import LANGUAGES
from toolrag.symbols import Analysis

_AHEAD: Final = 4
"""Requests that are written before the first of them is answered, so that the child need not wait."""

_START_SECONDS: Final = 60.0
"""How long the child may take to begin: a cold disk and a busy machine."""

_LEAVE_SECONDS: Final = 1.0
"""How long the child may take to leave by itself; one that works on a grammar's code does not see stdin end."""

_LARGE_ANSWER_BYTES: Final = 65_536
"""Answers from this size on are decoded in a thread: a large file's takes longer than the loop should be away."""


@dataclass(eq=False, slots=True)
class _Job:
    """One text on its way."""

    request: bytes
    done: asyncio.Future[Analysis]
    crashes: int = 0
    """How often the child ended while it was at this text."""


class ParseProcess:
    """A SpanParser whose work happens in a child process, started by the first text.

    Belongs to the event loop that first calls it. Texts are answered in order, several may be under way. A text that
    takes longer than `limit_seconds` ends by itself or, when `grace_seconds` more have passed, with the child; one on
    which the child ends is tried once more, alone. Both are told in the analysis' `problems`.
    """

    def __init__(
        self,
        limit_seconds: float = 10.0,
        *,
        grace_seconds: float = 2.0,
        nice: int = 5,
        worker: str = "toolrag.adapters.parse_worker",
    ) -> None:
        self._limit_seconds = limit_seconds
        self._grace_seconds = grace_seconds
        self._nice = nice
        self._worker = worker
        self._waiting: deque[_Job] = deque()
        self._sent: deque[_Job] = deque()
        self._child: asyncio.subprocess.Process | None = None
        self._ready = False
        """The child has begun, and is not being ended."""

        self._serving: asyncio.Task[None] | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is none."""
        return self._child.pid if self._child else None

    async def parse(self, text: str, language: str) -> Analysis:
        """Spans, references and terms of one text; what went wrong is in `parsed.problems`.

        Raises ValueError for a language that `retrieval.languages` does not have.
        """
        if language not in LANGUAGES:
            raise ValueError(f"no parser for {language!r}")
        if self._closed:
            return parse_wire.without_symbols(parse_wire.CLOSED)
        job = _Job(parse_wire.request(text, language), asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve(), name="parse process")
        else:
            self._write_ahead()
        return await job.done

    async def close(self) -> None:
        """End the child. Texts still under way get a problem, and so do those that come later."""
        if self._closed:
            return
        self._closed = True
        if self._serving is not None and not self._serving.done():
            self._serving.cancel()
            await asyncio.wait([self._serving])
        await self._end_child()
        self._fail_all(parse_wire.CLOSED)

    async def _serve(self) -> None:
        """Send texts and take answers until none is left."""
        try:
            while self._waiting or self._sent:
                if not self._ready and not await self._start():
                    self._fail_all(parse_wire.NOT_STARTED)
                self._write_ahead()
                if self._sent:
                    await self._take_answer(self._sent[0])
        finally:
            # Whatever ended this task, nobody waits for ever, and no answer that is still owed is taken for another's.
            if self._sent:
                self._ready = False
            self._fail_all(parse_wire.CLOSED)

    def _write_ahead(self) -> None:
        """Write what is waiting, as far as it may go ahead; a text that was at a crash goes alone."""
        if self._child is None or not self._ready:
            return
        assert self._child.stdin is not None
        while self._waiting and len(self._sent) < _AHEAD:
            if self._sent and (self._sent[0].crashes or self._waiting[0].crashes):
                return
            job = self._waiting.popleft()
            if job.done.cancelled():
                continue
            # Not drained: the child reads while it works, and no more than `_AHEAD` texts are ever buffered.
            self._child.stdin.write(job.request)
            self._sent.append(job)

    async def _take_answer(self, job: _Job) -> None:
        """Wait for the answer to the text that was sent first, and settle it one way or the other."""
        try:
            async with asyncio.timeout(self._limit_seconds + self._grace_seconds):
                body = await self._receive()
        except TimeoutError:
            self._sent.popleft()
            _settle(job, parse_wire.without_symbols(f"Parsing took longer than {self._limit_seconds:g} s."))
            await self._send_again()
        except (asyncio.IncompleteReadError, ConnectionError):
            job.crashes += 1
            if job.crashes > 1:
                self._sent.popleft()
                _settle(job, parse_wire.without_symbols("The parser crashed on it."))
            await self._send_again()
        else:
            if len(body) < _LARGE_ANSWER_BYTES:
                analysis = decode_analysis(body)
            else:
                analysis = await asyncio.to_thread(decode_analysis, body)
            self._sent.popleft()
            _settle(job, analysis)

    async def _send_again(self) -> None:
        """Give up the child, and put back what it was sent, in order."""
        while self._sent:
            self._waiting.appendleft(self._sent.pop())
        await self._end_child()

    async def _receive(self) -> bytes:
        """The raw bytes of the child's next message. Raises IncompleteReadError when it ends instead."""
        assert self._child is not None
        assert self._child.stdout is not None
        read = self._child.stdout.readexactly
        n_header, n_body = parse_wire.lengths(await read(parse_wire.PREFIX_BYTES))
        await read(n_header)
        return await read(n_body)

    async def _start(self) -> bool:
        """Start the child and wait until it is there; whether it is."""
        await self._end_child()
        try:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                *_interpreter_options(),
                "-m",
                self._worker,
                f"--parent={os.getpid()}",
                f"--limit-seconds={self._limit_seconds}",
                f"--nice={self._nice}",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(_START_SECONDS):
                await self._receive()
        except (OSError, asyncio.IncompleteReadError):  # TimeoutError and ConnectionError are OSErrors
            await self._end_child()
        else:
            self._ready = True
        return self._ready

    async def _end_child(self) -> None:
        """Let the child leave, by the end of its stdin, or end it, and let go of its pipes."""
        self._ready = False
        child = self._child
        if child is None:
            return
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.close()
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                await child.wait()
        except TimeoutError:
            if child.returncode is None:
                child.kill()
            await child.wait()
        # The transport closes itself when the process has ended and its pipe has been read to the end.
        while await child.stdout.read(_LARGE_ANSWER_BYTES):
            pass
        self._child = None

    def _fail_all(self, problem: str) -> None:
        for job in (*self._sent, *self._waiting):
            _settle(job, parse_wire.without_symbols(problem))
        self._sent.clear()
        self._waiting.clear()


def _interpreter_options() -> list[str]:
    """What keeps strangers' modules out of the child: at least whatever keeps them out of this process."""
    options = ["-P"]  # a folder named toolrag in the working directory is not this one
    if sys.flags.isolated:
        options.append("-I")
    if sys.flags.ignore_environment:
        options.append("-E")
    if sys.flags.no_user_site:
        options.append("-s")
    return options


def _settle(job: _Job, analysis: Analysis) -> None:
    """Give a job its analysis, unless whoever asked has gone."""
    if not job.done.done():
        job.done.set_result(analysis)
