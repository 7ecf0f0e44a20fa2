"""Assertions of a test before and after a change."""
