"""Private packs: a draft drawn by program, and checks of a pack."""
