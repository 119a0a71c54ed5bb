"""Free ports, and bytes over a connection, as no client sends them."""

import contextlib
import itertools
import os
import socket


def _ports():
    """Returns ports below those that Linux and macOS give to connections and to listeners that ask for any port. Each
    process of pytest has ports of its own, and a port comes again only after thousands of others: what a test leaves behind,
    for example a service that still sends to a listener of it, does not meet another test."""
    first, last = 10_000, 32_000
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    own = (last - first) // processes
    first += own * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    # Two runs of the tests on one machine begin at different ports.
    return (first + (os.getpid() + each) % own for each in itertools.count())


_NEXT_PORTS = _ports()


def free_port(host: str = "127.0.0.1") -> int:
    """Returns a port on which nothing listens, for a service or a listener of a test."""
    for port in _NEXT_PORTS:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port


def connect(port: int, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(sent)
    return connection


def received(connection: socket.socket) -> bytes:
    """Returns everything until the service closes the connection."""
    text = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            text += part
    return text
