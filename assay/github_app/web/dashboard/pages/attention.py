"""Page of what waits for a person, most urgent first, and of all repositories, with a search."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from urllib.parse import urlencode

from assay.github_app.store import RepositoryRow
from assay.github_app.web.dashboard.content.blocks import (
    Block,
    Cell,
    Fact,
    Facts,
    Field,
    Form,
    Pager,
    Prose,
    Sheet,
    Table,
    columns_of,
    ordered,
)
from assay.github_app.web.dashboard.pages.needs import MOST_OF_A_KIND, URGENCY, Kind, Need, Needs, needs_of
from assay.github_app.web.dashboard.pages.page import Page, PageRequest

ADDRESS = "/attention"
PAGE_ROWS = 50
"""Rows of a table on one page."""
_KEPT = ("repo", "find", "sort", "needs_page", "repositories_page")
_CHIPS = {
    Kind.installation: "risk critical",
    Kind.configuration: "risk critical",
    Kind.job: "risk high",
    Kind.hold: "risk medium",
    Kind.missing: "risk medium",
    Kind.limit: "chip",
    Kind.silence: "chip",
}
_UNLISTED = "GitHub has not listed the installations, so missing permissions are not known. Reload in a moment."


def view(asked: PageRequest) -> Sheet:
    """Show the needs of one repository, or of all and then the repositories."""
    found = needs_of(asked)
    blocks: list[Block] = [_facts(asked, found)]
    if not found.is_listed:
        blocks.append(Prose((_UNLISTED,)))
    blocks += _paged(asked, _needs(found))
    if asked.repository is None:
        blocks += _repositories(asked, found)
    return Sheet("Needs you", blocks=tuple(blocks))


def _facts(asked: PageRequest, found: Needs) -> Facts:
    num = found.totals
    of = Fact("Repositories", str(len(asked.readable)), "", "#find-a-repository-find")
    if asked.repository is not None:
        of = Fact("Repository", asked.repository.full_name, f"show all {len(asked.readable)}", ADDRESS)
    return Facts(
        (
            Fact("Installations", str(num[Kind.installation]), "suspended or without a permission"),
            Fact("Configuration errors", str(num[Kind.configuration]), "by repository and branch"),
            Fact("Failed jobs", str(num[Kind.job]), "changes without a verdict"),
            Fact("On hold", str(num[Kind.hold] + num[Kind.missing]), "wait for approval"),
            of,
        )
    )


def _needs(found: Needs) -> Table:
    columns = columns_of("urgency=Kind", "subject=Where", "action=What to do", "since")
    rows = tuple((_kind(one), one.subject, one.action, one.since) for one in found.needs)
    num = sum(found.totals.values())
    note = (
        f"{len(rows)} of {num}: up to {MOST_OF_A_KIND} of each kind, longest waiting first." if num > len(rows) else ""
    )
    return Table("needs", "What waits for a person", columns, rows, "Nothing waits for a person.", note)


def _kind(need: Need) -> Cell:
    return Cell(URGENCY[need.kind], text=need.kind, kind=_CHIPS[need.kind])


def _repositories(asked: PageRequest, found: Needs) -> tuple[Block, ...]:
    wanted = _wanted(asked)
    rows = [row for row in asked.readable if wanted.lower() in row.full_name.lower()]
    num_open, num_needs = asked.store.attention.num_open([row.id for row in rows]), _counted(found)
    columns = columns_of("repository", "needs=Needs you", "open=Open pull requests", "last=Last event")
    cells = tuple((_link(row), num_needs[row.id], num_open.get(row.id, 0), row.seen_at) for row in rows)
    empty = f"No repository's name contains {wanted!r}." if wanted else "No repository yet: install the App on one."
    fields = (Field("find", "Name contains", value=wanted),)
    search = Form("Find a repository", f"{ADDRESS}#title-repositories", "Find", fields, method="get")
    return search, *_paged(asked, Table("repositories", "Repositories", columns, cells, empty))


def _wanted(asked: PageRequest) -> str:
    return asked.query.get("find", "").strip()


def _paged(asked: PageRequest, table: Table) -> tuple[Block, ...]:
    """Cut a table, sorted as the query says, to the page that its own parameter names; its CSV is whole."""
    if "csv" in asked.query:
        return (table,)
    sort, parameter = asked.query.get("sort", ""), f"{table.key}_page"
    sign, (key, _, column) = "-" if sort.startswith("-") else "", sort.removeprefix("-").partition(".")
    whole = ordered(table, f"{sign}{column}") if key == table.key else table
    num, last = len(whole.rows), max(1, -(-len(whole.rows) // PAGE_ROWS))
    page = min(_number(asked.query.get(parameter, "")), last)
    first = (page - 1) * PAGE_ROWS
    shown = replace(whole, rows=whole.rows[first : first + PAGE_ROWS])

    def link(number: int) -> str | None:
        query = {name: value for name, value in asked.query.items() if name in _KEPT} | {parameter: str(number)}
        return f"{ADDRESS}?{urlencode(query)}#title-{table.key}" if 1 <= number <= last else None

    words = f"{first + 1} to {first + len(shown.rows)} of {num}"
    pager = Pager(f"Pages of the table {table.title}", words, link(page - 1), link(page + 1))
    return (shown, pager) if last > 1 else (shown,)


def _number(given: str) -> int:
    """Parse the number of a page; 1 if it is none."""
    return max(1, int(given)) if re.fullmatch(r"[0-9]{1,6}", given) else 1


def _counted(found: Needs) -> Counter[int]:
    return Counter(repository_id for need in found.needs for repository_id in need.repositories)


def _link(row: RepositoryRow) -> Cell:
    note = "" if row.is_given else "the App has no access"
    return Cell(row.full_name, href=f"{ADDRESS}?{urlencode({'repo': row.full_name})}", note=note)


PAGE = Page("attention", ADDRESS, view, "Needs you", has_search=True)
