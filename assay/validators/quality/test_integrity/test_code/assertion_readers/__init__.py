"""Readers of assertions in tests, by language."""
