"""Claims of an answer: each named value, and whether it is asserted, denied, doubted or past."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from assay.memory_eval.graders.reading.mentions import MAX_MENTIONS, Mention
from assay.memory_eval.graders.reading.sentences import Sentence, clauses, has_mark, sentences
from assay.memory_eval.graders.reading.stance import cues

_FIRST_MARK = 0xE000
_CONTEXT_MARK = "\uf8ff"
_MARK = re.compile(cues.MARK)
_BETWEEN_MEMBERS = (
    rf"(?!; the {cues.MARK} you\b)"
    r"[ ,;:&/+=|\"')•-]*(?:(?:and|or|as well as|plus|also|nor|the|an?)\b[ ,;:&/+\"']*){0,4}"
)
_GROUP = re.compile(f"{cues.MARK}(?:{_BETWEEN_MEMBERS}{cues.MARK})+")
_ALTERNATIVE = re.compile(r"\bor\b|/")
_OPEN_NEGATION = re.compile(r"(?:\bnot|\bnever|n't|\bneither|\banything)\W*$")
_NEW_CLAUSE = re.compile(r"^\W*(?:so|thus|which|it|it's|i|i'd|i'm|you|that|that's|this|he|she|they|we|the answer)\b")
_RELATIVE = re.compile(r"^\W*(?:which|who)\b")
_WORKING = re.compile(r": ?(?=\d)")
_NEXT_THOUGHT = re.compile(r"\b(?:and|because|so|since|who|where|when)\b")
_NOTES_SAY = re.compile(r"\b(?:notes|records|logs|files|entries|messages)\b([^\n]{0,80}?)\bthey(?= )", re.DOTALL)
_SHORT = 5


class Polarity(StrEnum):
    """Kind of statement of a value."""

    asserted = "asserted"
    now = "now"
    past = "past"
    hedged = "hedged"
    unsaid = "unsaid"
    denied = "denied"


CLAIMED = (Polarity.asserted, Polarity.now)
LIVE = (*CLAIMED, Polarity.hedged)
UNTOLD = (Polarity.denied, Polarity.unsaid)
UNCLAIMED = (*UNTOLD, Polarity.hedged)


@dataclass(slots=True)
class Claim:
    """One stated value.

    `alternatives`: joined by "or"; `left_behind`: followed by a later value; `superseded`: an intermediate value before
    a conclusion; `settles`: stated as the end of a dispute or change; `present`: stated as "the current value".
    """

    value: Hashable
    polarity: Polarity = Polarity.asserted
    soft: bool = False
    was: bool = False
    alternatives: bool = False
    left_behind: bool = False
    superseded: bool = False
    settles: bool = False
    present: bool = False
    start: int = 0


@dataclass(slots=True)
class Statement:
    """All claims in order. `void` is the reason why the answer as a whole claims nothing, or None."""

    claims: list[Claim] = field(default_factory=list)
    void: str | None = None

    @property
    def denied(self) -> set[Hashable]:
        """The denied values."""
        return {claim.value for claim in self.claims if claim.polarity is Polarity.denied}


def statement_of(text: str, mentions: Sequence[Mention]) -> Statement:
    """Parse the text around each mention; never raises, and takes time linear in the text."""
    return _Reader(text, mentions[:MAX_MENTIONS]).read()


class _Reader:
    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self._statement = Statement()
        self._members: dict[str, list[Claim]] = {}
        self._told: list[Claim] = []
        self._latest: list[Claim] = []
        self._sentence_from = 0
        self._open_negation = False
        self._bare_negation = False
        self._header: Polarity | None = None
        self._masked = self._mask(text, mentions)

    def read(self) -> Statement:
        masked = self._since_the_last_correction(_NOTES_SAY.sub(r"\1 notes", self._masked))
        masked = cues.BENIGN.sub(" ", cues.ASSERTING.sub(" ", masked))
        masked = cues.ALL_BUT.sub(" not ", cues.WAS_IN_BRACKETS.sub(r"\1 (previously ", masked))
        masked = cues.RISES.sub(r"\1 to", cues.TAGGED.sub(r"\2 \1", masked))
        masked = _GROUP.sub(self._grouped, masked)
        for sentence in sentences(masked):
            self._read_sentence(sentence)
        return self._statement

    def _since_the_last_correction(self, masked: str) -> str:
        """Drop values before "no wait" or "correction:" if another value follows."""
        last = next(reversed(list(cues.CORRECTION.finditer(masked))), None)
        if last is None or not has_mark(masked[: last.start()]) or not has_mark(masked[last.end() :]):
            return masked
        for claim in self._seen(masked[: last.start()]):
            claim.polarity = Polarity.unsaid
        return masked[last.end() :]

    def _mask(self, text: str, mentions: Sequence[Mention]) -> str:
        parts, place = [], 0
        for mention in mentions:
            parts.append(text[place : mention.start])
            place = mention.end
            if mention.value is None:
                parts.append(_CONTEXT_MARK)
                continue
            mark = chr(_FIRST_MARK + len(self._members))
            claim = Claim(mention.value, start=mention.start)
            self._members[mark] = [claim]
            self._statement.claims.append(claim)
            parts.append(mark)
        parts.append(text[place:])
        return "".join(parts)

    def _grouped(self, match: re.Match[str]) -> str:
        """Merge values joined by commas and "and", which share a polarity, into the first."""
        marks: list[str] = _MARK.findall(match[0])
        together = [claim for mark in marks for claim in self._members[mark]]
        if _ALTERNATIVE.search(match[0]) and len({claim.value for claim in together}) > 1:
            for claim in together:
                claim.alternatives = True
        self._members[marks[0]] = together
        return marks[0]

    def _read_sentence(self, sentence: Sentence) -> None:
        self._look_for_vague_other(sentence.text)
        self._sentence_from = len(self._told)
        if not sentence.has_value:
            self._read_without_value(sentence.text)
            self._header = _polarity(sentence.text.rstrip(": "), "") if sentence.heads else None
            return
        if premise := cues.REFUSES_PREMISE.match(sentence.text):
            self._read_without_value(premise[0])
            sentence = replace(sentence, text=sentence.text[premise.end() :])
        header, self._header = self._header, self._header if sentence.item else None
        if cues.ALTERNATIVE_ANYWHERE.search(sentence.text):
            self._mark_alternatives()
        if conclusion := cues.CONCLUDES.search(sentence.text):
            for claim in self._told:
                claim.superseded = True
        if self._told and cues.SEQUEL.match(sentence.text):
            self._leave_behind_all_before(sentence.text)
        for clause in clauses(sentence.text):
            self._read_clause(clause)
        self._follow_changes(sentence.text)
        self._settle_sentence(sentence, header)
        worked_out = self._seen(sentence.text[: conclusion.start()]) if conclusion else []
        for claim in worked_out if any(claim.left_behind for claim in worked_out) else ():
            claim.superseded = True

    def _settle_sentence(self, sentence: Sentence, header: Polarity | None) -> None:
        """Apply the whole sentence to its values: bounds of a range, a question, a heading."""
        for unsaid in cues.RANGED.finditer(sentence.text):
            for claim in self._seen(unsaid[0]):
                claim.polarity = Polarity.unsaid
        for claim in self._seen(sentence.text):
            if sentence.asks:
                claim.polarity = Polarity.unsaid
            elif header not in (None, Polarity.asserted) and claim.polarity is Polarity.asserted:
                claim.polarity = header or claim.polarity

    def _read_clause(self, clause: str) -> None:
        if not has_mark(clause):
            self._read_without_value(clause)
            return
        carried, negation = "", "not " if self._open_negation else ""
        bare, self._bare_negation, self._open_negation = self._bare_negation, False, False
        last: Claim | None = None
        for segment in clause.split(","):
            if has_mark(segment):
                denied = "" if _NEW_CLAUSE.match(segment) and not bare else negation
                last = self._read_segment(segment, carried, denied)
                carried, negation = "", ""
                continue
            if last is None and len(segment.split()) <= _SHORT:
                carried = f"{carried} {segment}"
                negation = f"{negation} {segment}"
            elif last is not None:
                self._read_afterthought(segment)

    def _read_segment(self, segment: str, carried: str, negation: str) -> Claim:
        pieces = _MARK.split(segment)
        marks = _MARK.findall(segment)
        for place, mark in enumerate(marks):
            before = (carried, negation) if place == 0 else ("", "")
            polarity = _polarity(pieces[place], pieces[place + 1], *before)
            self._say(mark, polarity, f"{before[0]} {pieces[place]}", pieces[place + 1])
        return self._members[marks[-1]][-1]

    def _say(self, mark: str, polarity: Polarity, pre: str, post: str) -> None:
        alternatives = bool(cues.ALTERNATIVE_BEFORE.search(pre) or cues.ALTERNATIVE_AFTER.search(post))
        soft, was = bool(cues.SOFT.search(pre) or cues.SOFT.search(post)), bool(cues.WAS.search(pre))
        for claim in self._members[mark]:
            claim.polarity = polarity
            claim.alternatives = claim.alternatives or alternatives
            claim.soft, claim.was = soft, was
            claim.present = bool(cues.HOLDS_NOW.search(pre))
            claim.settles = bool(cues.SETTLES.search(pre)) or claim.present or polarity is Polarity.now
        self._latest = self._members[mark]
        self._told.extend(self._latest)

    def _read_afterthought(self, segment: str) -> None:
        """Apply a part after a comma without a value: "…, maybe", "…, formerly", "…, which is wrong"."""
        latest = self._latest
        if len(segment.split()) <= _SHORT:
            for claim in latest:
                if cues.ALTERNATIVE_AFTER.search(segment):
                    claim.alternatives = True
                if claim.polarity is Polarity.asserted:
                    claim.polarity = _polarity("", segment)
        self._read_without_value(segment, latest if _RELATIVE.match(segment) else ())

    def _read_without_value(self, text: str, about: Sequence[Claim] = ()) -> None:
        self._bare_negation = bool(re.fullmatch(r"\W*(?:not|never)\W*", text))
        self._open_negation = bool(_OPEN_NEGATION.search(text)) and len(text.split()) <= _SHORT
        if cues.OFFER.search(text) or cues.OWN_MEMORY.search(text):
            return
        taken_back, outdated = cues.TAKEN_BACK.search(text), cues.OUTDATED.search(text)
        for claim in about or self._told[self._sentence_from :] or self._told:
            if claim.polarity in UNTOLD:
                continue
            if taken_back:
                claim.polarity = Polarity.denied
            elif outdated:
                claim.polarity = Polarity.past

    def _follow_changes(self, text: str) -> None:
        """Mark the earlier value as left behind: X in "from X to Y", "Y, up from X", "X → Y", "X was replaced by Y"."""
        pieces, marks = _MARK.split(text), _MARK.findall(text)
        for place, mark in enumerate(marks):
            between, is_last = pieces[place + 1], place == len(marks) - 1
            is_start = cues.FROM.search(pieces[place]) and (place > 0 or cues.TO.match(between))
            if is_start or (not is_last and cues.LEADS_TO.search(between)):
                for claim in self._members[mark]:
                    claim.left_behind = True

    def _leave_behind_all_before(self, text: str) -> None:
        first = self._members[_MARK.findall(text)[0]][0]
        for claim in self._statement.claims:
            if claim.start < first.start:
                claim.left_behind = True

    def _look_for_vague_other(self, text: str) -> None:
        vague = cues.VAGUE_OTHER.search(text)
        if vague is None or cues.OFFER.search(text):
            return
        if not cues.DENIED_BEFORE.search(text[max(0, vague.start() - 40) : vague.start()]):
            self._statement.void = self._statement.void or "it says that it is something else"

    def _mark_alternatives(self) -> None:
        for claim in self._statement.claims:
            claim.alternatives = True

    def _seen(self, text: str) -> list[Claim]:
        return [claim for mark in _MARK.findall(text) for claim in self._members[mark]]


@lru_cache(maxsize=16384)
def _polarity(pre: str, post: str, carried: str = "", negation: str = "") -> Polarity:
    """Return the polarity of a value between these words; `carried` and `negation` come from before the comma."""
    early, around, own = f"{carried} {pre}", f"{carried} {pre} {post}", _own(post)
    if cues.DENIED_BEFORE.search(_of_the_value(f"{negation} {pre}")) or cues.DENIED_AFTER.search(own):
        return Polarity.denied
    if cues.DISBELIEVED.search(_of_the_value(pre)) or cues.DISBELIEVED.search(own):
        return Polarity.denied
    beside = cues.BESIDE_BEFORE.search(pre) or cues.BESIDE_AFTER.search(post)
    if beside or cues.UNSAID_BEFORE.search(cues.YOU_SAID.sub(" ", early)) or cues.UNSAID_AFTER.search(post):
        return Polarity.unsaid
    if cues.PAST_BEFORE.search(early) or cues.PAST_AFTER.search(own):
        return Polarity.past
    chance = cues.chance_of(around)
    if chance is not None:
        return Polarity.unsaid if chance < cues.EVEN else Polarity.hedged
    if cues.HEDGED.search(early) or cues.HEDGED.search(post) or cues.BOUND.search(pre):
        return Polarity.hedged
    if cues.NOW.search(early) or cues.BEFORE_CHANGE.search(early) or cues.NOW.search(own):
        return Polarity.now
    return Polarity.asserted


def _of_the_value(before: str) -> str:
    """Keep only what concerns the value in a head before a colon: "It is not: X"."""
    head, colon, rest = before.rpartition(":")
    return before if not colon or cues.HEAD_DENIES.search(head) else rest


def _own(post: str) -> str:
    """Return the part of the following text that concerns the value."""
    return _NEXT_THOUGHT.split(_WORKING.split(post, maxsplit=1)[0], maxsplit=1)[0]
