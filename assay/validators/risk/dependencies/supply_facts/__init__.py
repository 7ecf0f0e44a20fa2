"""Facts about where code comes from and where it runs, read from both sides of a change."""
