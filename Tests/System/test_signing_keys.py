"""Signing keys: three algorithms, rotation while people are at it, a leaked key, and the places of the master keys."""

import base64
import json
import os
import subprocess
import threading
import time

import pytest

from access_token import verify_access_token
from conftest import running
from operator_api import Management
from person import Person
from service import APP, BINARY, Service

#: Seconds for which a key is published before it signs; verifiers may keep a key set for five less.
AHEAD = 9


def header(token: str) -> dict:
    part = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def wait_until(condition, seconds: float = 30):
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)
    return answer


def key_set(service: Service, path: str = "/.well-known/jwks.json"):
    answer = Person(service).transport.send("GET", path)
    assert answer.status == 200
    return answer


def master(count: int = 1) -> str:
    """New master keys, the current one first."""
    return ",".join(base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode() for _ in range(count))


@pytest.mark.parametrize(
    ("algorithm", "kty"), [("EdDSA", "OKP"), ("ES256", "EC"), ("RS256", "RSA")])
def test_tokens_of_each_algorithm_verify_by_the_published_keys(tmp_path, algorithm, kty):
    with running(Service(tmp_path, "--key-publish-ahead", "6")) as service:
        management = Management(service)
        changed = management.expect(200, "PATCH", "", {"signing_algorithm": algorithm})
        assert changed["signing_algorithm"] == algorithm
        wait_until(lambda: next(
            key for key in management.get("/signing-keys")["signing_keys"]
            if key["purpose"] == "access" and key["state"] == "active")["algorithm"] == algorithm)
        person = Person.signed_in(service)
        top = header(person.access_token)
        assert (top["alg"], top["typ"]) == (algorithm, "at+jwt")
        published = next(key for key in key_set(service).json["keys"] if key["kid"] == top["kid"])
        assert (published["kty"], published["alg"], published["use"]) == (kty, algorithm, "sig")
        assert not {"d", "p", "q", "dp", "dq", "qi", "oth", "k"} & published.keys()
        claims = verify_access_token(
            person.access_token, {"keys": [published]}, person.transport.host, APP, algorithms=[algorithm])
        assert claims["aud"] == APP
        others = [name for name in ("EdDSA", "ES256", "RS256") if name != algorithm]
        with pytest.raises(Exception):
            verify_access_token(
                person.access_token, {"keys": [published]}, person.transport.host, APP, algorithms=others)
        assert person.device.sessions(person.access_token).status == 200
        assert person.refresh()["sub"] == claims["sub"]


class CachingVerifier:
    """A backend that keeps the key set as long as it may, and asks for it at no other time."""

    def __init__(self, service: Service):
        self.service = service
        self.host = Person(service).transport.host
        self.keys: dict = {}
        self.until = 0.0

    def verify(self, token: str) -> None:
        if time.monotonic() >= self.until:
            asked = time.monotonic()
            answer = key_set(self.service)
            self.until = asked + int(answer.headers["Cache-Control"].split("max-age=")[1])
            self.keys = answer.json
        verify_access_token(token, self.keys, self.host, APP)


def test_rotation_under_load_refuses_nothing(tmp_path):
    """Two services on one database, people who refresh, verifiers that cache the sets of both; keys rotate from the shell."""
    ahead = ["--key-publish-ahead", str(AHEAD)]
    first, second = Service(tmp_path, *ahead), Service(tmp_path, *ahead)
    # The host is part of the issuer and of what proofs are for, so both say the first one's.
    second.flags += ["--public-url", first.url]
    with running(first), running(second):
        verifiers = [CachingVerifier(service) for service in (first, second)]
        maximum = key_set(first).headers["Cache-Control"]
        assert maximum == f"public, max-age={AHEAD - 5}"
        stop, kids, failures, counts = threading.Event(), set(), [], []

        def refresh(service: Service) -> None:
            mine = [CachingVerifier(first), CachingVerifier(second)]
            person = Person.signed_in(service)
            count = 0
            try:
                while not stop.is_set():
                    person.keep(person.device.refresh(person.refresh_token))
                    kids.add(header(person.access_token)["kid"])
                    for verifier in mine:
                        verifier.verify(person.access_token)
                    assert person.device.sessions(person.access_token).status == 200
                    count += 1
            except Exception as error:  # whatever it is, the test is told
                failures.append(repr(error))
            counts.append(count)

        people = [threading.Thread(target=refresh, args=(first,)) for _ in range(3)]
        for thread in people:
            thread.start()
        try:
            for rotation in range(2):
                before = len(kids)
                rotated = first.run(
                    "key", "rotate", "--app", APP, "--key-publish-ahead", str(AHEAD), "--development", "--json")
                assert rotated.returncode == 0, rotated.stderr
                states = [(key["purpose"], key["state"]) for key in json.loads(rotated.stdout)]
                assert ("access", "pending") in states and ("access", "active") in states
                wait_until(lambda: len(kids) > max(before, rotation + 1) or failures)
                # The last key set that does not have it is gone when everybody has verified with the new key.
                wait_until(lambda: all(v.until < time.monotonic() for v in verifiers) or failures)
        finally:
            stop.set()
            for thread in people:
                thread.join(30)
        assert failures == []
        assert len(kids) == 3 and sum(counts) > 20


def test_a_leaked_key_is_refused_at_once(service):
    person = Person.signed_in(service)
    leaked = header(person.access_token)["kid"]
    rotated = service.run("key", "rotate", "--app", APP, "--purpose", "access", "--emergency", "--json")
    assert rotated.returncode == 0, rotated.stderr
    assert [key["state"] for key in json.loads(rotated.stdout)] == ["active"]
    wait_until(lambda: person.device.sessions(person.access_token).status == 401, seconds=10)
    assert leaked not in [key["kid"] for key in key_set(service).json["keys"]]
    assert person.refresh()["sub"].startswith("usr_")
    assert person.device.sessions(person.access_token).status == 200
    names = [event["name"] for event in Management(service).get("/events?limit=100")["events"]]
    assert {"signing_key.rotated", "signing_key.removed"} <= set(names)


def test_rotating_twice_makes_one_successor_and_needs_no_service(service):
    service.stop()
    for _ in range(2):
        told = service.run("key", "rotate", "--json")
        assert told.returncode == 0, told.stderr
    states = [(key["purpose"], key["state"]) for key in json.loads(told.stdout)]
    assert states == [
        ("access", "pending"), ("access", "active"), ("challenge", "pending"), ("challenge", "active")]
    assert json.loads(service.run("key", "signing", "--json").stdout) == json.loads(told.stdout)


@pytest.mark.parametrize(
    ("arguments", "word"), [
        (["key", "rotate", "--emergency"], "--app"),
        (["key", "rotate", "--key-publish-ahead", "394"], "key-publish-ahead"),
        (["key", "rotate", "--purpose", "everything"], "purpose"),
        (["key", "rotate", "--app", "zzzzzzz"], "no app"),
    ])
def test_a_rotation_that_would_harm_is_refused(shared, arguments, word):
    refused = shared.run(*arguments)
    assert refused.returncode != 0 and word in refused.stderr


def with_keys(service: Service, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PRELUDE_SESSION_DATABASE": service.database, **variables}
    return subprocess.run([BINARY, *arguments], env=environment, capture_output=True, text=True, timeout=60)


def test_master_keys_from_the_environment_rotate(tmp_path):
    service = Service(tmp_path)
    old, new = master(), master()
    variable = "PRELUDE_SESSION_MASTER_KEYS"
    assert with_keys(service, "app", "create", "Shop", "--id", APP, **{variable: old}).returncode == 0
    assert not list(tmp_path.glob("*.keys")), "no key file is made beside other keys"
    lost = with_keys(service, "key", "signing", **{variable: new})
    assert lost.returncode != 0 and "lacks" in lost.stderr and variable in lost.stderr
    told = with_keys(service, "key", "reseal", "--json", **{variable: f"{new},{old}"})
    assert json.loads(told.stdout) == [{"resealed": "2"}], told.stderr
    assert with_keys(service, "key", "signing", **{variable: new}).returncode == 0
    assert with_keys(service, "key", "signing", **{variable: old}).returncode != 0
    for text in (old, new):
        assert text not in lost.stderr + told.stdout + told.stderr


def test_a_credential_of_systemd_is_found_by_itself(tmp_path):
    service = Service(tmp_path)
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    variables = {"CREDENTIALS_DIRECTORY": str(credentials)}
    assert with_keys(service, "app", "create", "One", **variables).returncode == 0
    made = tmp_path / "session.sqlite.keys"
    assert made.exists(), "without the credential the file beside the database counts"
    made.rename(credentials / "prelude-session-keys")
    assert with_keys(service, "app", "list", **variables).returncode == 0
    assert with_keys(service, "app", "list").returncode != 0
    (credentials / "prelude-session-keys").write_text("\n".join(master(2).split(",")))
    assert "lacks" in with_keys(service, "app", "list", **variables).stderr


@pytest.mark.parametrize(
    ("value", "word"), [
        ("AAAA", "32 bytes"), ("not base64url!", "32 bytes"), ("", "holds no key"), ("twice", "twice"),
        ('{"version": 9, "keys": []}', "not a key file"), ('{"version": 1, "keys": []}', "holds no key"),
    ])
def test_master_keys_that_cannot_be_are_refused(tmp_path, value, word):
    if value == "twice":
        value = ",".join([master()] * 2)
    refused = with_keys(Service(tmp_path), "app", "list", PRELUDE_SESSION_MASTER_KEYS=value)
    assert refused.returncode != 0 and word in refused.stderr and "PRELUDE_SESSION_MASTER_KEYS" in refused.stderr
    assert len(value) < 20 or value not in refused.stderr


def test_two_places_for_master_keys_are_refused(tmp_path):
    refused = with_keys(
        Service(tmp_path), "app", "list", "--key-file", str(tmp_path / "k"), PRELUDE_SESSION_MASTER_KEYS=master())
    assert refused.returncode != 0 and "take one of them away" in refused.stderr


@pytest.mark.parametrize(("flag", "value"), [("--key-publish-ahead", "394"), ("--key-rotation-days", "-1")])
def test_rotation_settings_are_checked_at_the_start(tmp_path, flag, value):
    refused = subprocess.run(
        [BINARY, "serve", "--database", f"sqlite:{tmp_path}/s", "--public-url", "https://x.example.com", f"{flag}={value}"],
        capture_output=True, text=True, timeout=30)
    assert refused.returncode != 0 and flag[2:] in refused.stderr
