"""The conformance suite: what every game of the registry must keep, whatever its rules are.

A game brings `tests/games/<key>/conformance.py` (described in `hooks.py`); matches are played from
views alone (`matches.py`), and every check of `checks/` runs on each of them. `python -m tests.fuzz`
runs the same checks with fresh seeds for as long as asked.
"""
