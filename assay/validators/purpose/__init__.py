"""Purpose of files: source, test, generated, vendored, documentation."""
