"""How commands show themselves: order in the help, progress, output formats and files."""
