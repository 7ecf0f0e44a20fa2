"""Dialogue and questions of an exam, as data and as files."""
