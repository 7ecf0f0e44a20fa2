"""Review of a change: ask, check, refute, demonstrate, and report few findings.

    carrying     findings of the last push whose lines still stand
    questions    one per neighbourhood of the change and kind, on the facts about it
    checks       quotes and evidence against both trees; what they do not confirm is dropped
    refutation   a fresh conversation per claim, the worst first, until the maximum of findings stands
    test         of a correctness claim, where tests may run

Every drop is counted by its reason; every part without an answer is listed as not checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from assay.llm import ModelUnavailable
from assay.validators.changes.change import ChangeSet, shown
from assay.validators.report.model import Finding, Severity
from assay.validators.report.review import Demonstration, ResolvedFinding, ReviewedPlace, ReviewQuestion
from assay.validators.report.unknown import NotChecked
from assay.validators.review.carrying import CarriedFinding, RunAgain, carry, place_of, worst_first
from assay.validators.review.claims import Claim, Dropped, Place
from assay.validators.review.earlier import EarlierFinding, is_often_dismissed, same_finding
from assay.validators.review.findings import finding_of, severity_of
from assay.validators.review.prompting import prompt
from assay.validators.review.questions.asker import Asker, Question, ask_all
from assay.validators.review.questions.checking import check_answer, without_duplicates
from assay.validators.review.questions.schemas import schema_of
from assay.validators.review.refuting import REFUTATION, Verdict, claim_text, verdict_of
from assay.validators.review.trees import Trees
from assay.validators.wording import listed

UNANSWERED = ("review for ", "refutation of a claim", "risk assessment by a model")
"""Beginnings of the entries under "not checked" that stand for a missing answer of the model."""


@dataclass(frozen=True, slots=True)
class Part:
    """Part of the change that is reviewed at once: its paths, and the text of the facts about it."""

    paths: tuple[str, ...]
    facts: str


@dataclass(frozen=True, slots=True)
class Proof:
    """Outcome of a demonstration.

    `dropped`: the test shows that the claim is false or intended. `is_demonstrated`, `is_expectation_quoted`: a test
    failed on the head by an assertion; its expectation is quoted from outside the model. The `demonstration` has no id
    of a finding yet.
    """

    dropped: Dropped | None = None
    is_demonstrated: bool = False
    is_expectation_quoted: bool = False
    demonstration: Demonstration | None = None


Prove = Callable[[Claim], Proof]


@dataclass
class Reviewed:
    """Result of a review: findings, the worst first, counts of drops and refutations, and what was not checked.

    `places` and `demonstrations` have the `key_of` a finding in place of its id; `resolved` are findings of the last
    push.
    """

    findings: list[Finding] = field(default_factory=list)
    places: list[ReviewedPlace] = field(default_factory=list)
    resolved: list[ResolvedFinding] = field(default_factory=list)
    num_claims: int = 0
    dropped: Counter[Dropped] = field(default_factory=Counter)
    not_checked: list[NotChecked] = field(default_factory=list)
    demonstrated: list[Place] = field(default_factory=list)
    demonstrations: list[Demonstration] = field(default_factory=list)
    num_refuted: int = 0
    num_tested: int = 0

    def add(self, finding: Finding, place: ReviewedPlace, demonstration: Demonstration | None) -> None:
        """Add a finding with its place and its test."""
        key = key_of(finding)
        self.findings.append(finding)
        self.places.append(replace(place, finding=key))
        self.demonstrations += [replace(demonstration, finding=key)] if demonstration is not None else []


@dataclass(frozen=True)
class Review:
    """Review of one change.

    `ask` answers questions, `refute` the refutations: with separate budgets, every claim can be refuted. `prove`
    demonstrates a claim, and `run_again` runs a test of an earlier push; None where tests may not run. `reported` are
    the findings of other analyzers.
    """

    change: ChangeSet
    parts: Sequence[Part]
    ask: Asker
    refute: Asker
    questions: Sequence[ReviewQuestion] = tuple(ReviewQuestion)
    max_findings: int = 5
    reported: Sequence[Finding] = ()
    earlier: Sequence[EarlierFinding] = ()
    prove: Prove | None = None
    run_again: RunAgain | None = None

    def run(self) -> Reviewed:
        """Return the findings that stand."""
        trees = Trees(self.change)
        reviewed = Reviewed()
        carried = self._carry(trees, reviewed)
        claims = self._claims(trees, reviewed)
        reviewed.num_claims += len(claims)
        fresh, _ = without_duplicates(
            [claim for claim in claims if not any(one.is_repeated_by(claim) for one in carried)]
        )
        reviewed.dropped[Dropped.duplicate] += len(claims) - len(fresh)
        kept = [claim for claim in fresh if not is_often_dismissed(claim, self.earlier)]
        reviewed.dropped[Dropped.dismissed] += len(fresh) - len(kept)
        while kept and (room := self.max_findings - len(reviewed.findings)) > 0:
            self._settle(kept[:room], trees, reviewed)
            kept = kept[room:]
        reviewed.dropped[Dropped.over_limit] += len(kept)
        reviewed.dropped = +reviewed.dropped
        reviewed.findings.sort(key=lambda one: -one.severity.rank)
        return reviewed

    def _carry(self, trees: Trees, reviewed: Reviewed) -> list[CarriedFinding]:
        """Report the findings of the last push that stand, within the maximum; return them."""
        carrying = carry(self.earlier, trees, self.refute, self.run_again)
        reviewed.num_refuted += carrying.num_refuted
        reviewed.resolved += carrying.resolved
        carried = list(worst_first(carrying.carried))
        reviewed.dropped[Dropped.over_limit] += max(0, len(carried) - self.max_findings)
        for one in carried[: self.max_findings]:
            reviewed.add(one.finding, one.place, one.demonstration)
            reviewed.demonstrated += [one.at] if one.demonstration is not None else []
        return carried

    def _claims(self, trees: Trees, reviewed: Reviewed) -> list[Claim]:
        """Ask about every part; return the claims that pass the checks."""
        asked = [(part, question) for part in self.parts for question in self.questions]
        questions = [Question(part.facts, prompt(question).text, schema_of(question)) for part, question in asked]
        claims: list[Claim] = []
        for (part, question), answer in zip(asked, ask_all(self.ask, questions), strict=True):
            if isinstance(answer, ModelUnavailable):
                named = listed([shown(path) for path in part.paths], 3)
                reviewed.not_checked.append(NotChecked(f"review for {question} of {named}", answer.text))
                continue
            checked = check_answer(question, answer, trees, self.reported)
            reviewed.num_claims += len(checked.dropped)
            reviewed.dropped.update(checked.dropped)
            claims += checked.claims
        return claims

    def _settle(self, claims: Sequence[Claim], trees: Trees, reviewed: Reviewed) -> None:
        """Refute claims and demonstrate them; report each, or count why not."""
        reviewed.num_refuted += len(claims)
        questions = [Question(claim_text(claim, trees), prompt("refute").text, REFUTATION) for claim in claims]
        for claim, answer in zip(claims, ask_all(self.refute, questions), strict=True):
            if isinstance(answer, ModelUnavailable):
                reviewed.dropped[Dropped.no_refutation] += 1
                what = f"refutation of a claim about {shown(claim.place.path)}"
                reviewed.not_checked.append(NotChecked(what, answer.text))
                continue
            verdict = verdict_of(answer, trees)
            if verdict is Verdict.stands:
                self._report(claim, trees, reviewed)
            else:
                reviewed.dropped[Dropped.refuted if verdict is Verdict.refuted else Dropped.not_upheld] += 1

    def _report(self, claim: Claim, trees: Trees, reviewed: Reviewed) -> None:
        """Report a claim that stands, unless its test shows that it is false or intended."""
        proof = Proof()
        if self.prove is not None and claim.question is ReviewQuestion.correctness:
            reviewed.num_tested += 1
            proof = self.prove(claim)
        if proof.dropped is not None:
            reviewed.dropped[proof.dropped] += 1
            return
        severity = severity_of(
            claim.question, demonstrated=proof.is_demonstrated, expectation_quoted=proof.is_expectation_quoted
        )
        finding = self._finding(claim, severity, reviewed)
        if key_of(finding) in {key_of(one) for one in reviewed.findings}:
            reviewed.dropped[Dropped.duplicate] += 1
            return
        symbol, _, words = finding.context.partition(": ")
        is_quoted = proof.is_expectation_quoted
        place = replace(place_of(claim, trees), symbol=symbol, quote=words, is_expectation_quoted=is_quoted)
        if proof.is_demonstrated:
            reviewed.demonstrated.append(claim.place)
        reviewed.add(finding, place, proof.demonstration)

    def _finding(self, claim: Claim, severity: Severity, reviewed: Reviewed) -> Finding:
        """Return the finding, with the context of the earlier finding that it repeats, so that the id stays.

        The context of a finding that is reported already belongs to that one.
        """
        finding = finding_of(claim, severity)
        taken = {key_of(one) for one in reviewed.findings}
        free = [one for one in self.earlier if key_of(replace(finding, context=one.context)) not in taken]
        repeated = same_finding(claim, free)
        return finding if repeated is None else replace(finding, context=repeated.context)


def key_of(finding: Finding) -> str:
    """Return what identifies a finding of the review before it has an id."""
    return "\0".join((finding.rule, finding.file, finding.context))
