"""The `learning` section of a repository's configuration on the base branch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.github.client import Repo
from assay.github_app.ops.permissions import FOR_CHECKOUT
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.organization import Inherit, inheriting
from assay.github_app.store import PullRow, Store
from assay.validators import (
    CONFIGURATION,
    Learning,
    ValidationConfig,
    ValidatorError,
    configuration_of,
    extends_of,
    load_configuration,
    read_report,
)


def learning_settings(context: Context, pull: PullRow) -> Learning:
    """Return the settings used to validate the pull request; without a report, those on its base branch.

    Raises `ConfigurationError` if that file is invalid, so that no defaults apply by accident.
    """
    run = context.store.runs.newest_reported(pull.repository_id, pull.number)
    data = context.store.runs.report(run.id) if run else None
    if data is not None:
        try:
            return configuration_of(read_report(data)).learning
        except ValidatorError:
            pass  # report of another version: read the file instead
    with context.repo(pull.repository_id, FOR_CHECKOUT) as repo:
        return settings_on(repo, pull.base_ref, inheriting(context, pull.repository_id))


def kept_settings(store: Store, repository_id: int) -> Learning:
    """Return the settings of the newest report on the default branch, without a request; else the defaults.

    Used where no pull request is at hand: CLI, API, dashboard.
    """
    repository = store.repositories.get(repository_id)
    data = store.runs.newest_report_on(repository_id, repository.default_branch) if repository else None
    if data is None:
        return Learning()
    try:
        return configuration_of(read_report(data)).learning
    except ValidatorError:
        return Learning()  # report of another version, and no file to read


def settings_on(repo: Repo, branch: str, inherit: Inherit) -> Learning:
    """Return the settings on a branch. Raises `ConfigurationError` if a file is invalid."""
    return configuration_on(repo, branch, inherit).learning


def configuration_on(repo: Repo, ref: str, inherit: Inherit) -> ValidationConfig:
    """Return the configuration on a branch or at a commit. Raises `ConfigurationError` if a file is invalid."""
    tree = _Base(repo, ref)
    return load_configuration(tree, inherited=inherit(extends_of(tree))).config


class _Base:
    """Configuration files at a branch or commit, each fetched from GitHub on first use."""

    def __init__(self, repo: Repo, ref: str) -> None:
        self._repo = repo
        self._ref = ref
        self._seen: dict[str, bytes | None] = {}

    @property
    def name(self) -> str:
        return self._ref

    @property
    def paths(self) -> Sequence[str]:
        return [CONFIGURATION] if CONFIGURATION in self else []

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._read(path) is not None

    def is_link(self, path: str) -> bool:  # noqa: ARG002 - GitHub returns a link's target as a file
        return False

    def blob(self, path: str) -> str | None:  # noqa: ARG002 - these files are never compared
        return None

    def read(self, path: str, limit: int = 1 << 20) -> bytes | None:
        content = self._read(path)
        return content if content is not None and len(content) <= limit else None

    def read_many(self, paths: Iterable[str], limit: int = 1 << 20) -> Iterator[tuple[str, bytes | None]]:
        return ((path, self.read(path, limit)) for path in paths)

    def _read(self, path: str) -> bytes | None:
        if path != CONFIGURATION:
            return None
        if path not in self._seen:
            self._seen[path] = self._repo.file(path, self._ref)
        return self._seen[path]
