"""A node that is killed while it sends: another node sends what it had claimed, when the lease has ended."""

import os
import signal
import threading

import pytest

import postgres
from device import Device
from failover_load import nodes_of
from operator_api import Management
from person import new_email
from providers import PREFIX
from receiver import Receiver, Reply
from shifted_clock import needs_shift
from transport import Transport
from webhook import activation

#: Seconds. As in the service: the life of a claim.
LEASE = 60

pytestmark = needs_shift


class Backend:
    """The operator's backend, which does not answer before a node is killed."""

    def __init__(self, receiver: Receiver):
        self.next = receiver.next
        self.killed = threading.Event()
        self.url = receiver.on("/send", self._answer)

    def _answer(self, received) -> Reply:
        if received.method == "GET":
            return activation(received)
        self.killed.wait(60)
        return Reply(202, {})


@pytest.fixture
def backend(authority):
    with Receiver(authority) as receiver:
        yield Backend(receiver)


@pytest.fixture
def nodes(tmp_path, authority, backend, monkeypatch):
    """Two nodes with clocks that the test sets. They post codes to the backend."""
    monkeypatch.setenv(PREFIX + "EMAIL_ROUTE", "webhook")
    monkeypatch.setenv(PREFIX + "EMAIL_URL", backend.url)
    flags = (
        "--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8", "--egress-network",
        "::1")
    with postgres.own_server() as server, nodes_of(tmp_path, server, count=2, shifts=[0, 0], flags=flags) as nodes:
        yield nodes


def taken_over(nodes, backend: Backend, begin, pending: str):
    """Begins something that the first node sends, and kills this node. Returns what the backend got, twice."""
    first, second = nodes
    os.kill(second.process.pid, signal.SIGSTOP)
    begin()
    before = backend.next()
    first.kill()
    os.kill(second.process.pid, signal.SIGCONT)
    assert second.sql(pending) != [(0,)], "the result of the killed node is not stored"
    backend.killed.set()
    second.set_clock(LEASE + 1)
    return before, backend.next(30)


def test_another_node_sends_the_code_of_a_killed_one(nodes, backend):
    device, address = Device(Transport(nodes[0].url)), new_email()
    before, after = taken_over(
        nodes, backend, lambda: device.start(address),
        f"SELECT count(*) FROM messages WHERE value = '{address}' AND status = 'pending'")
    assert before.json["to"] == after.json["to"] == address
    assert before.json["code"] == after.json["code"]


def test_another_node_delivers_the_event_of_a_killed_one(nodes, backend):
    management = Management(nodes[0])
    webhook = management.expect(201, "POST", "/webhooks", {"url": backend.url})
    management.expect(200, "POST", f"/webhooks/{webhook['id']}/activate")
    assert backend.next().method == "GET"
    before, after = taken_over(
        nodes, backend, management.new_user,
        "SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'")
    known = {event["id"] for event in before.json["events"]}
    assert known & {event["id"] for event in after.json["events"]}
