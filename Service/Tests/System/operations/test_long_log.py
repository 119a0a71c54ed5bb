"""Tests the log of the embedded database while another program reads it in a transaction that does not end."""

import json
import sqlite3
import time
import urllib.request
from contextlib import closing

import postgres
from operator_api import Management
from service import Service, running
from transport import Transport

LIMIT = 64 << 20


def reasons(service: Service) -> dict:
    with urllib.request.urlopen(service.url + "/readyz", timeout=10) as answer:
        return json.load(answer).get("reasons", {})


def shown_size(service: Service) -> int:
    headers = [("Authorization", f"Bearer {service.key}")]
    text = Transport(service.url).send("GET", "/metrics", None, headers).body.decode()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("prelude_session_database_log_bytes "))


@postgres.only_embedded
def test_a_long_log_is_a_warning_and_shrinks_after_the_reader_has_ended(tmp_path):
    with running(Service(tmp_path)) as service:
        path = service.database.removeprefix("sqlite:")
        log = tmp_path / "session.sqlite-wal"
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            with closing(sqlite3.connect(path, isolation_level=None)) as reader:
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                writer.execute("CREATE TABLE filler (bytes BLOB)")
                writer.execute("INSERT INTO filler VALUES (zeroblob(80000000))")
                writer.execute("DROP TABLE filler")
                for limit in 10, 11:
                    Management(service).expect(200, "PUT", "/config/limits", {"app_sends_per_day": limit})
                size = log.stat().st_size
                assert size > LIMIT and shown_size(service) >= size
                deadline = time.monotonic() + 10
                # A check is a second old at most.
                while not (found := reasons(service).get("database_log")) and time.monotonic() < deadline:
                    time.sleep(0.1)
                assert found["level"] == "warning" and "-wal" in found["message"]
                assert service.log().count("database_log: the file -wal") == 1
            writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            for limit in 12, 13:
                Management(service).expect(200, "PUT", "/config/limits", {"app_sends_per_day": limit})
            assert log.stat().st_size == LIMIT == shown_size(service)
