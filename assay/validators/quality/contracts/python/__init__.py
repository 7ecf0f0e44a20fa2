"""Contracts of Python modules."""
