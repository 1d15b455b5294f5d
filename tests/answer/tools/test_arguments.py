"""The arguments of a call: taken for what they mean, or refused in one sentence that says what to write."""

from __future__ import annotations

import pytest
from toolrag.answer.tools.arguments import BadArgumentsError, parse_arguments
from toolrag.answer.tools.schemas import flag, number, spec, text

SPEC = spec("look", "Looks.", {"path": text("A path."), "line": number("A line.")}, {"deep": flag("Deep.")})


def parsed(**given: object) -> dict[str, object]:
    return dict(parse_arguments(SPEC, {"path": "a", "line": 1, **given}).values)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (12, 12),
        ("12", 12),
        (" +12 ", 12),
        ("-3", -3),
        (12.0, 12),
        (-0.0, 0),
        (10**9, 10**9),
    ],
)
def test_a_whole_number_however_it_is_written(given: object, meant: int) -> None:
    taken = parsed(line=given)["line"]
    assert (taken, type(taken)) == (meant, int)


@pytest.mark.parametrize(
    "given",
    [
        12.5,
        True,
        False,
        None,
        "",
        "12.0",
        "1e3",
        "twelve",
        "١٢",
        "1" * 5_000,
        10**9 + 1,
        float("nan"),
        float("inf"),
        [12],
        {},
    ],
)
def test_what_is_no_whole_number_is_refused(given: object) -> None:
    with pytest.raises(BadArgumentsError, match=r"^line must be a whole number, such as 12, not [a-z ]+\.$"):
        parsed(line=given)


@pytest.mark.parametrize(("given", "meant"), [(True, True), (False, False), ("true", True), (" False ", False)])
def test_true_and_false(given: object, meant: bool) -> None:
    assert parsed(deep=given)["deep"] is meant


@pytest.mark.parametrize("given", [0, 1, "yes", "", [True]])
def test_what_is_neither_true_nor_false_is_refused(given: object) -> None:
    with pytest.raises(BadArgumentsError, match=r"^deep must be true or false, not [a-z ]+\.$"):
        parsed(deep=given)


@pytest.mark.parametrize("given", [1, 1.5, True, None, ["a"], {"a": 1}])
def test_what_is_no_text_is_refused(given: object) -> None:
    with pytest.raises(BadArgumentsError, match=r"^path must be a text, not [a-z ]+\.$"):
        parsed(path=given)


def test_null_is_left_out_where_it_may_be() -> None:
    assert parsed(deep=None) == {"path": "a", "line": 1}


@pytest.mark.parametrize("given", ["path=a", "", None, 1, [], ["path", "a"]])
def test_what_is_no_object_is_told_what_the_tool_takes(given: object) -> None:
    with pytest.raises(BadArgumentsError, match=r"no JSON object; look takes path, line, and may take deep\.$"):
        parse_arguments(SPEC, given)


def test_all_that_is_missing_is_named() -> None:
    with pytest.raises(BadArgumentsError, match=r"^path and line must be given; look takes path, line"):
        parse_arguments(SPEC, {"deep": True})


def test_an_unknown_argument_is_told_the_nearest_or_all() -> None:
    with pytest.raises(BadArgumentsError, match=r"^There is no argument 'lines'; did you mean line\?$"):
        parsed(lines=1)
    with pytest.raises(BadArgumentsError, match=r"^There is no argument 'x+'; there are path, line, deep\.$") as caught:
        parsed(**{"x" * 500: 1})
    assert len(str(caught.value)) < 120


def test_a_blank_or_endless_text_is_no_query() -> None:
    arguments = parse_arguments(SPEC, {"path": " ", "line": 1})
    with pytest.raises(BadArgumentsError, match=r"^path is empty"):
        arguments.query("path", 10)
    arguments = parse_arguments(SPEC, {"path": "x" * 11, "line": 1})
    assert arguments.query("path", 11) == "x" * 11
    with pytest.raises(BadArgumentsError, match=r"^path has 11 characters; at most 10 are taken\.$"):
        arguments.query("path", 10)
