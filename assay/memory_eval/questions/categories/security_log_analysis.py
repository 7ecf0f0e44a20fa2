"""Questions over many log lines: who was behind it, when it began, how often, against which accounts."""

from __future__ import annotations

from itertools import product

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.queries.answering import find_answer
from assay.memory_eval.questions.queries.found import Query

Group = tuple[tuple[str, str], ...]
"""Conditions on events: attribute and value."""

FEWEST, MOST_LISTED, MOST_COUNTED = 2, 6, 40
ENDS = [("first", False), ("last", True)]


def candidates(asking: Asking) -> Asks:
    """Yield questions about groups of events that share an address, an account or a type."""
    groups = _groups(asking)
    ways = (_values, _counts, _times, _who, _most)
    return in_turn([way(asking, groups) for way in ways])


def _counts(asking: Asking, groups: dict[Group, int]) -> Asks:
    for group in asking.in_drawn_order([one for one, num in groups.items() if num > FEWEST]):
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
            if FEWEST <= num <= MOST_LISTED and len(asking.record.values(asked)) >= 2 * num:
                yield asking.ask(
                    "values", "set", query, those=_those(asking, group), asked=asking.plain(f"several_{asked}")
                )


def _most(asking: Asking, groups: dict[Group, int]) -> Asks:
    for group in asking.in_drawn_order([one for one, num in groups.items() if num > FEWEST]):
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
    return {group: count for group, count in num.items() if FEWEST <= count <= MOST_COUNTED}


def _where(group: Group) -> list[dict[str, str]]:
    return [{"attribute": attribute, "is": value} for attribute, value in group]


def _end(group: Group, last: bool) -> Query:
    return {"op": "end_where", "where": _where(group), "by": "event_at", "last": last}


def _those(asking: Asking, group: Group) -> str:
    """Return words such as "events of the type “failed login” from 203.0.113.7"."""
    conditions = [asking.plain(f"by_{attribute}", value=value) for attribute, value in group]
    return asking.plain("events", by=" ".join(conditions))
