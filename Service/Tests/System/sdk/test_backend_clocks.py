"""Tests new access tokens with common libraries, as they are without leeway, on a backend whose clock is behind."""

import json
import os
import subprocess
import sys

import pytest

from person import Person
from shifted_clock import needs_shift, shifted

LIBRARIES = {
    "joserfc": """
from joserfc import jwk, jwt
decoded = jwt.decode(token, jwk.KeySet.import_key_set(keys), algorithms=[algorithm])
required = {"iss": issuer, "aud": audience}
jwt.JWTClaimsRegistry(**{name: {"essential": True, "value": value} for name, value in required.items()}).validate(
    decoded.claims)
""",
    "PyJWT": """
import jwt
key = jwt.PyJWKSet.from_dict(keys)[jwt.get_unverified_header(token)["kid"]]
jwt.decode(token, key, algorithms=[algorithm], issuer=issuer, audience=audience)
""",
}


@needs_shift
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_new_token_is_valid_on_a_backend_whose_clock_is_behind(shared, library):
    person = Person.signed_in(shared)
    keys = person.transport.send("GET", "/.well-known/jwks.json").json

    def verify(seconds: int) -> subprocess.CompletedProcess:
        person.refresh()
        claims = person.claims()
        values = {
            "token": person.access_token, "keys": keys, "issuer": claims["iss"], "audience": claims["aud"],
            "algorithm": "EdDSA"}
        program = f"import json, sys\nglobals().update(json.load(sys.stdin))\n{LIBRARIES[library]}"
        with shifted(-seconds) as variables:
            return subprocess.run(
                [sys.executable, "-c", program], input=json.dumps(values), capture_output=True, text=True,
                env={**os.environ, **variables})

    for seconds in (0, 1, 15, 29):
        result = verify(seconds)
        assert result.returncode == 0, (seconds, result.stderr)
    # The library does look at the clock.
    assert verify(35).returncode != 0
