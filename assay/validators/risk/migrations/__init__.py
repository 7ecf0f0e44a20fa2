"""Formats of schema changes, one file each; `MIGRATIONS` is the register, and the first match reads a file."""
