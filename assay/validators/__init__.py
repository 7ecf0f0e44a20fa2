"""The room that judges one change: three tiers, one report."""
