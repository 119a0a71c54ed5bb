"""A proxy between the SDK and the service that forwards every request and fails where a test wants it."""

import http.client
import http.server
import ssl
import threading
from collections import Counter

from sockets import free_port


class FaultyProxy:
    """A proxy with its own origin. `faults` decides by path whether a response is sent to the client."""

    def __init__(self, target_port: int, host: str = "localhost", context: ssl.SSLContext | None = None):
        """`context` makes it a proxy with TLS, at this host."""
        self.target_port = target_port
        self.counts: Counter[str] = Counter()
        #: By path: a function that is called after the service has answered. It returns whether the answer is sent.
        self.faults: dict = {}
        #: The paths whose next request is sent to the service twice. The client receives the second response.
        self.doubled: set = set()
        #: The paths whose next request is kept, unsent, in `kept`. The client loses its connection.
        self.delayed: set = set()
        self.kept: list = []
        self._lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def forward(self):
                proxy.forward(self)

            do_GET = do_POST = do_OPTIONS = forward

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'https' if context else 'http'}://{host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def forward(self, request: http.server.BaseHTTPRequestHandler) -> None:
        path = request.path.split("?")[0].removeprefix("/v1/session")
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in request.headers.items() if name.lower() != "connection"}
        complete = (request.command, request.path, body, headers)
        with self._lock:
            is_delayed, is_doubled = path in self.delayed, path in self.doubled
            self.delayed.discard(path)
            self.doubled.discard(path)
        if is_delayed:
            self.kept.append(complete)
            request.close_connection = True
            request.connection.close()
            return
        if is_doubled:
            self.send(*complete)
        answer, content = self.send(*complete)
        with self._lock:
            # The preflight request of a browser is no call.
            fault = None if request.command == "OPTIONS" else self.faults.pop(path, None)
            self.counts[path] += request.command != "OPTIONS"
        if fault is not None and not fault():
            request.close_connection = True
            request.connection.close()
            return
        request.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                request.send_header(name, value)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    def send(self, method: str, path: str, body: bytes, headers: dict) -> tuple[http.client.HTTPResponse, bytes]:
        """Sends a request to the service, as the client sent it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.target_port, timeout=120)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
