"""Read-only tools for a model: both trees of a change, and its history, from git objects."""
