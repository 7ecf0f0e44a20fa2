"""Packages that manifests declare and lock files pin, and what public registries say of them."""
