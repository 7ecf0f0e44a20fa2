"""Parts of the discovery of Python projects."""
