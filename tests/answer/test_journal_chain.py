"""A journal's bytes: what is sealed opens as it was, and whatever byte is changed is found where it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.journal.chain import BLOB, LONG, Blob, BrokenError, Event, Sealed, canonical, opened, seal

SMALL = [
    Event("run.start", {"question": "what?", "é": "\ud800 \U0001f600"}),
    Event("document", {"text": Blob("one\ntwo\n")}),
    Event("document", {"text": "x" * LONG}),
    Event("document", {"text": Blob("one\ntwo\n"), "n": 0.1}),
    Event("run.end", {"answer": [1, None, True]}),
]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(), max_size=8)
    | st.just("long " * LONG),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", BLOB, "toolrag.json"]), inner, max_size=3)
    ),
    max_leaves=12,
)


def events_of(sealed: Sealed) -> list[tuple[str, object]]:
    return [(one.kind, one.attributes) for one in opened(sealed.lines, sealed.blobs.get).events]


@given(st.dictionaries(st.text(max_size=5), values, max_size=4))
def test_any_json_opens_as_it_was(attributes: dict[str, Any]) -> None:
    """Also what looks like a blob's marker: a model may write what it likes."""
    made = [Event("run.start", attributes), Event("run.end", {})]
    sealed = seal(made)
    assert events_of(sealed) == [(one.kind, one.attributes) for one in made]
    assert seal(opened(sealed.lines, sealed.blobs.get).events).lines == sealed.lines


def test_lines_are_canonical_ascii_and_chained_and_texts_are_kept_once() -> None:
    sealed = seal(SMALL)
    lines = [json.loads(line) for line in sealed.lines.decode("ascii").split("\n")[:-1]]
    assert [line["prev"] for line in lines] == ["", *(line["hash"] for line in lines[:-1])]
    assert all(canonical(line).encode() in sealed.lines for line in lines)
    assert sorted(map(len, sealed.blobs.values())) == [8, LONG]


def test_each_flipped_byte_of_a_journal_is_found_in_its_line() -> None:
    sealed = seal(SMALL)
    for at in range(len(sealed.lines)):
        altered = bytearray(sealed.lines)
        altered[at] ^= 1 << at % 8
        with pytest.raises(BrokenError) as broken:
            opened(bytes(altered), sealed.blobs.get)
        assert broken.value.event == sealed.lines[:at].count(b"\n") + 1, at


def test_each_flipped_byte_of_a_blob_is_found_in_the_first_event_that_names_it() -> None:
    sealed = seal(SMALL)
    for sha, data in sealed.blobs.items():
        for at in range(0, len(data), max(1, len(data) // 50)):
            altered = bytearray(data)
            altered[at] ^= 1 << at % 8
            with pytest.raises(BrokenError, match=f"{sha} is not what was written") as broken:
                opened(sealed.lines, {**sealed.blobs, sha: bytes(altered)}.get)
            assert broken.value.event == (2 if len(data) == 8 else 3)


@pytest.mark.parametrize(
    ("alter", "event"),
    [
        pytest.param(lambda lines: [lines[0], *lines[2:]], 2, id="a line is taken out"),
        pytest.param(lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], 2, id="two lines are exchanged"),
        pytest.param(lambda lines: [*lines[:2], *lines[1:]], 3, id="a line stands twice"),
        pytest.param(lambda lines: lines[1:], 1, id="the first line is gone"),
        pytest.param(lambda lines: [*lines, lines[0]], 5, id="something comes after the end"),
        pytest.param(lambda lines: [*lines[:-1], lines[-1][:-9]], 5, id="the last line is cut"),
        pytest.param(lambda lines: [lines[0], lines[1] + b" ", *lines[2:]], 2, id="a blank more"),
        pytest.param(lambda _: [], 1, id="nothing"),
        pytest.param(lambda _: [b"[" * 100_000], 1, id="deep nonsense"),
    ],
)
def test_lines_that_are_not_as_they_were_are_found(alter: Any, event: int) -> None:
    sealed = seal(SMALL)
    lines = alter(sealed.lines.split(b"\n")[:-1])
    data = b"".join(line + b"\n" for line in lines)
    with pytest.raises(BrokenError) as broken:
        opened(data, sealed.blobs.get)
    assert broken.value.event == event


def test_a_line_that_is_cut_off_is_found_and_a_whole_line_less_is_unfinished() -> None:
    sealed = seal(SMALL)
    for size in range(len(sealed.lines)):
        data = sealed.lines[:size]
        if data.endswith(b"\n"):
            assert not opened(data, sealed.blobs.get).is_finished
        else:
            with pytest.raises(BrokenError):
                opened(data, sealed.blobs.get)
    assert opened(sealed.lines, sealed.blobs.get).is_finished


def test_a_blob_that_is_gone_is_named() -> None:
    sealed = seal(SMALL)
    with pytest.raises(BrokenError, match="is gone") as broken:
        opened(sealed.lines, {}.get)
    assert broken.value.event == 2


def test_what_is_no_json_is_a_fault_of_whoever_records_it() -> None:
    with pytest.raises(TypeError):
        seal([Event("run.start", {"a": object()})])
