"""`toolrag replay` and `toolrag journal`: run kept runs again, list them, and clear them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from toolrag import app
from toolrag.answer.checking_wire import verify_answer_wire
from toolrag.answer.journal.replay import Report
from toolrag.answer.prose import visible
from toolrag.config import Settings
from toolrag.errors import ConfigError
from toolrag.render import Look


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay, and how the citations of its answer stand now where that was asked."""

    report: Report
    citations: Sequence[Mapping[str, Any]] | None

    def wire(self) -> dict[str, object]:
        """The report of PROTOCOL section 5."""
        return {
            **self.report.wire(),
            **({} if self.citations is None else {"citations": list(self.citations)}),
        }

    def lines(self, look: Look) -> Iterator[str]:
        """What came of it, then a line for each citation."""
        report = self.report
        if report.question:
            yield f"{look.strong(visible(report.question))}  {look.dim(visible(report.model))}"
        if report.reproduced:
            yield f"{report.run}  {look.good('reproduced')}  the same answer, byte for byte"
        else:
            state = "not reproduced" if report.chain == "whole" else report.chain
            why = "" if report.divergence is None else visible(report.divergence.message)
            yield f"{report.run}  {look.strong(state)}  {why}"
        for one in self.citations or ():
            standing = str(one["standing"])
            painted = look.good(standing) if standing == "verified" else look.strong(standing)
            yield f"{visible(one['id'])}  {look.link(visible(one['written']))}  {painted}{_where(one)}"


def replay(given: str, settings: Settings, *, verify: bool, root: str | None) -> Replayed:
    """Run a run again, and look at the live files where `verify` says so: at `root`, else where the run was.

    Raises ConfigError for an unknown run, and for a folder that is no longer there.
    """

    async def replayed() -> Replayed:
        journals = app.Journals(settings.journal)
        report = await app.replayed_here(journals.find(given), journals, settings)
        if not verify or report.recorded is None:
            return Replayed(report, [] if verify else None)
        roots = [root] if root is not None else report.roots
        if not roots:
            raise ConfigError("This run was in no folder. Name one for --verify with --root.")
        with app.open_places(roots, settings) as places:

            async def elsewhere() -> AsyncIterator[str]:
                for place in places:
                    async for path in place.files():
                        yield path

            found: Mapping[str, Any] = await verify_answer_wire(report.recorded, places[0].documents, elsewhere)
        return Replayed(report, found["citations"])

    return asyncio.run(replayed())


def kept(settings: Settings) -> list[dict[str, object]]:
    """`{run, when, model, question, bytes}` of each run that is kept, the latest first; `when` is in UTC."""
    return [
        {
            "run": one.run,
            "when": datetime.fromtimestamp(one.when, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "model": one.model,
            "question": one.question,
            "bytes": one.bytes,
        }
        for one in app.Journals(settings.journal).runs()
    ]


def listed(runs: Sequence[Mapping[str, object]], look: Look) -> Iterator[str]:
    """A line for each run that is kept."""
    for one in runs:
        when = datetime.fromisoformat(str(one["when"])).astimezone().strftime("%Y-%m-%d %H:%M")
        question = visible(" ".join(str(one["question"]).split())) or look.strong("damaged")
        yield f"{look.link(str(one['run']))}  {look.dim(when)}  {visible(str(one['model']))}  {question}"
    if not runs:
        yield "No run is kept."


def clear(settings: Settings) -> dict[str, object]:
    """Remove every journal: `{runs, bytes}` that were removed."""
    cleared = app.Journals(settings.journal).clear()
    return {"runs": cleared.runs, "bytes": cleared.bytes}


def cleared(removed: Mapping[str, object], look: Look) -> Iterator[str]:
    """What was removed."""
    many = "" if removed["runs"] == 1 else "s"
    yield look.strong(f"Removed {removed['runs']:,} run{many}, {removed['bytes']:,} bytes.")


def _where(one: Mapping[str, Any]) -> str:
    """Where a citation's lines are now, if that is another place, or why there is no text."""
    if one["standing"] == "moved":
        lines = one["lines"]
        return f"  → {lines['start']}-{lines['end']}" if lines["start"] != lines["end"] else f"  → {lines['start']}"
    return f"  {visible(one['message'])}" if "message" in one else ""
