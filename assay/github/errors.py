"""Errors of the App and the Action, by how to react to them.

GithubAppError
├── SettingsError        invalid operator settings: exit code 2, never retried
├── WebhookRefused       delivery that fails authentication or parsing: an HTTP status, nothing stored
├── GithubRefused        refusal by GitHub (401, 403, 404, 409, 410, 422); within a minute it may pass
│   └── PermissionMissing   … for lack of a permission of the installation
├── GithubUnavailable    temporary failure of GitHub (5xx, time-out, broken connection): retried with backoff
│   └── RateLimited      … with a time until which to wait
├── StoreUnavailable     database unreachable, full or locked: retried with backoff
├── CheckoutFailed       commits that could not be fetched
├── ValidationFailed        validation process that died, or ran out of time or memory
├── ActionMisused        invalid inputs or event of the Action: exit code 2
├── ArtifactRefused      invalid artifact of a workflow run: its results are not checked
├── PostingFailed        failed upload of results to the App: reported, without effect on the verdict
├── ResultsRefused       refused upload of results from a workflow
├── ApiRefused           refused API request of an agent: an HTTP status and one line
├── TraceUnreadable      unreadable file of an agent's session
└── CommandRefused       comment command that is not allowed or not possible: its text is the reply
"""

from __future__ import annotations

from datetime import datetime

from assay.coded_error import CodedError


class GithubAppError(CodedError):
    """Base of all errors. `str(error)` is one line a user can act on, without secrets."""

    exit_code = 3


class SettingsError(GithubAppError):
    """Missing or invalid setting; the text names it, its source and a valid value."""

    code = "settings.invalid"
    exit_code = 2


class WebhookRefused(GithubAppError):
    """Delivery refused with an HTTP status: 400, 401, 408, 413, 415, 503."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class GithubRefused(GithubAppError):
    """Refusal by GitHub. An immediate retry does not change it; durable jobs retry some for a minute."""

    code = "github.refused"

    def __init__(self, status: int, what: str, why: str, *, code: str = "") -> None:
        super().__init__(f"GitHub refused {what} ({status}): {why}", code=code)
        self.status = status
        self.what = what
        self.why = why


class PermissionMissing(GithubRefused):
    """Missing permission of the installation or token; `assay doctor` explains how to grant it."""

    code = "github.missing-permission"


class GithubUnavailable(GithubAppError):
    """Temporary failure of GitHub; the same request may succeed later."""

    code = "github.unavailable"

    def __init__(self, what: str, why: str, *, code: str = "") -> None:
        super().__init__(f"GitHub did not complete {what}: {why}", code=code)
        self.what = what
        self.why = why


class RateLimited(GithubUnavailable):
    """Rate limit of GitHub; `retry_at` is timezone-aware."""

    code = "github.rate-limited"

    def __init__(self, what: str, why: str, retry_at: datetime) -> None:
        super().__init__(what, why)
        self.retry_at = retry_at


class StoreUnavailable(GithubAppError):
    """Temporary failure of the database: unreachable, locked for too long, disk full."""

    code = "store.unavailable"

    def __init__(self, why: str, *, code: str = "") -> None:
        super().__init__(f"the database is not available: {why}", code=code)
        self.why = why


class CheckoutFailed(GithubAppError):
    """Failed fetch of a pull request's commits."""


class ValidationFailed(GithubAppError):
    """Validation process that ended without a report: killed, out of time or memory, or an internal error."""


class ActionMisused(GithubAppError):
    """Invalid use of the Action; the text names the input as in action.yml."""

    code = "action.invalid-input"
    exit_code = 2


class ArtifactRefused(GithubAppError):
    """Invalid tools artifact of a run; the text quotes nothing from it."""


class PostingFailed(GithubAppError):
    """Failed upload of results to the App."""


class ResultsRefused(GithubAppError):
    """Refused upload of a workflow's results, with its HTTP status (401, 403, 404, 409, 413, 422).

    `code` names a refusal that the Action gives advice on: `audience`, `issuer` or `workflow`.
    """

    def __init__(self, status: int, why: str, code: str = "") -> None:
        super().__init__(why)
        self.status = status
        self.code = code


class ApiRefused(GithubAppError):
    """Refused request to `/api/v1`, with the HTTP status and text of the response."""

    def __init__(self, status: int, why: str, *, code: str = "") -> None:
        super().__init__(why, code=code)
        self.status = status


class TraceUnreadable(GithubAppError):
    """Agent session file of an unknown format or without content; the text names the file and line."""

    exit_code = 2


class CommandRefused(GithubAppError):
    """Comment command that is not executed; the text is the reply to the commenter."""
