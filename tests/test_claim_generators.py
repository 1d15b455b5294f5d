"""The claims that verification is measured with: what is called true is, and what is called false is not, by other means.

Facts are held against a file written here; generated claims against the text of the lines they cite.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
import toolrag
from claims.facts import File
from claims.falsify import BESIDE, KINDS, MAX_SLACK, MIN_WHOLE
from claims.runs import MAX_CITED, Made, Package, is_true, names_of
from error_rates import N_CLAIMS, PACKAGES, TRUE, Judged, claims_of, table, wilson

SOURCE = '''\
import os

LIMIT = 40


class Pool(Base):
    """Keeps things."""

    size = 8

    @cached
    def take(self, count, wait=2.5, *, name="pool"):
        """Takes at most 3 of the waiting things at once."""
        if count > LIMIT:
            raise ValueError("too many")
        self.taken = count + 1
        if isinstance(wait, (int, float)):
            self.lock(
                timeout=5,
            )
        return os.environ["HOME"]
'''


@pytest.fixture(scope="module")
def package() -> Package:
    """toolrag itself."""
    return Package(Path(toolrag.__file__).parent)


@pytest.fixture(scope="module")
def made(package: Package) -> dict[str, list[Made]]:
    """Claims of each kind."""
    return {kind: list(islice(found, 60)) for kind, found in claims_of(package, "toolrag", 7).items()}


def cited(one: Made, package: Package) -> str:
    """The text that a claim cites, white space folded."""
    lines = package.files[one.path].text.split("\n")
    return " ".join(" ".join(lines[first - 1 : last]) for first, last in one.cited)


def folded(text: str) -> str:
    return re.sub(r"\s+", "", text.replace("'", '"'))


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


@pytest.mark.parametrize(
    "fact",
    [
        ("constant", 3, "LIMIT 40", None),
        ("base", 6, "Base", "Pool"),
        ("constant", 9, "size 8", "Pool"),
        ("decorator", 11, "cached", "take"),
        ("default", 12, "wait 2.5", "take"),
        ("default", 12, "name pool", "take"),
        ("doc", 13, "Takes at most 3 of the waiting things at once", "take"),
        ("compare", 14, "count > LIMIT", "take"),
        ("raise when", 14, "ValueError count > LIMIT", "take"),
        ("raise", 15, "ValueError too many", "take"),
        ("set", 16, "self.taken count + 1", "take"),
        ("isinstance", 17, "wait float", "take"),
        ("call", 18, "self.lock", "take"),
        ("keyword", 18, "lock timeout 5", "take"),
        ("key", 21, "os.environ HOME", "take"),
        ("return", 21, 'os.environ["HOME"]', "take"),
    ],
)
def test_a_fact_of_each_family_is_read(fact: tuple[str, int, str, str | None]) -> None:
    found = File("a.py", SOURCE).facts
    said = {
        (one.family, one.first, " ".join(slot.text for slot in one.slots), one.owner and one.owner.name)
        for one in found
    }
    assert fact in said


def test_every_slot_of_a_true_claim_is_in_its_lines(made: dict[str, list[Made]], package: Package) -> None:
    for one in [*made[TRUE], *made["whole-read citations"]]:
        lines = folded(cited(one, package))
        for slot in one.sentence.slots:
            assert slot.kind == "operator" or folded(slot.text) in lines, one.sentence.text()


def test_a_true_default_is_what_python_would_use(made: dict[str, list[Made]], package: Package) -> None:
    """Read again from the signature alone."""
    n_checked = 0
    for one in made[TRUE]:
        if one.fact.family != "default":
            continue
        lines = package.files[one.path].text.split("\n")
        owner = one.fact.owner
        assert owner is not None
        source = "\n".join(lines[owner.header - 1 : owner.last])
        node = ast.parse(re.sub(rf"(?m)^{' ' * (len(source) - len(source.lstrip()))}", "", source)).body[0]
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        signature = folded(ast.unparse(node.args))
        parameter, value = one.sentence.slot("parameter"), one.sentence.slot("value")
        assert re.search(rf"\b{parameter.text}(:[^=]+)?=", signature)
        assert folded(value.norm) in signature
        n_checked += 1
    assert n_checked


@pytest.mark.parametrize("kind", [TRUE, *KINDS, *BESIDE[2:]])
def test_there_are_claims_of_each_kind_in_both_styles(made: dict[str, list[Made]], kind: str) -> None:
    """About a third are without backticks, and each cites lines that were read and are few enough."""
    assert len(made[kind]) >= 20
    n_bare = sum(not one.sentence.style.backticks for one in made[kind])
    assert 0.15 < n_bare / len(made[kind]) < 0.55
    for one in made[kind]:
        read = [each.lines for each in one.reads if each.path == one.path]
        assert all(any(a <= first and last <= b for a, b in read) for first, last in one.cited)
        in_code = any("`" in slot.text for slot in one.sentence.slots)
        assert one.sentence.style.backticks or in_code or "`" not in one.sentence.text()
        assert kind == "whole-read citations" or all(b - a < MAX_CITED for a, b in one.cited)


def test_wrong_lines_share_a_name_and_are_as_many(made: dict[str, list[Made]], package: Package) -> None:
    for one in made["wrong lines"]:
        first, last = one.cited[0]
        assert any(each.lines[0] <= first and last <= each.lines[1] for each in one.reads[1:])
        assert names_of(one.sentence) & words(cited(one, package))


@pytest.mark.parametrize("kind", ["identifiers swapped", "wrong numbers"])
def test_a_changed_word_is_not_in_the_lines(made: dict[str, list[Made]], package: Package, kind: str) -> None:
    for one in made[kind]:
        said = words(" ".join(slot.text for slot in one.sentence.slots))
        assert said - words(cited(one, package)), one.sentence.text()


@pytest.mark.parametrize("kind", BESIDE[2:])
def test_beside_them_all_words_are(made: dict[str, list[Made]], package: Package, kind: str) -> None:
    for one in made[kind]:
        said = words(" ".join(slot.text for slot in one.sentence.slots if slot.kind != "operator"))
        assert said <= words(cited(one, package)), one.sentence.text()


def test_stale_lines_are_no_longer_what_was_read(made: dict[str, list[Made]], package: Package) -> None:
    for one in made["stale text"]:
        now = one.edited[one.path].split("\n")
        lines = package.files[one.path].text.split("\n")
        assert not all(stands(lines[first - 1 : last], now) for first, last in one.cited), one.sentence.text()


def stands(cited: list[str], lines: list[str]) -> bool:
    """Whether whole lines stand somewhere."""
    return any(lines[at : at + len(cited)] == cited for at in range(len(lines)))


def test_an_invented_quote_is_shown_as_one_and_is_in_no_line(made: dict[str, list[Made]], package: Package) -> None:
    for one in made["invented quotes"]:
        slot = one.sentence.slot(one.sentence.quoted)
        assert folded(slot.text) not in folded(cited(one, package))
        assert re.search(rf"[`\"“']{re.escape(slot.text)}[`\"”']", one.sentence.text())


def test_lines_that_show_all_that_is_said_say_it_though_the_statement_goes_on() -> None:
    """The message stands below the lines cited; who names the exception alone is right."""
    file = File("a.py", 'def f(x):\n    raise ValueError(\n        "no"\n    )\n')
    fact = next(one for one in file.facts if one.family == "raise" and one.slot("message"))
    small = Package.__new__(Package)
    small.files = {"a.py": file}
    claims = list(small.true_claims(Random(1), lambda one: one == fact))
    with_message = {any(slot.role == "message" for slot in one.sentence.slots): one.sentence for one in claims}
    assert not is_true(with_message[True], fact, file, [(2, 2)])
    assert is_true(with_message[True], fact, file, [(2, 3)])
    assert is_true(with_message[False], fact, file, [(2, 2)])


def test_a_whole_read_that_a_true_claim_needs_is_not_called_false(made: dict[str, list[Made]]) -> None:
    for one in made["whole-read citations"]:
        (first, last), header = one.cited[0], one.fact.owner.header if one.fact.owner else 0
        begins = header if any(slot.role == "owner" for slot in one.sentence.slots) else one.fact.first
        assert begins - first > MAX_SLACK or last - one.fact.last > MAX_SLACK


def test_a_whole_read_is_one(made: dict[str, list[Made]]) -> None:
    for one in made["whole-read citations"]:
        assert one.cited == (one.reads[0].lines,)
        assert one.cited[0][1] - one.cited[0][0] + 1 >= MIN_WHOLE


def test_the_same_seed_makes_the_same_claims(made: dict[str, list[Made]], package: Package) -> None:
    again = claims_of(package, "toolrag", 7)
    other = claims_of(package, "toolrag", 8)
    for kind, claims in made.items():
        assert [one.sentence.text() for one in islice(again[kind], 60)] == [one.sentence.text() for one in claims]
    assert next(other[TRUE]).sentence.text() != made[TRUE][0].sentence.text()


def test_what_is_true_of_the_lines_is_not_called_false() -> None:
    """Both functions call both names: other lines that hold the called name say the same, unless the caller is named."""
    file = File("a.py", "def f(x):\n    g(x)\n    h(x)\n\n\ndef k(x):\n    g(x)\n    h(x)\n")
    small = Package.__new__(Package)
    small.files = {"a.py": file}
    claims = list(small.true_claims(Random(1), lambda fact: fact.family == "call"))
    assert {"{owner}" in one.sentence.template for one in claims} == {True, False}
    for one in claims:
        elsewhere = KINDS["wrong lines"](one, small.files, Random(2))
        assert elsewhere is None or "{owner}" in one.sentence.template


def test_the_packages_measured_were_not_developed_with() -> None:
    """Nor are they in any question set, or in the lists that retrieval is measured on."""
    listed = json.loads(PACKAGES.read_text("utf-8"))
    held_out = {row["name"] for row in listed["held_out"]}
    assert len(held_out) == 5
    assert not held_out & {row["name"] for row in listed["development"]}
    for path in PACKAGES.parent.parent.glob("*.json"):
        assert not held_out & {row.get("name", row.get("package")) for row in json.loads(path.read_text("utf-8"))}
    assert N_CLAIMS >= 1_000


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        pytest.param(0, 10, 0.0, 0.2775, id="none of ten"),
        pytest.param(5, 10, 0.2366, 0.7634, id="half of ten"),
        pytest.param(20, 1000, 0.0130, 0.0307, id="20 of 1000"),
        pytest.param(0, 0, 0.0, 1.0, id="nothing says nothing"),
    ],
)
def test_wilson_intervals(count: int, n: int, low: float, high: float) -> None:
    """Against values computed by hand from Wilson's formula."""
    assert wilson(count, n) == pytest.approx((low, high), abs=5e-5)


def test_a_measurement_of_too_few_claims_holds_no_target() -> None:
    assert not table([], 1)[1]


@pytest.mark.parametrize(("times", "held"), [(1.0, False), (3.0, True), (2.0, False)])
def test_a_share_may_miss_a_target_by_chance_so_many_times(
    made: dict[str, list[Made]], times: float, held: bool
) -> None:
    """Six of 60 true claims are 10 %, twice 5 %; two of 60 wrong lines are 3.3 %, less than twice 2 %."""
    judged = [Judged(kind, one, "" if kind == TRUE else "why") for kind, claims in made.items() for one in claims]
    for kind, n_wrong in ((TRUE, 6), ("wrong lines", 2)):
        rows = [at for at, one in enumerate(judged) if one.kind == kind][:n_wrong]
        for at in rows:
            judged[at] = replace(judged[at], why="why" if kind == TRUE else "")
    lines, holds = table(judged, 1, times)
    assert holds == held
    assert sum("MISSED" in line for line in lines) == 2, "it is said in any case"
