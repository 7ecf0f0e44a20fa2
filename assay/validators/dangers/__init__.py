"""Dangerous constructs: found in syntax trees or by patterns, and whether text from a request reaches them."""
