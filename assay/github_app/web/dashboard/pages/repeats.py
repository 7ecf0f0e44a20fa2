"""Page of repeated mistakes: threads that repeat feedback on earlier pull requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.github_app.outcomes.metrics.metrics import Bucket, span_of
from assay.github_app.store import MatchRow
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import (
    Cell,
    Fact,
    Facts,
    Figure,
    Row,
    Sheet,
    Table,
    chart,
    columns_of,
)
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, pull_cell, rule_address

_INTRO = "The target is zero. A repeat after the rule was delivered to the agent means that delivery was not enough."
_EMPTY = "No repeats in this period."


def view(asked: PageRequest) -> Sheet:
    """Show repeats by week, by rule and one by one."""
    ids = asked.ids
    found = [one for repository_id in ids for one in asked.store.rules.matches(repository_id, since=asked.since)]
    found.sort(key=lambda one: one.at, reverse=True)
    texts = {(rule.repository_id, rule.rule_id): rule.text for one in ids for rule in asked.store.rules.of(one)}
    num_after = sum(one.is_after_handout for one in found)
    facts = Facts(
        (
            Fact("Repeats", str(len({(one.repository_id, one.thread) for one in found})), "threads"),
            Fact("After delivery", str(num_after), "the agent had received the rule"),
            Fact("Rules broken again", str(len({(one.repository_id, one.rule_id) for one in found}))),
        )
    )
    return Sheet("Repeated mistakes", _INTRO, (facts, _by_week(found), _list(asked, found, texts)))


def _by_week(found: Sequence[MatchRow]) -> Figure:
    counted = Counter((str(span_of(one.at, Bucket.week)), one.is_after_handout) for one in found)
    weeks = spans.buckets(week for week, _ in counted)
    names = {False: "not delivered", True: "after delivery"}
    data = [{"week": week, "kind": names[kind], "num": counted[week, kind]} for week in weeks for kind in names]
    columns = columns_of("week", "not_handed=Not delivered", "after_handout=After delivery")
    rows = tuple((week, counted[week, False], counted[week, True]) for week in weeks)
    words = (
        f"{len(found)} repeats over {len(weeks)} weeks, {sum(one.is_after_handout for one in found)} after delivery."
    )
    draw = chart("stacked", data, "week", "num", "kind", ("not delivered", "after delivery"), title="threads")
    return Figure("repeats-by-week", "Repeats by week", words, draw, columns, rows, _EMPTY)


def _list(asked: PageRequest, found: Sequence[MatchRow], texts: dict[tuple[int, str], str]) -> Table:
    columns = columns_of(
        "rule",
        "pull_request",
        "before=Earlier pull requests",
        "agent",
        "prompt_version",
        "after_handout=After delivery",
        "at=When",
    )
    rows: list[Row] = []
    for one in found:
        name = asked.names[one.repository_id]
        text = texts.get((one.repository_id, one.rule_id), one.rule_id)
        rows.append(
            (
                Cell(text, href=rule_address(name, one.rule_id)),
                pull_cell(name, one.number, note=f"by {one.author or 'unknown'}"),
                one.num_pulls_before,
                one.agent or "unknown",
                Cell((one.prompt_version or "")[:12] or None, kind="code" if one.prompt_version else ""),
                one.is_after_handout,
                one.at,
            )
        )
    return Table("repeats", "All repeats", columns, tuple(rows), _EMPTY)


PAGE = Page("repeats", "/repeats", view, "Repeated mistakes", "Learned", is_timed=True)
