"""Page of one insight: its text, who reported it, and forms to deliver it to agents, withdraw it or delete it."""

from __future__ import annotations

from collections.abc import Mapping

from assay.github_app.store import InsightRow
from assay.github_app.web.dashboard.content.blocks import Block, Fact, Facts, Field, Form, Prose, Sheet
from assay.github_app.web.dashboard.pages.page import (
    Page,
    PageRequest,
    RejectedForm,
    insight_address,
    pull_address,
    quoted,
)

MOST_REASON = 500


def view(asked: PageRequest) -> Sheet | None:
    """Show the insight; None if it does not exist."""
    row, repository = _row(asked), asked.repository
    if row is None or repository is None:
        return None
    href = pull_address(repository.full_name, row.number) if row.number else None
    facts = Facts(
        (
            Fact("Delivered to agents", "yes" if row.is_trusted else "no", row.why_not or ""),
            Fact("Kind", row.insight_type.replace("_", " ")),
            Fact("Task", row.task_id or "unknown", f"#{row.number}" if row.number else "", href),
            Fact("Reported", f"{row.at:%Y-%m-%d}", f"by {row.told_by or row.source}"),
        )
    )
    may_decide = asked.viewer.may_decide(repository.id)
    forms = _forms(row, insight_address(repository.full_name, row.id)) if may_decide else []
    blocks: list[Block] = [facts, Prose((row.text,), title="Text"), *forms]
    who = "" if may_decide else " Deciding about it requires maintain permission."
    return Sheet("Insight", f"Of {repository.full_name}.{who}", tuple(blocks))


def act(asked: PageRequest, sent: Mapping[str, str]) -> str | RejectedForm:
    """Deliver, withdraw or delete the insight."""
    row, repository = _row(asked), asked.repository
    if row is None or repository is None:
        return RejectedForm(404, "")
    if not asked.viewer.may_decide(repository.id):
        return RejectedForm(403, "Deciding about insights requires maintain permission on the repository.")
    match sent.get("decision", ""):
        case "deliver":
            asked.store.insights.trust(row.id, why_not=None)
        case "withdraw":
            why = sent.get("why", "").strip()[:MOST_REASON]
            if not why:
                return RejectedForm(400, "Name a reason to withdraw an insight.")
            asked.store.insights.trust(row.id, why_not=why)
        case "delete":
            if sent.get("sure") != "yes":
                return RejectedForm(400, "Tick the box to delete an insight: it cannot be restored.")
            asked.store.insights.purge(row.id)
            return f"/tasks?repo={quoted(repository.full_name)}"
        case _:
            return RejectedForm(400, "This form names no decision.")
    return insight_address(repository.full_name, row.id)


def _row(asked: PageRequest) -> InsightRow | None:
    if asked.repository is None:
        return None
    row = asked.store.insights.get(asked.path["insight_id"])
    return row if row is not None and row.repository_id == asked.repository.id else None


def _forms(row: InsightRow, address: str) -> list[Form]:
    forms = []
    if not row.is_trusted:
        note = "Agents of later tasks receive it. It is a hint, and becomes no rule."
        forms.append(Form("Deliver", address, "Deliver to agents", hidden=(("decision", "deliver"),), note=note))
    else:
        why = Field("why", "Why", is_required=True)
        note = "Agents no longer receive it."
        forms.append(Form("Withdraw", address, "Withdraw", (why,), (("decision", "withdraw"),), note))
    sure = Field("sure", "I understand that it cannot be restored", is_tick=True, is_required=True)
    hidden = (("decision", "delete"),)
    forms.append(Form("Delete", address, "Delete", (sure,), hidden, "Its text is deleted.", is_grave=True))
    return forms


PAGE = Page("insight", "/insights/{owner}/{name}/{insight_id}", view, act=act)
