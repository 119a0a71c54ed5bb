"""Tests the runbook for a database that has leaked together with its master keys."""

import json
import secrets

from operator_api import Management
from person import Person
from service import APP, Service, master_keys


def test_after_a_leak_of_database_and_keys_nothing_that_leaked_is_of_use(service: Service):
    key_file = service.directory / "session.sqlite.keys"
    old = json.loads(key_file.read_text())["keys"]
    person = Person.signed_in(service)
    stored = json.loads(service.run("key", "create", "backend", "--json").stdout)
    stored = stored[0] if isinstance(stored, list) else stored
    leaked = [key["key_id"] for key in json.loads(service.run("key", "signing", "--app", APP, "--json").stdout)]

    # 1. The new master key first, the old one behind it.
    service.stop()
    new = {"secret": master_keys()}
    key_file.write_text(json.dumps({"version": 1, "keys": [new, *old]}))
    # 2. Seal everything with the new one.
    resealed = service.run("key", "reseal")
    assert resealed.returncode == 0 and "--emergency" in resealed.stderr, resealed
    # 3. Remove the old one.
    key_file.write_text(json.dumps({"version": 1, "keys": [new]}))
    # 4. New signing keys at once, and no session.
    assert service.run("key", "rotate", "--app", APP, "--emergency").returncode == 0
    assert service.run("session", "revoke", "--all", "--yes").returncode == 0
    # 5. No management key that is stored.
    assert service.run("key", "revoke", stored["id"]).returncode == 0
    # 6. The configured management key.
    before, service.key = service.key, secrets.token_urlsafe(32)
    service.start()

    kept = {key["key_id"] for key in json.loads(service.run("key", "signing", "--app", APP, "--json").stdout)}
    assert not kept & set(leaked)
    assert person.device.refresh(person.refresh_token).status == 401
    assert person.device.sessions(person.access_token).status == 401
    management = Management(service)
    assert management.expect(200, "GET", "/users") is not None
    service.key = before
    assert Management(service).send("GET", "/users").status == 401
    service.key = secrets.token_urlsafe(32)
    assert Person.signed_in(service).refresh()["sub"]
