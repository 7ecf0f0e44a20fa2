"""Added suppressions, and the words that are ones."""
