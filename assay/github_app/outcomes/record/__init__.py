"""What became of a pull request: merges, reverts, reviews, follow-up fixes."""
