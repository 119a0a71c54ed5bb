"""Passkeys of another authenticator, soft-webauthn, and the verdicts of another verifier, webauthn (py_webauthn)."""

import base64


def make_passkey(rp_id: str, origin: str, challenge: str, user_handle: str) -> dict:
    """Registers a passkey with soft-webauthn and signs in with it. All bytes are base64url."""
    from soft_webauthn import SoftWebauthnDevice
    device = SoftWebauthnDevice()
    created = device.create({"publicKey": {
        "challenge": _decode(challenge), "rp": {"id": rp_id}, "user": {"id": _decode(user_handle)},
        "pubKeyCredParams": [{"alg": -7, "type": "public-key"}]}}, origin)
    asserted = device.get({"publicKey": {"challenge": _decode(challenge), "rpId": rp_id}}, origin)
    return {"passkey": {
        "id": _encode(created["rawId"]),
        "registration": {name: _encode(value) for name, value in created["response"].items()},
        "assertion": {name: _encode(value) for name, value in asserted["response"].items()}}}


def judge_passkeys(rp_id: str, origin: str, challenge: str, cases: list[dict]) -> dict:
    """Verifies registrations and assertions with py_webauthn. A case is an assertion if it has a public key."""
    return {"reasons": [_reason(rp_id, origin, challenge, **case) for case in cases]}


def _reason(rp_id, origin, challenge, id, response, public_key=None) -> str:
    """Why a response is rejected. An empty text if it is accepted."""
    import webauthn
    credential = {"id": id, "rawId": id, "type": "public-key", "response": response}
    expected = {"credential": credential, "expected_challenge": _decode(challenge), "expected_rp_id": rp_id,
                "expected_origin": origin, "require_user_verification": True}
    try:
        if public_key is None:
            webauthn.verify_registration_response(**expected)
        else:
            webauthn.verify_authentication_response(
                **expected, credential_public_key=_decode(public_key), credential_current_sign_count=0)
    except Exception as error:  # The libraries below raise exceptions of their own.
        return str(error) or type(error).__name__
    return ""


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
