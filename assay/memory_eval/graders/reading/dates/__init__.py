"""Dates in an answer."""
