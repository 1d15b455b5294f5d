"""The scripted model finds every way in which a turn is wrong."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest
from model_double import Partly, ScriptedModel, assert_askable
from toolrag.chat import Choice, Message, Reply, Said, ToolCall, ToolResult, ToolSpec, Turn
from toolrag.errors import ModelError

READ = ToolSpec("read_range", "Reads lines.", {"type": "object", "properties": {}})
CALLED = Reply("", (ToolCall("a", "read_range", {}), ToolCall("b", "read_range", "{")), "tool_use", "any")
TOLD = Said("", (ToolResult("a", "{}", False), ToolResult("b", "{}", True)))
TURN = Turn("Be exact.", (Said("Where?"), CALLED, TOLD), (READ,), "auto")


def turn(*messages: Message, choice: Choice = "auto", tool: str = "", tools: tuple[ToolSpec, ...] = (READ,)) -> Turn:
    return Turn("", messages, tools, choice, tool)


async def everything(model: ScriptedModel, asked: Turn) -> list[str | Reply]:
    return [piece async for piece in model.reply(asked)]


def test_a_turn_as_it_should_be_is_taken() -> None:
    assert_askable(TURN)
    assert_askable(turn(Said("Where?"), choice="tool", tool="read_range"))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        pytest.param(turn(), "no messages", id="nothing was said"),
        pytest.param(turn(Said("a"), Said("b")), "message 1 is no Reply", id="two messages of ours"),
        pytest.param(turn(CALLED), "message 0 is no Said", id="the model speaks first"),
        pytest.param(turn(Said("a"), CALLED), "the model's own", id="the model speaks last"),
        pytest.param(turn(Said(" ")), "says nothing", id="a blank message"),
        pytest.param(turn(Said("a"), CALLED, Said("b")), "the calls were", id="calls that nobody answered"),
        pytest.param(turn(Said("a"), CALLED, Said("", TOLD.results[:1])), "the calls were", id="one of two answered"),
        pytest.param(turn(Said("a"), CALLED, Said("", TOLD.results[::-1])), "the calls were", id="another order"),
        pytest.param(turn(Said("a", TOLD.results)), "the calls were", id="a result without a call"),
        pytest.param(turn(Said("a"), CALLED, TOLD, CALLED, TOLD), "comes twice", id="an id used again"),
        pytest.param(
            turn(Said("a"), replace(CALLED, calls=CALLED.calls[:1]), Said("", (ToolResult("a", "[]", False),))),
            "no JSON object",
            id="a result that is a list",
        ),
        pytest.param(turn(Said("a"), choice="tool", tool="grep"), "none of", id="an unknown tool"),
        pytest.param(turn(Said("a"), choice="any", tools=()), "there is no tool", id="a call without tools"),
        pytest.param(turn(Said("a"), tools=(READ, READ)), "given twice", id="a tool given twice"),
        pytest.param(turn(Said("a"), tools=(replace(READ, name="read-range"),)), "name", id="a hyphen in a name"),
        pytest.param(turn(Said("a"), tools=(replace(READ, parameters={}),)), "no object", id="no schema"),
        pytest.param(replace(TURN, seconds=0.0), "no time", id="no time"),
        pytest.param(replace(TURN, max_tokens=0), "no tokens", id="no tokens"),
    ],
)
def test_a_wrong_turn_is_found(wrong: Turn, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        asyncio.run(everything(ScriptedModel(CALLED), wrong))


def test_it_speaks_in_pieces_and_then_gives_the_whole() -> None:
    said = Reply("It is in `a.py`.", (), "end", "auto")

    assert asyncio.run(everything(ScriptedModel(said, pieces=6), TURN)) == ["It is ", "in `a.", "py`.", said]


def test_it_breaks_off_as_the_script_says_and_then_has_no_more() -> None:
    cut = ModelError("cut", "The reply ended in its middle.")
    model = ScriptedModel(cut, Partly("It", cut), lambda asked: Reply(asked.system, (), "end", "auto"))

    async def ask() -> None:
        for _ in range(2):
            with pytest.raises(ModelError, match="ended in its middle"):
                await everything(model, TURN)
        assert (await everything(model, TURN))[-1] == Reply("Be exact.", (), "end", "auto")
        with pytest.raises(AssertionError, match="no more"):
            await everything(model, TURN)

    asyncio.run(ask())
    assert (len(model.turns), model.left) == (4, 0)


def test_it_counts_replies_that_were_closed() -> None:
    model = ScriptedModel(Reply("a long text", (), "end", "auto"))

    async def ask() -> None:
        async with aclosing(model.reply(TURN)) as pieces:
            await anext(pieces)

    asyncio.run(ask())
    assert model.closed == 1
