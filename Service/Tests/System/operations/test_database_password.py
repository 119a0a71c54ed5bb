"""The places of the password for PostgreSQL, with a server that demands one (SCRAM)."""

import os
import pathlib
import subprocess

import pytest

import postgres
from service import Service, running

PASSWORD = "correct-horse"
WRONG = "wrong-battery"


class GuardedServer:
    """A server that demands a password of the role `guarded`, and the database of a service."""

    def __init__(self, server: postgres.Server, directory: pathlib.Path):
        self.place = server.place
        self._keys = directory / "keys"
        postgres.execute(server.url, f"CREATE ROLE guarded LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text("host all guarded all scram-sha-256\n" + rules.read_text())
        server.configure("password_encryption = 'scram-sha-256'")
        node = Service(directory, "--key-file", str(self._keys))
        node.database = postgres.new_database(server.url)
        self._database = node.database.rsplit("/", 1)[1]
        with running(node):
            pass

    def use(self, variables: dict[str, str], parameters: str = "", user: str = "guarded") -> tuple[bool, str]:
        """Runs a command on the database. Returns whether it worked, and what it wrote."""
        # The password file of the person who runs the tests must have no effect.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PGPASS")}
        url = f"postgresql://{user}@{self.place}/{self._database}?{parameters}"
        done = subprocess.run(
            [postgres.BINARY, "app", "list", "--database", url, "--key-file", self._keys], capture_output=True,
            text=True, timeout=30, env={**environment, "HOME": "/nonexistent", **variables})
        output = done.stdout + done.stderr
        assert PASSWORD not in output and WRONG not in output
        return done.returncode == 0, output


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with postgres.own_server() as server:
        yield GuardedServer(server, tmp_path_factory.mktemp("guarded"))


def password_file(path: pathlib.Path, password: str = PASSWORD) -> str:
    path.write_text(f"*:*:*:guarded:{password}\n")
    path.chmod(0o600)
    return str(path)


def assert_works(result: tuple[bool, str]) -> None:
    worked, output = result
    assert worked, output


def assert_refused(result: tuple[bool, str], reason: str) -> None:
    worked, output = result
    assert not worked and reason in output, output


def test_without_a_password_the_server_refuses(guarded):
    assert_refused(guarded.use({}), "no password supplied")


def test_the_password_is_in_a_variable(guarded):
    assert_works(guarded.use({"PGPASSWORD": PASSWORD}))


def test_the_password_is_in_a_file_that_a_variable_names(guarded, tmp_path):
    assert_works(guarded.use({"PGPASSFILE": password_file(tmp_path / "passwords")}))


def test_the_password_is_in_a_file_that_the_url_names(guarded, tmp_path):
    assert_works(guarded.use({}, f"passfile={password_file(tmp_path / 'passwords')}"))


def test_the_password_is_a_credential_of_systemd(guarded, tmp_path):
    password_file(tmp_path / "prelude-session-pgpass")
    assert_works(guarded.use({"CREDENTIALS_DIRECTORY": str(tmp_path)}))


def test_the_password_is_alone_in_a_file_of_the_setting(guarded, tmp_path):
    file = tmp_path / "password"
    file.write_text(PASSWORD + "\n")
    assert_works(guarded.use({"PRELUDE_SESSION_DATABASE_PASSWORD_FILE": str(file)}))
    file.write_text(WRONG)
    assert_refused(guarded.use({"PRELUDE_SESSION_DATABASE_PASSWORD_FILE": str(file)}), "password authentication failed")


def test_the_url_counts_before_the_credential(guarded, tmp_path):
    password_file(tmp_path / "prelude-session-pgpass", WRONG)
    own = password_file(tmp_path / "own")
    assert_works(guarded.use({"CREDENTIALS_DIRECTORY": str(tmp_path)}, f"passfile={own}"))


def test_a_file_that_others_can_read_is_not_used(guarded, tmp_path):
    file = tmp_path / "passwords"
    password_file(file)
    file.chmod(0o644)
    assert_refused(guarded.use({"PGPASSFILE": str(file)}), "no password supplied")


@pytest.mark.parametrize("place", ["URL", "PGPASSWORD", "PGPASSFILE", "passfile", "credential"])
def test_a_wrong_password_is_refused_and_not_shown(guarded, tmp_path, place):
    file = password_file(tmp_path / "prelude-session-pgpass", WRONG)
    variables = {
        "PGPASSWORD": {"PGPASSWORD": WRONG}, "PGPASSFILE": {"PGPASSFILE": file},
        "credential": {"CREDENTIALS_DIRECTORY": str(tmp_path)},
    }.get(place, {})
    parameters = f"passfile={file}" if place == "passfile" else ""
    user = f"guarded:{WRONG}" if place == "URL" else "guarded"
    assert_refused(guarded.use(variables, parameters, user), 'password authentication failed for user "guarded"')
