"""Counting words passage by passage, and naming texts."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from index_doubles import analysis_of
from toolrag.retrieval.terms import (
    bags,
    count_terms,
    embeddable_passages,
    embeddable_question,
    hashes,
    text_id,
)
from toolrag.retrieval.tokens import term_hash, tokens
from toolrag.text import Text

SOURCE = (
    'LIMIT = 3\n\n\nclass Session:\n    """Doc."""\n\n    def send(self, retries):\n        return retries + LIMIT\n'
)


@given(st.text(st.sampled_from("aB_1 .\n"), max_size=60))
def test_terms_are_counted_as_tokens_occur(text: str) -> None:
    assert count_terms(text) == Counter(term_hash(token) for token in tokens(text))


def test_bags_are_rows_in_ascending_order_of_terms() -> None:
    found = bags([{5: 1, 2**64 - 1: 2}, {}, {7: 3, 1: 4}])
    assert found.ptr.tolist() == [0, 2, 2, 4]
    assert found.terms.tolist() == [5, 2**64 - 1, 1, 7]
    assert found.counts.tolist() == [1, 2, 4, 3]
    assert [array.dtype.str for array in (found.ptr, found.terms, found.counts)] == ["<i4", "<u8", "<u4"]


def test_no_passages_are_empty_arrays_of_the_right_kind() -> None:
    found = bags([])
    assert found.ptr.tolist() == [0]
    assert [array.dtype.str for array in (found.terms, found.counts)] == ["<u8", "<u4"]


def test_each_passage_has_its_own_name_scope_and_body() -> None:
    analysis = analysis_of(SOURCE)
    text = Text(SOURCE)
    for row, passage in enumerate(analysis.parsed.passages):
        span = None if passage.span is None else analysis.parsed.spans[passage.span]
        for bag, words in (
            (analysis.terms.name, span.name if span else ""),
            (analysis.terms.scope, span.container if span else ""),
            (analysis.terms.body, text.slice(passage.lines)),
        ):
            first, last = bag.ptr[row], bag.ptr[row + 1]
            found = dict(zip(bag.terms[first:last].tolist(), bag.counts[first:last].tolist(), strict=True))
            assert found == count_terms(words)
        assert analysis.terms.text_ids[row] == text_id(text.slice(passage.lines))


def test_a_text_s_name_does_not_depend_on_its_line_ends_and_fits_a_signed_integer() -> None:
    assert text_id("a\r\nb\r") == text_id("a\nb\n") != text_id("a\nb")
    assert all(0 <= text_id(str(number)) < 2**63 for number in range(200))
    assert text_id("\ud800") == text_id("\ud800")


def test_what_an_embedder_is_given_is_what_the_index_counts() -> None:
    text = Text(SOURCE)
    analysis = analysis_of(SOURCE)
    found = embeddable_passages(text, analysis)
    assert [one.text for one in found] == [text.slice(passage.lines) for passage in analysis.parsed.passages]
    for one in found:
        counts = count_terms(one.text)
        assert one.terms.tolist() == sorted(counts)
        np.testing.assert_allclose(one.weights, [np.log1p(counts[term]) for term in one.terms.tolist()], rtol=1e-6)


def test_a_question_s_words_weigh_their_squared_rarity() -> None:
    found = embeddable_question("q", ["rare", "common"], {"rare": 3.0, "common": 0.5}.__getitem__)
    assert (found.terms.tolist(), found.weights.tolist()) == (hashes(["rare", "common"]), [9.0, 0.25])
    assert embeddable_question("", [], lambda _: 1.0).terms.dtype == np.uint64
