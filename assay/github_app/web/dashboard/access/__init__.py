"""Access to the dashboard: sign-in, login links, sessions, and what a viewer may read."""
