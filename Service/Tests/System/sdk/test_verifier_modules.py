"""Tests DPoP in the modules of Examples: the vectors, requests with the service's tokens, replays, nonces, URLs."""

import json
import shutil
import subprocess
import sys


import pytest

import snippets
from dpop import make_dpop
from keys import unverified_header
from operator_api import Management
from person import Person
from service import APP, ROOT
from transport import Transport
from verifier_process import MODULES, Refused, VerifierProcess
from waiting import wait_until

RESOURCE = "https://api.example.com"
VECTORS = json.loads((ROOT / "Vectors" / "dpop-proofs.json").read_text())


@pytest.fixture(scope="module", params=MODULES)
def module(request, tmp_path_factory):
    process = VerifierProcess(request.param, tmp_path_factory.mktemp(request.param))
    yield process
    process.stop()


def ask(module, requests: list[dict], **changes) -> list[dict]:
    """Sends requests to one verifier and returns its answers."""
    arguments = {
        "keys": VECTORS["jwks"]["keys"], "issuer": VECTORS["issuer"], "audience": VECTORS["audience"],
        "resource": VECTORS["resource"], "now": 0, **changes,
    }
    return module.call("requests", requests=requests, **arguments)


# Vectors


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["name"])
def test_the_vectors_are_accepted_or_rejected_as_listed(module, vector):
    request = {
        "method": vector["method"], "target": vector["url"].removeprefix(RESOURCE),
        "authorization": "DPoP " + vector["access_token"], "proofs": vector["proofs"],
    }
    [result] = ask(module, [request], now=vector["time"])
    if vector["accepted"]:
        assert "user" in result
    else:
        assert (result["reason"], result["status"]) == (vector["reason"], 401)
        assert result["headers"]["WWW-Authenticate"].startswith("DPoP error=")


# The service's tokens


@pytest.fixture
def bound(shared):
    """A user with a bound token, and the arguments of a verifier for it."""
    Management(shared).expect(200, "PUT", "/config/sessions", {"access_token_binding": "dpop"})
    person = Person.signed_in(shared)
    Management(shared).expect(200, "PUT", "/config/sessions", {"access_token_binding": "none"})
    keys = Transport(shared.url).send("GET", "/.well-known/jwks.json").json["keys"]
    return person, {"keys": keys, "issuer": person.claims()["iss"], "audience": APP, "now": person.claims()["iat"]}


def order(person: Person, proofs: int = 1, scheme: str = "DPoP", target: str = "/orders?page=2", **changes) -> dict:
    members = {
        "key": person.device.key, "method": "GET", "url": RESOURCE + "/orders", "access_token": person.access_token,
        "iat": person.claims()["iat"], **changes,
    }
    return {
        "method": "GET", "target": target, "authorization": f"{scheme} {person.access_token}",
        "proofs": [make_dpop(**members) for _ in range(proofs)],
    }


def test_a_bound_token_of_the_service_needs_a_proof_of_its_key(shared, module, bound):
    person, arguments = bound
    stranger = Person.signed_in(shared)
    once = order(person)
    requests = {
        "valid": (once, None),
        "the same proof again": (once, "replayed_proof"),
        "another proof": (order(person), None),
        "no proof": (order(person, proofs=0), "missing_proof"),
        "an unpaired surrogate in a proof": (order(person, jti="\ud800"), "invalid_proof"),
        "two proofs": (order(person, proofs=2), "missing_proof"),
        "as a bearer token": (order(person, scheme="Bearer"), "bound_token"),
        "another key": (order(person, key=stranger.device.key), "wrong_key"),
        "another token": (order(person, access_token=stranger.access_token), "wrong_access_token"),
        "another method": (order(person, method="POST"), "wrong_method"),
        "another path": (order(person, target="/invoices"), "wrong_target"),
        "another host": (order(person, url="https://evil.example/orders"), "wrong_target"),
        "a request target that names a host": (order(person, target=".evil.example/orders"), "wrong_target"),
        "too old": (order(person, iat=arguments["now"] - 61), "stale_proof"),
        "too new": (order(person, iat=arguments["now"] + 61), "stale_proof"),
        "another scheme": (order(person, scheme="Basic"), "missing_credentials"),
    }
    results = ask(module, [request for request, _ in requests.values()], **arguments)
    assert [result.get("reason") for result in results] == [reason for _, reason in requests.values()]
    without = dict(arguments, resource=None)
    [refused] = ask(module, [order(person)], **without)
    assert (refused["reason"], refused["headers"]["WWW-Authenticate"]) == (
        "dpop_not_offered", 'Bearer error="invalid_token"')


def test_a_token_that_is_not_bound_is_rejected_with_a_proof(shared, module, bound):
    _, arguments = bound
    person = Person.signed_in(shared)
    [result] = ask(module, [order(person)], **arguments)
    assert result["reason"] == "unbound_token"


def test_a_proof_needs_a_nonce_if_the_backend_uses_nonces(module, bound):
    person, arguments = bound
    arguments = {**arguments, "secret": "07" * 32}
    [refused] = ask(module, [order(person)], **arguments)
    assert refused["reason"] == "nonce_required"
    assert refused["headers"]["WWW-Authenticate"] == 'DPoP error="use_dpop_nonce", algs="ES256"'
    nonce, now = refused["headers"]["DPoP-Nonce"], arguments["now"]
    # The nonce decides whether a proof is fresh, not the clock of the device.
    requests = [
        order(person, nonce=nonce), order(person, nonce=nonce, iat=now - 9999), order(person, nonce="another"),
        {**order(person, nonce=nonce), "now": now + 120},
    ]
    results = ask(module, requests, **arguments)
    assert [result.get("reason") for result in results] == [None, None, "nonce_required", "nonce_required"]


def test_both_modules_issue_the_same_nonces(bound, tmp_path_factory):
    person, arguments = bound
    nonces = set()
    for language in MODULES:
        process = VerifierProcess(language, tmp_path_factory.mktemp(language))
        [refused] = ask(process, [order(person)], **arguments, secret="07" * 32)
        nonces.add(refused["headers"]["DPoP-Nonce"])
        process.stop()
    assert len(nonces) == 1


# Proves: K8
def test_tokens_with_the_name_of_rfc_9864_are_accepted(service, module):
    """An app can write Ed25519 instead of EdDSA. The modules accept both names before and after."""
    management = Management(service)
    before = Person.signed_in(service)
    assert management.expect(200, "PATCH", "", {"signing_algorithm": "Ed25519"})["signing_algorithm"] == "Ed25519"
    management.expect(200, "POST", "/signing-keys/rotate", {"purpose": "access", "emergency": True})
    wait_until(lambda: unverified_header(Person.signed_in(service).access_token)["alg"] == "Ed25519")
    person = Person.signed_in(service)
    top = unverified_header(person.access_token)
    keys = Transport(service.url).send("GET", "/.well-known/jwks.json").json["keys"]
    published = next(key for key in keys if key["kid"] == top["kid"])
    assert (published["kty"], published["crv"], published["alg"]) == ("OKP", "Ed25519", "Ed25519")
    assert person.device.sessions(person.access_token).status == 200
    claims = person.claims()
    for names in ({"alg": "Ed25519"}, {"alg": "EdDSA"}):
        assert module.call(
            "verify", token=person.access_token, keys=[{**published, **names}], issuer=claims["iss"], audience=APP,
            now=claims["iat"]) == claims["sub"]
    assert unverified_header(before.access_token)["alg"] == "EdDSA"


# Values


#: A URL, and its origin and path (RFC 3986 §6.2), or `None`.
URLS = {
    "https://api.example.com": ["https://api.example.com", "/"],
    "HTTPS://API.example.com:443/A/b": ["https://api.example.com", "/A/b"],
    "http://api.example.com:80/": ["http://api.example.com", "/"],
    "https://api.example.com:8443/?a#b": ["https://api.example.com:8443", "/"],
    "https://api.example.com:/a": ["https://api.example.com", "/a"],
    "https://api.example.com?a=/b": ["https://api.example.com", "/"],
    "https://[::1]:8080/a": ["https://[::1]:8080", "/a"],
    f"https://a.example:{'0' * 40}443/a": ["https://a.example", "/a"],
    "https://a.example/%7Eb/%2f%2F/%c3%a9": ["https://a.example", "/~b/%2F%2F/%C3%A9"],
    "https://a.example/./b/../c/..": ["https://a.example", "/"],
    "https://a.example/b/.": ["https://a.example", "/b/"],
    "https://a.example/../../b": ["https://a.example", "/b"],
    "https://a.example/b/%2e%2E/c": ["https://a.example", "/c"],
    "https://a.example//b//": ["https://a.example", "//b//"],
    **dict.fromkeys([
        "", "/a", "a.example", "ftp://a.example/", "https://", "https:///a", "https://u@a.example/", "https://a.example:0/",
        "https://a.example:65536/", "https://a.example:8x/", "https://[::1/", "https://a.example/%2", "https://a.example/%zz",
        "https://a.example/ ", "https://a.example/\n", "https://é.example/", "https://a.example/é", " https://a.example/",
        "https://a.example:80:90/", "http\u017f://a.example/", "https://a.example/?é", "https://a.example/#é", "https://a[b/",
        "https://[::1]x/", "https://a.example:00/",
    ]),
}


@pytest.mark.parametrize("service, resource, issuer", [
    ("https://auth.example.com", "https://api.example.com/v1/", "auth.example.com"),
    ("https://AUTH.example.com:8443/", "https://api.example.com", "auth.example.com"),
    ("http://localhost:8080", "http://127.0.0.1:3000", "localhost"), ("http://[::1]", "http://[::1]:3000", "[::1]"),
    ("http://auth.example.com", "https://api.example.com", None), ("https://auth.example.com", "http://api.example.com", None),
    ("http://localhost.example.com", "https://api.example.com", None), ("http://10.0.0.7", "https://api.example.com", None),
    ("https://auth.example.com/keys", "https://api.example.com", None), ("https://a.example", "https://b.example?x", None),
])
def test_keys_and_tokens_are_sent_over_tls_or_the_loopback_interface_only(module, service, resource, issuer):
    """The rules of the Swift verifier. Who changes the keys on their way can sign any token."""
    if issuer:
        assert module.call("create", service=service, resources=[resource]) == issuer
    else:
        with pytest.raises(Refused):
            module.call("create", service=service, resources=[resource])


def test_urls_are_normalized(module):
    assert dict(zip(URLS, module.call("normalize", urls=list(URLS)))) == URLS


# Proves: K10
def test_the_memory_of_proofs_is_bounded(module):
    """Each proof has an end, a user and a time. One user gets a sixteenth of the places."""
    end, later = 1000, 2000
    full = "replay_memory_full"
    proofs = [
        ("a", end, "u1", 0), ("a", end, "u1", 1), ("b", end, "u1", 2), ("c", end, "u1", 3), ("c", end, "u2", 4),
        ("a", later, "u2", 5), ("d", later, "u2", 1050), ("a", later, "u1", 1051), ("d", later, "u2", 1052),
    ]
    expected = [True, False, True, full, True, False, True, True, False]
    assert module.call("replays", capacity=32, proofs=proofs) == expected
    many = [(f"p{number}", end, f"u{number}", 0) for number in range(33)]
    assert module.call("replays", capacity=32, proofs=many) == [True] * 32 + [full]


# The page


def test_the_examples_of_the_page_reject_a_request_without_a_token(tmp_path):
    for language, name in [("python", "app.py"), ("javascript", "app.mjs")]:
        shutil.copy(MODULES[language], tmp_path)
        (tmp_path / name).write_text(snippets.code("verify.md", language))
    (tmp_path / "call.py").write_text(
        "from app import application\n"
        "environ = {'REQUEST_METHOD': 'GET', 'PATH_INFO': '/orders', 'QUERY_STRING': 'page=2'}\n"
        "print(application(environ, lambda status, headers: print(status, dict(headers)['WWW-Authenticate'])))\n")
    (tmp_path / "call.mjs").write_text(
        "import { server } from './app.mjs';\n"
        "server.listen(0, '127.0.0.1', async () => {\n"
        "  const response = await fetch(`http://127.0.0.1:${server.address().port}/orders?page=2`);\n"
        "  console.log(response.status, response.headers.get('www-authenticate'));\n"
        "  server.close();\n"
        "});\n")
    outputs = [
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30)
        for command in ([sys.executable, "-B", "call.py"], ["node", "call.mjs"])]
    assert [output.stdout.splitlines()[-1 if "Bearer" in output.stdout.splitlines()[-1] else 1] for output in outputs] == [
        "401 Rejected Bearer", "401 Bearer"], outputs
