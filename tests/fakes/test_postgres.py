"""The PostgreSQL of the tests is a real one."""

from __future__ import annotations

import psycopg
import pytest

pytestmark = pytest.mark.postgres


@pytest.mark.small
def test_every_test_has_a_database_of_its_own(postgres_url: str, postgres_server):
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE things (id integer PRIMARY KEY)")
    other = postgres_server.create_database()
    with psycopg.connect(other) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE tablename = 'things'").fetchone() == (0,)
    postgres_server.drop_database(other)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_what_was_committed_survives_a_restart(postgres_url: str, postgres_server, mode: str):
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE things (id integer PRIMARY KEY)")
        connection.execute("INSERT INTO things VALUES (7)")
    with psycopg.connect(postgres_url) as lost:
        postgres_server.restart(mode=mode)
        with pytest.raises(psycopg.OperationalError):
            lost.execute("SELECT 1")
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT id FROM things").fetchall() == [(7,)]


def test_connections_can_be_cut(postgres_url: str, postgres_server):
    with psycopg.connect(postgres_url) as lost:
        assert postgres_server.disconnect_all(postgres_url) == 1
        with pytest.raises(psycopg.OperationalError):
            lost.execute("SELECT 1")
