"""Command line interface. Each command is imported when it is called."""
