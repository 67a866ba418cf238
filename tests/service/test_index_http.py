"""What somebody finds who opens the service's address."""

import re

import httpx
import pytest

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("accept", ["*/*", BROWSER])
def test_the_first_page_says_in_a_few_lines_where_everything_is(service_url: str, accept: str) -> None:
    page = httpx.get(f"{service_url}/", headers={"Accept": accept})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert page.headers["cache-control"] == "public, max-age=300"
    assert "Blattwerk" in page.text
    assert len(page.text.splitlines()) < 10
    named = re.findall(r"(?<=[ ])/[\w./]+", page.text)
    assert named == ["/openapi.json", "/v1/games", "/livez", "/readyz"]
    for path in named:
        assert httpx.get(service_url + path).status_code == 200, path


def test_the_first_page_names_no_software_and_no_version(service_url: str) -> None:
    page = httpx.get(f"{service_url}/")
    assert page.status_code == 200
    text = page.text
    assert re.search("litestar|uvicorn|granian|python|postgres|redis", text, re.IGNORECASE) is None
    assert re.search(r"\d+\.\d+", text.replace("OpenAPI 3.1", "")) is None


def test_the_first_page_can_only_be_read(service_url: str) -> None:
    assert httpx.head(f"{service_url}/").status_code == 200
    refused = httpx.post(f"{service_url}/")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
