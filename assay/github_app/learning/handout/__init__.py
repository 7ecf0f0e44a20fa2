"""Learned rules delivered to agents: prompts, instruction files, pull requests."""
