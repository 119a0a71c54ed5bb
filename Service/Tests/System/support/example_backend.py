"""Runs the backend of Examples."""

import os
import socket
import subprocess
import time
from contextlib import contextmanager

from service import BINARY
from sockets import free_port
from transport import Transport


@contextmanager
def running_backend(directory, service_url: str, binary=BINARY.parent / "Backend"):
    port = free_port()
    log = open(directory / "backend.log", "ab")
    process = subprocess.Popen(
        [binary],
        env={**os.environ, "SERVICE": service_url, "PORT": str(port)}, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            assert process.poll() is None, (directory / "backend.log").read_text()
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield Transport(f"http://localhost:{port}")
    finally:
        process.kill()
        process.wait(10)
