"""The file the real MCP memory server leaves is read whole, and a damaged one as far as it goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval.adapters.snapshots.health import health_of
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.errors import WorldUnreadable
from tests.memory_eval.adapters.snapshots.memory_server import remember

ENTITIES: list[dict[str, Any]] = [
    {"name": "Ada Lund", "entityType": "person", "observations": ["Allergic to peanuts", "Pet: a cat called Pixel"]},
    {"name": "Project Atlas", "entityType": "project", "observations": ["Deadline: 3 May 2025"]},
    {"name": "Northwind", "entityType": "company", "observations": []},
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server leaves after a small world was told to it, changed and partly forgotten."""
    memory = tmp_path_factory.mktemp("server") / "memory.jsonl"
    remember(
        memory,
        [
            ("create_entities", {"entities": ENTITIES}),
            (
                "create_relations",
                {"relations": [{"from": "Ada Lund", "to": "Project Atlas", "relationType": "leads_since_2024"}]},
            ),
            (
                "add_observations",
                {
                    "observations": [
                        {"entityName": "Project Atlas", "contents": ["Budget: 2,450,000 €\nfor both years"]}
                    ]
                },
            ),
            (
                "delete_observations",
                {"deletions": [{"entityName": "Ada Lund", "observations": ["Pet: a cat called Pixel"]}]},
            ),
        ],
    )
    return memory


def test_the_server_s_own_file_is_read_whole(graph: Path):
    snapshot = open_snapshot(graph)
    assert snapshot.format == "mcp_memory"
    assert snapshot.unread == ()
    assert snapshot.num_bytes == graph.stat().st_size
    assert [(entry.kind, entry.about, entry.text) for entry in snapshot.entries] == [
        ("observation", "Ada Lund", "Ada Lund (person): Allergic to peanuts"),
        ("observation", "Project Atlas", "Project Atlas (project): Deadline: 3 May 2025"),
        ("observation", "Project Atlas", "Project Atlas (project): Budget: 2,450,000 €\nfor both years"),
        ("entity", "Northwind", "Northwind (company)"),
        ("relation", "Ada Lund", "Ada Lund leads since 2024 Project Atlas"),
    ]
    assert [entry.id for entry in snapshot.entries][:2] == ["memory.jsonl:1#1", "memory.jsonl:2#1"]


def test_the_folder_it_lies_in_is_enough(graph: Path):
    assert open_snapshot(graph.parent).format == "mcp_memory"


def test_reading_leaves_the_memory_as_it_was(graph: Path):
    before, when = graph.read_bytes(), graph.stat().st_mtime_ns
    graph.chmod(0o400)
    open_snapshot(graph)
    assert (graph.read_bytes(), graph.stat().st_mtime_ns) == (before, when)


@pytest.mark.soak
def test_an_empty_graph_is_no_memory_to_examine(tmp_path: Path):
    memory = tmp_path / "memory.jsonl"
    remember(
        memory, [("create_entities", {"entities": ENTITIES[:1]}), ("delete_entities", {"entityNames": ["Ada Lund"]})]
    )
    assert memory.read_bytes() == b""
    with pytest.raises(WorldUnreadable, match=r"snapshot\.empty"):
        open_snapshot(memory)


def test_the_server_s_memory_is_as_healthy_as_it_was_kept(tmp_path: Path):
    memory = tmp_path / "memory.jsonl"
    told = ["Pet: cat", "pet: dog", "Born in Oslo", "born in Oslo.", " "]
    remember(memory, [("create_entities", {"entities": [{**ENTITIES[0], "observations": told}]})])
    health = health_of(open_snapshot(memory))
    assert health == {"num_duplicate": 1, "num_empty": 1, "num_contradictory": 2, "num_stale": None}
