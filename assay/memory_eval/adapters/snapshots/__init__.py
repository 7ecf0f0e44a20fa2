"""Readers of memory stores, in the order they are tried."""
