"""Agents in separate processes, called by JSON lines."""
