"""A foreign device: one key, its nonce, and the calls of the session protocol with proofs by joserfc."""

import time

from dpop import make_dpop
from keys import new_device_key
from transport import Answer, Transport

V1 = "/v1/session"


class Device:
    def __init__(self, transport: Transport):
        self.transport = transport
        self.key = new_device_key()
        self.nonce: str | None = None
        self.clock_offset = 0

    def proof(self, method: str, path: str, access_token: str | None = None) -> str:
        iat = int(time.time()) + self.clock_offset
        return make_dpop(self.key, method, self.transport.url(path), self.nonce, access_token, iat)

    def start(self, email: str) -> Answer:
        identifier = {"type": "email_address", "value": email}
        return self.transport.send("POST", f"{V1}/otp", {"identifier": identifier})

    def check(self, verification: str, code: str) -> Answer:
        headers = [("X-Verification-Token", verification)]
        return self.transport.send("POST", f"{V1}/otp/check", {"code": code}, headers)

    def finalize(self, challenge_token: str) -> Answer:
        return self._proven("POST", f"{V1}/login/finalize", {"challenge_token": challenge_token})

    def refresh(self, refresh_token: str) -> Answer:
        return self._proven("POST", f"{V1}/refresh", None, [("X-Refresh-Token", refresh_token)])

    def revoke(self, refresh_token: str) -> Answer:
        return self._proven("POST", f"{V1}/revoke", None, [("X-Refresh-Token", refresh_token)])

    def sessions(self, access_token: str) -> Answer:
        return self._signed_in(f"{V1}/me/list", access_token)

    def identifiers(self, access_token: str) -> Answer:
        return self._signed_in(f"{V1}/me/identifiers", access_token)

    def _signed_in(self, path: str, access_token: str) -> Answer:
        headers = [("Authorization", f"Bearer {access_token}")]
        return self.transport.send("GET", path, headers=headers)

    def _proven(self, method: str, path: str, body: dict | None, headers: list[tuple[str, str]] = ()) -> Answer:
        """Sends with a fresh proof; asked for a nonce, repeats once with it (RFC 9449 §8)."""
        answer = self.send_with(self.proof(method, path), method, path, body, headers)
        if answer.code == "use_dpop_nonce" and answer.headers["DPoP-Nonce"]:
            self.nonce = answer.headers["DPoP-Nonce"]
            answer = self.send_with(self.proof(method, path), method, path, body, headers)
        self.nonce = answer.headers["DPoP-Nonce"] or self.nonce
        return answer

    def send_with(self, proof: str, method: str, path: str, body: dict | None, headers=()) -> Answer:
        return self.transport.send(method, path, body, [*headers, ("DPoP", proof)])
