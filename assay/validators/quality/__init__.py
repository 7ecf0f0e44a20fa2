"""Tier 2: the quality of a change, beyond what linters see. `RULES` is the register, in the order the rules run."""
