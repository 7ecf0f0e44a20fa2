"""Recorded facts of a pull request: merges, reverts, reviews, follow-up fixes."""
