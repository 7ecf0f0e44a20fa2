"""Discovered commands: split, resolved and deduplicated."""
