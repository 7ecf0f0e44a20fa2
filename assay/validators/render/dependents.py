"""Words for the dependents of a change, shared by all formats."""

from __future__ import annotations

from assay.validators.render.phrases import with_unknown
from assay.validators.report.dependent import Affected, Dependent
from assay.validators.report.model import FAILED_TESTS, Outcome, RiskAssessment, ToolKind, ValidationReport
from assay.validators.report.unknown import Question
from assay.validators.wording import plural


def dependents_in_words(report: ValidationReport, risk: RiskAssessment) -> str:
    """Return `3 modules import from changed files`, the indirect dependents, and where they are unknown."""
    near = sum(one.distance == 1 and not one.is_test for one in risk.dependents)
    total = max(risk.num_dependents_total, len(risk.dependents))
    words = f"{plural(near, 'module')} {'imports' if near == 1 else 'import'} from changed files"
    if len(risk.dependents) < total:
        words = f"at least {words} ({total} dependents in all)"
    else:
        tests = sum(one.is_test for one in risk.dependents)
        further = total - near - tests
        more = [f"{further} indirect"] if further else []
        more += [f"{plural(tests, 'test file')}"] if tests else []
        words += f" ({', '.join(more)})" if more else ""
    first = len(first_tests(risk))
    words += f"; {plural(first, 'test file')} to run first" if first else ""
    # Code that is loaded by name has users that no import shows.
    return with_unknown(report, words if total else "", Question.dependents, "None found")


def first_tests(risk: RiskAssessment) -> list[Dependent]:
    """Return the tests among the dependents that use the change, the likeliest to notice it first."""
    return [one for one in risk.dependents if one.is_test and one.affected is Affected.run_first]


def first_tests_in_words(report: ValidationReport, risk: RiskAssessment, *, by_commands: bool = True) -> str:
    """Return what Tier 1 says of the tests to run first: `11 of them passed, no result names the other 2`.

    "" if it says nothing of them. Not every runner names the tests that passed; the outcome of whole commands, which
    may have run other tests, is given with `by_commands` alone.
    """
    first = {one.path for one in first_tests(risk)}
    if report.tools is None or not first:
        return ""
    failed = first & {finding.file for finding in report.tools.findings if finding.rule in FAILED_TESTS}
    passed = first & set(report.tools.passed_files) - failed
    if passed == first:
        return "all of them passed"
    ended = [(len(passed), "passed")] if passed else []
    ended += [(len(failed), "fails" if len(failed) == 1 else "fail")] if failed else []
    if ended:
        said = ", ".join(f"{num}{'' if place else ' of them'} {how}" for place, (num, how) in enumerate(ended))
        num_silent = len(first) - len(passed) - len(failed)
        return f"{said}, no result names the other {num_silent}" if num_silent else said
    if not by_commands:
        return ""
    outcomes = {run.outcome for run in report.tools.runs if run.kind is ToolKind.test}
    return "the test commands passed" if outcomes == {Outcome.passed} else ""
