"""A proxy that treats each request as a bad network does, by chance."""

import http.client
import http.server
import random
import threading
import time
from collections import Counter

from faulty_proxy import FaultyProxy

#: How often each fate is chosen. The rest passes.
FATES = {
    #: The service processes the request, and the client loses its connection.
    "answer_lost": 8,
    #: The client receives the head of the response and half of its body.
    "answer_cut": 5,
    #: The service processes the request, and the client receives a 502 of the proxy.
    "answer_replaced": 4,
    #: The service does not receive the request, and the client receives a 502 or 503 of the proxy.
    "refused": 4,
    #: The service receives the request twice, one after the other. The client receives one of the responses.
    "doubled": 5,
    #: The client waits.
    "delayed": 5,
    #: The client loses its connection, and the service receives the request later.
    "late": 3,
}
PASSED = 100 - sum(FATES.values())


class LyingProxy(FaultyProxy):
    """Chooses a fate for each request. `counts` has the number of requests of each fate."""

    def __init__(self, target_port: int, chance: random.Random, longest_delay: float = 2):
        super().__init__(target_port)
        # The default is 5: more clients at a time would wait a second for their connection.
        self.server.socket.listen(1024)
        self.is_honest = False
        self._chance = chance
        self._longest_delay = longest_delay
        self._late: list[threading.Thread] = []
        #: The bodies of late requests.
        self.late_bodies: set[bytes] = set()

    def forward(self, request: http.server.BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in request.headers.items() if name.lower() != "connection"}
        complete = (request.command, request.path, body, headers)
        with self._lock:
            fate = "passed" if self.is_honest else self._chance.choices(
                ["passed", *FATES], [PASSED, *FATES.values()])[0]
            delay = self._chance.uniform(0.05, self._longest_delay)
            one_of_two = self._chance.random() < 0.5
            self.counts[fate] += 1
        request.close_connection = True
        try:
            self._perform(fate, delay, one_of_two, complete, request)
        except (OSError, http.client.HTTPException):
            # The client has gone.
            pass

    def _perform(
            self, fate: str, delay: float, one_of_two: bool, complete: tuple,
            request: http.server.BaseHTTPRequestHandler) -> None:
        if fate == "late":
            late = threading.Thread(target=self._send_late, args=(delay, complete), daemon=True)
            self._late.append(late)
            self.late_bodies.add(complete[2])
            late.start()
            return
        if fate == "refused":
            self._answer_itself(request, 502 if one_of_two else 503)
            return
        if fate == "delayed":
            time.sleep(delay)
        try:
            answer, content = self.send(*complete)
            if fate == "doubled":
                other = self.send(*complete)
                answer, content = other if one_of_two else (answer, content)
        except (OSError, http.client.HTTPException):
            # The service is away.
            self._answer_itself(request, 502)
            return
        if fate == "answer_replaced":
            self._answer_itself(request, 502)
        elif fate != "answer_lost":
            self._answer(request, answer, content, content[:len(content) // 2] if fate == "answer_cut" else content)

    def _send_late(self, delay: float, complete: tuple) -> None:
        time.sleep(delay)
        try:
            self.send(*complete)
        except (OSError, http.client.HTTPException):
            pass

    @staticmethod
    def _answer_itself(request: http.server.BaseHTTPRequestHandler, status: int) -> None:
        page = b"<html><body>The server is not available.</body></html>"
        request.send_response_only(status)
        request.send_header("Content-Type", "text/html")
        request.send_header("Content-Length", str(len(page)))
        request.end_headers()
        request.wfile.write(page)

    @staticmethod
    def _answer(
            request: http.server.BaseHTTPRequestHandler, answer: http.client.HTTPResponse, content: bytes,
            sent: bytes) -> None:
        """Sends a response whose head promises all of its content."""
        request.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                request.send_header(name, value)
        # A response without content is cut inside its head.
        if sent != content or content:
            request.send_header("Content-Length", str(len(content)))
        elif answer.status != 204:
            request.send_header("Content-Length", "0")
        request.end_headers()
        request.wfile.write(sent)

    def settle(self) -> None:
        """From now on, all requests pass. Waits for the late ones."""
        self.is_honest = True
        for late in self._late:
            late.join(30)
