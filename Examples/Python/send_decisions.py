"""The decisions of a send hook, as docs/hooks.md describes it."""

import secrets


class SendDecisions:
    """Allows codes for which a client has shown a proof before, and mails without one."""

    def __init__(self) -> None:
        self._proven: set[str] = set()

    def prove(self) -> str:
        """Your page calls this after its proof (Turnstile, App Attest) is valid. Returns the id to pass as dispatch_id."""
        id = secrets.token_urlsafe(16)
        self._proven.add(id)
        return id

    def decide(self, call: dict) -> dict:
        """The answer to a call whose signature was checked."""
        if call["identifier"]["type"] == "email_address" or call["is_resend"]:
            return {"decision": "allow"}
        if call["identifier"].get("line_type") == "other":
            return {"decision": "other_channel"}
        if call.get("dispatch_id") not in self._proven:
            return {"decision": "deny"}
        self._proven.discard(call["dispatch_id"])
        return {"decision": "allow"}
