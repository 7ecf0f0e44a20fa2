"""Review comments become rules: learned, confirmed, compared with what is said next, handed back, and ended."""
