"""Checks of a pack: every attribute can be said and asked for, nothing is ambiguous, and the oracle is graded right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.exam.dialogue import generate_dialogue
from assay.memory_eval.graders.rules import grade
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.measuring import measured_store
from assay.memory_eval.holding.stored import Stored
from assay.memory_eval.holding.told import told_of
from assay.memory_eval.private_packs.drafting import num_shared
from assay.memory_eval.questions.choosing import generate_questions
from assay.memory_eval.questions.oracle import answer_from_evidence
from assay.memory_eval.truth import GroundTruth, Turn
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.fact import in_words
from assay.memory_eval.world.packs import Pack, public_pack, read_pack
from assay.memory_eval.world.productions import fields_of
from assay.memory_eval.world.vocabulary_files import words

FAIR_ORACLE, FAIR_RECALL = 0.99, 0.97
NUM_TURNS, NUM_QUESTIONS, NUM_WORLDS = 300, 200, 3
_FEWEST_WORDS = 4
_MOST_COINED, _MOST_SYLLABLES = 1000, 6
_REQUESTS = ("forget_request", "standing_codeword", "standing_also", "planted_value")
_VALUE = frozenset({"v", "a"})
"""A value, without and with its article."""
_PLACES_OF_ATTRIBUTES = {"says": _VALUE, "asks": frozenset({"s"}), "one": frozenset({"v"}), "those": frozenset({"v"})}
_NEEDED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("clauses", "change", "correct"), frozenset({"s"})),
    **dict.fromkeys(("before", "forget"), frozenset({"s", "n"})),
    **dict.fromkeys(("also", "recap", "compared"), frozenset({"s", "n", "v"})),
    "dated": frozenset({"d"}),
    "codeword": frozenset({"s", "v"}),
    "planted": frozenset({"s", "n", "v", "src"}),
    "claim": frozenset({"src", "c"}),
    "settle": frozenset({"src", "c", "d"}),
    "apart": frozenset({"s", "o"}),
    "after": frozenset({"v"}),
}
"""Places that every production of a slot of `told` must have."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The mistakes of a pack, one line each, and its figures on drawn worlds (None: not drawn)."""

    mistakes: tuple[str, ...]
    oracle: float | None = None
    recall: float | None = None
    num_public: int = 0
    num_productions: int = 0


def check_pack(pack: Pack) -> Checked:
    """Check a pack; worlds are drawn only for one without mistakes in its form."""
    shared, num = num_shared(pack.parts)
    mistakes = _mistakes_of_form(pack)
    if mistakes:
        return Checked(tuple(mistakes), None, None, shared, num)
    oracles, recalls = [], []
    for number in range(NUM_WORLDS):
        salt = sha256(f"check of a pack {number}".encode()).digest()[:16]
        truth = generate_dialogue(NUM_TURNS, salt=salt, pack=pack)
        mistakes += _unsaid(truth)
        told = told_of(truth.turns)
        held = measured_store(Matcher(told), [Stored(turn.content) for turn in truth.turns]).held
        recalls.append(sum(held) / len(held))
        scores = []
        for question in generate_questions(truth, NUM_QUESTIONS):
            answer = answer_from_evidence(question, truth.turns)
            score = grade(question, answer).score or 0.0
            scores.append(score)
            if score < FAIR_ORACLE:
                mistakes.append(f"graded {score:.2f}, though right: {question.text} -> {answer}")
        oracles.append(sum(scores) / len(scores))
    oracle, recall = min(oracles), min(recalls)
    if recall < FAIR_RECALL:
        mistakes.append(
            f"only {recall:.1%} of the facts are found in the turns that state them; needed: {FAIR_RECALL:.0%}"
        )
    return Checked(tuple(dict.fromkeys(mistakes)), oracle, recall, shared, num)


def usable_pack(path: Path) -> Pack:
    """Return the pack of a file; raises `ExamUsageError` for one with mistakes in its form."""
    pack = read_pack(path)
    if mistakes := _mistakes_of_form(pack):
        raise ExamUsageError(
            f"{path}: {mistakes[0]} (mistakes: {len(mistakes)}; assay memory pack check lists them)",
            code="pack.invalid",
        )
    return pack


# ------------------------------------------------------------------ form


def _mistakes_of_form(pack: Pack) -> list[str]:
    return [*_incomplete(pack), *_unsayable(pack), *_unfilled(pack), *_ambiguous(pack), *_wordless(pack)]


def _incomplete(pack: Pack) -> Iterator[str]:
    """Yield layouts without a part that the public ones have."""
    for slot, forms in pack.parts["told"].items():
        if isinstance(forms, list) and isinstance(forms[0], Mapping):
            public = public_pack().at("told", slot) or []
            needed = set[str](public[0]).intersection(*public) if public else set()
            for form in forms:
                if missing := needed - set(form):
                    yield f"told.{slot}: {str(form)[:100]} lacks {min(missing)}"
                elif not all(isinstance(text, str) for text in form.values()):
                    yield f"told.{slot}: {str(form)[:100]} has something else than texts"


def _unsayable(pack: Pack) -> Iterator[str]:
    """Yield attributes without a noun, a predicate, or a question that the public pack has, and wrong places."""
    for name in ATTRIBUTES:
        if name in _REQUESTS:
            continue
        own = pack.at("attributes", name) or {}
        for part in sorted({"noun", "says", *(public_pack().at("attributes", name) or {})}):
            if not own.get(part):
                yield f"attributes.{name}.{part}: missing"
        if not isinstance(own.get("as", ""), str) or fields_of(own.get("as", "")) - _VALUE:
            yield f"attributes.{name}.as: must be a text with the place {{v}} (or {{a}}), and no other"
        for part, places in _PLACES_OF_ATTRIBUTES.items():
            for text in own.get(part, ()):
                if len(fields_of(text)) != 1 or fields_of(text) - places:
                    yield f"attributes.{name}.{part}: {text!r} must have the place {{{max(places)}}}, and no other"


def _unfilled(pack: Pack) -> Iterator[str]:
    """Yield productions of frames without a place that states something, or with one that is never filled."""
    for slot, needed in _NEEDED.items():
        for text in pack.at("told", slot) or ():
            if missing := needed - fields_of(text):
                yield f"told.{slot}: {text!r} lacks {', '.join(sorted(missing))}"
    for slot in ("change", "correct"):
        for text in pack.at("told", slot) or ():
            if "d" not in fields_of(text) or not fields_of(text) & {"v", "p"}:
                yield f"told.{slot}: {text!r} must have the places {{d}}, and {{v}} or {{p}}"
    public = public_pack().parts
    for path, text in _frames({"told": pack.parts["told"], "asked": pack.parts["asked"]}):
        known = {place for _, other in _frames(_at(public, path)) for place in fields_of(other)}
        if unknown := fields_of(text) - known - _places_of(path):
            yield f"{'.'.join(path)}: {text!r} has the unknown place {min(unknown)}"


def _places_of(path: tuple[str, ...]) -> set[str]:
    """Return the places that the slots of clauses and changes may have, whether the public pack uses them or not."""
    if "sentences" in path:
        return {"s", *(f"{kind}{number}" for kind in "cgpeG" for number in range(int(path[-1])))}
    if path[-1] in ("clauses", "clauses_again", "ask", "ask_who", "the"):
        return {"s", "n", "v", "be", "its", "Its"}
    if path[-1] in ("change", "change_again", "correct"):
        return {"s", "n", "v", "o", "d", "p", "be", "its", "Its"}
    return set()


def _frames(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from _frames(value, (*path, name))
    elif isinstance(part, list | tuple):
        for one in part:
            if isinstance(one, Mapping):
                yield from ((path, text) for text in one.values() if isinstance(text, str))
            else:
                yield path, one


def _at(parts: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        parts = parts.get(key, ()) if isinstance(parts, Mapping) else ()
    return parts


def _ambiguous(pack: Pack) -> Iterator[str]:
    """Yield words that two attributes of one kind of thing share: a reader could not tell them apart.

    The same words for values of different types, such as a name and a number, are unambiguous.
    """
    for part in ("noun", "says", "asks", "one", "those"):
        seen: dict[tuple[str, str, str], str] = {}
        for name, row in ATTRIBUTES.items():
            for text in (pack.at("attributes", name) or {}).get(part, ()):
                type_of_value = f"{row.type} {row.unit}" if part in ("says", "one", "those") else ""
                key = row.kind, type_of_value, re.sub(r"\W+", " ", text).casefold().strip()
                other = seen.setdefault(key, name)
                if other != name and other != name.replace("settled_", "claimed_"):
                    yield f"attributes.{name}.{part}: {text!r} is said of {other} too"


def _wordless(pack: Pack) -> Iterator[str]:
    """Yield word lists that are unknown, too short, or repeat a word."""
    for name, own in pack.parts["words"].items():
        try:
            words(name)
        except ValueError:
            yield f"words.{name[:60]}: there is no such list"
            continue
        folded = [word.casefold() for word in own]
        if (
            len(own) < _FEWEST_WORDS
            or len(set(folded)) < len(folded)
            or any(" ".join(word.split()) != word for word in own)
        ):
            yield f"words.{name}: needs {_FEWEST_WORDS} different words or more, without stray blanks"
    for name, rule in pack.parts["coined"].items():
        if not _is_rule(rule):
            numbers = f"num (2 to {_MOST_COINED}), least and most (1 to {_MOST_SYLLABLES})"
            yield f"coined.{name[:60]}: needs onsets, vowels, codas, {numbers}"


def _is_rule(rule: Any) -> bool:
    if not isinstance(rule, Mapping):
        return False
    sounds = [rule.get(name) for name in ("onsets", "vowels", "codas")]
    least, most, num = rule.get("least", 1), rule.get("most", 2), rule.get("num")
    numbers = [one for one in (least, most, num) if isinstance(one, int) and not isinstance(one, bool)]
    return (
        all(isinstance(one, str) and one for one in [*sounds, rule.get("ends", "-")])
        and len(numbers) == len(("least", "most", "num"))
        and 1 <= numbers[0] <= numbers[1] <= _MOST_SYLLABLES
        and 1 < numbers[2] <= _MOST_COINED
    )


# ------------------------------------------------------------------ worlds


def _unsaid(truth: GroundTruth) -> Iterator[str]:
    """Yield facts whose turn, with the one before it if it continues it, lacks the entity or the value."""
    before: Turn | None = None
    for turn in truth.turns:
        text = f"{before.content if before and turn.continues else ''}\n{turn.content}"
        for one in turn.facts:
            if one["attribute"] in _REQUESTS:
                continue
            value = in_words(one["attribute"], one["value"])
            if one["entity"] not in text or (value not in text and str(one["value"]).replace(" ", "T") not in text):
                what = f"{one['attribute']} of {one['entity']}"
                yield f"turn {turn.turn_number} does not say the {what}: {turn.content[:200]}"
        before = turn
