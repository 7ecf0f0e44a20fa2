"""What posting is tested with: jobs with identities, an App's own door for results, and servers that are no App."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import jwt
import pytest
from fastapi import FastAPI

from assay.action.environment.job import Job, read_job
from assay.action.handover.upload import post_results
from assay.github.client import Github, Repo
from assay.github.errors import PostingFailed
from assay.github.events.model import RepositoryFacts
from assay.github.external_results.tools_payload import body_of
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.store import Store
from assay.github_app.web.uploads.memory_results import MemoryResults
from assay.github_app.web.uploads.routes import router, tokens_of
from assay.github_app.web.uploads.tool_results import Results
from assay.validators import Gate, Outcome, ToolKind, ToolRun, ToolsResult
from tests.github_app.action.jobs import environment
from tests.github_app.remembering import store_at
from tests.github_app.stand_ins import settings_in
from tests.github_app.web import running

if TYPE_CHECKING:
    from tests.fakes.github import FakeGitHub

WORKFLOW = "assay-dev/assay/.github/workflows/validate.yml"
TRUSTED = f"{WORKFLOW}@refs/tags/v1"
SECOND = "assay-dev/assay/.github/workflows/report.yml@refs/tags/v1"
TOOLS = ToolsResult(
    (ToolRun("pytest", ToolKind.test, "pytest -q", "Makefile:3 test", Outcome.failed, Gate.strict, 2.5, gating=True),),
    line_coverage={"app.py": {1: True, 2: False}},
    coverage_source="coverage.xml",
)


def job_of(github: FakeGitHub, folder: Path, run_id: int, workflow: str = TRUSTED, **claims: Any) -> Job:
    """The job of a run, as its environment tells it, with `id-token: write`."""
    run = github.state.workflow_runs[("acme/shop", run_id)]
    more = {"EVENT": run["event"], "RUN_ID": str(run_id), "REPOSITORY_ID": str(github.repository_id("acme/shop"))}
    return read_job(environment(folder, **more) | github.job_identity(run_id, workflow, repo="acme/shop", **claims))


@dataclass
class Door:
    """The App's door for results on a port of its own."""

    url: str
    store: Store


@contextmanager
def door_of(
    github: FakeGitHub, folder: Path, *, trusted: tuple[str, ...] = (TRUSTED,), audience: str = ""
) -> Iterator[Door]:
    """The part of the App that takes results, over the App's own settings, store and GitHub."""
    app = FastAPI()
    with running(app) as port, store_at(f"sqlite:///{folder / 'assay.sqlite'}") as store:
        url = f"http://127.0.0.1:{port}"
        settings = settings_in(
            folder,
            trusted_workflows=" ".join(trusted),
            oidc_issuer=github.oidc_issuer,
            results_audience=audience or url,
            app_id=github.app_id,
        )
        asking = Github(github.app_id, github.private_key, github.url)

        def opened(repository_id: int) -> Repo:
            installation_id = asking.installation_of("acme/shop")
            return asking.repository(installation_id, repository_id, "acme/shop", permissions=FOR_READING)

        tokens, trusted_workflows = tokens_of(settings), settings.trusted_workflows
        app.include_router(router(Results(tokens, trusted_workflows, opened, store)))
        app.include_router(router(MemoryResults(tokens, trusted_workflows, store)))
        yield Door(url, store)


def installed_on(door: Door, github: FakeGitHub, at: Any) -> None:
    """The App was given acme/shop."""
    facts = RepositoryFacts(github.repository_id("acme/shop"), "acme/shop")
    door.store.repositories.put(facts, github.installation_id, at)


@dataclass
class Odd:
    """A server that is no App: it gives the answers it was told to give, the last one for ever."""

    url: str
    answers: list[tuple[int, dict[str, str], bytes]]
    got: list[tuple[str, str, bytes]] = field(default_factory=list)
    pause_s: float = 0


@contextmanager
def odd(*answers: tuple[int, dict[str, str], bytes], pause_s: float = 0) -> Iterator[Odd]:
    """Each answer is (status, headers, body). With `pause_s` the body comes byte by byte."""
    server: ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            here.got.append((self.command, self.headers.get("authorization", ""), body))
            status, headers, text = here.answers.pop(0) if len(here.answers) > 1 else here.answers[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "content-length" not in headers:
                self.send_header("content-length", str(len(text)))
            self.end_headers()
            self._say(text)

        do_GET = do_POST  # noqa: N815 - the names are http.server's

        def _say(self, text: bytes) -> None:
            pieces = [text] if not here.pause_s else [bytes([one]) for one in text]
            for piece in pieces:
                try:
                    self.wfile.write(piece)
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(here.pause_s)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    here = Odd(f"http://127.0.0.1:{server.server_port}", list(answers), pause_s=pause_s)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.slept: list[float] = []

    def clock_s(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds


class Holder(Protocol):
    """Whoever can give a job an identity, and knows what nobody else may see."""

    def secrets(self) -> list[str]: ...


@dataclass
class Runner:
    """A runner that gives one token to whoever asks, without a GitHub behind it."""

    server: Odd
    folder: Path
    token: str

    def job(self, **more: str) -> Job:
        here = {"ACTIONS_ID_TOKEN_REQUEST_URL": self.server.url, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "ask-with-this"}
        return read_job(environment(self.folder, **more) | here)

    def secrets(self) -> list[str]:
        return ["ask-with-this", self.token]


@contextmanager
def runner_in(folder: Path) -> Iterator[Runner]:
    """A runner whose tokens name the trusted workflow."""
    token = jwt.encode({"job_workflow_ref": TRUSTED}, "k" * 32, algorithm="HS256")
    with odd((200, {"content-type": "application/json"}, json.dumps({"value": token}).encode())) as server:
        yield Runner(server, folder, token)


def refusal(holder: Holder, url: str, job: Job, body: bytes | None = None, time: Time | None = None) -> str:
    """The one line with which posting fails, in which there is no token, nor in anything that hangs on it."""
    time = time or Time()
    with pytest.raises(PostingFailed) as failed:
        post_results(url, body or body_of(TOOLS, job="tools"), job, clock_s=time.clock_s, sleep=time.sleep)
    said = str(failed.value)
    assert len(said.splitlines()) == 1
    assert said.isprintable()
    everything = "".join(traceback.format_exception(failed.value)) + repr(failed.value.__context__) + repr(job)
    for secret in holder.secrets():
        assert secret not in everything
    return said


@pytest.fixture(autouse=True)
def nobody_sees_a_token(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture, capfd: Any) -> Iterator[None]:
    """Whatever a test does, no token is in what was printed or logged, down to what the libraries say to themselves."""
    holders: list[Holder] = [request.getfixturevalue(n) for n in ("shop", "runner") if n in request.fixturenames]
    caplog.set_level(logging.DEBUG)
    yield
    out, err = capfd.readouterr()
    for secret in (one for holder in holders for one in holder.secrets()):
        assert secret not in out + err + caplog.text
