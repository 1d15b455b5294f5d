"""Every body is a message or has the error that JSON-RPC has for it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.lsp import messages
from toolrag.lsp.messages import INVALID_REQUEST, PARSE_ERROR, Invalid, Notification, Reply, Request, read


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"class": 1, "type_name": 2}}', Request(1, "a", {"class": 1, "type_name": 2})),
        ('{"jsonrpc": "2.0", "id": "x", "method": "a"}', Request("x", "a", None)),
        ('{"jsonrpc": "2.0", "id": 3.0, "method": "a"}', Request(3, "a", None)),
        ('{"jsonrpc": "2.0", "id": 0, "method": "a", "params": [1]}', Request(0, "a", [1])),
        ('{"jsonrpc": "2.0", "method": "a", "params": "\\ud800"}', Notification("a", "\ud800")),
        ('{"jsonrpc": "2.0", "id": 1, "result": null}', Reply(1, None, None)),
        ('{"jsonrpc": "2.0", "id": 1, "error": {"code": 5, "message": "no"}}', Reply(1, None, "no", 5)),
        ('{"jsonrpc": "2.0", "id": 1, "error": 7}', Reply(1, None, "None")),
    ],
)  # fmt: skip
def test_a_message(body: str, message: object) -> None:
    assert read(body.encode()) == message


@pytest.mark.parametrize(
    ("body", "code", "identity"),
    [
        pytest.param(b"", PARSE_ERROR, None, id="nothing"),
        pytest.param(b'{"jsonrpc": "2.0", "id": 1', PARSE_ERROR, None, id="cut off"),
        pytest.param(b'{"a": NaN}', PARSE_ERROR, None, id="NaN"),
        pytest.param(b'\xef\xbb\xbf{"jsonrpc": "2.0"}', PARSE_ERROR, None, id="a byte order mark"),
        pytest.param('{"a": "é"}'.encode("latin-1"), PARSE_ERROR, None, id="Latin-1"),
        pytest.param(b"[" * 200_000, PARSE_ERROR, None, id="too deep"),
        pytest.param(b"[" * 200_000 + b"]" * 200_000, PARSE_ERROR, None, id="too deep, and whole"),
        pytest.param(b"1" * 10_000, PARSE_ERROR, None, id="a number of 10,000 digits"),
        pytest.param(b"3", INVALID_REQUEST, None, id="a number"),
        pytest.param(b"null", INVALID_REQUEST, None, id="null"),
        pytest.param(b"[]", INVALID_REQUEST, None, id="a batch of none"),
        pytest.param(b'[{"jsonrpc": "2.0", "id": 1, "method": "a"}]', INVALID_REQUEST, None, id="a batch"),
        pytest.param(b'{"id": 1, "method": "a"}', INVALID_REQUEST, 1, id="no version"),
        pytest.param(b'{"jsonrpc": "1.0", "id": "x", "method": "a"}', INVALID_REQUEST, "x", id="another version"),
        pytest.param(b'{"jsonrpc": "2.0", "id": 1, "method": 3}', INVALID_REQUEST, 1, id="a method that is no string"),
        pytest.param(b'{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST, 1, id="neither method nor result"),
        pytest.param(b'{"jsonrpc": "2.0", "id": null, "method": "a"}', INVALID_REQUEST, None, id="id null"),
        pytest.param(b'{"jsonrpc": "2.0", "id": true, "method": "a"}', INVALID_REQUEST, None, id="id true"),
        pytest.param(b'{"jsonrpc": "2.0", "id": 1.5, "method": "a"}', INVALID_REQUEST, None, id="id 1.5"),
        pytest.param(b'{"jsonrpc": "2.0", "id": 1e999, "method": "a"}', INVALID_REQUEST, None, id="id without bound"),
        pytest.param(b'{"jsonrpc": "2.0", "id": [1], "method": "a"}', INVALID_REQUEST, None, id="id a list"),
        pytest.param(b'{"jsonrpc": "2.0", "id": [1], "result": 1}', INVALID_REQUEST, None, id="a reply to a list"),
    ],
)
def test_what_is_no_message_has_its_error(body: bytes, code: int, identity: object) -> None:
    message = read(body)
    assert isinstance(message, Invalid)
    assert (message.code, message.id) == (code, identity)
    assert message.reason.endswith(".")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
known = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("jsonrpc", "id", "method", "params", "result", "error"), json_values)
)


@given(st.binary(max_size=60) | (json_values | known).map(lambda value: json.dumps(value).encode()))
def test_no_body_is_too_odd_to_be_read(body: bytes) -> None:
    message = read(body)
    if isinstance(message, Invalid):
        assert json.dumps(messages.error(message.id, message.code, message.reason))
