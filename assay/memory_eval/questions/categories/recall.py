"""Questions for a value that was stated, and for one that was not."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import asked_directly, asked_the_other_way_round, value_of
from assay.memory_eval.questions.composing.material import ORDERS, Key
from assay.memory_eval.questions.composing.things import in_turn
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of, label_of

# ------------------ needle in haystack

ASKED = (
    "birthday allergy hobby pet pet_name hometown favorite_food degree joined_on extension mentor"
    " customer started_on language maintainer investor"
).split()


def needle_in_haystack(asking: Asking) -> Asks:
    """Yield questions for a value, or by the value for its entity."""
    keys = (key for key in asking.keys(ASKED) if len(asking.record.history(*key)) == 1)
    direct = asked_directly(asking, keys)
    return in_turn([direct, direct, asked_the_other_way_round(asking, asking.keys(ASKED))])


# ------------------ numerical precision

KINDS = ("quarter", "component", "project", "startup")

MEASURED = [row.name for row in ATTRIBUTES.values() if row.kind in KINDS and row.type is AnswerType.number]


def numerical_precision(asking: Asking) -> Asks:
    """Yield questions that require the last digit."""
    return asked_directly(asking, asking.keys(MEASURED))


# ------------------ infrastructure knowledge

OF_MACHINES = [row.name for row in (*attributes_of("server"), *attributes_of("network"))]


def infrastructure_knowledge(asking: Asking) -> Asks:
    """Yield questions for a detail of a machine, or by the detail for the machine."""
    direct = asked_directly(asking, asking.keys(OF_MACHINES))
    return in_turn([direct, direct, asked_the_other_way_round(asking, asking.keys(OF_MACHINES))])


# ------------------ distractor resistance

TRIVIA = [row.name for row in attributes_of("landmark")]

NUMBERS = [
    row.name for row in ATTRIBUTES.values()
    if row.type is AnswerType.number and row.kind in ("quarter", "component", "startup", "project", "server")
]  # fmt: skip
"""Mostly numbers, since the trivia are numbers too."""

OF_DISTRACTORS = [*NUMBERS, "hometown", "customer", "investor", "degree", "location"]


def distractor_resistance(asking: Asking) -> Asks:
    """Yield questions with trivia added as bait."""
    baits = list(asking.keys(TRIVIA))
    for entity, attribute in asking.keys(OF_DISTRACTORS) if baits else ():
        thing, measure = asking.draws.one(baits)
        bait = asking.record.history(thing, measure)[-1].value
        trivia = asking.plain("fact", the=asking.the(measure, thing), value=asking.value(measure, bait))
        ask = f"{asking.asked_plainly(attribute, entity)} {asking.form(attribute)}"
        text = f"{asking.plain('beside', trivia=trivia)} {ask}"
        yield Ask(text, value_of(entity, attribute), {"context": [bait]})


# ------------------ adversarial distractor


def adversarial_distractor(asking: Asking) -> Asks:
    """Yield questions about one of two near-twins; the other's value is the expected mistake."""
    for entity, attribute in in_turn(
        _shared(asking, one) for one in asking.in_drawn_order(list(asking.material.twins))
    ):
        text = f"{asking.asked(attribute, entity)} {asking.plain('mean', entity=entity)}"
        yield Ask(text, value_of(entity, attribute))


def _shared(asking: Asking, entity: str) -> Iterator[Key]:
    """Yield attributes stated for an entity and, with another value, for its twin."""
    for attribute in asking.in_drawn_order(asking.record.attributes(entity)):
        latest = asking.record.latest(entity, attribute)
        others = [asking.record.latest(twin, attribute) for twin in asking.material.twins[entity]]
        differ = latest is not None and any(one is not None and one.value != latest.value for one in others)
        if differ and asking.is_free(entity, attribute):
            yield entity, attribute


# ------------------ abstention

UNTOLD_KINDS = ("person", "project", "component", "startup", "server", "network", "problem")
GUESSED = {"field"}
"""Attributes that a name may reveal without a statement."""

ALIKE = 0.45
"""Similarity, 0.0 to 1.0, from which two first or last names may be confused."""

STRANGERS = 40
"""Most invented names."""


def abstention(asking: Asking) -> Asks:
    """Yield questions worded exactly like answerable ones, so that the wording does not reveal the missing answer."""
    untold = _untold(asking)
    return in_turn([untold, untold, untold, _strangers(asking)])


def _untold(asking: Asking) -> Asks:
    """Yield attributes stated for others of the kind, but not for this one."""
    for entity in asking.in_drawn_order([entity for kind in UNTOLD_KINDS for entity in asking.material.things(kind)]):
        rows = attributes_of(asking.material.kinds[entity])
        never = [
            row.name for row in rows if asking.record.entities(row.name) and not asking.record.told(entity, row.name)
        ]
        never = [name for name in never if asking.is_free(entity, name) and name not in GUESSED]
        never = [name for name in never if (entity, name) not in asking.material.planted]
        if never:
            attribute = asking.draws.one(never)
            yield Ask(asking.asked(attribute, entity), value_of(entity, attribute), abstains=True)


def _strangers(asking: Asking) -> Asks:
    """Yield unknown people with the first name of one and the last name of another known person.

    The names are not similar enough to be read as misspelt known names.
    """
    people = asking.material.things("person")
    told = [row.name for row in attributes_of("person") if asking.record.entities(row.name)]
    for _ in range(STRANGERS if len(people) > 1 else 0):
        one, other = asking.draws.some(people, 2)
        stranger = f"{one.split()[0]} {other.split()[-1]}"
        if not asking.material.is_mentioned(stranger) and not any(_sounds_like(stranger, one) for one in people):
            attribute = asking.draws.one(told)
            yield Ask(asking.asked(attribute, stranger), value_of(stranger, attribute), abstains=True)


def _sounds_like(stranger: str, known: str) -> bool:
    """Return whether one part of two names is equal, and the other similar."""
    differ = [pair for pair in zip(stranger.split(), known.split(), strict=False) if pair[0] != pair[1]]
    return len(differ) < 2 and all(SequenceMatcher(None, *pair).ratio() > ALIKE for pair in differ)


# ------------------ meta memory

MENTIONED_KINDS = ("person", "project", "component", "startup", "server", "incident")
ROUNDS = 6
"""How often each attribute is used, with other names each time."""

FEWEST, MOST = 2, 4
"""Number of named meta_memory in the answer; at least as many more are not."""


def meta_memory(asking: Asking) -> Asks:
    """Yield questions such as which of these people's birthdays, and which facts about this one, were stated."""
    return in_turn([_of_whom(asking), _about(asking)])


def _of_whom(asking: Asking) -> Asks:
    attributes = [row.name for kind in MENTIONED_KINDS for row in attributes_of(kind) if row.name not in ORDERS]
    for _ in range(ROUNDS):
        for attribute in asking.in_drawn_order(attributes):
            told, untold = _parted(asking, attribute)
            num = asking.draws.between(FEWEST, MOST)
            if len(told) < num or len(untold) < num + 1:
                continue
            among = [
                *asking.draws.some(told, num),
                *asking.draws.some(untold, min(len(untold), asking.draws.between(num + 1, 5))),
            ]
            asking.draws.shuffle(among)
            query = {"op": "told_of", "attribute": attribute, "among": among}
            yield asking.ask("told_of", "set", query, label=asking.noun(attribute), names=asking.listed(among))


def _about(asking: Asking) -> Asks:
    entities = [entity for kind in MENTIONED_KINDS for entity in asking.material.things(kind)]
    for entity in asking.in_drawn_order([one for one in entities if one not in asking.material.asked_to_forget]):
        rows = attributes_of(asking.material.kinds[entity])
        free = [row.name for row in rows if asking.is_free(entity, row.name)]
        told = [name for name in free if asking.record.told(entity, name)]
        untold = [name for name in free if not asking.record.told(entity, name)]
        if len(told) < FEWEST or len(untold) <= FEWEST:
            continue
        num = asking.draws.between(FEWEST, min(MOST, len(told), len(untold)))
        among = [*asking.draws.some(told, num), *asking.draws.some(untold, num)]
        asking.draws.shuffle(among)
        labels = asking.listed([label_of(name) for name in among])
        query = {"op": "told_about", "entity": entity, "attributes": among}
        yield asking.ask("told_about", "set", query, entity=entity, labels=labels)


def _parted(asking: Asking, attribute: str) -> tuple[list[str], list[str]]:
    """Return the entities with a stated attribute, and those of the same kind without.

    Entities with a forget request are left out: whether such a fact was stated is open to interpretation.
    """
    told: list[str] = []
    untold: list[str] = []
    for entity in asking.material.things(ATTRIBUTES[attribute].kind):
        if asking.is_free(entity, attribute) and entity not in asking.material.asked_to_forget:
            (told if asking.record.told(entity, attribute) else untold).append(entity)
    return told, untold


# ------------------ problem solving

WANTED = ("fix", "cause", "fixed_by", "fix_time")


def problem_solving(asking: Asking) -> Asks:
    """Yield questions mostly by the symptom alone, as problems occur, sometimes by the problem's name."""
    by_symptom = _by_symptom(asking)
    by_name = asked_directly(asking, asking.keys(["symptom", *WANTED]))
    return in_turn([by_symptom, by_symptom, by_name])


def _by_symptom(asking: Asking) -> Asks:
    for wanted in asking.draws.some(WANTED, len(WANTED)):
        for problem, attribute in asking.keys(["symptom"]):
            if asking.is_free(problem, wanted):
                symptom = asking.record.history(problem, attribute)[-1].value
                holder = {"op": "inverse", "attribute": attribute, "value": symptom}
                yield asking.ask("again", wanted, value_of(holder, wanted), symptom=symptom, ask=asking.plain(wanted))
