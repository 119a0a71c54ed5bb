"""Users who use all nodes of a service while its signing keys rotate, and backends that cache key sets."""

import base64
import itertools
import json
import threading
import time

from joserfc import jwt

from access_token import verify_access_token
from keys import import_key_set
from person import Person, new_email
from service import APP, Service

#: The paths at which the keys of each kind of token are published.
ACCESS, CHALLENGE = "/.well-known/jwks.json", "/.well-known/step-up-jwks.json"


def key_id(token: str) -> str:
    part = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["kid"]


class CachingVerifier:
    """A backend that caches the key sets of one node for as long as allowed, and fetches them at no other time."""

    def __init__(self, service: Service, keeps: int | None = None):
        self.transport = Person(service).transport
        #: Seconds that it keeps a set, instead of the time in the response.
        self.keeps = keeps
        self.sets: dict[str, tuple[float, dict]] = {}

    def keys(self, path: str) -> dict:
        until, keys = self.sets.get(path, (0.0, {}))
        if time.monotonic() < until:
            return keys
        asked = time.monotonic()
        answer = self.transport.send("GET", path)
        assert answer.status == 200, answer
        allowed = int(answer.headers["Cache-Control"].split("max-age=")[1])
        self.sets[path] = (asked + (self.keeps or allowed), answer.json)
        return answer.json

    def verify(self, access_token: str) -> None:
        verify_access_token(access_token, self.keys(ACCESS), self.transport.host, APP)

    def verify_challenge(self, challenge_token: str) -> None:
        jwt.decode(challenge_token, import_key_set(self.keys(CHALLENGE)), algorithms=["EdDSA"])


class Load:
    """Threads that refresh and sign in, each time at another node. Every token is checked by every verifier and node."""

    def __init__(self, *nodes: Service, users: int = 3, new_users: int = 1, keeps: int | None = None):
        self.nodes = nodes
        self.keeps = keeps
        #: Which node signed with which key: pairs of an index in `nodes` and a key id.
        self.access: set[tuple[int, str]] = set()
        self.challenges: set[tuple[int, str]] = set()
        self.refusals: list[str] = []
        self.tokens = 0
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, args=(self._refreshing,)) for _ in range(users)]
        self._threads += [threading.Thread(target=self._run, args=(self._signing_in,)) for _ in range(new_users)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def signed_everywhere(self, keys: int) -> bool:
        """Whether each node has signed tokens of both kinds with at least this many keys."""
        return all(
            len({kid for place, kid in signed if place == node}) >= keys
            for signed in (self.access, self.challenges) for node in range(len(self.nodes)))

    def _run(self, turns) -> None:
        verifiers = [CachingVerifier(node, self.keeps) for node in self.nodes]
        try:
            # Without a pause, the load of two nodes takes the processors from all other tests.
            for _ in turns(verifiers):
                if self._stop.wait(0.1):
                    return
        except Exception as error:  # the test asserts that there is none
            self.refusals.append(repr(error))

    def _note(self, signed: set, node: int, token: str) -> None:
        with self._lock:
            signed.add((node, key_id(token)))
            self.tokens += 1

    def _refreshing(self, verifiers):
        """Refreshes one session at the nodes in turn, and presents each token at all of them."""
        person = Person.signed_in(self.nodes[0], None, *self.nodes)
        transports = [Person(node).transport for node in self.nodes]
        for node in itertools.cycle(range(len(self.nodes))):
            person.device.transport = transports[node]
            person.keep(person.device.refresh(person.refresh_token))
            self._note(self.access, node, person.access_token)
            for verifier in verifiers:
                verifier.verify(person.access_token)
            for transport in transports:
                person.device.transport = transport
                answer = person.device.sessions(person.access_token)
                assert answer.status == 200, answer
            yield

    def _signing_in(self, verifiers):
        """Signs in new users: a challenge that one node signed is finished at another node."""
        for node in itertools.cycle(range(len(self.nodes))):
            person, address = Person(self.nodes[node], *self.nodes), new_email()
            started = person.device.start(address)
            assert started.status == 204, started
            checked = person.device.check(started.headers["X-Verification-Token"], person.code(address))
            assert checked.status == 200, checked
            challenge = checked.json["challenge_token"]
            self._note(self.challenges, node, challenge)
            for verifier in verifiers:
                verifier.verify_challenge(challenge)
            other = (node + 1) % len(self.nodes)
            person.device.transport = Person(self.nodes[other]).transport
            person.keep(person.device.finalize(challenge))
            self._note(self.access, other, person.access_token)
            for verifier in verifiers:
                verifier.verify(person.access_token)
            yield
