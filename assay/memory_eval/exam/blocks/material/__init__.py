"""What several blocks draw from the world, and when: people on duty, addresses, attacks, other values, pacing."""
