"""Parts of GitHub's API, one module per kind of resource; `Repo` has their methods."""
