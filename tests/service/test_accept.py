"""Which media type an Accept header asks for."""

import pytest

from service.api.negotiation import quality

RECORD = "application/vnd.blattwerk.record+json;v=1"


@pytest.mark.parametrize(
    ("accept", "media_type", "weight"),
    [
        ("*/*", "application/json", 1.0),
        ("application/*", "application/json", 1.0),
        ("Application/JSON", "application/json", 1.0),
        ("text/html, application/xml;q=0.9", "application/json", 0.0),
        ("text/html, */*;q=0.8", "application/json", 0.8),
        ("application/json;q=0", "application/json", 0.0),
        ("*/*, application/json;q=0", "application/json", 0.0),
        ("application/json;q=0, */*", "application/json", 0.0),
        ("application/json", RECORD, 1.0),
        ("application/vnd.blattwerk.record+json", RECORD, 1.0),
        ("text/plain", RECORD, 0.0),
        ("application/json;q=7", "application/json", 1.0),
        ("", "application/json", 0.0),
    ],
)
def test_the_most_specific_range_decides(accept: str, media_type: str, weight: float) -> None:
    assert quality(accept, media_type) == weight
