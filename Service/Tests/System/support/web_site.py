"""A web site on the loopback: the pages and the backend of an app that uses the browser client,
and the proxy at which they reach the service: another origin of the same site."""

import contextlib
import http.server
import json
import pathlib
import ssl
import threading

from faulty_proxy import FaultyProxy
from service import ROOT, Service, running
from sockets import free_port

#: Tests run their own scripts in this page.
EMPTY_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,">
</html>"""

#: The paths of the checkout, as a server of the checkout has them.
MODULE = "/clients/web/prelude-session.js"
FILES = {
    MODULE: "text/javascript", "/Examples/Web/app.js": "text/javascript",
    "/Examples/Web/index.html": "text/html; charset=utf-8",
}


class WebSite:
    """Serves the pages. `/api` answers with the headers that it got, after the responses in `scripted`."""

    def __init__(self, host: str = "localhost", context: ssl.SSLContext | None = None):
        #: The content of every path that is no file.
        self.page = EMPTY_PAGE
        #: The service that the example is to use.
        self.endpoint = "http://localhost:8080"
        #: Status and headers of the next responses of `/api`.
        self.scripted: list[tuple[int, dict]] = []
        self.calls: list[dict] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                path = self.path.split("?")[0]
                if path == "/api":
                    site.answer_call(self)
                elif path in FILES:
                    text = (ROOT / path[1:]).read_text().replace("http://localhost:8080", site.endpoint)
                    self.answer(200, {"Content-Type": FILES[path]}, text.encode())
                else:
                    self.answer(200, {"Content-Type": "text/html; charset=utf-8"}, site.page.encode())

            do_POST = do_GET

            def answer(self, status: int, headers: dict, content: bytes):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Handler)
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.origin = f"{'https' if context else 'http'}://{host}:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer_call(self, request) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        body = request.rfile.read(int(headers.get("content-length") or 0)).decode()
        self.calls.append({"method": request.command, "headers": headers, "body": body})
        status, more = self.scripted.pop(0) if self.scripted else (200, {})
        request.answer(status, {"Content-Type": "application/json", **more}, json.dumps({"body": body}).encode())

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def gated(directory: pathlib.Path, configure):
    """Starts a service behind a proxy, which has it as `service`. `configure` is called with the running service."""
    service = Service(directory)
    gate = FaultyProxy(service.port)
    service.flags += ["--public-url", gate.url]
    with running(service):
        configure(service)
        gate.service = service
        yield gate
    gate.close()
