"""Changes of a production memory between two snapshots, measured without knowing what it was taught."""
