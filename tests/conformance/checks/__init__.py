"""The checks: each takes a finished match and raises AssertionError, naming the step and the seed."""

import pytest

pytest.register_assert_rewrite(
    *(
        f"{__name__}.{module}"
        for module in (
            "cards",
            "declarations",
            "ends",
            "folding",
            "forms",
            "interference",
            "legality",
            "lobby",
            "private_streams",
            "secrecy",
        )
    )
)
