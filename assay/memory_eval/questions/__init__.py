"""Question categories, one module each; `CATEGORIES` is the register."""
