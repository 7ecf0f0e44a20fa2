"""Complexity of changed functions, each compared with its version of the base."""
