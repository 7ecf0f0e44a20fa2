"""Review one change: gather the facts, ask, and add findings, risk factors and the account to the tiers' results."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from assay.llm import ConversingModel, ModelUnavailable
from assay.validators.changes.change import ChangeSet, shown
from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs
from assay.validators.progress import Deadline
from assay.validators.quality.inputs.learned_model import LearnedRule
from assay.validators.quality.inputs.severities import severity_of
from assay.validators.quality.learned.learned_rules import learned_text_rules
from assay.validators.quality.repository_rules import custom_text_rules
from assay.validators.report.identity import identified
from assay.validators.report.model import Finding, QualityResult, RiskAssessment, ToolsResult
from assay.validators.report.review import (
    REVIEW,
    Demonstration,
    DroppedClaims,
    ModelReview,
    ReviewedPlace,
    ReviewQuestion,
)
from assay.validators.report.unknown import NotChecked
from assay.validators.review.asking import (
    QUESTION_LIMITS,
    QUESTIONS_SHARE,
    REFUTATION_LIMITS,
    Account,
    ToolAsker,
)
from assay.validators.review.earlier import EarlierFinding
from assay.validators.review.facts.gathering import Gathered, gather_facts
from assay.validators.review.facts.rendering import rendered, safe_line, stated_purpose
from assay.validators.review.lookup.tools import lookup_tools
from assay.validators.review.prompting import prompt
from assay.validators.review.proving import Prover
from assay.validators.review.raising import RISK, raised
from assay.validators.review.reviewing import Part, Review, Reviewed, key_of
from assay.validators.review.text_rules import CheckedRules, TextRules
from assay.validators.review.trees import Trees
from assay.validators.tools.trials import Trials

REVIEW_S = 600
"""Seconds for the whole review, apart from the tier's own."""
Named = TypeVar("Named", ReviewedPlace, Demonstration)


@dataclass(frozen=True)
class ReviewedChange:
    """Results of the tiers with those of the review; `review` is None if none was made."""

    quality: QualityResult | None
    risk: RiskAssessment | None
    review: ModelReview | None
    not_checked: tuple[NotChecked, ...] = ()


@dataclass(frozen=True)
class ReviewRequest:
    """Review of one change; `earlier` are findings of earlier pushes and dismissed ones, `max_usd` its budget.

    `trials` run tests that demonstrate claims; None where none may run.
    """

    change: ChangeSet
    config: ValidationConfig
    graphs: Graphs
    tools: ToolsResult | None = None
    quality: QualityResult | None = None
    risk: RiskAssessment | None = None
    rules: Sequence[LearnedRule] = ()
    earlier: Sequence[EarlierFinding] = ()
    max_usd: float = 1.0
    trials: Trials | None = None


def review_change(request: ReviewRequest, model: ConversingModel) -> ReviewedChange:
    """Return the results with the findings that stand; a review that cannot be made is listed as not checked."""
    settings = request.config.tier2.review
    untouched = ReviewedChange(request.quality, request.risk, None)
    if request.quality is None:
        return untouched
    rules = [
        *custom_text_rules(request.config),
        *learned_text_rules(request.change, request.config, request.rules),
    ]
    if not settings.enabled and not rules:
        return untouched
    trees = Trees(request.change)
    account = Account(request.max_usd, time.monotonic() + REVIEW_S)
    tools = lookup_tools(trees, request.graphs)
    purpose = stated_purpose(request.change)
    ask = ToolAsker(model, account, tools, QUESTION_LIMITS, QUESTIONS_SHARE, purpose)
    refute = ToolAsker(model, account, tools, REFUTATION_LIMITS, purpose=purpose)
    checked = TextRules(request.change, rules, request.config, ask, refute).check(trees)
    reported = (*_reported(request), *checked.findings)
    gathered, deadline = Gathered(()), Deadline(request.config.tier2.timeout_seconds)
    if settings.enabled:
        gathered = gather_facts(
            request.change, request.graphs, trees, deadline, tools=request.tools, findings=reported, rules=request.rules
        )
    parts = [Part(part.paths, rendered(part, trees)) for part in gathered.parts]
    reviewed, risk = Reviewed(), request.risk
    unknowns: tuple[str, ...] = ()
    notes: list[NotChecked] = []
    trials = request.trials
    if settings.enabled:
        review = Review(
            request.change,
            parts,
            ask=ask,
            refute=refute,
            reported=reported,
            earlier=request.earlier,
            prove=Prover(refute, trials, trees) if trials is not None else None,
            run_again=(lambda test: trials.run("head", test.path, test.text)) if trials is not None else None,
        )
        reviewed = review.run()
        if parts:
            risk, unknowns, notes = _risk(request, review, reviewed, trees, parts)
    findings = _by_policy([*checked.findings, *reviewed.findings], request.config)
    said = (*request.quality.not_checked, *checked.not_checked)
    every = identified((*request.quality.findings, *findings))
    quality = replace(request.quality, findings=every, not_checked=said)
    left_out = [
        NotChecked(f"facts for the review of {shown(part.paths[0])}", one)
        for part in gathered.parts
        for one in part.left_out
    ]
    used = _prompts(
        tuple(ReviewQuestion) if parts else (), checked, reviewed, asks_risk=bool(parts) and risk is not None
    )
    account_of_it = _account(model.name, account, used, (checked, reviewed), quality, unknowns)
    not_checked = (*gathered.not_checked, *left_out, *reviewed.not_checked, *notes)
    was_asked = bool(parts or reviewed.findings or reviewed.resolved) or account.num_calls > 0
    return ReviewedChange(quality, risk, account_of_it if was_asked else None, not_checked)


def _reported(request: ReviewRequest) -> tuple[Finding, ...]:
    """Return the findings of other analyzers that the change introduces."""
    tools = request.tools.findings if request.tools is not None else ()
    quality = request.quality.findings if request.quality is not None else ()
    return tuple(one for one in (*tools, *quality) if one.introduced)


def _risk(
    request: ReviewRequest, review: Review, reviewed: Reviewed, trees: Trees, parts: Sequence[Part]
) -> tuple[RiskAssessment | None, tuple[str, ...], list[NotChecked]]:
    """Return the risk as the model's assessment raises it, its open questions, and why there is none."""
    risk = request.risk
    if risk is None:
        return risk, (), []
    facts = "\n\n".join([*(part.facts for part in parts), risk_facts(risk)])
    try:
        answer = review.refute.ask(facts, prompt("risk").text, RISK)
    except ModelUnavailable as error:
        return risk, (), [NotChecked("risk assessment by a model", error.text)]
    found = raised(risk, answer, trees, reviewed.demonstrated)
    return found.risk, found.unknowns, []


def risk_facts(risk: RiskAssessment) -> str:
    """Return what is computed of the risk: level, statements, dependents with distances, and coverage."""
    lines = [f"Computed level: {risk.level}. Statements:"]
    lines += [f"- {one.kind}: {safe_line(one.text)}" for one in risk.statements[:30]]
    lines.append(f"Dependents: {risk.num_dependents_total}; the nearest, with distance:")
    lines += [f"- {safe_line(one.path)} ({one.distance})" for one in risk.dependents[:40]]
    percent = risk.coverage.percent
    lines.append(f"Coverage of the affected lines: {'unknown' if percent is None else f'{percent:.0f} %'}")
    return "\n".join(lines)


def _by_policy(findings: Sequence[Finding], config: ValidationConfig) -> list[Finding]:
    """Return the findings with the configured severities; those of a rule that is off are left out."""
    rated = ((one, severity_of(config, one.rule, one.severity)) for one in findings)
    return [replace(one, severity=severity) for one, severity in rated if severity is not None]


def _prompts(
    questions: Collection[ReviewQuestion], checked: CheckedRules, reviewed: Reviewed, *, asks_risk: bool
) -> list[str]:
    """Return the names of the prompts that were used."""
    num_refuted = checked.num_refuted + reviewed.num_refuted
    optional = {
        "rules": checked.was_asked,
        "refute": num_refuted > 0,
        "test": reviewed.num_tested > 0,
        "risk": asks_risk,
    }
    return ["system", *questions, *(name for name, is_used in optional.items() if is_used)]


def _account(
    name: str,
    account: Account,
    prompts: Sequence[str],
    results: tuple[CheckedRules, Reviewed],
    quality: QualityResult,
    unknowns: tuple[str, ...],
) -> ModelReview:
    checked, reviewed = results
    dropped = checked.dropped + reviewed.dropped
    mine = [one for one in quality.findings if one.rule.startswith(f"{REVIEW}.")]
    ids = {key_of(one): one.id for one in mine}
    return ModelReview(
        model=name,
        prompts=tuple(prompt(one).label for one in prompts),
        num_calls=account.num_calls,
        num_tokens_in=account.tokens.num_prompt,
        num_tokens_cached=account.tokens.num_cache_read,
        num_tokens_out=account.tokens.num_out,
        cost_usd=account.cost_usd,
        num_claims=checked.num_claims + reviewed.num_claims,
        places=_with_ids(reviewed.places, ids),
        resolved=tuple(one for one in reviewed.resolved if one.finding not in set(ids.values())),
        dropped=tuple(DroppedClaims(str(why), count) for why, count in sorted(dropped.items()) if count),
        demonstrations=_with_ids(reviewed.demonstrations, ids),
        unknowns=unknowns,
        stopped=account.stopped,
    )


def _with_ids(things: Sequence[Named], ids: Mapping[str, str]) -> tuple[Named, ...]:
    """Return the things of reported findings, with the findings' ids."""
    return tuple(replace(one, finding=ids[one.finding]) for one in things if one.finding in ids)
