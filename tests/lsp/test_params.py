"""Params become what a method takes, or one sentence that names the member; and every wrong one gets -32602."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsp_doubles import Client, talk
from toolrag.lsp import editor_params, params
from toolrag.lsp.editor_params import Change, Changed, FoldersChanged
from toolrag.lsp.methods import NOTIFICATIONS, REQUESTS
from toolrag.ports import Scope
from toolrag.session.types import Folder
from toolrag.text import LineRange, Position

URI = "file:///c%3A/x/a%20b.py"
Q: dict[str, object] = {"question": "what?"}


def a_range(*places: int) -> dict[str, object]:
    line, character, end_line, end_character = places
    return {"start": {"line": line, "character": character}, "end": {"line": end_line, "character": end_character}}


def test_an_ask_with_everything() -> None:
    """Names are the wire's, unknown members are passed over, and the URI stays as it was given."""
    given = {
        "question": "what is this?",
        "textDocument": {"uri": URI, "version": 3},
        "selection": a_range(2, 4, 4, 1),
        "scope": {"include": ["src/**"], "exclude": ["*.md"], "class": 1},
        "model": "extractive",
        "budget": {"toolCalls": 3, "seconds": 5.0, "tool_calls": "unknown here"},
        "follows": "0123",
        "workDoneToken": 7,
        "partialResultToken": "p",
        "type_name": "swallowed by pygls",
    }
    assert params.ask(given) == params.Ask(
        "what is this?", URI, LineRange(2, 5), Scope(("src/**",), ("*.md",)), "extractive",
        {"tool_calls": 3, "seconds": 5}, "0123", 7, "p",
    )  # fmt: skip


def test_what_is_optional_may_be_absent_or_null() -> None:
    names = "textDocument selection scope model budget follows workDoneToken partialResultToken".split()
    assert params.ask(Q) == params.ask({**Q, **dict.fromkeys(names)}) == params.Ask("what?")
    assert (
        params.search({"query": "q"}) == params.search({"query": "q", "limit": None}) == params.Search("q", 10, Scope())
    )
    assert params.read_range({"path": "a", "start": 1, "end": 2.0}) == params.ReadRange("a", 1, 2, None)
    assert params.ask({**Q, "scope": [], "budget": []}) == params.Ask("what?")  # how Lua writes an empty object
    assert params.verify({"text": "", "answer": None}) == params.Verify("", {})
    assert params.verify({"answer": {}}) == params.Verify(None, {})


@pytest.mark.parametrize(
    ("places", "lines"),
    [
        pytest.param((3, 4, 3, 4), LineRange(3, 4), id="a cursor is on its line"),
        pytest.param((3, 0, 3, 9), LineRange(3, 4), id="within a line"),
        pytest.param((3, 1, 5, 1), LineRange(3, 6), id="over lines"),
        pytest.param((3, 0, 5, 0), LineRange(3, 5), id="whole lines, up to the start of the next"),
        pytest.param((5, 0, 3, 0), LineRange(3, 5), id="made from its end"),
    ],
)
def test_a_selection_is_the_lines_it_touches(places: tuple[int, ...], lines: LineRange) -> None:
    selected = params.ask({**Q, "textDocument": {"uri": URI}, "selection": a_range(*places)})
    assert selected.selection == lines


@pytest.mark.parametrize(
    ("given", "folders"),
    [
        pytest.param({}, [], id="none"),
        pytest.param({"rootPath": "/x/y"}, [Folder("file:///x/y", "y")], id="a path"),
        pytest.param(
            {"rootUri": "file:///x/y%20z/", "rootPath": "/q"}, [Folder("file:///x/y%20z/", "y z")], id="a URI"
        ),
        pytest.param({"rootUri": "file:///"}, [Folder("file:///", "file:///")], id="the top"),
        pytest.param({"workspaceFolders": [], "rootUri": "file:///q"}, [], id="an empty list is no folder"),
        pytest.param(
            {"workspaceFolders": [{"uri": "file://localhost/x/%2e%2e/y", "name": "Y"}, {"uri": "file:///z"}]},
            [Folder("file://localhost/x/%2e%2e/y", "Y"), Folder("file:///z", "z")],
            id="folders, exactly as they were given",
        ),
    ],
)
def test_the_folders_at_the_start(given: dict[str, object], folders: list[Folder]) -> None:
    assert list(editor_params.initialize(given).folders) == folders


@pytest.mark.parametrize(
    ("offered", "encoding"),
    [
        (["utf-32", "utf-16"], "utf-32"),
        (["utf-7", "utf-8", "utf-16"], "utf-8"),
        (["utf-16", "utf-8"], "utf-16"),
        (["utf-7"], "utf-16"),
        ([], "utf-16"),
        ([3, None, ["utf-8"]], "utf-16"),
        (None, "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
def test_the_encoding_is_the_first_of_the_client_s_that_is_known(offered: object, encoding: str) -> None:
    given = {"capabilities": {"general": {"positionEncodings": offered}}}
    assert editor_params.initialize(given).encoding == encoding


@pytest.mark.parametrize(
    "capabilities", [None, 3, [], "x", {"general": 3}, {"window": []}, {"workspace": {"configuration": 1}}]
)
def test_capabilities_that_are_not_understood_count_as_absent(capabilities: object) -> None:
    client = editor_params.initialize({"capabilities": capabilities, "trace": {"a": 1}})
    assert (client.work_done_progress, client.watches_files, client.answers_settings) == (False, False, False)
    assert client.trace == "off"


def test_edits_and_folders() -> None:
    changed = editor_params.changed(
        {
            "textDocument": {"uri": URI, "version": None},
            "contentChanges": [{"text": "\ud800"}, {"range": a_range(1, 2, 0, 0), "rangeLength": "odd", "text": ""}],
        }
    )
    assert changed == Changed(URI, (Change(None, "\ud800"), Change((Position(1, 2), Position(0, 0)), "")), None)
    assert editor_params.folders_changed({"event": {"added": [{"uri": URI, "name": "n"}]}}) == FoldersChanged(
        (Folder(URI, "n"),), ()
    )


AT = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}


@pytest.mark.parametrize(
    ("offered", "form"),
    [
        (["markdown", "plaintext"], "markdown"),
        (["plaintext", "markdown"], "plaintext"),
        (["html", "markdown"], "markdown"),
        ([[], None], "plaintext"),
        (None, "plaintext"),
        ("markdown", "plaintext"),
    ],
)
def test_a_hover_is_written_as_the_client_likes_best(offered: object, form: str) -> None:
    given = {"capabilities": {"textDocument": {"hover": {"contentFormat": offered}}}}
    assert editor_params.initialize(given).hover_form == form


@pytest.mark.parametrize(
    ("options", "links", "settings"),
    [
        (None, False, {}),
        ({"toolrag": {"commandLinks": True, "hover": False}}, True, {"hover": False}),
        ({"commandLinks": True}, True, {}),
        ({"toolrag": {"commandLinks": 1}}, False, {}),
        ([], False, {}),
    ],
)
def test_links_to_commands_are_for_clients_that_say_so_and_are_no_setting(
    options: object, links: bool, settings: object
) -> None:
    client = editor_params.initialize({"initializationOptions": options})
    assert (client.command_links, client.settings) == (links, settings)


WRONG: dict[str, list[tuple[Any, str]]] = {
    "toolrag/ask": [
        (None, "params must be an object, not null."),
        ([1], "params must be an object, not a list."),
        ([], "question is missing; it must be a string."),
        ("what?", "params must be an object, not a string."),
        (3, "params must be an object, not 3."),
        ({}, "question is missing; it must be a string."),
        ({"question": 3}, "question must be a string, not 3."),
        ({"question": None}, "question must be a string, not null."),
        ({"question": ["what?"]}, "question must be a string, not a list."),
        ({"question": " \n"}, "question is empty; ask in your words, or the code's."),
        ({"question": "x" * 20_001}, "question may have at most 20,000 characters, not 20,001."),
        ({"question": "\ud800"}, "question holds half of a surrogate pair, which is no character."),
        ({**Q, "textDocument": URI}, "textDocument must be an object, not a string."),
        ({**Q, "textDocument": {}}, "textDocument.uri is missing; it must be a string."),
        ({**Q, "textDocument": {"uri": 1.5}}, "textDocument.uri must be a string, not 1.5."),
        ({**Q, "selection": a_range(0, 0, 0, 0)}, "selection needs textDocument, the document it is in."),
        ({**Q, "textDocument": {"uri": URI}, "selection": [1, 2]}, "selection must be an object, not a list."),
        ({**Q, "textDocument": {"uri": URI}, "selection": {"start": 1}}, "selection.start must be an object, not 1."),
        (
            {**Q, "textDocument": {"uri": URI}, "selection": {"start": {"line": 1, "character": 0}}},
            "selection.end is missing; it must be an object.",
        ),
        (
            {**Q, "textDocument": {"uri": URI}, "selection": a_range(-1, 0, 0, 0)},
            "selection.start.line must be a whole number, 0 or more, not -1.",
        ),
        (
            {**Q, "textDocument": {"uri": URI}, "selection": a_range(0, 0, 0, True)},
            "selection.end.character must be a whole number, 0 or more, not true.",
        ),
        ({**Q, "scope": "src"}, "scope must be an object, not a string."),
        ({**Q, "scope": {"include": "src"}}, "scope.include must be a list, not a string."),
        ({**Q, "scope": {"exclude": ["a", None]}}, "scope.exclude[1] must be a string, not null."),
        ({**Q, "model": 3}, "model must be a string, not 3."),
        ({**Q, "budget": 3}, "budget must be an object, not 3."),
        ({**Q, "budget": {"toolCalls": 0}}, "budget.toolCalls must be a whole number, 1 or more, not 0."),
        ({**Q, "budget": {"seconds": 1.5}}, "budget.seconds must be a whole number, 1 or more, not 1.5."),
        ({**Q, "budget": {"turns": "many"}}, "budget.turns must be a whole number, 1 or more, not a string."),
        ({**Q, "budget": {"bytes": -(10**30)}}, "budget.bytes must be a whole number, 1 or more, not a number of that size."),
        ({**Q, "follows": {}}, "follows must be a string, not an object."),
        ({**Q, "workDoneToken": 1.5}, "workDoneToken must be a string or a whole number, not 1.5."),
        ({**Q, "partialResultToken": False}, "partialResultToken must be a string or a whole number, not false."),
        ({"question": "model"}, "No model of this name can be used."),
    ],
    "toolrag/explain": [
        (None, "params must be an object, not null."),
        ({}, "textDocument is missing; it must be an object."),
        ({"textDocument": {"uri": 3}}, "textDocument.uri must be a string, not 3."),
        ({"textDocument": {"uri": URI}}, "position is missing; it must be an object."),
        ({**AT, "position": {"line": -1, "character": 0}}, "position.line must be a whole number, 0 or more, not -1."),
        ({**AT, "position": {"line": 0}}, "position.character is missing; it must be a whole number, 0 or more."),
        ({**AT, "model": 3}, "model must be a string, not 3."),
        ({**AT, "workDoneToken": 1.5}, "workDoneToken must be a string or a whole number, not 1.5."),
        ({**AT, "model": "model"}, "No model of this name can be used."),
    ],
    "textDocument/hover": [
        ([1], "params must be an object, not a list."),
        ({"position": {"line": 0, "character": 0}}, "textDocument is missing; it must be an object."),
        ({"textDocument": {"uri": "\ud800"}}, "textDocument.uri holds half of a surrogate pair, which is no character."),
        ({**AT, "position": [0, 0]}, "position must be an object, not a list."),
        ({**AT, "position": {"line": 0.5, "character": 0}}, "position.line must be a whole number, 0 or more, not 0.5."),
    ],
    "textDocument/definition": [
        (None, "params must be an object, not null."),
        ({"textDocument": 3}, "textDocument must be an object, not 3."),
        ({"textDocument": {"uri": URI}}, "position is missing; it must be an object."),
        ({**AT, "position": {"line": 0, "character": "0"}}, "position.character must be a whole number, 0 or more, not a string."),
    ],
    "textDocument/documentLink": [
        (None, "params must be an object, not null."),
        ({}, "textDocument is missing; it must be an object."),
        ({"textDocument": {}}, "textDocument.uri is missing; it must be a string."),
        ({"textDocument": {"uri": "\ud800"}}, "textDocument.uri holds half of a surrogate pair, which is no character."),
    ],
    "workspace/symbol": [
        (None, "params must be an object, not null."),
        ({}, "query is missing; it must be a string."),
        ({"query": 3}, "query must be a string, not 3."),
        ({"query": "x" * 20_001}, "query may have at most 20,000 characters, not 20,001."),
    ],
    "toolrag/search": [
        (None, "params must be an object, not null."),
        ({}, "query is missing; it must be a string."),
        ({"query": False}, "query must be a string, not false."),
        ({"query": ""}, "query is empty; ask in your words, or the code's."),
        ({"query": "q", "limit": 0}, "limit must be a whole number from 1 to 100, not 0."),
        ({"query": "q", "limit": 101}, "limit must be a whole number from 1 to 100, not 101."),
        ({"query": "q", "limit": "ten"}, "limit must be a whole number from 1 to 100, not a string."),
        ({"query": "q", "scope": [1]}, "scope must be an object, not a list."),
        ({"query": "q", "scope": {"include": [{}]}}, "scope.include[0] must be a string, not an object."),
    ],
    "toolrag/readRange": [
        ([{}], "params must be an object, not a list."),
        ({"start": 1, "end": 2}, "path is missing; it must be a string."),
        ({"path": None, "start": 1, "end": 2}, "path must be a string, not null."),
        ({"path": "a\udfff", "start": 1, "end": 2}, "path holds half of a surrogate pair, which is no character."),
        ({"path": "a", "end": 2}, "start is missing; it must be a whole number."),
        ({"path": "a", "start": "1", "end": 2}, "start must be a whole number, not a string."),
        ({"path": "a", "start": 1, "end": 2.5}, "end must be a whole number, not 2.5."),
        ({"path": "a", "start": 1, "end": True}, "end must be a whole number, not true."),
        ({"path": "a", "start": 1, "end": 2, "expectSha": 12}, "expectSha must be a string, not 12."),
    ],
    "toolrag/locate": [
        ({}, "citation is missing; it must be an object."),
        ({"citation": "a.py:1-2"}, "citation must be an object, not a string."),
        ({"citation": None}, "citation must be an object, not null."),
        ({"citation": {}}, "citation.linesSha is missing."),
    ],
    "toolrag/verify": [
        ({}, "text or answer is missing."),
        ({"text": None, "answer": None}, "text or answer is missing."),
        ({"text": "a", "answer": {}}, "Give text or answer, not both."),
        ({"text": 3}, "text must be a string, not 3."),
        ({"answer": [{}]}, "answer must be an object, not a list."),
        ({"answer": {}}, "answer.citations is missing."),
    ],
    "toolrag/status": [
        ([1], "params must be an object, not a list."),
        (3, "params must be an object, not 3."),
        (False, "params must be an object, not false."),
    ],
    "toolrag/replay": [
        (None, "params must be an object, not null."),
        ({}, "run is missing; it must be a string."),
        ({"run": 3}, "run must be a string, not 3."),
        ({"run": "../../etc/passwd"}, "run must be an answer's id: 16 hex digits."),
        ({"run": "0" * 15}, "run must be an answer's id: 16 hex digits."),
        ({"run": "0" * 16 + "\n"}, "run must be an answer's id: 16 hex digits."),
        ({"run": "last"}, "run must be an answer's id: 16 hex digits."),
        ({"run": "0" * 16, "verify": 1}, "verify must be true or false, not 1."),
        ({"run": "f" * 16}, "No run 'ffffffffffffffff' is kept."),
    ],
    "toolrag/cited": [
        ({"id": "r1"}, "answerId is missing; it must be a string."),
        ({"answerId": "a", "id": 3}, "id must be a string, not 3."),
        ({"answerId": "a", "id": "r1"}, "No answer with this id is kept."),
    ],
    "workspace/textDocumentContent": [
        ({}, "uri is missing; it must be a string."),
        ({"uri": "file:///a"}, "uri must be toolrag-cited:/<answer id>/<citation id>/<path>."),
        ({"uri": "toolrag-cited:/a"}, "uri must be toolrag-cited:/<answer id>/<citation id>/<path>."),
        ({"uri": "toolrag-cited:/a/r1/x.py"}, "No answer with this id is kept."),
    ],
    "workspace/executeCommand": [
        (None, "params must be an object, not null."),
        ({}, "command is missing; it must be a string."),
        ({"command": 3}, "command must be a string, not 3."),
        ({"command": "toolrag.ask", "arguments": {"question": "q"}}, "arguments must be a list, not an object."),
        ({"command": "toolrag.ask", "workDoneToken": []}, "workDoneToken must be a string or a whole number, not a list."),
        ({"command": "toolrag.ask"}, "question is missing; it must be a string."),
        ({"command": "toolrag.ask", "arguments": [3]}, "question must be a string, not 3."),
        ({"command": "toolrag.ask", "arguments": [{"question": ""}]}, "question is empty; ask in your words, or the code's."),
        ({"command": "toolrag.ask", "arguments": ["model"]}, "No model of this name can be used."),
        (
            {"command": "toolrag.ask", "arguments": ["a", "b"]},
            "arguments must be one object with the params of toolrag/ask, or question.",
        ),
        ({"command": "toolrag.search", "arguments": ["q", "x"]}, "limit must be a whole number from 1 to 100, not a string."),
        ({"command": "toolrag.readRange", "arguments": ["a"]}, "start is missing; it must be a whole number."),
        ({"command": "toolrag.locate", "arguments": ["a:1"]}, "arguments must be one object with the params of toolrag/locate."),
        ({"command": "toolrag.verify", "arguments": [None]}, "text or answer is missing."),
        ({"command": "toolrag.replay", "arguments": ["a.jsonl"]}, "run must be an answer's id: 16 hex digits."),
        (
            {"command": "toolrag.clearJournals", "arguments": ["/"]},
            "arguments must be one object with the params of toolrag/clearJournals.",
        ),
        ({"command": "toolrag.status", "arguments": [1]}, "arguments must be one object with the params of toolrag/status."),
        (
            {"command": "rm"},
            "command must be one of toolrag.ask, toolrag.explain, toolrag.search, toolrag.readRange, toolrag.locate, "
            "toolrag.verify, toolrag.replay, toolrag.status, toolrag.reindex, toolrag.clearJournals, "
            "toolrag.cited.",
        ),
    ],
}  # fmt: skip


def test_every_wrong_request_is_answered_with_a_sentence_that_names_the_member() -> None:
    async def script(client: Client) -> list[object]:
        await client.initialize()
        cases = [(method, *case) for method, listed in WRONG.items() for case in listed]
        answers = [await client.answer(client.begin(method, given)) for method, given, _ in cases]
        return [
            (method, given, sentence, answer)
            for (method, given, sentence), answer in zip(cases, answers, strict=True)
            if answer.get("error") != {"code": -32602, "message": sentence}
        ]

    assert talk(script) == []


def test_the_table_has_every_request_that_takes_params() -> None:
    assert WRONG.keys() | {"initialize", "shutdown"} == REQUESTS.keys()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([3], "params must be an object, not a list."),
        ({"processId": "1"}, "processId must be a whole number, not a string."),
        ({"rootUri": 3}, "rootUri must be a string, not 3."),
        ({"rootPath": "/\udce9"}, "rootPath holds half of a surrogate pair, which is no character."),
        ({"rootPath": "x"}, "rootPath must be an absolute path."),
        ({"workspaceFolders": {}}, "workspaceFolders must be a list, not an object."),
        ({"workspaceFolders": [{}]}, "workspaceFolders[0].uri is missing; it must be a string."),
        ({"workspaceFolders": [{"uri": "u", "name": 1}]}, "workspaceFolders[0].name must be a string, not 1."),
    ],
)
def test_initialize_with_wrong_params_may_be_tried_again(given: object, sentence: str) -> None:
    async def script(client: Client) -> object:
        error = await client.error("initialize", given)
        await client.initialize()
        return error

    assert talk(script) == {"code": -32602, "message": sentence}


words = st.sampled_from(
    "question query path start end line character uri textDocument selection scope include exclude limit budget "
    "run verify citation linesSha text answer citations command arguments workDoneToken toolrag.ask toolrag.locate event added "
    "contentChanges range settings toolrag deny read position toolrag.explain".split()
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
    | words | st.text(st.characters(), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=4), inner, max_size=6),
    max_leaves=20,
)  # fmt: skip


@given(
    st.lists(st.tuples(st.sampled_from(sorted(REQUESTS.keys() - {"initialize", "shutdown"})), json_values), max_size=20)
)
@settings(max_examples=60)
def test_any_params_at_all_have_an_answer_that_is_no_fault_of_ours(cases: list[tuple[str, object]]) -> None:
    async def script(client: Client) -> list[dict[str, Any]]:
        await client.initialize()
        return [await client.answer(client.begin(method, given)) for method, given in cases]

    for answer in talk(script):
        assert "result" in answer or answer["error"]["code"] == -32602, answer


@given(st.lists(st.tuples(st.sampled_from(sorted(NOTIFICATIONS.keys() - {"exit"})), json_values), max_size=20))
@settings(max_examples=60)
def test_any_notification_at_all_is_survived_and_named_in_the_log_when_it_is_wrong(
    cases: list[tuple[str, object]],
) -> None:
    async def script(client: Client) -> list[Any]:
        await client.initialize()
        for method, params_given in cases:
            client.notify(method, params_given)
        await client.settle()
        return client.of("window/logMessage")

    for line in talk(script):
        assert "fault of toolrag" not in line["message"], line


def test_a_wrong_notification_is_named_in_the_log() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        client.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "text": 3}})
        client.notify("textDocument/didChange", {"textDocument": {"uri": URI}, "contentChanges": []})
        await client.settle()
        return client.of("window/logMessage")

    assert talk(script) == [
        {
            "type": 2,
            "message": "The notification textDocument/didOpen was passed over: textDocument.text must be a string, not 3.",
        },
        {"type": 2, "message": f"The notification textDocument/didChange was passed over: {URI} is not open."},
    ]
