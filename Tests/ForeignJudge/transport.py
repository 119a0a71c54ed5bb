"""Sends HTTP/1.1 requests, one connection per request. Headers may repeat."""

import http.client
import json
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The error code of the response; None without one."""
        try:
            return self.json.get("code")
        except (ValueError, AttributeError):
            return None

    def __str__(self) -> str:
        return f"{self.status} {self.code or ''}".strip()


class Transport:
    def __init__(self, base_url: str, timeout: float = 60):
        parts = urlsplit(base_url)
        self.base_url = f"{parts.scheme}://{parts.netloc}"
        self.host = parts.hostname
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._netloc = parts.netloc
        self._timeout = timeout

    def url(self, path: str) -> str:
        return self.base_url + path

    def send(self, method: str, path: str, body: dict | None = None, headers: list[tuple[str, str]] = ()) -> Answer:
        connection = self._kind(self._netloc, timeout=self._timeout)
        try:
            payload = b"" if body is None else json.dumps(body).encode()
            connection.putrequest(method, path, skip_host=any(name == "Host" for name, _ in headers))
            if method != "GET" or body is not None:
                connection.putheader("Content-Type", "application/json")
                connection.putheader("Content-Length", str(len(payload)))
            for name, value in headers:
                connection.putheader(name, value)
            connection.endheaders(payload)
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
