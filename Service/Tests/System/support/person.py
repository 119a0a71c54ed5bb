"""A user with a foreign device who signs in and does step-ups."""

import base64
import hashlib
import itertools
import secrets

from access_token import verify_access_token
from device import V1, Device
from service import Service
from transport import Answer, Transport

_numbers = itertools.count(int.from_bytes(secrets.token_bytes(2)) + 1_000_000)


def new_email() -> str:
    return f"person-{secrets.token_hex(6)}@example.com"


def new_phone() -> str:
    """Returns a phone number from a range that is reserved for fiction."""
    return f"+1415{next(_numbers):07d}"


def pkce() -> tuple[str, str]:
    """Returns a verifier and its challenge (RFC 7636)."""
    verifier = secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    return verifier, base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def send_refresh(device: Device, refresh_token: str, attempt: str | None = None, proof: str | None = None) -> Answer:
    """Sends one refresh with this attempt id, or with this proof, and repeats nothing."""
    proof = proof or device.proof("POST", f"{V1}/refresh", attempt=attempt)
    return device.send_with(proof, "POST", f"{V1}/refresh", None, [("X-Refresh-Token", refresh_token)])


class Person:
    def __init__(self, service: Service, *others: Service):
        """`others` are further nodes with the same database, each of which may deliver the codes."""
        self.transport = Transport(service.url)
        self.mailboxes = [self.transport, *(Transport(other.url) for other in others)]
        self.device = Device(self.transport)
        self.app = service.app
        self.access_token = ""
        self.refresh_token = ""

    @classmethod
    def signed_in(cls, service: Service, identifier: str | None = None, *others: Service) -> "Person":
        """Signs in a new user with a code. An identifier that begins with + is a phone number."""
        person = cls(service, *others)
        identifier = identifier or new_email()
        kind = "phone_number" if identifier.startswith("+") else "email_address"
        started = person.device.start(identifier, kind)
        assert started.status == 204, started
        checked = person.device.check(started.headers["X-Verification-Token"], person.code(identifier))
        person.take(person.device.finalize(checked.json["challenge_token"]))
        return person

    def code(self, identifier: str) -> str:
        """Returns the newest code that was sent to an identifier."""
        mails = [mail for mailbox in self.mailboxes for mail in mailbox.send("GET", "/dev/mailbox").json]
        return next(mail["code"] for mail in mails if mail["to"] == identifier and "code" in mail)

    def take(self, answer: Answer) -> dict:
        """Stores the tokens of a response. Returns the claims of its access token, verified with the published keys."""
        self.keep(answer)
        return self.claims()

    def keep(self, answer: Answer) -> None:
        assert answer.status == 200, answer
        self.access_token = answer.json["access_token"]
        self.refresh_token = answer.headers["X-Refresh-Token"]

    def claims(self) -> dict:
        jwks = self.transport.send("GET", "/.well-known/jwks.json").json
        return verify_access_token(self.access_token, jwks, self.transport.host, self.app)

    def refresh(self, step_up_token: str | None = None) -> dict:
        return self.take(self.device.refresh(self.refresh_token, step_up_token))

    def rotate(self, times: int = 1) -> list[tuple[str, str]]:
        """Refreshes, and returns the spent tokens with their attempt ids."""
        spent = []
        for _ in range(times):
            token = self.refresh_token
            self.refresh()
            spent.append((token, self.device.attempt(token)))
        return spent

    def scopes(self) -> list[str]:
        return self.claims().get("scope", "").split()

    def request_scope(self, scope: str, metadata: dict | None = None) -> Answer:
        return self.device.request_scope(self.access_token, scope, metadata)

    def challenge(self, scope: str) -> str:
        """Requests a scope that is not denied, and returns the challenge token."""
        answer = self.request_scope(scope)
        assert answer.status == 200 and answer.json["status"] != "block", answer
        return answer.json["challenge_token"]

    def do_code_step(self, challenge: str, identifier: str) -> str:
        """Has the code of the step sent, enters it, and returns the token of the next step."""
        sent = self.device.send_step_code(challenge)
        assert sent.status == 204, sent
        checked = self.device.check_step(challenge, self.code(identifier))
        assert checked.status == 200, checked
        return checked.json["challenge_token"]
