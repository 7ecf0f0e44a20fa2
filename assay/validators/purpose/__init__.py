"""The purpose of a file: source, test, generated, vendored, documentation."""
