"""Questions before their answers, and what a category asks them with: the material and the wording.

Sentences are productions of the grammar, drawn for each question, always with the requested answer form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from assay.memory_eval.questions.composing.answers import joined
from assay.memory_eval.questions.composing.material import Key, Material
from assay.memory_eval.questions.composing.things import claimed, in_drawn_order
from assay.memory_eval.questions.queries.found import Query
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world import wording
from assay.memory_eval.world.attributes import ATTRIBUTES, Attribute
from assay.memory_eval.world.wording import in_words, said
from assay.memory_eval.world.world import fill, grammar
from assay.seeded_random import Draws

T = TypeVar("T")

SENTENCES = {"root_causes", "symptoms", "problem_causes", "fixes"}
"""Domains with values too long for a name."""

MEASURES = {"ms", "MB", "GB", "TB", "m", "kWh", "days", "minutes"}
"""Measured units, as opposed to counted things: a question names the one it requests."""

COUNTED = {"pet"}
"""Attributes whose values are countable things and take an article."""

_WHAT = re.compile(r"\b([Ww])hat (was|is)\b")

WITH_OPENER = 12
"""Per cent of questions with an opener."""


_DIRECT = 50
"""Per cent of plain questions in an attribute's own words; the others use one of its nouns."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question without an answer; `query` finds the answer and the evidence.

    `rubric` adds to what follows from the query. `abstains`: the dialogue has no answer, and that is the right answer.
    `must`: queries whose results the answer must contain too. `also_turns`: further evidence, such as a standing
    request.
    """

    text: str
    query: Query
    rubric: Mapping[str, Any] = field(default_factory=dict)
    abstains: bool = False
    must: tuple[Query, ...] = ()
    also_turns: tuple[int, ...] = ()


Asks = Iterator[Ask]
"""Questions of a category, in drawn order."""


class Asking:
    """The material, the draws and the wording of one category. Methods draw: two calls may give two wording."""

    def __init__(self, category: str, material: Material, draws: Draws) -> None:
        self._category = category
        self._productions = material.productions
        self.material = material
        self.record = material.record
        self.draws = draws

    def is_free(self, entity: str, attribute: str) -> bool:
        """Return whether an attribute has no request, so that the plain value is the full answer."""
        return self.material.is_free(entity, attribute)

    def in_drawn_order(self, items: Sequence[T]) -> Iterator[T]:
        """Yield each item once, in an order drawn during iteration."""
        return in_drawn_order(items, self.draws)

    def keys(self, attributes: Iterable[str]) -> Iterator[Key]:
        """Yield the allowed keys of these attributes, the attributes in turn, each in drawn order."""
        return self.material.keys(attributes, self.draws)

    def changed(self, attributes: Iterable[str]) -> Iterator[Key]:
        """Yield the keys whose value has changed."""
        return (key for key in self.keys(attributes) if len(self.record.history(*key)) > 1)

    def line(self, name: str, /, **parts: str) -> str:
        """Return one of the category's sentences, filled in, sometimes with an opener."""
        sentence = self.plain(name, **parts)
        return self._opened(sentence[0].upper() + sentence[1:])

    def line_on(self, attribute: str, name: str, /, **parts: str) -> str:
        """Return a sentence about an attribute's value, with "who" instead of "what" for a person."""
        sentence = self.line(name, **parts)
        return _WHAT.sub(_who, sentence) if _form_of_entity(ATTRIBUTES[attribute]) == "person" else sentence

    def plain(self, name: str, /, **parts: str) -> str:
        """Return one of the category's sentences, filled in, for use after or inside another."""
        return fill(self._one("asked", "lines", self._category, name), parts)

    def _one(self, *path: str) -> str:
        one: str = self.draws.one(self._productions.of(*path))
        return one

    def noun(self, attribute: str) -> str:
        """Return a noun for an attribute: "deadline", "due date"."""
        return self._one("attributes", attribute, "noun")

    def noun_now(self, attribute: str) -> str:
        """Return a noun, qualified if the attribute changes: "present budget", "birthday"."""
        noun = self.noun(attribute)
        return f"{self._one('asked', 'present')} {noun}" if ATTRIBUTES[attribute].changes else noun

    def ask(self, name: str, form: str, query: Query, rubric: Mapping[str, Any] | None = None, /, **parts: str) -> Ask:
        """Return a question: a sentence of the category, and the requested form, by its name or of an attribute."""
        text = self.line(name, **parts)
        wanted = self.form(form) if form in ATTRIBUTES else self.form_named(form)
        return Ask(f"{text} {wanted}", query, rubric or {})

    def asked(self, attribute: str, of: str) -> str:
        """Return a whole question for an attribute: "What is Sarah Chen allergic to? Just name it."."""
        return f"{self._opened(self.asked_plainly(attribute, of))} {self.form(attribute)}"

    def asked_plainly(self, attribute: str, of: str) -> str:
        """Return the question without the requested form and without an opener.

        Described entities ("the lead of …") take no 's: it would belong to the last word.
        """
        row, of = ATTRIBUTES[attribute], with_article(attribute, of)
        is_person = _form_of_entity(row) == "person"
        is_direct = self.draws.chance(_DIRECT) or row.changes or not _has_noun_questions(row)
        path = ("attributes", attribute, "asks") if is_direct else ("asked", "ask_who" if is_person else "ask")
        ways = self._productions.of(*path)
        if of.startswith(("the ", "that ")):
            ways = [way for way in ways if "{s}'s" not in way] or [f"What is {self.the(attribute, of)}?"]
        kind = grammar("asked", "kinds", row.kind)
        return fill(self.draws.one(ways), {"s": of, "n": self.noun(attribute), "be": kind["be"], "its": kind["its"]})

    def asked_who(self, attribute: str, value: Any) -> str:
        """Return a whole question for a value's owner: "Who is the person allergic to kiwi? A name will do."."""
        kind = ATTRIBUTES[attribute].kind
        sentence = fill(self._one("asked", "kinds", kind, "which"), {"one": self.one(attribute, value)})
        return f"{self._opened(sentence)} {self.form_named('person' if kind == 'person' else 'name')}"

    def form(self, attribute: str) -> str:
        """Return the requested form of an attribute's value."""
        row = ATTRIBUTES[attribute]
        if row.type is AnswerType.number:
            return self.form_of_number(row.unit)
        if row.type is AnswerType.date:
            return self.form_named("moment" if _has_time(self.material, attribute) else "date")
        return self.form_named(_form_of_entity(row))

    def form_of_number(self, unit: str | None) -> str:
        """Return the requested form of a number in this unit."""
        if unit in ("USD", "%"):
            return self.form_named(unit)
        if unit is not None and unit not in MEASURES:
            return self.form_named("count")
        return self.form_named("number" if unit is None else "unit", unit=unit or "")

    def form_named(self, name: str, **parts: str) -> str:
        """Return one of the forms of `phrases/forms.json`."""
        return fill(self._one("asked", "forms", name), parts)

    def _opened(self, sentence: str) -> str:
        if not self.draws.chance(WITH_OPENER):
            return sentence
        return f"{self._one('asked', 'question_openers')} {sentence}"

    def the(self, attribute: str, of: str) -> str:
        """Describe an attribute: ("budget", "Project Quiet Heron") -> "the budget of Project Quiet Heron"."""
        of = with_article(attribute, of)
        ways = self._productions.of("asked", "the")
        if of.startswith(("the ", "that ")):
            ways = [way for way in ways if "{s}'s" not in way] or ["the {n} of {s}"]
        return fill(self.draws.one(ways), {"s": of, "n": self.noun(attribute)})

    def described(self, attribute: str, of: str) -> str:
        """Describe an attribute's value for use as a name: the words have no 's, which could belong to either."""
        return f"the {self.noun(attribute)} of {with_article(attribute, of)}"

    def the_present(self, attribute: str, of: str) -> str:
        """Describe a current value: "the present budget of Project Quiet Heron"."""
        return f"the {self.noun_now(attribute)} of {with_article(attribute, of)}"

    def one(self, attribute: str, value: Any) -> str:
        """Describe one entity: ("allergy", "kiwi") -> "the person allergic to kiwi"."""
        return fill(self._one("attributes", attribute, "one"), {"v": _described_by(attribute, value)})

    def those(self, attribute: str, value: Any) -> str:
        """Describe several: ("team", "Billing") -> "people who are on the Billing team now"."""
        return fill(self._one("attributes", attribute, "those"), {"v": _described_by(attribute, value)})

    def kind(self, kind: str) -> str:
        """Return a kind's singular: "start-up"."""
        return str(grammar("asked", "kinds", kind, "one"))

    def kinds(self, kind: str) -> str:
        """Return a kind's plural: "start-ups"."""
        return str(grammar("asked", "kinds", kind, "many"))

    def value(self, attribute: str, value: Any) -> str:
        """Return a value in words."""
        row = ATTRIBUTES[attribute]
        if attribute in COUNTED:
            return _described_by(attribute, value)
        return said(value, row.type, row.unit)

    def listed(self, items: Iterable[str]) -> str:
        """Return names in a row: "a, b and c"."""
        return joined(list(items))


def _who(what: re.Match[str]) -> str:
    return f"{'Who' if what[1] == 'W' else 'who'} {what[2]}"


def _described_by(attribute: str, value: Any) -> str:
    words = in_words(attribute, value)
    return wording.with_article(words) if attribute in COUNTED else words


def with_article(attribute: str, of: str) -> str:
    """Add an article to topics: "the Duncombe stadium opening"; other entities have names."""
    is_topic = ATTRIBUTES[attribute].kind == "topic" and not of.startswith("the ")
    return f"the {of}" if is_topic else of


def spoken(entity: str, attribute: str) -> str:
    """Return words for a claim: ("Duncombe stadium opening", "settled_cost") -> "the cost of the Duncombe …"."""
    return f"the {ATTRIBUTES[claimed(attribute)].label} of {with_article(attribute, entity)}"


def can_be_described(attribute: str, by: str = "one") -> bool:
    """Return whether a value has a description for one owner (`by` "one") or for all (`by` "those")."""
    return grammar("attributes", attribute, by) is not None


def _form_of_entity(row: Attribute) -> str:
    if row.domain in ("person", "founder"):
        return "person"
    return "sentence" if row.domain in SENTENCES else "name"


def _has_time(material: Material, attribute: str) -> bool:
    told = material.record.entities(attribute)
    latest = material.record.latest(told[0], attribute) if told else None
    return latest is not None and len(str(latest.value)) > 10


def _has_noun_questions(row: Attribute) -> bool:
    """Return whether "What is the <noun> of X?" asks for the value: not for settled claims and whole sentences."""
    return row.kind != "topic" and row.domain not in SENTENCES
