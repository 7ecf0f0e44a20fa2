"""Images, deployments and cloud resources: rights, openings and protections that a change adds or removes."""
