"""Learned rules applied to a change."""
