"""Page definition: a URL, and a function from a request to its content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.metrics import Bucket, span_of
from assay.github_app.store import RepositoryRow, Store
from assay.github_app.web.dashboard.access.viewer import Viewer
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import Cell, Sheet
from assay.github_app.web.dashboard.installations import Installations
from assay.github_app.web.dashboard.measuring import MeasureCache


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Request for a page by a viewer with read access.

    `readable` are the viewer's repositories; `repository` is the selected one, if any. `path` and `query` hold the
    other parts of the URL, bounded but untrusted. `period` is a key of `spans.PERIODS`, `github_url` GitHub's address;
    `data_dir` has the cached clones.
    """

    viewer: Viewer
    store: Store
    readable: tuple[RepositoryRow, ...]
    repository: RepositoryRow | None
    path: Mapping[str, str]
    query: Mapping[str, str]
    now: datetime
    period: str
    measures: MeasureCache
    installations: Installations
    github_url: str
    data_dir: Path

    @property
    def repositories(self) -> tuple[RepositoryRow, ...]:
        """Repositories on the page: the selected one, else all."""
        return self.readable if self.repository is None else (self.repository,)

    @property
    def since(self) -> datetime | None:
        """Start of the period; None for all time."""
        return spans.since(self.period, self.now)

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids of the repositories on the page."""
        return tuple(repository.id for repository in self.repositories)

    @property
    def names(self) -> Mapping[int, str]:
        """Names of the repositories by id."""
        return {repository.id: repository.full_name for repository in self.repositories}

    def ends(self, bucket: Bucket) -> tuple[str, ...]:
        """Return the first and last week or month of the period; of all time only the last."""
        return tuple(str(span_of(at, bucket)) for at in (self.since, self.now) if at is not None)

    def measured(self) -> Sequence[PullMeasures]:
        """Return the measures of pull requests in these repositories and this period."""
        return self.measures.of(self.ids, self.since)


View = Callable[[PageRequest], Sheet | None]


@dataclass(frozen=True, slots=True)
class RejectedForm:
    """Rejected form; `status` is the HTTP status (400, 403, 404, 409)."""

    status: int
    why: str


Act = Callable[[PageRequest, Mapping[str, str]], "str | RejectedForm"]
"""Function that executes a form; returns the URL to redirect to."""


@dataclass(frozen=True, slots=True)
class Page:
    """Page. `view` returns None if the subject does not exist; `act` executes its forms.

    A URL with `{owner}/{name}` is about that repository; `label` is the menu entry, empty for none. `is_timed` pages
    have a period; pages with `has_search` find repositories by themselves, and so have no select for them.
    """

    name: str
    address: str
    view: View
    label: str = ""
    is_timed: bool = False
    has_search: bool = False
    act: Act | None = None


def pull_cell(full_name: str, number: int | None, *, note: str = "") -> Cell:
    """Link to a pull request; to the repository if there is none."""
    if not number:
        return Cell(full_name, note=note)
    return Cell(f"{full_name}#{number}", href=pull_address(full_name, number), note=note)


def pull_address(full_name: str, number: int) -> str:
    """Return the URL of a pull request's page."""
    return f"/repos/{quoted(full_name)}/pulls/{number}"


def rule_address(full_name: str, rule_id: str) -> str:
    """Return the URL of a rule's page."""
    return f"/rules/{quoted(full_name)}/{rule_id}"


def insight_address(full_name: str, insight_id: str) -> str:
    """Return the URL of an insight's page."""
    return f"/insights/{quoted(full_name)}/{quoted(insight_id)}"


def prompt_version_address(full_name: str, version: str) -> str:
    """Return the URL of a prompt version's page."""
    return f"/prompts/{quoted(full_name)}/{quoted(version)}"


def quoted(text: str) -> str:
    """Escape a name for a URL, keeping the slash between owner and name."""
    return quote(text, safe="/")
