"""The fixtures of the test bed; nothing of it is loaded or started before a test asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.fakes.act import Act
    from tests.fakes.github import FakeGitHub
    from tests.fakes.github_front import Front
    from tests.fakes.github_server import GitHubServer
    from tests.fakes.postgres import PostgresServer


@pytest.fixture(scope="session")
def github_server() -> Iterator[GitHubServer]:
    """The fake GitHub's processes, one for the whole run."""
    from tests.fakes.contract import judge
    from tests.fakes.github_server import GitHubServer

    server = GitHubServer(judge)
    with pytest.MonkeyPatch.context() as patch:
        _read_once(server.private_key, patch)
        yield server
    server.close()


def _read_once(pem: str, patch: pytest.MonkeyPatch) -> None:
    """Reading a private key means testing its primes, which takes longer than many a test: this one is read once."""
    from jwt.algorithms import RSAAlgorithm

    prepare, key = RSAAlgorithm.prepare_key, RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(pem)
    patch.setattr(RSAAlgorithm, "prepare_key", lambda self, given: key if given == pem else prepare(self, given))


@pytest.fixture
def github(github_server: GitHubServer, tmp_path: Path) -> Iterator[FakeGitHub]:
    """An empty GitHub with the App installed."""
    from tests.fakes.github import FakeGitHub

    fake = FakeGitHub(github_server, tmp_path / "github")
    yield fake
    violations = fake.state.violations
    fake.close()
    assert not violations, "GitHub would not know these requests:\n" + "\n".join(violations)


@pytest.fixture
def github_front(github: FakeGitHub) -> Front:
    """Its front: the log, the faults, the webhooks."""
    return github.front


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Every store of every test uses the statements that one of them compiled: a quarter of the store's time."""
    import sqlalchemy

    from assay.github_app.store.database import database

    compiled: dict[Any, Any] = {}
    dialects: dict[str, sqlalchemy.Dialect] = {}

    def create_engine(url: sqlalchemy.URL, **options: Any) -> sqlalchemy.Engine:
        engine = sqlalchemy.create_engine(url, execution_options={"compiled_cache": compiled}, **options)
        # A dialect is part of the cache's keys, and each engine would have its own.
        engine.dialect = dialects.setdefault(engine.dialect.name, engine.dialect)
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_engine", create_engine)
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL of this run, to be stopped and started at will; tests that do so leave it running."""
    from tests.fakes.postgres import PostgresServer

    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of an empty database, `postgresql://…`. Mark the test `postgres`."""
    url = postgres_server.create_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def act(github: FakeGitHub, tmp_path: Path) -> Act:
    """A runner of workflows for the fake GitHub, with Assay installed on it."""
    from tests.fakes.act import Act

    return Act(github, tmp_path / "act")
