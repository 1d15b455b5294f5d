"""Answer a question and keep a journal of how: the answer is never lost for want of one."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Final

from toolrag import __version__
from toolrag.adapters.journal import Journals
from toolrag.answer.journal import events
from toolrag.answer.journal.chain import seal
from toolrag.answer.journal.outside import Outside, Run
from toolrag.answer.journal.recording import Recording
from toolrag.answer.types import Answer
from toolrag.errors import ConfigError
from toolrag.ports import Scope

EVERYWHERE: Final = Scope()

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Journaled:
    """An answerer whose every run is kept, where journals are."""

    run: Run
    outside: Outside
    journals: Journals | None
    """None where none are wanted, or can be."""
    roots: tuple[str, ...]
    """Real paths of the folders that are asked about."""

    async def answer(self, text: str, scope: Scope = EVERYWHERE, asked: str | None = None) -> Answer:
        """An answer, kept before it is given: whoever has its `journal` can replay it.

        `asked` is the question as the user put it, where `text` is not. A run that is cancelled leaves nothing.
        """
        if self.journals is None:
            return await self.run(self.outside, text, scope)
        words = text if asked is None else asked
        start = events.run_start(
            text,
            scope,
            self.outside.model_name,
            self.outside.settings,
            asked=words,
            roots=self.roots,
            version=__version__,
            earlier=self.outside.earlier,
        )
        recording = Recording(start)
        answer = await self.run(recording.outside(self.outside), text, scope)
        kept = await asyncio.to_thread(_keep, self.journals, recording, answer, self.roots)
        return replace(answer, journal=answer.id) if kept else answer


def _keep(journals: Journals, recording: Recording, answer: Answer, roots: tuple[str, ...]) -> bool:
    """Whether a run is kept; one log line where it is not."""
    try:
        journals.keep(answer.id, seal(recording.events(answer)), roots)
    except ConfigError as error:
        log.warning("%s The journal of this run is not kept.", error)
    except OSError as error:
        log.warning("The journal of this run could not be kept (%s).", error.strerror or type(error).__name__)
    except (TypeError, ValueError, RecursionError) as error:
        # A model can put into its arguments whatever its provider takes for JSON.
        log.warning("The journal of this run could not be written (%s).", type(error).__name__)
    else:
        return True
    return False
