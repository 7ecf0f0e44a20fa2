"""Readers of memory stores, one for each format."""
