"""A toy game, complete and tiny: the fifth game of the tests, and the game with two rules versions.

It is written like a real game but not registered. Tests that need a registered one copy
`highest/` to `domain/games/highest/` and `conformance.py` to `tests/games/highest/`.
"""
