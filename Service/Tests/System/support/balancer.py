"""Load balancers in front of several nodes: as a transport, and with an origin of its own for other processes."""

import http.client
import http.server
import itertools
import signal
import threading
import time
from typing import NamedTuple

from faulty_proxy import FaultyProxy
from service import Service
from transport import Answer, Transport


class Failure(NamedTuple):
    """A request that a node did not answer, or answered with a status that asks for a repetition."""

    began: float
    #: The position of the node.
    place: int
    reason: str


class Balancer(Transport):
    """Sends each request to the next node. Proofs and tokens name the first one, which is the public URL of all.

    A node that refuses the connection gets no request. One that is lost while it has the request fails it."""

    def __init__(self, *nodes: Service, timeout: float = 10):
        super().__init__(nodes[0].url)
        self._timeout = timeout
        self._nodes = [Transport(node.url, timeout) for node in nodes]
        self._turns = itertools.count()
        #: The requests that were answered: the position of the node, method and path.
        self.answered: list[tuple[int, str, str]] = []
        self.failures: list[Failure] = []

    def use_only(self, node: Service) -> None:
        """Sends all further requests to one node."""
        self._nodes = [Transport(node.url, self._timeout)]

    def send(self, method: str, path: str, body: dict | None = None, headers: list[tuple[str, str]] = ()) -> Answer:
        for _ in self._nodes:
            place, began = next(self._turns) % len(self._nodes), time.monotonic()
            try:
                answer = self._nodes[place].send(method, path, body, headers)
            except ConnectionRefusedError:
                continue
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(Failure(began, place, type(error).__name__))
                raise
            if answer.status == 429 or answer.status >= 500:
                self.failures.append(Failure(began, place, str(answer)))
            self.answered.append((place, method, path))
            return answer
        raise http.client.HTTPException("no node accepts connections")


class BalancingProxy(FaultyProxy):
    """Sends each request to the next node. A node that was killed gets no request.

    `kill` kills the node that has the next request of a path. The client loses its connection, and the proxy sends the
    request to no other node: a balancer cannot know whether it had its effect."""

    def __init__(self):
        super().__init__(0)
        self.nodes: list[Service] = []
        #: The requests that nodes have answered: the position of the node, and the path.
        self.answered: list[tuple[int, str]] = []
        self._turns = itertools.count()
        self._kills: dict[str, str] = {}
        #: The nodes that were killed.
        self.killed: list[Service] = []
        self._choice = threading.Lock()

    def kill(self, path: str, moment: str) -> None:
        """`before`: the node has the request and has done nothing yet. `after`: its response is lost on its way."""
        self._kills[path] = moment

    def forward(self, request: http.server.BaseHTTPRequestHandler) -> None:
        try:
            super().forward(request)
        except (OSError, http.client.HTTPException):
            request.close_connection = True
            request.connection.close()

    def send(self, method: str, path: str, body: bytes, headers: dict) -> tuple[http.client.HTTPResponse, bytes]:
        name = path.split("?")[0].removeprefix("/v1/session")
        with self._choice:
            moment = self._kills.pop(name, None)
        turn = next(self._turns)
        # Each node once: if each look took a turn of its own, requests at the same time could make one see only a killed node.
        for step in range(len(self.nodes)):
            place = (turn + step) % len(self.nodes)
            node = self.nodes[place]
            if node in self.killed:
                continue
            connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=60)
            try:
                connection.connect()
            except ConnectionRefusedError:
                # It was killed since the look at `killed`.
                continue
            try:
                if moment == "before":
                    node.process.send_signal(signal.SIGSTOP)
                connection.request(method, path, body, headers)
                if moment == "before":
                    self._end(node)
                answer = connection.getresponse()
                content = answer.read()
                if moment == "after":
                    self._end(node)
                    raise http.client.HTTPException("the node was killed")
                self.answered.append((place, name))
                return answer, content
            finally:
                connection.close()
        raise http.client.HTTPException("no node accepts connections")

    def _end(self, node: Service) -> None:
        # First: the kernel closes the connections of a killed process before its listener. A request that is repeated at
        # once would be accepted by the same node, and lost a second time.
        self.killed.append(node)
        node.kill()

    def revive(self) -> None:
        """Starts the killed nodes again."""
        while self.killed:
            self.killed.pop().start()
