"""Migration steps, named by number and content."""
