"""Learned rules, their log, sources and repeats."""
