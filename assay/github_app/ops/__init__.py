"""Set-up checks, registration and operator alerts."""
