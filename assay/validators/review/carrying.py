"""Findings of the last push that the model need not find again: those whose lines still stand are reported again.

A model does not say the same twice, so its silence resolves nothing. A finding is resolved if its lines were edited or
removed. If they stand, its test decides where it can be run. Else the finding is carried as it was if the files it is
about are the same; if they changed, a refutation decides: only what is shown not to hold any longer is resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.llm import ModelUnavailable
from assay.validators.quality.inputs.definitions import definitions
from assay.validators.report.model import Finding, Tier
from assay.validators.report.review import (
    REVIEW,
    Demonstration,
    Fate,
    QuotedLines,
    ResolvedFinding,
    ReviewedPlace,
    ReviewQuestion,
    Side,
)
from assay.validators.review.claims import Claim, Fix, Place
from assay.validators.review.earlier import EarlierFinding, says_the_same
from assay.validators.review.findings import TOOL, message_of, severity_of
from assay.validators.review.prompting import prompt
from assay.validators.review.questions.asker import Asker, Question, ask_all
from assay.validators.review.questions.checking import FIX_REACH, fix_of, overlap
from assay.validators.review.refuting import REFUTATION, Verdict, statement_text, verdict_of
from assay.validators.review.trees import Trees
from assay.validators.tools.trials import Trial, TrialResult

RunAgain = Callable[[Demonstration], TrialResult]
"""Run the test of a finding on the head again."""


@dataclass(frozen=True, slots=True)
class CarriedFinding:
    """Finding of the last push that still stands, where it is now."""

    earlier: EarlierFinding
    at: Place
    finding: Finding
    place: ReviewedPlace
    demonstration: Demonstration | None = None

    def is_repeated_by(self, claim: Claim) -> bool:
        """Return whether a claim is about the same lines, or says much the same about lines next to them."""
        if overlap(claim.place, self.at):
            return True
        near = replace(self.at, start=self.at.start - FIX_REACH, end=self.at.end + FIX_REACH)
        is_same_question = self.finding.rule == f"{REVIEW}.{claim.question}"
        return (
            is_same_question and overlap(claim.place, near) and says_the_same(self.finding.message, message_of(claim))
        )


@dataclass
class Carrying:
    """Findings that still stand, those that do not, and how many a refutation or their test was asked about."""

    carried: list[CarriedFinding] = field(default_factory=list)
    resolved: list[ResolvedFinding] = field(default_factory=list)
    num_refuted: int = 0


def carry(earlier: Iterable[EarlierFinding], trees: Trees, refute: Asker, run_again: RunAgain | None) -> Carrying:
    """Return what became of the findings of the last push."""
    result = Carrying()
    asked: list[tuple[EarlierFinding, Place]] = []
    for one in earlier:
        if one.reported is None:
            continue
        at = _place_now(one, one.reported.place.lines, trees)
        if isinstance(at, Fate):
            result.resolved.append(ResolvedFinding(one.reported.place.finding, at))
        elif _is_shown(one, at, trees, run_again, result):
            continue
        elif one.reported.place.state == trees.state_of(paths_of(one.reported.place)):
            result.carried.append(_carried(one, at, trees, one.reported.demonstration))
        else:
            asked.append((one, at))
    _decide(asked, trees, refute, result)
    return result


def paths_of(place: ReviewedPlace) -> tuple[str, ...]:
    """Return the files that a finding is about."""
    return tuple(dict.fromkeys(one.path for one in (place.lines, *place.evidence)))


def place_of(claim: Claim, trees: Trees) -> ReviewedPlace:
    """Return what the next push needs to carry a finding, without its id."""
    _, _, symbol, words = claim.identity
    place = ReviewedPlace(
        finding="",
        symbol=symbol,
        quote=words,
        lines=_quoted(claim.place),
        state="",
        evidence=tuple(_quoted(one) for one in claim.evidence),
        replaced=_text_at(claim.fix, trees) if claim.fix is not None else None,
    )
    return replace(place, state=trees.state_of(paths_of(place)))


def _quoted(place: Place) -> QuotedLines:
    return QuotedLines(place.side, place.path, " ".join(place.text.split()))


def _text_at(fix: Fix, trees: Trees) -> str:
    return "\n".join((trees.lines(Side.head, fix.path) or [])[fix.start - 1 : fix.end])


def _place_now(earlier: EarlierFinding, lines: QuotedLines, trees: Trees) -> Place | Fate:
    """Return where the lines of a finding are, of several the nearest in its definition; else why they are nowhere."""
    side, symbol = lines.side, earlier.context.partition(": ")[0]
    places = [one for one in trees.places_of_words(side, lines.path, lines.quote) if trees.is_changed(one)]
    mine = [one for one in places if trees.symbol_at(one) == symbol]
    if not mine and len(places) == 1 and not _defines(trees, side, lines.path, symbol):
        mine = places  # the definition was renamed
    if mine:
        line = earlier.reported.line if earlier.reported is not None else None
        return min(mine, key=lambda one: (abs(one.start - (line or one.start)), one.start))
    others = [file.path for file in trees.change.files if file.exists and file.path != lines.path]
    is_moved = side is Side.head and any(trees.places_of_words(side, path, lines.quote) for path in others)
    return Fate.moved if is_moved and trees.lines(side, lines.path) is None else Fate.edited


def _defines(trees: Trees, side: Side, path: str, symbol: str) -> bool:
    return any(one.name == symbol for one in definitions(path, "\n".join(trees.lines(side, path) or [])))


def _decide(asked: Sequence[tuple[EarlierFinding, Place]], trees: Trees, refute: Asker, result: Carrying) -> None:
    """Decide about findings in files that changed, by a refutation."""
    result.num_refuted += len(asked)
    questions = [
        Question(statement_text(at, [one.message], trees), prompt("refute").text, REFUTATION) for one, at in asked
    ]
    for (one, at), answer in zip(asked, ask_all(refute, questions), strict=True):
        if not isinstance(answer, ModelUnavailable) and verdict_of(answer, trees) is Verdict.refuted:
            result.resolved.append(ResolvedFinding(_id(one), Fate.refuted))
        else:
            result.carried.append(_carried(one, at, trees, None))


def _is_shown(earlier: EarlierFinding, at: Place, trees: Trees, run_again: RunAgain | None, result: Carrying) -> bool:
    """Return whether the finding's test shows that it stands, or that it does not any longer."""
    test = earlier.reported.demonstration if earlier.reported is not None else None
    if test is None or run_again is None:
        return False
    trial = run_again(test)
    if trial.trial is Trial.passed:
        result.resolved.append(ResolvedFinding(_id(earlier), Fate.refuted))
    elif trial.trial is Trial.failed:
        result.carried.append(_carried(earlier, at, trees, replace(test, output=trial.output)))
    return trial.trial in (Trial.passed, Trial.failed)


def _id(earlier: EarlierFinding) -> str:
    return earlier.reported.place.finding if earlier.reported is not None else ""


def _carried(earlier: EarlierFinding, at: Place, trees: Trees, demonstration: Demonstration | None) -> CarriedFinding:
    """Return the finding where it is now; without its test it is a warning at most."""
    reported = earlier.reported
    if reported is None:
        raise ValueError("only a finding of the last push can be carried")
    given = {"old": reported.place.replaced, "new": reported.replacement}
    fix = fix_of(given, at, trees)
    on_head = (at.start, at.end) if at.side is Side.head else (None, None)
    line, end_line = (fix.start, fix.end) if fix is not None else on_head
    finding = Finding(
        tier=Tier.quality,
        severity=severity_of(
            ReviewQuestion(earlier.rule.rpartition(".")[2]),
            demonstrated=demonstration is not None,
            expectation_quoted=reported.place.is_expectation_quoted,
        ),
        rule=earlier.rule,
        file=at.path,
        message=earlier.message,
        line=line,
        end_line=end_line,
        tool=TOOL,
        context=earlier.context,
        replacement=fix.text if fix is not None else None,
    )
    place = replace(
        reported.place,
        lines=_quoted(at),
        state=trees.state_of(paths_of(reported.place)),
        replaced=reported.place.replaced if fix is not None else None,
        is_carried=True,
    )
    return CarriedFinding(earlier, at, finding, place, demonstration)


def worst_first(carried: Iterable[CarriedFinding]) -> Iterator[CarriedFinding]:
    """Yield the findings, the most severe first."""
    yield from sorted(carried, key=lambda one: -one.finding.severity.rank)
