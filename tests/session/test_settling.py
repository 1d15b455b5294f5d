"""An edit is taken up when the keys rest, and at latest a while after the first of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.session.settling import Settling


@pytest.mark.parametrize(
    ("touches", "due"),
    [
        pytest.param([0.0], 0.25, id="one key"),
        pytest.param([0.0, 0.2], 0.45, id="the last key counts"),
        pytest.param([0.1 * key for key in range(12)], 1.0, id="somebody who does not stop"),
        pytest.param([0.0, 0.9], 1.0, id="a key just before the latest"),
    ],
)
def test_when_an_edit_is_due(touches: list[float], due: float) -> None:
    settling: Settling[str] = Settling(0.25, 1.0)
    for now in touches:
        settling.touch("a", now)
    assert settling.next_due() == pytest.approx(due)
    assert settling.take(due - 0.01) is None
    assert settling.take(due + 0.01) == "a"
    assert settling.next_due() is None


def test_what_was_dropped_is_never_due() -> None:
    settling: Settling[str] = Settling(0.25, 1.0)
    settling.touch("a", 0.0)
    settling.drop("a")
    settling.drop("b")
    assert settling.take(9.0) is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 10)), min_size=1, max_size=40))
def test_every_touch_is_dealt_with_in_its_time(touches: list[tuple[str, float]]) -> None:
    """Whatever the order of keys: nothing is taken early, forgotten, or later than a second after it changed."""
    settling: Settling[str] = Settling(0.25, 1.0)
    waiting: dict[str, float] = {}
    for key, now in sorted(touches, key=lambda touch: touch[1]):
        while (taken := settling.take(now)) is not None:
            del waiting[taken]
        assert all(now - since < 1.0 for since in waiting.values())
        settling.touch(key, now)
        waiting.setdefault(key, now)
    while (due := settling.next_due()) is not None:
        taken = settling.take(due)
        assert taken is not None
        assert waiting.pop(taken) + 1.0 >= due
    assert not waiting
