"""The one comment: short, edited in place, and only there when somebody has to do or decide something."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github.publish.check_texts import joined, review_advice, waiver_text
from assay.github.publish.hold import HoldFacts, hold_text
from assay.github.publish.markers import COMMENT, marker
from assay.validators import RiskLevel, ValidationReport, as_code, as_prose, markdown_summary


def earns_a_comment(report: ValidationReport, repeats: Sequence[str] = ()) -> bool:
    """Something blocks, the risk is high or critical, a person is asked for, or a mistake came back."""
    is_risky = report.risk is not None and report.risk.level.at_least(RiskLevel.high)
    return bool(report.blocking) or is_risky or report.hold or bool(repeats)


def comment_of(
    report: ValidationReport,
    title: str,
    hold: HoldFacts | None,
    *,
    checks_url: str | None,
    is_app: bool,
    repeats: Sequence[str] = (),
) -> str:
    """The comment that earned its place: the verdict, what to fix, who decides, and where the rest is."""
    again = [f"- {as_prose(one, 300)}" for one in repeats[:5]]
    return joined(
        [
            marker(COMMENT),
            f"## {as_prose(title, 300)}",
            markdown_summary(report),
            review_advice(report),
            hold_text(report, hold, is_app=is_app),
            waiver_text(report) if is_app else "",
            "\n".join(["### Said before", "", *again]) if again else "",
            _where_the_rest_is(checks_url),
        ]
    )


def resolved_comment(report: ValidationReport, title: str, *, checks_url: str | None) -> str:
    """What the comment becomes when nothing is left that would earn it a place."""
    return joined(
        [
            marker(COMMENT),
            f"## ✅ Resolved: {as_prose(title, 300)}",
            f"Nothing is left to fix or to decide at {as_code(report.head.sha[:7])}.",
            "What stood here before is in this comment's history.",
            _where_the_rest_is(checks_url),
        ]
    )


def _where_the_rest_is(checks_url: str | None) -> str:
    return f"The whole report is under [Checks]({checks_url})." if checks_url else "The whole report is under Checks."
