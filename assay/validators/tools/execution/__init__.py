"""Commands run in a sandbox: environment, caches, preparation."""
