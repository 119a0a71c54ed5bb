"""Starts the built service on a free port of the loopback, and stops it by its process id."""

import base64
import os
import pathlib
import secrets
import signal
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import closing, contextmanager

import postgres
from sockets import free_port

ROOT = pathlib.Path(__file__).resolve().parents[4]
#: The folder of this file, with sources in C and lists.
SUPPORT = pathlib.Path(__file__).resolve().parent
BINARY = ROOT / "Service" / ".build" / "debug" / "prelude-session"

#: The app of development mode.
APP = "devapp1"


def master_keys(count: int = 1) -> str:
    """Returns new master keys as text, the current one first."""
    return ",".join(base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode() for _ in range(count))


class Service:
    """A service with one database, one port and one management key. It can be started several times."""

    def __init__(self, directory: pathlib.Path, *flags: str, development: bool = True):
        self.directory = directory
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.database = postgres.database(directory) or f"sqlite:{directory}/session.sqlite"
        #: Configured management keys, separated by commas. Empty: none.
        self.key = secrets.token_urlsafe(32)
        #: The app that serves hosts without an app id.
        self.app = APP
        self.flags = [*(["--development"] if development else []), *flags]
        #: A command that runs the program with its arguments, and variables: for tests that look at the process.
        self.wrapper: list = []
        #: The program. For a test that runs a changed copy of it.
        self.program = BINARY
        self.variables: dict[str, str] = {}
        #: Seconds for which a start may take. An embedded database is read from one end to the other.
        self.patience = 20
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        log = self.open_log()
        self.process = subprocess.Popen(
            [*self.wrapper, self.program, "serve", "--port", str(self.port), "--database", self.database, *self.flags],
            env={
                **os.environ, **postgres.key_file(self.database, self.variables),
                **({"PRELUDE_SESSION_MANAGEMENT_KEY": self.key} if self.key else {}),
                **self.variables,
            },
            stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the service ended with {self.process.returncode}: {self.log()[-500:]}")
            try:
                urllib.request.urlopen(self.url + "/health", timeout=1).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise RuntimeError(f"the service did not answer within {self.patience} seconds")

    def open_log(self):
        """Opens what receives the output of the process."""
        return open(self.directory / "service.log", "ab")

    def kill(self) -> None:
        """Sends SIGKILL and waits for the process."""
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> int:
        """Sends SIGTERM and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    def log(self) -> str:
        """Returns the log. The service writes it on a thread of its own, so this waits until the file stops growing."""
        path = self.directory / "service.log"
        sizes = [-1, path.stat().st_size]
        while self.process and self.process.poll() is None and sizes[-1] != sizes[-2] and len(sizes) < 20:
            time.sleep(0.03)
            sizes.append(path.stat().st_size)
        return path.read_text(errors="replace")

    def sql(self, statement: str) -> list[tuple]:
        """Runs a statement on the database, and returns its rows."""
        if self.database.startswith("postgresql:"):
            return postgres.rows(self.database, statement)
        with closing(sqlite3.connect(self.database.removeprefix("sqlite:"))) as database, database:
            return database.execute(statement).fetchall()

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess:
        """Runs a client or administration command with the service's database and its own credentials."""
        environment = {
            **os.environ,
            "PRELUDE_SESSION_ENDPOINT": self.url,
            "PRELUDE_SESSION_CREDENTIALS": str(self.directory / "credentials"),
            "PRELUDE_SESSION_DATABASE": self.database, **postgres.key_file(self.database, self.variables),
        }
        return subprocess.run(
            [BINARY, *arguments], input=stdin, env=environment, capture_output=True, text=True, timeout=60)


@contextmanager
def running(service: Service):
    """Starts the service, and kills it at the end if it still runs."""
    service.start()
    try:
        yield service
    finally:
        if service.process.poll() is None:
            service.kill()
