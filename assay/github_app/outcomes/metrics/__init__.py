"""Metrics and how each is computed."""
