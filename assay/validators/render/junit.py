"""JUnit XML report, for test result viewers: a case for each command and finding, failed if it blocks.

Advice is a passed case with its message as output, and what fails without counting a skipped one: a viewer stays green
where the verdict is.
"""

from __future__ import annotations

from collections.abc import Iterator

from junitparser import Attr, Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from assay.escape import visible, xml_text
from assay.validators.render.phrases import (
    KINDS,
    OUTCOMES,
    blocks,
    counted,
    findings_of,
    found_in,
    not_checked,
    place,
    waiver_in_words,
)
from assay.validators.render.risk_words import lowering, observed, rollback_in_words, set_by
from assay.validators.report.model import Conclusion, Finding, Outcome, ToolRun, ValidationReport

MOST_TEXT = 60_000
_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


def render(report: ValidationReport) -> str:
    """Render a suite for each tier, and one of skipped cases for what was not checked."""
    document = JUnitXml("assay")
    for name, cases in (
        ("Tier 1: tool validation", _tools(report)),
        ("Tier 2: code quality", _quality(report)),
        ("Tier 3: risk assessment", _risk(report)),
        ("Not checked", _not_checked(report)),
    ):
        suite = TestSuite(name)
        suite.add_testcases(list(cases))
        document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    written: bytes = document.tostring()  # type: ignore[no-untyped-call]
    return f"{_DECLARATION}\n{written.decode('utf-8')}\n"


class _Placed(TestCase):
    """Test case with the file and line that many viewers link to."""

    file = Attr("file")
    line = Attr("line")


def _tools(report: ValidationReport) -> Iterator[TestCase]:
    if report.tools is not None:
        names = frozenset(report.blocking)
        yield from (_run(report, names, run) for run in report.tools.runs)
        shown_ids = {finding.id for run in report.tools.runs for finding in findings_of(report, run)}
        yield from (_finding(report, one) for one in report.tools.findings if one.id not in shown_ids)


def _quality(report: ValidationReport) -> Iterator[TestCase]:
    findings = report.quality.findings if report.quality is not None else ()
    return (_finding(report, finding) for finding in findings if finding.introduced)


def _risk(report: ValidationReport) -> Iterator[TestCase]:
    if report.risk is None:
        return
    case = TestCase("risk level", classname="risk")
    risk = report.risk
    factors = [f"{factor.level or 'fact'} {factor.signal}: {factor.reason}" for factor in risk.factors]
    if report.hold:
        why = "; ".join(report.reasons) if report.missing else f"{risk.level} risk: approval required"
        case.result = [_with_text(Failure(_word(why), "hold"), factors)]
    lines = [f"level: {risk.level}", f"set by: {set_by(risk)}", *([observed(risk)] if observed(risk) else [])]
    lines += [f"would lower it: {one}" for one in lowering(risk)]
    lines += [f"rollback: {rollback_in_words(risk)}"] if rollback_in_words(risk) else []
    case.system_out = _lines([*lines, *factors])
    yield case


def _not_checked(report: ValidationReport) -> Iterator[TestCase]:
    for what, why in not_checked(report, has_coverage=False):
        case = TestCase(_word(what), classname="not-checked")
        case.result = [Skipped(_word(why))]
        yield case


def _run(report: ValidationReport, names: frozenset[str], run: ToolRun) -> TestCase:
    case = TestCase(_word(run.name) or "unnamed", classname=f"tools.{run.kind}", time=max(0.0, run.duration_s))
    counts = counted(run.counts)
    case.system_out = _lines([f"{run.command} (found in {found_in(run)})", *([counts] if counts else [])])
    message = _word(run.reason or f"{KINDS[run.kind]}: {OUTCOMES[run.outcome].lower()}")
    details = [f"{place(one.file, one.line)}: {one.message}" for one in findings_of(report, run)]
    details += run.excerpt
    if blocks(names, run):
        case.result = [_with_text(Failure(message, str(run.outcome)), details)]
    elif run.outcome in (Outcome.infra_failed, Outcome.inert) and report.conclusion is not Conclusion.success:
        case.result = [_with_text(Error(message, str(run.outcome)), details)]
    elif run.outcome is Outcome.skipped:
        case.result = [Skipped(message)]
    elif run.outcome is not Outcome.passed:
        case.result = [_with_text(Skipped(f"does not block: {message}", str(run.outcome)), details)]
    return case


def _finding(report: ValidationReport, finding: Finding) -> TestCase:
    names = frozenset(report.blocking)
    where = place(finding.file, finding.line)
    case = _Placed(_word(f"{finding.rule} {where}").strip(), classname=f"{finding.tier}.{_word(finding.rule, 120)}")
    if finding.file:
        case.file = _word(place(finding.file))
        if finding.line:
            case.line = str(finding.line)
    suggestion = [f"What to do: {finding.suggestion}"] if finding.suggestion else []
    message = _word(finding.message)
    waiver = next((one for one in report.waivers if one.finding_id == finding.id), None)
    if waiver is not None:
        case.result = [_with_text(Skipped(_word(waiver_in_words(waiver)), "waived"), [finding.message])]
    elif blocks(names, finding):
        case.result = [_with_text(Failure(message, str(finding.severity)), [finding.message, *suggestion])]
    else:
        case.system_out = _lines([f"{finding.severity}, advisory: {message}", *suggestion])
    return case


def _with_text(result: Failure | Error | Skipped, lines: list[str]) -> Failure | Error | Skipped:
    if lines:
        result.text = _lines(lines)
    return result


def _word(text: str, most: int = 500) -> str:
    return xml_text(visible(text, most))


def _lines(lines: list[str]) -> str:
    return xml_text("\n".join(lines), MOST_TEXT)
