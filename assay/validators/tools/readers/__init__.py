"""Readers of results: code shared by all tools, and the formats that many tools write."""
