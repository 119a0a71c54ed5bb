"""Calls the management API, as an operator's backend does."""

from person import new_email
from service import Service
from transport import Answer, Transport


class Management:
    def __init__(
            self, service: Service, app: str | None = None, key: str | None = None, url: str | None = None,
            transport: Transport | None = None):
        self._transport = transport or Transport(url or service.url)
        self._base = f"/v2/session/apps/{app or service.app}"
        self._headers = [("Authorization", f"Bearer {key or service.key}")]

    def send(self, method: str, path: str, body: dict | None = None) -> Answer:
        return self._transport.send(method, self._base + path, body, self._headers)

    def get(self, path: str) -> dict:
        return self.expect(200, "GET", path)

    def expect(self, status: int, method: str, path: str, body: dict | None = None) -> dict | None:
        """Sends a request, asserts the status of the response and returns its body."""
        answer = self.send(method, path, body)
        assert answer.status == status, f"{method} {path}: {answer} {answer.body[:300]!r}"
        return answer.json if answer.body else None

    def set(self, config: str, body: dict) -> dict:
        """Creates or replaces a configuration."""
        exists = self.send("GET", f"/config/{config}").status == 200
        method, status = ("PUT", 200) if exists else ("POST", 201)
        return self.expect(status, method, f"/config/{config}", body)["config"]

    def register(self, *scopes: str) -> None:
        for scope in scopes:
            self.expect(201, "POST", "/config/scopes", {"scope": scope})

    def events(self, name: str) -> list[dict]:
        """Returns the newest hundred events of the app with this name, newest first."""
        return [event for event in self.get("/events?limit=100")["events"] if event["name"] == name]

    def new_user(self) -> str:
        """Creates a user with a new address, and returns the id."""
        identifiers = [{"type": "email_address", "value": new_email()}]
        return self.expect(201, "POST", "/users", {"identifiers": identifiers})["id"]

    def delegate(self, scope: str, hook: str) -> None:
        """Sets one step-up rule: the hook decides about the scope."""
        rule = {"scope": scope, "mode": "delegated", "delegated": {"delegation_hook": hook}}
        self.set("stepup", {"jwks_url": "", "step_keys": [], "allowed_scopes": [rule]})
