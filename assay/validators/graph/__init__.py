"""Import graph and dependents of files."""
