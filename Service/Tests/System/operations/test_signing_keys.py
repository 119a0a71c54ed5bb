"""Tests signing keys: each algorithm, a leaked key, and the places of the master keys."""

import json
import os
import subprocess

import postgres
import pytest

from access_token import verify_access_token
from keys import unverified_header
from operator_api import Management
from person import Person
from service import APP, BINARY, Service, master_keys, running
from waiting import wait_until


def key_set(service: Service, path: str = "/.well-known/jwks.json"):
    answer = Person(service).transport.send("GET", path)
    assert answer.status == 200
    return answer


# Proves: T2, K7
@pytest.mark.parametrize(
    ("algorithm", "kty"), [("EdDSA", "OKP"), ("Ed25519", "OKP"), ("ES256", "EC"), ("RS256", "RSA")])
def test_tokens_of_each_algorithm_verify_by_the_published_keys(tmp_path, algorithm, kty):
    with running(Service(tmp_path, "--key-publish-ahead", "6")) as service:
        management = Management(service)
        changed = management.expect(200, "PATCH", "", {"signing_algorithm": algorithm})
        assert changed["signing_algorithm"] == algorithm
        wait_until(lambda: next(
            key for key in management.get("/signing-keys")["signing_keys"]
            if key["purpose"] == "access" and key["state"] == "active")["algorithm"] == algorithm)
        # A process signs with a key after it has known it long enough, which is slightly later than the time in the table.
        wait_until(lambda: unverified_header(Person.signed_in(service).access_token)["alg"] == algorithm)
        person = Person.signed_in(service)
        top = unverified_header(person.access_token)
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


# Proves: K6
def test_a_leaked_key_is_rejected_at_once(service):
    person = Person.signed_in(service)
    leaked = unverified_header(person.access_token)["kid"]
    rotated = service.run("key", "rotate", "--app", APP, "--purpose", "access", "--emergency", "--json")
    assert rotated.returncode == 0, rotated.stderr
    assert [key["state"] for key in json.loads(rotated.stdout)] == ["active"]
    wait_until(lambda: person.device.sessions(person.access_token).status == 401, seconds=10)
    assert leaked not in [key["kid"] for key in key_set(service).json["keys"]]
    assert person.refresh()["sub"].startswith("usr_")
    assert person.device.sessions(person.access_token).status == 200
    names = [event["name"] for event in Management(service).get("/events?limit=100")["events"]]
    assert {"signing_key.rotated", "signing_key.removed"} <= set(names)


def test_rotating_twice_creates_one_successor_without_a_running_service(service):
    service.stop()
    for _ in range(2):
        result = service.run("key", "rotate", "--json")
        assert result.returncode == 0, result.stderr
    states = [(key["purpose"], key["state"]) for key in json.loads(result.stdout)]
    assert states == [
        ("access", "pending"), ("access", "active"), ("challenge", "pending"), ("challenge", "active")]
    assert json.loads(service.run("key", "signing", "--json").stdout) == json.loads(result.stdout)


@pytest.mark.parametrize(
    ("arguments", "word"), [
        (["key", "rotate", "--emergency"], "--app"),
        (["key", "rotate", "--key-publish-ahead", "394"], "key-publish-ahead"),
        (["key", "rotate", "--purpose", "everything"], "purpose"),
        (["key", "rotate", "--app", "zzzzzzz"], "no app"),
    ])
def test_a_harmful_rotation_is_rejected(shared, arguments, word):
    refused = shared.run(*arguments)
    assert refused.returncode != 0 and word in refused.stderr


def with_keys(service: Service, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PRELUDE_SESSION_DATABASE": service.database, **variables}
    return subprocess.run([BINARY, *arguments], env=environment, capture_output=True, text=True, timeout=60)


# Proves: K11
def test_master_keys_from_the_environment_rotate(tmp_path):
    service = Service(tmp_path)
    old, new = master_keys(), master_keys()
    variable = "PRELUDE_SESSION_MASTER_KEYS"
    assert with_keys(service, "app", "create", "Shop", "--id", APP, **{variable: old}).returncode == 0
    assert not list(tmp_path.glob("*.keys")), "no key file is created beside other keys"
    lost = with_keys(service, "key", "reseal", **{variable: new})
    assert lost.returncode != 0 and "lacks" in lost.stderr and variable in lost.stderr
    result = with_keys(service, "key", "reseal", "--json", **{variable: f"{new},{old}"})
    assert json.loads(result.stdout) == [{"resealed": 2}], result.stderr
    assert with_keys(service, "key", "reseal", **{variable: new}).returncode == 0
    assert with_keys(service, "key", "reseal", **{variable: old}).returncode != 0
    for text in (old, new):
        assert text not in lost.stderr + result.stdout + result.stderr


# Proves: K12
def test_a_service_without_the_new_master_key_continues_but_cannot_restart(service):
    """Keys are resealed in the wrong order: the running process does not have the new master key."""
    file = service.directory / "session.sqlite.keys"
    old = json.loads(file.read_text())["keys"]
    person = Person.signed_in(service)
    before = key_set(service).json
    new = {"secret": master_keys()}
    file.write_text(json.dumps({"version": 1, "keys": [new, *old]}))
    result = service.run("key", "reseal")
    assert result.returncode == 0 and "restart" in result.stderr, result.stderr
    # The process reads the stored keys within five seconds, and logs the missing master key.
    wait_until(lambda: key_set(service) and "under the master key" in service.log())
    assert key_set(service).json == before
    assert person.device.sessions(person.access_token).status == 200
    assert person.refresh()["sub"] and Person.signed_in(service).claims()["sub"]
    log = service.log()
    name = log.split("under the master key ")[1].split('"')[1]
    assert len(name) == 8 and log.count("under the master key") == 1
    assert name in result.stderr

    service.stop()
    file.write_text(json.dumps({"version": 1, "keys": old}))
    with pytest.raises(RuntimeError, match=name):
        service.start()
    file.write_text(json.dumps({"version": 1, "keys": [new, *old]}))
    service.start()
    assert key_set(service).json == before
    assert person.refresh()["sub"]
    for secret in [new["secret"], *(key["secret"] for key in old)]:
        assert secret not in service.log() + result.stdout + result.stderr


# Proves: K13
@postgres.only_embedded
def test_a_credential_of_systemd_is_found_without_a_setting(tmp_path):
    service = Service(tmp_path)
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    variables = {"CREDENTIALS_DIRECTORY": str(credentials)}
    assert with_keys(service, "app", "create", "One", **variables).returncode == 0
    made = tmp_path / "session.sqlite.keys"
    assert made.exists(), "without the credential, the file beside the database is used"
    made.rename(credentials / "prelude-session-keys")
    assert with_keys(service, "key", "reseal", **variables).returncode == 0
    assert with_keys(service, "key", "reseal").returncode != 0
    (credentials / "prelude-session-keys").write_text("\n".join(master_keys(2).split(",")))
    assert "lacks" in with_keys(service, "key", "reseal", **variables).stderr


# Proves: K13
@pytest.mark.parametrize(
    ("value", "word"), [
        ("AAAA", "32 bytes"), ("not base64url!", "32 bytes"), ("", "contains no key"), ("twice", "twice"),
        ('{"version": 9, "keys": []}', "not a key file"), ('{"version": 1, "keys": []}', "contains no key"),
    ])
def test_invalid_master_keys_are_rejected(tmp_path, value, word):
    if value == "twice":
        value = ",".join([master_keys()] * 2)
    refused = with_keys(Service(tmp_path), "app", "create", "Shop", PRELUDE_SESSION_MASTER_KEYS=value)
    assert refused.returncode != 0 and word in refused.stderr and "PRELUDE_SESSION_MASTER_KEYS" in refused.stderr
    assert len(value) < 20 or value not in refused.stderr


# Proves: K13
def test_two_places_for_master_keys_are_rejected(tmp_path):
    refused = with_keys(
        Service(tmp_path), "app", "create", "Shop", "--key-file", str(tmp_path / "k"), PRELUDE_SESSION_MASTER_KEYS=master_keys())
    assert refused.returncode != 0 and "Remove one of them" in refused.stderr


@pytest.mark.parametrize(("flag", "value"), [("--key-publish-ahead", "394"), ("--key-rotation-days", "-1")])
def test_rotation_settings_are_checked_at_the_start(tmp_path, flag, value):
    refused = subprocess.run(
        [BINARY, "serve", "--database", f"sqlite:{tmp_path}/s", "--public-url", "https://x.example.com", f"{flag}={value}"],
        capture_output=True, text=True, timeout=30)
    assert refused.returncode != 0 and flag[2:] in refused.stderr
