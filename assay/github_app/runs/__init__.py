"""One validation run of a pull request, from checkout to publication."""
