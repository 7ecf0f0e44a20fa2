"""GitHub, as the App and the Action share it: client, events, publication and the path of a pull request."""
