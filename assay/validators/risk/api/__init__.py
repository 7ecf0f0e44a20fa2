"""Changes of a public API."""
