"""Comparison of an answer's values with the gold, shared by graders."""
