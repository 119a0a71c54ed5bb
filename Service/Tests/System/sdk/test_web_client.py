"""Tests the browser client in headless Chromium, with real pages and cookies on the loopback."""

import base64
import hashlib
import json
import re
import threading
import time
import urllib.request
from contextlib import contextmanager

import pytest
from joserfc.jwk import ECKey

from browser import PageError
from faulty_proxy import FaultyProxy
from keys import base64url, unverified_claims
from mail_browser import CHROMIUM
from operator_api import Management
from service import APP, ROOT, Service, running
from transport import Transport
from waiting import wait_until
from web_site import MODULE, WebSite, gated
from web_visitor import PASSWORD, Visitor

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="the Debian package chromium is not installed")

STEP = {"order": 1, "key": "verify_email"}
PASSWORD_SCOPE = "prld:pwd:write"


def rule(scope: str, **members) -> dict:
    direct = {
        "identifier_types": ["email_address"], "status": "review", "granted_for": 120, "grant_mode": "session-bound",
        "steps": [STEP], **members}
    return {"scope": scope, "mode": "direct", "direct": direct}


RULES = [rule("pay"), rule("at.once", status="continue", steps=[STEP]), rule("never", status="block"),
         rule(PASSWORD_SCOPE, grant_mode="single-use")]


@pytest.fixture(scope="module")
def site():
    site = WebSite()
    yield site
    site.close()


@pytest.fixture(scope="module")
def gate(tmp_path_factory, site):
    """Returns the proxy at which pages reach the service. Its `service` is configured for the site."""
    with gated(tmp_path_factory.mktemp("service"), lambda service: configure(service, site.origin)) as gate:
        yield gate


def configure(service: Service, *origins: str) -> None:
    service.transport = Transport(service.url)
    management = Management(service)
    management.expect(200, "PATCH", "", {"allowed_origins": list(origins)})
    management.register(*(entry["scope"] for entry in RULES))
    management.set("stepup", {"allowed_scopes": RULES})


@pytest.fixture
def visitor(browser, gate, site):
    """Returns a new user in a new profile, at a page of another origin than the service's, on the same site."""
    visitor = Visitor(browser, gate.service, gate.url, site.origin)
    yield visitor
    visitor.close()


@pytest.fixture
def ada(visitor):
    """Returns a visitor who is signed in."""
    visitor.user = visitor.sign_in()
    return visitor


def bind(service: Service, binding: str) -> None:
    Management(service).expect(200, "PUT", "/config/sessions", {"access_token_binding": binding})


# Signing in


def test_a_visitor_signs_in_with_a_code_and_the_page_sees_no_refresh_token(visitor, gate):
    user = visitor.sign_in()
    claims = unverified_claims(user["accessToken"])
    assert user["isNewUser"] and user["profile"]["userID"] == claims["sub"]
    assert visitor.run("return events;")[0] == "signedIn"
    cookie = visitor.page.cookies(gate.url)[f"refresh_{APP}"]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax"
    assert visitor.run("return document.cookie;") == ""
    assert cookie["value"] not in json.dumps(visitor.record())
    assert visitor.page.errors == []


def test_a_code_is_wrong_and_then_right_and_a_reload_between_keeps_the_login(visitor):
    visitor.ask_for_code()
    right = visitor.code()
    with pytest.raises(PageError) as wrong:
        visitor.run(f'await client.checkOTP("{int(right) ^ 1:06d}");')
    assert wrong.value.members["kind"] == "invalidOTPCode" and not wrong.value.members["needsNewCode"]
    assert wrong.value.members["requestID"].startswith("req_")
    visitor.reload()
    typed = " ".join(chr(0x0660 + int(digit)) for digit in right)
    assert visitor.run(f"return (await client.checkOTP({json.dumps(typed)})).isNewUser;")


def test_a_login_survives_the_loss_of_each_answer_and_has_one_session(visitor, gate):
    visitor.ask_for_code()
    for path in ("/otp/check", "/login/finalize"):
        gate.faults[path] = lambda: False
    assert visitor.run(f"return (await client.checkOTP({json.dumps(visitor.code())})).isNewUser;")
    assert gate.faults == {}
    assert visitor.run("return (await client.listSessions()).sessions.length;") == 1


def test_only_the_tab_that_asked_for_the_code_can_finish_the_login(visitor):
    visitor.run("""
        globalThis.sent = {};
        const send = fetch;
        globalThis.fetch = (url, init) => {
            Object.assign(sent, JSON.parse(init.body));
            return send(url, init);
        };""")
    visitor.sign_in()
    sent = visitor.run("return sent;")
    assert sent["code_challenge"] == base64url(hashlib.sha256(sent["code_verifier"].encode()).digest())


def test_without_a_login_a_code_needs_a_new_one_and_a_resend_is_limited(visitor):
    with pytest.raises(PageError) as missing:
        visitor.run('await client.checkOTP("123456");')
    assert missing.value.members["kind"] == "unauthorized" and missing.value.members["needsNewCode"]
    visitor.ask_for_code()
    with pytest.raises(PageError) as limited:
        visitor.run("await client.resendOTP();")
    assert limited.value.members["kind"] == "rateLimited" and 0 < limited.value.members["retryAfter"] <= 30


def test_an_invalid_address_is_named(visitor):
    visitor.email = "nobody"
    with pytest.raises(PageError) as invalid:
        visitor.ask_for_code()
    assert invalid.value.members["isInvalidIdentifier"] and invalid.value.members["status"] == 400


def test_a_visitor_signs_in_with_a_password(ada):
    ada.set_password()
    ada.run("await client.logout();")
    login = "return await client.loginWithPassword({{ emailAddress: {}, password: {} }});"
    with pytest.raises(PageError) as wrong:
        ada.run(login.format(json.dumps(ada.email), '"wrong"'))
    assert (wrong.value.members["kind"], wrong.value.members["field"]) == ("wrongPassword", "password")
    user = ada.run(login.format(json.dumps(ada.email), json.dumps(PASSWORD)))
    assert user["profile"]["userID"] == ada.user["profile"]["userID"] and not user["isNewUser"]


# Keys


def test_the_key_cannot_be_exported_and_the_session_is_bound_to_it(ada):
    exported = ada.run("""
        const opening = indexedDB.open("prelude-session");
        const database = await new Promise((resolve) => opening.onsuccess = () => resolve(opening.result));
        const reading = database.transaction("clients").objectStore("clients").get(client.endpoint);
        const { key } = await new Promise((resolve) => reading.onsuccess = () => resolve(reading.result));
        database.close();
        const refused = await Promise.all(["jwk", "pkcs8"].map((format) =>
            crypto.subtle.exportKey(format, key.privateKey).then(() => format, (error) => error.name)));
        return { extractable: key.privateKey.extractable, refused, publicKey: key.publicKey };""")
    assert exported["extractable"] is False and exported["refused"] == ["InvalidAccessError"] * 2
    assert set(exported["publicKey"]) == {"kty", "crv", "x", "y"}
    session = ada.user["profile"]["sessionID"]
    (thumbprint,), = ada.service.sql(f"SELECT key_thumbprint FROM sessions WHERE id = '{session}'")
    assert thumbprint == ECKey.import_key(exported["publicKey"]).thumbprint()


def test_every_nonce_policy_works(visitor, gate):
    Management(gate.service).expect(200, "PUT", "/config/sessions", {"nonce_policy": "always"})
    try:
        visitor.user = visitor.sign_in()
        still_signed_in(visitor)
        assert visitor.run("return (await client.listSessions()).total;") == 1
    finally:
        Management(gate.service).expect(200, "PUT", "/config/sessions", {"nonce_policy": "when_needed"})


def test_bound_access_tokens_are_sent_with_proofs(visitor, gate, site):
    bind(gate.service, "dpop")
    try:
        user = visitor.sign_in()
        assert "jkt" in unverified_claims(user["accessToken"])["cnf"]
        assert visitor.run("return (await client.listSessions()).total;") == 1
        site.calls.clear()
        site.scripted += [(401, {"DPoP-Nonce": "nonce-1"})]
        call = """return (await client.fetch("/api?a=b", { method: "POST", body: "hello" })).json();"""
        assert visitor.run(call) == {"body": "hello"}
        first, second = (call["headers"] for call in site.calls)
        assert first["authorization"] == f"DPoP {user['accessToken']}"
        claims = unverified_claims(second["dpop"])
        assert claims["htu"] == site.origin + "/api" and claims["htm"] == "POST" and claims["nonce"] == "nonce-1"
        assert "nonce" not in unverified_claims(first["dpop"])
    finally:
        bind(gate.service, "none")


def test_a_session_of_the_page_is_in_memory_only_and_leaves_the_stored_one_alone(visitor, gate):
    """The other client of the page, which stores its session, gets no event of it."""
    visitor.run(f"""
        globalThis.stored = client;
        globalThis.client = new PreludeSessionClient({{ endpoint: {json.dumps(gate.url)}, storage: "page" }});""")
    user = visitor.sign_in()
    assert visitor.run("return (await client.refresh()).accessToken;")
    assert visitor.run("return [(await client.profile()).userID, await stored.profile()];") == [
        user["profile"]["userID"], None]
    assert visitor.run("return [(await indexedDB.databases()).map((each) => each.name), sessionStorage.length];") in (
        [[], 0], [["prelude-session"], 0])
    visitor.rejected_token()
    assert visitor.run("return (await client.listSessions()).total;") == 1
    visitor.run("await client.logout();")
    assert visitor.run("return [await client.profile(), events];") == [None, []]
    visitor.sign_in()
    visitor.reload()
    assert visitor.run("return client.profile();") is None
    with pytest.raises(PageError) as invalid:
        visitor.run("""new PreludeSessionClient({ storage: "cookie" });""")
    assert invalid.value.members["kind"] == "invalidConfiguration" and "storage must be" in invalid.value.members["text"]


def test_a_function_of_the_page_sends_the_requests(visitor, gate):
    visitor.run(f"""
        globalThis.sent = [];
        globalThis.client = new PreludeSessionClient({{ endpoint: {json.dumps(gate.url)}, fetch: (url, init) => {{
            sent.push(init.method + " " + new URL(url).pathname.replace("/v1/session", ""));
            return fetch(url, init);
        }} }});""")
    visitor.sign_in()
    assert visitor.run("return sent;") == ["POST /otp", "POST /otp/check", "POST /login/finalize", "POST /refresh"]


@pytest.mark.parametrize("key", ["undefined", "await newKey()"])
def test_a_lost_or_another_key_is_reported_once_and_signing_in_again_works(ada, key):
    ada.run(f"""
        async function newKey() {{
            const algorithm = {{ name: "ECDSA", namedCurve: "P-256" }};
            const pair = await crypto.subtle.generateKey(algorithm, false, ["sign"]);
            const {{ kty, crv, x, y }} = await crypto.subtle.exportKey("jwk", pair.publicKey);
            return {{ privateKey: pair.privateKey, publicKey: {{ kty, crv, x, y }} }};
        }}
        const key = {key};
        const opening = indexedDB.open("prelude-session");
        const database = await new Promise((resolve) => opening.onsuccess = () => resolve(opening.result));
        const clients = database.transaction("clients", "readwrite").objectStore("clients");
        const reading = clients.get(client.endpoint);
        const record = await new Promise((resolve) => reading.onsuccess = () => resolve(reading.result));
        const writing = clients.put({{ ...record, key }}, client.endpoint);
        await new Promise((resolve) => writing.onsuccess = resolve);
        database.close();""")
    ada.rejected_token()
    with pytest.raises(PageError) as lost:
        ada.token()
    assert lost.value.members["kind"] == "deviceKeyLost"
    assert ada.run("return events.at(-1);") == "signedOut device_key_lost"
    with pytest.raises(PageError) as out:
        ada.token()
    assert out.value.members["kind"] == "unauthorized"
    ada.sign_in()


# Refreshing


def test_a_reload_keeps_the_session_without_a_request(ada, gate):
    before = gate.counts["/refresh"]
    ada.reload()
    assert ada.token() == ada.run("return (await client.refresh()).accessToken;")
    assert ada.run("return (await client.profile()).userID;") == ada.user["profile"]["userID"]
    assert gate.counts["/refresh"] == before


def test_an_expired_token_is_refreshed_by_the_cookie(ada, gate):
    before, old = gate.counts["/refresh"], ada.token()
    ada.rejected_token()
    assert ada.token() != old and gate.counts["/refresh"] == before + 1
    assert not ada.record().get("attempt")
    ada.run("const now = Date.now; Date.now = () => now() + 280_000;")
    ada.token()
    # The clock is wrong now, so the first proof is asked for a nonce.
    assert gate.counts["/refresh"] == before + 3


def test_a_caller_that_needs_a_token_for_longer_gets_a_new_one(ada, gate):
    before, old = gate.counts["/refresh"], ada.token()
    ada.run("const now = Date.now; Date.now = () => now() + 60_000;")
    assert ada.token() == old and gate.counts["/refresh"] == before
    # Two thirds of 300 seconds count at most, and 240 are left.
    assert ada.run("return client.validAccessToken(250);") == old
    ada.run("const now = Date.now; Date.now = () => now() + 60_000;")
    assert ada.run("return client.validAccessToken(250);") != old and gate.counts["/refresh"] > before


def test_twenty_tabs_refresh_once(ada, gate):
    tabs = [ada.page, *(ada.new_tab() for _ in range(19))]
    ada.rejected_token()
    before = gate.counts["/refresh"]
    # The tabs wait for a lock, so that they begin together.
    ada.run("""navigator.locks.request("start", () => new Promise((resolve) => globalThis.start = resolve));""")
    for tab in tabs:
        tab.run("""globalThis.tokens = navigator.locks.request("start", { mode: "shared" },
            () => Promise.all(Array.from({ length: 20 }, () => client.validAccessToken())));""")
    ada.page.wait_until("globalThis.start && (await navigator.locks.query()).pending.length === 20")
    ada.run("start();")
    tokens = {token for tab in tabs for token in tab.run("return tokens;")}
    assert len(tokens) == 1 and gate.counts["/refresh"] == before + 1
    for tab in tabs:
        tab.wait_until('events.includes("refreshed")')


def test_a_lost_answer_is_requested_again(ada, gate):
    before = gate.counts["/refresh"]
    ada.rejected_token()
    gate.faults["/refresh"] = lambda: False
    ada.token()
    # Chromium repeats the request with the same proof, which the service rejects, and the client with a new one.
    assert gate.counts["/refresh"] - before in (2, 3)
    still_signed_in(ada)


@pytest.mark.parametrize("loss", ["throw new TypeError('Failed to fetch')",
                                  "return new Response('<h1>Bad Gateway</h1>', { status: 502 })"])
def test_an_answer_that_a_gateway_or_the_network_loses_is_requested_again(ada, gate, loss):
    before = gate.counts["/refresh"]
    ada.rejected_token()
    ada.run(f"""
        const send = fetch;
        globalThis.fetch = async (...request) => {{
            await send(...request);
            globalThis.fetch = send;
            {loss};
        }};""")
    ada.token()
    assert gate.counts["/refresh"] == before + 2
    still_signed_in(ada)


def test_a_lost_answer_is_requested_again_after_a_reload(ada, gate):
    ada.rejected_token()
    with lost_answers(gate, "/refresh"), pytest.raises(PageError) as lost:
        ada.token()
    assert lost.value.members["kind"] == "network"
    attempt = ada.record()["attempt"]
    ada.reload()
    ada.token()
    assert attempt
    still_signed_in(ada)


@contextmanager
def lost_answers(gate: FaultyProxy, path: str):
    """No answer of this path arrives at the browser."""
    def lose() -> bool:
        gate.faults[path] = lose
        return False

    lose()
    yield
    gate.faults.clear()


def still_signed_in(visitor: Visitor) -> None:
    """The next rotation works, and the session is the same."""
    visitor.rejected_token()
    assert unverified_claims(visitor.token())["sid"] == visitor.user["profile"]["sessionID"]
    assert "signedOut" not in str(visitor.run("return events;"))


def test_a_page_that_is_closed_before_it_stores_the_answer_loses_nothing(ada, gate):
    """The browser has the new cookie, and the record still has the attempt."""
    ada.rejected_token()
    record = ada.record()
    ada.run("""
        const put = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = function (value, name) {
            if (value.session && !value.session.isRejected) throw new Error("the page is closed");
            return put.call(this, value, name);
        };
        await client.refresh().catch(() => undefined);""")
    assert ada.record()["session"] == record["session"] and ada.record()["attempt"]
    ada.reload()
    ada.token()
    still_signed_in(ada)


def test_callers_share_a_refresh_that_fails(ada):
    ada.rejected_token()
    sent = ada.run("""
        let sent = 0;
        const send = fetch;
        globalThis.fetch = async () => { sent += 1; throw new TypeError("Failed to fetch"); };
        await Promise.allSettled(Array.from({ length: 10 }, () => client.refresh()));
        globalThis.fetch = send;
        return sent;""")
    assert sent == 2


def test_offline_the_user_stays_signed_in(ada):
    ada.rejected_token()
    ada.page.set_offline(True)
    with pytest.raises(PageError) as offline:
        ada.token()
    assert offline.value.members["kind"] == "network"
    assert ada.run("return (await client.profile()).userID;") == ada.user["profile"]["userID"]
    ada.page.set_offline(False)
    ada.token()


@pytest.mark.parametrize("seconds", [-90_000, 90_000])
def test_a_wrong_clock_is_learned(visitor, gate, seconds):
    visitor.run(f"const now = Date.now; Date.now = () => now() + {seconds * 1000};")
    visitor.sign_in()
    assert abs(visitor.record()["clockOffset"] + seconds) < 60
    before = gate.counts["/refresh"]
    visitor.token()
    assert gate.counts["/refresh"] == before
    visitor.rejected_token()
    visitor.token()
    assert gate.counts["/refresh"] == before + 1


def test_a_session_that_was_revoked_elsewhere_ends_at_the_next_refresh(ada):
    path = f"/users/{ada.user['profile']['userID']}/sessions/invalidate"
    assert Management(ada.service).send("POST", path).status in (200, 204)
    ada.rejected_token()
    with pytest.raises(PageError) as ended:
        ada.token()
    assert ended.value.members["kind"] == "unauthorized" and ended.value.members["status"] == 401
    assert ada.run("return events.at(-1);") == "signedOut ended" and ada.run("return client.profile();") is None


@pytest.mark.parametrize("status", ["suspended", "inactive"])
def test_a_suspended_account_ends_the_session_and_says_so_at_the_next_login(ada, status):
    ada.set_password()
    user = ada.user["profile"]["userID"]
    Management(ada.service).expect(200, "PUT", f"/users/{user}/status", {"status": status})
    ada.rejected_token()
    with pytest.raises(PageError) as ended:
        ada.token()
    assert (ended.value.members["kind"], ended.value.members["status"]) == ("accountSuspended", 403)
    assert ada.run("return events.at(-1);") == "signedOut suspended" and ada.run("return client.profile();") is None
    login = f"await client.loginWithPassword({{ emailAddress: {json.dumps(ada.email)}, password: {json.dumps(PASSWORD)} }});"
    for sign_in in (ada.sign_in, lambda: ada.run(login)):
        with pytest.raises(PageError) as refused:
            sign_in()
        assert refused.value.members["kind"] == "accountSuspended"


# Signing out


def test_a_logout_ends_the_session_in_all_tabs_and_on_the_service(ada, gate):
    other = ada.new_tab()
    ada.sign_out()
    assert ada.run("return events.at(-1);") == "signedOut logout"
    other.wait_until('events.at(-1) === "signedOut another_client"')
    assert f"refresh_{APP}" not in ada.page.cookies(gate.url)
    assert sessions(ada) == []
    with pytest.raises(PageError) as out:
        other.run("await client.refresh();")
    assert out.value.members["kind"] == "unauthorized" and "status" not in out.value.members
    assert ada.page.errors == [] and other.errors == []


def sessions(visitor: Visitor) -> list:
    path = f"/users/{visitor.user['profile']['userID']}/sessions"
    return [entry for entry in Management(visitor.service).get(path)["sessions"] if not entry.get("revoked_at")]


def test_a_logout_works_offline_and_the_service_hears_of_it_later(ada):
    ada.page.set_offline(True)
    ada.run("await client.logout();")
    assert ada.run("return client.profile();") is None and len(sessions(ada)) == 1
    ada.page.set_offline(False)
    ada.reload()
    ada.wait_for_revocation()
    assert sessions(ada) == []


def test_a_logout_does_not_wait_for_a_service_that_does_not_answer(ada, gate):
    signed_out = threading.Event()
    answers = []
    # If the logout waits for the answer, the answer waits in vain.
    gate.faults["/revoke"] = lambda: answers.append(signed_out.wait(20)) or True
    ada.run("await client.logout();")
    signed_out.set()
    ada.wait_for_revocation()
    assert answers == [True] and sessions(ada) == []


def test_a_logout_reaches_the_service_although_the_page_leaves_at_once(ada):
    assert sessions(ada)
    ada.run("await client.logout(); setTimeout(() => { location.href = 'about:blank'; }, 0);")
    wait_until(lambda: not sessions(ada))


def test_a_refresh_in_progress_at_a_logout_does_not_restore_the_session(ada, gate):
    ada.rejected_token()
    other = ada.new_tab()

    def log_out_first() -> bool:
        other.run("globalThis.leaving = client.logout(); while (await client.profile()) {}")
        return True

    gate.faults["/refresh"] = log_out_first
    with pytest.raises(PageError) as overtaken:
        ada.token()
    assert overtaken.value.members["kind"] == "unauthorized"
    other.run("await leaving;")
    ada.wait_for_revocation()
    assert ada.run("return client.profile();") is None and sessions(ada) == []


def test_a_session_that_ends_elsewhere_does_not_end_a_login_in_progress(ada, gate):
    other = ada.new_tab()
    Management(ada.service).send("POST", f"/users/{ada.user['profile']['userID']}/sessions/invalidate")
    ada.ask_for_code()

    def end_session_first() -> bool:
        other.run("await client.invalidateSession(); await client.refresh().catch(() => undefined);")
        return True

    gate.faults["/otp/check"] = end_session_first
    ada.run(f'await client.checkOTP("{ada.code()}");')
    other.wait_until('events.slice(-2).join() === "signedOut ended,signedIn"')


def test_a_login_that_a_logout_overtakes_signs_nobody_in(visitor, gate):
    visitor.user = visitor.sign_in()
    visitor.sign_out()
    other = visitor.new_tab()
    visitor.ask_for_code()

    def log_out_first() -> bool:
        other.run("await client.logout();")
        return True

    gate.faults["/login/finalize"] = log_out_first
    with pytest.raises(PageError) as overtaken:
        visitor.run(f'await client.checkOTP("{visitor.code()}");')
    assert overtaken.value.members["kind"] == "unauthorized"
    visitor.wait_for_revocation()
    assert visitor.run("return client.profile();") is None and sessions(visitor) == []


# Sessions


def test_sessions_are_listed_and_revoked(ada, browser, gate, site):
    phone = Visitor(browser, gate.service, gate.url, site.origin)
    phone.email = ada.email
    other = phone.sign_in()["profile"]["sessionID"]
    listed = ada.run("return client.listSessions({ limit: 1 });")
    assert (listed["total"], listed["limit"], len(listed["sessions"])) == (2, 1, 1)
    assert listed["sessions"][0]["deviceType"] == "desktop" and listed["sessions"][0]["createdAt"].endswith("Z")
    assert ada.run("return client.identifiers();") == [{"type": "email_address", "value": ada.email}]
    ada.run(f'await client.revokeSessions({{ session: "{other}" }});')
    phone.rejected_token()
    with pytest.raises(PageError):
        phone.token()
    phone.close()
    ada.run('await client.revokeSessions("others");')
    assert ada.token()
    ada.run('await client.revokeSessions("mine");')
    assert ada.run("return events.at(-1);") == "signedOut revoked_here" and sessions(ada) == []


# Step-up and passwords


def test_a_step_up_with_a_code_adds_the_scope_and_survives_a_reload(ada):
    ada.run('await client.sendStepUpOTP(await client.requestStepUp("pay"));')
    ada.reload()
    active = ada.run("""const challenge = await client.activeStepUp();
        return { ...challenge, expectsCode: challenge.expectsCode, text: JSON.stringify(challenge) };""")
    assert active["requestedScope"] == "pay" and active["expectsCode"] and "eyJ" not in active["text"]
    wrong, right = "000000" if ada.code() != "000000" else "000001", ada.code()
    submit = "return client.submitStepUpOTP(await client.activeStepUp(), {});"
    with pytest.raises(PageError) as error:
        ada.run(submit.format(json.dumps(wrong)))
    assert error.value.members["kind"] == "invalidOTPCode"
    assert ada.run(submit.format(json.dumps(right))) is None
    assert "pay" in unverified_claims(ada.token())["scope"].split()
    assert ada.run("return (await client.activeStepUp()) === undefined;")


def test_a_completed_step_up_is_redeemed_although_its_refresh_fails(ada, gate):
    ada.run("""globalThis.challenge = await client.requestStepUp("pay"); await client.sendStepUpOTP(challenge);""")
    submit = f'return client.submitStepUpOTP(challenge, "{ada.code()}");'
    with lost_answers(gate, "/refresh"), pytest.raises(PageError) as lost:
        ada.run(submit)
    assert lost.value.members["kind"] == "network"
    # The token is valid, so other calls go on, also while the refresh with the step-up fails.
    with lost_answers(gate, "/refresh"):
        assert "pay" not in unverified_claims(ada.token()).get("scope", "")
    assert ada.run(submit) is None
    assert "pay" in unverified_claims(ada.token())["scope"].split()


def test_scopes_are_granted_at_once_or_denied(ada):
    assert ada.run('return (await client.requestStepUp("at.once")).isCompleted;')
    assert "at.once" in unverified_claims(ada.token())["scope"].split()
    assert ada.run('return (await client.requestStepUp("never")).status;') == "block"
    with pytest.raises(PageError) as unknown:
        ada.run('await client.requestStepUp("unknown");')
    assert unknown.value.members["kind"] == "forbidden" and unknown.value.members["code"] == "scope_not_allowed"


def test_the_password_is_changed_after_a_step_up(ada):
    # This ends the user's sessions.
    ada.set_password()
    ada.sign_in()
    assert ada.run("return client.canChangePassword();") is False
    assert ada.run('return (await client.validatePassword("short")).valid;') is False
    ada.run(f"""globalThis.challenge = await client.requestStepUp("{PASSWORD_SCOPE}");
        await client.sendStepUpOTP(challenge);""")
    ada.run(f'await client.submitStepUpOTP(challenge, "{ada.code()}");')
    assert ada.run("return client.canChangePassword();") is True
    ada.run(f"await client.changePassword({json.dumps(PASSWORD + ' 2')});")
    assert ada.run("return client.canChangePassword();") is False
    ada.run("await client.logout();")
    ada.run(f"""await client.loginWithPassword(
        {{ emailAddress: {json.dumps(ada.email)}, password: {json.dumps(PASSWORD + ' 2')} }});""")


# Calls of the app


def test_calls_of_the_app_carry_the_token_and_are_repeated_once_after_a_401(ada, gate, site):
    site.calls.clear()
    assert ada.run('return (await client.fetch("/api")).status;') == 200
    assert site.calls[0]["headers"]["authorization"] == f"Bearer {ada.token()}"
    before, old = gate.counts["/refresh"], ada.token()
    site.scripted += [(401, {})]
    assert ada.run('return (await client.fetch("/api", { method: "POST", body: "x" })).status;') == 200
    assert ada.token() != old and gate.counts["/refresh"] == before + 1
    assert [call["body"] for call in site.calls[1:]] == ["x", "x"]
    site.scripted += [(401, {"WWW-Authenticate": 'Bearer error="insufficient_user_authentication", scope="pay"'})]
    assert ada.run('return client.stepUpScope(await client.fetch("/api"));') == "pay"
    assert gate.counts["/refresh"] == before + 1


def test_ten_rejected_calls_share_one_refresh(ada, gate, site):
    before = gate.counts["/refresh"]
    site.scripted += [(401, {})] * 10
    statuses = ada.run("""return Promise.all(Array.from({ length: 10 },
        async () => (await client.fetch("/api")).status));""")
    assert statuses == [200] * 10 and gate.counts["/refresh"] == before + 1


def test_tokens_are_not_sent_to_other_origins(ada):
    with pytest.raises(PageError) as refused:
        ada.run('await client.fetch("https://elsewhere.test/api");')
    assert refused.value.members["kind"] == "invalidConfiguration" and "apiOrigins" in refused.value.members["text"]


# The served module


def test_the_service_serves_the_module_that_is_in_the_checkout(gate):
    module = (ROOT / "clients" / "web" / "prelude-session.js").read_bytes()
    version = re.search(rb'export const version = "(.*)"', module)[1].decode()
    for path in ("prelude-session.js", f"prelude-session-{version}.js"):
        with urllib.request.urlopen(f"{gate.service.url}/v1/{path}", timeout=60) as answer:
            assert answer.read() == module, "the program was built with another module"


def test_a_copy_of_the_module_needs_an_endpoint(visitor, gate, site):
    visitor.module, visitor.options["endpoint"] = site.origin + MODULE, gate.url
    visitor.start_client()
    assert visitor.sign_in()["isNewUser"]
    with pytest.raises(PageError) as missing:
        visitor.run("new PreludeSessionClient();")
    assert missing.value.members["kind"] == "invalidConfiguration"
    assert "endpoint is missing" in missing.value.members["text"]


def test_the_version_of_the_documentation_signs_in_and_another_content_is_blocked(visitor, gate, site):
    """The import map of `docs/browsers.md` has the hash of the module (Subresource Integrity)."""
    text = (ROOT / "docs" / "browsers.md").read_text()
    listing = re.search(r"```html\n(.*?)```", text, re.DOTALL)[1].replace("https://session.example.com", gate.url)
    module = (ROOT / "clients" / "web" / "prelude-session.js").read_bytes()
    integrity = "sha384-" + base64.b64encode(hashlib.sha384(module).digest()).decode()
    assert integrity in listing, f"the module has changed: write {integrity} to docs/browsers.md, and give it a version"
    visitor.module = "prelude-session"
    usual = site.page
    try:
        site.page = usual + listing
        visitor.reload()
        assert visitor.sign_in()["isNewUser"] and visitor.page.errors == []
        site.page = usual + listing.replace(integrity, "sha384-" + "A" * 64)
        with pytest.raises(PageError) as blocked:
            visitor.reload()
        assert "Failed to fetch dynamically imported module" in blocked.value.members["text"]
    finally:
        site.page = usual


# Origins and sites


@pytest.fixture(scope="module")
def foreign_site():
    """Returns a site that the app does not allow. It is on the same host, so browsers send it the cookies."""
    site = WebSite()
    yield site
    site.close()


def test_a_page_of_another_origin_is_refused_with_the_remedy(browser, gate, foreign_site):
    visitor = Visitor(browser, gate.service, gate.url, foreign_site.origin)
    with pytest.raises(PageError) as refused:
        visitor.ask_for_code()
    assert refused.value.members["kind"] == "originNotAllowed"
    assert f'add "{foreign_site.origin}" to allowed_origins' in refused.value.members["text"]
    visitor.close()


def test_a_page_of_another_origin_cannot_use_the_cookies(ada, gate, foreign_site):
    ada.page.open(foreign_site.origin + "/")
    assert f"refresh_{APP}" in ada.page.cookies(gate.url)
    before = gate.counts["/revoke"] + gate.counts["/refresh"]
    ada.run(f"""for (const path of ["revoke", "refresh"]) {{
        await fetch("{gate.url}/v1/session/" + path, {{ method: "POST", mode: "no-cors", credentials: "include" }});
    }}""")
    assert gate.counts["/revoke"] + gate.counts["/refresh"] == before + 2
    ada.page.open(ada.origin + "/")
    ada.start_client()
    still_signed_in(ada)


def test_a_service_that_cannot_be_reached_is_a_network_error(visitor, gate):
    visitor.options["endpoint"] = "http://localhost:9"
    visitor.start_client()
    with pytest.raises(PageError) as unreachable:
        visitor.ask_for_code()
    assert unreachable.value.members["kind"] == "network"


def test_a_service_that_is_called_by_another_url_names_its_own(visitor, gate):
    visitor.options["endpoint"] = gate.url.replace("localhost", "127.0.0.1")
    visitor.start_client()
    with pytest.raises(PageError) as wrong:
        visitor.sign_in()
    assert wrong.value.members["code"] == "invalid_dpop_proof"
    assert "htu of the DPoP proof must be http://" in wrong.value.members["text"]


def test_preflight_requests_are_answered_for_allowed_origins_only(gate, site, foreign_site):
    asked = [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "content-type,dpop")]
    allowed = gate.service.transport.send("OPTIONS", "/v1/session/refresh", None, [("Origin", site.origin), *asked])
    assert allowed.status == 204 and allowed.headers["Access-Control-Allow-Origin"] == site.origin
    assert allowed.headers["Access-Control-Allow-Credentials"] == "true"
    names = allowed.headers["Access-Control-Allow-Headers"].lower().split(", ")
    assert {"authorization", "content-type", "dpop", "x-verification-token"} <= set(names)
    foreign = gate.service.transport.send(
        "OPTIONS", "/v1/session/refresh", None, [("Origin", foreign_site.origin), *asked])
    assert foreign.status == 403 and foreign.headers["Access-Control-Allow-Origin"] is None


def test_a_page_can_read_the_404_of_an_unknown_path_and_the_time_of_the_service(visitor, gate):
    answer = visitor.run(f"""
        const headers = {{ "Content-Type": "application/json", "User-Agent": "App/1.0" }};
        const response = await fetch("{gate.url}/v1/session/unknown", {{ method: "POST", headers, body: "{{}}" }});
        return {{ code: (await response.json()).code, date: response.headers.get("Date") }};""")
    assert answer["code"] == "not_found" and answer["date"].endswith("GMT")


def test_a_page_of_another_site_is_told_that_its_cookies_are_not_kept(browser, gate):
    other_site = WebSite(host="127.0.0.1")
    Management(gate.service).expect(200, "PATCH", "", {
        "allowed_origins": [*Management(gate.service).get("")["allowed_origins"], other_site.origin]})
    visitor = Visitor(browser, gate.service, gate.url, other_site.origin)
    with pytest.raises(PageError) as blocked:
        visitor.sign_in()
    assert blocked.value.members["kind"] == "cookiesBlocked"
    assert "a subdomain of the page's own domain" in blocked.value.members["text"]
    assert visitor.run("return client.profile();") is None
    assert gate.service.sql("SELECT revoked_at FROM sessions ORDER BY created_at DESC LIMIT 1")[0][0]
    visitor.close()
    other_site.close()


# Production: https, a host for the pages and one for the service


@pytest.fixture(scope="module")
def secure_gate(tmp_path_factory, authority):
    """Returns the proxy of a service at https://session.example.test, with `sites` at two domains."""
    service = Service(tmp_path_factory.mktemp("secure"))
    gate = FaultyProxy(service.port, "session.example.test", authority.server_context("session.example.test"))
    gate.sites = [WebSite(host, authority.server_context(host)) for host in ("app.example.test", "app.other.test")]
    service.flags += ["--public-url", gate.url]
    with running(service):
        configure(service, *(site.origin for site in gate.sites))
        gate.service = service
        yield gate
    for server in (gate, *gate.sites):
        server.close()


def test_pages_and_service_at_subdomains_share_the_session_with_host_cookies(browser, secure_gate):
    own, _ = secure_gate.sites
    visitor = Visitor(browser, secure_gate.service, secure_gate.url, own.origin)
    visitor.user = visitor.sign_in()
    cookies = visitor.page.cookies(secure_gate.url)
    assert set(cookies) == {f"__Host-{name}_{APP}" for name in ("did", "verification-login", "refresh", "device")}
    for cookie in cookies.values():
        assert cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] == "None"
    visitor.reload()
    still_signed_in(visitor)
    visitor.sign_out()
    assert f"__Host-refresh_{APP}" not in visitor.page.cookies(secure_gate.url) and visitor.page.errors == []
    visitor.close()


def test_a_browser_that_blocks_cookies_of_other_sites_is_told_apart_from_a_401(whole_browser, secure_gate):
    """A profile of DevTools blocks them, like a private window."""
    _, other = secure_gate.sites
    visitor = Visitor(whole_browser, secure_gate.service, secure_gate.url, other.origin)
    with pytest.raises(PageError) as blocked:
        visitor.sign_in()
    assert blocked.value.members["kind"] == "cookiesBlocked"
    assert "https://session.app.other.test" in blocked.value.members["text"]
    visitor.close()


# The older generation


def test_a_page_signs_in_with_the_calls_of_the_older_generation(visitor, gate):
    """Its SDK makes no proofs and has all tokens in cookies."""
    management = Management(gate.service)
    management.set("claims", {"mapping": {"plan": "gold"}})
    visitor.run(f"""
        globalThis.call = async (method, path, body, authorization) => {{
            const headers = {{ Accept: "application/json" }};
            if (body) headers["Content-Type"] = "application/json";
            if (authorization) headers.Authorization = authorization;
            const response = await fetch("{gate.url}/v1/session" + path, {{
                method, headers, credentials: "include", body: body && JSON.stringify(body) }});
            const text = await response.text();
            return {{ status: response.status, json: text ? JSON.parse(text) : null }};
        }};""")

    def call(method: str, path: str, body: dict | None = None, authorization: str | None = None) -> dict:
        return visitor.run(f"return call({', '.join(map(json.dumps, (method, path, body, authorization)))});")

    def cookies() -> set[str]:
        return {name.split("_")[0] for name in visitor.page.cookies(gate.url)}

    try:
        login = {"identifier": {"type": "email_address", "value": visitor.email}}
        assert call("POST", "/login/otp", login) == {"status": 204, "json": None}
        assert "refresh" not in cookies()
        # A resend is allowed after 30 seconds, so its answer depends on the speed of this machine.
        assert call("POST", "/login/otp/retry")["status"] in (204, 429)
        wrong = call("POST", "/login/otp/check", {"code": f"{int(visitor.code()) ^ 1:06d}"})
        assert (wrong["status"], wrong["json"]["code"]) == (401, "bad_check_code")
        assert call("POST", "/login/otp/check", {"code": visitor.code()}) == {"status": 200, "json": {}}
        assert "refresh" in cookies()
        refreshed = call("POST", "/refresh")
        assert refreshed["status"] == 200 and refreshed["json"]["expires_at"] > time.time()
        token = refreshed["json"]["access_token"]
        assert unverified_claims(token)["cc"] == {"plan": "gold"}
        listed = call("GET", "/me/list?limit=10&offset=0", None, f"Bearer {token}")
        assert listed["status"] == 200 and listed["json"]["total"] == 1
        assert call("POST", "/revoke") == {"status": 204, "json": None}
        assert "refresh" not in cookies()
        assert call("POST", "/refresh")["status"] == 401
    finally:
        management.set("claims", {"mapping": {}})


# The example and the page of the documentation


def test_the_example_page_signs_in_lists_sessions_and_signs_out(visitor, gate, site):
    site.endpoint = gate.url
    page = visitor.page
    page.open(site.origin + "/Examples/Web/index.html")
    enter = "document.getElementById({0}).value = {1}; document.querySelector('#' + {0} + '-form button').click();"

    def wait_for_status(text: str) -> None:
        page.wait_until(f"document.getElementById('status').textContent.includes('{text}')")

    wait_for_status("signed out")
    page.run(enter.format('"address"', json.dumps(visitor.email)))
    wait_for_status("Enter the code")
    page.run(enter.format('"code"', json.dumps(visitor.code())))
    wait_for_status("signed in as usr_")
    page.wait_until("document.querySelector('#sessions li')")
    assert page.run("return document.getElementById('sessions').innerText;") == "Linux (this browser)"
    page.reload()
    wait_for_status("signed in as usr_")
    page.run("document.getElementById('sign-out').click();")
    wait_for_status("signed out")
    unnamed = page.run("return [...document.querySelectorAll('input')].filter((input) => !input.labels.length).length;")
    assert unnamed == 0 and page.errors == []


def test_the_documentation_uses_what_the_client_has(visitor):
    text = (ROOT / "docs" / "browsers.md").read_text()
    listing = re.search(r"```js\n(.*?)```", text, re.DOTALL)[1]
    calls = set(re.findall(r"client\.(\w+)\(", listing))
    methods = visitor.run("return Object.getOwnPropertyNames(PreludeSessionClient.prototype);")
    assert len(calls) > 10 and calls <= set(methods)
