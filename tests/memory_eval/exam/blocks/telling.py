"""Dialogues for the tests of single blocks, and how a fact is looked for in what was said."""

from __future__ import annotations

from functools import cache

from assay.memory_eval.exam.dialogue import generate_dialogue
from assay.memory_eval.truth import Fact, GroundTruth, Turn
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import in_words
from assay.memory_eval.world.world import grammar

SEEDS = (1, 42, 20_260)


@cache
def dialogue(num_turns: int, seed: int) -> GroundTruth:
    """The same dialogue is made once for all tests."""
    return generate_dialogue(num_turns, seed)


def turns_of(block: str, num_turns: int = 100, seed: int = 42) -> list[Turn]:
    """The turns of one block."""
    return [turn for turn in dialogue(num_turns, seed).turns if turn.block_name == block]


def facts_of(block: str, num_turns: int = 100, seed: int = 42) -> list[Fact]:
    """The facts of one block, in the order told."""
    return [fact for turn in turns_of(block, num_turns, seed) for fact in turn.facts]


def things(block: str, num_turns: int, seed: int) -> dict[str, dict[str, list[Fact]]]:
    """What a block tells of each thing: the facts of each attribute, in the order told."""
    found: dict[str, dict[str, list[Fact]]] = {}
    for fact in facts_of(block, num_turns, seed):
        found.setdefault(fact["entity"], {}).setdefault(fact["attribute"], []).append(fact)
    return found


def facts_before(block: str, num_turns: int, seed: int) -> list[Fact]:
    """The facts of all blocks before a block."""
    first = turns_of(block, num_turns, seed)[0].turn_number
    return [fact for turn in dialogue(num_turns, seed).turns[: first - 1] for fact in turn.facts]


def wordings(fact: Fact) -> list[list[str]]:
    """What has to be in the text for a fact to be told: for each part of its value the ways to say it."""
    attribute, value = fact["attribute"], fact["value"]
    if attribute == "forget_request":
        return [nouns(value)]
    if attribute == "standing_also":
        return [nouns(name) for name in value.split(">")]
    if attribute == "planted_value":
        return [[_planted_words(value)], [fact["source"]]]
    if attribute == "event_at":
        return [[in_words(attribute, value), value.replace(" ", "T")]]
    return [[in_words(attribute, value)]]


def nouns(attribute: str) -> list[str]:
    """What the grammar calls an attribute."""
    return list(grammar("attributes", attribute, "noun"))


def planted(fact: Fact) -> tuple[str, str]:
    """The attribute a planted text is about, and the value it wants told, as text."""
    attribute, _, value = fact["value"].partition("=")
    return attribute, value


def _planted_words(text: str) -> str:
    attribute, _, value = text.partition("=")
    if ATTRIBUTES[attribute].type != "number":
        return in_words(attribute, value)
    return in_words(attribute, float(value) if "." in value else int(value))
