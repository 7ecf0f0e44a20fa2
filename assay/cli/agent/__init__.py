"""Commands that run next to an agent: feedback, and an MCP server. They reach an App by its REST interface."""
