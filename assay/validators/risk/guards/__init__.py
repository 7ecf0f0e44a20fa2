"""Removed or inverted guards."""
