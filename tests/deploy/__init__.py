"""What stands in front of the service."""
