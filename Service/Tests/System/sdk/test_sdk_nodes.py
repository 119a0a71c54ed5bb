"""The SDK behind a balancer with three nodes, of which one is killed while it has a request."""

import contextlib
import itertools
import json
import os
import pathlib
import random
import subprocess
import threading

import pytest

import postgres
from balancer import BalancingProxy
from failover_load import nodes_of
from person import new_email
from service import BINARY
from transport import Transport
from waiting import wait_until

NETWORK_ERROR = 3
KILLS = ("before", "after")


@pytest.fixture(scope="module")
def three_nodes(tmp_path_factory):
    proxy = BalancingProxy()
    with postgres.own_server() as server, nodes_of(
            tmp_path_factory.mktemp("nodes"), server, public_url=proxy.url) as proxy.nodes:
        yield proxy
    proxy.close()


@pytest.fixture
def proxy(three_nodes):
    """A balancer in front of three nodes that run."""
    three_nodes.answered.clear()
    three_nodes.counts.clear()
    yield three_nodes
    three_nodes.revive()


class Client:
    """A user with the terminal client, which uses the SDK. Each command is a process."""

    def __init__(self, proxy: BalancingProxy, directory: pathlib.Path):
        self.proxy = proxy
        self.email = new_email()
        self.credentials = directory / "credentials"
        self._read: set[tuple[str, str]] = set()
        self.session = ""

    def start(self, *arguments: str, **streams) -> subprocess.Popen:
        return subprocess.Popen(
            [BINARY, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **streams,
            env={**os.environ, "PRELUDE_SESSION_ENDPOINT": self.proxy.url,
                 "PRELUDE_SESSION_CREDENTIALS": str(self.credentials)})

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        process = self.start(*arguments, stdin=subprocess.DEVNULL)
        output, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def run_with_code(self, *arguments: str, then: str = "", before_code=lambda: None) -> subprocess.CompletedProcess:
        """Runs a command, and enters the code when it asks for one, and then the text in `then`."""
        process = self.start(*arguments, stdin=subprocess.PIPE)
        prompt = ""
        while "Code:" not in prompt and (letter := process.stderr.read(1)):
            prompt += letter
        entered = ""
        if "Code:" in prompt:
            before_code()
            entered = self._code() + "\n" + then
        output, errors = process.communicate(entered, timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, output, prompt + errors)

    def _code(self) -> str:
        """Waits for a code that was not read before, whichever node sends it."""
        codes = wait_until(lambda: self._codes() - self._read)
        self._read |= codes
        return max(codes)[1]

    def _codes(self) -> set[tuple[str, str]]:
        mails = []
        for node in self.proxy.nodes:
            with contextlib.suppress(ConnectionRefusedError):
                mails += Transport(node.url).send("GET", "/dev/mailbox").json
        return {(mail["sent_at"], mail["code"]) for mail in mails if mail["to"] == self.email and "code" in mail}

    def sign_in(self) -> "Client":
        done = self.run_with_code("login", "--email", self.email, "--json")
        assert done.returncode == 0, done.stderr
        self.session = json.loads(done.stdout)["session_id"]
        return self

    def spend_access_token(self) -> None:
        """Changes the stored access token so that it has expired."""
        file = next(self.credentials.glob("*.session"))
        file.write_text(json.dumps({**json.loads(file.read_text()), "accessTokenExpiresAt": 1}))

    def assert_signed_in(self, repeats: bool = False) -> None:
        """The session is the one of the login, and its next refresh succeeds.

        The command reads the identifiers, too, and the SDK does not repeat that call. So where any node may be killed at any
        time, the user repeats a command that failed for the network.
        """
        self.spend_access_token()
        done = self.run("whoami", "--json")
        if repeats and done.returncode == NETWORK_ERROR:
            done = self.run("whoami", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["session_id"] == self.session


@pytest.fixture
def ada(proxy, tmp_path) -> Client:
    return Client(proxy, tmp_path).sign_in()


def test_each_request_of_every_flow_reaches_another_node(proxy, tmp_path):
    ada = Client(proxy, tmp_path).sign_in()
    ada.assert_signed_in()
    assert ada.session in ada.run("sessions").stdout
    assert ada.run_with_code("step-up", "transfer:write").returncode == 0
    changed = ada.run_with_code("change-password", then="staple of the better kind\n")
    assert changed.returncode == 0, changed.stderr
    assert ada.run("revoke", "others").returncode == 0
    ada.assert_signed_in()
    assert ada.run("logout").returncode == 0
    places = [place for place, _ in proxy.answered]
    assert all(one != next for one, next in itertools.pairwise(places)), proxy.answered
    used = {path for _, path in proxy.answered}
    assert used >= {
        "/otp", "/otp/check", "/login/finalize", "/refresh", "/me/list", "/stepup/request", "/me/password/reset",
        "/me/revoke", "/revoke"}


@pytest.mark.parametrize("moment", KILLS)
def test_a_refresh_whose_node_is_killed_is_recovered(proxy, ada, moment):
    """The caller notices nothing: another node answers the repetition, whether the killed one had committed or not."""
    for _ in range(3):
        proxy.counts.clear()
        proxy.kill("/refresh", moment)
        ada.assert_signed_in()
        assert len(proxy.killed) == 1
        assert [path for _, path in proxy.answered if path == "/refresh"]
        proxy.revive()


@pytest.mark.parametrize("moment", KILLS)
@pytest.mark.parametrize(
    ("path", "command"), [("/me/list", ("sessions",)), ("/me/revoke", ("revoke", "others"))], ids=["read", "write"])
def test_another_call_whose_node_is_killed_fails_once_and_ends_no_session(proxy, ada, path, command, moment):
    """The SDK repeats only what is safe to repeat. The user repeats the rest, with the next node."""
    proxy.kill(path, moment)
    failed = ada.run(*command)
    assert failed.returncode == NETWORK_ERROR, failed.stderr
    assert ada.run(*command).returncode == 0
    ada.assert_signed_in()


@pytest.mark.parametrize("moment", KILLS)
def test_a_login_whose_node_is_killed_at_its_start_can_begin_again(proxy, tmp_path, moment):
    """The SDK does not repeat the start: it would send a second message."""
    ada = Client(proxy, tmp_path)
    proxy.kill("/otp", moment)
    failed = ada.run_with_code("login", "--email", ada.email)
    assert failed.returncode == NETWORK_ERROR, failed.stderr
    ada.sign_in().assert_signed_in()


@pytest.mark.parametrize("moment", KILLS)
@pytest.mark.parametrize("path", ["/otp/check", "/login/finalize"])
def test_a_login_goes_on_when_the_node_that_checks_it_is_killed(proxy, tmp_path, path, moment):
    """Another node answers the repetition, whether the killed one had committed or not."""
    ada = Client(proxy, tmp_path)
    proxy.kill(path, moment)
    done = ada.run_with_code("login", "--email", ada.email, "--json")
    assert done.returncode == 0, done.stderr
    ada.session = json.loads(done.stdout)["session_id"]
    ada.assert_signed_in()


def test_a_login_goes_on_when_the_node_that_began_it_is_killed(proxy, tmp_path):
    ada = Client(proxy, tmp_path)

    def kill_the_node_that_began():
        # Not before the code is sent: a message that a killed node has begun to send is sent again after its lease.
        wait_until(ada._codes)
        node = proxy.nodes[next(place for place, path in proxy.answered if path == "/otp")]
        # Its mailbox is in its memory.
        ada._code = lambda code=ada._code(): code
        proxy._end(node)

    done = ada.run_with_code("login", "--email", ada.email, "--json", before_code=kill_the_node_that_began)
    assert done.returncode == 0, done.stderr
    ada.session = json.loads(done.stdout)["session_id"]
    ada.assert_signed_in()


@pytest.mark.parametrize("moment", KILLS)
def test_a_logout_whose_node_is_killed_is_finished_by_the_next_command(proxy, ada, moment):
    proxy.kill("/revoke", moment)
    assert ada.run("logout").returncode == 0
    assert ada.run("whoami").returncode == 2
    assert [path for _, path in proxy.answered].count("/revoke") == 1


def test_no_user_is_signed_out_while_nodes_are_killed(proxy, tmp_path):
    """Four users refresh all the time, while one node after the other is killed and started again."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    choices = random.Random(seed)
    users = []
    for number in range(4):
        (tmp_path / str(number)).mkdir()
        users.append(Client(proxy, tmp_path / str(number)).sign_in())
    errors: list[BaseException] = []
    rounds = [0] * len(users)
    end = threading.Event()

    def use(number: int) -> None:
        try:
            while not end.is_set():
                users[number].assert_signed_in(repeats=True)
                rounds[number] += 1
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(len(users))]
    for thread in threads:
        thread.start()
    try:
        for _ in range(6):
            proxy.kill("/refresh", choices.choice(KILLS))
            wait_until(lambda: proxy.killed or errors)
            goals = [count + 2 for count in rounds]
            wait_until(lambda: errors or all(count >= goal for count, goal in zip(rounds, goals)))
            proxy.revive()
    finally:
        end.set()
        for thread in threads:
            thread.join(60)
    assert not errors, errors
