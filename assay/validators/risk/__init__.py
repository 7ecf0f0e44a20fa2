"""Tier 3: the risk of a change. One file per signal; `register.py` lists the signals in measuring order."""
