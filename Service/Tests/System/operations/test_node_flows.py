"""Every flow on three nodes with one database: each request reaches another node than the one before it."""

import itertools
import secrets

import pytest
from joserfc.jwk import RSAKey

import postgres
from balancer import Balancer
from failover_load import nodes_of
from keys import unverified_claims
from operator_api import Management
from person import Person, new_email, pkce
from receiver import Receiver, Reply
from service import Service
from snippets import load
from transport import Answer, Transport
from waiting import wait_until
from webhook import active_webhook, answering

custom_step_token = load("hooks.md").custom_step_token

PASSWORD = "correct horse battery"
#: The app of development mode has the second one.
APPROVE, WRITE = "transfer:approve", "prld:pwd:write"
STEP = {"order": 1, "key": "verify_email", "expiration_duration": 600}
#: What the hook of the operator returns: a code, and then a step that the operator's backend confirms.
REVIEW = {
    "status": "review", "granted_for": 300, "grant_mode": "session-bound",
    "steps": [STEP, {"order": 2, "key": "check_id", "expiration_duration": 600}],
}
_lengths = itertools.cycle((8, 9))


@pytest.fixture(scope="module")
def nodes(tmp_path_factory, authority):
    flags = ("--egress-trust-roots", str(authority.certificate_path), "--egress-network", "127.0.0.0/8")
    with postgres.own_server() as server, nodes_of(tmp_path_factory.mktemp("nodes"), server, flags=flags) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "operator-1"})


@pytest.fixture(scope="module")
def management(nodes, backend, key) -> Management:
    """The management API. Each call of it, too, reaches another node than the one before it."""
    management = Management(nodes[0], transport=Balancer(*nodes))
    jwks = {"keys": [{**key.as_dict(private=False), "alg": "RS256", "use": "sig"}]}
    change_password = {
        "identifier_types": ["email_address"], "status": "review", "granted_for": 300, "grant_mode": "single-use",
        "steps": [STEP],
    }
    hook = {"delegation_hook": backend.on("/hook", Reply(200, REVIEW))}
    management.set("stepup", {
        "jwks_url": backend.on("/jwks.json", Reply(200, jwks)), "step_keys": ["check_id"],
        "allowed_scopes": [
            {"scope": APPROVE, "mode": "delegated", "delegated": hook},
            {"scope": WRITE, "mode": "direct", "direct": change_password},
        ],
    })
    management.register(APPROVE)
    management.set("migration", {"session_validation_url": backend.url("/validate")})
    until_known(management, nodes)
    return management


def until_known(management: Management, nodes: list[Service]) -> None:
    """Waits until each node uses the settings that were changed before this call: one more change comes after them."""
    length = next(_lengths)
    management.expect(200, "PUT", "/config/login/password", {"password_compliancy": {"min_length": length}})
    for node in nodes:
        transport = Transport(node.url)
        wait_until(lambda: transport.send("GET", "/v1/session/password/compliancy").json["min_length"] == length)


class Traveller(Person):
    """A user whose requests reach each node in turn. `with` checks that at the end."""

    def __init__(self, nodes: list[Service]):
        super().__init__(*nodes)
        self.balancer = self.device.transport = Balancer(*nodes)
        self.email = new_email()
        self._read: set[tuple[str, str]] = set()

    def __enter__(self) -> "Traveller":
        return self

    def __exit__(self, kind, *_) -> None:
        places = [place for place, _, _ in self.balancer.answered]
        if kind is None:
            assert set(places) == {0, 1, 2}, self.balancer.answered
            assert all(one != next for one, next in itertools.pairwise(places)), self.balancer.answered

    def code(self, identifier: str) -> str:
        """Waits for a code that was not read before, whichever node sends it."""
        mails = wait_until(lambda: self._codes(identifier) - self._read)
        self._read |= mails
        return max(mails)[1]

    def _codes(self, identifier: str) -> set[tuple[str, str]]:
        mails = [mail for mailbox in self.mailboxes for mail in mailbox.send("GET", "/dev/mailbox").json]
        return {(mail["sent_at"], mail["code"]) for mail in mails if mail["to"] == identifier and "code" in mail}

    def sign_in(self) -> "Traveller":
        started = self.device.start(self.email)
        assert started.status == 204, started
        checked = self.device.check(started.headers["X-Verification-Token"], self.code(self.email))
        self.take(self.device.finalize(checked.json["challenge_token"]))
        return self

    def again(self, nodes: list[Service]) -> "Traveller":
        """Signs the same user in on another device."""
        other = Traveller(nodes)
        other.email, other._read = self.email, self._read
        assert other.sign_in().claims()["sub"] == self.claims()["sub"]
        return other


def outcome(answer: Answer) -> tuple[int, str | None]:
    return answer.status, answer.code


def user_with_password(management: Management, email: str) -> str:
    identifiers = [{"type": "email_address", "value": email}]
    return management.expect(201, "POST", "/users", {"identifiers": identifiers, "password": PASSWORD})["id"]


def test_a_login_by_password(nodes, management):
    with Traveller(nodes) as ada:
        user = user_with_password(management, ada.email)
        answer = ada.device.password(ada.email, PASSWORD)
        assert ada.take(ada.device.finalize(answer.json["challenge_token"]))["sub"] == user
        assert {ada.refresh()["sid"] for _ in range(3)} == {ada.claims()["sid"]}
        # The challenge was redeemed on another node.
        assert outcome(ada.device.finalize(answer.json["challenge_token"])) == (409, "token_reused")


def test_failed_passwords_count_on_all_nodes_together(nodes, management):
    with Traveller(nodes) as mallory:
        user_with_password(management, mallory.email)
        answers = [mallory.device.password(mallory.email, f"wrong horse {number}").status for number in range(12)]
        assert answers == [401] * 10 + [429] * 2
        assert mallory.device.password(mallory.email, PASSWORD).status == 429


def test_a_login_by_migration(nodes, management, backend):
    with Traveller(nodes) as ada:
        number = secrets.token_hex(6)
        backend.on("/validate", Reply(200, {"user": {
            "identifiers": [{"type": "email_address", "value": new_email()}], "external_id": number}}))
        verifier, challenge = pkce()
        answer = ada.device.migrate("old-session-3f9c", challenge)
        assert answer.status == 200, answer
        token = answer.json["challenge_token"]
        assert outcome(ada.device.finalize(token, pkce()[0])) == (401, "token_mismatch")
        user = ada.take(ada.device.finalize(token, verifier))["sub"]
        assert management.get(f"/users/{user}")["external_id"] == number
        assert ada.refresh()["sub"] == user
        assert outcome(ada.device.finalize(token, verifier)) == (409, "token_reused")


def test_a_step_up_with_a_hook_a_code_and_a_step_of_the_operator(nodes, management, key):
    with Traveller(nodes) as ada:
        ada.sign_in()
        first = ada.challenge(APPROVE)
        second = ada.do_code_step(first, ada.email)
        # The first step is done, on whichever node it is tried again.
        for _ in nodes:
            assert ada.device.check_step(first, "000000").status == 409
        challenge = unverified_claims(second)
        assert challenge["current_step"] == "check_id"
        token = custom_step_token(key, ada.claims()["sub"], challenge["challenge_id"], "check_id")
        last = ada.device.continue_step(second, token)
        assert last.status == 200, last
        assert outcome(ada.device.continue_step(second, token)) == (409, "token_reused")
        ada.refresh(last.json["challenge_token"])
        assert ada.scopes() == [APPROVE]
        ada.refresh()
        assert ada.scopes() == [APPROVE], "the grant is the session's on each node"


def test_a_user_changes_the_password_and_the_other_session_ends(nodes, management):
    with Traveller(nodes) as ada:
        user = user_with_password(management, ada.email)
        ada.sign_in()
        other = ada.again(nodes)
        last = ada.do_code_step(ada.challenge(WRITE), ada.email)
        ada.refresh(last)
        assert ada.scopes() == [WRITE]
        weak = ada.device.change_password(ada.access_token, "short")
        assert outcome(weak) == (400, "invalid_password")
        assert ada.device.change_password(ada.access_token, "staple of the better kind").status == 204
        again = ada.device.change_password(ada.access_token, "staple of another kind")
        assert outcome(again) == (403, "insufficient_scope"), "the grant was used on another node"
        assert outcome(other.device.refresh(other.refresh_token)) == (401, "unauthorized")
        assert ada.refresh()["sub"] == user
        assert ada.device.password(ada.email, PASSWORD).status == 401
        assert ada.device.password(ada.email, "staple of the better kind").status == 200


def test_a_user_reads_identifiers_and_sessions_and_ends_them(nodes):
    with Traveller(nodes) as ada:
        ada.sign_in()
        for _ in nodes:
            identifiers = ada.device.identifiers(ada.access_token).json["identifiers"]
            assert [identifier["value"] for identifier in identifiers] == [ada.email]
        others = [ada.again(nodes) for _ in range(3)]
        everyone = [ada, *others]

        def sessions() -> set[str]:
            return {session["id"] for session in ada.device.sessions(ada.access_token).json["sessions"]}

        def alive() -> list[bool]:
            answers = [other.device.refresh(other.refresh_token) for other in others]
            for other, answer in zip(others, answers):
                if answer.status == 200:
                    other.keep(answer)
                else:
                    assert outcome(answer) == (401, "unauthorized")
            return [answer.status == 200 for answer in answers]

        assert sessions() == {person.claims()["sid"] for person in everyone}
        ended = others[0].claims()["sid"]
        assert ada.device.end_sessions(ada.access_token, f"session&session_id={ended}").status == 204
        assert alive() == [False, True, True]
        assert sessions() == {person.claims()["sid"] for person in everyone if person is not others[0]}
        assert ada.device.end_sessions(ada.access_token, "others").status == 204
        assert alive() == [False, False, False]
        assert sessions() == {ada.claims()["sid"]}
        assert ada.device.end_sessions(ada.access_token, "mine").status == 204
        assert ada.device.identifiers(ada.access_token).status == 401
        assert outcome(ada.device.refresh(ada.refresh_token)) == (401, "unauthorized")


def test_a_revoked_token_is_rejected_by_the_other_nodes(nodes):
    with Traveller(nodes) as ada:
        ada.sign_in()
        spent, access = ada.refresh_token, ada.access_token
        ada.refresh()
        assert ada.device.revoke(ada.refresh_token).status == 204
        for _ in nodes:
            assert ada.device.identifiers(access).status == 401
            assert outcome(ada.device.refresh(ada.refresh_token)) == (401, "unauthorized")
            assert ada.device.revoke(ada.refresh_token).status in (204, 401)
        assert outcome(ada.device.refresh(spent)) == (401, "unauthorized")


def test_a_copied_token_that_is_used_on_another_node_ends_the_session(nodes):
    """Key and token are copied. The owner refreshes on one node, the thief on the next one."""
    with Traveller(nodes) as ada:
        copied = ada.sign_in().refresh_token
        ada.refresh()
        ada.device.attempts = {}
        assert outcome(ada.device.refresh(copied)) == (401, "unauthorized")
        assert outcome(ada.device.refresh(ada.refresh_token)) == (401, "unauthorized")


def test_a_change_of_a_user_by_an_operator_is_obeyed_by_the_next_node(nodes, management):
    with Traveller(nodes) as ada:
        user = user_with_password(management, ada.email)
        ada.sign_in()
        for status, expected in (("suspended", 403), ("active", 200)) * 2:
            management.expect(200, "PUT", f"/users/{user}/status", {"status": status})
            assert management.get(f"/users/{user}")["status"] == status
            assert ada.device.password(ada.email, PASSWORD).status == expected
            # The suspension ended the session, and its device learns why while it lasts.
            ended = (403, "suspended_account") if status == "suspended" else (401, "unauthorized")
            assert outcome(ada.device.refresh(ada.refresh_token)) == ended
        management.expect(204, "DELETE", f"/users/{user}")
        assert management.send("GET", f"/users/{user}").status == 404
        assert ada.device.password(ada.email, PASSWORD).status == 401


def test_a_changed_hook_is_called_by_every_node(nodes, management, backend):
    """The hook allows the scope at once, and then denies it."""
    grant = {"status": "continue", "granted_for": 300, "grant_mode": "single-use", "steps": []}
    config = management.get("/config/stepup")
    config = config.get("config", config)
    try:
        with Traveller(nodes) as ada:
            ada.sign_in()
            for path, reply, status in (("/allows", grant, "continue"), ("/denies", {"status": "block"}, "block")):
                url = backend.on(path, Reply(200, reply))
                rule = {"scope": APPROVE, "mode": "delegated", "delegated": {"delegation_hook": url}}
                management.expect(200, "PUT", "/config/stepup", {**config, "allowed_scopes": [rule]})
                until_known(management, nodes)
                backend.forget()
                assert [ada.request_scope(APPROVE).json["status"] for _ in nodes] == [status] * len(nodes)
                assert [backend.next().path for _ in nodes] == [path] * len(nodes)
    finally:
        management.expect(200, "PUT", "/config/stepup", config)
        until_known(management, nodes)


def heard(backend: Receiver, count: int) -> tuple[list[str], set[str]]:
    """Waits for this many events. Returns their users and the paths of the calls."""
    users, paths = [], set()
    while len(users) < count:
        call = backend.next()
        users += [event["data"]["user_id"] for event in call.json["events"]]
        paths.add(call.path)
    return sorted(users), paths


def test_a_webhook_learns_of_each_event_once_whichever_node_wrote_it(nodes, management, backend):
    """The workers of three nodes share the deliveries. Without a fault, none is sent twice."""
    webhook = active_webhook(management, backend, events=["user.created"])
    until_known(management, nodes)
    try:
        users = {management.new_user() for _ in range(12)}
        assert heard(backend, 12) == (sorted(users), {"/events"})
        # Another url is used by every worker from the next event on.
        url = backend.on("/elsewhere", answering(Reply(200, b"")))
        management.expect(200, "PUT", f"/webhooks/{webhook['id']}", {"url": url, "events": ["user.created"]})
        management.expect(200, "POST", f"/webhooks/{webhook['id']}/activate")
        backend.forget()
        users = {management.new_user() for _ in range(12)}
        assert heard(backend, 12) == (sorted(users), {"/elsewhere"})
    finally:
        management.expect(204, "DELETE", f"/webhooks/{webhook['id']}")
