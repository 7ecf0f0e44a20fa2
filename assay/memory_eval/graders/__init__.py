"""Grading of answers: one grader per answer type, and what they share."""
