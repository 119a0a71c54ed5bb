"""Tests that queries are read as forms are, with one reader for the whole service."""

import pytest

from operator_api import Management
from person import new_email
from transport import Transport


@pytest.fixture
def users(shared):
    return Management(shared)


def test_a_plus_sign_is_a_space_and_an_encoded_one_a_plus_sign(users):
    made = {}
    for external_id in ("Ada Lovelace", "Ada+Lovelace", "Åse & Bø=1%"):
        body = {"identifiers": [{"type": "email_address", "value": new_email()}], "external_id": external_id}
        made[external_id] = users.expect(201, "POST", "/users", body)["id"]
    for query, external_id in [
        ("Ada+Lovelace", "Ada Lovelace"), ("Ada%20Lovelace", "Ada Lovelace"), ("Ada%2BLovelace", "Ada+Lovelace"),
        ("%C3%85se+%26+B%C3%B8%3D1%25", "Åse & Bø=1%"),
    ]:
        [found] = users.expect(200, "GET", f"/users?external_id={query}")["users"]
        assert (found["id"], found["external_id"]) == (made[external_id], external_id)


def test_the_at_sign_and_the_plus_of_an_address_are_found(users):
    address = "ada+news@example.com"
    made = users.expect(201, "POST", "/users", {"identifiers": [{"type": "email_address", "value": address}]})
    query = "/users?identifier_type=email_address&identifier_value="
    assert users.get(query + "ada%2Bnews%40example.com")["users"][0]["id"] == made["id"]
    assert users.get(query + "ada%2Bnews@example.com")["users"][0]["id"] == made["id"]


@pytest.mark.parametrize(("query", "message"), [
    ("external_id=%", "external_id must have two hexadecimal digits after each percent sign"),
    ("external_id=a%2", "external_id must have two hexadecimal digits after each percent sign"),
    ("limit=1&external_id=%GG", "external_id must have two hexadecimal digits after each percent sign"),
    ("external_id=%FF", "external_id must be UTF-8"), ("external_id=%C3", "external_id must be UTF-8"),
    ("external_id=a%00", "external_id must not contain U+0000"), ("%FF=1", "query must be UTF-8"),
    ("external_id=a" + "%CD%84" * 65, "external_id must not have more than 128 combining marks in a row"),
])
def test_a_parameter_that_cannot_be_read_is_named_in_both_apis(users, shared, query, message):
    refused = users.send("GET", f"/users?{query}")
    assert (refused.status, refused.json["message"]) == (400, message)
    refused = Transport(shared.url).send("GET", f"/v1/session/password/compliancy?{query}")
    assert (refused.status, refused.code, refused.json["message"]) == (400, "bad_request", message)
