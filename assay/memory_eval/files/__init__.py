"""Readers of bounded JSON Lines files."""
