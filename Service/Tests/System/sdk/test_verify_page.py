"""Tests that the code in other languages, of Examples, verifies the service's tokens and rejects invalid ones."""

import hashlib
import http.server
import json
import threading

import pytest

import token_builder
from token_builder import AUDIENCE, ISSUER, NOW
from person import Person
from service import APP, ROOT
from sockets import free_port
from transport import Transport
from verifier_process import PROGRAMS, Refused, VerifierProcess, is_installed
from invalid_tokens import INVALID, VALID, INVALID_OF_OTHER_ALGORITHMS, Ring, raw_claims

#: The languages with ES256, RS256 and a cache. These are required; others are tested if they are installed.
WHOLE = ["python", "javascript"]


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    """Starts a process for each language, when it is first used."""
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


@with_a_cache
@pytest.mark.parametrize("change", [
    {"key_ops": "verify"}, {"key_ops": ["sign"]}, {"key_ops": [1, "verify"]}, {"use": "enc"}, {"kty": ["OKP"]},
    {"crv": ["Ed25519"]}, {"d": None},
], ids=json.dumps)
def test_a_key_that_is_not_for_signatures_is_not_used(whole, ring, change):
    with pytest.raises(Refused, match="keys_unavailable"):
        verify(whole, token_builder.token(ring.eddsa), [{**ring.eddsa.jwk, **change}])


@with_a_cache
def test_an_rsa_key_with_the_exponent_1_is_not_used(whole, ring):
    """With this exponent, a signature is its own padded hash."""
    prefix = bytes.fromhex("3031300d060960864801650304020105000420")  # RFC 8017 §9.2, SHA-256

    def forged(text: bytes) -> bytes:
        end = b"\0" + prefix + hashlib.sha256(text).digest()
        return b"\0\1".ljust(256 - len(end), b"\xff") + end

    with pytest.raises(Refused, match="keys_unavailable"):
        verify(whole, token_builder.token(ring.rs256, sign_with=forged), [{**ring.rs256.jwk, "e": "AQ"}])


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
    usable = sorted(key["kid"] for key in published.json["keys"] if key["alg"] != "PS256")
    assert whole.call("fetch", service=shared.url) == {"keys": usable, "maxAge": 300}


@with_a_cache
def test_a_token_is_verified_with_the_cached_keys(shared, whole):
    person = Person.signed_in(shared)
    claims = person.claims()
    user = whole.call(
        "verifyWithCache", service=shared.url, token=person.access_token, issuer=claims["iss"], audience=APP)
    assert user == claims["sub"]


KEYS = {kid: token_builder.Key.generate("EdDSA", kid).jwk for kid in ("k1", "k2", "k3")}


@pytest.fixture(scope="module")
def impostor():
    """A server with variants of the key set response, chosen by the first part of the path."""
    keys = json.dumps({"keys": [KEYS["k1"]]}).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind = self.path.split("/")[1]
            self.send_response({"redirects": 302, "fails": 500}.get(kind, 200))
            if kind == "redirects":
                self.send_header("Location", self.path.replace("redirects", "says-an-hour"))
            if kind == "says-an-hour":
                self.send_header("Cache-Control", "public, max-age=3600")
            if kind == "says-it-in-two-headers":
                self.send_header("Cache-Control", "public")
                self.send_header("Cache-Control", "max-age=77")
            if kind == "was-cached":
                self.send_header("Cache-Control", "max-age=300, public")
                self.send_header("Age", "100")
            self.end_headers()
            self.wfile.write({"talks": b"<html>", "floods": b" " * 300_000 + keys}.get(kind, keys))

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@with_a_cache
@pytest.mark.parametrize("kind, max_age", [
    ("says-an-hour", 3600), ("says-nothing", None), ("was-cached", 200), ("says-it-in-two-headers", 77)])
def test_keys_are_kept_as_long_as_the_response_says(impostor, whole, kind, max_age):
    assert whole.call("fetch", service=f"{impostor}/{kind}") == {"keys": ["k1"], "maxAge": max_age}


@with_a_cache
@pytest.mark.parametrize("kind", ["redirects", "fails", "talks", "floods"])
def test_keys_are_not_read_from_an_invalid_response(impostor, whole, kind):
    with pytest.raises(Refused):
        whole.call("fetch", service=f"{impostor}/{kind}")


DAY = 86_400
DOWN = None
UNKNOWN, UNAVAILABLE = "unknown_key", "keys_unavailable"


def answer(*kids: str, max_age: int | None = 300) -> dict:
    return {"keys": [KEYS[kid] for kid in kids], "maxAge": max_age}


#: Each step has the time, the `kid` of a token, the response of the service if it is called, the expected number of calls,
#: and the expected outcome: the key's id, or a reason. The response `None` is status 503. The rules are those of
#: `KeySetCache` in Swift.
CACHE = {
    "a key set is kept as long as its response says": [
        (0, "k1", answer("k1"), 1, "k1"),
        (299, "k1", answer("k2"), 0, "k1"),
        (300, "k1", answer("k1", "k2"), 1, "k1"),
        (301, "k2", answer(), 0, "k2"),
    ],
    "a busy backend uses the old set during the fetch, and the new one afterwards": [
        (0, "k1", answer("k1"), 1, "k1"),
        (329, "k1", answer("k2"), 1, "k1"),
        (330, "k1", answer("k2"), 0, UNKNOWN),
    ],
    "an idle backend waits for the new set, so that a removed key is rejected": [
        (0, "k1", answer("k1"), 1, "k1"),
        (330, "k1", answer("k2"), 1, UNKNOWN),
    ],
    "an unknown key causes a fetch": [
        (0, "k1", answer("k1"), 1, "k1"),
        (30, "k2", answer("k1", "k2"), 1, "k2"),
        (31, "k2", answer(), 0, "k2"),
    ],
    "unknown keys cause at most two fetches a minute": [
        (second, f"k{second}x", answer("k1"), 1 if second % 30 == 0 else 0, UNKNOWN) for second in range(120)
    ],
    "unknown keys cause no more fetches while the service is down": [
        (0, "k1", answer("k1"), 1, "k1"),
        *((second, f"k{second}x", DOWN, 1 if second % 30 == 0 else 0, UNAVAILABLE) for second in range(30, 120)),
        (120, "k1", DOWN, 0, "k1"),
    ],
    "a short max-age causes no more fetches": [
        (second, "k1", answer("k1", max_age=0), 1 if second % 30 == 0 else 0, "k1") for second in range(120)
    ],
    "a response without max-age is kept for 5 minutes": [
        (0, "k1", answer("k1", max_age=None), 1, "k1"),
        (299, "k1", answer("k1"), 0, "k1"),
        (300, "k1", answer("k1"), 1, "k1"),
    ],
    "a long max-age is limited to an hour": [
        (0, "k1", answer("k1", max_age=DAY), 1, "k1"),
        (3599, "k1", answer("k2"), 0, "k1"),
        (3630, "k2", answer("k2"), 1, "k2"),
    ],
    "old keys are used for a day while the service is down": [
        (0, "k1", answer("k1"), 1, "k1"),
        (300, "k1", DOWN, 1, "k1"),
        (301, "k1", DOWN, 0, "k1"),
        (299 + DAY, "k1", DOWN, 1, "k1"),
        (300 + DAY, "k1", DOWN, 0, UNAVAILABLE),
        (330 + DAY, "k1", answer("k1"), 1, "k1"),
    ],
    "without keys, a fetch is retried after a second": [
        (0, "k1", DOWN, 1, UNAVAILABLE),
        (0.5, "k1", answer("k1"), 0, UNAVAILABLE),
        (1, "k1", answer("k1"), 1, "k1"),
    ],
    "after the clock went back, the set is fetched again": [
        (1000, "k1", answer("k1"), 1, "k1"),
        (500, "k1", answer("k1"), 1, "k1"),
        (501, "k1", answer("k2"), 0, "k1"),
    ],
    "an unusable key set counts as a failure": [
        (0, "k1", answer("k1"), 1, "k1"),
        (300, "k1", {"keys": "none", "maxAge": 300}, 1, "k1"),
        (301, "k3", DOWN, 0, UNAVAILABLE),
    ],
    "a key set without a usable key counts as a failure, and the old keys stay": [
        (0, "k1", answer("k1"), 1, "k1"),
        (300, "k1", answer(), 1, "k1"),
        (331, "k1", {"keys": [{"kty": "AKP", "kid": "k1", "alg": "ML-DSA-44"}], "maxAge": 300}, 1, "k1"),
        (362, "k1", {"keys": [KEYS["k2"]] * 101, "maxAge": 300}, 1, "k1"),
        (363, "k2", DOWN, 0, UNAVAILABLE),
        (392, "k2", answer("k2"), 1, "k2"),
        (393, "k1", DOWN, 0, UNKNOWN),
    ],
    "without keys, an empty key set is retried after a second": [
        (0, "k1", answer(), 1, UNAVAILABLE),
        (1, "k1", answer("k1"), 1, "k1"),
    ],
}


# Proves: K10
@with_a_cache
@pytest.mark.parametrize("name", CACHE)
def test_the_cache_fetches_keys_as_listed(whole, name):
    steps = [{"now": time, "kid": kid, "answer": given} for time, kid, given, *_ in CACHE[name]]
    expected = [{"fetches": fetches, "outcome": outcome} for *_, fetches, outcome in CACHE[name]]
    assert whole.call("cache", steps=steps) == expected


@with_a_cache
def test_concurrent_calls_share_one_fetch(whole):
    result = whole.call("stampede", kid="k1", keys=[KEYS["k1"]], callers=8)
    assert result == {"fetches": 1, "served": 9}


def test_a_fetch_that_hangs_stops_no_later_one_in_python_and_its_late_keys_are_ignored(processes):
    """In JavaScript, a signal ends the fetch."""
    result = processes("python").call("hangs", old=KEYS["k1"], new=KEYS["k2"], after=30)
    assert result == {"fetches": 2, "kid": "k2", "later": "k2"}


def test_a_callback_that_throws_does_not_end_the_process_in_javascript(processes):
    """Node ends a process with an unhandled rejection. In Python, only the thread of the fetch ends."""
    assert processes("javascript").call("failingCallback", kid="k1", keys=[KEYS["k1"]]) == "k1"


@with_a_cache
@pytest.mark.parametrize("escape", [r"\ud800", r"\udc00", r"\ud83d\ud83d"])
def test_text_with_an_unpaired_surrogate_is_rejected(whole, ring, escape):
    """Python cannot encode it, and a token must not end in another error than a rejection."""
    body = raw_claims(sub=f'"usr_{escape}"')
    with pytest.raises(Refused, match="malformed"):
        verify(whole, token_builder.sign(ring.eddsa, token_builder.header(ring.eddsa), body), ring.jwks)
    pair = raw_claims(plan=r'"\ud83d\ude00"')
    assert verify(whole, token_builder.sign(ring.eddsa, token_builder.header(ring.eddsa), pair), ring.jwks) == "usr_1"
