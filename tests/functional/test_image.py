"""The images: built from the Dockerfile, measured, and run as compose.yaml does, each for one emulated pull request."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.conftest import ROOT
from tests.fakes.containers import OPENED, Engine
from tests.fakes.github import FakeGitHub
from tests.functional.emulated_pull import validated_pull
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

ALL, WEB = "localhost/assay", "localhost/assay-web"
MOST_BYTES = {WEB: 500_000_000, ALL: 1_200_000_000}
SOCKET, INSIDE = ".s.PGSQL.5432", "/run/postgresql"
COMMANDS = {
    ".github/assay.yml": "tier1: {commands: [sh own/start], setup: none}\n",
    # A program of the repository itself: where /tmp is closed to programs, it does not start.
    "own/start": "cp /bin/true own/program && own/program && python3 -c 'import app'\n",
}
pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module", params=["podman", "docker"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """An engine with both images."""
    engine: Engine = request.getfixturevalue(request.param)
    engine.build(ALL)
    engine.build(WEB, "--target=web")
    return engine


class Container:
    """A container of an image, as a process of the App."""

    def __init__(
        self, engine: Engine, image: str, verb: tuple[str, ...], settings: dict[str, str], log: Path, *options: str
    ) -> None:
        self._engine = engine
        self._name = f"assay-{os.getpid()}-{log.stem}"
        given = tuple(
            f"--env={name}={value}"
            for name, value in settings.items()
            if name.startswith("ASSAY_") and name not in ("ASSAY_DATA_DIR", "ASSAY_HOST")
        )
        command = engine.run_command(image, *verb, options=(f"--name={self._name}", *given, *options))
        self.process = AppProcess(verb[0], settings | engine.environment, log, command)

    def __enter__(self) -> AppProcess:
        self.process.start()
        return self.process

    def __exit__(self, *_: object) -> None:
        """Stop it as a platform does, and see that it ended by itself."""
        if self.process.is_alive:
            self._engine.do("stop", "--time=40", self._name)
            self.process.wait(60)
        self.process.close()


@pytest.mark.parametrize("image", [WEB, ALL])
def test_an_image_is_small(engine: Engine, image: str):
    print(f"\n{image}: {engine.size(image) / 1e6:.0f} MB")
    assert engine.size(image) < MOST_BYTES[image]


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_one_container_on_sqlite_runs_commands_in_bubblewrap_or_says_why_not(
    engine: Engine, github: FakeGitHub, repository: RealRepository, tmp_path: Path, *, is_open: bool
):
    settings = environment_for(
        github, tmp_path / "data", private_key_file=None, private_key=github.private_key, local_runs="sandboxed"
    )
    options = OPENED[engine.name] if is_open else ()
    with Container(engine, ALL, ("serve",), settings, tmp_path / "app.log", *options) as app:
        conclusion = validated_pull(github, repository, wait_ready(settings, app), more=COMMANDS)
        assert conclusion in ("success", "neutral"), app.said()[-4000:]
        (run,) = github.check_runs(repository.head, name="Assay")
    assert "Finished server process" in app.said(), app.said()[-4000:]
    report = run["output"]["summary"] + run["output"]["text"]
    assert ("bubblewrap, without network" in report) is is_open
    assert ("bubblewrap does not work here" in report) is not is_open


@pytest.mark.postgres
def test_web_server_and_worker_apart_on_postgresql(
    engine: Engine, github: FakeGitHub, repository: RealRepository, tmp_path: Path, postgres_url: str
):
    # The server's socket alone: its folder is closed to other users.
    (folder,) = parse_qs(urlsplit(postgres_url).query)["host"]
    reach = f"--volume={folder}/{SOCKET}:{INSIDE}/{SOCKET}"
    settings = environment_for(
        github,
        tmp_path / "data",
        private_key_file=None,
        private_key=github.private_key,
        database_url=postgres_url.replace(folder, INSIDE),
    )
    with (
        Container(engine, WEB, ("serve", "--no-worker"), settings, tmp_path / "web.log", reach) as web,
        Container(engine, ALL, ("worker",), settings, tmp_path / "worker.log", reach) as worker,
    ):
        conclusion = validated_pull(github, repository, wait_ready(settings, web))
        assert conclusion in ("success", "neutral"), web.said()[-2000:] + worker.said()[-4000:]
    assert "Finished server process" in web.said(), web.said()[-4000:]


@pytest.mark.parametrize("image", [WEB, ALL])
def test_everything_is_compiled_and_nothing_runs_as_root(engine: Engine, image: str):
    look = "find /opt/assay -name '*.py' -path '*-packages/*' | while read -r one; do"
    look += ' test -e "$(dirname "$one")/__pycache__/$(basename "$one" .py)".*.pyc || echo "$one"; done; id -u'
    assert engine.printed(image, "sh", "-c", look) == "10001"


def test_a_web_server_s_image_has_no_program_that_validates(engine: Engine):
    look = "command -v git bwrap uv jscpd; ls -A /opt/assay"
    assert engine.printed(WEB, "sh", "-c", look).split() == [".venv"]


def test_every_program_of_the_image_starts(engine: Engine):
    look = "for one in ast-grep jscpd squawk uv zizmor git bwrap; do $one --version >/dev/null || echo $one; done;"
    look += " /opt/assay/.venv-sast/bin/semgrep --version"
    (version,) = engine.printed(ALL, "sh", "-c", look).splitlines()
    assert f"semgrep=={version}" in (ROOT / "requirements/sast.txt").read_text("utf-8")
