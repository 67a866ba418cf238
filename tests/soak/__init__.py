"""The real service under matches of every game, while everything it stands on breaks; see `__main__`."""
