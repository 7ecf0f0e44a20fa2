"""Page of learned rules, their states, and the threads that repeat them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.github_app.outcomes.metrics.metrics import Bucket, span_of
from assay.github_app.store import MatchRow, RuleRow, RuleState
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import (
    Block,
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

_INTRO = (
    "A comment that asks for a change becomes a pending rule. It is delivered to agents once a maintainer accepts it "
    "or, with the setting learning.confirmedBy: quorum, enough reviewers asked for it on enough pull requests."
)
_EMPTY = (
    "No rule was learned yet. Rules come from review comments of people with write permission that ask for a change."
)
_TARGET = "The target is zero. A repeat after the rule was delivered to the agent means that delivery was not enough."
_NO_REPEATS = "No repeats in this period."
_STATES = tuple(RuleState)


def view(asked: PageRequest) -> Sheet:
    """Show all rules, those waiting for a decision first, and the repeats of the period."""
    rules = [rule for repository in asked.repositories for rule in asked.store.rules.of(repository.id)]
    found = [one for place in asked.ids for one in asked.store.rules.matches(place, since=asked.since)]
    found.sort(key=lambda one: one.at, reverse=True)
    blocks: list[Block] = [_facts(rules, found)] if rules else []
    blocks += [_table(asked, rules), _by_week(found, asked.ends(Bucket.week)), _repeats(asked, found, rules)]
    return Sheet("Rules", _INTRO, tuple(blocks))


def _facts(rules: Sequence[RuleRow], found: Sequence[MatchRow]) -> Facts:
    counts = Counter(rule.state for rule in rules)
    facts = [Fact(str(state).capitalize(), str(counts[state])) for state in _STATES if counts[state]]
    num_ineffective = sum(rule.is_ineffective for rule in rules)
    if num_ineffective:
        facts.append(Fact("Ineffective", str(num_ineffective), "delivered, and violated all the same"))
    num_after = sum(one.is_after_handout for one in found)
    num_threads = len({(one.repository_id, one.thread) for one in found})
    return Facts((*facts, Fact("Repeats", str(num_threads), f"in this period, {num_after} after delivery")))


def _table(asked: PageRequest, rules: Sequence[RuleRow]) -> Table:
    columns = columns_of(
        "rule",
        "repository",
        "state",
        "checked=Checked in code",
        "repeats",
        "handed_out=Delivered",
        "created_at=Learned",
        "expires_at=Expires",
    )
    repeats: Counter[tuple[int, str]] = Counter()
    handed: Counter[tuple[int, str]] = Counter()
    for repository in asked.repositories:
        repeats.update((one.repository_id, one.rule_id) for one in asked.store.rules.matches(repository.id))
        handed.update((one.repository_id, one.rule_id) for one in asked.store.rules.handouts(repository.id))
    newest = sorted(rules, key=lambda rule: rule.created_at, reverse=True)
    waiting = sorted(newest, key=lambda rule: _STATES.index(rule.state))
    rows: list[Row] = []
    for rule in waiting:
        name, place = asked.names[rule.repository_id], (rule.repository_id, rule.rule_id)
        note = " · ".join(filter(None, (rule.language or "", ", ".join(rule.scope_paths[:3]))))
        rows.append(
            (
                Cell(rule.text, href=rule_address(name, rule.rule_id), note=note),
                name,
                Cell(str(rule.state), kind="chip", note="ineffective" if rule.is_ineffective else ""),
                rule.checked[0] is not None,
                repeats[place],
                handed[place],
                rule.created_at,
                Cell(rule.expires_at, text=f"{rule.expires_at:%Y-%m-%d}" if rule.expires_at else None),
            )
        )
    return Table("rules", "All rules", columns, tuple(rows), _EMPTY)


def _by_week(found: Sequence[MatchRow], ends: Sequence[str]) -> Figure:
    counted = Counter((str(span_of(one.at, Bucket.week)), one.is_after_handout) for one in found)
    weeks = spans.buckets((week for week, _ in counted), ends)
    names = {False: "not delivered", True: "after delivery"}
    data = [{"week": week, "kind": names[kind], "num": counted[week, kind]} for week in weeks for kind in names]
    columns = columns_of("week", "not_handed=Not delivered", "after_handout=After delivery")
    rows = tuple((week, counted[week, False], counted[week, True]) for week in weeks)
    words = (
        f"{len(found)} repeats over {len(weeks)} weeks, {sum(one.is_after_handout for one in found)} after delivery."
    )
    draw = chart("stacked", data, "week", "num", "kind", ("not delivered", "after delivery"), title="threads")
    return Figure("repeats-by-week", "Repeats by week", words, draw, columns, rows, _NO_REPEATS, _TARGET)


def _repeats(asked: PageRequest, found: Sequence[MatchRow], rules: Sequence[RuleRow]) -> Table:
    texts = {(rule.repository_id, rule.rule_id): rule.text for rule in rules}
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
    return Table("repeats", "All repeats", columns, tuple(rows), _NO_REPEATS)


PAGE = Page("rules", "/rules", view, "Rules", is_timed=True)
