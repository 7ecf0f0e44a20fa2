"""Bounded JSON Lines files and atomic writes."""
