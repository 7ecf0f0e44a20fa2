"""Page of learned rules and their states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.github_app.store import RuleRow, RuleState
from assay.github_app.web.dashboard.content.blocks import Cell, Fact, Facts, Row, Sheet, Table, columns_of
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, rule_address

_INTRO = (
    "A comment that asks for a change becomes a pending rule. It is delivered to agents once a maintainer accepts it "
    "or, with the setting learning.confirmedBy: quorum, enough reviewers asked for it on enough pull requests."
)
_EMPTY = (
    "No rule was learned yet. Rules come from review comments of people with write permission that ask for a change."
)
_STATES = tuple(RuleState)


def view(asked: PageRequest) -> Sheet:
    """Show all rules, those waiting for a decision first."""
    rules = [rule for repository in asked.repositories for rule in asked.store.rules.of(repository.id)]
    counts = Counter(rule.state for rule in rules)
    facts = [Fact(str(state).capitalize(), str(counts[state])) for state in _STATES if counts[state]]
    num_ineffective = sum(rule.is_ineffective for rule in rules)
    if num_ineffective:
        facts.append(Fact("Ineffective", str(num_ineffective), "delivered, and violated all the same"))
    blocks = (Facts(tuple(facts)), _table(asked, rules)) if rules else (_table(asked, rules),)
    return Sheet("Rules", _INTRO, blocks)


def _table(asked: PageRequest, rules: Sequence[RuleRow]) -> Table:
    columns = columns_of(
        "rule", "repository", "state", "repeats", "handed_out=Delivered", "created_at=Learned", "expires_at=Expires"
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
                repeats[place],
                handed[place],
                rule.created_at,
                Cell(rule.expires_at, text=f"{rule.expires_at:%Y-%m-%d}" if rule.expires_at else None),
            )
        )
    return Table("rules", "All rules", columns, tuple(rows), _EMPTY)


PAGE = Page("rules", "/rules", view, "Rules", "Learned")
