"""Jobs: what a worker does in the background."""
