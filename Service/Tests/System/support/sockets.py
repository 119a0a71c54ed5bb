"""Bytes over a connection, as no client sends them."""

import contextlib
import socket


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
