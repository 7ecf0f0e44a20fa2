"""Pull requests, reviews, checks and outcomes."""
