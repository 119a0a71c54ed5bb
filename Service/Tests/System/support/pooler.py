"""PgBouncer between nodes and a PostgreSQL server."""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

import postgres
from sockets import free_port
from waiting import wait_until

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
#: scripts/bootstrap installs it where there is a package. A missing program fails the tests there.
needs_pgbouncer = pytest.mark.skipif(
    not PROGRAM and not shutil.which("apt-get"), reason="PgBouncer cannot be installed")

SETTINGS = """[databases]
* = host=127.0.0.1 port={port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listener}
unix_socket_dir =
auth_type = any
admin_users = postgres
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 200
server_login_retry = 1
"""


@dataclasses.dataclass
class Pooler:
    #: Host and port.
    place: str
    process: subprocess.Popen


@contextlib.contextmanager
def pooler(server: postgres.Server, mode: str, size: int):
    """Runs PgBouncer before a server. Yields a `Pooler`. Each database has this many connections to the server."""
    assert PROGRAM, "PgBouncer is missing. scripts/bootstrap installs it."
    folder, listener = pathlib.Path(tempfile.mkdtemp(prefix="pooler-")), free_port()
    settings = folder / "pgbouncer.ini"
    settings.write_text(SETTINGS.format(port=server.place.split(":")[1], listener=listener, mode=mode, size=size))
    folder.chmod(0o755)
    # It refuses to run as root, as PostgreSQL does.
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    with open(folder / "log", "ab") as log:
        process = subprocess.Popen([PROGRAM, settings], stdout=log, stderr=log, cwd="/", **user)
    place = f"127.0.0.1:{listener}"

    def is_up() -> bool:
        assert process.poll() is None, (folder / "log").read_text()
        command = ["psql", "--no-psqlrc", "--command=SELECT 1", f"postgresql://postgres@{place}/postgres"]
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0

    try:
        wait_until(is_up)
        yield Pooler(place, process)
    finally:
        process.kill()
        process.wait(10)
        shutil.rmtree(folder)
