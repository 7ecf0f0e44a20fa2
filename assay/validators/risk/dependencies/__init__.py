"""New and moved dependencies, lock files and supply chain."""
