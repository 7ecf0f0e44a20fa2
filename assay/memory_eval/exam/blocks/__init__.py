"""Blocks of the dialogue, one theme each, in order."""
