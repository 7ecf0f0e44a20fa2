"""Naming conventions of a repository, and names that break them."""
