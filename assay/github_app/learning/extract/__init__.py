"""Candidate rules from review comments."""
