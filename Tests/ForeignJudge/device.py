"""A device with one key, its nonce and its attempt ids: the requests of the session protocol, with DPoP proofs made by joserfc."""

import secrets
import time

from dpop import make_dpop
from keys import base64url, new_device_key, unverified_claims
from transport import Answer, Transport

V1 = "/v1/session"


def new_attempt() -> str:
    """Returns a new attempt id: base64url of 16 random bytes."""
    return base64url(secrets.token_bytes(16))


class Device:
    def __init__(self, transport: Transport):
        self.transport = transport
        self.key = new_device_key()
        self.nonce: str | None = None
        #: The token of a known device, from the last login. A logout does not remove it.
        self.trusted: str | None = None
        self.clock_offset = 0
        #: The attempt id of each refresh token. A device without them acts like one of the hosted product.
        self.attempts: dict[str, str] | None = {}

    def attempt(self, refresh_token: str) -> str | None:
        """Returns the attempt id of a refresh token, the same for each repetition."""
        if self.attempts is None:
            return None
        return self.attempts.setdefault(refresh_token, new_attempt())

    def proof(
            self, method: str, path: str, access_token: str | None = None, attempt: str | None = None) -> str:
        iat = int(time.time()) + self.clock_offset
        return make_dpop(
            self.key, method, self.transport.url(path), self.nonce, access_token, iat, attempt=attempt)

    def start(self, value: str, kind: str = "email_address", code_challenge: str | None = None) -> Answer:
        body = {"identifier": {"type": kind, "value": value}}
        if code_challenge is not None:
            body["code_challenge"] = code_challenge
        return self.transport.send("POST", f"{V1}/otp", body, self._trust())

    def resend(self, verification: str) -> Answer:
        headers = [("X-Verification-Token", verification), *self._trust()]
        return self.transport.send("POST", f"{V1}/otp/retry", None, headers)

    def check(self, verification: str, code: str) -> Answer:
        headers = [("X-Verification-Token", verification), *self._trust()]
        return self.transport.send("POST", f"{V1}/otp/check", {"code": code}, headers)

    def check_at_once(self, verification: str, code: str, headers=()) -> Answer:
        """The check of older web apps, which starts the session."""
        headers = [("X-Verification-Token", verification), *headers]
        return self._proven("POST", f"{V1}/login/otp/check", {"code": code}, headers)

    def password(self, email: str, password: str) -> Answer:
        body = {"identifier": email, "password": password}
        return self.transport.send("POST", f"{V1}/login/email/password", body, self._trust())

    def _trust(self) -> list[tuple[str, str]]:
        return [] if self.trusted is None else [("X-Trusted-Device", self.trusted)]

    def migrate(self, token: str, code_challenge: str) -> Answer:
        return self.transport.send("POST", f"{V1}/migration", {"token": token, "code_challenge": code_challenge})

    def finalize(
            self, challenge_token: str, code_verifier: str | None = None, attempt: str | None = None) -> Answer:
        verifier = {} if code_verifier is None else {"code_verifier": code_verifier}
        body = {"challenge_token": challenge_token, **verifier}
        answer = self._proven("POST", f"{V1}/login/finalize", body, attempt=attempt)
        self.trusted = answer.headers["X-Trusted-Device"] or self.trusted
        return answer

    def refresh(self, refresh_token: str, step_up_token: str | None = None, headers=()) -> Answer:
        body = None if step_up_token is None else {"step_up_token": step_up_token}
        headers = [("X-Refresh-Token", refresh_token), *headers]
        return self._proven("POST", f"{V1}/refresh", body, headers, attempt=self.attempt(refresh_token))

    def revoke(self, refresh_token: str) -> Answer:
        return self._proven("POST", f"{V1}/revoke", None, [("X-Refresh-Token", refresh_token)])

    def sessions(self, access_token: str) -> Answer:
        return self._signed_in("GET", f"{V1}/me/list", access_token)

    def identifiers(self, access_token: str) -> Answer:
        return self._signed_in("GET", f"{V1}/me/identifiers", access_token)

    def request_scope(self, access_token: str, scope: str, metadata: dict | None = None, headers=()) -> Answer:
        body = {"scope": scope} if metadata is None else {"scope": scope, "metadata": metadata}
        path = f"{V1}/stepup/request"
        authorization = [self.authorization(access_token), *headers]
        return self._proven("POST", path, body, authorization, access_token)

    def send_step_code(self, challenge_token: str) -> Answer:
        return self.transport.send("POST", f"{V1}/otp", {"challenge_token": challenge_token})

    def check_step(self, challenge_token: str, code: str) -> Answer:
        return self._of_challenge(f"{V1}/otp/check", {"challenge_token": challenge_token, "code": code})

    def continue_step(self, challenge_token: str, verification_token: str) -> Answer:
        body = {"challenge_token": challenge_token, "verification_token": verification_token}
        return self._of_challenge(f"{V1}/stepup/continue", body)

    def continue_with_passkey(self, challenge_token: str, assertion: dict) -> Answer:
        body = {"challenge_token": challenge_token, "passkey_assertion": assertion}
        return self._of_challenge(f"{V1}/stepup/continue", body)

    def change_password(self, access_token: str, password: str) -> Answer:
        return self._signed_in("POST", f"{V1}/me/password/reset", access_token, {"password": password})

    def end_sessions(self, access_token: str, target: str) -> Answer:
        return self._signed_in("POST", f"{V1}/me/revoke", access_token, query=f"?target={target}")

    def _of_challenge(self, path: str, body: dict) -> Answer:
        """Sends a request with the proof of a challenge: its `jti` is the token's `jti`, and it needs no nonce."""
        jti = unverified_claims(body["challenge_token"])["jti"]
        proof = make_dpop(self.key, "POST", self.transport.url(path), jti=jti)
        return self.send_with(proof, "POST", path, body)

    @staticmethod
    def is_bound(access_token: str) -> bool:
        """Returns whether the token needs a proof (RFC 9449 §6.1); False for a malformed token."""
        try:
            return "cnf" in unverified_claims(access_token)
        except (IndexError, ValueError):
            return False

    @classmethod
    def authorization(cls, access_token: str) -> tuple[str, str]:
        return "Authorization", f"{'DPoP' if cls.is_bound(access_token) else 'Bearer'} {access_token}"

    def _signed_in(
            self, method: str, path: str, access_token: str, body: dict | None = None, query: str = "") -> Answer:
        headers = [self.authorization(access_token)]
        if self.is_bound(access_token):
            return self._proven(method, path, body, headers, access_token, query)
        return self.transport.send(method, path + query, body, headers)

    def _proven(
            self, method: str, path: str, body: dict | None, headers: list[tuple[str, str]] = (),
            access_token: str | None = None, query: str = "", attempt: str | None = None) -> Answer:
        """Sends a request with a new proof. If the service requires a nonce, retries once with it (RFC 9449 §8)."""
        answer = self.send_with(self.proof(method, path, access_token, attempt), method, path + query, body, headers)
        if answer.code == "use_dpop_nonce" and answer.headers["DPoP-Nonce"]:
            self.nonce = answer.headers["DPoP-Nonce"]
            proof = self.proof(method, path, access_token, attempt)
            answer = self.send_with(proof, method, path + query, body, headers)
        self.nonce = answer.headers["DPoP-Nonce"] or self.nonce
        return answer

    def send_with(self, proof: str, method: str, path: str, body: dict | None, headers=()) -> Answer:
        return self.transport.send(method, path, body, [*headers, ("DPoP", proof)])
