"""The service speaks English and German by `Accept-Language`, in games, rules and problems alone."""

import httpx
import msgspec
import pytest

from domain.registry import CURRENT
from tests.service.client import Player

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


OURS = ("hearts", "herzeln", "romme", "von_herzen")
"""Games whose words are complete; a game that is being written may have none yet."""


@pytest.fixture(scope="module")
def ada(service_url: str) -> Player:
    return Player(service_url, "Ada")


def test_games_and_rules_come_in_the_language_asked_for(service_url: str) -> None:
    for path in ("/v1/games", "/v1/games/hearts", "/v1/games/hearts/rules"):
        english, german = httpx.get(service_url + path), httpx.get(service_url + path, headers=GERMAN)
        assert (english.headers["Content-Language"], german.headers["Content-Language"]) == ("en", "de"), path
        assert "Accept-Language" in english.headers["Vary"], path
        assert english.content != german.content, path
    rules = httpx.get(f"{service_url}/v1/games/hearts/rules", headers=GERMAN).json()
    assert rules["rules"][21]["number"] == "H-22"
    assert rules["rules"][21]["text"].startswith("Wer die ausgespielte Farbe hat, muss bedienen.")
    assert rules["rejections"]["not_your_turn"] == "Jemand anderes ist am Zug."
    options = httpx.get(f"{service_url}/v1/games/romme", headers=GERMAN).json()["options"]["properties"]
    assert "Rauskommen" in options["first_meld_min"]["description"]
    assert options["first_meld_min"]["default"] == 30


def test_an_answer_in_german_changes_none_in_english(service_url: str) -> None:
    before = httpx.get(f"{service_url}/v1/games/romme").json()
    httpx.get(f"{service_url}/v1/games/romme", headers=GERMAN)
    assert httpx.get(f"{service_url}/v1/games/romme").json() == before


def test_problems_come_in_the_language_asked_for(service_url: str, ada: Player) -> None:
    for method, path, status, title in (
        ("GET", "/v1/me", 401, "Ein gültiges Token ist nötig"),
        ("GET", "/nowhere", 404, "Nicht gefunden"),
        ("PUT", "/v1/games", 405, "Methode nicht erlaubt"),
    ):
        german = httpx.request(method, service_url + path, headers=GERMAN)
        english = httpx.request(method, service_url + path)
        assert german.status_code == english.status_code == status
        assert (german.json()["title"], german.json()["code"]) == (title, english.json()["code"])
        assert (german.headers["Content-Language"], english.headers["Content-Language"]) == ("de", "en")
        assert "Accept-Language" in german.headers["Vary"]
    refused = ada.http.get("/v1/tables?limit=x", headers=GERMAN).json()
    assert refused["errors"] == [{"pointer": "#limit", "detail": "muss eine ganze Zahl sein"}]


def test_a_refused_move_says_why_in_the_language_asked_for(ada: Player) -> None:
    table = ada.create("hearts", bots=[1, 2, 3])
    view = ada.start(table)
    move = {"game": "hearts", "decision": view["you"]["decision"], "move": {"type": "pass", "cards": ["2C"]}}
    german = ada.http.post(f"/v1/tables/{table}/moves", json=move, headers=GERMAN).json()
    english = ada.http.post(f"/v1/tables/{table}/moves", json=move).json()
    assert (german["detail"], german["code"]) == ("Es werden genau drei Karten weitergegeben.", english["code"])
    assert english["detail"] == "Exactly three cards are passed."


def test_an_explanation_comes_in_the_language_asked_for(ada: Player) -> None:
    table = ada.create("hearts", bots=[1, 2, 3])
    ada.start(table)
    path = f"/v1/tables/{table}/explain"
    move = {"version": "2", "move": '{"type":"pass","cards":["2C"]}'}
    english = ada.http.get(path, params=move)
    german = ada.http.get(path, params=move, headers=GERMAN)
    assert (english.headers["Content-Language"], german.headers["Content-Language"]) == ("en", "de")
    (said,), (sagt,) = english.json()["answers"], german.json()["answers"]
    assert (said["detail"], sagt["detail"]) == (
        "Exactly three cards are passed.",
        "Es werden genau drei Karten weitergegeben.",
    )
    assert (said["code"], said["rule"]) == (sagt["code"], sagt["rule"])
    assert said["text"] != sagt["text"]


def test_views_and_events_do_not_depend_on_the_language(ada: Player) -> None:
    table = ada.create("herzeln", seats=3, bots=[1, 2])  # not started, so that no bot moves in between
    for path in (f"/v1/tables/{table}", f"/v1/tables/{table}/events?after=0"):
        english, german = ada.http.get(path), ada.http.get(path, headers=GERMAN)
        assert english.content == german.content
        assert "Accept-Language" not in german.headers.get("Vary", "")
        assert "Content-Language" not in german.headers


def test_a_settings_screen_gets_titles_labels_and_what_goes_together(service_url: str) -> None:
    info = httpx.get(f"{service_url}/v1/games/romme", headers=GERMAN).json()
    settings = {setting["option"]: setting for setting in info["settings"]}
    assert list(settings) == list(info["options"]["properties"])
    assert settings["first_meld_min"]["title"] == "Punkte zum Rauskommen"
    assert settings["first_meld_min"]["labels"][2] == {"value": 0, "label": "Ohne"}
    assert settings["rounds"]["depends_on"] == [{"option": "match_end", "values": ["rounds"]}]
    hearts = httpx.get(f"{service_url}/v1/games/hearts").json()["settings"]
    moon = next(setting for setting in hearts if setting["option"] == "moon_rule")
    assert moon["depends_on"] == [{"option": "black_maria", "values": [False]}]


@pytest.mark.parametrize("game", OURS)
def test_every_option_has_a_title_and_every_value_a_label(service_url: str, game: str) -> None:
    info = httpx.get(f"{service_url}/v1/games/{game}").json()
    assert [setting["option"] for setting in info["settings"]] == list(info["options"]["properties"])
    for setting in info["settings"]:
        schema = info["options"]["properties"][setting["option"]]
        assert setting["title"] != setting["option"]
        assert setting["help"] == schema["description"]
        if schema["type"] == "string":
            assert {one["value"] for one in setting["labels"]} == set(schema["enum"]), setting["option"]


def test_cards_contracts_and_melds_have_names(service_url: str) -> None:
    words = httpx.get(f"{service_url}/v1/games/herzeln", headers=GERMAN).json()["words"]
    assert (words["card"]["QS"], words["card"]["AH"], len(words["card"])) == ("Pik-Dame", "Herz-Ass", 53)
    assert words["contract"]["7"] == "Letzter Stich minus"
    assert httpx.get(f"{service_url}/v1/games/romme").json()["words"]["card"]["TC"] == "ten of clubs"
    assert httpx.get(f"{service_url}/v1/games/romme", headers=GERMAN).json()["words"]["kind"]["run"] == "Folge"


@pytest.mark.parametrize("game", OURS)
def test_every_phase_has_a_name(game: str) -> None:
    board = {field.encode_name: field for field in msgspec.structs.fields(CURRENT[game].types.board)}
    phases = msgspec.inspect.type_info(board["phase"].type)
    assert isinstance(phases, msgspec.inspect.LiteralType)
    assert set(CURRENT[game].words["phase"]) == set(phases.values)


def test_a_list_of_languages_has_its_limit(service_url: str) -> None:
    for path in ("/v1/games", "/v1/games/hearts", "/v1/games/hearts/rules"):
        within = httpx.get(service_url + path, headers={"Accept-Language": "de" + ",de" * 300})
        assert (within.status_code, within.headers["content-language"]) == (200, "de")
        refused = httpx.get(service_url + path, headers={"Accept-Language": "de" + "," * 999})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "#Accept-Language")
