"""Tests the rotation of the hook key while two nodes deliver webhooks and a backend caches key sets."""

import itertools
import threading
import time

from operator_api import Management
from receiver import Reply
from service import APP, Service, running
from snippets import load
from transport import Transport
from waiting import wait_until
from webhook import activation

is_from_the_service = load("hooks.md").is_from_the_service

PATH = "/rotating"
#: Seconds that a key is published before it signs. The backend may keep a key set five seconds less.
AHEAD = 7


class Operator:
    """A backend that verifies every delivery with a key set of the maximum age, and fetches no other."""

    def __init__(self, service: Service):
        self.transport = Transport(service.url)
        self.jwks: dict = {}
        self.until = 0.0
        self.accepted: dict[str, int] = {}
        self.refused: list[str] = []
        self._lock = threading.Lock()

    def take(self, received) -> Reply:
        if received.method == "GET":
            return activation(received)
        key_id = received.headers["x-webhook-signature-key-id"]
        with self._lock:
            if time.monotonic() >= self.until:
                asked = time.monotonic()
                answer = self.transport.send("GET", "/.well-known/jwks.json")
                self.until = asked + int(answer.headers["Cache-Control"].split("max-age=")[1])
                self.jwks = answer.json
            if is_from_the_service(received.body, received.headers["x-webhook-signature"], key_id, self.jwks):
                self.accepted[key_id] = self.accepted.get(key_id, 0) + 1
            else:
                self.refused.append(key_id)
        return Reply(200, b"")


def has_hook_key(service: Service) -> bool:
    return any(key["alg"] == "PS256" for key in Transport(service.url).send("GET", "/.well-known/jwks.json").json["keys"])


# Proves: K1
def test_every_delivery_of_both_nodes_verifies_while_the_hook_key_rotates(tmp_path, authority, backend):
    egress = ["--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8"]
    first, second = (Service(tmp_path, "--key-publish-ahead", str(AHEAD), *egress) for _ in range(2))
    second.flags += ["--public-url", first.url]
    with running(first), running(second):
        operator = Operator(second)
        url = backend.on(PATH, operator.take)
        nodes = [Management(first), Management(second)]
        webhook = nodes[0].expect(201, "POST", "/webhooks", {"url": url})
        # The first webhook creates the first key. Before that, there is no key that a node could use.
        wait_until(lambda: all(has_hook_key(node) for node in (first, second)))
        nodes[0].expect(200, "POST", f"/webhooks/{webhook['id']}/activate")
        turns = itertools.cycle(nodes)

        def delivers(keys: int) -> bool:
            next(turns).new_user()
            enough = [count for count in operator.accepted.values() if count >= 5]
            return len(enough) >= keys or bool(operator.refused)

        wait_until(lambda: delivers(1))
        rotated = first.run("key", "rotate", "--app", APP, "--purpose", "hook", "--key-publish-ahead", str(AHEAD + 2),
                            "--development", "--json")
        assert rotated.returncode == 0, rotated.stderr
        wait_until(lambda: delivers(2), seconds=40)
        assert operator.refused == []
        assert len(operator.accepted) == 2
    backend.forget()
