"""Commands that run, set up and inspect the GitHub App."""
