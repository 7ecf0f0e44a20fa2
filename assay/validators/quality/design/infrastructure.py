"""A client of a database, cloud, queue or network imported where all sibling files go through an abstraction."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, lines_of, shown, text_at
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.language import Import
from assay.validators.languages.python.module_files import is_package
from assay.validators.quality.design.finding import design_finding
from assay.validators.quality.design.imports import folder_of, is_for_types, line_of
from assay.validators.report.model import Finding

_NO_CLIENT = ("exceptions", "errors", "error", "typing", "types", "model", "models")
"""Last names of modules that clients have, and that connect to nothing."""
_HARMLESS_NAME = re.compile(r"\w*(?:Error|Exception|Warning)|pathname2url|url2pathname")
LEAST_SIBLINGS = 3
"""Files of the folder that import the abstraction, and no client."""
MOST_SHOWN = 4
CLIENTS = {
    "python": {
        "DynamoDB and other AWS services": ("boto3", "botocore", "aioboto3", "aiobotocore"),
        "MongoDB": ("pymongo", "motor"),
        "PostgreSQL": ("psycopg", "psycopg2", "asyncpg"),
        "MySQL": ("pymysql", "MySQLdb", "mysql", "aiomysql"),
        "SQLite": ("sqlite3", "aiosqlite"),
        "Redis": ("redis", "aioredis"),
        "Elasticsearch": ("elasticsearch", "opensearchpy"),
        "a message queue": ("pika", "kafka", "confluent_kafka", "aiokafka", "aio_pika"),
        "Google Cloud": ("google.cloud",),
        "Azure": ("azure",),
        "HTTP": ("requests", "httpx", "urllib3", "urllib.request", "aiohttp"),
    },
    "javascript": {
        "DynamoDB and other AWS services": ("aws-sdk", "@aws-sdk/"),
        "MongoDB": ("mongodb", "mongoose"),
        "PostgreSQL": ("pg", "postgres"),
        "MySQL": ("mysql", "mysql2"),
        "SQLite": ("sqlite3", "better-sqlite3"),
        "Redis": ("redis", "ioredis"),
        "Elasticsearch": ("@elastic/elasticsearch", "@opensearch-project/opensearch"),
        "a message queue": ("amqplib", "kafkajs"),
        "Google Cloud": ("@google-cloud/",),
        "Azure": ("@azure/",),
        "HTTP": ("axios", "node-fetch", "got", "superagent"),
    },
}
"""Language of the graph -> service -> packages of its clients; one that ends with a separator stands for all below."""


def bypassed_abstractions(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> Iterator[Finding]:
    """Yield a client's import that is new in a folder whose other files reach the service through another folder.

    At least three siblings, and more than half of them, import files of one other folder that import a client of the
    same service, themselves or by a file of that folder. No source file of the base elsewhere imports a client of it.
    """
    for file in change.existing(Nature.source):
        language = head.sources.languages.get(file.path, "")
        for item in head.sources.scan(file.path).imports if language in CLIENTS else ():
            service = _service(language, item)
            if service is None or item.line not in file.added or _is_harmless(change, file, item):
                continue
            found = _bypassed(change, base, file, language, service)
            if found is not None:
                yield _finding(base, file, item, service, *found)
                break


def _is_harmless(change: ChangeSet, file: ChangedFile, item: Import) -> bool:
    """Return whether an import is of exceptions or helpers for paths, or for type checkers alone."""
    names = [name for name, _ in item.names]
    if names and all(map(_HARMLESS_NAME.fullmatch, names)):
        return True
    return is_for_types(lines_of(text_at(change.head, file.path)), item.line)


def _service(language: str, item: Import) -> str | None:
    """Return the service whose client an import is; a module of errors or types alone is none."""
    target = item.target
    if target.rpartition(".")[2] in _NO_CLIENT:
        return None
    for service, packages in CLIENTS.get(language, {}).items():
        for package in packages:
            is_below = (
                target.startswith(package) if package[-1] in "./" else target.startswith((f"{package}.", f"{package}/"))
            )
            if target == package or is_below:
                return service
    return None


def _bypassed(
    change: ChangeSet, base: ImportGraph, file: ChangedFile, language: str, service: str
) -> tuple[str, list[tuple[str, str]], str] | None:
    """Return the folder that siblings go through, their imports of it, and its file with the client."""
    folder = folder_of(file.path)
    siblings = [
        path
        for path, kind in base.sources.languages.items()
        if kind == language
        and folder_of(path) == folder
        and path not in (file.path, file.base_path)
        and change.nature_of(path) is Nature.source
        and not is_package(path)
    ]
    if len(siblings) < LEAST_SIBLINGS:
        return None
    clients = [
        path
        for path, kind in base.sources.languages.items()
        if kind == language and _imports(base, path, language, service) and change.nature_of(path) is Nature.source
    ]
    folders = {folder_of(path) for path in clients}
    if len(folders) != 1 or folder in folders:
        return None
    (wrapper,) = folders
    inside = {path for path in _files(base, wrapper) if path in clients or base.imported_by(path) & set(clients)}
    edges = [(path, min(near)) for path in sorted(siblings) if (near := base.imported_by(path) & inside)]
    if len(edges) < LEAST_SIBLINGS or len(edges) * 2 <= len(siblings):
        return None
    return wrapper, edges, min(clients)


def _files(graph: ImportGraph, folder: str) -> list[str]:
    return [path for path in graph.files if folder_of(path) == folder]


def _imports(graph: ImportGraph, path: str, language: str, service: str) -> bool:
    return any(_service(language, item) == service for item in graph.sources.scan(path).imports)


def _finding(
    base: ImportGraph,
    file: ChangedFile,
    item: Import,
    service: str,
    folder: str,
    edges: list[tuple[str, str]],
    client: str,
) -> Finding:
    places = ", ".join(f"{shown(path)}:{line_of(base, path, target)}" for path, target in edges[:MOST_SHOWN])
    message = (
        f"imports {shown(item.target)} ({service}) directly: {len(edges)} files of this folder go through "
        f"{shown(folder)} instead ({places}), where {shown(client)} imports it"
    )
    return design_finding("infrastructure", file.path, item.line, message, f"{service} in {folder_of(file.path)}")
