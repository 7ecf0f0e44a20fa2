"""Whose posts are believed: jobs of workflow files the operator trusts, by the identity token GitHub gives them.

The token tells the repository, the run and the workflow file the job runs. Believed is only a file on the operator's
list, at the ref they trust: the file of a pull request's own branch can say anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from assay.github.errors import ResultsRefused
from assay.github_app.http.oidc import Identity, IdentityTokens

_BEARER = re.compile(r"[Bb]earer +(\S+)")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class TrustedJobs:
    """Believes jobs of these events that run one of the trusted workflow files. `what` they post is for the refusal."""

    def __init__(self, tokens: IdentityTokens, trusted: Sequence[str], events: Collection[str], what: str) -> None:
        self._tokens = tokens
        self._trusted = tuple(trusted)
        self._events = frozenset(events)
        self._what = what

    def who(self, authorization: str | None) -> Identity:
        """Which job asks. Raises `ResultsRefused`: 401 no such token, 403 not one that is trusted."""
        match = _BEARER.fullmatch(authorization or "")
        if match is None:
            raise ResultsRefused(401, "send the job's identity token as `Authorization: Bearer …`")
        identity = self._tokens.verify(match[1])
        if identity.event_name not in self._events:
            raise ResultsRefused(403, f"jobs of the event {identity.event_name} may not post {self._what}")
        if not is_trusted(identity, self._trusted):
            raise ResultsRefused(403, "the workflow is not one the operator trusts (ASSAY_TRUSTED_WORKFLOWS)")
        return identity


def is_trusted(identity: Identity, trusted: Sequence[str]) -> bool:
    """Whether the job runs a workflow file on the list, at its ref.

    `owner/repo/.github/workflows/file.yml@ref`, where the ref is a full one (`refs/tags/v1`), the name of a tag or
    branch, or a commit id. A ref of a pull request is never trusted: its author wrote the file.
    """
    file, _, ref = identity.job_workflow_ref.partition("@")
    if not ref or ref.startswith("refs/pull/"):
        return False
    said = {ref, ref.removeprefix("refs/tags/").removeprefix("refs/heads/")}
    if _SHA.fullmatch(identity.job_workflow_sha):
        said.add(identity.job_workflow_sha)
    for one in trusted:
        trusted_file, _, trusted_ref = one.partition("@")
        if trusted_file.lower() == file.lower() and trusted_ref in said:
            return True
    return False
