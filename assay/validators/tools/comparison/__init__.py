"""Comparison of the head's results with the base's."""
