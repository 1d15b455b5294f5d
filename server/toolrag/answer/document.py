"""An answer as a Markdown document of its own, with pinned citations. Pure.

Nothing of a file, a name or the question is markup in it; a claim's text is Markdown already, without HTML, links or
images.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolrag.answer.citations import place_of, written
from toolrag.answer.prose import code, markdown, visible
from toolrag.answer.types import Answer, Citation

SHOWN_LINES: Final = 12
"""Lines of a claim's first citation that are shown below it."""


def document_of(answer: Answer) -> str:
    """The answer: its question, each claim with its citations, and the lines of the first of them."""
    return "\n\n".join(_parts(answer)) + "\n"


def _parts(answer: Answer) -> Iterator[str]:
    files = "1 file" if answer.searched.files == 1 else f"{answer.searched.files:,} files"
    yield f"# {markdown(answer.question)}"
    yield f"{code(answer.model)}, {files} searched"
    if answer.reason is not None:
        yield markdown(answer.reason.message)
    cited = {citation.id: citation for citation in answer.citations}
    for claim in answer.claims:
        citations = [cited[name] for name in claim.citations]
        yield claim.text
        yield "\n".join(f"- {code(written(citation))}" for citation in citations)
        yield _quoted(citations[0])
    if answer.callers is not None and answer.callers.count:
        count, more = answer.callers.count, "" if answer.callers.complete else " or more"
        said = "1 place" if count == 1 and not more else f"{count:,}{more} places"
        yield f"{code(f'{answer.callers.name}(')} is named at {said}."
    if answer.candidates:
        places = [code(place_of(one.path, one.lines)) for one in answer.candidates]
        yield f"{'Also looked at' if answer.claims else 'Where to look'}: {', '.join(places)}"


def _quoted(citation: Citation) -> str:
    """The first of the cited lines, in a fence that none of them closes."""
    lines = [visible(line, keep="\t") for line in citation.snapshot.text.lines(citation.lines)]
    shown, rest = lines[:SHOWN_LINES], lines[SHOWN_LINES:]
    longest = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    more = [f"… {len(rest)} more" if len(rest) > 1 else "… 1 more"] if rest else []
    return "\n".join([fence, *shown, *more, fence])
