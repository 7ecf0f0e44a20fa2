"""Dependency manifests by ecosystem, one file each; `MANIFESTS` is the register."""
