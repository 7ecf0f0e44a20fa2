"""Parts of the terminal report."""
