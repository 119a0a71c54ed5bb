"""Tests that this version takes over the database of each release before it: devices stay signed in, and nothing is lost.

keep_database.py writes the databases.
"""

import json
import pathlib
import sqlite3
import time

import pytest
from joserfc.jwk import ECKey

import postgres
from device import Device
from keep_database import FOLDER, PASSWORD
from operator_api import Management
from person import Person
from service import Service, running
from transport import Transport

RELEASES = sorted(path.name for path in FOLDER.iterdir())


@pytest.fixture(scope="module")
def server():
    with postgres.own_server() as server:
        yield server


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
@pytest.mark.parametrize("release", RELEASES)
def test_the_database_of_a_release_is_migrated_and_keeps_everybody_signed_in(server, tmp_path, release, store):
    known = json.loads((FOLDER / release / f"{store}.json").read_text())
    dump = (FOLDER / release / f"{store}.sql").read_text()
    service = Service(tmp_path, "--key-file", str(tmp_path / "keys"))
    (tmp_path / "keys").write_text(json.dumps(known["master_keys"]))
    (tmp_path / "keys").chmod(0o600)
    # The sessions of the release would have ended some day. They are as old as if the release was of today.
    elapsed = "UPDATE sessions SET idle_expires_at = {0}, absolute_expires_at = {0}".format(int(time.time() + 86_400) * 1000)
    if store == "postgres":
        service.database = postgres.new_database(server.url)
        postgres.execute(service.database, dump)
        postgres.execute(service.database, elapsed)
    else:
        service.database = f"sqlite:{tmp_path}/session.sqlite"
        connection = sqlite3.connect(tmp_path / "session.sqlite")
        connection.executescript(dump + elapsed)
        connection.close()
    migrated = service.run("migrate", "up", "--json")
    assert migrated.returncode == 0, migrated.stderr

    with running(service):
        ada = Person(service)
        ada.device.key = ECKey.import_key(known["device_key"])
        ada.device.trusted, ada.refresh_token = known["trusted"], known["refresh_token"]
        assert ada.refresh()["sub"] == known["user"]
        assert ada.refresh()["sub"] == known["user"]
        checked = Device(Transport(service.url)).password("ada@example.com", PASSWORD)
        assert checked.status == 200, checked
        management = Management(service, key=known["management_key"])
        other = management.get(f"/users/{known['other']}")
        assert (other["external_id"], other["profile"]) == ("4711", {"plan": "gold"})
        assert management.get("/config/limits")["config"]["failed_checks_per_day"] == 19
        assert management.get("/config/delivery")["config"]["email"][0]["host"] == "smtp.example.com"
        assert len(management.get("/events?limit=100")["events"]) >= known["events"]
        assert Person.signed_in(service, "ada@example.com").claims()["sub"] == known["user"]
