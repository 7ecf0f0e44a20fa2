"""Assay tests what coding agents bring to a repository, and what their memory is worth."""

__version__ = "0.1.0"
