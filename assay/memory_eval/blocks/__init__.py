"""The themes of the dialogue, in the order told."""
