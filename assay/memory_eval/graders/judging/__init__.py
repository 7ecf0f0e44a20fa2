"""Grading by a model: judge, panel and probes."""
