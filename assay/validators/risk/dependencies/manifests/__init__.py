"""Manifests of dependencies, by ecosystem. One file each; `MANIFESTS` is the register."""
