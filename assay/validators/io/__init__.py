"""Processes and files that are not trusted."""
