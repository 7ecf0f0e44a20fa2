"""Adoption of Assay in a repository: the files, what was found, and what it would have said."""
