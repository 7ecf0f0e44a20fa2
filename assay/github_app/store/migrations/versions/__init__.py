"""The steps, each named by its number and what it does."""
