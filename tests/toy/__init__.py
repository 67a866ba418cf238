"""Toy games, complete and small, written like real ones but not registered.

`highest/`: all choose at the same time, two versions of its rules. `overboard/`: turns, elimination, rounds that may
end in their deal; the guide for adding a game (domain/README.md) begins from a copy of it. Beside them lies what the
conformance suite needs to know of each.
"""
