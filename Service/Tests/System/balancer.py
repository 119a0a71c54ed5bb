"""A load balancer in front of several nodes."""

import http.client
import itertools
import time
from typing import NamedTuple

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
