"""Tests keys of the management API: configured ones, and those of commands and of the API."""

import json
import os
import pathlib
import secrets
import subprocess

import pytest

from operator_api import Management
from service import APP, BINARY, Service, running
from transport import Transport


def status(service: Service, key: str) -> int:
    headers = [("Authorization", f"Bearer {key}")]
    return Transport(service.url).send("GET", f"/v2/session/apps/{APP}", None, headers).status


def restart(service: Service, keys: list[str]) -> None:
    service.key = ",".join(keys)
    service.start()


# Proves: X13
def test_a_removed_key_is_invalid_at_the_next_start(service):
    old, new = service.key, secrets.token_urlsafe(32)
    assert (status(service, old), status(service, new)) == (200, 401)
    service.stop()
    restart(service, [old, new])
    assert (status(service, old), status(service, new)) == (200, 200)
    service.kill()
    restart(service, [new])
    assert (status(service, old), status(service, new)) == (401, 200)
    assert status(service, f"{old},{new}") == 401


# Proves: X13
def test_a_configured_key_is_in_no_file(service):
    assert status(service, service.key) == 200
    service.stop()
    assert service.run("key", "list").stdout.strip() == ""
    for path in filter(pathlib.Path.is_file, service.directory.iterdir()):
        assert service.key.encode() not in path.read_bytes(), path


def test_the_settings_file_has_one_key_or_a_list(tmp_path):
    one, two = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    for value in (one, [one, two], f"{one}, {two}"):
        (tmp_path / "settings.json").write_text(json.dumps({"managementKey": value}))
        service = Service(tmp_path, "--config", str(tmp_path / "settings.json"))
        service.key = ""
        with running(service):
            assert (status(service, one), status(service, two)) == (200, 401 if value == one else 200)


def serve(directory: pathlib.Path, keys: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [BINARY, "serve", "--development", "--database", f"sqlite:{directory}/s.sqlite"],
        env={**os.environ, "PRELUDE_SESSION_MANAGEMENT_KEY": keys}, capture_output=True, text=True, timeout=30)


# Proves: G1
@pytest.mark.parametrize("key", ["secret", "system-tests-management-key", "a1" * 40, "0123456789" * 5, "short-but-Mixed-12345"])
def test_a_weak_key_is_rejected_at_start(tmp_path, key):
    for keys in (key, f"{secrets.token_urlsafe(32)},{key}"):
        refused = serve(tmp_path, keys)
        assert refused.returncode != 0
        assert f"PRELUDE_SESSION_MANAGEMENT_KEY: key {1 + keys.count(',')} can be guessed" in refused.stderr
        assert "openssl rand -base64 32" in refused.stderr and "128 random bits" in refused.stderr
        assert key not in refused.stderr + refused.stdout
    assert list(tmp_path.iterdir()) == [], "nothing is created"


@pytest.mark.parametrize(("added", "named"), [
    ("\n", "a line break"), ("\r", "a line break"), (" ", "white space"), ("\t", "white space"), ("\u00e9", "a character that is not ASCII"),
    ("\x07", "a control character"),
])
def test_a_key_with_another_character_than_visible_ascii_is_rejected_with_its_kind(tmp_path, added, named):
    key = secrets.token_urlsafe(16) + added + secrets.token_urlsafe(16)
    refused = serve(tmp_path, key)
    assert refused.returncode != 0
    assert f"PRELUDE_SESSION_MANAGEMENT_KEY: key 1 contains {named}. " in refused.stderr, refused.stderr
    assert "can be guessed" not in refused.stderr and key not in refused.stderr


def test_a_key_that_is_configured_twice_is_rejected_at_start(tmp_path):
    key = secrets.token_urlsafe(32)
    refused = serve(tmp_path, f"{key},{key}")
    assert refused.returncode != 0 and "PRELUDE_SESSION_MANAGEMENT_KEY: contains a key twice" in refused.stderr
    assert key not in refused.stderr


def test_the_key_that_the_page_suggests_is_accepted(tmp_path):
    made = subprocess.run(["openssl", "rand", "-base64", "32"], capture_output=True, text=True, check=True)
    service = Service(tmp_path)
    service.key = made.stdout.strip()
    with running(service):
        assert status(service, service.key) == 200


def test_commands_create_list_and_revoke_keys_with_all_that_they_created(service):
    def run(*arguments: str) -> list[dict]:
        result = service.run("key", *arguments, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    [parent] = run("create", "parent", "--app", APP, "--expires-in-days", "30")
    [reader] = run("create", "reader", "--role", "read")
    assert (parent["role"], parent["created_by"], reader["expires"]) == ("write", "command_line", None)
    made = Management(service, key=parent["key"]).expect(201, "POST", "/keys", {"name": "child"})
    configured = Management(service).expect(201, "POST", "/keys", {"name": "of the configured key"})
    assert (made["created_by"], made["expires_at"]) == (parent["id"], parent["expires"])
    assert configured["created_by"] == "configuration"
    refused = Management(service, key=reader["key"]).send("POST", "/keys", {"name": "child"})
    assert (refused.status, refused.code) == (403, "forbidden")

    listed = {key["name"]: key for key in run("list")}
    assert set(listed) == {"parent", "reader", "child", "of the configured key"}
    assert listed["of the configured key"]["created_by"].startswith("mk_configured_")
    assert "key" not in listed["parent"] and listed["reader"]["role"] == "read"
    assert {key["revoked"] for key in run("revoke", parent["id"])} == {parent["id"], made["id"]}
    assert run("revoke", listed["of the configured key"]["created_by"]) == [{"revoked": configured["id"]}]
    assert [status(service, key["key"]) for key in (parent, made, configured, reader)] == [401, 401, 401, 200]
    assert service.run("key", "revoke", parent["id"]).returncode != 0


def test_wrong_keys_of_one_address_are_limited_and_right_ones_are_not(tmp_path):
    service = Service(tmp_path, "--public-url", "https://{app_id}.session.example.com", development=False)
    with running(service):
        headers = [("Authorization", "Bearer psk_wrong")]
        answers = [Transport(service.url).send("GET", "/v2/session/apps", None, headers) for _ in range(21)]
        assert [answer.status for answer in answers] == [401] * 20 + [429]
        assert 590 <= int(answers[-1].headers["Retry-After"]) <= 600
        right = [("Authorization", f"Bearer {service.key}")]
        assert Transport(service.url).send("GET", "/v2/session/apps", None, right).status == 200
