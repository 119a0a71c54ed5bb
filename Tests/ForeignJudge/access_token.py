"""Verifies access tokens with the published key set, by the rules of the RFCs."""

from joserfc import jwt

from keys import import_key_set


def verify_access_token(
    token: str, jwks: dict, issuer: str, audience: str, now: int | None = None, leeway: int = 0,
    algorithms: tuple[str, ...] | list[str] = ("EdDSA", "Ed25519", "ES256", "RS256"),
) -> dict:
    """Returns the claims of a valid token (RFC 9068 §4, RFC 8725 §3). Raises for an invalid token."""
    decoded = jwt.decode(token, import_key_set(jwks), algorithms=list(algorithms))
    if decoded.header.get("typ") != "at+jwt":
        raise ValueError("typ is not at+jwt")
    if "kid" not in decoded.header:
        raise ValueError("kid is missing")
    required = {name: {"essential": True} for name in ("sub", "sid", "client_id", "iat", "nbf", "exp", "jti")}
    registry = jwt.JWTClaimsRegistry(
        now=now,
        leeway=leeway,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": audience},
        **required,
    )
    registry.validate(decoded.claims)
    return decoded.claims
