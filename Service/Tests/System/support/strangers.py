"""Devices of strangers: they sign in from any address, and enter wrong codes."""

from device import Device
from service import Service
from transport import Answer, Transport


class ProxiedTransport(Transport):
    """Sends requests as a proxy does, for a client with the address `source`."""

    def __init__(self, service: Service, source: str):
        super().__init__(service.url)
        self._source = ("X-Forwarded-For", source)

    def send(self, method, path, body=None, headers=()) -> Answer:
        return super().send(method, path, body, [*headers, self._source])


def from_address(service: Service, source: str) -> Device:
    """A new device behind an address."""
    return Device(ProxiedTransport(service, source))


def stranger(service: Service) -> Device:
    return Device(Transport(service.url))


def codes(service: Service, identifier: str) -> list[str]:
    """Returns the codes in the mailbox that were sent to an identifier, newest first."""
    mails = Transport(service.url).send("GET", "/dev/mailbox").json
    return [mail["code"] for mail in mails if mail["to"] == identifier and "code" in mail]


def wrong(code: str) -> str:
    return str((int(code[0]) + 1) % 10) + code[1:]


def start(device: Device, identifier: str) -> str:
    """Has a code sent and returns the verification token."""
    answer = device.start(identifier, "phone_number" if identifier.startswith("+") else "email_address")
    assert answer.status == 204, answer
    return answer.headers["X-Verification-Token"]


def fail(service: Service, device: Device, identifier: str, times: int) -> str:
    """Has a code sent and enters wrong ones. Returns the verification token."""
    verification = start(device, identifier)
    for _ in range(times):
        answer = device.check(verification, wrong(codes(service, identifier)[0]))
        assert (answer.status, answer.code) == (401, "bad_check_code"), answer
    return verification
