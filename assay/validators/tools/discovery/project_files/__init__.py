"""Files of a project that several ecosystems read, and the folders it consists of."""
