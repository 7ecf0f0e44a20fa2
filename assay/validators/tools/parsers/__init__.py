"""The tools whose output Assay reads: the first that recognises a command reads it; the last reads any output."""
