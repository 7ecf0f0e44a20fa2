"""Process that opens a copy of a Kuzu database read-only and returns rows as JSON lines.

`{"open": path}` comes first, then `{"rows": name, "skip": n, "most": n}`. Only the queries below run.
"""

from __future__ import annotations

import json
import sys
from typing import Any

_QUERIES = {
    "facts": (
        "MATCH (n:RelatesToNode_) OPTIONAL MATCH (a:Entity)-[:RELATES_TO]->(n)"
        " RETURN n.uuid AS uuid, n.fact AS fact, n.created_at AS created_at, n.valid_at AS valid_at,"
        " n.invalid_at AS invalid_at, n.expired_at AS expired_at, a.name AS about"
    ),
    "episodes": (
        "MATCH (n:Episodic) RETURN n.uuid AS uuid, n.name AS name, n.content AS content,"
        " n.created_at AS created_at, n.valid_at AS valid_at"
    ),
    "entities": (
        "MATCH (n:Entity) RETURN n.uuid AS uuid, n.name AS name, n.summary AS summary, n.created_at AS created_at"
    ),
    "communities": (
        "MATCH (n:Community) RETURN n.uuid AS uuid, n.name AS name, n.summary AS summary, n.created_at AS created_at"
    ),
}
_BUFFER_BYTES = 256 * 2**20
_MOST_ERROR = 200


def main() -> None:
    """Reply to each line until the input ends."""
    connection: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "open" in request:
                connection, reply = _opened(request["open"])
            else:
                reply = {"rows": _rows(connection, request)}
        except Exception as error:  # noqa: BLE001 - whatever the database does is one line of a report
            reply = {"error": " ".join(str(error).split())[:_MOST_ERROR] or type(error).__name__}
        sys.stdout.write(json.dumps(reply, default=str) + "\n")
        sys.stdout.flush()


def _opened(path: str) -> tuple[Any, dict[str, Any]]:
    import importlib

    kuzu: Any = importlib.import_module("kuzu")  # an extra, without types
    database = kuzu.Database(path, read_only=True, buffer_pool_size=_BUFFER_BYTES, max_num_threads=1)
    return kuzu.Connection(database), {"version": f"Kuzu {kuzu.__version__}"}


def _rows(connection: Any, request: dict[str, Any]) -> list[dict[str, Any]]:
    query = f"{_QUERIES[request['rows']]} ORDER BY n.uuid SKIP {int(request['skip'])} LIMIT {int(request['most'])}"
    result = connection.execute(query)
    names = result.get_column_names()
    return [dict(zip(names, row, strict=True)) for row in result.get_all()]


if __name__ == "__main__":
    main()
