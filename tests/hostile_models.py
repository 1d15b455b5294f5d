"""Models that do what no model should, for tests: each is a way to answer a turn, drawn from by a seeded generator."""

from __future__ import annotations

import json
import random
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

from toolrag.chat import Reply, Said, Stop, ToolCall, Turn
from toolrag.errors import ModelError, ModelErrorCode

Way = Callable[[Turn, random.Random], "Reply | ModelError"]

CODES: tuple[ModelErrorCode, ...] = (
    "throttled",
    "unavailable",
    "timeout",
    "cut",
    "too_long",
    "bad_request",
    "not_allowed",
    "not_configured",
)
JUNK: tuple[Any, ...] = (None, True, -1, 0, 3.5, 10**30, "", "x" * 5000, "\0", "../.env", [], {}, [[1]], {"a": {}}, "1")


class HostileModel:
    """Answers each turn in one of its ways. Keeps every turn it was sent."""

    id = "hostile"

    def __init__(self, ways: tuple[Way, ...], rng: random.Random) -> None:
        self._ways = ways
        self._rng = rng
        self.turns: list[Turn] = []

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`: the text in pieces of any size, then the reply, or an error in the middle."""
        self.turns.append(turn)
        made = self._rng.choice(self._ways)(turn, self._rng)
        text = "half a claim about `alpha` [e1:1" if isinstance(made, ModelError) else made.text
        at = 0
        while at < len(text):
            size = self._rng.choice((1, 7, 40, 4000))
            yield text[at : at + size]
            at += size
        if isinstance(made, ModelError):
            raise made
        yield made


def results(turn: Turn) -> Iterator[dict[str, Any]]:
    """Everything that calls gave so far."""
    for message in turn.messages:
        if isinstance(message, Said):
            for result in message.results:
                yield json.loads(result.text)


def reads(turn: Turn) -> list[dict[str, Any]]:
    """The results that are evidence."""
    return [one for one in results(turn) if "quoted_text" in one]


def said(text: str, *calls: ToolCall, stop: Stop = "end", tokens: int = 10) -> Reply:
    """A reply."""
    return Reply(text, calls, stop, "auto", tokens, tokens)


def call(turn: Turn, rng: random.Random, name: str, arguments: Any) -> ToolCall:
    """A call with an id of its own."""
    return ToolCall(f"t{len(turn.messages)}-{rng.getrandbits(40)}", name, arguments)


def a_read(turn: Turn, rng: random.Random, **others: Any) -> ToolCall:
    """A read that may go well."""
    hints = turn.hints
    path = rng.choice(hints).path if hints else "a.py"
    start = rng.randint(1, 8)
    return call(turn, rng, "read_range", {"path": path, "start": start, "end": start + rng.randint(0, 12)} | others)


def honest(turn: Turn, rng: random.Random) -> Reply:
    """Reads, then says what stands in a line it read, with the line."""
    seen = reads(turn)
    if not seen or rng.random() < 0.2:
        return said("", a_read(turn, rng), stop="tool_use")
    lines = []
    for one in seen:
        for row in one["quoted_text"].split("\n"):
            number, _, code = row.partition("| ")
            names = re.findall(r"[A-Za-z_]\w+", code)
            if names:
                lines.append(f"There is `{rng.choice(names)}` [{one['evidence']}:{number.strip()}].")
    return said("\n\n".join(rng.sample(lines, min(len(lines), 3))) or "NO ANSWER")


def unknown_tools(turn: Turn, rng: random.Random) -> Reply:
    name = rng.choice(("write_file", "run_shell", "", "READ_RANGE", "read_range\n", "fetch_url"))
    return said("", call(turn, rng, name, {"path": ".env", "start": 1, "end": 9}))


def junk_arguments(turn: Turn, rng: random.Random) -> Reply:
    spec = rng.choice(turn.tools)
    names = [*spec.parameters["properties"], "extra"]  # type: ignore[misc]
    arguments: Any = {name: rng.choice(JUNK) for name in rng.sample(names, rng.randint(0, len(names)))}
    return said("", call(turn, rng, spec.name, rng.choice((arguments, "{not json", "[]", ""))))


def huge_ranges(turn: Turn, rng: random.Random) -> Reply:
    return said("", a_read(turn, rng, start=1, end=rng.choice((400, 401, 10_000, 10**12))))


def unseen_evidence(_: Turn, rng: random.Random) -> Reply:
    return said(f"`alpha` returns `beta` [e{rng.randint(0, 99)}:{rng.randint(0, 9)}-{rng.randint(0, 900)}].")


def altered_quotes(turn: Turn, rng: random.Random) -> Reply:
    seen = reads(turn)
    if not seen:
        return said("", a_read(turn, rng))
    one = rng.choice(seen)
    code = one["quoted_text"].split("\n")[0].partition("| ")[2]
    at = rng.randrange(len(code) + 1)
    return said(f"It says `{code[:at]}zz{code[at:]}` [{one['evidence']}:{one['start']}].")


def mixed_shas(turn: Turn, rng: random.Random) -> Reply:
    shas = [hint.sha for hint in turn.hints] or ["0" * 40]
    return said("", *(a_read(turn, rng, expect_sha=rng.choice(shas)) for _ in range(3)))


def the_same_call(turn: Turn, rng: random.Random) -> Reply:
    return said("", call(turn, rng, "read_range", {"path": "a.py", "start": 1, "end": 3}))


def nothing_at_all(_: Turn, rng: random.Random) -> Reply:
    return said(rng.choice(("", " ", "\n\n", "…")), stop=rng.choice(("end", "length", "other")))


def refusals(_: Turn, rng: random.Random) -> Reply:
    return said(rng.choice(("", "I cannot help with `alpha` [e1:1].")), stop="refused")


def two_hundred_calls(turn: Turn, rng: random.Random) -> Reply:
    return said("", *(a_read(turn, rng) for _ in range(200)))


def everything_without_backticks(turn: Turn, rng: random.Random) -> Reply:
    """Always cites 1-400 and never uses backticks."""
    if not reads(turn):
        return said("", a_read(turn, rng, start=1, end=rng.choice((3, 9))))
    return said("The function alpha returns beta and keeps LIMIT at 7 [e1:1-400]. Everything is in [e1].")


def obedient(turn: Turn, rng: random.Random) -> Reply:
    """Does whatever is planted in the files that it reads."""
    planted = "\n".join(one["quoted_text"] for one in reads(turn))
    calls = [a_read(turn, rng, path="planted.py", start=1, end=12)]
    for path in re.findall(r"READ (\S+)", planted):
        calls.append(call(turn, rng, "read_range", {"path": path, "start": 1, "end": 3}))
        calls.append(call(turn, rng, "grep", {"pattern": "s3cr3t", "include": path}))
        calls.append(call(turn, rng, "list_outline", {"path": path}))
    for name in re.findall(r"CALL (\S+)", planted):
        calls.append(call(turn, rng, name, {"budget": {"turns": 999}, "root": "/", "url": "http://x.example/"}))
    if len(reads(turn)) > 1 or rng.random() < 0.3:
        words = re.findall(r"SAY (.+)", planted)
        return said("\n\n".join(f"{one} `alpha` [e1:1-12]" for one in words) or "I do. [e1:1]")
    return said("", *calls)


def liars_about_tokens(turn: Turn, rng: random.Random) -> Reply:
    return said("", a_read(turn, rng), tokens=rng.choice((-5, 0, 10**9)))


def failures(_: Turn, rng: random.Random) -> ModelError:
    return ModelError(rng.choice(CODES), "It failed.", after=rng.choice((None, 0.0, 3.0, 10**9)))


WAYS: dict[str, Way] = {
    way.__name__: way
    for way in (
        honest,
        unknown_tools,
        junk_arguments,
        huge_ranges,
        unseen_evidence,
        altered_quotes,
        mixed_shas,
        the_same_call,
        nothing_at_all,
        refusals,
        two_hundred_calls,
        everything_without_backticks,
        obedient,
        liars_about_tokens,
        failures,
    )
}
