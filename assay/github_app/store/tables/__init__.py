"""Table definitions."""
