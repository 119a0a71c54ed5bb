"""People who use all nodes of a service at once while its signing keys change, and backends that keep key sets."""

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

#: Where the keys of each kind of token are published.
ACCESS, CHALLENGE = "/.well-known/jwks.json", "/.well-known/step-up-jwks.json"


def key_id(token: str) -> str:
    part = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["kid"]


class CachingVerifier:
    """A backend that keeps the key sets of one node as long as it may, and asks for them at no other time."""

    def __init__(self, service: Service, keeps: int | None = None):
        self.transport = Person(service).transport
        #: Seconds for which it keeps a set against what the answer says.
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
    """Threads that refresh and sign in, each time at another node, and have every token judged by all there is."""

    def __init__(self, *nodes: Service, people: int = 3, newcomers: int = 1, keeps: int | None = None):
        self.nodes = nodes
        self.keeps = keeps
        #: Which node signed with which key: pairs of a place in `nodes` and a key id.
        self.access: set[tuple[int, str]] = set()
        self.challenges: set[tuple[int, str]] = set()
        self.refusals: list[str] = []
        self.tokens = 0
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._run, args=(self._refreshing,)) for _ in range(people)]
        self._threads += [threading.Thread(target=self._run, args=(self._arriving,)) for _ in range(newcomers)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def signed_everywhere(self, keys: int) -> bool:
        """Whether each node has signed tokens of both kinds with so many keys."""
        return all(
            len({kid for place, kid in signed if place == node}) >= keys
            for signed in (self.access, self.challenges) for node in range(len(self.nodes)))

    def _run(self, turns) -> None:
        verifiers = [CachingVerifier(node, self.keeps) for node in self.nodes]
        try:
            for _ in turns(verifiers):
                if self._stop.is_set():
                    return
        except Exception as error:  # whatever it is, the test is told
            self.refusals.append(repr(error))

    def _note(self, signed: set, node: int, token: str) -> None:
        with self._lock:
            signed.add((node, key_id(token)))
            self.tokens += 1

    def _refreshing(self, verifiers):
        """One session that wanders: refreshed by one node, its token is presented at all of them."""
        person = Person.signed_in(self.nodes[0])
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

    def _arriving(self, verifiers):
        """New people: what one node signed after the code is what another one takes for the session."""
        for node in itertools.cycle(range(len(self.nodes))):
            person, address = Person(self.nodes[node]), new_email()
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
