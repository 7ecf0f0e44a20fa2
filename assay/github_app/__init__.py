"""The room that hears about pull requests from GitHub, has them judged, and says so there."""
