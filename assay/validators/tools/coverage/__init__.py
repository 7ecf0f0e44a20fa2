"""Supported coverage formats; the first that recognises how a file begins reads it."""
