"""From a comment or a pressed button to the commands it runs and the reply."""
