"""The single comment on a pull request: short, edited in place, created only if an action is needed."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github.publish.check_texts import joined, review_advice, source_text, waiver_text
from assay.github.publish.hold import HoldFacts, hold_text
from assay.github.publish.markers import COMMENT, marker
from assay.validators import RiskLevel, ValidationReport, as_code, as_prose, markdown_summary


def earns_a_comment(report: ValidationReport, repeats: Sequence[str] = ()) -> bool:
    """Return whether something blocks, the risk is high or critical, an approval is needed, or feedback repeats."""
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
    """Return the comment: verdict, what to fix, who decides, and a link to the report."""
    again = [f"- {as_prose(one, 300)}" for one in repeats[:5]]
    return joined(
        [
            marker(COMMENT),
            f"## {as_prose(title, 300)}",
            markdown_summary(report),
            source_text(report),
            review_advice(report),
            hold_text(report, hold, is_app=is_app),
            waiver_text(report) if is_app else "",
            "\n".join(["### Repeated feedback", "", *again]) if again else "",
            _where_the_rest_is(checks_url),
        ]
    )


def resolved_comment(report: ValidationReport, title: str, *, checks_url: str | None) -> str:
    """Return the text of an existing comment once no action is needed."""
    return joined(
        [
            marker(COMMENT),
            f"## ✅ Resolved: {as_prose(title, 300)}",
            f"Nothing is left to fix or to decide at {as_code(report.head.sha[:7])}.",
            "Earlier versions are in this comment's edit history.",
            _where_the_rest_is(checks_url),
        ]
    )


def _where_the_rest_is(checks_url: str | None) -> str:
    return f"The whole report is under [Checks]({checks_url})." if checks_url else "The whole report is under Checks."
