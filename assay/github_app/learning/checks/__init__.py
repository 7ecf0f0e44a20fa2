"""Regex and glob checks derived from learned rules."""
