"""Duplicated code and similar files."""
