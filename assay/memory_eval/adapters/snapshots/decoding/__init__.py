"""Decoders of binary formats into plain data; nothing is executed or imported."""
