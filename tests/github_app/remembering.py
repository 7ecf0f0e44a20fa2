"""Stores for tests, and the facts they are fed with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from assay.github.events.model import CheckFacts, CommentFacts, Person, PullFacts, RepositoryFacts, ReviewFacts
from assay.github_app.store import DeliveryRow, Store
from tests.fakes.postgres import PostgresServer

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
REPOSITORY = RepositoryFacts(5, "octo/shop", "main")
AUTHOR = Person("ada", 11)
REVIEWER = Person("bo", 12)


def after(**time: float) -> datetime:
    """A time after the start of all tests: `after(minutes=5)`."""
    return START + timedelta(**time)


def take(
    store: Store,
    limit: int,
    now: datetime,
    stale_s: float = 60.0,
    enqueue: Callable[[DeliveryRow], object] = lambda _: None,
) -> tuple[DeliveryRow, ...]:
    """Take the next deliveries."""
    return store.deliveries.take(limit, now, stale_s, enqueue)


def sha(letter: str) -> str:
    """A commit id of one letter."""
    return letter * 40


def pull(**changes: Any) -> PullFacts:
    """An open pull request as GitHub describes it, but for `changes`."""
    known: dict[str, Any] = {
        "id": 900,
        "number": 7,
        "title": "Sell hats",
        "body": "",
        "author": AUTHOR,
        "head_sha": sha("a"),
        "head_ref": "hats",
        "base_sha": sha("0"),
        "base_ref": "main",
        "head_repository": REPOSITORY,
        "base_repository_id": REPOSITORY.id,
        "created_at": START,
        "updated_at": START,
    }
    return PullFacts(**{**known, **changes})


def merged(at: datetime, **changes: Any) -> PullFacts:
    """The same after its merge."""
    known: dict[str, Any] = {
        "state": "closed",
        "is_merged": True,
        "merge_commit_sha": sha("e"),
        "closed_at": at,
        "merged_at": at,
        "updated_at": at,
        "merged_by": REVIEWER,
    }
    return pull(**{**known, **changes})


def review(review_id: int, state: str, at: datetime, by: Person = REVIEWER) -> ReviewFacts:
    """A submitted review."""
    return ReviewFacts(review_id, by, state, "", sha("a"), at, "MEMBER")


def line_comment(comment_id: int, at: datetime, **changes: Any) -> CommentFacts:
    """A comment on a line."""
    known: dict[str, Any] = {
        "id": comment_id,
        "author": REVIEWER,
        "body": "Say why",
        "created_at": at,
        "updated_at": at,
        "path": "hats.py",
        "line": 3,
    }
    return CommentFacts(**{**known, **changes})


def check(**changes: Any) -> CheckFacts:
    """A check run that passed."""
    known: dict[str, Any] = {
        "source": "check_run",
        "external_key": "501",
        "name": "tests",
        "head_sha": sha("a"),
        "status": "completed",
        "conclusion": "success",
        "app_id": 15368,
        "app_slug": "github-actions",
        "started_at": START,
        "completed_at": after(minutes=2),
    }
    return CheckFacts(**{**known, **changes})


def store_at(url: str) -> Store:
    """Open a store. A file that SQLite does not have yet gets copies of all tables: they need not be made each time."""
    file = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:///") and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_empty_tables())
    return Store.open(url)


@cache
def _empty_tables() -> bytes:
    """A database file with all tables and nothing in them, as the migrations make it."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "empty.sqlite")
        Store.open(f"sqlite:///{file}").close()
        return file.read_bytes()


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with all tables and nothing in them."""
    file = tmp_path_factory.mktemp("store") / "empty.sqlite"
    file.write_bytes(_empty_tables())
    return file


@pytest.fixture
def sqlite_url(empty_sqlite: Path, tmp_path: Path) -> str:
    """The address of an empty SQLite database with all tables."""
    file = tmp_path / "assay.sqlite"
    shutil.copyfile(empty_sqlite, file)
    return f"sqlite:///{file}"


@pytest.fixture(scope="session")
def empty_postgres(postgres_server: PostgresServer) -> str:
    """The address of a database with all tables and nothing in them, to make others like it."""
    url = postgres_server.create_database()
    Store.open(url).close()
    return url


@pytest.fixture
def tabled_postgres_url(empty_postgres: str, postgres_server: PostgresServer) -> Iterator[str]:
    """The address of an empty PostgreSQL database with all tables."""
    url = postgres_server.create_database(like=empty_postgres)
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database, once of each kind."""
    name = "sqlite_url" if request.param == "sqlite" else "tabled_postgres_url"
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store on each kind of database."""
    with Store.open(store_url, migrate=False) as opened:
        yield opened


@pytest.fixture
def small_store(sqlite_url: str) -> Iterator[Store]:
    """An empty store on SQLite alone, for what has nothing to do with databases."""
    with Store.open(sqlite_url, migrate=False) as opened:
        yield opened
