"""A parse process that does what the text says, run as `python -m parse_worker_double`.

`hang` never answers, `die` kills the process, `die once PATH` does so unless PATH exists, `print` writes to stdout
first; any other text is parsed.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from toolrag.adapters.parse_worker import analyse, run
from toolrag.symbols import Analysis


def obey(text: str, language: str, limit_seconds: float) -> Analysis:
    """What the text says, then its analysis."""
    command, _, argument = text.partition(" once ")
    if command == "hang":
        threading.Event().wait()
    elif command == "die" and not (argument and Path(argument).exists()):
        if argument:
            Path(argument).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    elif command == "print":
        print("printed by a grammar", flush=True)
    return analyse(text, language, limit_seconds)


if __name__ == "__main__":
    run(work=obey)
