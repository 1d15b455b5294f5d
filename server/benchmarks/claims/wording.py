"""Words a fact as a model would: a sentence with or without backticks, chosen by a seeded generator.

Templates are `[does|does not]` where a claim can be denied, and `{role}` where a slot of the fact goes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from claims.facts import Fact, Slot

_PLAIN: Mapping[str, tuple[str, ...]] = {
    "raise": (
        "It [raises|does not raise] {exception} here.",
        "A failure at this point [is reported as|is never reported as] {exception}.",
        "The code [throws|never throws] {exception} with the message {message}.",
        "The error [is|is not] {exception}, saying {message}.",
    ),
    "raise when": (
        "It [raises|does not raise] {exception} when {condition}.",
        "If {condition}, {exception} [is raised|is not raised].",
        "{exception} [is raised|is never raised] in case {condition}.",
        "There is a guard: {condition} [leads to|does not lead to] {exception}.",
    ),
    "return": (
        "It [returns|does not return] {value}.",
        "The result [is|is not] {value}.",
        "What the caller gets back [is|is not] {value}.",
        "At the end, {value} [is handed back|is not handed back].",
    ),
    "set": (
        "It [sets|does not set] {target} to {value}.",
        "{target} [is assigned|is not assigned] {value}.",
        "{target} [becomes|does not become] {value} here.",
        "The value of {value} [is stored in|is not stored in] {target}.",
    ),
    "constant": (
        "{target} [is|is not] {value}.",
        "The constant {target} [has|does not have] the value {value}.",
        "{target} [is defined as|is not defined as] {value}.",
        "The setting {target} [starts out as|does not start out as] {value}.",
    ),
    "call": (
        "It [calls|does not call] {callee}.",
        "The work [is passed on to|is not passed on to] {callee}.",
        "{callee} [is invoked|is not invoked] at this point.",
        "This step [relies on|does not rely on] {callee}.",
    ),
    "keyword": (
        "It [calls|does not call] {callee} with {keyword} set to {value}.",
        "{callee} [gets|does not get] {value} as {keyword}.",
        "When {callee} is called, {keyword} [is|is not] {value}.",
    ),
    "argument": (
        "It [passes|does not pass] {value} to {callee}.",
        "{callee} [is called|is not called] with {value}.",
        "{value} [is handed to|is not handed to] {callee}.",
    ),
    "compare": (
        "It [checks|does not check] whether {left} {op} {right}.",
        "The branch [depends on|does not depend on] whether {left} {op} {right}.",
        "What happens next [depends|does not depend] on the test that {left} {op} {right}.",
    ),
    "key": (
        "It [reads|does not read] the key {key} from {container}.",
        "{container} [is asked for|is never asked for] {key}.",
        "The entry {key} of {container} [is looked up|is not looked up].",
    ),
    "isinstance": (
        "It [checks|does not check] that {checked} is an instance of {type}.",
        "{checked} [is tested for being|is not tested for being] a {type}.",
        "The type of {checked} [is compared with|is not compared with] {type}.",
    ),
}
"""Without the function it happens in."""
_OWNED: Mapping[str, tuple[str, ...]] = {
    "raise": (
        "{owner} [raises|does not raise] {exception}.",
        "Callers of {owner} [have to|do not have to] expect {exception}.",
        "In {owner}, the error [is|is not] {exception} with the text {message}.",
    ),
    "raise when": (
        "{owner} [raises|does not raise] {exception} when {condition}.",
        "In {owner}, {condition} [ends in|does not end in] {exception}.",
    ),
    "return": (
        "{owner} [returns|does not return] {value}.",
        "What {owner} gives back [is|is not] {value}.",
    ),
    "set": (
        "{owner} [sets|does not set] {target} to {value}.",
        "In {owner}, {target} [is assigned|is not assigned] {value}.",
        "{owner} [keeps|does not keep] {value} in {target}.",
    ),
    "constant": (
        "{owner} [defines|does not define] {target} as {value}.",
        "On the class {owner}, {target} [is|is not] {value}.",
    ),
    "call": (
        "{owner} [calls|does not call] {callee}.",
        "{owner} [delegates|does not delegate] to {callee}.",
        "Inside {owner}, {callee} [is called|is not called].",
    ),
    "keyword": (
        "{owner} [calls|does not call] {callee} with {keyword} set to {value}.",
        "From {owner}, {callee} [receives|does not receive] {value} for {keyword}.",
    ),
    "argument": (
        "{owner} [passes|does not pass] {value} to {callee}.",
        "In {owner}, {callee} [is called|is not called] with {value}.",
    ),
    "compare": (
        "{owner} [checks|does not check] whether {left} {op} {right}.",
        "A condition in {owner} [is|is not] that {left} {op} {right}.",
    ),
    "key": (
        "{owner} [reads|does not read] {key} from {container}.",
        "{owner} [looks for|does not look for] {key} in {container}.",
    ),
    "isinstance": (
        "{owner} [tests|does not test] whether {checked} is a {type}.",
        "In {owner}, {checked} [is treated differently|is not treated differently] when it is a {type}.",
    ),
    "default": (
        "The parameter {parameter} of {owner} [defaults to|does not default to] {value}.",
        "{owner} [takes|does not take] {parameter}, which is {value} unless given.",
        "When {parameter} is not passed to {owner}, {value} [is used|is not used].",
        "By default {owner} [runs|does not run] with {parameter} set to {value}.",
    ),
    "decorator": (
        "{owner} [is decorated with|is not decorated with] {decorator}.",
        "The decorator {decorator} [is applied to|is not applied to] {owner}.",
    ),
    "base": (
        "{owner} [is a subclass of|is not a subclass of] {base}.",
        "The class {owner} [derives from|does not derive from] {base}.",
        "{owner} [inherits|does not inherit] from {base}.",
    ),
    "doc": (
        "The docstring of {owner} [says|does not say]: {sentence}.",
        "According to its documentation, {owner} [does|does not do] this: {sentence}.",
    ),
}
"""With it; its `def` or `class` line is cited as well."""
_LEADS = ("In short, ", "Note that ", "First of all, ", "In this part of the code, ", "As the lines show, ")
_TAILS = (
    "so that later steps can rely on it",
    "which keeps the behaviour predictable",
    "before anything else is done",
    "and nothing more happens there",
    "as one would expect from the name",
    "which matters for the people who use it",
    "because the other cases were handled earlier",
    "so the rest of the program does not need to care",
    "which makes errors easier to find",
    "and this is the only place where the data is touched",
    "to make sure that the input is valid",
    "so a user can still change the default later",
)
_VERBAL = {
    "==": "equals", "!=": "differs from", "<": "is less than", "<=": "is at most", ">": "is greater than",
    ">=": "is at least", "is": "is", "is not": "is not", "in": "is in", "not in": "is not in",
}  # fmt: skip
_NUMBER_WORDS = dict(enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1))
_PIECES = re.compile(r"\{(\w+)\}|\[([^|\]]*)\|([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class Style:
    """How slots are written; fixed for a claim, so that one changed slot changes nothing else."""

    backticks: bool
    seed: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A claim's text before it is written out."""

    template: str
    lead: str
    tail: str
    slots: tuple[Slot, ...]
    """One for each role the template names."""
    style: Style
    denied: bool = False
    quoted: str = ""
    """The role that is shown as a quotation whatever the style."""

    def slot(self, role: str) -> Slot:
        """What is said in a role."""
        return next(slot for slot in self.slots if slot.role == role)

    def with_slot(self, changed: Slot) -> Sentence:
        """The same sentence with another thing in one role."""
        return replace(self, slots=tuple(changed if slot.role == changed.role else slot for slot in self.slots))

    def text(self) -> str:
        """The claim as a model would write it."""

        def piece(match: re.Match[str]) -> str:
            if match[1]:
                return _written(self.slot(match[1]), self.style, quoted=match[1] == self.quoted)
            return match[3] if self.denied else match[2]

        said = _PIECES.sub(piece, self.template)
        if self.lead and self.template[:1] != "{":
            said = self.lead + said[:1].lower() + said[1:]
        return f"{said.removesuffix('.')}, {self.tail}." if self.tail else said


def sentence(fact: Fact, owned: bool, backticks: bool, random: Random) -> Sentence | None:
    """A sentence that says a fact; None where no template fits."""
    present = {slot.role for slot in fact.slots} | ({"owner"} if owned and fact.owner else set())
    templates = (_OWNED if owned else _PLAIN).get(fact.family, ())
    fitting = [one for one in templates if {role for role, _, _ in _PIECES.findall(one) if role} <= present]
    if not fitting:
        return None
    template = random.choice(fitting)
    slots = [slot for slot in fact.slots if f"{{{slot.role}}}" in template]
    if "{owner}" in template and fact.owner:
        slots.append(Slot("owner", "name", fact.owner.name, fact.owner.name))
    lead = random.choice(_LEADS) if random.random() < 0.1 else ""
    tail = random.choice(_TAILS) if random.random() < 0.15 else ""
    return Sentence(template, lead, tail, tuple(slots), Style(backticks, random.randrange(1 << 30)))


def _written(slot: Slot, style: Style, quoted: bool = False) -> str:
    """One slot as the style has it; what is chosen depends on its role, not on its text."""
    random = Random(f"{style.seed} {slot.role}")
    chance = random.random()
    if slot.kind == "operator":
        return _VERBAL[slot.text]
    if slot.role == "sentence" and chance < 0.5 and not quoted:
        return slot.text  # a person's own prose about the code
    if slot.kind == "string":
        if style.backticks and chance < 0.5 and slot.role != "sentence" and "`" not in slot.text:
            return f"`{slot.text!r}`" if chance < 0.25 else f"`{slot.text}`"
        return f"“{slot.text}”" if '"' in slot.text or chance > 0.9 else f'"{slot.text}"'
    if slot.kind == "number":
        if style.backticks and chance < 0.6:
            return f"`{slot.text}`"
        word = _NUMBER_WORDS.get(int(slot.text)) if slot.text.isdecimal() else None
        return word if word and chance > 0.9 and not style.backticks else slot.text
    text = f"{slot.text}()" if slot.role == "callee" and slot.kind == "name" and chance < 0.3 else slot.text
    if style.backticks:
        return f"`{text}`"
    if slot.kind == "code" and (quoted or chance < 0.5):
        return f"“{text}”" if '"' in text else f'"{text}"'
    return text
