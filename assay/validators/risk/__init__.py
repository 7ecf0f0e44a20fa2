"""Tier 3: what the change can break. One file per signal; `SIGNALS` is the register, in the order they measure."""
