"""Forms of schema change. One file each; `MIGRATIONS` is the register, and the first that claims a file reads it."""
