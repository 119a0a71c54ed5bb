"""A webhook of an app, and the backend of its endpoint."""

from operator_api import Management
from receiver import Receiver, Reply

PATH = "/events"
ACKNOWLEDGED = Reply(200, b"")


def activation(received) -> Reply:
    return Reply(200, {"challenge": int(received.query["challenge"])})


def answering(reply: Reply):
    """Returns a handler that repeats the challenge of an activation, and answers events with this reply."""
    return lambda received: activation(received) if received.method == "GET" else reply


def active_webhook(management: Management, backend: Receiver, reply: Reply = ACKNOWLEDGED, **body) -> dict:
    url = backend.on(PATH, answering(reply))
    webhook = management.expect(201, "POST", "/webhooks", {"url": url, **body})
    webhook = management.expect(200, "POST", f"/webhooks/{webhook['id']}/activate")
    assert webhook["status"] == "active"
    backend.forget()
    return webhook
