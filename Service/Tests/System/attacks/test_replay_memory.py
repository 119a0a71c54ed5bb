"""Tests that only callers with a valid token write replay memory, so that a stranger cannot fill it."""


import pytest

from device import V1
from dpop import make_dpop
from keys import new_device_key
from person import Person, new_email

PATH = f"{V1}/me/list"


def signed_in_without_key(service) -> Person:
    """Signs in as a browser that sends no proof."""
    person, email = Person(service), new_email()
    verification = person.device.start(email).headers["X-Verification-Token"]
    challenge = person.device.check(verification, person.code(email)).json["challenge_token"]
    answer = person.transport.send(
        "POST", f"{V1}/login/finalize", {"challenge_token": challenge}, [("Sec-Fetch-Site", "same-origin")])
    assert answer.status == 200, answer
    person.access_token = answer.json["access_token"]
    return person


def ended(service, sign_in) -> str:
    """Returns the access token of a session that has ended."""
    person = sign_in(service)
    person.transport.send("POST", f"{V1}/me/revoke?target=mine", None, [person.device.authorization(person.access_token)])
    return person.access_token


# Proves: R20
@pytest.mark.parametrize("sign_in", [Person.signed_in, signed_in_without_key])
def test_a_proof_with_an_invalid_access_token_is_not_remembered(shared, sign_in):
    person = sign_in(shared)
    # A session without a key accepts a proof by any key.
    key = person.device.key if sign_in == Person.signed_in else new_device_key()
    proof = make_dpop(key, "GET", person.transport.url(PATH))

    def status(access_token: str) -> tuple[int, str | None]:
        answer = person.device.send_with(proof, "GET", PATH, None, [("Authorization", f"Bearer {access_token}")])
        return answer.status, answer.code

    header, payload, signature = person.access_token.split(".")
    forged = f"{header}.{payload}.{signature[::-1]}"
    for invalid in (forged, "e30.e30.e30", "", ended(shared, sign_in)):
        assert status(invalid) == (401, "unauthorized")
    assert status(person.access_token) == (200, None)
    assert status(person.access_token) == (400, "invalid_dpop_proof")


#: The calls that need an access token or a refresh token, with the headers that contain it.
BEARER, REFRESH = ("access",), ("refresh",)
CALLS = [
    ("GET", "/me/list", None, BEARER), ("GET", "/me/identifiers", None, BEARER),
    ("POST", "/me/revoke?target=others", None, BEARER),
    ("POST", "/me/password/reset", {"password": "staple of the better kind"}, BEARER),
    ("POST", "/stepup/request", {"scope": "pay"}, BEARER),
    ("POST", "/refresh", None, REFRESH), ("POST", "/revoke", None, REFRESH),
]


def proofs(service) -> int:
    """Returns the number of proofs that the service remembers."""
    return service.sql("SELECT count(*) FROM proofs")[0][0]


@pytest.mark.parametrize(("method", "path", "body", "token"), CALLS, ids=[path for _, path, _, _ in CALLS])
def test_a_proof_by_another_key_than_the_sessions_is_not_remembered(shared, method, path, body, token):
    person = Person.signed_in(shared)
    remembered = proofs(shared)
    assert remembered > 0, "the login has a proof"
    headers = {
        BEARER: [("Authorization", f"Bearer {person.access_token}")],
        REFRESH: [("X-Refresh-Token", person.refresh_token)],
    }[token]
    for _ in range(3):
        proof = make_dpop(new_device_key(), method, person.transport.url(V1 + path))
        answer = person.device.send_with(proof, method, V1 + path, body, headers)
        assert answer.status == 401, answer
    assert proofs(shared) == remembered
    # The session is as it was, and the proof of its refresh is remembered.
    person.refresh()
    assert proofs(shared) > remembered
