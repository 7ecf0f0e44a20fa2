"""The tools whose words Assay understands. The first that recognises a command reads it; the last reads anything."""
