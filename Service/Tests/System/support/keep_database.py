"""Keeps a database of a release for the tests of all later ones: keep_database.py VERSION

Run this with the program of the release before you change its schema for the next one. It writes `databases/VERSION`, with a
database of each store as SQL, and what test_release_databases.py needs to know of it. The keys in it belong to nothing else.
"""

import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "Tests" / "ForeignJudge"))

import postgres
from operator_api import Management
from person import Person
from service import Service

FOLDER = pathlib.Path(__file__).parent / "databases"
PASSWORD = "staple of the better kind"


def fill(service: Service) -> dict:
    """Makes what later versions must keep: a device that is signed in, a password, keys, settings and a webhook."""
    management = Management(service)
    management.expect(200, "PUT", "/config/limits", {"failed_checks_per_day": 19})
    management.expect(200, "PUT", "/config/delivery", {"email": [{
        "type": "smtp", "host": "smtp.example.com", "username": "login", "secret": "of the fixture", "from": "a@example.com"}]})
    management.register("reports:read")
    ada = Person.signed_in(service, "ada@example.com")
    ada.refresh()
    user = ada.claims()["sub"]
    management.expect(204, "PUT", f"/users/{user}/password", {"password": PASSWORD})
    # The change of the password has ended the session.
    ada = Person.signed_in(service, "ada@example.com")
    grace = management.expect(201, "POST", "/users", {
        "identifiers": [{"type": "phone_number", "value": "+33612345678"}], "external_id": "4711", "profile": {"plan": "gold"}})
    key = json.loads(service.run("key", "create", "backend", "--json").stdout)[0]
    return {
        "user": user, "device_key": ada.device.key.as_dict(private=True), "refresh_token": ada.refresh_token, "trusted": ada.device.trusted,
        "other": grace["id"], "management_key": key["key"], "events": len(management.get("/events?limit=100")["events"]),
    }


def keep(folder: pathlib.Path, store: str, database: str | None) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        service = Service(pathlib.Path(temporary), "--key-file", f"{temporary}/keys")
        if database:
            service.database = database
        service.start()
        known = fill(service)
        service.stop()
        if database:
            dump = subprocess.run(
                ["pg_dump", "--no-owner", "--no-privileges", "--inserts", database], capture_output=True, text=True, check=True).stdout
        else:
            connection = sqlite3.connect(service.database.removeprefix("sqlite:"))
            identity = connection.execute("PRAGMA application_id").fetchone()[0], connection.execute("PRAGMA user_version").fetchone()[0]
            dump = "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n" % identity + "\n".join(connection.iterdump()) + "\n"
            connection.close()
        # These two lines of newer servers are unknown to older ones.
        dump = re.sub(r"(?m)^(\\(un)?restrict|SET transaction_timeout).*\n", "", dump)
        (folder / f"{store}.sql").write_text(dump)
        (folder / f"{store}.json").write_text(json.dumps({
            **known, "master_keys": json.loads(pathlib.Path(f"{temporary}/keys").read_text())}, indent=2) + "\n")


def main(version: str) -> None:
    folder = FOLDER / version
    folder.mkdir(parents=True)
    keep(folder, "sqlite", None)
    with postgres.own_server() as server:
        keep(folder, "postgres", postgres.new_database(server.url))


if __name__ == "__main__":
    main(sys.argv[1])
