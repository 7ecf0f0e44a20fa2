"""Command lines: which tool a command runs and what it may do."""
