"""Checks of a model's answer against both trees: what they do not confirm is dropped, with the reason.

A model's statement is not evidence. A claim needs a changed place that it quotes exactly, evidence whose quotes exist,
and a statement without doubt or advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.validators.report.model import Finding
from assay.validators.report.review import ReviewQuestion, Side
from assay.validators.review.claims import Claim, Consequence, Dropped, Fix, Place
from assay.validators.review.earlier import says_the_same
from assay.validators.review.findings import severity_of
from assay.validators.review.questions.schemas import (
    ASPECTS,
    DETAILS,
    LEAST_EVIDENCE,
    MOST_CLAIMS,
    MOST_EVIDENCE,
    MOST_QUOTE,
    MOST_TEXT,
)
from assay.validators.review.trees import Trees
from assay.validators.wording import shortened

MOST_FIX_LINES = 20
"""Maximum lines on each side of a committable fix."""
FIX_REACH = 3
"""Maximum lines between a claim's place and its fix; one that is farther away is not local."""
_DOUBT = re.compile(
    r"\b(?:might|perhaps|possibly|potentially|probably|should be reviewed|appears? to|seems?)\b"
    r"|\bit (?:would|may) be (?:good|better|nice|worth)\b|(?:^|[.;:!?] )(?:this|the change|the code) (?:may|could)\b"
    r"|(?:^|[.;:!?] |\b(?:please|should|must) )(?:consider|ensure|make sure|verify that|double[- ]check)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|\b(?:says?|states?|documents?|promises?) that [^,;.]*",
    re.IGNORECASE,
)
"""Code, quotations, and what a document says: doubt in them is not the claim's."""
_BROKEN = frozenset(("contracts", "mypy", "pyright", "tsc", "cargo", "go"))
_SAME_KIND: Mapping[ReviewQuestion, frozenset[str]] = {
    ReviewQuestion.correctness: _BROKEN,
    ReviewQuestion.contract: _BROKEN,
    ReviewQuestion.security: frozenset(("untrusted_input", "semgrep", "bandit", "zizmor")),
    ReviewQuestion.design: frozenset(("design", "naming", "complexity", "duplication")),
}
"""Question -> the rules and tools that report faults of the same kind."""


class ClaimDropped(Exception):
    """Claim that fails a check."""

    def __init__(self, why: Dropped) -> None:
        super().__init__(why)
        self.why = why


@dataclass
class Checked:
    """Claims that passed, and the reason of each that did not."""

    claims: list[Claim] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def check_answer(question: ReviewQuestion, value: Any, trees: Trees, reported: Sequence[Finding] = ()) -> Checked:
    """Check the claims of one answer; `reported` are the findings of other analyzers, which are not repeated."""
    checked = Checked()
    given = value.get("findings") if isinstance(value, Mapping) else None
    if not isinstance(given, list):
        return Checked(dropped=[Dropped.invalid])
    for one in given[:MOST_CLAIMS]:
        try:
            claim = _claim(question, one, trees)
            if any(_is_reported(claim, one) for one in reported):
                raise ClaimDropped(Dropped.already_reported)
            checked.claims.append(claim)
        except ClaimDropped as drop:
            checked.dropped.append(drop.why)
    checked.dropped += [Dropped.over_limit] * max(0, len(given) - MOST_CLAIMS)
    return checked


def without_duplicates(claims: Iterable[Claim]) -> tuple[list[Claim], list[Claim]]:
    """Return the claims, the worst first, without those about lines that a kept one is about; and the dropped ones."""
    kept: list[Claim] = []
    dropped: list[Claim] = []
    for claim in sorted(claims, key=lambda one: (one.consequence.rank, list(ReviewQuestion).index(one.question))):
        (dropped if any(overlap(claim.place, other.place) for other in kept) else kept).append(claim)
    return kept, dropped


def _claim(question: ReviewQuestion, given: Any, trees: Trees) -> Claim:
    if not isinstance(given, Mapping) or given.get("aspect") not in ASPECTS[question]:
        raise ClaimDropped(Dropped.invalid)
    if given.get("consequence") not in list(Consequence):
        raise ClaimDropped(Dropped.invalid)
    statement = statement_of(given, "statement")
    details = tuple((name, text_of(given, name)) for name in DETAILS[question])
    place = changed_place(given.get("place"), trees)
    evidence = tuple(_evidence(given.get("evidence"), trees))
    least = LEAST_EVIDENCE[question]
    elsewhere = {(one.path, one.start) for one in evidence if not overlap(one, place)}
    if len(elsewhere) < least:
        raise ClaimDropped(Dropped.few_siblings if question is ReviewQuestion.design else Dropped.evidence_missing)
    claim = Claim(
        question=question,
        aspect=given["aspect"],
        place=place,
        symbol=trees.symbol_at(place),
        statement=statement,
        consequence=Consequence(given["consequence"]),
        details=details,
        evidence=evidence,
    )
    return replace(claim, fix=fix_of(given.get("fix"), place, trees))


def plain_text(text: Any) -> str:
    """Return a text of a model on one line; "" if it is none."""
    return shortened(text[: MOST_TEXT * 4], MOST_TEXT) if isinstance(text, str) else ""


def text_of(given: Mapping[str, Any], name: str) -> str:
    """Return a text of the claim on one line. Raises `ClaimDropped`, as do the other checks.

    Links, HTML and mentions stay in it: what shows it escapes it.
    """
    text = plain_text(given.get(name))
    if not text:
        raise ClaimDropped(Dropped.invalid)
    return text


def statement_of(given: Mapping[str, Any], name: str) -> str:
    """Return the text that states the claim, which neither doubts nor advises."""
    text = text_of(given, name)
    if _DOUBT.search(_REPORTED.sub("…", text)):
        raise ClaimDropped(Dropped.hedged)
    return text


def _place(given: Any, trees: Trees) -> Sequence[Place]:
    """Return every place of a quote, none if it is nowhere."""
    if not isinstance(given, Mapping):
        raise ClaimDropped(Dropped.invalid)
    side, path, quote = (given.get(name) for name in ("side", "path", "quote"))
    if side not in list(Side) or not isinstance(path, str) or not isinstance(quote, str) or len(quote) > MOST_QUOTE:
        raise ClaimDropped(Dropped.invalid)
    return trees.places(Side(side), path, quote)


def changed_place(given: Any, trees: Trees) -> Place:
    """Return the place a claim is about: the only changed one that its quote is at, else the first."""
    places = _place(given, trees)
    paths = {path for file in trees.change.files for path in (file.path, file.base_path) if path is not None}
    if given["path"] not in paths:
        raise ClaimDropped(Dropped.unknown_file)
    if not places:
        raise ClaimDropped(Dropped.quote_missing)
    changed = next((place for place in places if trees.is_changed(place)), None)
    if changed is None:
        raise ClaimDropped(Dropped.not_changed)
    return changed


def _evidence(given: Any, trees: Trees) -> Iterator[Place]:
    if not isinstance(given, list) or len(given) > MOST_EVIDENCE:
        raise ClaimDropped(Dropped.invalid)
    for one in given:
        places = _place(one, trees)
        if not places:
            raise ClaimDropped(Dropped.evidence_missing)
        yield places[0]


def fix_of(given: Any, place: Place, trees: Trees) -> Fix | None:
    """Return a local fix; one that is elsewhere, ambiguous, empty or long is left out, and the claim stays."""
    if not isinstance(given, Mapping) or place.side is not Side.head:
        return None
    old, new = given.get("old"), given.get("new")
    if not isinstance(old, str) or not isinstance(new, str) or len(old) + len(new) > MOST_QUOTE * 2:
        return None
    # With the lines' own indentation, so that the replacement is exact.
    found = [one for one in trees.places(Side.head, place.path, old) if one.text == old.strip("\n")]
    if len(found) != 1 or max(found[0].end - found[0].start, new.count("\n")) >= MOST_FIX_LINES:
        return None
    where = found[0]
    if where.start > place.end + FIX_REACH or where.end < place.start - FIX_REACH or new.strip("\n") == where.text:
        return None
    return Fix(place.path, where.start, where.end, new.strip("\n"))


def _is_reported(claim: Claim, finding: Finding) -> bool:
    """Return whether a finding on a line of the claim says the same, or is as severe and of the same kind."""
    line, sources = finding.line or 0, (finding.rule.partition(".")[0], finding.tool)
    place = Place(Side.head, finding.file, line, finding.end_line or line, "")
    is_same = says_the_same(finding.message.rpartition(": ")[2], claim.statement)
    is_as_severe = finding.severity.rank >= severity_of(claim.question).rank
    return overlap(claim.place, place) and (
        is_same or (is_as_severe and not _SAME_KIND[claim.question].isdisjoint(sources))
    )


def overlap(one: Place, other: Place) -> bool:
    """Return whether two places share a line."""
    same = (one.side, one.path) == (other.side, other.path)
    return same and one.start <= other.end and other.start <= one.end
