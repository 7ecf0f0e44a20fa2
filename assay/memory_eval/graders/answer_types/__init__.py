"""One grader per answer type."""
