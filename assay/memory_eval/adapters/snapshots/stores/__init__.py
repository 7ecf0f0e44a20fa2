"""Readers of the stores that memory systems keep."""
