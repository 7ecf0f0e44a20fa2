"""Questions whose answer has to be computed or followed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks, can_be_described
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.things import CHANGING, TIES, TRAITS, in_turn
from assay.memory_eval.questions.queries.answering import find_answer
from assay.memory_eval.questions.queries.found import Query
from assay.memory_eval.questions.queries.record import StatedFact
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of

# ------------------ aggregation

FEWEST, MOST_LISTED, MOST_COUNTED = 2, 6, 40
POSSIBLE = 6
"""Least number of candidates for a list."""

ROUNDS = 3
"""How often each number is used, with another threshold each time."""

KINDS = ("project", "component", "startup", "quarter", "server", "landmark")
NUMBERS = [row.name for row in ATTRIBUTES.values() if row.kind in KINDS and row.unit is not None]
"""Quantities, as opposed to numeric names such as a port."""


def aggregation(asking: Asking) -> Asks:
    """Yield requests for short lists in full, and counts of longer ones."""
    shared = [name for name in ATTRIBUTES if can_be_described(name, "those")]
    shared = [name for name in shared if ATTRIBUTES[name].kind != "event"]
    alike = in_turn([_shared(asking, name) for name in asking.in_drawn_order(shared)])
    return in_turn([alike, alike, _at_least(asking)])


def _at_least(asking: Asking) -> Asks:
    """Yield counts of the entities whose number is at least that of one of them."""
    for attribute in asking.in_drawn_order(NUMBERS * ROUNDS):
        values = sorted((one.value for one in asking.record.all_latest(attribute)), reverse=True)
        if len(values) > FEWEST:
            least = values[asking.draws.between(FEWEST, min(MOST_COUNTED, len(values) - 1)) - 1]
            kinds = asking.kinds(ATTRIBUTES[attribute].kind)
            label, said = asking.noun_now(attribute), asking.value(attribute, least)
            where = [{"attribute": attribute, "at_least": least}]
            query = {"op": "count_where", "where": where}
            yield asking.ask("at_least", "count", query, kinds=kinds, label=label, value=said)


def _shared(asking: Asking, attribute: str) -> Asks:
    num_things = len(asking.material.things(ATTRIBUTES[attribute].kind))
    for value in asking.in_drawn_order(asking.record.values(attribute)):
        num = len(asking.record.holding(attribute, value))
        if (attribute, value) in asking.material.forgotten_values or not FEWEST <= num <= MOST_COUNTED:
            continue
        where = [{"attribute": attribute, "is": value}]
        those = asking.those(attribute, value)
        if num <= MOST_LISTED and num_things >= max(POSSIBLE, 2 * num) and asking.draws.chance(70):
            yield asking.ask("list", "set", {"op": "list_where", "where": where}, those=those)
        else:
            yield asking.ask("count", "count", {"op": "count_where", "where": where}, those=those)


# ------------------ cross reference

FIX = "fixed_by"
"""Wording for the fixer of a problem, which needs a verb."""


def cross_reference(asking: Asking) -> Asks:
    """Yield questions that describe a person by a unique trait instead of the name."""
    return in_turn([_belongs(asking), _about(asking), _lists(asking)])


def _belongs(asking: Asking) -> Asks:
    for tie, trait in _tied(asking):
        if len(asking.record.holding(tie.attribute, tie.value)) == 1:
            row = ATTRIBUTES[tie.attribute]
            person = asking.one(trait.attribute, trait.value)
            line = "fixed" if tie.attribute == FIX else "belongs"
            query = {"op": "inverse", "attribute": tie.attribute, "value": _by(trait)}
            yield asking.ask(
                line, "name", query, kind=asking.kind(row.kind), person=person, label=asking.noun(tie.attribute)
            )


def _about(asking: Asking) -> Asks:
    for tie, trait in _tied(asking):
        if len(asking.record.holding(tie.attribute, tie.value)) == 1:
            kind = ATTRIBUTES[tie.attribute].kind
            told = asking.record.attributes(tie.entity)
            others = [row.name for row in attributes_of(kind) if row.name in told and row.name != tie.attribute]
            if others and asking.is_free(tie.entity, asked := asking.draws.one(others)):
                yield _asked_about(asking, tie, trait, asked)


def _asked_about(asking: Asking, tie: StatedFact, trait: StatedFact, asked: str) -> Ask:
    row = ATTRIBUTES[tie.attribute]
    text = asking.line(
        "about_fixed" if tie.attribute == FIX else "about",
        kind=asking.kind(row.kind),
        person=asking.one(trait.attribute, trait.value),
        label=asking.noun(tie.attribute),
        ask=asking.asked_plainly(asked, f"that {asking.kind(row.kind)}"),
    )
    holder = {"op": "inverse", "attribute": tie.attribute, "value": _by(trait)}
    return Ask(f"{text} {asking.form(asked)}", value_of(holder, asked))


def _lists(asking: Asking) -> Asks:
    for tie, trait in _tied(asking):
        kind = ATTRIBUTES[tie.attribute].kind
        num = len(asking.record.holding(tie.attribute, tie.value))
        if 2 <= num <= 6 and len(asking.material.things(kind)) >= max(6, 2 * num):
            person = asking.one(trait.attribute, trait.value)
            label = asking.noun(tie.attribute)
            line = "fixed_several" if tie.attribute == FIX else "lists"
            query = {"op": "list_where", "where": [{"attribute": tie.attribute, "is": _by(trait)}]}
            yield asking.ask(line, "set", query, kinds=asking.kinds(kind), person=person, label=label)


def _tied(asking: Asking) -> Iterator[tuple[StatedFact, StatedFact]]:
    """Yield a current tie to a person, and a unique trait of that person from another turn."""
    for entity, attribute in asking.keys(TIES):
        tie = asking.record.latest(entity, attribute)
        if (
            tie is None
            or asking.material.kinds.get(entity) == "person"
            or (attribute, tie.value) in asking.material.forgotten_values
        ):
            continue
        for name in asking.in_drawn_order(TRAITS):
            trait = asking.record.latest(str(tie.value), name)
            if trait is not None and _is_fit(asking, trait) and trait.turn != tie.turn:
                yield tie, trait
                break


def _is_fit(asking: Asking, trait: StatedFact) -> bool:
    alone = len(asking.record.holding(trait.attribute, trait.value)) == 1
    secret = (trait.attribute, trait.value) in asking.material.forgotten_values
    return alone and not secret and asking.is_free(trait.entity, trait.attribute)


def _by(trait: StatedFact) -> dict[str, object]:
    return {"op": "inverse", "attribute": trait.attribute, "value": trait.value}


# ------------------ multi hop reasoning

PER_CHAIN = 2
"""Most questions per chain end; no attribute of a person is requested again by another chain."""


class Chain(NamedTuple):
    """A path to a person: who it is, how the path is worded, and its query."""

    end: str
    spoken: str
    query: Query


def multi_hop_reasoning(asking: Asking) -> Asks:
    """Yield questions that never name the links of the chain."""
    chains = in_turn([_long(asking), _short(asking)])
    asked: set[tuple[str, str]] = set()
    for chain in chains:
        traits = [name for name in TRAITS if asking.record.told(chain.end, name)]
        traits = [name for name in traits if asking.is_free(chain.end, name) and (chain.end, name) not in asked]
        for trait in asking.draws.some(traits, min(PER_CHAIN, len(traits))):
            asked.add((chain.end, trait))
            yield Ask(asking.asked(trait, chain.spoken), value_of(chain.query, trait))


def _short(asking: Asking) -> Iterator[Chain]:
    for entity, tie in asking.keys(TIES):
        end = asking.record.history(entity, tie)[-1].value
        yield Chain(str(end), asking.described(tie, entity), value_of(entity, tie))


def _long(asking: Asking) -> Iterator[Chain]:
    for chain in _short(asking):
        further = [name for name in TIES if asking.record.told(chain.end, name)]
        further = [name for name in further if asking.is_free(chain.end, name)]
        if further:
            tie = asking.draws.one(further)
            end = asking.record.history(chain.end, tie)[-1].value
            yield Chain(str(end), asking.described(tie, chain.spoken), value_of(chain.query, tie))


# ------------------ numerical reasoning

WORKS = ("difference", "sum", "mean", "difference", "sum")
ADDABLE = set("USD people tickets sign-ups kWh customers GB TB MB minutes cores".split())
ELSEWHERE = ("topic", "landmark", "incident")
COMPARED = [
    row.name
    for row in ATTRIBUTES.values()
    if row.type is AnswerType.number and row.unit in ADDABLE | {"%"} and row.kind not in ELSEWHERE
]


def numerical_reasoning(asking: Asking) -> Asks:
    """Yield questions over two numbers from different places."""
    pairs = _pairs(asking)
    return in_turn([pairs, _forecasts(asking), pairs, _changes(asking)])


def _forecasts(asking: Asking) -> Asks:
    for entity, _ in asking.keys(["revenue_forecast"]):
        query = {"op": "difference", "of": [value_of(entity, "revenue"), value_of(entity, "revenue_forecast")]}
        if asking.is_free(entity, "revenue"):
            yield Ask(f"{asking.line('forecast', of=entity)} {asking.form_of_number('USD')}", query)


def _changes(asking: Asking) -> Asks:
    for entity, attribute in asking.changed([name for name in CHANGING if name in COMPARED]):
        first = {"op": "first", "entity": entity, "attribute": attribute}
        text = f"{asking.line('change', the=asking.the(attribute, entity))} One decimal is enough."
        if not asking.record.corrected(entity, attribute):
            yield Ask(
                f"{text} {asking.form_of_number('%')}", {"op": "change", "of": [first, value_of(entity, attribute)]}
            )


def _pairs(asking: Asking) -> Asks:
    return in_turn([_pairs_of(asking, attribute) for attribute in asking.in_drawn_order(COMPARED)])


def _pairs_of(asking: Asking, attribute: str) -> Asks:
    entities = asking.in_drawn_order(
        [one for one in asking.record.entities(attribute) if asking.is_free(one, attribute)]
    )
    unit = ATTRIBUTES[attribute].unit
    for one, other in zip(entities, entities, strict=False):
        work = asking.draws.one(WORKS) if unit in ADDABLE else "difference"
        text = asking.line(work, the=asking.the_present(attribute, one), other=asking.the_present(attribute, other))
        query = {"op": work, "of": [value_of(one, attribute), value_of(other, attribute)]}
        yield Ask(f"{text} {asking.form_of_number(unit)}", query)


# ------------------ security log analysis

Group = tuple[tuple[str, str], ...]
"""Conditions on events: attribute and value."""

FEWEST_EVENTS, MOST_EVENTS_LISTED, MOST_EVENTS = 2, 6, 40
ENDS = [("first", False), ("last", True)]


def security_log_analysis(asking: Asking) -> Asks:
    """Yield questions about groups of events that share an address, an account or a type."""
    groups = _groups(asking)
    ways = (_values, _counts, _times, _who, _most)
    return in_turn([way(asking, groups) for way in ways])


def _counts(asking: Asking, groups: dict[Group, int]) -> Asks:
    for group in asking.in_drawn_order([one for one, num in groups.items() if num > FEWEST_EVENTS]):
        yield asking.ask("count", "count", {"op": "count_where", "where": _where(group)}, those=_those(asking, group))


def _times(asking: Asking, groups: dict[Group, int]) -> Asks:
    for group, (kind, last) in asking.in_drawn_order(list(product(groups, ENDS))):
        yield asking.ask(kind, "event_at", value_of(_end(group, last), "event_at"), those=_those(asking, group))


def _who(asking: Asking, groups: dict[Group, int]) -> Asks:
    """Yield the account or the address at one end of a large group."""
    for group, (kind, last) in asking.in_drawn_order(list(product(groups, ENDS))):
        open_ended = [name for name in ("user", "source_ip") if name not in dict(group)]
        if open_ended:
            asked = asking.draws.one(open_ended)
            query = value_of(_end(group, last), asked)
            yield asking.ask(f"who_{kind}", asked, query, those=_those(asking, group), asked=asking.noun(asked))


def _values(asking: Asking, groups: dict[Group, int]) -> Asks:
    """Yield the accounts an address tried, and the addresses an account was tried from."""
    for group in asking.in_drawn_order(list(groups)):
        for asked in ("user", "source_ip"):
            if asked in dict(group):
                continue
            query = {"op": "values_where", "where": _where(group), "attribute": asked}
            found = find_answer(query, asking.record).value
            num = len(found or ())
            if FEWEST_EVENTS <= num <= MOST_EVENTS_LISTED and len(asking.record.values(asked)) >= 2 * num:
                yield asking.ask(
                    "values", "set", query, those=_those(asking, group), asked=asking.plain(f"several_{asked}")
                )


def _most(asking: Asking, groups: dict[Group, int]) -> Asks:
    for group in asking.in_drawn_order([one for one, num in groups.items() if num > FEWEST_EVENTS]):
        for asked in ("source_ip", "user"):
            if asked not in dict(group):
                query = {"op": "most_common", "where": _where(group), "attribute": asked}
                yield asking.ask("most", asked, query, those=_those(asking, group), asked=asking.noun(asked))


def _groups(asking: Asking) -> dict[Group, int]:
    """Return groups of two to forty events of one type from one address or on one account, with their sizes."""
    num: dict[Group, int] = {}
    for event in asking.record.entities("event_type"):
        kind = asking.record.history(event, "event_type")[-1].value
        for attribute in ("source_ip", "user"):
            latest = asking.record.latest(event, attribute)
            if latest is not None:
                group = (("event_type", str(kind)), (attribute, str(latest.value)))
                num[group] = num.get(group, 0) + 1
    return {group: count for group, count in num.items() if FEWEST_EVENTS <= count <= MOST_EVENTS}


def _where(group: Group) -> list[dict[str, str]]:
    return [{"attribute": attribute, "is": value} for attribute, value in group]


def _end(group: Group, last: bool) -> Query:
    return {"op": "end_where", "where": _where(group), "by": "event_at", "last": last}


def _those(asking: Asking, group: Group) -> str:
    """Return words such as "events of the type “failed login” from 203.0.113.7"."""
    conditions = [asking.plain(f"by_{attribute}", value=value) for attribute, value in group]
    return asking.plain("events", by=" ".join(conditions))
