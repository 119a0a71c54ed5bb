"""Tests claims that an app maps into its access tokens, with a foreign verifier."""

import pytest

from operator_api import Management
from person import Person, new_email


@pytest.fixture(scope="module")
def management(shared) -> Management:
    return Management(shared)


def test_mapped_claims_are_in_the_access_token(shared, management):
    config = management.set("claims", {"mapping": {
        "tier": "free", "limits": {"daily": 5}, "uid": {"$input": "user_id"},
        "email": {"$input": "emails", "$type": "string"}, "emails": {"$input": "emails"},
        "phone": {"$input": "phone_numbers", "$type": "string"}, "from": {"$input": "ip", "$type": "array"},
        "country": {"$input": "country_code"}, "locales": {"$input": "locales"},
        "plan": {"$custom_claim": "plan"}, "nothing": {"$custom_claim": "never_set"},
    }})
    assert config["mapping"]["email"] == {"$input": "emails", "$type": "string"}
    email = new_email()
    person = Person.signed_in(shared, email)
    user = person.claims()["sub"]
    management.expect(200, "PATCH", f"/users/{user}/profile", {"profile": {"plan": {"name": "gold"}}})
    language = ("Accept-Language", "de-AT, en;q=0.5")
    claims = person.take(person.device.refresh(person.refresh_token, headers=[language]))
    mapped = {name: claims[name] for name in config["mapping"]}
    assert mapped == {
        "tier": "free", "limits": {"daily": 5}, "uid": user, "email": email, "emails": [email], "phone": None,
        "from": ["127.0.0.1"], "country": None, "locales": ["de-AT", "en"], "plan": {"name": "gold"}, "nothing": None,
    }


# Proves: R9
def test_claims_are_built_from_live_state_at_each_refresh(shared, management):
    management.set("claims", {"mapping": {"plan": {"$custom_claim": "plan"}}})
    person = Person.signed_in(shared)
    user = person.claims()["sub"]
    assert person.claims()["plan"] is None
    management.expect(200, "PATCH", f"/users/{user}/profile", {"profile": {"plan": "gold"}})
    assert person.refresh()["plan"] == "gold"
    management.expect(200, "PATCH", f"/users/{user}/profile", {"profile": {"plan": None}})
    assert person.refresh()["plan"] is None
    management.set("claims", {"mapping": {}})
    assert "plan" not in person.refresh()


RESERVED = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "scope", "client_id", "cnf", "cc", "amr", "acr"]


@pytest.mark.parametrize("name", RESERVED)
def test_a_reserved_claim_is_rejected_with_its_name(management, name):
    refused = management.send("PUT", "/config/claims", {"mapping": {"tier": "free", name: "mine"}})
    assert (refused.status, refused.code) == (400, "bad_request"), refused
    assert refused.json["message"].startswith(f"mapping.{name} ")


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ({"$input": "password"}, "mapping.x.$input"), ({"$input": "emails", "$type": "number"}, "mapping.x.$type"),
        ({"$custom_claim": "a", "$type": "string"}, "mapping.x"), ({"$other": 1}, "mapping.x"),
        ("long" * 300, "mapping.x"),
    ])
def test_an_invalid_source_is_rejected_with_its_field(management, source, field):
    refused = management.send("PUT", "/config/claims", {"mapping": {"x": source}})
    assert (refused.status, refused.code) == (400, "bad_request"), refused
    assert refused.json["message"].startswith(f"{field} "), refused.json


def test_a_mapping_can_be_created_only_once(management):
    management.set("claims", {"mapping": {}})
    again = management.send("POST", "/config/claims", {"mapping": {}})
    assert (again.status, again.code) == (409, "conflict")
