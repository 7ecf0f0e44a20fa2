"""Operation of the App: settings, permissions, logs and metrics, set-up checks, registration, alerts."""
