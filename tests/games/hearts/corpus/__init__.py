"""Rounds recorded by another engine, and the comparison with them."""
