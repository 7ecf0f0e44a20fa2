"""Failure categories of tasks: one file per category, with its evidence."""
