"""Tier 3: the risk of a change. One file per signal; `SIGNALS` is the register, in measuring order."""
