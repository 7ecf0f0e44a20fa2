"""A client of a database, cloud, queue or network imported where all sibling files go through an abstraction."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, shown
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.language import Import
from assay.validators.languages.python.module_files import is_package
from assay.validators.quality.design.direction import RUN_ON_IMPORT, Departure, folder_of, is_for_types, places

_NO_CLIENT = re.compile(r"(?:.*\.)?(?:exceptions|errors?|typing|types|models?)")
"""Modules that clients have, and that connect to nothing."""
_HARMLESS_NAME = re.compile(r"\w*(?:Error|Exception|Warning)|pathname2url|url2pathname")
LEAST_SIBLINGS = 3
"""Files of the folder that import the abstraction, and no client."""
MOST_SHOWN = 4
CLIENTS = {
    "DynamoDB and other AWS services": "boto3 botocore aioboto3 aiobotocore aws-sdk @aws-sdk",
    "MongoDB": "pymongo motor mongodb mongoose",
    "PostgreSQL": "psycopg psycopg2 asyncpg pg postgres",
    "MySQL": "pymysql MySQLdb mysql aiomysql mysql2",
    "SQLite": "sqlite3 aiosqlite better-sqlite3",
    "Redis": "redis aioredis ioredis",
    "Elasticsearch": "elasticsearch opensearchpy @elastic/elasticsearch @opensearch-project/opensearch",
    "a message queue": "pika kafka confluent_kafka aiokafka aio_pika amqplib kafkajs",
    "Google Cloud": "google.cloud @google-cloud",
    "Azure": "azure @azure",
    "HTTP": "requests httpx urllib3 urllib.request aiohttp axios node-fetch got superagent",
}
"""Service -> packages of its clients in Python and JavaScript."""
_CLIENT = {
    service: re.compile(f"(?:{'|'.join(map(re.escape, packages.split()))})(?:[./].*)?")
    for service, packages in CLIENTS.items()
}


def bypassed_abstractions(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> Iterator[Departure]:
    """Yield a client's import that is new in a folder whose other files reach the service through another folder.

    At least three siblings, and more than half of them, import files of one other folder that import a client of the
    same service, themselves or by a file of that folder. No source file of the base elsewhere imports a client of it.
    """
    for file in change.existing(Nature.source):
        language = head.sources.languages.get(file.path, "")
        for item in head.sources.scan(file.path).imports if language in RUN_ON_IMPORT else ():
            service = _service(item)
            is_harmless = bool(item.names) and all(_HARMLESS_NAME.fullmatch(name) for name, _ in item.names)
            if service is None or item.line not in file.added or is_harmless or is_for_types(change, file, item):
                continue
            if (found := _bypassed(change, base, file, language, service)) is not None:
                client, edges = found
                message = (
                    f"imports {shown(item.target)} ({service}) directly: {len(edges)} files of this folder go through "
                    f"{shown(folder_of(client))} instead ({places(base, edges[:MOST_SHOWN])}), where {shown(client)} "
                    "imports it"
                )
                yield "infrastructure", file.path, item.line, message, f"{service} in {folder_of(file.path)}"
                break


def _service(item: Import) -> str | None:
    """Return the service whose client an import is; a module of errors or types alone is none."""
    if _NO_CLIENT.fullmatch(item.target):
        return None
    return next((service for service, client in _CLIENT.items() if client.fullmatch(item.target)), None)


def _bypassed(
    change: ChangeSet, base: ImportGraph, file: ChangedFile, language: str, service: str
) -> tuple[str, list[tuple[str, str]]] | None:
    """Return the file with the client that siblings go through, and their imports of its folder."""
    scans = {
        path: scan
        for path, scan in base.sources.scans.items()
        if base.sources.languages[path] == language and change.nature_of(path) is Nature.source
    }
    clients = {path for path, scan in scans.items() if any(_service(item) == service for item in scan.imports)}
    folder, folders = folder_of(file.path), {folder_of(path) for path in clients}
    siblings = [path for path in scans if folder_of(path) == folder and path not in (file.path, file.base_path)]
    siblings = [path for path in siblings if not is_package(path)]
    if len(siblings) < LEAST_SIBLINGS or len(folders) != 1 or folder in folders:
        return None
    there = [path for path in base.files if folder_of(path) in folders]
    inside = {path for path in there if path in clients or base.imported_by(path) & clients}
    edges = [(path, min(near)) for path in sorted(siblings) if (near := base.imported_by(path) & inside)]
    return (min(clients), edges) if len(edges) >= max(LEAST_SIBLINGS, len(siblings) // 2 + 1) else None
