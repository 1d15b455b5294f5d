"""Ask real code questions whose answers were looked up by hand, and say where each answer's first citation lands.

    python server/benchmarks/questions.py FOLDER

FOLDER is what `fetch_corpora.py` made. A question counts when the first citation overlaps one of its gold places.
Exit code 1 when fewer than three quarters do, so that a change which spoils answers is seen.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from fetch_corpora import CORPORA
from toolrag import app
from toolrag.answer.citations import place
from toolrag.config import Settings

# Where an expert would look, as path:first-last, written down from the sources before the answers were read.
QUESTIONS: dict[str, list[tuple[str, list[str]]]] = {
    "requests": [
        ("where are retries configured", ["src/requests/adapters.py:72-72", "src/requests/adapters.py:143-206"]),
        ("who calls prepare_auth", ["src/requests/models.py:351-377", "src/requests/sessions.py:282-300"]),
        (
            "how does a session decide whether to follow a redirect?",
            ["src/requests/sessions.py:106-280", "src/requests/sessions.py:673-746", "src/requests/models.py:769-774"],
        ),
        (
            "what happens when there are too many redirects?",
            ["src/requests/sessions.py:189-193", "src/requests/exceptions.py:95-96"],
        ),
        ("where is the default user agent built?", ["src/requests/utils.py:881-901"]),
    ],
    "flask": [
        ("what happens when a view returns None?", ["src/flask/app.py:1129-1269"]),
        ("how is the session cookie signed?", ["src/flask/sessions.py:298-335", "src/flask/sessions.py:351-400"]),
        ("who calls full_dispatch_request", ["src/flask/app.py:1479-1520"]),
        ("what does url_for do?", ["src/flask/app.py:1003-1127", "src/flask/helpers.py:195-249"]),
    ],
    "django": [
        (
            "how does the ORM build a SQL join",
            [
                "django/db/models/sql/datastructures.py:30-136",
                "django/db/models/sql/query.py:1121-1173",
                "django/db/models/sql/query.py:1850-1965",
                "django/db/models/sql/compiler.py:1139-1170",
            ],
        ),
        (
            "where are passwords hashed?",
            ["django/contrib/auth/hashers.py:36-133", "django/contrib/auth/hashers.py:204-680"],
        ),
        ("how is the CSRF token checked?", ["django/middleware/csrf.py:349-405", "django/middleware/csrf.py:130-170"]),
        ("what does select_related do?", ["django/db/models/query.py:1599-1621"]),
    ],
}
LEAST = 0.75


async def ask(root: Path, questions: list[tuple[str, list[str]]]) -> list[bool]:
    """Whether each question's first citation lands on a gold place; prints a line for each."""
    landed = []
    began = time.perf_counter()
    with app.open_place(str(root), Settings()) as opened:
        async with app.open_workspace(opened, refresh=True, progress=lambda *_: None) as workspace:
            print(f"{root.name}: ready after {time.perf_counter() - began:.2f} s")
            for question, gold in questions:
                answer = await workspace.extractive().answer(question)
                first = answer.citations[0] if answer.citations else None
                landed.append(
                    first is not None
                    and any(overlaps(first.snapshot.path, first.lines.start + 1, first.lines.end, one) for one in gold)
                )
                print(f"  {'ok  ' if landed[-1] else 'MISS'} {question}  →  {place(first) if first else 'nothing'}")
    return landed


def overlaps(path: str, start: int, end: int, gold: str) -> bool:
    """Whether lines of a file share one with a gold place."""
    gold_path, _, lines = gold.rpartition(":")
    first, last = (int(number) for number in lines.split("-"))
    return path == gold_path and start <= last and first <= end


def main(folder: Path) -> None:
    landed = [
        one
        for name, questions in QUESTIONS.items()
        for one in asyncio.run(ask(folder / f"{name}-{CORPORA[name]}", questions))
    ]
    share = sum(landed) / len(landed)
    print(f"{sum(landed)} of {len(landed)} first citations land where an expert would look ({share:.0%})")
    if share < LEAST:
        sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
