"""Upload of results to the App, authenticated by an identity token of this job from the runner.

The token is valid for a few minutes and for one App, and appears in no error and no log. Every refusal is one line with
its fix.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import urlencode

from assay.action.environment.job import Job
from assay.connections.addresses import is_confidential
from assay.connections.http_client import HttpClient, HttpFailed, Reply
from assay.github.errors import PostingFailed
from assay.github.external_results.memory_payload import MOST_BODY_BYTES as MOST_MEMORY_BYTES
from assay.github.external_results.tools_payload import MOST_BODY_BYTES

TOGETHER_S = 60.0
"""Limit for everything: the token, each attempt, and the pauses between."""
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
MOST_TOKEN_CHARS = 16 * 1024
MOST_ANSWER_BYTES = 64 * 1024
MOST_WORDS = 200

_TOKEN = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_WORKFLOW = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}/\.github/workflows/[\w.-]{1,100}@[\w./+-]{1,250}", re.ASCII)
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(?=[/?#]|\Z)", re.ASCII)


@dataclass(frozen=True, slots=True)
class PostedAnswer:
    """What the App stored: the commit and the run of the results."""

    head_sha: str
    run_id: int


def post_results(
    app_url: str,
    body: bytes,
    job: Job,
    *,
    clock_s: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> PostedAnswer:
    """Post a body of `tools_payload.body_of` as this job. Idempotent.

    Raises:
        PostingFailed: the App does not have them; one line with the fix.
    """
    answer = _posted(app_url, "results", body, MOST_BODY_BYTES, job, _Patience(clock_s, sleep))
    said = _json(answer)
    head_sha, run_id = said.get("head_sha"), said.get("run_id")
    if not isinstance(head_sha, str) or not _SHA.fullmatch(head_sha) or type(run_id) is not int:
        raise PostingFailed(_no_app(answer, app_url.rstrip("/")), code="upload.not-an-app")
    return PostedAnswer(head_sha, run_id)


def post_memory(app_url: str, body: bytes, job: Job) -> None:
    """Post a body of `memory_payload.body_of_memory` as this job. Idempotent.

    Raises:
        PostingFailed: the App does not have it; one line with the fix.
    """
    answer = _posted(app_url, "memory-results", body, MOST_MEMORY_BYTES, job, _Patience())
    if _json(answer).get("run_id") != job.run_id:
        raise PostingFailed(_no_app(answer, app_url.rstrip("/")), code="upload.not-an-app")


def _posted(app_url: str, door: str, body: bytes, most_bytes: int, job: Job, patience: _Patience) -> Reply:
    """Post a body and return the App's response. Raises `PostingFailed`."""
    app_url = app_url.rstrip("/")
    if not is_confidential(app_url):
        raise PostingFailed(
            "app-url: identity tokens are only sent by HTTPS; give the App's https:// address",
            code="upload.needs-https",
        )
    if len(body) > most_bytes:
        raise PostingFailed(f"the results have {len(body)} bytes; the App accepts {most_bytes}")
    token = _identity_token(app_url, job, patience)
    try:
        answer = patience.ask("POST", f"{app_url}/api/v1/{door}", token, body)
    except HttpFailed as failed:
        raise PostingFailed(f"the App at {app_url} cannot be reached: {failed}", code="upload.unreachable") from None
    if answer.status != 200:
        _refused(answer, app_url, len(body), _claims(token))
    return answer


class _Patience:
    """Retries temporary failures, for at most `TOGETHER_S` in total."""

    def __init__(
        self, clock_s: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self._clock_s = clock_s
        self._sleep = sleep
        self._ends_s = clock_s() + TOGETHER_S

    def ask(self, method: str, url: str, credential: str, body: bytes | None = None) -> Reply:
        """Return the first response that a retry would not change, or the last one within the time.

        Raises:
            HttpFailed: the last attempt had no response.
        """
        headers = {"authorization": f"Bearer {credential}"}
        if body is not None:
            headers["content-type"] = "application/json"
        with HttpClient() as client:
            for num_asked in itertools.count():
                left_s = max(0.1, self._ends_s - self._clock_s())
                pause_s = PAUSES_S[min(num_asked, len(PAUSES_S) - 1)]
                try:
                    reply = client.request(
                        method, url, within_s=left_s, most_bytes=MOST_ANSWER_BYTES, headers=headers, content=body
                    )
                except HttpFailed as failed:
                    if not failed.failure.may_pass or self._clock_s() + pause_s >= self._ends_s:
                        raise
                else:
                    pause_s = max(pause_s, _retry_after_s(reply))
                    is_temporary = reply.status == 429 or reply.status >= 500
                    if not is_temporary or self._clock_s() + pause_s >= self._ends_s:
                        return reply
                self._sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")


def _retry_after_s(answer: Reply) -> float:
    value = answer.header("retry-after").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0.0


# ------------------------------------------------------------------ identity


def _identity_token(audience: str, job: Job, patience: _Patience) -> str:
    """Request a token of GitHub that identifies this job, for this App only."""
    if not job.identity_url or not job.identity_request:
        advice = "give the job that posts, and the one that calls its workflow, the permission `id-token: write`"
        if job.event == "pull_request":
            advice += "; pull requests from forks never get it: there the second stage (report.yml) posts"
        raise PostingFailed(f"GitHub gives this job no identity token: {advice}", code="upload.no-identity-token")
    if not is_confidential(job.identity_url):
        raise PostingFailed("the address of GitHub's identity token service is not https://, so no token was requested")
    joint = "&" if "?" in job.identity_url else "?"
    address = f"{job.identity_url}{joint}{urlencode({'audience': audience})}"
    token, why = None, ""
    try:
        answer = patience.ask("GET", address, job.identity_request)
        token, why = _json(answer).get("value") if answer.status == 200 else None, f"status {answer.status}"
    except HttpFailed as failed:
        why = str(failed)
    if not isinstance(token, str) or len(token) > MOST_TOKEN_CHARS or not _TOKEN.fullmatch(token):
        raise PostingFailed(
            f"GitHub's identity token service returned no token ({why}); run the job again",
            code="upload.no-identity-token",
        )
    return token


def _claims(token: str) -> dict[str, Any]:
    """Return the claims of the token, unverified: they only word an error message."""
    part = token.split(".")[1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


# ------------------------------------------------------------------ errors


def _refused(answer: Reply, app_url: str, num_bytes: int, claims: dict[str, Any]) -> NoReturn:
    """Raise `PostingFailed` with the meaning of the App's response and its fix."""
    if 300 <= answer.status < 400:
        raise PostingFailed(_moved(answer, app_url), code="upload.redirected")
    body = _json(answer)
    said, code = body.get("refused"), body.get("code")
    if answer.status == 413:
        limit = "the App" if isinstance(said, str) else "a server in front of the App"
        raise PostingFailed(
            f"the results ({num_bytes} bytes) exceed the limit of {limit}; raise it to 4 MiB", code="upload.too-large"
        )
    if not isinstance(said, str):
        raise PostingFailed(_no_app(answer, app_url), code="upload.not-an-app")
    said = _line(said)
    if code == "audience":
        raise PostingFailed(
            f"the App expects tokens for another address than {app_url}: set app-url to its ASSAY_PUBLIC_URL, "
            f"or its ASSAY_RESULTS_AUDIENCE to {app_url}",
            code="upload.wrong-audience",
        )
    if code == "issuer":
        raise PostingFailed(
            "the App accepts tokens of another GitHub: set its ASSAY_OIDC_ISSUER to this one's issuer",
            code="upload.wrong-issuer",
        )
    if code == "workflow":
        raise PostingFailed(_untrusted(claims.get("job_workflow_ref")), code="upload.untrusted-workflow")
    if answer.status == 401:
        raise PostingFailed(
            f"the App does not accept this job's identity token: {said}", code="upload.invalid-identity-token"
        )
    if answer.status == 429 or answer.status >= 500:
        raise PostingFailed(f"the App cannot store the results now: {said}; run the job again later")
    raise PostingFailed(f"the App refuses the results ({answer.status}): {said}", code="upload.refused")


def _untrusted(workflow: Any) -> str:
    if not isinstance(workflow, str) or not _WORKFLOW.fullmatch(workflow):
        return "the App does not trust this workflow: its operator must add it to ASSAY_TRUSTED_WORKFLOWS"
    if "@refs/pull/" in workflow:
        return (
            "the App does not trust workflow files of the pull request itself: "
            "call Assay's validate.yml at a tag or commit, and let the App's operator trust that"
        )
    return f"the App does not trust this workflow: its operator must add to ASSAY_TRUSTED_WORKFLOWS: {workflow}"


def _moved(answer: Reply, app_url: str) -> str:
    origin = _ORIGIN.match(answer.header("location"))
    where = f", such as {origin[0]}" if origin and not app_url.startswith(origin[0]) else ""
    return (
        f"{app_url} redirects ({answer.status}), and the token is not sent to other addresses: "
        f"set app-url to the App's own address{where}"
    )


def _no_app(answer: Reply, app_url: str) -> str:
    kind = _line(answer.header("content-type").partition(";")[0])[:60] or "no type"
    return f"the server at {app_url} is not the App ({answer.status}, {kind}): check app-url and the App's log"


def _json(answer: Reply) -> dict[str, Any]:
    try:
        data = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _line(text: str) -> str:
    """Return the text as one printable line of bounded length."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text[: MOST_WORDS * 4]).split())
    return plain if len(plain) <= MOST_WORDS else plain[: MOST_WORDS - 1] + "…"
