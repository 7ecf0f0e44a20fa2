"""Metrics of pull requests, and how each is computed."""
