"""Tier 2: the quality of a change beyond linters. `register.py` lists the rules in running order."""
