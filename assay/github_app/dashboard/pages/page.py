"""What a page is: an address, and a function from who asks for what to what is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from assay.github_app.dashboard import spans
from assay.github_app.dashboard.blocks import Cell, Sheet
from assay.github_app.dashboard.measuring import Measured
from assay.github_app.dashboard.viewer import Viewer
from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.store import RepositoryRow, Store


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a page, from somebody who may see what it is about.

    `readable` are the viewer's repositories; `repository` is the one of them that was chosen, where one was. `path`
    and `query` hold the address's other parts, bounded, and whatever strangers like. `period` is how far back to look,
    one of `spans.PERIODS`.
    """

    viewer: Viewer
    store: Store
    readable: tuple[RepositoryRow, ...]
    repository: RepositoryRow | None
    path: Mapping[str, str]
    query: Mapping[str, str]
    now: datetime
    period: str
    measures: Measured

    @property
    def repositories(self) -> tuple[RepositoryRow, ...]:
        """Those the page is about: the one that was chosen, else all."""
        return self.readable if self.repository is None else (self.repository,)

    @property
    def since(self) -> datetime | None:
        """From when on things count on this page; None: from the first."""
        return spans.since(self.period, self.now)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the repositories the page is about."""
        return tuple(repository.id for repository in self.repositories)

    @property
    def names(self) -> Mapping[int, str]:
        """Their names, by id."""
        return {repository.id: repository.full_name for repository in self.repositories}

    def measured(self) -> Sequence[PullMeasures]:
        """The pull requests of these repositories and this time."""
        return self.measures.of(self.ids, self.since)


View = Callable[[Asked], Sheet | None]


@dataclass(frozen=True, slots=True)
class Refused:
    """A form that is not carried out; `status` is what is answered (400, 403, 404, 409)."""

    status: int
    why: str


Act = Callable[[Asked, Mapping[str, str]], "str | Refused"]
"""Carries out a form; gives the address to go on to."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `view` gives None where there is nothing of that name; `act` carries out the forms on it.

    An address with `{owner}/{name}` is about that repository; `label` is its word in the menu, empty where it has none.
    With `is_timed` one can choose how far back it looks.
    """

    name: str
    address: str
    view: View
    label: str = ""
    group: str = ""
    is_timed: bool = False
    act: Act | None = None


def pull_cell(full_name: str, number: int | None, *, note: str = "") -> Cell:
    """A pull request in a table; the repository where it is about none."""
    if not number:
        return Cell(full_name, note=note)
    return Cell(f"{full_name}#{number}", href=pull_address(full_name, number), note=note)


def pull_address(full_name: str, number: int) -> str:
    """Where a pull request's page is."""
    return f"/repos/{quoted(full_name)}/pulls/{number}"


def rule_address(full_name: str, rule_id: str) -> str:
    """Where a rule's page is."""
    return f"/rules/{quoted(full_name)}/{rule_id}"


def prompt_version_address(full_name: str, version: str) -> str:
    """Where a prompt version's page is."""
    return f"/prompts/{quoted(full_name)}/{quoted(version)}"


def quoted(text: str) -> str:
    """A name as part of an address; the slash between owner and name stays."""
    return quote(text, safe="/")
