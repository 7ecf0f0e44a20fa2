"""The report as JUnit XML, for test-result viewers: a case per question, grouped by category.

A question below 0.7 fails; an ungraded one is skipped, with the reason; an exception of the agent is an error.
"""

from __future__ import annotations

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from assay.escape import visible, xml_text
from assay.memory_eval.render.figures import not_comparable, percent
from assay.memory_eval.report.model import WEAK_BELOW, EvalReport, EvalResult

MOST_TEXT = 8000
_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'


def render(report: EvalReport) -> str:
    """Return a suite for each category, and more for the run: an error if invalid, a skip if not comparable."""
    document = JUnitXml("assay memory")
    if not report.valid:
        document.add_testsuite(_of_the_run("is valid", Error(_word(report.why_invalid or "invalid"), "invalid")))
    if why := not_comparable(report):
        document.add_testsuite(_of_the_run("is comparable", Skipped(_word(why))))
    suites: dict[str, TestSuite] = {}
    for result in report.results:
        suite = suites.setdefault(result.category, TestSuite(_word(result.category, 200)))
        suite.add_testcase(_case(result))
    for name in sorted(suites):
        document.add_testsuite(suites[name])
    document.update_statistics()  # type: ignore[no-untyped-call]
    written: bytes = document.tostring()  # type: ignore[no-untyped-call]
    return f"{_DECLARATION}\n{written.decode('utf-8')}\n"


def _case(result: EvalResult) -> TestCase:
    case = TestCase(
        _word(f"{result.question_id}: {result.question}"),
        classname=f"memory.{_word(result.category, 200)}",
        time=max(0.0, result.answer_time_s or 0.0),
    )
    told = [f"Expected: {result.expected}", f"Got: {result.answer}", f"Why: {result.reasoning}"]
    if result.score is None:
        case.result = [Skipped(_word(f"not graded: {result.why_not_graded or 'no reason given'}"))]
    elif result.error is not None:
        case.result = [_with_text(Error(_word(result.error), "agent"), told)]
    elif result.score < WEAK_BELOW:
        case.result = [_with_text(Failure(_word(f"{percent(result.score)}: {result.reasoning}"), "memory"), told)]
    return case


def _of_the_run(name: str, result: Error | Skipped) -> TestSuite:
    suite = TestSuite("the run itself")
    case = TestCase(name, classname="memory")
    case.result = [result]
    suite.add_testcase(case)
    return suite


def _with_text(result: Failure | Error, lines: list[str]) -> Failure | Error:
    result.text = xml_text("\n".join(visible(line, MOST_TEXT) for line in lines), MOST_TEXT)
    return result


def _word(text: str, most: int = 500) -> str:
    return xml_text(visible(text, most))
