"""Headings and prose of HTML, as a reader of the page has them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolrag.retrieval.cuts import section_sentences, signature
from toolrag.retrieval.headings import html_heading
from toolrag.retrieval.html_prose import html_prose
from toolrag.retrieval.prose import DocLine
from toolrag.retrieval.spans import parse_source
from toolrag.text import Text


@pytest.mark.parametrize(
    ("element", "words"),
    [
        ("<h1>Shop</h1>", "Shop"),
        ('<h2 id="a">A <em>b</em>\n  c</h2>', "A b c"),
        ("<H3>A &amp; B &lt;c&gt;</H3>", "A & B <c>"),
        ('<h2>Prices<a class="headerlink" href="#x">\N{PILCROW SIGN}</a></h2>', "Prices"),
        ("<h2>A<!-- not this --> b</h2>", "A b"),
        ('<h2>{% if x %}{% trans "Contact" %}{% endif %} {{ name }}</h2>', "Contact {{ name }}"),
        ("<section><h2>Inside</h2>", "Inside"),
        ("<h1>Not closed <h2>Next</h2>", "Not closed"),
        ("<h1></h1>", ""),
        (f"<h1>{'word ' * 1_000}</h1>", " ".join(["word"] * 40)),
    ],
)
def test_a_heading_is_its_words(element: str, words: str) -> None:
    """No tags, comments, template statements or marks of a link to itself."""
    assert html_heading(element) == words


PAGE = """<h1>Shop</h1>
<nav>Home About</nav>
<p>It is <b>open</b> on
Mondays. It&nbsp;sells <a
  href="x">apples &amp; pears</a>.</p>
<!-- Not this.
<p>Nor this.</p> -->
<pre>
code here.
</pre>
<script>alert("Not this.")</script>
<ul><li>The first of them.</li><li>The second.</li></ul>
<div>One block.</div><div>Another block</div>
<table><tr><td>A cell.</td></tr></table>
{% if open %}The door is open.{% endif %}
<h2>Prices</h2>
<p>They change.</p>
"""


def test_the_sentences_of_a_section_are_its_own_prose() -> None:
    """Each on its lines, without tags, code, tables and navigation, up to the next heading."""
    text = Text(PAGE)
    shop, prices = parse_source(PAGE, "html").spans
    assert signature(text, shop, "html") == "Shop"
    said = [(one.lines.start + 1, one.lines.end, one.text) for one in section_sentences(text, shop, "html")]
    assert said == [
        (3, 4, "It is open on Mondays."),
        (4, 5, "It sells apples & pears."),
        (12, 12, "The first of them."),
        (12, 12, "The second."),
        (13, 13, "One block."),
        (13, 13, "Another block"),
        (15, 15, "The door is open."),
    ]
    assert [one.text for one in section_sentences(text, prices, "html")] == ["They change."]


TAGS = "<h1> </h1> </h2> <p> words <!-- --> </div> <pre> </pre> <li> <script> </script> < > &amp; '>".split()
PIECES = st.sampled_from([*TAGS, "<h2 id=x>", "<div id='a'>", "<a\nhref='", "{% trans 'a' %}", "\n", " ", "\0"])


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_sections_nest_and_passages_cover_each_line_once(content: str) -> None:
    """Headings that are not closed, or stand in each other, included."""
    text, parsed = Text(content), parse_source(content, "html")
    for index, one in enumerate(parsed.spans):
        assert one.name
        assert 0 <= one.lines.start <= one.header.start < one.header.end <= one.lines.end <= text.n_lines
        assert one.header_end <= len(text.line(one.header.end - 1))
        signature(text, one, "html")
        for sentence in section_sentences(text, one, "html"):
            assert sentence.lines in one.lines
        for other in parsed.spans[index + 1 :]:
            nested = one.lines in other.lines or other.lines in one.lines
            assert nested or other.lines.start >= one.lines.end - 1, (one, other)
    covered = [0] * text.n_lines
    for passage in parsed.passages:
        for line in range(passage.lines.start, passage.lines.end):
            covered[line] += 1
    assert all(times == 1 or (times == 0 and not text.line(line).strip()) for line, times in enumerate(covered))


@pytest.mark.parametrize("piece", ["<", "<p>", "<!--", "</", "{%", "<a ", "&amp;", "<pre>", "<li>", "<h1", "{#"])
def test_prose_of_hostile_lines_takes_time_that_grows_with_them(piece: str) -> None:
    """A line of a hundred thousand of anything ends."""
    began = time.process_time()
    html_prose([DocLine(0, piece * 100_000), DocLine(1, piece)])
    html_heading(piece * 100_000)
    assert time.process_time() - began < 10
