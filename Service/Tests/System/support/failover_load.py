"""Users of several nodes who note what was answered, and check afterwards that all of it is still true."""

import concurrent.futures
import contextlib
import http.client
import pathlib
import threading
import time

import postgres
from balancer import Balancer
from operator_api import Management
from person import Person, new_email
from service import Service, running
from shifted_clock import ShiftedService
from transport import Answer

#: What a client repeats: the request was rejected before it was looked at, or its fate is unknown.
UNANSWERED = (429, 500, 503)
#: Limits that this many logins do not reach.
LIMITS = {name: {"limit": 1_000_000, "window": 60} for name in (
    "starts_per_address", "failures_per_address", "invalid_calls_per_address")}


class Nodes:
    """The nodes, and the times of all answers to writes."""

    def __init__(self, nodes: list[Service], timeout: float = 10, patience: float = 30):
        """`timeout` is the time after which a client gives a request up. It repeats a request for as long as `patience`."""
        self.nodes = nodes
        self._patience = patience
        self.balancer = Balancer(*nodes, timeout=timeout)
        #: Times of answered writes, and of requests that failed, with what was answered.
        self.answered: list[float] = []
        self.failed: list[tuple[float, str]] = []

    def person(self) -> Person:
        """Returns a person whose requests go to each node in turn."""
        person = Person(*self.nodes)
        person.transport = person.device.transport = self.balancer
        return person

    def management(self) -> Management:
        return Management(self.nodes[0], transport=self.balancer)

    def send(self, call) -> Answer | None:
        """Makes one call. `None`: it failed, and may have had its effect."""
        try:
            answer: Answer = call()
            # The clock of the other node may be behind: it does not know the nonce of a window that has not begun for it.
            for _ in range(2):
                if answer.code == "use_dpop_nonce":
                    answer = call()
        except (OSError, http.client.HTTPException) as error:
            self.failed.append((time.monotonic(), type(error).__name__))
            return None
        if answer.status in UNANSWERED:
            self.failed.append((time.monotonic(), str(answer)))
            return None
        self.answered.append(time.monotonic())
        return answer

    def send_until_answered(self, call) -> Answer:
        """Repeats a call as the SDK does, with a pause."""
        deadline = time.monotonic() + self._patience
        while (answer := self.send(call)) is None:
            assert time.monotonic() < deadline, self.failed[-1]
            time.sleep(0.1)
        return answer

    def _code(self, person: Person, address: str) -> str:
        """Returns the code that was sent to an address. Waits for it: a message whose sending failed is sent again."""
        deadline = time.monotonic() + self._patience
        while time.monotonic() < deadline:
            for mailbox in person.mailboxes:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    mails = mailbox.send("GET", "/dev/mailbox")
                    for mail in mails.json if mails.status == 200 else []:
                        if mail["to"] == address and "code" in mail:
                            return mail["code"]
            time.sleep(0.1)
        raise AssertionError("no code was sent")

    def sign_in(self) -> Person | None:
        """Signs in a new person with a code. `None`: a request failed, so this login was not answered."""
        person, address = self.person(), new_email()
        started = self.send(lambda: person.device.start(address))
        if started is None:
            return None
        assert started.status == 204, started
        code = self._code(person, address)
        checked = self.send(lambda: person.device.check(started.headers["X-Verification-Token"], code))
        if checked is None:
            return None
        assert checked.status == 200, f"an answered start of a login is lost: {checked}"
        answer = self.send(lambda: person.device.finalize(checked.json["challenge_token"]))
        if answer is None:
            return None
        person.keep(answer)
        return person


class Worker:
    """Repeats what one user does. `steps` counts the answered ones."""

    def __init__(self, nodes: Nodes):
        self.nodes = nodes
        self.steps = 0

    def step(self) -> None:
        raise NotImplementedError

    def check(self) -> None:
        """Asserts that all that was answered is still true."""


class Refresher(Worker):
    """A device that refreshes all the time, and is never signed out."""

    def __init__(self, nodes: Nodes):
        super().__init__(nodes)
        self.person = nodes.sign_in()

    def step(self) -> None:
        answer = self.nodes.send_until_answered(lambda: self.person.device.refresh(self.person.refresh_token))
        assert answer.status == 200, f"a device was signed out: {answer}"
        self.person.keep(answer)
        self.steps += 1

    check = step


class Newcomer(Worker):
    """Signs in one new user after the other, each on a new device."""

    def __init__(self, nodes: Nodes):
        super().__init__(nodes)
        self.people: list[Person] = []

    def step(self) -> None:
        if person := self.nodes.sign_in():
            self.people.append(person)
            self.steps += 1

    def check(self) -> None:
        for person in self.people:
            answer = self.nodes.send_until_answered(lambda: person.device.refresh(person.refresh_token))
            assert answer.status == 200, f"an answered login is lost: {answer}"


class Leaver(Newcomer):
    """Signs in, and signs out again."""

    def step(self) -> None:
        if (person := self.nodes.sign_in()) is None:
            return
        failed = len(self.nodes.failed)
        answer = self.nodes.send_until_answered(lambda: person.device.revoke(person.refresh_token))
        # A request that failed may have had its effect. Then its repetition finds no session.
        may_be_repeated = len(self.nodes.failed) > failed
        assert answer.status == 204 or (answer.status == 401 and may_be_repeated), f"an answered login is lost: {answer}"
        self.people.append(person)
        self.steps += 1

    def check(self) -> None:
        for person in self.people:
            answer = self.nodes.send_until_answered(lambda: person.device.refresh(person.refresh_token))
            assert answer.status == 401, f"an answered revocation is lost: {answer}"


class PasswordChanger(Worker):
    """A user whose password an operator changes all the time."""

    def __init__(self, nodes: Nodes):
        super().__init__(nodes)
        self.management = nodes.management()
        self.email = new_email()
        self.steps_begun = 0
        #: The password whose change was answered last.
        self.answered = "correct horse battery"
        #: Passwords whose change was not answered. A node that was stopped reads such a request when it goes on, so the
        #: change can have its effect after later ones.
        self.unanswered: list[str] = []
        identifiers = [{"type": "email_address", "value": self.email}]
        body = {"identifiers": identifiers, "password": self.answered}
        self.user = self.management.expect(201, "POST", "/users", body)["id"]

    def step(self) -> None:
        self.steps_begun += 1
        password = f"correct horse battery {self.steps_begun}"
        answer = self.nodes.send(
            lambda: self.management.send("PUT", f"/users/{self.user}/password", {"password": password}))
        if answer is None:
            self.unanswered.append(password)
            return
        assert answer.status == 204, answer
        self.answered = password
        self.steps += 1

    def check(self) -> None:
        """The password is the last answered one, or one whose change was not answered: no answered one before it."""
        for password in [self.answered, *reversed(self.unanswered)]:
            device = self.nodes.person().device
            if self.nodes.send_until_answered(lambda: device.password(self.email, password)).status == 200:
                return
        raise AssertionError("an answered change of a password is lost")


class Load:
    """Workers, each on a thread of its own."""

    def __init__(self, workers: list[Worker], pause: float = 0):
        """Each worker rests for `pause` seconds after a step."""
        self.workers = workers
        self._pause = pause
        self.errors: list[BaseException] = []
        self._end = threading.Event()

    def _work(self, worker: Worker) -> None:
        try:
            while not self._end.wait(self._pause):
                worker.step()
        except BaseException as error:  # noqa: BLE001
            self.errors.append(error)

    @contextlib.contextmanager
    def running(self):
        threads = [threading.Thread(target=self._work, args=(worker,)) for worker in self.workers]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._end.set()
            for thread in threads:
                thread.join(300)
        assert not self.errors, self.errors

    def until_all_did(self, more: int, seconds: float = 60) -> None:
        """Waits until each worker has done this many more steps."""
        goals = [worker.steps + more for worker in self.workers]
        deadline = time.monotonic() + seconds
        while not self.errors and any(worker.steps < goal for worker, goal in zip(self.workers, goals)):
            assert time.monotonic() < deadline, [worker.steps for worker in self.workers]
            time.sleep(0.02)

    def check(self) -> None:
        for worker in self.workers:
            worker.check()


@contextlib.contextmanager
def nodes_of(
        directory: pathlib.Path, *servers: postgres.Server, count: int = 3, user: str = "postgres", places: str = "",
        shifts: list[float] = (), flags: tuple[str, ...] = (), public_url: str = ""):
    """Nodes with one database, which belongs to their user. Their URL has the servers in this order, or other places.

    `flags` are further arguments of each node, and `public_url` is their URL for clients, by default that of the first one.
    `shifts` has the seconds by which the clock of each node is ahead."""
    with contextlib.ExitStack() as stack:
        database = postgres.new_database(servers[0].url).rsplit("/", 1)[1]
        postgres.execute(servers[0].url, f"ALTER DATABASE {database} OWNER TO {user}")
        places = places or ",".join(server.place for server in servers)
        nodes: list[Service] = []
        for number in range(count):
            (directory / str(number)).mkdir()
            kind = ShiftedService if shifts else Service
            node = kind(directory / str(number), "--key-file", str(directory / "keys"), *flags)
            if shifts:
                node.set_clock(shifts[number])
            node.database = f"postgresql://{user}@{places}/{database}"
            if nodes:
                node.key = nodes[0].key
            if nodes or public_url:
                node.flags += ["--public-url", public_url or nodes[0].url]
            nodes.append(node)
        # The first one creates the tables and the master keys.
        stack.enter_context(running(nodes[0]))
        with concurrent.futures.ThreadPoolExecutor() as executor:
            list(executor.map(lambda node: stack.enter_context(running(node)), nodes[1:]))
        yield nodes


def load_on(nodes: Nodes, pause: float = 0) -> Load:
    nodes.management().expect(200, "PUT", "/config/limits", LIMITS)
    kinds = [Refresher] * 4 + [Newcomer, Leaver, PasswordChanger]
    return Load([kind(nodes) for kind in kinds], pause)
