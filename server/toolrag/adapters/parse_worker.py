"""The parse process: reads texts from its parent, answers with their analyses, and goes when its parent goes.

Run as `python -P -m toolrag.adapters.parse_worker`, with a pipe at each of stdin and stdout; `parse_process` is the
other end. A grammar may crash, hang or hold the interpreter's lock here without harm to anyone. Absent on purpose:
files, sockets, and any handling of its own faults; a process that fails ends, and its parent says on which text.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Final

from toolrag.adapters import parse_wire
from toolrag.retrieval.spans import parse_source
from toolrag.retrieval.terms import file_terms
from toolrag.symbols import Analysis
from toolrag.text import Text

_PR_SET_PDEATHSIG: Final = 1

Analyse = Callable[[str, str, float], Analysis]
"""What is done with a text: it, its language, and the seconds a parse may take."""


def analyse(text: str, language: str, limit_seconds: float) -> Analysis:
    """Spans and terms of one text; past its time it has no spans, but terms."""
    deadline = time.monotonic() + limit_seconds
    parsed = parse_source(text, language, lambda: time.monotonic() > deadline)
    return Analysis(parsed, file_terms(Text(text), parsed))


def run(arguments: Sequence[str] | None = None, work: Analyse = analyse) -> None:
    """Serve until stdin ends, then leave at once."""
    incoming, outgoing = _take_the_wire()
    # Ctrl-C at a terminal reaches the whole group; what to do then is the parent's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    options = argparse.ArgumentParser(prog="toolrag.adapters.parse_worker", description=__doc__)
    options.add_argument("--parent", type=int, required=True, help="process id of the parent")
    options.add_argument("--limit-seconds", type=float, required=True, help="how long one parse may take")
    options.add_argument("--nice", type=int, default=0, help="how much lower than the parent's the priority is")
    given = options.parse_args(arguments)
    _die_with(given.parent)
    if given.nice and hasattr(os, "nice"):
        os.nice(given.nice)

    requests: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(incoming, requests), name="requests", daemon=True).start()
    _send(outgoing, parse_wire.frame({}))
    while True:
        text, language = parse_wire.read_request(*requests.get())
        _send(outgoing, parse_wire.answer(work(text, language, given.limit_seconds)))


def _send(outgoing: IO[bytes], frame: bytes) -> None:
    """One message to the parent; where nobody reads any more, there is nothing left to do."""
    try:
        outgoing.write(frame)
        outgoing.flush()
    except BrokenPipeError:
        os._exit(0)


def _take_the_wire() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes to the parent, on descriptors nobody else knows: what is printed here goes to stderr."""
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")


def _die_with(parent: int) -> None:
    """On Linux have the kernel end this process with its parent; elsewhere the end of stdin tells, see `_receive`.

    The signal comes when the thread that started this process ends (prctl(2)): the event loop's.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def _receive(incoming: IO[bytes], requests: queue.SimpleQueue[tuple[bytes, bytes]]) -> None:
    """Queue what the parent asks; at the end of the pipe, which is the end of the parent's wish, leave at once."""
    while (request := parse_wire.read_frame(incoming.read)) is not None:
        requests.put(request)
    os._exit(0)


if __name__ == "__main__":
    run()
