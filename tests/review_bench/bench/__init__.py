"""Bench of the review: known changes of public repositories, what was found in them, and what it cost."""
