"""Prompt experiments and their statistics."""
