"""Questions over many log lines: who was behind it, when it began, how often, against which accounts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from assay.memory_eval.queries.answering import find_answer
from assay.memory_eval.queries.found import Query
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

Group = tuple[tuple[str, str], ...]
"""Conditions on events: attribute and value."""

FEWEST, MOST_LISTED, MOST_COUNTED = 2, 6, 40
SEVERAL = {"user": "user accounts", "source_ip": "source addresses"}
ENDS = [("first", False), ("last", True)]


class SecurityLogAnalysis:
    """Questions about groups of events that share an address, an account or a type."""

    name = "security_log_analysis"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 5

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        groups = _groups(material)
        return in_turn(
            [
                self._values(material, speech, draws, groups),
                self._counts(speech, draws, groups),
                self._times(speech, draws, groups),
                self._who(speech, draws, groups),
                self._most(speech, draws, groups),
            ]
        )

    def _counts(self, speech: Speech, draws: Draws, groups: dict[Group, int]) -> Iterator[Ask]:
        for group in in_drawn_order([one for one, num in groups.items() if num > FEWEST], draws):
            text = f"{speech.line('count', those=_those(group))} {speech.form_named('count')}"
            yield Ask(text, {"op": "count_where", "where": _where(group)})

    def _times(self, speech: Speech, draws: Draws, groups: dict[Group, int]) -> Iterator[Ask]:
        for group, (kind, last) in in_drawn_order(list(product(groups, ENDS)), draws):
            text = f"{speech.line(kind, those=_those(group))} {speech.form('event_at')}"
            yield Ask(text, value_of(_end(group, last), "event_at"))

    def _who(self, speech: Speech, draws: Draws, groups: dict[Group, int]) -> Iterator[Ask]:
        """Yield the account or the address at one end of a large group."""
        for group, (kind, last) in in_drawn_order(list(product(groups, ENDS)), draws):
            open_ended = [name for name in ("user", "source_ip") if name not in dict(group)]
            if open_ended:
                asked = draws.one(open_ended)
                text = speech.line(f"who_{kind}", those=_those(group), asked=ATTRIBUTES[asked].label)
                yield Ask(f"{text} {speech.form(asked)}", value_of(_end(group, last), asked))

    def _values(self, material: Material, speech: Speech, draws: Draws, groups: dict[Group, int]) -> Iterator[Ask]:
        """Yield the accounts an address tried, and the addresses an account was tried from."""
        for group in in_drawn_order(list(groups), draws):
            for asked in ("user", "source_ip"):
                if asked in dict(group):
                    continue
                query = {"op": "values_where", "where": _where(group), "attribute": asked}
                found = find_answer(query, material.record).value
                num = len(found or ())
                if FEWEST <= num <= MOST_LISTED and len(material.record.values(asked)) >= 2 * num:
                    text = speech.line("values", those=_those(group), asked=SEVERAL[asked])
                    yield Ask(f"{text} {speech.form_named('set')}", query)

    def _most(self, speech: Speech, draws: Draws, groups: dict[Group, int]) -> Iterator[Ask]:
        for group in in_drawn_order([one for one, num in groups.items() if num > FEWEST], draws):
            for asked in ("source_ip", "user"):
                if asked not in dict(group):
                    text = speech.line("most", those=_those(group), asked=ATTRIBUTES[asked].label)
                    query = {"op": "most_common", "where": _where(group), "attribute": asked}
                    yield Ask(f"{text} {speech.form(asked)}", query)


def _groups(material: Material) -> dict[Group, int]:
    """Return groups of two to forty events of one type from one address or on one account, with their sizes."""
    num: dict[Group, int] = {}
    for event in material.record.entities("event_type"):
        kind = material.record.history(event, "event_type")[-1].value
        for attribute in ("source_ip", "user"):
            latest = material.record.latest(event, attribute)
            if latest is not None:
                group = (("event_type", str(kind)), (attribute, str(latest.value)))
                num[group] = num.get(group, 0) + 1
    return {group: count for group, count in num.items() if FEWEST <= count <= MOST_COUNTED}


def _where(group: Group) -> list[dict[str, str]]:
    return [{"attribute": attribute, "is": value} for attribute, value in group]


def _end(group: Group, last: bool) -> Query:
    return {"op": "end_where", "where": _where(group), "by": "event_at", "last": last}


def _those(group: Group) -> str:
    """Return words such as "events of the type “failed login” from 203.0.113.7"."""
    parts = {"event_type": "of the type “{}”", "source_ip": "from {}", "user": "on the account {}"}
    return f"events {' '.join(parts[attribute].format(value) for attribute, value in group)}"
