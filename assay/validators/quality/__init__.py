"""Tier 2: the quality of a change beyond linters. `RULES` is the register, in running order."""
