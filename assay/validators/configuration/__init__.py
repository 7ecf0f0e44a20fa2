"""Configuration file: found in the base of a change, read with line numbers, checked as a whole."""
