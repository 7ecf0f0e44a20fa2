"""Commands in comments and buttons of the Check Run; listed in `register.py`."""
