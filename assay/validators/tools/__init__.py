"""Tier 1: the repository's own commands, and scanners that run none of its code."""
