"""What every ChatModel does, whoever runs it: those of `chat_model_factories`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, aclosing
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from chat_model_factories import FACTORIES, SILENT_SECONDS, WHOLE_AT_ONCE, Rig
from model_double import Hold, Partly, Step
from toolrag.chat import Choice, Reply, Rung, Said, ToolCall, ToolResult, ToolSpec, Turn
from toolrag.errors import ModelError, ModelErrorCode

READ = ToolSpec("read_range", "Reads lines.", {"type": "object", "properties": {"path": {"type": "string"}}})
GREP = ToolSpec("grep", "Finds lines.", {"type": "object", "properties": {}})
TURN = Turn("Be exact.", (Said("Where is it?"),), (READ, GREP), "auto", seconds=30.0)
FOUND = Reply("It is in `a.py`: ünïcode 🙂.", (), "end", "auto", 120, 7)
CALLS = Reply(
    "I look.",
    (ToolCall("one", "read_range", {"path": "ä.py"}), ToolCall("two", "grep", {})),
    "tool_use",
    "auto",
    120,
    7,
)

Make = Callable[..., Rig]


@pytest.fixture(params=list(FACTORIES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(name: str, tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as stack:

        def made(*script: Step) -> Rig:
            context: AbstractContextManager[Rig] = FACTORIES[name](script, tmp_path)
            return stack.enter_context(context)

        yield made


async def collect(rig: Rig, turn: Turn, into: list[str | Reply] | None = None) -> list[str | Reply]:
    pieces = [] if into is None else into
    async for piece in rig.model.reply(turn):
        pieces.append(piece)  # what came before an error is kept
    return pieces


def whole(pieces: list[str | Reply]) -> Reply:
    assert isinstance(pieces[-1], Reply)
    assert all(isinstance(piece, str) for piece in pieces[:-1])
    return pieces[-1]


def answered(said: Reply, told: str = "{}") -> Turn:
    """The turn in which every call of a reply is answered."""
    results = tuple(ToolResult(call.id, told, False) for call in said.calls)
    return replace(TURN, messages=(*TURN.messages, said, Said("Go on.", results)))


def test_pieces_of_text_come_first_and_the_whole_reply_last(make: Make, name: str) -> None:
    pieces = asyncio.run(collect(make(FOUND), TURN))
    reply = whole(pieces)

    assert "".join(map(str, pieces[:-1])) == reply.text == FOUND.text
    assert (reply.calls, reply.stop) == ((), "end")
    assert (reply.input_tokens, reply.output_tokens) == (120, 7)
    assert len(pieces) > 2 or name in WHOLE_AT_ONCE


def test_calls_come_with_their_names_and_arguments_in_their_order(make: Make) -> None:
    reply = whole(asyncio.run(collect(make(CALLS), TURN)))

    assert [(call.name, call.arguments) for call in reply.calls] == [("read_range", {"path": "ä.py"}), ("grep", {})]
    assert len({call.id for call in reply.calls}) == 2
    assert (reply.text, reply.stop) == ("I look.", "tool_use")


def test_a_reply_goes_back_with_the_results_of_its_calls(make: Make) -> None:
    async def converse() -> list[Reply]:
        rig = make(CALLS, FOUND)
        first = whole(await collect(rig, TURN))
        return [first, whole(await collect(rig, answered(first)))]

    first, second = asyncio.run(converse())
    assert first.calls
    assert second.text == FOUND.text


def test_an_error_as_result_and_a_call_that_could_not_be_read_go_back(make: Make) -> None:
    said = replace(CALLS, calls=(ToolCall("one", "read_range", '{"path": '), ToolCall("two", "no such tool", {})))
    results = (ToolResult("one", '{"error": "x"}', True), ToolResult("two", '{"error": "y"}', True))
    turn = replace(TURN, messages=(*TURN.messages, said, Said("", results)))

    assert whole(asyncio.run(collect(make(FOUND), turn))).text == FOUND.text


def test_a_conversation_of_blank_texts_goes_through(make: Make) -> None:
    empty = replace(FOUND, text="  \n")
    turn = replace(
        TURN, system="", messages=(Said("Where?"), empty, Said("Well?"), replace(CALLS, text=""), Said("", ()))
    )
    turn = replace(turn, messages=(*turn.messages[:-1], answered(CALLS).messages[-1]))

    assert whole(asyncio.run(collect(make(FOUND), turn))).text == FOUND.text


@pytest.mark.parametrize("choice", get_args(Choice))
def test_a_choice_is_sent_as_a_rung_of_the_ladder(make: Make, choice: Choice) -> None:
    turn = replace(TURN, choice=choice, tool="read_range" if choice == "tool" else "")
    reply = whole(asyncio.run(collect(make(replace(FOUND, rung="none" if choice == "answer" else choice)), turn)))

    ladder: dict[Choice, tuple[Rung, ...]] = {
        "tool": ("tool", "any", "auto", "schema"),
        "any": ("any", "auto", "schema"),
        "auto": ("auto",),
        "answer": ("auto", "none"),
    }
    assert reply.rung in ladder[choice]


def test_a_turn_that_may_only_answer_still_has_its_history(make: Make) -> None:
    turn = replace(answered(CALLS), choice="answer")

    assert whole(asyncio.run(collect(make(FOUND), turn))).text == FOUND.text


CODES = tuple(code for code in get_args(ModelErrorCode) if code != "timeout")


@pytest.mark.parametrize("code", CODES)
def test_an_error_is_told_once_with_its_code_and_nothing_is_tried_again(make: Make, code: ModelErrorCode) -> None:
    rig = make(ModelError(code, "As the script says.", after=7.0 if code == "throttled" else None), FOUND)
    with pytest.raises(ModelError) as error:
        asyncio.run(collect(rig, TURN))

    assert error.value.code == code
    assert error.value.message.endswith((".", "…"))
    assert error.value.after == (7.0 if code == "throttled" else None)
    assert rig.asked() == 1


def test_silence_is_a_timeout_within_the_seconds_of_the_turn(make: Make) -> None:
    rig = make(ModelError("timeout", "Too slow."))
    began = time.monotonic()
    with pytest.raises(ModelError) as error:
        asyncio.run(collect(rig, replace(TURN, seconds=SILENT_SECONDS)))

    assert error.value.code == "timeout"
    assert time.monotonic() - began < SILENT_SECONDS + 10  # far less than a provider's own timeout


def test_a_reply_that_ends_in_its_middle_is_an_error_whatever_came_before(make: Make, name: str) -> None:
    pieces: list[str | Reply] = []
    with pytest.raises(ModelError) as error:
        asyncio.run(collect(make(Partly("It is in `a.py`.", ModelError("cut", "Cut."))), TURN, pieces))

    assert error.value.code == "cut"
    assert all(isinstance(piece, str) for piece in pieces)
    assert pieces or name in WHOLE_AT_ONCE


def test_after_an_error_the_model_can_be_asked_again(make: Make) -> None:
    async def twice() -> Reply:
        rig = make(ModelError("unavailable", "Later."), FOUND)
        with pytest.raises(ModelError):
            await collect(rig, TURN)
        return whole(await collect(rig, TURN))

    assert asyncio.run(twice()).text == FOUND.text


def test_closing_a_reply_that_has_begun_ends_its_request_at_once(make: Make, name: str) -> None:
    rig = make(Hold("It is"))

    async def close() -> None:
        async with aclosing(rig.model.reply(TURN)) as pieces:
            if name in WHOLE_AT_ONCE:
                task = asyncio.ensure_future(anext(pieces))
                await until(lambda: rig.asked() == 1)
                task.cancel()
                await asyncio.wait([task])
            else:
                assert await anext(pieces)

    asyncio.run(close())
    assert rig.left()
    assert rig.asked() == 1


def test_cancelling_a_reply_that_has_not_begun_ends_its_request_at_once(make: Make) -> None:
    rig = make(Hold())

    async def cancel() -> None:
        task = asyncio.ensure_future(collect(rig, TURN))
        await until(lambda: rig.asked() == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert rig.left()
    assert rig.asked() == 1


def test_two_replies_at_once_do_not_touch_each_other(make: Make) -> None:
    rig = make(Hold("It is"), FOUND)

    async def both() -> Reply:
        async with aclosing(rig.model.reply(TURN)) as held:
            begun = asyncio.ensure_future(anext(held))
            await until(lambda: rig.asked() == 1)
            other = whole(await collect(rig, TURN))
            begun.cancel()
            await asyncio.wait([begun])
        return other

    assert asyncio.run(both()).text == FOUND.text


def test_the_name_is_what_a_user_writes(make: Make, name: str) -> None:
    provider, colon, model = make().model.id.partition(":")

    assert provider == name.split(",")[0]
    assert (colon, bool(model)) == (("", False) if provider == "editor" else (":", True))


async def until(happened: Callable[[], bool]) -> None:
    """Lets the loop run until something has happened; 10 seconds at most."""
    async with asyncio.timeout(10):
        while not happened():
            await asyncio.sleep(0.005)


def test_a_reply_is_an_async_iterator(make: Make) -> None:
    async def ask() -> bool:
        pieces = make(FOUND).model.reply(TURN)
        return isinstance(pieces, AsyncIterator) and bool([piece async for piece in pieces])

    assert asyncio.run(ask())
