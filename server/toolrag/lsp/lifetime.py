"""The server ends when its client does: by its process, by a signal, and in the end by force."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_POLL_SECONDS: Final = 5.0
"""How often the client's process is looked for, where the system cannot tell when it ends."""

GRACE_SECONDS: Final = 10.0
"""How long the server may take to end. A read from a disk that hangs holds its thread, and with it the process."""


def end_by_force(code: int) -> None:
    """End this process in GRACE_SECONDS, if it has not ended by itself. May be called from any thread."""
    timer = threading.Timer(GRACE_SECONDS, os._exit, [code])
    timer.daemon = True
    timer.start()


@contextmanager
def ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """While it lasts, the signals that ask a process to end call `end` on the running loop."""
    loop = asyncio.get_running_loop()
    wanted = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]
    before = {one: signal.getsignal(one) for one in wanted}
    for one in wanted:
        if sys.platform == "win32":
            signal.signal(one, lambda *_: loop.call_soon_threadsafe(end))
        else:
            loop.add_signal_handler(one, end)
    try:
        yield
    finally:
        for one, handler in before.items():
            if sys.platform != "win32":
                loop.remove_signal_handler(one)
            signal.signal(one, handler)


async def process_ended(pid: int) -> None:
    """Returns when a process has ended; at once for one that is not there.

    On Linux by a descriptor of the process, which cannot come to mean another one, and costs nothing meanwhile.
    """
    if sys.platform == "linux":
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        except OSError:  # an old kernel, or a sandbox without the call
            await _polled(pid)
            return
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(descriptor, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)
    else:
        await _polled(pid)


async def _polled(pid: int) -> None:
    while is_running(pid):
        await asyncio.sleep(_POLL_SECONDS)


def is_running(pid: int) -> bool:
    """Whether there is such a process, of whoever."""
    if sys.platform == "win32":
        # os.kill would end it there, whatever the signal.
        import ctypes

        synchronize, timed_out = 0x00100000, 0x102
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(synchronize, False, pid)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == timed_out)
        finally:
            kernel.CloseHandle(handle)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
