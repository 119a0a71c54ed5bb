"""An independent client that checks a service in development mode: login, refresh, attacks and logout.

Usage: client.py [--issuer HOST] [--audience APP_ID] BASE_URL

Prints one line per check and no token, code or key. Exits with 0 if all checks pass, with 1 at the first failed check.
"""

import argparse
import secrets
import sys
from email.utils import parsedate_to_datetime

from access_token import verify_access_token
from device import V1, Device
from transport import Answer, Transport


class Failed(Exception):
    pass


def check(requirement: str, holds: bool, found: object = "") -> None:
    if not holds:
        raise Failed(f"{requirement}{f' (found: {found})' if found != '' else ''}")
    print(f"ok    {requirement}")


def refused(requirement: str, answer: Answer, status: int, code: str) -> None:
    check(f"{requirement}: {status} {code}", (answer.status, answer.code) == (status, code), answer)


class Story:
    def __init__(self, transport: Transport, issuer: str, audience: str):
        self.transport = transport
        self.issuer = issuer
        self.audience = audience
        self.address = self.new_address()

    def run(self) -> None:
        device = Device(self.transport)
        refresh_token, claims = self.signing_in(device)
        refresh_token, access_token = self.refreshing(device, refresh_token, claims)
        self.account(device, access_token, claims)
        refresh_token = self.recovering(device, refresh_token)
        refresh_token = self.bad_proofs(device, refresh_token)
        self.wrong_clock(device, refresh_token)
        self.theft()
        self.signing_out()

    def new_address(self) -> str:
        """Returns an unused address, so that the limits per identifier do not apply."""
        return f"judge-{secrets.token_hex(6)}@example.com"

    def mailbox_code(self, address: str) -> str:
        mails = self.transport.send("GET", "/dev/mailbox").json
        return next(mail["code"] for mail in mails if mail["to"] == address and "code" in mail)

    def new_session(self, device: Device) -> str:
        """Signs in a new user and returns the refresh token."""
        address = self.new_address()
        verification = device.start(address).headers["X-Verification-Token"]
        challenge = device.check(verification, self.mailbox_code(address)).json["challenge_token"]
        return device.finalize(challenge).headers["X-Refresh-Token"]

    def verified(self, token: str) -> dict:
        jwks = self.transport.send("GET", "/.well-known/jwks.json").json
        try:
            claims = verify_access_token(token, jwks, self.issuer, self.audience)
        except Exception as error:  # joserfc and cryptography raise different exceptions.
            raise Failed(f"the access token is valid with the published key set (found: {error})") from error
        print("ok    the access token is valid with the published key set")
        return claims

    def signing_in(self, device: Device) -> tuple[str, dict]:
        answer = device.start(self.address)
        check("POST /otp responds with 204 and a verification token", answer.status == 204, answer)
        check("every response has a Date header", parsedate_to_datetime(answer.headers["Date"]) is not None)
        verification = answer.headers["X-Verification-Token"] or ""
        check("the verification token is in its header", verification != "")

        code = self.mailbox_code(self.address)
        wrong = str((int(code[0]) + 1) % 10) + code[1:]
        refused("a wrong code", device.check(verification, wrong), 401, "bad_check_code")
        answer = device.check(verification, code)
        check("the right code returns a challenge token", answer.status == 200, answer)
        challenge = answer.json["challenge_token"]
        refused("the same code after the verification is complete", device.check(verification, code), 400, "invalid_verification_token")

        path = f"{V1}/login/finalize"
        unproven = self.transport.send("POST", path, {"challenge_token": challenge})
        refused("finalize without a proof", unproven, 401, "missing_dpop_proof")
        answer = device.finalize(challenge)
        check("finalize with a joserfc proof returns tokens", answer.status == 200, answer)
        again = device.finalize(challenge)
        refused("the same challenge token again", again, 409, "token_reused")

        claims = self.verified(answer.json["access_token"])
        check("its sub is a user id and its sid a session id", claims["sub"][:4] + claims["sid"][:4] == "usr_ses_")
        check("expires_at is its exp", answer.json["expires_at"] == claims["exp"], answer.json["expires_at"])
        check("the refresh token is in its header", bool(answer.headers["X-Refresh-Token"]))
        check("the token of a known device is in its header", bool(answer.headers["X-Trusted-Device"]))
        check("the expiry of the refresh token is in its header", (answer.headers["X-Refresh-Token-Expires-At"] or "").endswith("Z"))
        return answer.headers["X-Refresh-Token"], claims

    def refreshing(self, device: Device, refresh_token: str, claims: dict) -> tuple[str, str]:
        bare = self.transport.send("POST", f"{V1}/refresh", None, [("X-Refresh-Token", refresh_token)])
        refused("refresh without a proof", bare, 401, "missing_dpop_proof")
        answer = device.refresh(refresh_token)
        check("refresh with a proof returns tokens", answer.status == 200, answer)
        successor = answer.headers["X-Refresh-Token"]
        check("the refresh token is rotated", successor not in (None, refresh_token))
        fresh = self.verified(answer.json["access_token"])
        same = all(fresh[name] == claims[name] for name in ("sub", "sid"))
        check("the new access token has the same user and session", same)
        check("the new access token has a new id", fresh["jti"] != claims["jti"])
        return successor, answer.json["access_token"]

    def account(self, device: Device, access_token: str, claims: dict) -> None:
        answer = device.sessions(access_token)
        check("GET /me/list returns the sessions", answer.status == 200, answer)
        ids = [session["id"] for session in answer.json["sessions"]]
        check("this session is among them", claims["sid"] in ids and answer.json["total"] == len(ids))
        answer = device.identifiers(access_token)
        mine = {"type": "email_address", "value": self.address}
        check("GET /me/identifiers returns the address", mine in answer.json.get("identifiers", []), answer)
        anonymous = self.transport.send("GET", f"{V1}/me/list")
        refused("GET /me/list without a token", anonymous, 401, "unauthorized")
        tampered = access_token[:-8] + ("A" * 8 if access_token[-8:] != "A" * 8 else "B" * 8)
        refused("GET /me/list with a tampered token", device.sessions(tampered), 401, "unauthorized")

    def recovering(self, device: Device, refresh_token: str) -> str:
        successor = device.refresh(refresh_token).headers["X-Refresh-Token"]
        answer = device.refresh(refresh_token)
        check("after a lost response the spent token is accepted again", answer.status == 200, answer)
        check("the repeated refresh returns the same successor", answer.headers["X-Refresh-Token"] == successor)
        return successor

    def bad_proofs(self, device: Device, refresh_token: str) -> str:
        path, header = f"{V1}/refresh", [("X-Refresh-Token", refresh_token)]
        for requirement, proof in [
            ("a proof for another path", device.proof("POST", f"{V1}/revoke")),
            ("a proof for another method", device.proof("GET", path)),
            ("a proof that is not a JWT", "not.a.proof"),
        ]:
            answer = device.send_with(proof, "POST", path, None, header)
            refused(requirement, answer, 400, "invalid_dpop_proof")
        two = [*header, ("DPoP", device.proof("POST", path)), ("DPoP", device.proof("POST", path))]
        refused("two proofs", self.transport.send("POST", path, None, two), 400, "invalid_dpop_proof")
        stranger = Device(self.transport)
        refused("a proof of another key", stranger.refresh(refresh_token), 401, "dpop_key_mismatch")
        proof = device.proof("POST", path)
        answer = device.send_with(proof, "POST", path, None, header)
        check("the session still exists after these requests", answer.status == 200, answer)
        successor = answer.headers["X-Refresh-Token"]
        again = device.send_with(proof, "POST", path, None, [("X-Refresh-Token", successor)])
        refused("a proof used twice", again, 400, "invalid_dpop_proof")
        return successor

    def wrong_clock(self, device: Device, refresh_token: str) -> None:
        path, header = f"{V1}/refresh", [("X-Refresh-Token", refresh_token)]
        device.clock_offset, device.nonce = -3600, None
        late = device.send_with(device.proof("POST", path), "POST", path, None, header)
        refused("a clock that is one hour late", late, 400, "use_dpop_nonce")
        check("the error response has a nonce", bool(late.headers["DPoP-Nonce"]))
        answer = device.refresh(refresh_token)
        check("a proof with the nonce is accepted with a wrong clock", answer.status == 200, answer)
        device.clock_offset, device.nonce = 0, None
        header = [("X-Refresh-Token", answer.headers["X-Refresh-Token"])]
        without = device.send_with(device.proof("POST", path), "POST", path, None, header)
        refused("a later proof without a nonce", without, 400, "use_dpop_nonce")

    def theft(self) -> None:
        device, thief = Device(self.transport), Device(self.transport)
        stolen = self.new_session(device)
        successor = device.refresh(stolen).headers["X-Refresh-Token"]
        refused("a spent refresh token with another key", thief.refresh(stolen), 401, "unauthorized")
        refused("the session is revoked for its owner too", device.refresh(successor), 401, "unauthorized")

    def signing_out(self) -> None:
        device = Device(self.transport)
        refresh_token = self.new_session(device)
        answer = device.revoke(refresh_token)
        check("POST /revoke responds with 204", answer.status == 204, answer)
        refused("refresh after logout", device.refresh(refresh_token), 401, "unauthorized")
        answer = device.revoke(refresh_token)
        check("a second logout responds with 204", answer.status == 204, answer)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base_url", help="for example http://localhost:8080")
    parser.add_argument("--issuer", help="the iss of access tokens (default: the host of the base URL)")
    parser.add_argument("--audience", default="devapp1", help="the app's id (%(default)s)")
    options = parser.parse_args()
    transport = Transport(options.base_url)
    try:
        Story(transport, options.issuer or transport.host, options.audience).run()
    except Failed as failure:
        print(f"FAIL  {failure}")
        return 1
    except Exception as error:  # A response that does not match the protocol is a failure too.
        print(f"FAIL  a response of the service does not match the protocol: {type(error).__name__}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
