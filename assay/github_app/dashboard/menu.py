"""The menu beside every page: pages by group, and which of them one is on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from assay.github_app.dashboard.pages.page import Page
from assay.github_app.store import RepositoryRow


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the menu."""

    label: str
    href: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that belong together."""

    name: str
    entries: tuple[Entry, ...]


def menu_for(pages: Sequence[Page], here: Page, repository: RepositoryRow | None) -> tuple[Group, ...]:
    """The menu as it stands on a page; a repository that was chosen stays chosen."""
    stays = f"?{urlencode({'repo': repository.full_name})}" if repository is not None else ""
    groups: dict[str, list[Entry]] = {}
    for page in pages:
        if page.label:
            groups.setdefault(page.group, []).append(
                Entry(page.label, f"{page.address}{stays}", page.name == here.name)
            )
    return tuple(Group(name, tuple(entries)) for name, entries in groups.items())
