"""A Letta agent file, made with Letta's own schema: the server that exports one needs a database and a model."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from letta.schemas.agent_file import AgentFileSchema, AgentSchema, BlockSchema, MessageSchema
from letta.schemas.embedding_config import EmbeddingConfig
from letta.schemas.letta_message_content import TextContent
from letta.schemas.llm_config import LLMConfig

from tests.memory_eval.adapters.snapshots.generators.facts import LIVE

WHEN = datetime(2025, 1, 10, 9, tzinfo=UTC)


def main(folder: Path) -> None:
    """Write `folder/agent.af`: half of the texts as blocks, all of them as messages."""
    said = [
        ("system", "You are an assistant."),
        *(("user", text) for text in LIVE),
        ("assistant", "I keep that in mind."),
    ]
    messages = [
        MessageSchema(
            id=f"message-{n}", role=role, content=[TextContent(text=text)], agent_id="agent-0", created_at=WHEN
        )
        for n, (role, text) in enumerate(said)
    ]
    agent = AgentSchema(
        id="agent-0",
        name="assistant",
        system="You are an assistant.",
        agent_type="memgpt_v2_agent",
        llm_config=LLMConfig.default_config("gpt-4o-mini"),
        embedding_config=EmbeddingConfig(
            embedding_model="text-embedding-3-small", embedding_endpoint_type="openai", embedding_dim=1536
        ),
        in_context_message_ids=[message.id for message in messages],
        messages=messages,
        block_ids=["block-0", "block-1"],
    )
    blocks = [
        BlockSchema(id="block-0", label="human", value="The user is Ada Lund."),
        BlockSchema(id="block-1", label="persona", value="I am a careful assistant."),
    ]
    file = AgentFileSchema(
        agents=[agent],
        groups=[],
        blocks=blocks,
        files=[],
        sources=[],
        tools=[],
        mcp_servers=[],
        metadata={"revision_id": "495f3f474131"},
        created_at=WHEN,
    )
    folder.joinpath("agent.af").write_text(file.model_dump_json(indent=1), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
