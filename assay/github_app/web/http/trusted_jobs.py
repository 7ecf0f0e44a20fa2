"""Authentication of workflow jobs that post results, by their identity token from GitHub.

The token states the repository, the run and the workflow file of the job. Only files on the operator's list at a
trusted ref are accepted: a pull request can change the file on its own branch.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from assay.github.errors import ResultsRefused
from assay.github_app.web.http.oidc import Identity, IdentityTokens

_BEARER = re.compile(r"[Bb]earer +(\S+)")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class TrustedJobs:
    """Verifier of jobs: these events, these workflow files. `what` names the posted results in the refusal."""

    def __init__(self, tokens: IdentityTokens, trusted: Sequence[str], events: Collection[str], what: str) -> None:
        self._tokens = tokens
        self._trusted = tuple(trusted)
        self._events = frozenset(events)
        self._what = what

    def who(self, authorization: str | None) -> Identity:
        """Return the identity of the job. Raises `ResultsRefused`: 401 no valid token, 403 not trusted."""
        match = _BEARER.fullmatch(authorization or "")
        if match is None:
            raise ResultsRefused(401, "send the job's identity token as `Authorization: Bearer …`")
        identity = self._tokens.verify(match[1])
        if identity.event_name not in self._events:
            raise ResultsRefused(403, f"jobs of the event {identity.event_name} may not post {self._what}")
        if not is_trusted(identity, self._trusted):
            raise ResultsRefused(403, "the workflow is not in ASSAY_TRUSTED_WORKFLOWS", "workflow")
        return identity


def is_trusted(identity: Identity, trusted: Sequence[str]) -> bool:
    """Return whether the job runs a workflow file on the list, at its ref.

    `owner/repo/.github/workflows/file.yml@ref`, where the ref is a full one (`refs/tags/v1`), the name of a tag or
    branch, or a commit id. A ref of a pull request is never trusted: its author wrote the file.
    """
    file, _, ref = identity.job_workflow_ref.partition("@")
    if not ref or ref.startswith("refs/pull/"):
        return False
    refs = {ref, ref.removeprefix("refs/tags/").removeprefix("refs/heads/")}
    if _SHA.fullmatch(identity.job_workflow_sha):
        refs.add(identity.job_workflow_sha)
    for one in trusted:
        trusted_file, _, trusted_ref = one.partition("@")
        if trusted_file.lower() == file.lower() and trusted_ref in refs:
            return True
    return False
