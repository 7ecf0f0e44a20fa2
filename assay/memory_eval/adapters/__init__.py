"""The ways to reach an agent."""
