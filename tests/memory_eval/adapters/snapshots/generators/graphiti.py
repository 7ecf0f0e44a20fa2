"""Graphiti on Kuzu, without a model: nodes and edges saved, one edge invalidated, one deleted; and a JSON export."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"

from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

from tests.memory_eval.adapters.snapshots.generators.facts import CHANGED, DELETED, KEPT, vector

BEGAN = datetime(2025, 1, 10, 9, 0, tzinfo=UTC)
ENDED = datetime(2025, 3, 2, 9, 0, tzinfo=UTC)


async def _fill(folder: Path) -> None:
    driver = KuzuDriver(str(folder / "graph.kuzu"))
    people = [
        EntityNode(
            uuid=f"node-{name.split()[0].lower()}",
            name=name,
            group_id="ada",
            labels=["Entity"],
            summary=f"{name} is a colleague.",
            name_embedding=vector(name, 8),
            created_at=BEGAN,
        )
        for name in ("Ada Lund", "Bo Reyes", "Cy Orr")
    ]
    for node in people:
        await node.save(driver)
    edges = []
    texts: list[tuple[str, datetime | None]] = [*((text, None) for text in KEPT), *((new, None) for _, new in CHANGED)]
    texts += [(old, ENDED) for old, _ in CHANGED] + [(text, None) for text in DELETED]
    for number, (text, ended) in enumerate(texts):
        edge = EntityEdge(
            uuid=f"edge-{number}",
            group_id="ada",
            source_node_uuid=people[number % 3].uuid,
            target_node_uuid=people[(number + 1) % 3].uuid,
            name="KNOWS",
            fact=text,
            fact_embedding=vector(text, 8),
            episodes=["episode-0"],
            created_at=BEGAN,
            valid_at=BEGAN,
            invalid_at=ended,
            expired_at=ended,
        )
        await edge.save(driver)
        edges.append(edge)
    for edge in edges:
        if edge.fact in DELETED:
            await edge.delete(driver)
    episode = EpisodicNode(
        uuid="episode-0",
        name="conversation",
        group_id="ada",
        source=EpisodeType.message,
        source_description="chat",
        content="ada: I prefer to be called by my first name.",
        created_at=BEGAN,
        valid_at=BEGAN,
        entity_edges=[],
    )
    await episode.save(driver)
    exported = {
        "nodes": [node.model_dump(mode="json", exclude={"name_embedding"}) for node in people],
        "edges": [
            edge.model_dump(mode="json", exclude={"fact_embedding"}) for edge in edges if edge.fact not in DELETED
        ],
        "episodes": [episode.model_dump(mode="json")],
    }
    folder.joinpath("export.json").write_text(json.dumps(exported), "utf-8")
    driver.db.close()


def main(folder: Path) -> None:
    """Fill `folder/graph.kuzu` and write `folder/export.json`."""
    asyncio.run(_fill(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
