"""What a repository wants learned: the `learning` part of its configuration, as it stands in the base."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.github.client import Repo
from assay.github_app.permissions import FOR_CHECKOUT
from assay.github_app.runtime.context import Context
from assay.github_app.store import PullRow, Store
from assay.validators import (
    CONFIGURATION_FILES,
    Learning,
    ValidationConfig,
    ValidatorError,
    configuration_of,
    load_configuration,
    read_report,
)


def learning_settings(context: Context, pull: PullRow) -> Learning:
    """The settings the pull request was judged under; of one that has no report, those on its base branch.

    Raises `ConfigurationError` where that file is wrong: then nothing is learned under settings nobody wrote.
    """
    run = context.store.runs.newest_reported(pull.repository_id, pull.number)
    data = context.store.runs.report(run.id) if run else None
    if data is not None:
        try:
            return configuration_of(read_report(data)).learning
        except ValidatorError:
            pass  # of another version: the file itself tells
    with context.repo(pull.repository_id, FOR_CHECKOUT) as repo:
        return settings_on(repo, pull.base_ref)


def kept_settings(store: Store, repository_id: int) -> Learning:
    """The settings of the newest report against the default branch, without asking GitHub; else the defaults.

    For whoever decides where no pull request is at hand: the command line, the interface, the pages.
    """
    repository = store.repositories.get(repository_id)
    data = store.runs.newest_report_on(repository_id, repository.default_branch) if repository else None
    if data is None:
        return Learning()
    try:
        return configuration_of(read_report(data)).learning
    except ValidatorError:
        return Learning()  # of another version, which no file is at hand to tell


def settings_on(repo: Repo, branch: str) -> Learning:
    """The settings on a branch. Raises `ConfigurationError` where the file is wrong."""
    return configuration_on(repo, branch).learning


def configuration_on(repo: Repo, ref: str) -> ValidationConfig:
    """Return the configuration on a branch or at a commit. Raises `ConfigurationError` where the file is wrong."""
    return load_configuration(_Base(repo, ref)).config


class _Base:
    """The places of a configuration on a branch, each asked of GitHub when it is looked for."""

    def __init__(self, repo: Repo, ref: str) -> None:
        self._repo = repo
        self._ref = ref
        self._seen: dict[str, bytes | None] = {}

    @property
    def name(self) -> str:
        return self._ref

    @property
    def paths(self) -> Sequence[str]:
        return [path for path in CONFIGURATION_FILES if path in self]

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._read(path) is not None

    def is_link(self, path: str) -> bool:  # noqa: ARG002 - GitHub tells a link's target as a file of this repository
        return False

    def blob(self, path: str) -> str | None:  # noqa: ARG002 - nobody compares these few files
        return None

    def read(self, path: str, limit: int = 1 << 20) -> bytes | None:
        content = self._read(path)
        return content if content is not None and len(content) <= limit else None

    def read_many(self, paths: Iterable[str], limit: int = 1 << 20) -> Iterator[tuple[str, bytes | None]]:
        return ((path, self.read(path, limit)) for path in paths)

    def _read(self, path: str) -> bytes | None:
        if path not in CONFIGURATION_FILES:
            return None
        if path not in self._seen:
            self._seen[path] = self._repo.file(path, self._ref)
        return self._seen[path]
