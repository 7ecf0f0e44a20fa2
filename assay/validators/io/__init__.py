"""Processes and untrusted files."""
