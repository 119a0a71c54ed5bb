"""Services with databases that are filled with SQL, and refreshes of sessions all over such a database.

The services run on the first core, one at a time, and the generator on the last one. Needs Linux and the Python of
scripts/bootstrap.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import random
import re
import secrets
import selectors
import shutil
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("Service/Tests/System/support", "Tests/ForeignJudge")]
import service as service_module  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, utils  # noqa: E402
from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: E402
from person import Person  # noqa: E402

PATH = "/v1/session/refresh"
CONNECTIONS = 16


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Tokens:
    """Makes refresh tokens with the master key of a database, as `RefreshToken` and `KeyRing` do."""

    def __init__(self, key_file: pathlib.Path, app: str):
        text = json.loads(key_file.read_text())["keys"][0]["secret"]
        master = base64.urlsafe_b64decode(text + "=")
        self.key = HKDF(hashes.SHA256(), 32, None, b"prelude-session refresh-token v1").derive(master)
        self.id = encode(hashlib.sha256(b"prelude-session key id" + master).digest())[:8]
        self.app = app

    def token(self, session: str, generation: int) -> str:
        message = f"{self.app}\0{session}\0{generation}".encode()
        return f"{session}.{generation}.{self.id}.{encode(hmac.digest(self.key, message, 'sha256'))}"


class DeviceKey:
    """The key of a device, and its proofs."""

    def __init__(self, person: Person):
        public = person.device.key.as_dict(private=False)
        self.key = serialization.load_pem_private_key(person.device.key.as_pem(private=True), None)
        self.header = encode(json.dumps({
            "typ": "dpop+jwt", "alg": "ES256", "jwk": {name: public[name] for name in ("kty", "crv", "x", "y")}}).encode())

    def proof(self, url: str, nonce: str | None) -> str:
        claims = {
            "jti": secrets.token_urlsafe(16), "htm": "POST", "htu": url, "iat": int(time.time()),
            "attempt": encode(secrets.token_bytes(16)), **({"nonce": nonce} if nonce else {})}
        text = self.header + "." + encode(json.dumps(claims).encode())
        r, s = utils.decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return text + "." + encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


class Subject:
    """A service with a database of a given size."""

    store = "sqlite"

    def __init__(self, folder: pathlib.Path, size: int, prepared: int, core: int | None, events: int = 0):
        """`events`: of each user."""
        folder.mkdir()
        self.size, self.events, self.name = size, events, f"{self.store}, {size} users"
        #: Bytes of the database for each row of a table, with its indexes.
        self.bytes_of_rows: dict[str, float] = {}
        self.service = service_module.Service(folder)
        self.service.wrapper = [] if core is None else ["taskset", "-c", str(core)]
        self.configure(folder)
        self.service.start()
        self.people = [Person.signed_in(self.service) for _ in range(CONNECTIONS)]
        self.devices = [DeviceKey(person) for person in self.people]
        self.service.stop()
        self.fill()
        self.tokens = Tokens(folder / "session.sqlite.keys", self.service.app)
        self.generations: dict[int, int] = {}
        #: Sessions all over the database, which take turns.
        self.unused = random.sample(range(size), min(size, prepared))
        self.service.patience, begin = 900, time.monotonic()
        self.service.start()
        self.start_seconds = time.monotonic() - begin
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        """Waits until the service has checked the structure of a large file."""
        while True:
            before = self.cpu()
            time.sleep(1)
            if self.cpu() - before < 0.05:
                return

    def configure(self, folder: pathlib.Path) -> None:
        """Names the database."""
        self.database = folder / "session.sqlite"

    @property
    def megabytes(self) -> float:
        return self.database.stat().st_size / 1e6

    @property
    def memory(self) -> tuple[float, float]:
        """Resident megabytes of the service, and those of them that are not pages of files."""
        text = pathlib.Path(f"/proc/{self.service.process.pid}/status").read_text()
        return tuple(int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1024 for name in ("VmRSS", "RssAnon"))

    @property
    def ports(self) -> list[int]:
        """The ports of all nodes, which take turns."""
        return [self.service.port]

    @property
    def processes(self) -> list[int]:
        return [self.service.process.pid]

    @staticmethod
    def session(index: int) -> str:
        return f"ses_{index:026d}"

    def fill(self) -> None:
        """Adds users with a mail address and a session each. What is not stated is copied from a user who has signed in."""
        database = sqlite3.connect(self.database)
        database.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA foreign_keys = OFF;")
        database.execute("CREATE TEMP TABLE keys (number INTEGER PRIMARY KEY, thumbprint TEXT)")
        database.executemany("INSERT INTO temp.keys VALUES (?, ?)", enumerate(self.thumbprints(database)))
        user, thumbprint = "printf('usr_%026d', n)", f"(SELECT thumbprint FROM temp.keys WHERE number = n % {CONNECTIONS})"
        mail = "printf('person%d@example.org', n)"
        for table, values, model in [
                ("users", {"id": user}, "1"),
                ("identifiers", {"canonical": mail, "value": mail, "user_id": user}, "1"),
                ("sessions", {
                    "id": "printf('ses_%026d', n)", "user_id": user, "key_thumbprint": thumbprint, "generation": "0",
                    "last_proof": "NULL", "last_attempt": "NULL", "earlier_attempts": "''", "settled_generation": "0"}, "1"),
                ("events", {
                    "sequence": "n + 1000", "id": "printf('evt_%026d', n)",
                    "user_id": f"printf('usr_%026d', n / {self.events or 1})"}, "name = 'user.session.created'"),
        ]:
            count = self.size * (self.events if table == "events" else 1)
            if not count:
                continue
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            chosen = ", ".join(values.get(column, f"model.{column}") for column in columns)
            before = self.pages(database)
            database.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) "
                f"WITH RECURSIVE rows (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM rows WHERE n + 1 < {count}) "
                f"SELECT {chosen} FROM rows, (SELECT * FROM {table} WHERE {model} LIMIT 1) AS model")
            self.bytes_of_rows[table] = (self.pages(database) - before) / count
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        os.sync()

    @staticmethod
    def pages(database: sqlite3.Connection) -> int:
        """Returns the bytes of all pages that are used."""
        [(pages,), (free,), (size,)] = [
            database.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")]
        return (pages - free) * size

    def thumbprints(self, database: sqlite3.Connection) -> list[str]:
        """Returns the thumbprints of the devices, in their order."""
        by_session = dict(database.execute("SELECT id, key_thumbprint FROM sessions"))
        return [by_session[person.refresh_token.split(".")[0]] for person in self.people]

    def requests(self, count: int) -> list[bytes]:
        """Makes requests that refresh different sessions, taken at random."""
        self.people[0].refresh()
        nonce, url = self.people[0].device.nonce, self.service.url + PATH
        made = []
        for _ in range(count):
            if not self.unused:
                self.unused = list(reversed(self.generations))
            index = self.unused.pop()
            generation = self.generations.get(index, 0)
            self.generations[index] = generation + 1
            proof = self.devices[index % CONNECTIONS].proof(url, nonce)
            made.append((
                f"POST {PATH} HTTP/1.1\r\nHost: localhost:{self.service.port}\r\nContent-Type: application/json\r\n"
                f"Content-Length: 0\r\nX-Refresh-Token: {self.tokens.token(self.session(index), generation)}\r\n"
                f"DPoP: {proof}\r\n\r\n").encode())
        return made

    def cpu(self) -> float:
        """Returns the CPU seconds of all nodes."""
        return sum(cpu(process) for process in self.processes)

    def measure(self, count: int) -> tuple[float, float]:
        """Returns refreshes per second, and microseconds of the server's CPU time for each."""
        requests = self.requests(count)
        cpu, begin = self.cpu(), time.monotonic()
        send_all(self.ports, requests)
        return count / (time.monotonic() - begin), (self.cpu() - cpu) / count * 1e6


def cpu(process: int) -> float:
    """Returns the CPU seconds of all threads of a process."""
    tasks = pathlib.Path(f"/proc/{process}/task")
    return sum(int(file.read_text().split()[0]) for file in tasks.glob("*/schedstat")) / 1e9


def send_all(ports: list[int], requests: list[bytes]) -> None:
    """Sends the requests over some connections to each port, each the next one when it has its response."""
    waiting, selector, open_count = iter(requests), selectors.DefaultSelector(), 0

    def send(connection: socket.socket) -> bool:
        request = next(waiting, None)
        if request is not None:
            connection.sendall(request)
        return request is not None

    for number in range(CONNECTIONS * len(ports)):
        connection = socket.create_connection(("127.0.0.1", ports[number % len(ports)]))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(connection, selectors.EVENT_READ, bytearray())
        open_count += send(connection)
    while open_count:
        for key, _ in selector.select(30) or [(None, None)]:
            if key is None:
                raise SystemExit("a response is missing after 30 seconds")
            key.data.extend(key.fileobj.recv(65536))
            head = key.data.find(b"\r\n\r\n")
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", key.data[:head]) if head >= 0 else None
            if not length or len(key.data) < head + 4 + int(length[1]):
                continue
            if not key.data.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"a refresh is rejected: {bytes(key.data)[:600]}")
            key.data.clear()
            open_count -= not send(key.fileobj)
    for key in list(selector.get_map().values()):
        key.fileobj.close()


def core_of_services() -> int | None:
    """Leaves the first core to the services, and returns it. `None` without a second core, or without taskset."""
    cores = os.cpu_count() or 1
    if cores == 1 or not shutil.which("taskset"):
        return None
    os.sched_setaffinity(0, {cores - 1})
    return 0


@contextlib.contextmanager
def subjects_in(parent: str | None) -> Iterator[tuple[list[Subject], pathlib.Path]]:
    """A list, and a folder for databases in the parent. At the end, the services of the list are stopped."""
    if parent:
        pathlib.Path(parent).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        subjects: list[Subject] = []
        try:
            yield subjects, pathlib.Path(folder)
        finally:
            for subject in subjects:
                if subject.service.process.poll() is None:
                    subject.service.stop()
