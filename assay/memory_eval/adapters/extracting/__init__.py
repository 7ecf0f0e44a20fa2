"""Extraction of answers from stored entries, without a model and without gold answers."""
