"""Tests that the code of docs/verify.md in other languages verifies the service's tokens and rejects invalid ones."""

import http.server
import json
import threading

import pytest

import token_builder
from token_builder import AUDIENCE, ISSUER, NOW
from person import Person
from service import APP, ROOT
from transport import Transport
from verifier_process import PROGRAMS, Refused, VerifierProcess, is_installed
from invalid_tokens import INVALID, VALID, INVALID_OF_OTHER_ALGORITHMS, Ring, raw_claims

#: The languages with ES256, RS256 and a cache. These are required; others are tested if they are installed.
WHOLE = ["python", "javascript"]


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """Starts the code of the page as a process for each language, when it is first used."""
    running: dict[str, VerifierProcess] = {}

    def process(language: str) -> VerifierProcess:
        if language not in running:
            if language not in WHOLE and not is_installed(language):
                pytest.skip(f"{language} is not installed")
            running[language] = VerifierProcess(language, tmp_path_factory.mktemp(language))
        return running[language]

    yield process
    for process in running.values():
        process.stop()


@pytest.fixture(params=PROGRAMS)
def language(request):
    return request.param


@pytest.fixture
def verifier(processes, language):
    return processes(language)


@pytest.fixture
def whole(processes, request):
    return processes(request.param)


with_a_cache = pytest.mark.parametrize("whole", WHOLE, indirect=True)


@pytest.fixture(scope="module")
def ring():
    return Ring.generate()


def verify(process, token, keys, issuer=ISSUER, audience=AUDIENCE, now=NOW) -> str:
    return process.call("verify", token=token, keys=keys, issuer=issuer, audience=audience, now=now)


# The rules


def test_tokens_of_the_service_are_verified(shared, verifier):
    person = Person.signed_in(shared)
    jwks = Transport(shared.url).send("GET", "/.well-known/jwks.json").json
    claims = person.claims()
    assert verify(verifier, person.access_token, jwks["keys"], claims["iss"], APP, claims["iat"]) == claims["sub"]


@pytest.mark.parametrize("name", VALID)
def test_a_valid_token_is_accepted(verifier, ring, name):
    assert verify(verifier, VALID[name](ring), ring.jwks) == "usr_1"


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_token_is_rejected(verifier, ring, name):
    with pytest.raises(Refused):
        verify(verifier, INVALID[name](ring), ring.jwks)


@pytest.mark.parametrize("alg", ["es256", "rs256"])
def test_other_algorithms_are_verified_where_the_page_says_so(verifier, language, ring, alg):
    token = token_builder.token(getattr(ring, alg))
    if language in WHOLE:
        assert verify(verifier, token, ring.jwks) == "usr_1"
    else:
        with pytest.raises(Refused):
            verify(verifier, token, ring.jwks)


@with_a_cache
@pytest.mark.parametrize("name", INVALID_OF_OTHER_ALGORITHMS)
def test_an_invalid_token_of_another_algorithm_is_rejected(whole, ring, name):
    with pytest.raises(Refused):
        verify(whole, INVALID_OF_OTHER_ALGORITHMS[name](ring), ring.jwks)


def test_the_first_of_two_equal_members_is_never_used(verifier, ring):
    body = raw_claims(sub='"usr_1", "sub": "usr_2"')
    try:
        assert verify(verifier, token_builder.sign(ring.eddsa, token_builder.header(ring.eddsa), body), ring.jwks) == "usr_2"
    except Refused:
        pass  # The parser of the language may reject it.


VECTORS = json.loads((ROOT / "Vectors" / "access-tokens.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["name"])
def test_the_vectors_are_accepted_or_rejected_as_listed(verifier, language, vector):
    def judge():
        return verify(
            verifier, vector["token"], VECTORS["jwks"]["keys"], VECTORS["issuer"], VECTORS["audience"], vector["time"])

    is_readable = language in WHOLE or not vector["name"].startswith(("es256", "rs256"))
    if vector["accepted"] and is_readable:
        assert judge() == vector["user"]
    else:
        with pytest.raises(Refused):
            judge()


# The keys


@with_a_cache
def test_keys_are_fetched_from_the_service(shared, whole):
    published = Transport(shared.url).send("GET", "/.well-known/jwks.json")
    assert published.headers["Cache-Control"] == "public, max-age=300"
    assert whole.call("fetch", service=shared.url) == {"keys": published.json["keys"], "maxAge": 300}


@with_a_cache
def test_a_token_is_verified_with_the_cached_keys(shared, whole):
    person = Person.signed_in(shared)
    claims = person.claims()
    user = whole.call(
        "verifyWithCache", service=shared.url, token=person.access_token, issuer=claims["iss"], audience=APP)
    assert user == claims["sub"]


@pytest.fixture(scope="module")
def impostor():
    """A server with variants of the key set response, chosen by the first part of the path."""
    keys = json.dumps({"keys": [{"kid": "k1"}]}).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind = self.path.split("/")[1]
            self.send_response({"redirects": 302, "fails": 500}.get(kind, 200))
            if kind == "redirects":
                self.send_header("Location", self.path.replace("redirects", "says-an-hour"))
            if kind == "says-an-hour":
                self.send_header("Cache-Control", "public, max-age=3600")
            self.end_headers()
            self.wfile.write(b"<html>" if kind == "talks" else keys)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@with_a_cache
@pytest.mark.parametrize("kind, max_age", [("says-an-hour", 3600), ("says-nothing", 300)])
def test_keys_are_kept_as_long_as_the_response_says(impostor, whole, kind, max_age):
    assert whole.call("fetch", service=f"{impostor}/{kind}") == {"keys": [{"kid": "k1"}], "maxAge": max_age}


@with_a_cache
@pytest.mark.parametrize("kind", ["redirects", "fails", "talks"])
def test_keys_are_not_read_from_an_invalid_response(impostor, whole, kind):
    with pytest.raises(Refused):
        whole.call("fetch", service=f"{impostor}/{kind}")


DAY = 86_400
DOWN = None


def answer(*kids: str, max_age: int = 300) -> dict:
    return {"keys": [{"kid": kid} for kid in kids], "maxAge": max_age}


#: Each step has the time, the `kid` of a token, the response of the service if it is called, the expected number of calls,
#: and the expected keys. The response `None` is status 503.
CACHE = {
    "a key set is kept as long as its response says": [
        (0, "k1", answer("k1"), 1, ["k1"]),
        (299, "k1", answer("k2"), 0, ["k1"]),
        (300, "k1", answer("k1", "k2"), 1, ["k1", "k2"]),
    ],
    "the last key set replaces the previous one": [
        (0, "k1", answer("k1"), 1, ["k1"]),
        (300, "k1", answer("k2"), 1, ["k2"]),
    ],
    "an unknown key causes a fetch": [
        (0, "k1", answer("k1"), 1, ["k1"]),
        (30, "k2", answer("k1", "k2"), 1, ["k1", "k2"]),
        (31, "k2", answer(), 0, ["k1", "k2"]),
    ],
    "a token without a kid causes no fetch": [
        (0, "k1", answer("k1"), 1, ["k1"]),
        (29, None, answer("k1"), 0, ["k1"]),
    ],
    "unknown keys cause at most two fetches a minute": [
        (second, f"k{second}", answer("k1"), 1 if second % 30 == 0 else 0, ["k1"]) for second in range(120)
    ],
    "unknown keys cause no more fetches while the service is down": [
        (0, "k1", answer("k1"), 1, ["k1"]),
        *((second, f"k{second}", DOWN, 1 if second % 30 == 0 else 0, ["k1"]) for second in range(30, 120)),
    ],
    "a short max-age causes no more fetches": [
        (second, "k1", answer("k1", max_age=0), 1 if second % 30 == 0 else 0, ["k1"]) for second in range(120)
    ],
    "a long max-age is limited to an hour": [
        (0, "k1", answer("k1", max_age=DAY), 1, ["k1"]),
        (3599, "k1", answer("k2"), 0, ["k1"]),
        (3600, "k1", answer("k2"), 1, ["k2"]),
    ],
    "old keys are used for a day while the service is down": [
        (0, "k1", answer("k1"), 1, ["k1"]),
        (300, "k1", DOWN, 1, ["k1"]),
        (301, "k1", DOWN, 0, ["k1"]),
        (299 + DAY, "k1", DOWN, 1, ["k1"]),
        (300 + DAY, "k1", DOWN, 0, None),
        (330 + DAY, "k1", answer("k1"), 1, ["k1"]),
    ],
    "without keys, a fetch is retried after a second": [
        (0, "k1", DOWN, 1, None),
        (0.5, "k1", answer("k1"), 0, None),
        (1, "k1", answer("k1"), 1, ["k1"]),
    ],
}


@with_a_cache
@pytest.mark.parametrize("name", CACHE)
def test_the_cache_fetches_keys_as_listed(whole, ring, name):
    steps = [
        {"now": time, "token": token_builder.token(ring.eddsa, {"kid": token_builder.MISSING if kid is None else kid}), "answer": given}
        for time, kid, given, *_ in CACHE[name]]
    expected = [{"fetches": fetches, "keys": keys} for *_, fetches, keys in CACHE[name]]
    assert whole.call("cache", steps=steps) == expected


@with_a_cache
def test_concurrent_calls_share_one_fetch(whole, ring):
    result = whole.call("stampede", token=token_builder.token(ring.eddsa), keys=ring.jwks, callers=8)
    assert result == {"fetches": 1, "served": 8}
