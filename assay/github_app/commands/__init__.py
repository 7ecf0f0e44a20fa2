"""Commands in comments and buttons of the Check Run; `COMMANDS` is their register."""
