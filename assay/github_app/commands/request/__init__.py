"""Parts of a command: its grammar, permissions, the report it refers to, and waivers."""
