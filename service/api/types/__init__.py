"""The types of the API: bodies, queries and responses."""
