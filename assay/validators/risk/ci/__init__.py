"""Changes of CI workflows and of the gates they enforce."""
