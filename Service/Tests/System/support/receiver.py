"""An operator's backend: a server that records requests and sends the replies that the test sets."""

import json
import queue
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable
from urllib.parse import parse_qs, urlsplit

from certificate_authority import CertificateAuthority
from sockets import free_port


@dataclass
class Received:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


@dataclass
class Reply:
    status: int = 200
    body: bytes | str | dict | list = b""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> bytes:
        match self.body:
            case bytes(): return self.body
            case str(): return self.body.encode()
            case other: return json.dumps(other).encode()


class Receiver:
    """Serves inside a `with` block. `on(path, …)` sets the reply of a path. `received` has the requests, in order."""

    def __init__(self, authority: CertificateAuthority | None):
        self._replies: dict[str, Callable[[Received], Reply]] = {}
        self.received: queue.Queue[Received] = queue.Queue()
        self._server = _Server(("localhost", free_port()), _handler(self))
        self._scheme = "http"
        if authority is not None:
            self._scheme = "https"
            self._server.context = authority.server_context()

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str) -> str:
        return f"{self._scheme}://localhost:{self._server.server_port}{path}"

    def on(self, path: str, reply: Reply | Callable[[Received], Reply]) -> str:
        """Sets the reply of a path, and returns its URL."""
        self._replies[path] = reply if callable(reply) else lambda _: reply
        return self.url(path)

    def next(self, timeout: float = 10) -> Received:
        return self.received.get(timeout=timeout)

    def forget(self) -> None:
        while not self.received.empty():
            self.received.get_nowait()

    def reply(self, received: Received) -> Reply:
        self.received.put(received)
        return self._replies.get(received.path, lambda _: Reply(404))(received)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    context = None

    def __init__(self, address, handler):
        # Use the kind of address (IPv4 or IPv6) that this machine prefers for localhost.
        self.address_family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
        super().__init__(address, handler)

    def finish_request(self, request, client_address):
        # Do the handshake in the connection's own thread, so that a slow client does not block others.
        if self.context is not None:
            request = self.context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        """Ignores clients that close the connection; tests do that on purpose."""


def _handler(receiver: Receiver):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = receiver.reply(Received(self.command, parts.path, query, headers, body))
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.bytes)))
            # Close the connection, so that a stopped receiver cannot answer on an open one.
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(reply.bytes)

        do_GET = do_POST = _answer

        def log_message(self, *_) -> None:
            """Logs nothing; `received` has the requests."""

    return Handler
