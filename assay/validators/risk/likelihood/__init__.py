"""Likelihood of a fix: a small linear model over a repository's own past changes."""
