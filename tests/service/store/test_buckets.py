"""Buckets are fixed for ever."""

from collections import Counter
from uuid import UUID, uuid4

import pytest

from service.store.buckets import BUCKETS, bucket_of


@pytest.mark.parametrize(
    ("stream", "bucket"),
    [
        # sha256 of the 16 bytes, worked out with coreutils
        ("00000000-0000-0000-0000-000000000000", 55),
        ("ffffffff-ffff-ffff-ffff-ffffffffffff", 90),
        ("5b1c6c1e-8a52-4c55-9f0f-0d6d3f4a7e21", 146),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", 205),
    ],
)
def test_the_bucket_of_a_stream_never_changes(stream: str, bucket: int) -> None:
    assert bucket_of(UUID(stream)) == bucket


def test_streams_spread_over_all_buckets() -> None:
    seen = Counter(bucket_of(uuid4()) for _ in range(20_000))
    assert set(seen) == set(range(BUCKETS))
    assert max(seen.values()) < 150
