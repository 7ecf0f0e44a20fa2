"""Changes of production memories: simulated ones, and stores that the systems themselves wrote."""
