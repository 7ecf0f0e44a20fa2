"""First screen of a report, in every format: the gravest statements, how likely a fix is, and what was not checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.validators.changes.classify import Nature
from assay.validators.policy.verdict import MOST_OF_A_COMMAND, held_by, short_command
from assay.validators.render.risk_words import holding, likelihood_in_words, set_by
from assay.validators.render.words import (
    KINDS as COMMANDS,
)
from assay.validators.render.words import (
    OUTCOMES,
    are_most_tests,
    blocks,
    findings_of,
    first_tests,
    first_tests_in_words,
    not_checked,
    num_tests_in_words,
    place,
    with_unknown,
)
from assay.validators.report.dependent import Dependent
from assay.validators.report.gravity import KINDS, Gravity
from assay.validators.report.model import (
    Conclusion,
    Finding,
    Outcome,
    RiskAssessment,
    RiskLevel,
    Statement,
    ToolKind,
    ToolRun,
    ValidationReport,
)
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.report.statements import num_more
from assay.validators.report.unknown import USES, Question
from assay.validators.wording import listed, plural, shortened

MOST_SAID = 3
MOST_UNCHECKED = 5
MOST_FINDINGS_OF_A_RUN = 5
MOST_PLACES = 6
MOST_NAMES = 3
MOST_REASONS = 10
_COMPATIBLE = ApiChangeKind.non_breaking
_FAILS = re.compile(r"(?i)\b(?:error|fatal|exception|fail(?:ed|ure)?|panic)\b|Error\b")


@dataclass(frozen=True, slots=True)
class Item:
    """Statement as a screen shows it: what it is, where, and what to do.

    `label` is empty where `rule` says why it matters. `details` are (place, text) of what a command found, or other
    places of the statement; `finding` is the finding, whose lines may be replaced by a committable suggestion.
    """

    label: str
    text: str
    place: str
    rule: str
    advice: str
    details: tuple[tuple[str, str], ...] = ()
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """What a page shows before the tiers.

    `asked` is a heading and its reasons where a person is asked to approve or configure something.
    """

    heading: str
    items: tuple[Item, ...]
    num_more: int
    asked: str
    reasons: tuple[str, ...]
    likelihood: str
    verified: str
    not_checked: str


def first_screen(report: ValidationReport) -> FirstScreen:
    """Return at most `MOST_SAID` statements, else what was verified; how likely a fix is; what was not checked."""
    said = worth_saying(report)
    is_asked = report.conclusion in (Conclusion.action_required, Conclusion.incomplete) or (report.hold and said)
    return FirstScreen(
        heading="Fix these" if any(one.is_blocking for one in said[:MOST_SAID]) else "Review these" if said else "",
        items=tuple(item(report, one) for one in said[:MOST_SAID]),
        num_more=max(0, len(said) - MOST_SAID),
        asked=_what_is_asked(report) if is_asked else "",
        reasons=_reasons(report) if is_asked else (),
        likelihood=_likelihood(report.risk) if report.risk is not None else "",
        verified=verified(report),
        not_checked=unchecked(report),
    )


def worth_saying(report: ValidationReport) -> list[Statement]:
    """Return the statements above a remark, one for each place."""
    found: list[Statement] = []
    places: set[tuple[str | None, int]] = set()
    for one in report.statements:
        at = (one.file, one.line) if one.line is not None else None
        if (one.gravity is Gravity.remark and not one.is_blocking) or at in places:
            continue
        if at is not None:
            places.add(at)
        found.append(one)
    return found


def item(report: ValidationReport, one: Statement) -> Item:
    """Return a statement as a screen shows it."""
    run = next((each for each in report.tools.runs if each.name == one.signal), None) if report.tools else None
    if run is not None and one.kind in ("test_fails", "command_fails") and not one.finding:
        return _of_run(report, run)
    finding = next((each for each in report.findings if each.id == one.finding), None) if one.finding else None
    others = [(place(each.file, each.line), each.text) for each in one.evidence[:MOST_PLACES]]
    if (left := num_more(one) - MOST_PLACES) > 0:
        others.append(("", f"and {left} more"))
    label = "" if one.kind == "finding" else KINDS[one.kind].label
    rule = one.signal if one.finding else ""
    return Item(label, one.text, place(one.file, one.line), rule, one.advice or "", tuple(others), finding)


def _of_run(report: ValidationReport, run: ToolRun) -> Item:
    """Return a blocking command with what it found, else with the line of its output that names the failure."""
    before = ", and passed on the base" if run.base_outcome is Outcome.passed else ""
    text = f"`{run.command}`{f': {run.reason}' if run.reason else ''}"
    found = findings_of(report, run)
    details = [(place(one.file, one.line), one.message) for one in found[:MOST_FINDINGS_OF_A_RUN]]
    if len(found) > MOST_FINDINGS_OF_A_RUN:
        details.append(("", f"and {len(found) - MOST_FINDINGS_OF_A_RUN} more"))
    if not found and (telling := _telling(run)):
        details.append(("", f"`{telling}`"))
    passed = before if before and "base" not in (run.reason or "") else ""
    return Item(f"{COMMANDS[run.kind]} {OUTCOMES[run.outcome]}", text + passed, "", "", "", tuple(details))


def _telling(run: ToolRun) -> str:
    """Return the line of the output that names the failure, else its last one."""
    lines = [line for line in run.excerpt if line.strip(" …")]
    return next((line for line in lines if _FAILS.search(line)), lines[-1] if lines else "").strip()


def _what_is_asked(report: ValidationReport) -> str:
    if report.configuration_at_fault:
        return "Fix the configuration"
    return "Some checks could not run" if report.conclusion is Conclusion.incomplete else "Approval required"


def _reasons(report: ValidationReport) -> tuple[str, ...]:
    """Return the reasons of the verdict, without those that the statements above give."""
    held = held_by(report.risk.floor) if report.risk is not None and holding(report) else None
    reasons = [one for one in report.reasons if held is None or not one.startswith(held)]
    if held is not None:
        labels = ", ".join(dict.fromkeys(KINDS[one.kind].label for one in holding(report)))
        reasons.insert(0, f"{labels}: {report.risk.floor if report.risk else ''} risk")
    return tuple(reasons[:MOST_REASONS])


def verified(report: ValidationReport) -> str:
    """Return what a successful change passed: tests, and the files that use it.

    `312 tests passed; 3 files use what changed, 2 test files to run first: 2 passed`. "" for a change that
    did not succeed, or of which nothing was validated.
    """
    if report.conclusion is not Conclusion.success:
        return ""
    parts = []
    runs = report.tools.runs if report.tools is not None else ()
    tests = [run.counts for run in runs if run.kind is ToolKind.test]
    passed = sum(counts.passed or 0 for counts in tests)
    failed = sum((counts.failed or 0) + (counts.errors or 0) for counts in tests)
    if passed:
        failing = f", {failed} failed without blocking" if failed else ""
        num = sum(bool(counts.passed) for counts in tests)
        # Several commands can run the same tests.
        where = f" in {num} commands" if num > 1 else ""
        parts.append(f"{plural(passed, 'test')} passed{where}{failing}")
    if report.risk is not None and report.risk.dependents:
        parts.append(_users(report, report.risk))
    wider = (
        [one.symbol for one in report.risk.api_changes if one.kind is _COMPATIBLE] if report.risk is not None else []
    )
    if wider:
        parts.append(f"public API changed without a break: {listed(wider, MOST_NAMES)}")
    if report.risk is not None and report.risk.whole_change is not None:
        parts.insert(0, report.risk.whole_change)
    is_high = report.risk is not None and report.risk.level.at_least(RiskLevel.high)
    if not parts and report.quality is not None and not is_high and not worth_saying(report):
        labels = dict.fromkeys(KINDS[one.kind].label for one in report.statements)
        files = plural(len(report.files), "changed file")
        parts.append(f"remarks only: {', '.join(labels)}" if labels else f"nothing found in {files}")
    said = "; ".join(parts)
    return said[:1].upper() + said[1:]


def _users(report: ValidationReport, risk: RiskAssessment) -> str:
    """Return how many files use what changed, and what Tier 1 says of the tests that reach it."""
    tests = len(first_tests(risk))
    others = [one for one in risk.dependents if not one.is_test]
    words = _users_in_words(others, is_known=all(one.what != USES for one in report.not_checked))
    if tests:
        passed = first_tests_in_words(report, risk, by_commands=False)
        # A test file that the change edits is part of the change, and its own failures may be in the line before.
        other = "other " if any(file.get("nature") == Nature.test for file in report.files) else ""
        which = num_tests_in_words(risk) if are_most_tests(risk) else plural(tests, f"{other}test file")
        words += f", {which} to run first{f': {passed}' if passed else ''}"
    return with_unknown(report, words, Question.dependents, "", subject="dependents ")


def _users_in_words(others: Sequence[Dependent], *, is_known: bool) -> str:
    """Return how many of the dependents name what changed, or may mean it; else how many import a changed file."""
    users = sum(bool(one.uses) for one in others)
    if users and is_known:
        return plural(users, "file uses", "files use") + " what changed"
    possible = sum(bool(one.may_use) for one in others)
    if possible and is_known:
        return f"{plural(possible, 'file')} may use what changed"
    near = sum(one.distance == 1 for one in others)
    # Not every way to use something names it: a component, a key of a document, a member of an object.
    return plural(near, "file depends", "files depend") + " on a changed file"


def _likelihood(risk: RiskAssessment) -> str:
    """Return how likely a fix is, and that this alone sets a high level."""
    words = likelihood_in_words(risk)
    is_alone = risk.level.at_least(RiskLevel.high) and set_by(risk) == "likelihood"
    return f"{risk.level.capitalize()} by likelihood: {words[:1].lower()}{words[1:]}" if words and is_alone else words


def all_not_checked(report: ValidationReport) -> list[tuple[str, str]]:
    """Return what was not checked, each with why: first the commands without a result."""
    commands = [(short_command(run), run.reason or OUTCOMES[run.outcome].lower()) for run in _lost_commands(report)]
    return [*commands, *not_checked(report)]


def unchecked(report: ValidationReport) -> str:
    """Return what was not checked, of commands with the reason; "" if everything that was asked for was."""
    commands = map(_without_result, _lost_commands(report))
    names = list(dict.fromkeys((*commands, *(what for what, _ in not_checked(report, has_asides=False)))))
    more = f"; and {len(names) - MOST_UNCHECKED} more" if len(names) > MOST_UNCHECKED else ""
    return "; ".join(names[:MOST_UNCHECKED]) + more


def _lost_commands(report: ValidationReport) -> list[ToolRun]:
    """Return the commands that gave no result and do not block: unavailable, or they could not run."""
    runs = report.tools.runs if report.tools is not None else ()
    lost = (Outcome.inert, Outcome.infra_failed)
    return [run for run in runs if run.outcome in lost and not blocks(report.blocking, run)]


def _without_result(run: ToolRun) -> str:
    why = shortened((run.reason or "").partition("; ")[0], MOST_OF_A_COMMAND)
    return f"{short_command(run)}{f' ({why})' if why else ''}"
