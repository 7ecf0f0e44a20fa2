"""Facts about the origin and execution of code, read from both sides of a change."""
