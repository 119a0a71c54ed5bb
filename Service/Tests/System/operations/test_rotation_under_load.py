"""Tests that no token is rejected while signing keys rotate on two nodes."""

import json
import time

from rotation_load import Load
from service import APP, Service, running
from transport import Transport
from waiting import wait_until

#: Seconds that a key is published before it signs. Verifiers may keep a key set five seconds less.
AHEAD = 9
#: Additional seconds when a key is created, because a busy machine may commit late.
SLACK = 3


def two_nodes(tmp_path) -> tuple[Service, Service]:
    """Starts two services on one database with the same issuer, the host of the first one."""
    first, second = (Service(tmp_path, "--key-publish-ahead", str(AHEAD)) for _ in range(2))
    second.flags += ["--public-url", first.url]
    return first, second


def rotate(service: Service, publish_ahead: int) -> list[tuple[str, str]]:
    """Rotates every key with a command, and returns purposes and states."""
    rotated = service.run(
        "key", "rotate", "--app", APP, "--key-publish-ahead", str(publish_ahead), "--development", "--json")
    assert rotated.returncode == 0, rotated.stderr
    return [(key["purpose"], key["state"]) for key in json.loads(rotated.stdout)]


# Proves: K1
def test_rotation_under_load_rejects_no_token_while_both_nodes_sign(tmp_path):
    """Users change between two nodes, backends cache the key sets of both, and keys rotate twice."""
    first, second = two_nodes(tmp_path)
    with running(first), running(second), Load(first, second) as load:
        for node in (first, second):
            keys = Transport(node.url).send("GET", "/.well-known/jwks.json")
            assert keys.headers["Cache-Control"] == f"public, max-age={AHEAD - 5}"
        for keys in (1, 2):
            wait_until(lambda: load.signed_everywhere(keys) or load.refusals)
            states = rotate(first, AHEAD + SLACK)
            for purpose in ("access", "challenge"):
                assert (purpose, "pending") in states and (purpose, "active") in states
        wait_until(lambda: load.signed_everywhere(3) or load.refusals)
        # After this, no cached key set lacks the newest key. Tokens are verified meanwhile.
        settled = time.monotonic() + AHEAD - 5
        wait_until(lambda: time.monotonic() > settled or load.refusals)
    assert load.refusals == []
    for signed in (load.access, load.challenges):
        assert len(signed) == 6, "both nodes sign with the first key and with both successors"
        assert len({kid for _, kid in signed}) == 3
    assert load.tokens > 40


# Proves: K1
def test_a_key_that_signs_too_early_is_rejected_by_some_verifier(tmp_path):
    """Proves that the previous test detects backends that keep key sets longer than keys are published ahead."""
    first, second = two_nodes(tmp_path)
    with running(first), running(second), Load(first, second, keeps=600) as load:
        wait_until(lambda: load.signed_everywhere(1) or load.refusals)
        assert load.refusals == []
        rotate(first, AHEAD)
        wait_until(lambda: load.refusals)
