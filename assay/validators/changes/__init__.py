"""The change to validate, and by convention the kind, language and manifest of each of its files."""
