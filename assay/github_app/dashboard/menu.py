"""Menu: pages by group, with the current one marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from assay.github_app.dashboard.pages.page import Page
from assay.github_app.store import RepositoryRow


@dataclass(frozen=True, slots=True)
class Entry:
    """Menu entry."""

    label: str
    href: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Group of menu entries."""

    name: str
    entries: tuple[Entry, ...]


def menu_for(pages: Sequence[Page], here: Page, repository: RepositoryRow | None) -> tuple[Group, ...]:
    """Build the menu for a page; a selected repository stays selected."""
    stays = f"?{urlencode({'repo': repository.full_name})}" if repository is not None else ""
    groups: dict[str, list[Entry]] = {}
    for page in pages:
        if page.label:
            groups.setdefault(page.group, []).append(
                Entry(page.label, f"{page.address}{stays}", page.name == here.name)
            )
    return tuple(Group(name, tuple(entries)) for name, entries in groups.items())
