"""Comparison of review comments with rules, and alerts about repeats."""
