"""Where a worker fetches repositories from (URL and a read-only token), and its clone cache."""

from __future__ import annotations

from assay.github.pull_request.checkout import MirrorLimits, Mirrors
from assay.github.pull_request.validate import RemoteRepository
from assay.github_app.ops.permissions import FOR_CHECKOUT
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import Context


def remote_of(repository_id: int, context: Context) -> RemoteRepository:
    """Return where to fetch a repository from.

    Raises:
        GithubRefused: the App has no access to it.
        GithubUnavailable: GitHub did not answer.
    """
    row, installation_id = context.given(repository_id)
    token = context.github.token(installation_id, repository_id, FOR_CHECKOUT)
    url = f"{context.settings.github_url}/{row.full_name}.git"
    return RemoteRepository(row.full_name, repository_id, url, mirrors_of(context.settings), token)


def mirrors_of(settings: Settings) -> Mirrors:
    """Return the clone cache of this worker."""
    limits = MirrorLimits(settings.mirror_limit_bytes, settings.repository_limit_bytes)
    return Mirrors(settings.data_dir / "mirrors", limits)


def delete_inaccessible_clones(context: Context) -> int:
    """Delete cached clones of repositories that the App can no longer access; return their number.

    Every worker does so for its own disk. A clone in use is deleted the next time.
    """
    mirrors = mirrors_of(context.settings)
    num_gone = 0
    for repository_id in mirrors.kept():
        row = context.store.repositories.get(repository_id)
        if row is None or not row.is_given:
            num_gone += mirrors.forget(repository_id)
    return num_gone
