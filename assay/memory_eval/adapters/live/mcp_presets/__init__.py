"""Presets of memory servers that were run with the adapter `mcp`."""
