"""Questions put into words: templates from `phrases/`, drawn anew each time, always with the answer form wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from assay.memory_eval.questions.composing.listing import joined
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world import fact
from assay.memory_eval.world.attributes import ATTRIBUTES, Attribute
from assay.memory_eval.world.fact import in_words
from assay.memory_eval.world.wording import said

SENTENCES = {"root_causes", "symptoms", "problem_causes", "fixes"}
"""Domains whose values are too long to be called a name."""

MEASURES = {"ms", "MB", "GB", "TB", "m", "kWh", "days", "minutes"}
"""Units that are measured and not counted: a good question names the one it wants."""

COUNTED = {"pet"}
"""Attributes whose values are things one can have one of: such go with an article."""

_WHAT = re.compile(r"\b([Ww])hat (was|is)\b")

WITH_OPENER = 15
"""So many questions in a hundred begin with a few words that ask nothing."""


@cache
def phrases(name: str) -> dict[str, Any]:
    """The templates of one file in `phrases/`."""
    text = resources.files(__package__).joinpath("phrases", f"{name}.json").read_text("utf-8")
    return dict(json.loads(text))


class Speech:
    """What one category says. Every method draws: asked twice it may say it in two ways."""

    def __init__(self, category: str, material: Material, draws: Draws) -> None:
        self._lines = phrases("categories").get(category, {})
        self._material = material
        self._draws = draws

    def line(self, name: str, /, **parts: str) -> str:
        """One of the category's own sentences, filled in, now and then with a few words before it."""
        sentence = self.plain(name, **parts)
        return self._opened(sentence[0].upper() + sentence[1:])

    def line_on(self, attribute: str, name: str, /, **parts: str) -> str:
        """The same on an attribute's value: where that is a person, it is asked who and not what."""
        sentence = self.line(name, **parts)
        return _WHAT.sub(_who, sentence) if _form_of_entity(ATTRIBUTES[attribute]) == "person" else sentence

    def plain(self, name: str, /, **parts: str) -> str:
        """One of the category's own sentences, filled in, to stand after another or inside it."""
        sentence: str = self._draws.one(self._lines[name]).format_map(parts)
        return sentence

    def asked(self, attribute: str, of: str) -> str:
        """A whole question for an attribute: "What is Sarah Chen allergic to? Just name it."."""
        return f"{self._opened(self.asked_plainly(attribute, of))} {self.form(attribute)}"

    def asked_plainly(self, attribute: str, of: str) -> str:
        """The same without the form wanted and without words before it.

        Whoever is described and not named ("the lead of …") has no 's: it would belong to the last word.
        """
        ways = phrases("attributes")[attribute]["ask"]
        if of.startswith("the "):
            ways = [way for way in ways if "{of}'s" not in way]
        sentence: str = self._draws.one(ways).format(of=with_article(attribute, of))
        return sentence

    def asked_who(self, attribute: str, value: Any) -> str:
        """A whole question for the one that has a value: "Who is the person allergic to kiwi? A name will do."."""
        kind = ATTRIBUTES[attribute].kind
        sentence = self._draws.one(phrases("kinds")[kind]["which"]).format(one=self.one(attribute, value))
        return f"{self._opened(sentence)} {self.form_named('person' if kind == 'person' else 'name')}"

    def form(self, attribute: str) -> str:
        """Which form the answer should have, where it is a value of the attribute."""
        row = ATTRIBUTES[attribute]
        if row.type is AnswerType.number:
            return self.form_of_number(row.unit)
        if row.type is AnswerType.date:
            return self.form_named("moment" if _has_time(self._material, attribute) else "date")
        return self.form_named(_form_of_entity(row))

    def form_of_number(self, unit: str | None) -> str:
        """Which form a number in this unit should have."""
        if unit in ("USD", "%"):
            return self.form_named(unit)
        if unit is not None and unit not in MEASURES:
            return self.form_named("count")
        return self.form_named("number" if unit is None else "unit", unit=unit or "")

    def form_named(self, name: str, **parts: str) -> str:
        """One of the forms of `phrases/forms.json`."""
        form: str = self._draws.one(phrases("forms")[name])
        return form.format_map(parts)

    def _opened(self, sentence: str) -> str:
        if not self._draws.chance(WITH_OPENER):
            return sentence
        return f"{self._draws.one(phrases('openers')['openers'])} {sentence}"

    # ------------------------------------------------------------------ things described; nothing here is drawn

    def the(self, attribute: str, of: str) -> str:
        """("budget", "Project Quiet Heron") -> "the budget of Project Quiet Heron"."""
        own = phrases("attributes").get(attribute, {}).get("the")
        of = with_article(attribute, of)
        return str(own).format(of=of) if own else f"the {ATTRIBUTES[attribute].label} of {of}"

    def the_present(self, attribute: str, of: str) -> str:
        """The same, said to be the present one where it changes: "the present budget of Project Quiet Heron"."""
        the = self.the(attribute, of)
        return f"the present {the.removeprefix('the ')}" if ATTRIBUTES[attribute].changes else the

    def one(self, attribute: str, value: Any) -> str:
        """("allergy", "kiwi") -> "the person allergic to kiwi"."""
        return str(phrases("attributes")[attribute]["one"]).format(value=_described_by(attribute, value))

    def those(self, attribute: str, value: Any) -> str:
        """("team", "Billing") -> "people who are on the Billing team now"."""
        return str(phrases("attributes")[attribute]["those"]).format(value=_described_by(attribute, value))

    def kind(self, kind: str) -> str:
        """What one thing of a kind is called: "start-up"."""
        return str(phrases("kinds")[kind]["one"])

    def kinds(self, kind: str) -> str:
        """What several of a kind are called: "start-ups"."""
        return str(phrases("kinds")[kind]["many"])

    def value(self, attribute: str, value: Any) -> str:
        """A value in words; numbers of things that the label names already go without their unit."""
        row = ATTRIBUTES[attribute]
        if attribute in COUNTED:
            return _described_by(attribute, value)
        unit = None if "number of" in self.the(attribute, "it") else row.unit
        return f"{value:,}" if unit is None and row.unit else said(value, row.type, unit)

    def listed(self, items: Iterable[str]) -> str:
        """Names in a row: "a, b and c"."""
        return joined(list(items))


def _who(what: re.Match[str]) -> str:
    return f"{'Who' if what[1] == 'W' else 'who'} {what[2]}"


def _described_by(attribute: str, value: Any) -> str:
    words = in_words(attribute, value)
    return fact.with_article(words) if attribute in COUNTED else words


def with_article(attribute: str, of: str) -> str:
    """Topics are spoken of with an article: "the Duncombe stadium opening"; everything else has a name."""
    is_topic = ATTRIBUTES[attribute].kind == "topic" and not of.startswith("the ")
    return f"the {of}" if is_topic else of


def can_be_described(attribute: str, by: str = "one") -> bool:
    """Whether there are words for the one (`by` "one") or for all (`by` "those") that have a value of it."""
    return by in phrases("attributes").get(attribute, {})


def _form_of_entity(row: Attribute) -> str:
    if row.domain in ("person", "founder"):
        return "person"
    return "sentence" if row.domain in SENTENCES else "name"


def _has_time(material: Material, attribute: str) -> bool:
    told = material.record.entities(attribute)
    latest = material.record.latest(told[0], attribute) if told else None
    return latest is not None and len(str(latest.value)) > 10
