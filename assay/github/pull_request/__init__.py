"""The one path of a pull request: checkout, validate, publish."""
