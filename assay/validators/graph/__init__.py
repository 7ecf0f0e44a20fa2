"""The import graph, and what depends on a file."""
