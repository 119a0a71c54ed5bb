"""Databases on the PostgreSQL server that scripts/test starts."""

import contextlib
import itertools
import os
import pathlib
import re
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[4]
BINARY = ROOT / "Service" / ".build" / "debug" / "prelude-session"

#: The server, if the tests of all services use it. Otherwise they use embedded databases. A missing server is an error: no test
#: of this store is skipped.
SERVER = os.environ["PRELUDE_SESSION_POSTGRES"] if os.environ.get("PRELUDE_SESSION_STORE") == "postgres" else None

#: For tests about the files of the embedded store.
only_embedded = pytest.mark.skipif(SERVER is not None, reason="The services of this run use PostgreSQL.")

_numbers = itertools.count(1)
#: The database of each directory, and the master keys of each database. All nodes have the same ones.
_databases: dict[pathlib.Path, str] = {}
_key_files: dict[str, pathlib.Path] = {}


def execute(server: str, sql: str) -> str:
    """Runs a statement, and returns its rows as lines."""
    done = subprocess.run(
        ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", server],
        input=sql, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


def rows(database: str, statement: str) -> list[tuple]:
    """Runs a statement, and returns its rows. Whole numbers are integers."""
    lines = execute(database, statement).splitlines()
    return [tuple(int(field) if field.isdecimal() else field for field in line.split("|")) for line in lines]


def new_database(server: str) -> str:
    """Creates an empty database and returns its URL."""
    name = f"system_{os.getpid()}_{next(_numbers)}"
    execute(server, f"CREATE DATABASE {name}")
    return re.sub(r"/[^/]*$", f"/{name}", server)


def database(directory: pathlib.Path) -> str | None:
    """Returns the database of the services in a directory. `None`: an embedded one."""
    if not SERVER:
        return None
    if directory not in _databases:
        _databases[directory] = new_database(SERVER)
        _key_files[_databases[directory]] = directory / "session.sqlite.keys"
    return _databases[directory]


def key_file(database: str, variables: dict[str, str]) -> dict[str, str]:
    """Returns the variable that names the master keys of a database."""
    if database not in _key_files or {"PRELUDE_SESSION_MASTER_KEYS", "CREDENTIALS_DIRECTORY"} & {*variables, *os.environ}:
        return {}
    return {"PRELUDE_SESSION_KEY_FILE": str(_key_files[database])}


class Server:
    """A server of its own, which tests may stop."""

    def __init__(self, folder: pathlib.Path, *settings: str, primary: "Server | None" = None, variables: dict | None = None):
        """Starts a server. Settings are lines of its configuration. With a primary, it is a standby. It has these environment
        variables, too."""
        self.folder = folder
        self._variables = variables or {}
        self.url = self._run("standby", primary.folder, *settings) if primary else self._run("start", *settings)
        self.place = self.url.split("@")[1].split("/")[0]

    def restart(self, mode: str) -> None:
        self._run("restart", mode)

    def configure(self, *settings: str) -> None:
        """Changes settings of the running server, each as in its configuration: `name = 'value'`."""
        for setting in settings:
            execute(self.url, f"ALTER SYSTEM SET {setting}")
        execute(self.url, "SELECT pg_reload_conf()")

    def promote(self) -> None:
        self._run("promote")

    def kill(self) -> None:
        """Ends all its processes at once."""
        self._run("kill")

    def freeze(self) -> None:
        """Stops all its processes where they are."""
        self._run("freeze")

    def thaw(self) -> None:
        self._run("thaw")

    def stop(self) -> None:
        self._run("pause")

    def start(self) -> None:
        self._run("resume")

    def delete(self) -> None:
        self._run("stop")

    def _run(self, action: str, *arguments: str) -> str:
        command = [ROOT / "scripts" / "postgres", action, self.folder, *arguments]
        return subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=120, check=True, env={**os.environ, **self._variables},
        ).stdout.strip()


@contextlib.contextmanager
def own_server(*settings: str, primary: Server | None = None, variables: dict | None = None):
    # Not in the folder of a test, which other users cannot enter.
    server = Server(pathlib.Path(tempfile.mkdtemp(prefix="postgres-")), *settings, primary=primary, variables=variables)
    try:
        yield server
    finally:
        server.delete()
