"""Learned rules delivered to agents: prompts, `AGENTS.md`, pull requests."""
