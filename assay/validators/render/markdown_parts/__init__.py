"""Parts of the Markdown report."""
