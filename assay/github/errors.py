"""What can go wrong between GitHub and us, told apart by what is to be done about it.

GithubAppError
├── SettingsError        the operator's settings are at fault: exit code 2, never retried
├── WebhookRefused       a delivery that is not believed or not understood: an HTTP status, nothing stored
├── GithubRefused        GitHub said no and will say no again (401, 403, 404, 409, 410, 422)
│   └── PermissionMissing   … because the installation was not given a permission
├── GithubUnavailable    GitHub could not answer: 5xx, time-out, broken connection: retried with backoff
│   └── RateLimited      … or told us to wait until a given time
├── StoreUnavailable     the database cannot be reached, is full, or stayed locked: retried with backoff
├── CheckoutFailed       the commits could not be fetched
├── JudgingFailed        the judging process died, ran out of time or memory
├── ActionMisused        inputs of the Action, or the event it is used on, do not make sense: exit code 2
├── ArtifactRefused      an artifact of a workflow run that is not believed: its results are not checked
├── PostingFailed        results could not be posted to the App: told, and never the verdict
├── ResultsRefused       results posted from a workflow that are not believed
├── ApiRefused           a request to the interface for agents that is turned away: an HTTP status and one line
├── TraceUnreadable      a file of an agent's session that holds nothing we can read
└── CommandRefused       a comment command that may not or cannot be carried out: its text is the answer
"""

from __future__ import annotations

from datetime import datetime


class GithubAppError(Exception):
    """Anything this room raises on purpose. `str(error)` is one line a person can act on, with no secret in it."""

    exit_code = 3


class SettingsError(GithubAppError):
    """A setting is missing or wrong; the text names it, where it was found, and what would be right."""

    exit_code = 2


class WebhookRefused(GithubAppError):
    """A delivery is turned away with an HTTP status: 400, 401, 413, 503."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class GithubRefused(GithubAppError):
    """GitHub answered with a status that a retry does not change."""

    def __init__(self, status: int, what: str, why: str) -> None:
        super().__init__(f"GitHub refused to {what} ({status}): {why}")
        self.status = status
        self.what = what
        self.why = why


class PermissionMissing(GithubRefused):
    """The installation or token lacks a permission; `doctor` says how to give it."""


class GithubUnavailable(GithubAppError):
    """GitHub did not answer usefully; the same request may work later."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"GitHub could not {what}: {why}")
        self.what = what
        self.why = why


class RateLimited(GithubUnavailable):
    """GitHub asked us to wait; `retry_at` is aware."""

    def __init__(self, what: str, why: str, retry_at: datetime) -> None:
        super().__init__(what, why)
        self.retry_at = retry_at


class StoreUnavailable(GithubAppError):
    """The database cannot do its work just now: not reachable, locked for too long, disk full."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the database is not available: {why}")
        self.why = why


class CheckoutFailed(GithubAppError):
    """The commits of a pull request could not be brought here."""


class JudgingFailed(GithubAppError):
    """The process that judges ended without a report: killed, out of time, out of memory, or a fault of ours."""


class ActionMisused(GithubAppError):
    """The Action was asked for what makes no sense; the text names the input as action.yml calls it."""

    exit_code = 2


class ArtifactRefused(GithubAppError):
    """The tools artifact of a run is not what it should be; one line, in our words alone."""


class PostingFailed(GithubAppError):
    """The App could not be told of the results."""


class ResultsRefused(GithubAppError):
    """Results posted from a workflow are not believed; `status` is what is answered (401, 403, 404, 409, 413, 422)."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class ApiRefused(GithubAppError):
    """A request to `/api/v1` is turned away; `status` is what is answered, the text what the caller is told."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class TraceUnreadable(GithubAppError):
    """A file of an agent's session is of no form we know, or holds nothing; the text names the file and the place."""

    exit_code = 2


class CommandRefused(GithubAppError):
    """A command in a comment is not carried out; the text is what the commenter is told."""
