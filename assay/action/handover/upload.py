"""Results for the App: the runner is asked who this job is, and the App gets the results with that answer.

The identity token is good for a few minutes, for one App and nothing else, and it is told to nobody: not in an error,
not in the log. Every refusal is one line that says what to do.
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
from assay.action.handover.authenticated_request import Answer, ask, is_safe
from assay.github.errors import PostingFailed
from assay.github.external_results.memory_payload import MOST_BODY_BYTES as MOST_MEMORY_BYTES
from assay.github.external_results.tools_payload import MOST_BODY_BYTES

TOGETHER_S = 60.0
"""For everything: the token, each try, and the pauses between them."""
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
MOST_TOKEN_CHARS = 16 * 1024
MOST_WORDS = 200

_TOKEN = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_WORKFLOW = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}/\.github/workflows/[\w.-]{1,100}@[\w./+-]{1,250}", re.ASCII)
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(?=[/?#]|\Z)", re.ASCII)


@dataclass(frozen=True, slots=True)
class PostedAnswer:
    """What the App has kept: the commit the results are about, and the run they are of."""

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
    """Post what `posted_tools.body_of` wrote, in the name of this job. The same results twice are the same once.

    Raises:
        PostingFailed: the App has not got them; one line that says what to do about it.
    """
    answer = _posted(app_url, "results", body, MOST_BODY_BYTES, job, _Patience(clock_s, sleep))
    said = _json(answer)
    head_sha, run_id = said.get("head_sha"), said.get("run_id")
    if not isinstance(head_sha, str) or not _SHA.fullmatch(head_sha) or type(run_id) is not int:
        raise PostingFailed(_no_app(answer, app_url.rstrip("/")))
    return PostedAnswer(head_sha, run_id)


def post_memory(
    app_url: str,
    body: bytes,
    job: Job,
    *,
    clock_s: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Post what `posted_memory.body_of_memory` wrote, in the name of this job. The same run twice is the same once.

    Raises:
        PostingFailed: the App has not got it; one line that says what to do about it.
    """
    answer = _posted(app_url, "memory-results", body, MOST_MEMORY_BYTES, job, _Patience(clock_s, sleep))
    if _json(answer).get("run_id") != job.run_id:
        raise PostingFailed(_no_app(answer, app_url.rstrip("/")))


def _posted(app_url: str, door: str, body: bytes, most_bytes: int, job: Job, patience: _Patience) -> Answer:
    """The App's answer to what it has taken. Raises `PostingFailed`."""
    app_url = app_url.rstrip("/")
    if not is_safe(app_url):
        raise PostingFailed("app-url: an identity token is sent by https alone; give the App's https:// address")
    if len(body) > most_bytes:
        raise PostingFailed(f"the results take {len(body)} bytes, and the App takes {most_bytes}")
    token = _identity_token(app_url, job, patience)
    answer = patience.ask("POST", f"{app_url}/api/v1/{door}", token, body)
    if answer.status != 200:
        _refused(answer, app_url, len(body), _claims(token))
    return answer


class _Patience:
    """Asks again what may go better a moment later, as long as all of it takes no longer than `TOGETHER_S`."""

    def __init__(self, clock_s: Callable[[], float], sleep: Callable[[float], object]) -> None:
        self._clock_s = clock_s
        self._sleep = sleep
        self._ends_s = clock_s() + TOGETHER_S

    def ask(self, method: str, address: str, credential: str, body: bytes | None = None) -> Answer:
        """The first answer that time would not change, or the last one there was time for."""
        for num_asked in itertools.count():
            left_s = max(0.1, self._ends_s - self._clock_s())
            answer = ask(method, address, credential, within_s=left_s, body=body)
            pause_s = max(PAUSES_S[min(num_asked, len(PAUSES_S) - 1)], _retry_after_s(answer))
            may_pass = answer.may_pass or answer.status == 429 or answer.status >= 500
            if not may_pass or self._clock_s() + pause_s >= self._ends_s:
                break
            self._sleep(pause_s)
        return answer


def _retry_after_s(answer: Answer) -> float:
    value = answer.header("retry-after").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0.0


# ------------------------------------------------------------------ who we are


def _identity_token(audience: str, job: Job, patience: _Patience) -> str:
    """A token that says which job this is, for this App alone; its issuer is GitHub."""
    if not job.identity_url or not job.identity_request:
        advice = "give the job that posts, and the one that calls its workflow, `id-token: write`"
        if job.event == "pull_request":
            advice += "; a pull request from a fork is never given it: there the second stage (report.yml) posts"
        raise PostingFailed(f"GitHub gives this job no identity token: {advice}")
    if not is_safe(job.identity_url):
        raise PostingFailed("GitHub's service for identity tokens is not reached by https, so it is not asked")
    joint = "&" if "?" in job.identity_url else "?"
    address = f"{job.identity_url}{joint}{urlencode({'audience': audience})}"
    answer = patience.ask("GET", address, job.identity_request)
    token = _json(answer).get("value") if answer.status == 200 else None
    if not isinstance(token, str) or len(token) > MOST_TOKEN_CHARS or not _TOKEN.fullmatch(token):
        why = answer.trouble or f"it answered {answer.status}"
        raise PostingFailed(f"GitHub's service for identity tokens gave none ({why}); run the job again")
    return token


def _claims(token: str) -> dict[str, Any]:
    """What our own token says. Not verified, for that is the App's business: it only words an advice."""
    part = token.split(".")[1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


# ------------------------------------------------------------------ why not


def _refused(answer: Answer, app_url: str, num_bytes: int, claims: dict[str, Any]) -> NoReturn:
    """Say what the App's answer means, and what to do about it."""
    if answer.status == 0:
        raise PostingFailed(f"the App at {app_url} cannot be reached: {answer.trouble}")
    if 300 <= answer.status < 400:
        raise PostingFailed(_moved(answer, app_url))
    said = _json(answer).get("refused")
    if answer.status == 413:
        limit = "the App" if isinstance(said, str) else "a server in front of the App"
        raise PostingFailed(f"the results ({num_bytes} bytes) are more than {limit} takes; let it take 4 MiB")
    if not isinstance(said, str):
        raise PostingFailed(_no_app(answer, app_url))
    said = _line(said)
    if answer.status == 401:
        raise PostingFailed(_disbelieved(said, app_url))
    if answer.status == 403 and "ASSAY_TRUSTED_WORKFLOWS" in said:
        raise PostingFailed(_untrusted(claims.get("job_workflow_ref")))
    if answer.status == 429 or answer.status >= 500:
        raise PostingFailed(f"the App cannot take the results now: {said}; run the job again later")
    raise PostingFailed(f"the App refuses the results ({answer.status}): {said}")


def _disbelieved(said: str, app_url: str) -> str:
    if "meant for somebody else" in said:
        return (
            f"the App expects tokens for another address than {app_url}: give its ASSAY_PUBLIC_URL as app-url, "
            f"or set ASSAY_RESULTS_AUDIENCE={app_url} there"
        )
    if "somebody else issued it" in said:
        return "the App believes the tokens of another GitHub: set ASSAY_OIDC_ISSUER there to this one's"
    return f"the App does not believe this job's identity token: {said}"


def _untrusted(workflow: Any) -> str:
    if not isinstance(workflow, str) or not _WORKFLOW.fullmatch(workflow):
        return "the App does not trust this workflow: its operator adds it to ASSAY_TRUSTED_WORKFLOWS"
    if "@refs/pull/" in workflow:
        return (
            "the App trusts no workflow file of the pull request itself: "
            "call Assay's own validate.yml at a tag or commit, and have the App's operator trust that one"
        )
    return f"the App does not trust this workflow: its operator adds to ASSAY_TRUSTED_WORKFLOWS: {workflow}"


def _moved(answer: Answer, app_url: str) -> str:
    origin = _ORIGIN.match(answer.header("location"))
    where = f", such as {origin[0]}" if origin and not app_url.startswith(origin[0]) else ""
    return (
        f"{app_url} leads elsewhere ({answer.status}), and the token is sent nowhere else: "
        f"give as app-url the address where the App itself answers{where}"
    )


def _no_app(answer: Answer, app_url: str) -> str:
    kind = _line(answer.header("content-type").partition(";")[0])[:60] or "no type"
    return f"what answers at {app_url} is not the App ({answer.status}, {kind}): look at app-url, and at the App's log"


def _json(answer: Answer) -> dict[str, Any]:
    try:
        data = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _line(text: str) -> str:
    """One printable line of bounded length."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text[: MOST_WORDS * 4]).split())
    return plain if len(plain) <= MOST_WORDS else plain[: MOST_WORDS - 1] + "…"
