"""Imports, definitions and uses in Python."""
