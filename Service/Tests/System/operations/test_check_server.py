"""Tests that `check` finds on a PostgreSQL server what `serve` finds when it starts, with the same words, and changes nothing."""

import contextlib
import os
import re
import socket
import struct
import subprocess
import threading

import pytest

import postgres
from service import BINARY, ROOT, Service, running
from sockets import free_port

URL = "https://{app_id}.example.com"
#: The last migration of PostgreSQL.
NEWEST = max(
    int(number)
    for path in (ROOT / "Service" / "Sources" / "SessionPostgres" / "Schema").glob("[0-9]*.swift")
    for number in re.findall(r"\n        number: (\d+), ", path.read_text()))


@pytest.fixture(scope="module")
def server():
    with postgres.own_server() as server:
        yield server


@pytest.fixture
def made(server, tmp_path):
    """Returns the URL of a database that a service has used."""
    service = Service(tmp_path, "--key-file", str(tmp_path / "keys"), "--public-url", URL, development=False)
    service.database = postgres.new_database(server.url)
    with running(service):
        pass
    return service.database


def run(verb: str, directory, database: str, *flags: str, **variables: str) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PRELUDE_SESSION_", "PG"))}
    return subprocess.run(
        [BINARY, verb, "--public-url", URL, "--port", str(free_port()), "--database", database,
         "--key-file", str(directory / "keys"), *flags],
        cwd=directory, env=environment | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=30)


def refusal(directory, database: str, *flags: str, **variables: str) -> str:
    """Returns the error of `check`, which is that of `serve`."""
    before = sorted(path.name for path in directory.iterdir())
    checked = run("check", directory, database, *flags, **variables)
    assert checked.returncode == 1 and checked.stdout == "", checked
    assert sorted(path.name for path in directory.iterdir()) == before
    served = run("serve", directory, database, *flags, **variables)
    assert served.returncode == 1, served
    assert checked.stderr == served.stderr
    return checked.stderr


def accepted(directory, database: str, *flags: str) -> str:
    checked = run("check", directory, database, *flags)
    assert checked.returncode == 0 and checked.stderr == "", checked
    assert checked.stdout.startswith("The configuration is valid.\n")
    return checked.stdout


def content(database: str) -> str:
    dump = subprocess.run(["pg_dump", "--no-password", database], capture_output=True, text=True, timeout=60, check=True)
    return re.sub(r"^\\(un)?restrict .*$", "", dump.stdout, flags=re.MULTILINE)


def with_user(database: str, user: str) -> str:
    return re.sub(r"//[^@]*@", f"//{user}@", database)


def role(server, name: str, *grants: str, database: str | None = None) -> str:
    name = f"{name}_{free_port()}"
    for statement in (f"CREATE ROLE {name} LOGIN", *(grant.format(role=name) for grant in grants)):
        postgres.execute(database or server.url, statement)
    return name


def test_a_valid_database_is_read_and_not_changed(made, tmp_path):
    before = content(made)
    shown = accepted(tmp_path, made)
    assert "notice" not in shown and content(made) == before
    # The server of the tests does not wait for its disk. The start warns of it, too.
    assert "warning       PostgreSQL has fsync = off" in shown


def test_an_empty_database_stays_empty(server, tmp_path):
    database = postgres.new_database(server.url)
    assert "notice        the database has no tables: the start creates them" in accepted(tmp_path, database)
    assert postgres.execute(database, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0"
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_down_or_lacks_the_database_is_found(server, tmp_path):
    down = f"postgresql://postgres@127.0.0.1:{free_port()}/session"
    assert "Connection refused" in refusal(tmp_path, down)
    absent = re.sub(r"/[^/]*$", "/absent", server.url)
    assert 'database "absent" does not exist' in refusal(tmp_path, absent)
    assert 'role "nobody_here" does not exist' in refusal(tmp_path, with_user(server.url, "nobody_here"))


def test_a_wrong_password_is_found_and_not_shown(tmp_path):
    with postgres.own_server() as server:
        name = role(server, "guarded")
        server.configure("password_encryption = 'scram-sha-256'")
        postgres.execute(server.url, f"ALTER ROLE {name} SUPERUSER PASSWORD 'right-horse'")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text(f"host all {name} all scram-sha-256\n" + rules.read_text())
        server.configure()
        database = with_user(server.url, name)
        for password in ("wrong-horse", None):
            variables = {"PGPASSWORD": password} if password else {"PGPASSFILE": "/nonexistent"}
            error = refusal(tmp_path, database, **variables)
            assert ("password authentication failed" if password else "no password supplied") in error
            assert "wrong-horse" not in error


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_another_encoding_is_found(server, tmp_path, encoding):
    name = f"encoded_{free_port()}"
    postgres.execute(server.url, f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0")
    error = refusal(tmp_path, re.sub(r"/[^/]*$", f"/{name}", server.url))
    assert f"the database has the encoding {encoding}" in error and "Create it with the encoding UTF8" in error


def test_missing_rights_are_found(server, made, tmp_path):
    empty = postgres.new_database(server.url)
    visitor = role(server, "visitor")
    error = refusal(tmp_path, with_user(empty, visitor))
    assert f"the role {visitor} may not create tables in the schema public" in error
    assert f"GRANT CREATE ON SCHEMA public TO {visitor}" in error
    node = role(server, "node", "GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}", database=made)
    accepted(tmp_path, with_user(made, node))
    postgres.execute(made, f"REVOKE DELETE ON sessions FROM {node}")
    assert f"the role {node} lacks rights on sessions" in refusal(tmp_path, with_user(made, node))


def test_the_schema_is_compared(server, made, tmp_path):
    postgres.execute(made, "ALTER TABLE users DROP COLUMN locale; UPDATE prelude_session SET schema = 14")
    before = content(made)
    notice = f"notice        the start migrates the database from schema 14 to {NEWEST}. Back up before"
    assert notice in accepted(tmp_path, made) and content(made) == before
    node = role(
        server, "node", "GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}", "GRANT CREATE ON SCHEMA public TO {role}",
        database=made)
    assert f"the role {node} does not own the table sessions" in refusal(tmp_path, with_user(made, node))
    postgres.execute(made, "UPDATE prelude_session SET schema = 99, usable_from = 14")
    assert "a newer version has migrated the database to schema 99" in accepted(tmp_path, made)
    postgres.execute(made, "UPDATE prelude_session SET usable_from = 99")
    assert "has schema 99, and this prelude-session" in refusal(tmp_path, made)


def test_apps_and_master_keys_are_compared(made, tmp_path):
    keys = str(tmp_path / "keys")
    created = subprocess.run(
        [BINARY, "app", "create", "Shop", "--id", "abc1234", "--database", made, "--key-file", keys],
        capture_output=True, text=True, timeout=30)
    assert created.returncode == 0, created.stderr
    accepted(tmp_path, made, "--default-app", "abc1234")
    error = refusal(tmp_path, made, "--default-app", "abc1243")
    assert "there is no app abc1243 in postgresql://" in error and "Did you mean abc1234?" in error
    (tmp_path / "keys").rename(tmp_path / "elsewhere")
    assert "is missing, and the database has apps" in refusal(tmp_path, made)
    (tmp_path / "keys").write_text('{"version": 1, "keys": [{"secret": "%s"}]}' % ("A" * 43))
    (tmp_path / "keys").chmod(0o600)
    assert "stored keys or secrets are sealed with it" in refusal(tmp_path, made)


# Versions


class Greeter:
    """Speaks the start of the protocol of PostgreSQL as a server of this version does, and answers `off` to each query."""

    def __init__(self, version: str):
        self._version = version
        self._socket = socket.create_server(("127.0.0.1", free_port()))
        self.url = f"postgresql://a@127.0.0.1:{self._socket.getsockname()[1]}/b?sslmode=disable&gssencmode=disable"
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "Greeter":
        return self

    def __exit__(self, *_) -> None:
        self._socket.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                with client, contextlib.suppress(OSError):
                    self._greet(client)

    def _greet(self, client: socket.socket) -> None:
        client.recv(4096)
        settings = {"server_version": self._version, "server_encoding": "UTF8", "client_encoding": "UTF8"}
        client.sendall(
            message(b"R", struct.pack(">i", 0))
            + b"".join(message(b"S", f"{name}\0{value}\0".encode()) for name, value in settings.items())
            + message(b"K", struct.pack(">ii", 1, 1)) + message(b"Z", b"I"))
        while client.recv(4096):
            column = b"a\0" + struct.pack(">ihihih", 0, 0, 25, -1, -1, 0)
            client.sendall(
                message(b"T", struct.pack(">h", 1) + column) + message(b"D", struct.pack(">hi", 1, 3) + b"off")
                + message(b"C", b"SHOW\0") + message(b"Z", b"I"))


def message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack(">i", len(body) + 4) + body


def test_a_version_that_is_too_old_is_found(tmp_path):
    with Greeter("13.22 (Debian 13.22-0+deb11u1)") as old:
        error = refusal(tmp_path, old.url)
    assert "the server is PostgreSQL 13.22 (Debian 13.22-0+deb11u1), and this program needs 14 or later" in error
